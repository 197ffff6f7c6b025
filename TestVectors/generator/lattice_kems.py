"""The KEMs of HPKE with ML-KEM in them (draft-ietf-hpke-pq): derived keys, encapsulation with given randomness, rejected ciphertexts."""

import hashlib

from cryptography.hazmat.primitives.asymmetric import ec, x25519
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from .envelope import VectorFile
from .fips203 import SETS, Key

ORDER_256 = int("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551", 16)


class X25519:
    seed_size, label = 32, b"\\.//^\\"

    def key(self, seed):
        return x25519.X25519PrivateKey.from_private_bytes(seed)

    def point(self, key):
        return key.public_key().public_bytes_raw()

    def shared(self, key, point):
        return key.exchange(x25519.X25519PublicKey.from_public_bytes(point))


class Prime:
    def __init__(self, curve, size, count, order, label):
        self.curve, self.size, self.order, self.label = curve, size, order, label
        self.seed_size = size * count

    def key(self, seed):
        """Of the first candidate that is in range."""
        for start in range(0, len(seed), self.size):
            number = int.from_bytes(seed[start : start + self.size], "big")
            if 0 < number < self.order:
                return ec.derive_private_key(number, self.curve)

    def point(self, key):
        return key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)

    def shared(self, key, point):
        return key.exchange(ec.ECDH(), ec.EllipticCurvePublicKey.from_encoded_point(self.curve, point))


P256 = Prime(ec.SECP256R1(), 32, 4, ORDER_256, b"MLKEM768-P256")
P384 = Prime(
    ec.SECP384R1(), 48, 1,
    int("ffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973", 16),
    b"MLKEM1024-P384",
)

KEMS = {
    0x41: ("ML-KEM-768", "ML-KEM-768", None),
    0x42: ("ML-KEM-1024", "ML-KEM-1024", None),
    0x50: ("MLKEM768-P256", "ML-KEM-768", P256),
    0x51: ("MLKEM1024-P384", "ML-KEM-1024", P384),
    0x647A: ("MLKEM768-X25519", "ML-KEM-768", X25519()),
}


class KeyPair:
    def __init__(self, parameter_set, curve, seed):
        self.curve, expanded = curve, seed
        if curve:
            expanded = hashlib.shake_256(seed).digest(64 + curve.seed_size)
        self.lattice = Key(parameter_set, expanded[:64])
        self.private = curve and curve.key(expanded[64:])
        self.point = curve.point(self.private) if curve else b""
        self.public = self.lattice.ek + self.point

    def combined(self, secret, agreed, point):
        return hashlib.sha3_256(secret + agreed + point + self.point + self.curve.label).digest() if self.curve else secret

    def decapsulated(self, ciphertext):
        border = self.lattice.p.ciphertext_size
        secret, _ = self.lattice.p.decapsulated(self.lattice.dk, ciphertext[:border])
        point = ciphertext[border:]
        return self.combined(secret, self.curve.shared(self.private, point), point) if self.curve else secret


class KEM:
    def __init__(self, identifier):
        self.identifier = identifier
        self.name, name, self.curve = KEMS[identifier]
        self.p = SETS[name]
        self.seed_size = 32 if self.curve else 64
        self.randomness_size = 32 + (self.curve.seed_size if self.curve else 0)

    def derived(self, material):
        """The seed, and the key pair."""
        label = b"DeriveKeyPair"
        end = b"HPKE-v1KEM" + b"".join(number.to_bytes(2, "big") for number in (self.identifier, len(label)))
        seed = hashlib.shake_256(material + end + label + self.seed_size.to_bytes(2, "big")).digest(self.seed_size)
        return seed, KeyPair(self.p, self.curve, seed)

    def serialized(self, pair):
        return pair.public

    def encapsulated(self, randomness, pair):
        """No key for one use, the shared secret and what is sent."""
        # The draft's vectors have three candidates for P-256.
        assert len(randomness) in (self.randomness_size, 128 if self.curve is P256 else self.randomness_size)
        secret, ciphertext = self.p.encapsulated(pair.lattice.ek, randomness[:32])
        if not self.curve:
            return None, secret, ciphertext
        ephemeral = self.curve.key(randomness[32:])
        point = self.curve.point(ephemeral)
        return None, pair.combined(secret, self.curve.shared(ephemeral, pair.point), point), ciphertext + point


def octets(label, count):
    return hashlib.shake_256(b"KEMs: " + label.encode()).digest(count)


def changed(value, place, mask=1):
    return value[:place] + bytes([value[place] ^ mask]) + value[place + 1 :]


def file():
    file = VectorFile("lattice_kems.json", "KEM", "draft-ietf-hpke-pq-05", "KEMs", "ML-KEM, and ML-KEM beside a curve, as KEMs of HPKE")
    for identifier, (name, _, curve) in KEMS.items():
        kem = KEM(identifier)
        group = file.group("KemDecaps", kem=name, kemId=identifier)

        def add(comment, number, randomness, *flags):
            material = octets(f"{name} key {number}", 64)
            seed, pair = kem.derived(material)
            _, secret, ciphertext = kem.encapsulated(randomness, pair)
            assert pair.decapsulated(ciphertext) == secret
            group.valid(
                comment, "Derived", *flags, ikm=material.hex(), sk=seed.hex(), pkSha256=hashlib.sha256(pair.public).hexdigest(),
                randomness=randomness.hex(), ct=ciphertext.hex(), ss=secret.hex(),
            )
            return seed, pair, ciphertext

        seed, pair, ciphertext = add("a derived key", 0, octets(f"{name} randomness 0", kem.randomness_size))
        border = kem.p.ciphertext_size
        for place in (0, border - 1):
            other = changed(ciphertext, place)
            group.valid(
                "the part of ML-KEM is changed: another secret", "Derived", sk=seed.hex(), ct=other.hex(), ss=pair.decapsulated(other).hex()
            )
        if not curve:
            continue
        if curve is P256:
            scalar, order = octets("scalar", 32), ORDER_256.to_bytes(32, "big")
            outside = [bytes(32), order, b"\xff" * 32]
            for count in (1, 2, 3):
                candidates = outside[:count] + [scalar] * (4 - count)
                randomness = octets("message", 32) + b"".join(candidates)
                add(f"candidate {count + 1} is the first that is in range", 0, randomness, "EdgeCase")
        refused = [(ciphertext[:-1], "decryptionFailed", "BadLength"), (ciphertext + b"\0", "decryptionFailed", "BadLength")]
        if isinstance(curve, Prime):
            refused += [
                (changed(ciphertext, len(ciphertext) - 1), "invalidPublicKey", "InvalidPoint"),
                (changed(ciphertext, border, 6), "invalidPublicKey", "BadEncoding"),
            ]
        for other, error, flag in refused:
            group.invalid("the point or the length is wrong", flag, sk=seed.hex(), ct=other.hex(), ss="", error=error)
    return file
