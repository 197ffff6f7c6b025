"""SHA-2 (FIPS 180-4) and HMAC-SHA-2 (RFC 4231)."""

import hashlib
import hmac

from .envelope import VectorFile
from .octets import counting, flipped

ABC = b"abc"
TWO_BLOCKS_256 = b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"
TWO_BLOCKS_512 = (
    b"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu"
)

# Message, digest: as printed in the example computations beside FIPS 180-4.
FIGURES = {
    "SHA-256": [
        (ABC, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (TWO_BLOCKS_256, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"),
    ],
    "SHA-384": [
        (ABC, "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7"),
        (TWO_BLOCKS_512, "09330c33f71147e83d192fc782cd1b4753111b173b3b05d22fa08086e3b0f712fcc7c71a557e2db966c3e9fa91746039"),
    ],
    "SHA-512": [
        (ABC, "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"),
        (TWO_BLOCKS_512, "8e959b75dae313da8cf4f72814fc143f8f7779c6eb9f7fa17299aeadb6889018501d289e4900f7e4331b99dec4b5433ac7d329eeb6dd26545e96e55b874be909"),
    ],
}
MILLION_TIMES_A = {
    "SHA-256": "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0",
    "SHA-384": "9d0e1809716474cb086e834e310a4a1ced149e9c00f248527972cec5704c2a5b07b8b3dc38ecc4ebae97ddd87f3d8985",
    "SHA-512": "e718483d0ce769644e2e42c7bc15b4638e1f98b13b2044285632a803afa973ebde0ff244877ea60a4cb0432ce577c31beb009c5c2c49aa2e4eadb217ad8cc09b",
}

# Key, message, then the tags under SHA-256, SHA-384, SHA-512. Test case 5 is printed with 128 bits only.
RFC_4231 = {
    1: (
        b"\x0b" * 20,
        b"Hi There",
        "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
        "afd03944d84895626b0825f4ab46907f15f9dadbe4101ec682aa034c7cebc59cfaea9ea9076ede7f4af152e8b2fa9cb6",
        "87aa7cdea5ef619d4ff0b4241a1d6cb02379f4e2ce4ec2787ad0b30545e17cdedaa833b7d6b8a702038b274eaea3f4e4be9d914eeb61f1702e696c203a126854",
    ),
    2: (
        b"Jefe",
        b"what do ya want for nothing?",
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
        "af45d2e376484031617f78d2b58a6b1b9c7ef464f5a01b47e42ec3736322445e8e2240ca5e69e2c78b3239ecfab21649",
        "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea2505549758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737",
    ),
    3: (
        b"\xaa" * 20,
        b"\xdd" * 50,
        "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe",
        "88062608d3e6ad8a0aa2ace014c8a86f0aa635d947ac9febe83ef4e55966144b2a5ab39dc13814b94e3ab6e101a34f27",
        "fa73b0089d56a284efb0f0756c890be9b1b5dbdd8ee81a3655f83e33b2279d39bf3e848279a722c806b485a47e67c807b946a337bee8942674278859e13292fb",
    ),
    4: (
        counting(25, 1),
        b"\xcd" * 50,
        "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b",
        "3e8a69b7783c25851933ab6290af6ca77a9981480850009cc5577c6e1f573b4e6801dd23c4a7d679ccf8a386c674cffb",
        "b0ba465637458c6990e5a8c5f61d4af7e576d97ff94b872de76f8050361ee3dba91ca5c11aa25eb4d679275cc5788063a5f19741120c4f2de2adebeb10a298dd",
    ),
    5: (
        b"\x0c" * 20,
        b"Test With Truncation",
        "a3b6167473100ee06e0c796c2955552b",
        "3abf34c3503b2a23a46efc619baef897",
        "415fad6271580a531d4179bc891d87a6",
    ),
    6: (
        b"\xaa" * 131,
        b"Test Using Larger Than Block-Size Key - Hash Key First",
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
        "4ece084485813e9088d2c63a041bc5b44f9ef1012a2b588f3cd11f05033ac4c60c2ef6ab4030fe8296248df163f44952",
        "80b24263c7c1a3ebb71493c1dd7be8b49b46d1f41b4aeec1121b013783f8f3526b56d037e05f2598bd0fd2215d6a1e5295e64f73f63f0aec8b915a985d786598",
    ),
    7: (
        b"\xaa" * 131,
        b"This is a test using a larger than block-size key and a larger than block-size data. "
        b"The key needs to be hashed before being used by the HMAC algorithm.",
        "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2",
        "6617178e941f020d351e2f254e8fd32c602420feb0b8fb9adccebb82461e99c5a678cc31e799176d3860e6110c46523e",
        "e37b6a775dc87dbaa4dfa9f96e5e3ffddebd71f8867289865df5a32d20cdc944b6022cac3c4982b10d5eeb55c3e4de15134676fb6de0446065c97440fa8c6a58",
    ),
}


def sha2():
    file = VectorFile("sha2.json", "SHA-2", "FIPS 180-4", "example computations", "SHA-256, SHA-384 and SHA-512")
    for sha, figures in FIGURES.items():
        function = getattr(hashlib, sha.replace("-", "").lower())
        block = function().block_size
        group = file.group("Hash", sha=sha)
        for message, digest in figures:
            assert function(message).hexdigest() == digest
            group.valid(f"{len(message) * 8}-bit example", "Figure", msg=message.hex(), digest=digest)
        # The padding takes 1 octet and a length of block / 8 octets: around these sizes it opens another block.
        length = block // 8
        for size in (0, 1, block - length - 1, block - length, block - 1, block, block + 1, 2 * block - length, 2 * block):
            message = counting(size, start=size, step=7)
            group.valid(
                f"{size} octets", "Derived", "EdgeCase", msg=message.hex(), digest=function(message).hexdigest()
            )
        repeated = file.group("HashRepeated", sha=sha)
        assert function(b"a" * 1_000_000).hexdigest() == MILLION_TIMES_A[sha]
        repeated.valid("a million times a", "Figure", msg="61", repeat=1_000_000, digest=MILLION_TIMES_A[sha])
        piece = counting(block + 3)
        repeated.valid(
            "pieces that never end with a block", "Derived", "EdgeCase", msg=piece.hex(), repeat=257,
            digest=function(piece * 257).hexdigest(),
        )
    return file


# FIPS 202 has no figures in its text; these are of the "Examples with Intermediate Values" that NIST published with it.
SHA3_FIGURES = {
    "SHA3-256": {
        b"": "a7ffc6f8bf1ed76651c14756a061d662f580ff4de43b49fa82d80a4b80f8434a",
        b"\xa3" * 200: "79f38adec5c20307a98ef76e8324afbfd46cfd81b22e3973c65fa1bd9de31787",
    },
    "SHA3-384": {
        b"": "0c63a75b845e4f7d01107d852e4c2485c51a50aaaa94fc61995e71bbee983a2ac3713831264adb47fb6bd1e058d5f004",
        b"\xa3" * 200: "1881de2ca7e41ef95dc4732b8f5f002b189cc1e42b74168ed1732649ce1dbcdd76197a31fd55ee989f2d7050dd473e8f",
    },
    "SHA3-512": {
        b"": "a69f73cca23a9ac5c8b567dc185a756e97c982164fe25859e0d1dcc1475c80a615b2123af1f5f94c11e3e9402c3ac558"
        "f500199d95b6d3e301758586281dcd26",
        b"\xa3" * 200: "e76dfad22084a8b1467fcf2ffa58361bec7628edf5f3fdc0e4805dc48caeeca81b7c13c30adf52a365958473"
        "9a2df46be589c51ca1a4a8416df6545a1ce8ba00",
    },
}
SHAKE_RATES = {"SHAKE128": 168, "SHAKE256": 136}


def sha3():
    file = VectorFile("sha3.json", "SHA-3", "FIPS 202", "examples with intermediate values", "SHA-3 and SHAKE")
    for sha, figures in SHA3_FIGURES.items():
        function = getattr(hashlib, sha.replace("-", "_").lower())
        rate = function().block_size
        group = file.group("Hash", sha=sha)
        for message, digest in figures.items():
            assert function(message).hexdigest() == digest
            group.valid(f"{len(message) * 8}-bit example", "Figure", msg=message.hex(), digest=digest)
        # The padding takes one octet at least: with one left it is 0x86, with none it opens another block.
        for size in (1, 7, 8, 9, rate - 2, rate - 1, rate, rate + 1, 2 * rate - 1, 2 * rate):
            message = counting(size, start=size, step=7)
            group.valid(
                f"{size} octets", "Derived", "EdgeCase", msg=message.hex(), digest=function(message).hexdigest()
            )
        repeated = file.group("HashRepeated", sha=sha)
        piece = counting(rate + 3)
        repeated.valid(
            "pieces that never end with a block", "Derived", "EdgeCase", msg=piece.hex(), repeat=257,
            digest=function(piece * 257).hexdigest(),
        )
    for xof, rate in SHAKE_RATES.items():
        function = getattr(hashlib, xof.replace("SHAKE", "shake_").lower())
        group = file.group("Xof", xof=xof)
        for size in (0, 1, rate - 1, rate, rate + 1):
            for length in (1, 8, rate - 1, rate, rate + 1, 3 * rate + 5):
                message = counting(size, start=size, step=7)
                group.valid(
                    f"{size} octets, {length} of output", "Derived", "EdgeCase", msg=message.hex(),
                    output=function(message).hexdigest(length),
                )
    return file


def hmac_sha2():
    file = VectorFile("hmac.json", "HMAC", "RFC 4231", "4", "HMAC with SHA-256, SHA-384 and SHA-512")
    for index, sha in enumerate(("sha256", "sha384", "sha512")):
        block = getattr(hashlib, sha)().block_size
        full = file.group("MacTest", algorithm=f"HMAC{sha.upper()}", tagSize=hashlib.new(sha).digest_size * 8)
        short = file.group("MacTest", algorithm=f"HMAC{sha.upper()}", tagSize=128)
        for number, (key, message, *tags) in RFC_4231.items():
            tag = hmac.new(key, message, sha).digest()
            printed = bytes.fromhex(tags[index])
            assert tag[: len(printed)] == printed
            group = short if len(printed) == 16 else full
            test = {"key": key.hex(), "msg": message.hex()}
            group.valid(f"case {number}", "Figure", **test, tag=printed.hex())
            if number not in (1, 4, 5):
                continue
            group.invalid(f"case {number}, last tag bit flipped", "Damaged", **test, tag=flipped(printed).hex())
            group.invalid(f"case {number}, first tag bit flipped", "Damaged", **test, tag=flipped(printed, 0, 128).hex())
            group.invalid(
                f"case {number}, message bit flipped", "Damaged", key=key.hex(), msg=flipped(message).hex(),
                tag=printed.hex(),
            )
            group.invalid(
                f"case {number}, key bit flipped", "WrongKey", key=flipped(key).hex(), msg=message.hex(),
                tag=printed.hex(),
            )
        _, message, *_ = RFC_4231[2]
        for size in (0, block - 1, block, block + 1):
            key = counting(size, 1)
            full.valid(
                f"key of {size} octets, block of {block}", "Derived", "EdgeCase", key=key.hex(), msg=message.hex(),
                tag=hmac.new(key, message, sha).hexdigest(),
            )
        key = counting(block, 1)
        full.valid(
            "empty message", "Derived", "EdgeCase", key=key.hex(), msg="", tag=hmac.new(key, b"", sha).hexdigest()
        )
    return file
