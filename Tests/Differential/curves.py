"""ECDSA, ECDH and points of P-256, P-384, P-521 and secp256k1; Ed25519 and X25519."""
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, utils, x25519
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

import values
from case import accepts, gives, gives_or_refuses, satisfies


class PrimeCurve:
    """A curve over a prime field, with keys whose public points are known already: those cost most."""

    def __init__(self, name, peer, function, p, n):
        self.name, self.peer, self.function, self.p, self.n = name, peer, function, p, n
        self.count = (p.bit_length() + 7) // 8
        self.digest_count = function.digest_size
        self.keys = {}

    def key(self, d):
        """The peer's private key of a scalar."""
        if d not in self.keys:
            key = ec.derive_private_key(d, self.peer)
            if len(self.keys) > 4000:
                self.keys.clear()
            self.keys[d] = (key, key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint))
        return self.keys[d]

    def scalar(self, rng):
        """A private key; mostly one of few, since a new one costs the peer a multiplication."""
        if self.keys and rng.randrange(3):
            return rng.choice(self.few(rng))
        return values.below(rng, self.n, least=1)

    def few(self, rng):
        if not hasattr(self, "kept") or rng.randrange(500) == 0:
            edges = [1, 2, 3, self.n - 1, self.n - 2, (self.n + 1) // 2, (self.n - 1) // 2]
            self.kept = edges + [values.below(rng, self.n, least=1) for _ in range(60)]
        return self.kept

    def octets(self, number):
        return number.to_bytes(self.count, "big")

    def digest(self, rng):
        """A digest, perhaps around n: then it is reduced."""
        if rng.randrange(2):
            return rng.randbytes(self.digest_count)
        bits = 8 * self.digest_count
        return (values.near(rng, self.n) % (1 << bits)).to_bytes(self.digest_count, "big")

    def number(self, digest):
        """bits2int of FIPS 186-5, not reduced."""
        excess = max(0, 8 * len(digest) - self.n.bit_length())
        return int.from_bytes(digest, "big") >> excess

    def is_valid(self, d, digest, r, s):
        try:
            signature = utils.encode_dss_signature(r, s)
            self.key(d)[0].public_key().verify(signature, digest, ec.ECDSA(utils.Prehashed(self.function)))
            return True
        except InvalidSignature:
            return False


P256 = PrimeCurve(
    "p256", ec.SECP256R1(), hashes.SHA256(), 2**256 - 2**224 + 2**192 + 2**96 - 1,
    0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551)
P384 = PrimeCurve(
    "p384", ec.SECP384R1(), hashes.SHA384(), 2**384 - 2**128 - 2**96 + 2**32 - 1,
    0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFC7634D81F4372DDF581A0DB248B0A77AECEC196ACCC52973)
P521 = PrimeCurve(
    "p521", ec.SECP521R1(), hashes.SHA512(), 2**521 - 1,
    2**521 - 2**260 + 0xA51868783BF2F966B7FCC0148F709A5D03BB5C9B8899C47AEBB6FB71E91386409)
SECP256K1 = PrimeCurve(
    "secp256k1", ec.SECP256K1(), hashes.SHA256(), 2**256 - 2**32 - 977,
    0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141)


def ecdsa_sign(curve):
    def cases(rng, backends):
        d = curve.scalar(rng)
        digest = curve.digest(rng)
        kind = rng.randrange(3)
        if kind == 0:
            der = curve.key(d)[0].sign(digest, ec.ECDSA(utils.Prehashed(curve.function), deterministic_signing=True))
            r, s = utils.decode_dss_signature(der)
            yield gives([curve.name + " sign", curve.octets(d), digest], curve.octets(r) + curve.octets(s))
        elif kind == 1:  # a nonce of ours: r = (k · G)ₓ, s = k⁻¹ (e + r d)
            k = curve.scalar(rng)
            r = int.from_bytes(curve.key(k)[1][1:1 + curve.count], "big") % curve.n
            s = pow(k, -1, curve.n) * (curve.number(digest) + r * d) % curve.n
            fields = [curve.name + " sign with nonce", curve.octets(d), digest, curve.octets(k)]
            yield gives_or_refuses(fields, curve.octets(r) + curve.octets(s) if r and s else None)
        else:
            message = values.octets(rng, values.length(rng, 300, 64))
            public = curve.key(d)[0].public_key()

            def check(signature):
                r, s = (int.from_bytes(half, "big") for half in (signature[:curve.count], signature[curve.count:]))
                try:
                    public.verify(utils.encode_dss_signature(r, s), message, ec.ECDSA(curve.function))
                    return True
                except InvalidSignature:
                    return False

            yield satisfies([curve.name + " sign hedged", curve.octets(d), message], "a signature that the peer accepts", check)

    return cases


def ecdsa_verify(curve):
    def cases(rng, backends):
        n = curve.n
        d, k = curve.scalar(rng), curve.scalar(rng)
        digest = curve.digest(rng)
        r = int.from_bytes(curve.key(k)[1][1:1 + curve.count], "big") % n
        kind = rng.randrange(8)
        if kind == 0:  # d is found for a chosen s
            s = values.below(rng, n, least=1)
            d = (s * k - curve.number(digest)) * pow(r, -1, n) % n or d
        elif kind == 1:  # u₁ · G = ± u₂ · Q: the last addition doubles, or leads to infinity
            digest = (rng.choice((1, -1)) * r * d % n).to_bytes(curve.count, "big")
            if len(digest) != curve.digest_count:
                digest = curve.digest(rng)
        s = pow(k, -1, n) * (curve.number(digest) + r * d) % n
        if kind == 2:  # numbers out of range and at its ends
            r = rng.choice((r, values.near(rng, n) % (1 << 8 * curve.count)))
            s = rng.choice((s, 0, n, n - s, values.near(rng, n) % (1 << 8 * curve.count)))
        elif kind == 3:
            digest = bytes(values.changed(rng, digest)[:curve.digest_count]).ljust(curve.digest_count, b"\0")
        elif kind == 4:
            d = curve.scalar(rng)
        is_valid = curve.is_valid(d, digest, r, s)
        fields = [curve.key(d)[1], digest, curve.octets(r) + curve.octets(s)]
        yield accepts([curve.name + " verify"] + fields, is_valid)
        if curve is P256 and rng.randrange(4) == 0:
            yield accepts(["p256 verify prepared"] + fields, is_valid)

    return cases


def ecdh(curve):
    def cases(rng, backends):
        d, other = curve.scalar(rng), curve.scalar(rng)
        shared = curve.key(d)[0].exchange(ec.ECDH(), curve.key(other)[0].public_key())
        yield gives([curve.name + " agree", curve.octets(d), curve.key(other)[1]], shared)

    return cases


def points(curve):
    def accepted(encoded):
        try:
            return ec.EllipticCurvePublicKey.from_encoded_point(curve.peer, encoded)
        except ValueError:
            return None

    def cases(rng, backends):
        kind = rng.randrange(6)
        if kind == 0:
            d = curve.scalar(rng)
            yield gives([curve.name + " public", curve.octets(d)], curve.key(d)[1])
            return
        if kind == 1:  # a scalar out of range
            d = rng.choice((0, curve.n, curve.n + 1, (1 << 8 * curve.count) - 1, curve.n + rng.getrandbits(100)))
            yield gives_or_refuses([curve.name + " public", curve.octets(d % (1 << 8 * curve.count))], None)
            return
        encoded = bytearray(curve.key(curve.scalar(rng))[1])
        if kind == 2:  # an x of our choice, on the curve or not, perhaps above p
            x = values.near(rng, curve.p) % (1 << 8 * curve.count)
            encoded = bytes((rng.choice((2, 3)),)) + curve.octets(x)
        elif kind == 3:
            encoded = bytes((2 + (encoded[-1] & 1 ^ rng.randrange(2)),)) + bytes(encoded[1:1 + curve.count])
        elif kind == 4:
            encoded = values.changed(rng, bytes(encoded[1:]))
            encoded = b"\x04" + encoded
        elif rng.randrange(2):  # a coordinate that is not reduced, where that fits
            x = int.from_bytes(encoded[1:1 + curve.count], "big") + curve.p
            if x < 1 << 8 * curve.count:
                encoded[1:1 + curve.count] = curve.octets(x)
        encoded = bytes(encoded)
        key = accepted(encoded)
        fields = [curve.name + " point", encoded]
        if key is None:
            yield gives_or_refuses(fields, None)
        else:
            forms = (PublicFormat.UncompressedPoint, PublicFormat.CompressedPoint)
            yield gives(fields, *(key.public_bytes(Encoding.X962, form) for form in forms))
        if encoded[0] == 4 and len(encoded) == 1 + 2 * curve.count:
            x, y = encoded[1:1 + curve.count], encoded[1 + curve.count:]
            fields = [curve.name + " coordinates", x, y]
            yield gives_or_refuses(fields, None if key is None else encoded)

    return cases


# Ed25519 and X25519

L25519 = 2**252 + 27742317777372353535851937790883648493
P25519 = 2**255 - 19


def raw_private(key):
    return key.private_bytes(Encoding.Raw, PrivateFormat.Raw, NoEncryption())


def raw_public(key):
    return key.public_bytes(Encoding.Raw, PublicFormat.Raw)


def ed25519_sign(rng, backends):
    seed = values.octets(rng, 32)
    message = values.octets(rng, values.length(rng, 600, 64))
    key = ed25519.Ed25519PrivateKey.from_private_bytes(seed)
    if rng.randrange(4) == 0:
        yield gives(["ed25519 public", seed], raw_public(key.public_key()))
    yield gives(["ed25519 sign", seed, message], key.sign(message))


def ed25519_verify(rng, backends):
    seed = values.octets(rng, 32)
    message = values.octets(rng, values.length(rng, 600, 64))
    key = ed25519.Ed25519PrivateKey.from_private_bytes(seed)
    public, signature = raw_public(key.public_key()), key.sign(message)
    kind = rng.randrange(6)
    s = int.from_bytes(signature[32:], "little")
    if kind == 0:
        signature = values.changed(rng, signature)
    elif kind == 1:
        message = values.changed(rng, message)
    elif kind == 2:  # S + L: the same modulo L, and to be refused
        signature = signature[:32] + ((s + L25519) % 2**256).to_bytes(32, "little")
    elif kind == 3:
        signature = signature[:32] + (values.near(rng, L25519) % 2**256).to_bytes(32, "little")
    try:
        key.public_key().verify(signature, message)
        is_valid = True
    except InvalidSignature:
        is_valid = False
    yield accepts(["ed25519 verify", public, message, signature], is_valid)


# Points of small order on the curve and on its twist, whose products are zero (RFC 7748 §6.1).
SMALL_ORDER = [
    0, 1, P25519 - 1, P25519, P25519 + 1,
    325606250916557431795983626356110631294008115727848805560023387167927233504,
    39382357235489614581723060781553021112529911719440698176882885853963445705823,
]


def x25519_agree(rng, backends):
    d = values.octets(rng, 32)
    key = x25519.X25519PrivateKey.from_private_bytes(d)
    kind = rng.randrange(4)
    if kind == 0:
        other = values.octets(rng, 32)
    elif kind == 1:
        other = (values.near(rng, P25519) % 2**256).to_bytes(32, "little")
    elif kind == 2:
        other = (rng.choice(SMALL_ORDER) | rng.randrange(2) << 255).to_bytes(32, "little")
    else:
        other = raw_public(x25519.X25519PrivateKey.from_private_bytes(values.octets(rng, 32)).public_key())
        yield gives(["x25519 public", d], raw_public(key.public_key()))
    try:
        shared = key.exchange(x25519.X25519PublicKey.from_public_bytes(other))
    except ValueError:
        shared = None
    yield gives_or_refuses(["x25519 agree", d, other], shared)
