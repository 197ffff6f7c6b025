#!/usr/bin/env python3
"""Measures OpenSSL through Python's cryptography, for the rows of `peers` that both have.

usage: openssl.py [--minima] OPERATION …
Prints a JSON object a line: {"op": …, "peer": "OpenSSL 4.0.0", "peer_ns": …, "extensions": …}, the last of which is what OpenSSL says of EBX and ECX of
CPUID's leaf 7, as far as OPENSSL_ia32cap leaves it, or null on other processors than x86-64. Each operation runs in batches of a few milliseconds; the median of
the batches counts, with --minima the fastest. The call from Python costs about half a microsecond, which is in the figure: of rows that take tens, it is nothing.
"""
import json
import re
import statistics
import sys
import time

from cryptography.hazmat.backends.openssl import backend
from cryptography.hazmat.bindings.openssl.binding import Binding
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa, utils, x25519
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.kdf.argon2 import Argon2id
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.kdf.pbkdf2 import PBKDF2HMAC

MESSAGE = bytes(range(256)) + bytes(44)
PREHASHED = utils.Prehashed(hashes.SHA256())


def digest(message, algorithm=hashes.SHA256()):
    state = hashes.Hash(algorithm)
    state.update(message)
    return state.finalize()


def operations():
    """Functions by name. Keys are kept, as on the other side; P-256 and RSA work on digests."""
    made = {}
    key = rsa.generate_private_key(65537, 2048)
    public, scheme, hashed = key.public_key(), padding.PKCS1v15(), digest(MESSAGE)
    signature = key.sign(hashed, scheme, PREHASHED)
    made["rs256.sign"] = lambda: key.sign(hashed, scheme, PREHASHED)
    made["rs256.verify"] = lambda: public.verify(signature, hashed, scheme, PREHASHED)
    made.update(ecdsa("p256.sign", "p256.verify.prepared", ec.SECP256R1(), hashed, ec.ECDSA(PREHASHED)))
    made.update(ecdsa("es384.sign", "es384.verify", ec.SECP384R1(), MESSAGE, ec.ECDSA(hashes.SHA384())))
    made.update(ecdsa("es512.sign", "es512.verify", ec.SECP521R1(), MESSAGE, ec.ECDSA(hashes.SHA512())))
    made.update(ecdh("p256.ecdh", ec.SECP256R1()))
    made["p256.keygen"] = lambda: ec.generate_private_key(ec.SECP256R1())
    edwards = ed25519.Ed25519PrivateKey.generate()
    edwards_public, edwards_signature = edwards.public_key(), edwards.sign(MESSAGE)
    made["ed25519.sign"] = lambda: edwards.sign(MESSAGE)
    made["ed25519.verify"] = lambda: edwards_public.verify(edwards_signature, MESSAGE)
    chacha, plaintext = ChaCha20Poly1305(bytes(range(32))), bytes(16 * 1024)
    sealed = chacha.encrypt(bytes(12), plaintext, None)
    made["chacha20poly1305.seal.16k"] = lambda: chacha.encrypt(bytes(12), plaintext, None)
    made["chacha20poly1305.open.16k"] = lambda: chacha.decrypt(bytes(12), sealed, None)
    made["sha384.16k"] = lambda: digest(plaintext, hashes.SHA384())
    made["sha512.16k"] = lambda: digest(plaintext, hashes.SHA512())
    montgomery, montgomery_other = x25519.X25519PrivateKey.generate(), x25519.X25519PrivateKey.generate().public_key()
    made.update(ecdh("p384.ecdh", ec.SECP384R1()) | ecdh("p521.ecdh", ec.SECP521R1()))
    for hashed, length in [(hashes.SHA256(), 32), (hashes.SHA512(), 64)]:
        made[f"hkdf-{hashed.name}"] = lambda hashed=hashed, length=length: HKDF(hashed, length, MESSAGE[:16], b"key").derive(MESSAGE[:32])
        made[f"pbkdf2-{hashed.name}.1000"] = lambda hashed=hashed, length=length: PBKDF2HMAC(hashed, length, MESSAGE[:16], 1000).derive(MESSAGE[:32])
    made["argon2id.19m"] = lambda: Argon2id(salt=MESSAGE[:16], length=32, iterations=2, lanes=1, memory_cost=19456).derive(MESSAGE[:32])
    made["sha3-256.16k"] = lambda: digest(plaintext, hashes.SHA3_256())
    made["x25519"] = lambda: montgomery.exchange(montgomery_other)
    return made


def ecdsa(sign, verify, curve, message, algorithm):
    key = ec.generate_private_key(curve)
    public, signature = key.public_key(), key.sign(message, algorithm)
    return {sign: lambda: key.sign(message, algorithm), verify: lambda: public.verify(signature, message, algorithm)}


def ecdh(name, curve):
    own, other = ec.generate_private_key(curve), ec.generate_private_key(curve).public_key()
    return {name: lambda: own.exchange(ec.ECDH(), other)}


def extensions():
    """The second word of the line that OpenSSL's version 9, OPENSSL_CPU_INFO, is."""
    binding = Binding()
    line = binding.ffi.string(binding.lib.OpenSSL_version(9)).decode()
    found = re.search(r"OPENSSL_ia32cap=0x[0-9a-f]+:0x([0-9a-f]+)", line)
    return int(found.group(1), 16) if found else None


def measured(operation, choose):
    """Nanoseconds."""
    begin = time.perf_counter_ns()
    for _ in range(20):
        operation()
    count = max(1, 20 * 2_000_000 // (time.perf_counter_ns() - begin))
    samples = []
    for _ in range(101):
        begin = time.perf_counter_ns()
        for _ in range(count):
            operation()
        samples.append((time.perf_counter_ns() - begin) / count)
    return choose(samples)


def main():
    library = " ".join(backend.openssl_version_text().split()[:2])
    made = operations()
    arguments, choose, word = sys.argv[1:], statistics.median, extensions()
    if arguments[:1] == ["--minima"]:
        arguments, choose = arguments[1:], min
    for name in arguments:
        if name in made:
            nanoseconds = measured(made[name], choose)
            print(json.dumps({"op": name, "peer": library, "peer_ns": nanoseconds, "extensions": word}), flush=True)


if __name__ == "__main__":
    main()
