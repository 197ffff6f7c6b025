#!/usr/bin/env python3
"""Exchanges JWE with HPKE between the `jose` command and two other implementations of HPKE.

    Tests/Interop/hpke.py path/to/jose [--count N] [--seed TEXT] [--plant]

Half of the tokens each way have integrated encryption: the other side is the HPKE with which this repository's vectors
were made, in Python. The other half have key encryption, which needs no additional data: there it is Python's
cryptography, in mode base, which has HPKE of its own, but for ML-KEM beside P-256. Header, base64url and the parts of a token are put together here,
without a library for JOSE. Tokens are compact or flattened, with and without pre-shared keys and info; each fifth token
of the other side is changed as well, and must be refused then.

The exit status is 0 if all of it holds, 1 if not, and 3 if this cryptography has no HPKE. --plant changes one octet of
one token each way, and ends with 0 if these two are reported and nothing else is.
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import random
import sys
import tempfile
import time

from cryptography.hazmat.primitives.asymmetric import ec, mlkem, x25519
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "TestVectors"))
from generator.hpke import Context, kem_of  # noqa: E402
from generator.lattice_kems import KeyPair  # noqa: E402
from ml_dsa import Command, Refused, decoded, encoded, flipped  # noqa: E402

CANNOT_RUN = 3
try:
    from cryptography.hazmat.primitives import hpke
except ImportError as missing:
    print(f"CAN'T RUN: no tokens with HPKE were exchanged: {missing} (cryptography 48 has it)", file=sys.stderr)
    sys.exit(CANNOT_RUN)

# Number in JOSE, KEM, KDF, AEAD.
SUITES = [
    (0, 0x10, 1, 1), (1, 0x11, 2, 2), (2, 0x12, 3, 2), (3, 0x20, 1, 1), (4, 0x20, 1, 3), (7, 0x10, 1, 2),
    (8, 0x50, 0x11, 2), (9, 0x647A, 0x11, 2), (10, 0x51, 0x11, 2), (12, 0x41, 0x11, 2), (13, 0x42, 0x11, 2),
]
THEIRS = (
    {0x10: "P256", 0x11: "P384", 0x12: "P521", 0x20: "X25519", 0x41: "MLKEM768", 0x42: "MLKEM1024", 0x51: "MLKEM1024_P384", 0x647A: "MLKEM768_X25519"},
    {1: "HKDF_SHA256", 2: "HKDF_SHA384", 3: "HKDF_SHA512", 0x11: "SHAKE256"},
    {1: "AES_128_GCM", 2: "AES_256_GCM", 3: "CHACHA20_POLY1305"},
)
CEK_BYTES = {"A128GCM": 16, "A192GCM": 24, "A256GCM": 32}
CHANGED = 5


class CurveKey:
    """A key of DHKEM, by either side."""

    def __init__(self, kem, octets=None):
        self.kem = kem
        if kem.curve is None:
            self.private = x25519.X25519PrivateKey.from_private_bytes(octets) if octets else x25519.X25519PrivateKey.generate()
        else:
            self.private = ec.derive_private_key(int.from_bytes(octets, "big"), kem.curve) if octets else ec.generate_private_key(kem.curve)
        self.theirs = self.private

    def members(self, number):
        public = self.kem.serialized(self.private)
        if self.kem.curve is None:
            return {"kty": "OKP", "crv": "X25519", "x": encoded(public), "d": encoded(self.private.private_bytes_raw())}
        half, curve = len(public) // 2, {0x10: "P-256", 0x11: "P-384", 0x12: "P-521"}[number]
        d = self.private.private_numbers().private_value.to_bytes(self.kem.size, "big")
        return {"kty": "EC", "crv": curve, "x": encoded(public[1 : 1 + half]), "y": encoded(public[1 + half :]), "d": encoded(d)}

    def encapsulated(self, rng):
        _, secret, sent = self.kem.encapsulated(rng.randbytes(66), self.private)
        return secret, sent

    def decapsulated(self, sent):
        return self.kem.decapsulated(sent, self.private)


class LatticeKey:
    """A key of ML-KEM, alone or beside a curve."""

    def __init__(self, kem, octets=None):
        self.kem, self.seed = kem, octets or os.urandom(kem.seed_size)
        self.pair = KeyPair(kem.p, kem.curve, self.seed)
        expanded = hashlib.shake_256(self.seed).digest(64) if kem.curve else self.seed
        part = (mlkem.MLKEM768PrivateKey if "768" in kem.name else mlkem.MLKEM1024PrivateKey).from_seed_bytes(expanded)
        whole = {0x51: "MLKEM1024P384PrivateKey", 0x647A: "MLKEM768X25519PrivateKey"}.get(kem.identifier)
        self.theirs = getattr(hpke, whole)(part, self.pair.private) if whole else part

    def members(self, number):
        return {"kty": "AKP", "pub": encoded(self.pair.public), "priv": encoded(self.seed)}

    def encapsulated(self, rng):
        _, secret, sent = self.kem.encapsulated(rng.randbytes(self.kem.randomness_size), self.pair)
        return secret, sent

    def decapsulated(self, sent):
        return self.pair.decapsulated(sent)


class Key:
    """A recipient's key, which either side has made, in the forms that both take."""

    def __init__(self, command, folder, suite, kind, number):
        self.numbers, self.alg = suite[1:], f"HPKE-{suite[0]}{kind}"
        self.is_integrated, kem = not kind, kem_of(suite[1])
        make = CurveKey if hasattr(kem, "kdf") else LatticeKey
        if number % 2:
            self.own = make(kem)
            members = {"alg": self.alg, **self.own.members(suite[1])}
        else:
            members = json.loads(command.run("key", "generate", "--alg", self.alg))
            self.own = make(kem, decoded(members.get("d") or members["priv"]))
            expected = {"alg": self.alg, **self.own.members(suite[1])}
            if {name: members[name] for name in expected} != expected:
                raise ValueError(f"{self.alg}: another key than it says")
        self.paths = []
        for name, drop in (("private", ()), ("public", ("d", "priv"))):
            path = os.path.join(folder, f"{self.alg}-{number}-{name}.json")
            with open(path, "w") as file:
                json.dump({member: value for member, value in members.items() if member not in drop}, file)
            self.paths.append(path)

    def cryptography(self):
        """Their suite, or None where they have not its KEM."""
        if self.numbers[0] not in THEIRS[0]:
            return None
        return hpke.Suite(*(getattr(kind, table[number]) for kind, table, number in zip((hpke.KEM, hpke.KDF, hpke.AEAD), THEIRS, self.numbers)))

    def context(self, secret, info, psk):
        """A context of the Python HPKE."""
        return Context.of_secret(1 if psk else 0, self.numbers, secret, info, psk or (b"", b""))


def info_of(key, enc, info):
    return info if key.is_integrated else b"JOSE-HPKE rcpt\xff" + enc.encode() + b"\xff" + info


def opened(key, token, info, psk):
    """The plaintext of a token of the command's."""
    if token.startswith("{"):
        members = json.loads(token)
        text, parts = members["protected"], [decoded(members.get(name, "")) for name in ("encrypted_key", "iv", "ciphertext", "tag")]
        authenticated = text + ("." + members["aad"] if "aad" in members else "")
    else:
        text, *parts = token.split(".")
        parts, authenticated = [decoded(part) for part in parts], text
    header = json.loads(decoded(text))
    encrypted_key, iv, ciphertext, tag = parts
    if header["alg"] != key.alg or ("psk_id" in header) != bool(psk):
        raise ValueError("another header")
    if psk and decoded(header["psk_id"]) != psk[1]:
        raise ValueError("another name of the pre-shared key")
    if key.is_integrated:
        if set(header) - {"alg", "psk_id", "kid"} or iv or tag:
            raise ValueError("more than integrated encryption has")
        context = key.context(key.own.decapsulated(encrypted_key), info, psk)
        return context.cipher(context.key).decrypt(context.base_nonce, ciphertext, authenticated.encode())
    whole = info_of(key, header["enc"], info)
    theirs = None if psk else key.cryptography()
    if theirs is None:
        context = key.context(key.own.decapsulated(decoded(header["ek"])), whole, psk)
        cek = context.cipher(context.key).decrypt(context.base_nonce, encrypted_key, b"")
    else:
        cek = theirs.decrypt(decoded(header["ek"]) + encrypted_key, key.own.theirs, whole)
    if len(cek) != CEK_BYTES[header["enc"]]:
        raise ValueError("a content encryption key of another length")
    return AESGCM(cek).decrypt(iv, ciphertext + tag, authenticated.encode())


def made(key, plaintext, enc, info, psk, aad, is_flattened, rng):
    """A token of the other side's, as header, further data and parts."""
    secret, encapsulated = key.own.encapsulated(rng)
    header = {"alg": key.alg}
    if psk:
        header["psk_id"] = encoded(psk[1])
    context = key.context(secret, info_of(key, enc, info), psk)
    if not key.is_integrated:
        cek, theirs = rng.randbytes(CEK_BYTES[enc]), None if psk else key.cryptography()
        if theirs is None:
            encrypted_key = context.seal(0, b"", cek)
        else:
            sealed = theirs.encrypt(cek, key.own.theirs.public_key(), info_of(key, enc, info))
            encapsulated, encrypted_key = sealed[: len(encapsulated)], sealed[len(encapsulated) :]
        header |= {"enc": enc, "ek": encoded(encapsulated)}
    text = encoded(json.dumps(header).encode())
    authenticated = (text + ("." + encoded(aad) if is_flattened and aad else "")).encode()
    if key.is_integrated:
        return text, [encapsulated, b"", context.seal(0, authenticated, plaintext), b""]
    iv = rng.randbytes(12)
    sealed = AESGCM(cek).encrypt(iv, plaintext, authenticated)
    return text, [encrypted_key, iv, sealed[:-16], sealed[-16:]]


def serialized(text, parts, aad, is_flattened):
    if not is_flattened:
        return ".".join([text, *map(encoded, parts)])
    members = {"protected": text, "ciphertext": encoded(parts[2])}
    for name, part in zip(("encrypted_key", "iv", "tag", "aad"), (parts[0], parts[1], parts[3], aad)):
        if part:
            members[name] = encoded(part)
    return json.dumps(members)


def choices(rng):
    """Plaintext, info, pre-shared key, further data, and the serialization."""
    plaintext = rng.randbytes(rng.choice((0, 1, 16, 63, rng.randrange(3000))))
    info = rng.randbytes(rng.randrange(1, 40)) if rng.randrange(3) == 0 else b""
    psk = (rng.randbytes(rng.randrange(32, 80)), f"psk {rng.randrange(1000)}".encode()) if rng.randrange(3) == 0 else None
    return plaintext, info, psk, rng.choice((None, b"further data")), rng.randrange(2) == 0


def arguments(folder, name, info, psk):
    options = ["--info", encoded(info)] if info else []
    if psk:
        path = os.path.join(folder, name)
        with open(path, "w") as file:
            json.dump({"kty": "oct", "k": encoded(psk[0]), "kid": psk[1].decode()}, file)
        options += ["--psk", path]
    return options


def from_us(command, folder, keys, number, seed, plant):
    rng = random.Random(f"{seed}/to/{number}")
    key, (plaintext, info, psk, aad, is_flattened) = keys[number % len(keys)], choices(rng)
    options = arguments(folder, f"to-{number}", info, psk)
    if not key.is_integrated:
        options += ["--enc", rng.choice(list(CEK_BYTES))]
    if is_flattened:
        options += ["--serialization", "flattened", *(["--aad", encoded(aad)] if aad else [])]
    token = command.run("encrypt", "--key", key.paths[rng.randrange(2)], *options, data=plaintext).decode().strip()
    if plant:
        place = token.rindex('"', 0, -2) + 1 if is_flattened else len(token.rstrip(".")) - 4
        token = token[:place] + ("A" if token[place] != "A" else "B") + token[place + 1 :]
    if opened(key, token, info, psk) != plaintext:
        raise ValueError("another plaintext")
    return 0


def from_peer(command, folder, keys, number, seed, plant):
    rng = random.Random(f"{seed}/from/{number}")
    key, (plaintext, info, psk, aad, is_flattened) = keys[number % len(keys)], choices(rng)
    enc = rng.choice(list(CEK_BYTES))
    text, parts = made(key, plaintext, enc, info, psk, aad, is_flattened, rng)
    options = arguments(folder, f"from-{number}", info, psk)
    if plant:
        parts[2] = flipped(parts[2], rng) if parts[2] else b"x"
    token = serialized(text, parts, aad if is_flattened else None, is_flattened)
    if command.run("decrypt", "--key", key.paths[0], *options, data=token.encode()) != plaintext:
        raise ValueError("another plaintext")
    if number % CHANGED:
        return 0
    place = rng.choice([place for place, part in enumerate(parts) if part])
    parts[place] = flipped(parts[place], rng)
    token = serialized(text, parts, aad if is_flattened else None, is_flattened)
    try:
        command.run("decrypt", "--key", key.paths[0], *options, data=token.encode())
    except Refused:
        return 1
    raise ValueError(f"jose opens it with part {place} changed")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("jose")
    parser.add_argument("--count", type=int, default=1_200, help="tokens each way")
    parser.add_argument("--seed", default=None, help="repeats plaintexts and choices; keys are always new")
    parser.add_argument("--plant", action="store_true", help="change an octet of one token each way, which must be reported")
    options = parser.parse_args()
    seed, start = options.seed or f"{random.SystemRandom().getrandbits(64):016x}", time.monotonic()
    command, failures, planted = Command(options.jose), [], set()
    print(f"seed {seed}")
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as workers:
        keys = [Key(command, folder, suite, kind, number) for number in range(2) for suite in SUITES for kind in ("", "-KE")]
        for way, exchange in (("to the others", from_us), ("from the others", from_peer)):
            pending = {}
            for number in range(options.count):
                plant = options.plant and number == options.count // 2
                what = f"token {number} {way}"
                planted |= {what} if plant else set()
                pending[workers.submit(exchange, command, folder, keys, number, seed, plant)] = what
            accepted, refused = 0, 0
            for future, what in pending.items():
                try:
                    refused += future.result()
                    accepted += 1
                except Exception as error:  # Whatever is thrown, the token was not exchanged.
                    failures.append((what, f"{type(error).__name__}: {error}"))
            print(f"{way}: {accepted} of {options.count} opened, {refused} refused when changed", flush=True)
    for what, error in failures[:20]:
        print(f"FAILED {what}: {error}")
    print(f"{options.count} tokens each way, {len(failures)} failed, {time.monotonic() - start:.0f} s")
    if options.plant:
        return 0 if planted and {what for what, _ in failures} == planted else 1
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
