"""AES blocks (FIPS 197, SP 800-38A) and AES-GCM (McGrew and Viega, RFC 7516)."""

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from .envelope import VectorFile
from .octets import counting, flipped, unb64u

# Key, plaintext block, ciphertext block.
BLOCKS = {
    "FIPS 197 Appendix C.1": (
        "000102030405060708090a0b0c0d0e0f",
        "00112233445566778899aabbccddeeff",
        "69c4e0d86a7b0430d8cdb78070b4c55a",
    ),
    "FIPS 197 Appendix B": (
        "2b7e151628aed2a6abf7158809cf4f3c",
        "3243f6a8885a308d313198a2e0370734",
        "3925841d02dc09fbdc118597196a0b32",
    ),
    "FIPS 197 Appendix C.2": (
        "000102030405060708090a0b0c0d0e0f1011121314151617",
        "00112233445566778899aabbccddeeff",
        "dda97ca4864cdfe06eaf70a0ec0d7191",
    ),
    "FIPS 197 Appendix C.3": (
        "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
        "00112233445566778899aabbccddeeff",
        "8ea2b7ca516745bfeafc49904b496089",
    ),
}

# SP 800-38A, F.1: the four blocks of every example, then per key their ciphertext.
ECB_PLAINTEXT = (
    "6bc1bee22e409f96e93d7e117393172a"
    "ae2d8a571e03ac9c9eb76fac45af8e51"
    "30c81c46a35ce411e5fbc1191a0a52ef"
    "f69f2445df4f9b17ad2b417be66c3710"
)
ECB = [
    (
        "2b7e151628aed2a6abf7158809cf4f3c",
        "3ad77bb40d7a3660a89ecaf32466ef97"
        "f5d3d58503b9699de785895a96fdbaaf"
        "43b1cd7f598ece23881b00e3ed030688"
        "7b0c785e27e8ad3f8223207104725dd4"
    ),
    (
        "8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b",
        "bd334f1d6e45f25ff712a214571fa5cc"
        "974104846d0ad3ad7734ecb3ecee4eef"
        "ef7afd2270e2e60adce0ba2face6444e"
        "9a4b41ba738d6c72fb16691603c18e0e"
    ),
    (
        "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
        "f3eed1bdb5d2a03c064b5a7e3db181f8"
        "591ccb10d410ed26dc5ba74a31362870"
        "b6ed21b99ca6f4f9f153e7b1beafed1d"
        "23304b7a39f9f3ff067d8d8f9e24ecc7"
    ),
]

# "The Galois/Counter Mode of Operation", Appendix B. The three key sizes share their inputs.
KEY = "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308"
LONG = (
    "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
    "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b391aafd255"
)
SHORT = LONG[:120]
AAD = "feedfacedeadbeeffeedfacedeadbeefabaddad2"
IV_96, IV_64 = "cafebabefacedbaddecaf888", "cafebabefacedbad"
IV_480 = (
    "9313225df88406e555909c5aff5269aa6a7a9538534f7da1e4c303d2a318a728"
    "c3c0c95156809539fcf0e2429a6b525416aedbf5a0de6a57a637b39b"
)
INPUTS = [
    ("00" * 32, "00" * 12, "", ""),
    ("00" * 32, "00" * 12, "", "00" * 16),
    (KEY, IV_96, "", LONG),
    (KEY, IV_96, AAD, SHORT),
    (KEY, IV_64, AAD, SHORT),
    (KEY, IV_480, AAD, SHORT),
]
# Ciphertext and tag of test cases 1 to 18: six for each of the key sizes 128, 192, 256.
GCM = [
    (
        "",
        "58e2fccefa7e3061367f1d57a4e7455a",
    ),
    (
        "0388dace60b6a392f328c2b971b2fe78",
        "ab6e47d42cec13bdf53a67b21257bddf",
    ),
    (
        "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c7d8f6a5aac84aa05"
        "1ba30b396a0aac973d58e091473f5985",
        "4d5c2af327cd64a62cf35abd2ba6fab4",
    ),
    (
        "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c7d8f6a5aac84aa05"
        "1ba30b396a0aac973d58e091",
        "5bc94fbc3221a5db94fae95ae7121a47",
    ),
    (
        "61353b4c2806934a777ff51fa22a4755699b2a714fcdc6f83766e5f97b6c742373806900e49f24b22b097544d4896b42"
        "4989b5e1ebac0f07c23f4598",
        "3612d2e79e3b0785561be14aaca2fccb",
    ),
    (
        "8ce24998625615b603a033aca13fb894be9112a5c3a211a8ba262a3cca7e2ca701e4a9a4fba43c90ccdcb281d48c7c6f"
        "d62875d2aca417034c34aee5",
        "619cc5aefffe0bfa462af43c1699d050",
    ),
    (
        "",
        "cd33b28ac773f74ba00ed1f312572435",
    ),
    (
        "98e7247c07f0fe411c267e4384b0f600",
        "2ff58d80033927ab8ef4d4587514f0fb",
    ),
    (
        "3980ca0b3c00e841eb06fac4872a2757859e1ceaa6efd984628593b40ca1e19c7d773d00c144c525ac619d18c84a3f47"
        "18e2448b2fe324d9ccda2710acade256",
        "9924a7c8587336bfb118024db8674a14",
    ),
    (
        "3980ca0b3c00e841eb06fac4872a2757859e1ceaa6efd984628593b40ca1e19c7d773d00c144c525ac619d18c84a3f47"
        "18e2448b2fe324d9ccda2710",
        "2519498e80f1478f37ba55bd6d27618c",
    ),
    (
        "0f10f599ae14a154ed24b36e25324db8c566632ef2bbb34f8347280fc4507057fddc29df9a471f75c66541d4d4dad1c9"
        "e93a19a58e8b473fa0f062f7",
        "65dcc57fcf623a24094fcca40d3533f8",
    ),
    (
        "d27e88681ce3243c4830165a8fdcf9ff1de9a1d8e6b447ef6ef7b79828666e4581e79012af34ddd9e2f037589b292db3"
        "e67c036745fa22e7e9b7373b",
        "dcf566ff291c25bbb8568fc3d376a6d9",
    ),
    (
        "",
        "530f8afbc74536b9a963b4f1c4cb738b",
    ),
    (
        "cea7403d4d606b6e074ec5d3baf39d18",
        "d0d1c8a799996bf0265b98b5d48ab919",
    ),
    (
        "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838"
        "c5f61e6393ba7a0abcc9f662898015ad",
        "b094dac5d93471bdec1a502270e3cc6c",
    ),
    (
        "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838"
        "c5f61e6393ba7a0abcc9f662",
        "76fc6ece0f4e1768cddf8853bb2d551b",
    ),
    (
        "c3762df1ca787d32ae47c13bf19844cbaf1ae14d0b976afac52ff7d79bba9de0feb582d33934a4f0954cc2363bc73f78"
        "62ac430e64abe499f47c9b1f",
        "3a337dbf46a792c45e454913fe2ea8f2",
    ),
    (
        "5a8def2f0c9e53f1f75d7853659e2a20eeb2b22aafde6419a058ab4f6f746bf40fc0c3b780f244452da3ebf1c5d82cde"
        "a2418997200ef82e44ae7e3f",
        "a44a8266ee1c8eb0c8b5d4cf5ae9f19a",
    ),
]

# RFC 7516, A.1: the content encryption of the first example.
RFC_7516_A1 = {
    "key": "b1a1f480548fe1733fb403ff6b9ad4f68a076e5b702e22692f82cb2e7aea40fc",
    "iv": unb64u("48V1_ALb6US04U3b").hex(),
    "aad": b"eyJhbGciOiJSU0EtT0FFUCIsImVuYyI6IkEyNTZHQ00ifQ".hex(),
    "msg": b"The true sign of intelligence is not knowledge but imagination.".hex(),
    "ct": unb64u("5eym8TW_c8SuK0ltJ3rpYIzOeDQz7TALvtu6UG9oMo4vpzs9tX_EFShS8iB7j6jiSdiwkIr3ajwQzaBtQD_A").hex(),
    "tag": unb64u("XFBoMYUZodetZdvTiFvSkQ").hex(),
}


def ecb(key, blocks):
    encryptor = Cipher(algorithms.AES(bytes.fromhex(key)), modes.ECB()).encryptor()
    return (encryptor.update(bytes.fromhex(blocks)) + encryptor.finalize()).hex()


def seal(key, iv, aad, msg):
    sealed = AESGCM(bytes.fromhex(key)).encrypt(bytes.fromhex(iv), bytes.fromhex(msg), bytes.fromhex(aad)).hex()
    return {"key": key, "iv": iv, "aad": aad, "msg": msg, "ct": sealed[:-32], "tag": sealed[-32:]}


def field_product(a, b):
    """a·b in GF(2^128) with the bit order of SP 800-38D, 6.3: the highest bit is the coefficient of 1."""
    product = 0
    for shift in range(127, -1, -1):
        if b >> shift & 1:
            product ^= a
        a = a >> 1 ^ (0xE1 << 120 if a & 1 else 0)
    return product


def initialization_vector(key, counter_block):
    """The 128-bit initialization vector whose pre-counter block is J0 = (IV·H + length)·H = counter_block."""
    h = int(ecb(key, "00" * 16), 16)
    inverse, power = 1 << 127, h  # the field's 1
    for _ in range(127):  # h^(2^128 - 2)
        power = field_product(power, power)
        inverse = field_product(inverse, power)
    return f"{field_product(field_product(int(counter_block, 16), inverse) ^ 128, inverse):032x}"


def blocks():
    file = VectorFile("aes.json", "AES", "FIPS 197; SP 800-38A", "Appendix B and C; F.1", "AES blocks")
    for size in (128, 192, 256):
        group = file.group("AesBlock", keySize=size)
        for comment, (key, plaintext, ciphertext) in BLOCKS.items():
            if len(key) * 4 == size:
                assert ecb(key, plaintext) == ciphertext
                group.valid(comment, "Figure", key=key, pt=plaintext, ct=ciphertext)
        for key, ciphertext in ECB:
            if len(key) * 4 == size:
                assert ecb(key, ECB_PLAINTEXT) == ciphertext
                group.valid("SP 800-38A F.1, four blocks", "Figure", key=key, pt=ECB_PLAINTEXT, ct=ciphertext)
        # Backends work on several blocks at a time: every count around the usual widths.
        key = counting(size // 8, 0x40).hex()
        for count in (1, 2, 3, 5, 7, 8, 9, 16, 17):
            plaintext = counting(16 * count, count, 11).hex()
            group.valid(f"{count} blocks", "Derived", "EdgeCase", key=key, pt=plaintext, ct=ecb(key, plaintext))
    return file


def gcm():
    file = VectorFile(
        "aes_gcm.json", "AES-GCM", "McGrew and Viega: The Galois/Counter Mode of Operation; RFC 7516",
        "Appendix B; A.1", "AES-GCM with 128-bit tags",
    )
    groups = {}

    def group(test):
        sizes = len(test["key"]) * 4, len(test["iv"]) * 4, len(test["tag"]) * 4
        if sizes not in groups:
            groups[sizes] = file.group(
                "AeadTest", algorithm="AES-GCM", keySize=sizes[0], ivSize=sizes[1], tagSize=sizes[2]
            )
        return groups[sizes]

    def odd(test):
        return [] if len(test["iv"]) == 24 else ["OddInitializationVector"]

    def damaged(comment, test, **changes):
        changed = {**test, **changes}
        group(changed).invalid(comment, "Damaged", *odd(changed), **changed)

    def damages(comment, test, thorough):
        for name in ("key", "iv", "aad", "ct", "tag") if thorough else ("aad", "ct", "tag"):
            if test[name]:
                octets = bytes.fromhex(test[name])
                damaged(f"{comment}, {name}: last bit flipped", test, **{name: flipped(octets).hex()})
                if thorough:
                    damaged(f"{comment}, {name}: first bit flipped", test, **{name: flipped(octets, 0, 128).hex()})
        if thorough:
            damaged(f"{comment}, an octet of zero after the additional data", test, aad=test["aad"] + "00")
            damaged(f"{comment}, tag of zeros", test, tag="00" * 16)
            damaged(f"{comment}, last octet of the ciphertext missing", test, ct=test["ct"][:-2])
            damaged(f"{comment}, ciphertext and additional data exchanged", test, ct=test["aad"], aad=test["ct"])

    for number, (ciphertext, tag) in enumerate(GCM, 1):
        key, iv, aad, message = INPUTS[(number - 1) % 6]
        test = seal(key[: 32 + 16 * ((number - 1) // 6)], iv, aad, message)
        assert (test["ct"], test["tag"]) == (ciphertext, tag), number
        group(test).valid(f"test case {number}", "Figure", *odd(test), **test)
        damages(f"test case {number}", test, thorough=number in (4, 10, 16))

    test = seal(*(RFC_7516_A1[name] for name in ("key", "iv", "aad", "msg")))
    assert test == RFC_7516_A1
    group(test).valid("RFC 7516 A.1, content encryption", "Figure", **test)
    damages("RFC 7516 A.1", test, thorough=True)

    for size in (16, 24, 32):
        key = counting(size, 0x80).hex()
        for length in (1, 15, 16, 17, 127, 128, 129, 255, 257):
            test = seal(key, counting(12, length).hex(), counting(length % 40, 5).hex(), counting(length, 1, 3).hex())
            group(test).valid(f"{length} octets", "Derived", "EdgeCase", **test)
        # Only the low 32 bits of the counter block count; a carry must not go further (SP 800-38D, 6.2).
        for low in ("ffffffff", "fffffffe", "fffffff0"):
            iv = initialization_vector(key, counting(12, 0xF0).hex() + low)
            test = seal(key, iv, AAD, counting(320).hex())
            group(test).valid(f"counter starts at {low}", "Derived", "EdgeCase", "OddInitializationVector", **test)
        for iv_size in (8, 15, 16, 17, 32, 33):
            test = seal(key, counting(iv_size, 9).hex(), AAD, counting(40, 2).hex())
            group(test).valid(
                f"initialization vector of {iv_size} octets", "Derived", "OddInitializationVector", **test
            )
    return file
