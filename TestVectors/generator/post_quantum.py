"""ML-KEM (FIPS 203): many keys and ciphertexts, accumulated, by OpenSSL. ML-DSA (FIPS 204): the same of keys and signatures, by CCTV. Of both,
and of X-Wing, what single rules decide."""

import hashlib

from cryptography.hazmat.primitives.asymmetric import mlkem

from . import ml_dsa_cases, ml_kem_cases
from .envelope import VectorFile

PRIVATE_KEYS = {
    "ML-KEM-768": (mlkem.MLKEM768PrivateKey, 1088),
    "ML-KEM-1024": (mlkem.MLKEM1024PrivateKey, 1568),
}


def ml_kem():
    file = VectorFile("ml_kem.json", "ML-KEM", "FIPS 203", "algorithms 13 to 21", "ML-KEM-768 and ML-KEM-1024")
    for name, (private_key, ciphertext_size) in PRIVATE_KEYS.items():
        group = file.group("MlKemAccumulated", parameterSet=name)
        for count in (1, 10, 200):
            # Octets of a ciphertext that nobody made: implicit rejection.
            size = 64 + ciphertext_size
            stream = hashlib.shake_128(b"").digest(count * size)
            accumulated = hashlib.shake_128()
            for start in range(0, len(stream), size):
                key = private_key.from_seed_bytes(stream[start : start + 64])
                accumulated.update(key.public_key().public_bytes_raw())
                accumulated.update(key.decapsulate(stream[start + 64 : start + size]))
            group.valid(f"{count} keys", "Derived", count=count, digest=accumulated.hexdigest(32))
    ml_kem_cases.groups(file)
    return file


# C2SP/CCTV, ML-DSA, "Accumulated test vectors": of 100 keys.
ML_DSA_FIGURES = {
    "ML-DSA-44": "d51148e1f9f4fa1a723a6cf42e25f2a99eb5c1b378b3d2dbbd561b1203beeae4",
    "ML-DSA-65": "8358a1843220194417cadbc2651295cd8fc65125b5a5c1a239a16dc8b57ca199",
    "ML-DSA-87": "8c3ad714777622b8f21ce31bb35f71394f23bc0fcf3c78ace5d608990f3b061b",
}


def ml_dsa():
    file = VectorFile("ml_dsa.json", "ML-DSA", "FIPS 204", "algorithms 1 to 3", "ML-DSA-44, ML-DSA-65 and ML-DSA-87")
    for name, digest in ML_DSA_FIGURES.items():
        group = file.group("MlDsaAccumulated", parameterSet=name)
        group.valid("100 keys", "Figure", count=100, digest=digest)
    ml_dsa_cases.sign_groups(file)
    ml_dsa_cases.verify_groups(file)
    return file


def x_wing():
    file = VectorFile("x_wing.json", "KEM", "draft-connolly-cfrg-xwing-kem-09", "5", "X-Wing: general-purpose hybrid post-quantum KEM")
    ml_kem_cases.x_wing_groups(file)
    return file
