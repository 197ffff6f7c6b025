"""Concat KDF (SP 800-56A) and ECDH-ES (RFC 7518)."""

import hashlib

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.kdf.concatkdf import ConcatKDFHash

from . import p256
from .envelope import VectorFile
from .octets import b64u, counting, length_prefixed, unb64u

# RFC 7518, Appendix C.
ALICE = {
    "kty": "EC",
    "crv": "P-256",
    "x": "gI0GAILBdu7T53akrFmMyGcsF3n5dO7MmwNBHKW5SV0",
    "y": "SLW_xSffzlPWrHEVI30DHM_4egVwt3NQqeUD7nMFpps",
    "d": "0_NxaRPUMQoAJt50Gz8YiTr8gRTwyEaCumd-MToTmIo",
}
BOB = {
    "kty": "EC",
    "crv": "P-256",
    "x": "weNJy2HscCSM6AEDTDg04biOvhFhyyWvOHQfeF_PxMQ",
    "y": "e8lnCO-AlStT-NJVX-crhB7QRYhiix03illJOVAOyck",
    "d": "VEmDZpDXXK8p8N0Cndsxs924q6nS1RXFASRl6BfUqdw",
}
Z = bytes.fromhex("9e56d91d817135d372834283bf84269cfb316ea3da806a48f6daa7798cfe90c4")
DERIVED_KEY = "VqqN6vgjbSBcIijNcacQGg"
# Two rounds: A256CBC-HS512 in place of A128GCM, everything else as in Appendix C.
TWO_ROUNDS = "OYaqefY5ZCDlgOXTiQ9iP-5dRSIweSnrme40JaAB7MF1sXVOP7ZEzoJQNLViUj6aiAa8qNdq-oYem3lRWAMiXQ"
KEY_BITS = {"A128GCM": 128, "A192GCM": 192, "A256GCM": 256}


def other_info(algorithm, apu, apv, bits):
    return (
        length_prefixed(algorithm.encode()) + length_prefixed(apu) + length_prefixed(apv) + bits.to_bytes(4, "big")
    )


def concat_kdf(z, info, bits):
    """Written out, and by `cryptography`: one hash of counter ‖ Z ‖ OtherInfo per 256 bits."""
    rounds = b"".join(
        hashlib.sha256(counter.to_bytes(4, "big") + z + info).digest() for counter in range(1, (bits + 255) // 256 + 1)
    )
    derived = rounds[: bits // 8]
    assert ConcatKDFHash(hashes.SHA256(), bits // 8, info).derive(z) == derived
    return derived


def kdf_test(algorithm, z, apu, apv, bits):
    info = other_info(algorithm, apu, apv, bits)
    return {
        "algorithmId": algorithm, "apu": b64u(apu), "apv": b64u(apv), "keyDataLen": bits, "otherInfo": info.hex(),
        "z": z.hex(), "derivedKey": concat_kdf(z, info, bits).hex(),
    }  # fmt: skip


def agreement(file, recipient, ephemeral):
    """A group for one pair of private JWKs, and their shared secret."""
    d, point = p256.private(recipient)
    d_ephemeral, point_ephemeral = p256.private(ephemeral)
    z = p256.shared_secret(d, point_ephemeral)
    assert z == p256.shared_secret(d_ephemeral, point)
    public = {name: ephemeral[name] for name in ("kty", "crv", "x", "y")}
    return file.group("EcdhEsKeyAgreement", key=recipient, epk=public, epkPrivate=ephemeral), z


def concat():
    file = VectorFile("concat_kdf.json", "Concat KDF", "SP 800-56A; RFC 7518", "5.8.1; Appendix C", "Concat KDF with SHA-256")
    group = file.group("ConcatKdf", sha="SHA-256")
    test = kdf_test("A128GCM", Z, b"Alice", b"Bob", 128)
    assert test["derivedKey"] == unb64u(DERIVED_KEY).hex()
    group.valid("RFC 7518, Appendix C", "Figure", **test)
    test = kdf_test("A256CBC-HS512", Z, b"Alice", b"Bob", 512)
    assert test["derivedKey"] == unb64u(TWO_ROUNDS).hex()
    group.valid("two rounds", "Derived", **test)
    for bits in (8, 128, 192, 248, 256, 264, 384, 512, 520, 1024, 2048):
        group.valid(f"{bits} bits", "Derived", "EdgeCase", **kdf_test("A256GCM", Z, b"Alice", b"Bob", bits))
    for z_length in (1, 31, 32, 33, 48, 66):
        z = counting(z_length, 0x80)
        group.valid(f"secret of {z_length} octets", "Derived", "EdgeCase", **kdf_test("A256GCM", z, b"", b"", 256))
    # SHA-256 pads from 56 octets on: sizes around the ends of one and two blocks.
    for length in (0, 1, 18, 19, 20, 27, 28, 29, 83, 91, 92, 300):
        info = counting(length, 1)
        group.valid(
            f"OtherInfo of {length} octets", "Derived", "EdgeCase", z=Z.hex(), otherInfo=info.hex(), keyDataLen=256,
            derivedKey=concat_kdf(Z, info, 256).hex(),
        )
    return file


def ecdh_es():
    file = VectorFile("ecdh_es.json", "ECDH-ES", "RFC 7518", "4.6, Appendix C", "direct key agreement on P-256")
    group, z = agreement(file, BOB, ALICE)
    assert z == Z

    def valid(group, z, comment, enc, apu, apv, *flags):
        bits = KEY_BITS[enc]
        group.valid(comment, *flags, alg="ECDH-ES", enc=enc, **kdf_test(enc, z, apu, apv, bits))

    valid(group, z, "Appendix C", "A128GCM", b"Alice", b"Bob", "Figure")
    valid(group, z, "192 bits", "A192GCM", b"Alice", b"Bob", "Derived")
    valid(group, z, "256 bits", "A256GCM", b"Alice", b"Bob", "Derived")
    for comment, apu, apv in (
        ("no party information", b"", b""),
        ("apu alone", b"Alice", b""),
        ("apv alone", b"", b"Bob"),
        ("parties exchanged", b"Bob", b"Alice"),
        ("the border between the parties moved", b"Alic", b"eBob"),
        ("octets of zero", bytes(5), bytes(3)),
        ("octets above 127", counting(40, 0x80, 3), counting(40, 0xFF, -1)),
        ("300 octets each", counting(300), counting(300, 7)),
    ):
        valid(group, z, comment, "A256GCM", apu, apv, "Derived")
    recipient, point = p256.private(BOB)
    for comment, matches in (
        ("x of the ephemeral key", lambda d, q: q[0] >> 248 == 0),
        ("y of the ephemeral key", lambda d, q: q[1] >> 248 == 0),
        ("the shared secret", lambda d, q: p256.multiply(d, point)[0] >> 248 == 0),
    ):
        d = next(d for d in range(2, 10_000) if matches(d, p256.multiply(d)))
        group, z = agreement(file, BOB, p256.jwk(p256.multiply(d), d))
        valid(group, z, f"{comment} begins with a zero octet", "A256GCM", b"Alice", b"Bob", "Derived", "EdgeCase")
    return file
