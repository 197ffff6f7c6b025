"""RSA (RFC 8017) in integers, as a second opinion beside `cryptography`, and its vector files."""

import hashlib
import math

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa

from .envelope import VectorFile
from .octets import b64u, compact, counting, flipped, unb64u

# RFC 7520, 3.4, without its metadata.
KEY = {
    "kty": "RSA",
    "n": (
        "n4EPtAOCc9AlkeQHPzHStgAbgs7bTZLwUBZdR8_KuKPEHLd4rHVTeT-O-XV2jRojdNhxJWTDvNd7nqQ0VEiZQHz_AJmSCpMaJMRB"
        "SFKrKb2wqVwGU_NsYOYL-QtiWN2lbzcEe6XC0dApr5ydQLrHqkHHig3RBordaZ6Aj-oBHqFEHYpPe7Tpe-OfVfHd1E6cS6M1FZcD"
        "1NNLYD5lFHpPI9bTwJlsde3uhGqC0ZCuEHg8lhzwOHrtIQbS0FVbb9k3-tVTU4fg_3L_vniUFAKwuCLqKnS2BYwdq_mzSnbLY7h_"
        "qixoR7jig3__kRhuaxwUkRz5iaiQkqgc5gHdrNP5zw"
    ),
    "e": "AQAB",
    "d": (
        "bWUC9B-EFRIo8kpGfh0ZuyGPvMNKvYWNtB_ikiH9k20eT-O1q_I78eiZkpXxXQ0UTEs2LsNRS-8uJbvQ-A1irkwMSMkK1J3XTGgd"
        "rhCku9gRldY7sNA_AKZGh-Q661_42rINLRCe8W-nZ34ui_qOfkLnK9QWDDqpaIsA-bMwWWSDFu2MUBYwkHTMEzLYGqOe04noqeq1"
        "hExBTHBOBdkMXiuFhUq1BU6l-DqEiWxqg82sXt2h-LMnT3046AOYJoRioz75tSUQfGCshWTBnP5uDjd18kKhyv07lhfSJdrPdM5P"
        "lyl21hsFf4L_mHCuoFau7gdsPfHPxxjVOcOpBrQzwQ"
    ),
    "p": (
        "3Slxg_DwTXJcb6095RoXygQCAZ5RnAvZlno1yhHtnUex_fp7AZ_9nRaO7HX_-SFfGQeutao2TDjDAWU4Vupk8rw9JR0AzZ0N2fvu"
        "IAmr_WCsmGpeNqQnev1T7IyEsnh8UMt-n5CafhkikzhEsrmndH6LxOrvRJlsPp6Zv8bUq0k"
    ),
    "q": (
        "uKE2dh-cTf6ERF4k4e_jy78GfPYUIaUyoSSJuBzp3Cubk3OCqs6grT8bR_cu0Dm1MZwWmtdqDyI95HrUeq3MP15vMMON8lHTeZu2"
        "lmKvwqW7anV5UzhM1iZ7z4yMkuUwFWoBvyY898EXvRD-hdqRxHlSqAZ192zB3pVFJ0s7pFc"
    ),
    "dp": (
        "B8PVvXkvJrj2L-GYQ7v3y9r6Kw5g9SahXBwsWUzp19TVlgI-YV85q1NIb1rxQtD-IsXXR3-TanevuRPRt5OBOdiMGQp8pbt26glj"
        "YfKU_E9xn-RULHz0-ed9E9gXLKD4VGngpz-PfQ_q29pk5xWHoJp009Qf1HvChixRX59ehik"
    ),
    "dq": (
        "CLDmDGduhylc9o7r84rEUVn7pzQ6PF83Y-iBZx5NT-TpnOZKF1pErAMVeKzFEl41DlHHqqBLSM0W1sOFbwTxYWZDm6sI6og5iTbw"
        "QGIC3gnJKbi_7k_vJgGHwHxgPaX2PnvP-zyEkDERuf-ry4c_Z11Cq9AqC2yeL6kdKT1cYF8"
    ),
    "qi": (
        "3PiqvXQN0zwMeE-sBvZgi289XP9XCQF3VWqPzMKnIgQp7_Tugo6-NZBKCQsMf3HaEGBjTVJs_jcK8-TRXvaKe-7ZMaQj8VfBdYks"
        "sbu0NKDDhjJ-GtiseaDVWt7dcH0cfwxgFUHpQh7FoCrjFJ6h6ZEpMF6xmujs4qMpPz8aaI4"
    ),
}
PUBLIC = {name: KEY[name] for name in ("kty", "n", "e")}
# RFC 7515, A.2, the public members.
OTHER_PUBLIC = {
    "kty": "RSA",
    "n": (
        "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yR"
        "T-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXB"
        "dQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9ia"
        "GNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ"
    ),
    "e": "AQAB",
}
# The signature of RFC 7515, A.2, by that key.
A2_PAYLOAD = b'{"iss":"joe",\r\n "exp":1300819380,\r\n "http://example.com/is_root":true}'
A2_SIGNATURE = (
    "cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdb"
    "F9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383"
    "LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWy"
    "wlVmtVrBp0igcN_IoypGlUPQGe77Rw"
)
SIZE = 256
FUNCTIONS = {"SHA-1": "sha1", "SHA-256": "sha256", "SHA-384": "sha384", "SHA-512": "sha512"}
# The DER of DigestInfo up to the digest (RFC 8017, 9.2, note 1).
DIGEST_INFO = {
    "SHA-256": bytes.fromhex("3031300d060960864801650304020105000420"),
    "SHA-384": bytes.fromhex("3041300d060960864801650304020205000430"),
    "SHA-512": bytes.fromhex("3051300d060960864801650304020305000440"),
}


def number(key, name):
    return int.from_bytes(unb64u(key[name]), "big")


def digest(sha, message):
    return hashlib.new(FUNCTIONS[sha], message).digest()


def private_power(encoded, key=KEY):
    """encoded ^ d mod n."""
    return pow(int.from_bytes(encoded, "big"), number(key, "d"), number(key, "n")).to_bytes(SIZE, "big")


def public_power(octets, key=KEY):
    """octets ^ e mod n."""
    return pow(int.from_bytes(octets, "big"), number(key, "e"), number(key, "n")).to_bytes(SIZE, "big")


def library_key(key):
    return rsa.RSAPublicNumbers(number(key, "e"), number(key, "n")).public_key()


def library_private_key():
    numbers = rsa.RSAPrivateNumbers(
        *(number(KEY, name) for name in ("p", "q", "d", "dp", "dq", "qi")),
        rsa.RSAPublicNumbers(number(KEY, "e"), number(KEY, "n")),
    )
    return numbers.private_key()


def library_hash(sha):
    return getattr(hashes, FUNCTIONS[sha].upper())()


def pkcs1_encoding(sha, message):
    info = DIGEST_INFO[sha] + digest(sha, message)
    return b"\0\1" + b"\xff" * (SIZE - 3 - len(info)) + b"\0" + info


def pkcs1_sign(sha, message):
    signature = private_power(pkcs1_encoding(sha, message))
    library_key(KEY).verify(signature, message, padding.PKCS1v15(), library_hash(sha))
    return signature


def mgf1(sha, seed, length):
    blocks = b"".join(digest(sha, seed + index.to_bytes(4, "big")) for index in range(math.ceil(length / len(digest(sha, b"")))))
    return blocks[:length]


def xor(left, right):
    return bytes(a ^ b for a, b in zip(left, right, strict=True))


def pss_encoding(sha, message, salt, trailer=0xBC, separator=1, top_bit=0):
    """EMSA-PSS for a modulus of 2048 bits; the last parameters make it wrong."""
    hashed = digest(sha, bytes(8) + digest(sha, message) + salt)
    block = bytes(SIZE - len(salt) - len(hashed) - 2) + bytes([separator]) + salt
    masked = bytearray(xor(block, mgf1(sha, hashed, len(block))))
    masked[0] = masked[0] & 0x7F | top_bit
    return bytes(masked) + hashed + bytes([trailer])


def pss_sign(sha, message, salt):
    signature = private_power(pss_encoding(sha, message, salt))
    scheme = padding.PSS(padding.MGF1(library_hash(sha)), len(salt))
    library_key(KEY).verify(signature, message, scheme, library_hash(sha))
    return signature


def oaep_encoding(sha, message, seed, label=b"", first=0, separator=1, filler=0):
    """EME-OAEP; the last parameters make it wrong."""
    length = len(digest(sha, b""))
    block = digest(sha, label) + bytes([filler]) * (SIZE - len(message) - 2 * length - 2) + bytes([separator]) + message
    masked_block = xor(block, mgf1(sha, seed, len(block)))
    masked_seed = xor(seed, mgf1(sha, masked_block, length))
    return bytes([first]) + masked_seed + masked_block


def oaep_seed(sha, start=1):
    return counting(len(digest(sha, b"")), start, 7)


def oaep_encrypt(sha, message, seed=None):
    encrypted = public_power(oaep_encoding(sha, message, seed or oaep_seed(sha)))
    scheme = padding.OAEP(padding.MGF1(library_hash(sha)), library_hash(sha), None)
    assert library_private_key().decrypt(encrypted, scheme) == message
    return encrypted


def refused(verify):
    try:
        verify()
    except InvalidSignature:
        return True
    return False


def group_key(key):
    n = unb64u(key["n"])
    return {"n": n.hex(), "e": unb64u(key["e"]).hex(), "size": int.from_bytes(n, "big").bit_length()}


def damages(group, sha, message, signature):
    """A valid signature with one thing changed."""
    n = number(KEY, "n")
    value = int.from_bytes(signature, "big")
    for comment, changed in (
        ("last bit flipped", flipped(signature)),
        ("first bit flipped", flipped(signature, 0, 128)),
        ("last octet missing", signature[:-1]),
        ("zero octet in front", b"\0" + signature),
        ("zero octet at the end", signature + b"\0"),
        ("nothing", b""),
        ("zeros", bytes(SIZE)),
        ("one", (1).to_bytes(SIZE, "big")),
        ("n - 1", (n - 1).to_bytes(SIZE, "big")),
        ("n", n.to_bytes(SIZE, "big")),
        ("negated: n - s", (n - value).to_bytes(SIZE, "big")),
    ):
        group.invalid(f"signature: {comment}", "Damaged", msg=message.hex(), sig=changed.hex())
    if value + n < 2 ** (8 * SIZE):
        group.invalid("signature: n added", "Damaged", msg=message.hex(), sig=(value + n).to_bytes(SIZE, "big").hex())
    for comment, changed in (
        ("last bit flipped", flipped(message)), ("an octet more", message + b"\0"), ("nothing", b""),
    ):  # fmt: skip
        group.invalid(f"message: {comment}", "Damaged", msg=changed.hex(), sig=signature.hex())


def pkcs1():
    file = VectorFile(
        "rsa_pkcs1.json", "RSASSA-PKCS1-v1_5", "RFC 8017; RFC 7515; RFC 7520", "8.2, 9.2; A.2; 3.4", "RSASSA-PKCS1-v1_5"
    )
    group = file.group("RsassaPkcs1Verify", key=group_key(OTHER_PUBLIC), sha="SHA-256")
    header = b64u(b'{"alg":"RS256"}')
    signing_input = f"{header}.{b64u(A2_PAYLOAD)}".encode()
    library_key(OTHER_PUBLIC).verify(unb64u(A2_SIGNATURE), signing_input, padding.PKCS1v15(), hashes.SHA256())
    group.valid("RFC 7515, A.2", "Figure", msg=signing_input.hex(), sig=unb64u(A2_SIGNATURE).hex())
    for sha in DIGEST_INFO:
        group = file.group("RsassaPkcs1Verify", key=group_key(PUBLIC), sha=sha)
        for length in (0, 1, 64, 128, 300):
            message = counting(length)
            group.valid(f"message of {length} octets", "Derived", msg=message.hex(), sig=pkcs1_sign(sha, message).hex())
        message = b"sample"
        damages(group, sha, message, pkcs1_sign(sha, message))
        # Padding that a parser might let pass; only the one encoding is right.
        hashed, info = digest(sha, message), DIGEST_INFO[sha]
        whole = pkcs1_encoding(sha, message)
        start = len(whole) - len(info) - len(hashed)
        other = next(name for name in DIGEST_INFO if name != sha)
        for comment, encoded in (
            ("block type 2", b"\0\2" + whole[2:]),
            ("block type 0", b"\0\0" + whole[2:]),
            ("padding that is short, and garbage at the end", b"\0\1" + b"\xff" * 8 + b"\0" + info + hashed + bytes(start - 11)),
            ("padding that is short, and garbage in front of the digest", b"\0\1" + b"\xff" * 8 + b"\0" + bytes(start - 11) + info + hashed),
            ("padding of other octets", b"\0\1" + b"\xfe" * (start - 3) + b"\0" + info + hashed),
            ("no zero after the padding", whole[: start - 1] + b"\xff" + info + hashed),
            ("the digest alone", b"\0\1" + b"\xff" * (SIZE - 3 - len(hashed)) + b"\0" + hashed),
            ("no NULL in the algorithm", without_null(info, hashed)),
            ("the identifier of another hash function", b"\0\1" + b"\xff" * (start - 3) + b"\0" + DIGEST_INFO[other][:15] + info[15:] + hashed),
            ("a length that is too large", whole[: start + 1] + bytes([info[1] + 1]) + whole[start + 2 :]),
            ("first octet not zero", b"\x01" + whole[1:]),
        ):  # fmt: skip
            assert len(encoded) == SIZE and encoded != whole, comment
            group.invalid(f"encoding: {comment}", "BadEncoding", msg=message.hex(), sig=private_power(encoded).hex())
        group = file.group("RsassaPkcs1Verify", key=group_key(OTHER_PUBLIC), sha=sha)
        group.invalid("another key", "WrongKey", msg=message.hex(), sig=pkcs1_sign(sha, message).hex())
    tokens = file.group("JwsSign")
    for alg, sha in (("RS256", "SHA-256"), ("RS384", "SHA-384"), ("RS512", "SHA-512")):
        for payload in (b"", A2_PAYLOAD):
            header = compact({"alg": alg, "kid": "k"})
            signing_input = f"{b64u(header.encode())}.{b64u(payload)}"
            tokens.valid(
                f"{alg}, payload of {len(payload)} octets", "Derived", alg=alg, key={**KEY, "kid": "k"}, protected=header,
                payload=payload.hex(), token=f"{signing_input}.{b64u(pkcs1_sign(sha, signing_input.encode()))}",
            )  # fmt: skip
    return file


def without_null(info, hashed):
    """DigestInfo without the NULL of its AlgorithmIdentifier, which some signers leave out and RFC 8017 does not."""
    shorter = bytes([0x30, info[1] - 2, 0x30, info[3] - 2]) + info[4:15] + info[17:] + hashed
    return b"\0\1" + b"\xff" * (SIZE - 3 - len(shorter)) + b"\0" + shorter


def pss():
    file = VectorFile("rsa_pss.json", "RSASSA-PSS", "RFC 8017; RFC 7518; RFC 7520", "8.1, 9.1; 3.5; 3.4", "RSASSA-PSS")
    message = b"sample"
    for alg, sha in (("PS256", "SHA-256"), ("PS384", "SHA-384"), ("PS512", "SHA-512")):
        length = len(digest(sha, b""))
        salt = counting(length, 3, 5)
        parameters = {"key": group_key(PUBLIC), "sha": sha, "mgf": "MGF1", "mgfSha": sha}
        group = file.group("RsassaPssVerify", **parameters, sLen=length)
        for count in (0, 1, 64, 128, 300):
            octets = counting(count)
            group.valid(f"message of {count} octets", "Derived", msg=octets.hex(), sig=pss_sign(sha, octets, salt).hex())
        group.valid("salt of zeros", "EdgeCase", msg=message.hex(), sig=pss_sign(sha, message, bytes(length)).hex())
        damages(group, sha, message, pss_sign(sha, message, salt))
        for comment, encoded in (
            ("trailer of another number", pss_encoding(sha, message, salt, trailer=0xCC)),
            ("separator 2", pss_encoding(sha, message, salt, separator=2)),
            ("separator 0", pss_encoding(sha, message, salt, separator=0)),
            ("no salt", pss_encoding(sha, message, b"")),
            ("salt that is an octet short", pss_encoding(sha, message, salt[:-1])),
            ("salt that is an octet long", pss_encoding(sha, message, salt + b"\0")),
        ):
            group.invalid(f"encoding: {comment}", "BadEncoding", msg=message.hex(), sig=private_power(encoded).hex())
        with_top_bit = pss_encoding(sha, message, salt, top_bit=0x80)
        if int.from_bytes(with_top_bit, "big") < number(KEY, "n"):
            group.invalid("encoding: highest bit set", "BadEncoding", msg=message.hex(), sig=private_power(with_top_bit).hex())
        other = file.group("RsassaPssVerify", **{**parameters, "key": group_key(OTHER_PUBLIC)}, sLen=length)
        other.invalid("another key", "WrongKey", msg=message.hex(), sig=pss_sign(sha, message, salt).hex())
        tokens = file.group("JwsVerify")
        signing_input = f"{b64u(compact({'alg': alg}).encode())}.{b64u(message)}"
        token = {"serialization": "compact", "algs": [alg], "key": PUBLIC}
        for comment, result, used in (
            ("salt as long as the digest", "valid", salt), ("no salt", "invalid", b""), ("salt of 20 octets", "invalid", salt[:20]),
        ):  # fmt: skip
            signature = b64u(pss_sign(sha, signing_input.encode(), used))
            expected = {"payload": message.hex()} if result == "valid" else {"error": "signatureInvalid"}
            tokens.add(result, f"{alg}: {comment}", ["Derived"], **token, token=f"{signing_input}.{signature}", **expected)
    return file


def oaep():
    file = VectorFile("rsa_oaep.json", "RSAES-OAEP", "RFC 8017; RFC 7518; RFC 7520", "7.1; 4.3; 3.4", "RSAES-OAEP")
    n = number(KEY, "n")
    for sha in ("SHA-1", "SHA-256", "SHA-384", "SHA-512"):
        length = len(digest(sha, b""))
        longest = SIZE - 2 * length - 2
        group = file.group("RsaesOaepDecrypt", key=KEY, sha=sha)
        for count in (0, 1, 16, 32, 64, longest):
            octets = counting(count, 1)
            group.valid(f"message of {count} octets", "Derived", ct=oaep_encrypt(sha, octets).hex(), msg=octets.hex())
        message = counting(32)
        group.valid("message that begins with zeros", "EdgeCase", ct=oaep_encrypt(sha, bytes(32)).hex(), msg=bytes(32).hex())
        group.valid("seed of zeros", "EdgeCase", ct=oaep_encrypt(sha, message, bytes(length)).hex(), msg=message.hex())
        encrypted, seed = oaep_encrypt(sha, message), oaep_seed(sha)
        value = int.from_bytes(encrypted, "big")
        for comment, changed in (
            ("last bit flipped", flipped(encrypted)),
            ("first bit flipped", flipped(encrypted, 0, 128)),
            ("last octet missing", encrypted[:-1]),
            ("zero octet in front", b"\0" + encrypted),
            ("nothing", b""),
            ("zeros", bytes(SIZE)),
            ("one", (1).to_bytes(SIZE, "big")),
            ("n", n.to_bytes(SIZE, "big")),
            ("n - 1", (n - 1).to_bytes(SIZE, "big")),
            ("negated", (n - value).to_bytes(SIZE, "big")),
        ):
            group.invalid(f"ciphertext: {comment}", "Damaged", ct=changed.hex(), msg=message.hex())
        hashed = digest(sha, b"")
        all_padding = hashed + bytes(SIZE - 2 * length - 1)
        masked = xor(all_padding, mgf1(sha, seed, len(all_padding)))
        nothing_in_it = b"\0" + xor(seed, mgf1(sha, masked, length)) + masked
        for comment, encoded in (
            ("another label", oaep_encoding(sha, message, seed, label=b"x")),
            ("first octet not zero", oaep_encoding(sha, message, seed, first=1)),
            ("separator 2", oaep_encoding(sha, message, seed, separator=2)),
            ("padding that is not zero", oaep_encoding(sha, message, seed, filler=2)),
            ("padding to the end, no separator", nothing_in_it),
            ("seed masked wrongly", flipped(oaep_encoding(sha, message, seed), 1)),
            ("block masked wrongly", flipped(oaep_encoding(sha, message, seed), length + 1)),
        ):
            assert len(encoded) == SIZE, comment
            group.invalid(f"encoding: {comment}", "BadEncoding", ct=public_power(encoded).hex(), msg=message.hex())
        other = {"SHA-1": "SHA-256", "SHA-384": "SHA-512", "SHA-512": "SHA-384"}.get(sha, "SHA-1")
        group.invalid("the other hash function", "BadEncoding", ct=oaep_encrypt(other, message).hex(), msg=message.hex())
    return file
