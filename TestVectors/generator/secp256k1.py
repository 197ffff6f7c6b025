"""secp256k1 by the schoolbook (affine, slow, clear), beside `cryptography`: ECDSA, points, keys, and tokens with ES256K."""

import hashlib
import hmac

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

from . import p256
from .curve import der, integer, sequence
from .envelope import VectorFile
from .octets import b64u, compact, counting, flipped, unb64u
from .p256 import digest, hexed, octets, point_hex, raw, uncompressed
from .tokens import CLAIMS, EC_KEY, EC_PUBLIC, parts, with_part
from .tokens import jws as es256_jws

# SEC 2, 2.4.1.
P = 2**256 - 2**32 - 977
N = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
G = (
    0x79BE667EF9DCBBAC55A06295CE870B07029BFCDB2DCE28D959F2815B16F81798,
    0x483ADA7726A3C4655DA4FBFC0E1108A8FD17B448A68554199C47D08FFB10D4B8,
)
# The private key of RFC 6979, A.2.5, which is one of this curve as well.
D = 0xC9AFA9D845BA75166B5C215767B1D6934E50C3DB36E89B127B8A622B120F6721

# Scalars at which window recodings, ladders and final reductions meet their borders.
SCALARS = [
    *range(1, 18), 31, 32, 33, 63, 64, 65, 2**64 - 1, 2**64, 2**128 - 1, 2**128, 2**192, 2**255, 2**255 - 1,
    (N - 1) // 2, (N + 1) // 2, N - 17, N - 16, N - 3, N - 2, N - 1,
    int("55" * 32, 16), int("aa" * 32, 16), int("0f" * 32, 16), int("10" * 32, 16),
]  # fmt: skip


def is_on_curve(point):
    x, y = point
    return 0 <= x < P and 0 <= y < P and (y * y - (x**3 + 7)) % P == 0


def add(left, right):
    """The sum of two points; None is the point at infinity."""
    if left is None or right is None:
        return left or right
    (x1, y1), (x2, y2) = left, right
    if x1 == x2:
        if (y1 + y2) % P == 0:
            return None
        slope = 3 * x1 * x1 * pow(2 * y1, -1, P) % P
    else:
        slope = (y2 - y1) * pow(x2 - x1, -1, P) % P
    x3 = (slope * slope - x1 - x2) % P
    return x3, (slope * (x1 - x3) - y1) % P


def multiply(scalar, point=G):
    sum, power = None, point
    while scalar:
        if scalar & 1:
            sum = add(sum, power)
        power = add(power, power)
        scalar >>= 1
    return sum


def negated(point):
    return point[0], (P - point[1]) % P


def lifted(x):
    """The point with abscissa x and even ordinate, or None when there is none."""
    square = (x**3 + 7) % P
    root = pow(square, (P + 1) // 4, P)
    if root * root % P != square:
        return None
    return x, root if root % 2 == 0 else P - root


def first_point(xs):
    return next(lifted(x) for x in xs if lifted(x))


def nonce(d, message):
    """The nonce of RFC 6979, 3.2."""
    seed = octets(d) + octets(digest(message) % N)
    value, key = b"\x01" * 32, bytes(32)
    for separator in b"\0", b"\x01":
        key = hmac.digest(key, value + separator + seed, "sha256")
        value = hmac.digest(key, value, "sha256")
    while True:
        value = hmac.digest(key, value, "sha256")
        if 0 < int.from_bytes(value, "big") < N:
            return int.from_bytes(value, "big")
        key = hmac.digest(key, value + b"\0", "sha256")
        value = hmac.digest(key, value, "sha256")


def sign_with_nonce(d, k, message):
    r = multiply(k)[0] % N
    return r, pow(k, -1, N) * (digest(message) + r * d) % N


def sign(d, message):
    """The deterministic signature as (r, s), computed twice."""
    signature = sign_with_nonce(d, nonce(d, message), message)
    key = ec.derive_private_key(d, ec.SECP256K1())
    assert multiply(d) == (key.public_key().public_numbers().x, key.public_key().public_numbers().y)
    scheme = ec.ECDSA(hashes.SHA256(), deterministic_signing=True)
    assert decode_dss_signature(key.sign(message, scheme)) == signature
    return signature


def verifies(point, message, r, s):
    if not (0 < r < N and 0 < s < N):
        return False
    w = pow(s, -1, N)
    sum = add(multiply(digest(message) * w % N), multiply(r * w % N, point))
    return sum is not None and sum[0] % N == r


def jwk(point, d=None, **more):
    key = {"kty": "EC", "crv": "secp256k1", "x": b64u(octets(point[0])), "y": b64u(octets(point[1]))}
    if d is not None:
        key["d"] = b64u(octets(d))
    return {**key, **more}


def jws(header, payload, d):
    signing_input = f"{b64u(compact(header).encode())}.{b64u(payload)}"
    return f"{signing_input}.{b64u(raw(*sign(d, signing_input.encode())))}"


def file():
    assert is_on_curve(G) and multiply(N) is None and N < P
    file = VectorFile(
        "secp256k1.json", "ES256K", "RFC 8812; SEC 2; RFC 6979", "3; 2.4.1; 3.2", "secp256k1: ECDSA, points, keys, ES256K"
    )
    signatures(file)
    encoded_signatures(file)
    keys(file)
    points(file)
    tokens(file)
    imported(file)
    return file


def signatures(file):
    point = multiply(D)
    key = point_hex(point)
    deterministic = file.group("EcdsaDeterministicSign", curve="secp256k1", sha="SHA-256", key={"d": hexed(D), **key})
    with_nonce = file.group("EcdsaSignWithK", curve="secp256k1", sha="SHA-256")
    fixed = file.group("EcdsaP1363Verify", curve="secp256k1", sha="SHA-256", key=key)
    other = file.group("EcdsaP1363Verify", curve="secp256k1", sha="SHA-256")

    for message in (b"sample", b"test", b"", counting(200)):
        r, s = sign(D, message)
        name = f'"{message.decode()}"' if len(message) < 10 else f"{len(message)} octets"
        members = {"msg": message.hex(), "k": hexed(nonce(D, message)), "sig": raw(r, s).hex()}
        deterministic.valid(name, "Derived", r=hexed(r), s=hexed(s), **members)
        with_nonce.valid(name, "Derived", d=hexed(D), **key, **members)
        fixed.valid(name, "Derived", msg=message.hex(), sig=raw(r, s).hex())
    for comment, d, k in (
        ("d = 1, k = 1", 1, 1), ("d = n - 1, k = n - 1", N - 1, N - 1), ("k = 2", D, 2), ("k = 2^128", D, 2**128),
        ("k = (n + 1) / 2, where x of R is short", D, (N + 1) // 2),
    ):  # fmt: skip
        sig = raw(*sign_with_nonce(d, k, b"sample")).hex()
        members = {"msg": b"sample".hex(), "k": hexed(k), "sig": sig}
        with_nonce.valid(comment, "Derived", "EdgeCase", d=hexed(d), **point_hex(multiply(d)), **members)

    message = b"sample"
    r, s = sign(D, message)
    test = {"msg": message.hex()}
    fixed.valid("s and n - s verify alike", "Derived", **test, sig=raw(r, N - s).hex())
    for comment, sig, flag in (
        ("lowest bit of r flipped", flipped(raw(r, s), 31), "Damaged"),
        ("highest bit of r flipped", flipped(raw(r, s), 0, 128), "Damaged"),
        ("lowest bit of s flipped", flipped(raw(r, s)), "Damaged"),
        ("highest bit of s flipped", flipped(raw(r, s), 32, 128), "Damaged"),
        ("r and s exchanged", raw(s, r), "Damaged"),
        ("n - r in place of r", raw(N - r, s), "Damaged"),
        ("r = 0", raw(0, s), "BadRange"),
        ("s = 0", raw(r, 0), "BadRange"),
        ("r = s = 0", raw(0, 0), "BadRange"),
        ("r = n", raw(N, s), "BadRange"),
        ("s = n", raw(r, N), "BadRange"),
        ("r = p", raw(P, s), "BadRange"),
        ("r = 2^256 - 1", raw(2**256 - 1, s), "BadRange"),
        ("s = 2^256 - 1", raw(r, 2**256 - 1), "BadRange"),
        ("r = s = 1", raw(1, 1), "Damaged"),
        ("no octets", b"", "BadLength"),
        ("63 octets", raw(r, s)[:-1], "BadLength"),
        ("65 octets, a zero after s", raw(r, s) + b"\0", "BadLength"),
        ("66 octets, a zero before each", b"\0" + octets(r) + b"\0" + octets(s), "BadLength"),
        ("DER in place of r and s", der(r, s), "BadEncoding"),
    ):
        fixed.invalid(comment, flag, **test, sig=sig.hex())
    fixed.invalid("another message", "Damaged", msg=b"samplf".hex(), sig=raw(r, s).hex())

    other.invalid("key of another pair", "WrongKey", key=point_hex(multiply(D + 1)), **test, sig=raw(r, s).hex())
    other.invalid("negated key", "WrongKey", key=point_hex(negated(point)), **test, sig=raw(r, s).hex())
    for comment, d in (("key G", 1), ("key -G", N - 1), ("key 2G", 2)):
        sig = raw(*sign(d, message)).hex()
        other.valid(comment, "Derived", "EdgeCase", key=point_hex(multiply(d)), **test, sig=sig)
    chosen(other, message)


def chosen(group, message):
    """Signatures for a chosen R and s: the key that verifies (r, s) is Q = r⁻¹(s·R − e·G)."""
    e = digest(message)

    def key_for(point, s):
        inverse = pow(point[0] % N, -1, N)
        return add(multiply(s * inverse % N, point), multiply(-e * inverse % N))

    def test(result, comment, flags, key, r, s):
        assert verifies(key, message, r, s) == (result == "valid")
        group.add(result, comment, flags, key=point_hex(key), msg=message.hex(), sig=raw(r, s).hex())

    edge = ["Derived", "EdgeCase"]
    # x = n would give r = 0.
    big = first_point(range(N + 1, P))
    test("valid", "x of R is above n", edge, key_for(big, 3), big[0] - N, 3)
    test("invalid", "x of R is above n and not reduced", ["BadRange"], key_for(big, 3), big[0], 3)
    largest = first_point(range(P - 1, N, -1))
    test("valid", "x of R is the largest of all", edge, key_for(largest, 5), largest[0] - N, 5)
    beyond = first_point(range(P - N, P))
    test("valid", "r is p - n or a little more", edge, key_for(beyond, 3), beyond[0], 3)
    small = first_point(range(1, 100))
    test("valid", "r is small", edge, key_for(small, N - 1), small[0], N - 1)
    # u1·G = u2·Q: the sum is a doubling. e·G + r·Q = infinity: so is u1·G + u2·Q, whatever s is.
    double = multiply(2)[0] % N
    test("valid", "u1·G equals u2·Q", edge, multiply(e * pow(double, -1, N) % N), double, e)
    infinity = multiply(-e * pow(5, -1, N) % N)
    test("invalid", "u1·G + u2·Q is the point at infinity", ["EdgeCase"], infinity, 5, 7)


def encoded_signatures(file):
    message = b"sample"
    r, s = sign(D, message)
    group = file.group("EcdsaVerify", curve="secp256k1", sha="SHA-256", key=point_hex(multiply(D)))
    test = {"msg": message.hex()}
    good = integer(r) + integer(s)
    group.valid("r and s", "Derived", **test, sig=der(r, s).hex())
    group.valid("r and n - s", "Derived", **test, sig=der(r, N - s).hex())
    for comment, sig in (
        ("an octet after the sequence", der(r, s) + b"\0"),
        ("a third integer", sequence(good + integer(1))),
        ("s missing", sequence(integer(r))),
        ("last octet missing", der(r, s)[:-1]),
        ("empty sequence", sequence(b"")),
        ("length in the long form", b"\x30\x81" + bytes([len(good)]) + good),
        ("r and s in place of DER", raw(r, s)),
    ):
        group.invalid(comment, "BadEncoding", **test, sig=sig.hex())
    for comment, sig in (("r = 0", der(0, s)), ("s = n", der(r, N)), ("s + n in 33 octets", der(r, s + N))):
        group.invalid(comment, "BadRange", **test, sig=sig.hex())


def keys(file):
    pairs = file.group("EcKeyPair", curve="secp256k1")
    for d in SCALARS:
        comment = "d = n - " + str(N - d) if N - d < 100 else f"d = {d:#x}"
        pairs.valid(comment, "Derived", "EdgeCase", d=hexed(d), **point_hex(multiply(d)))
    for comment, d in (("d = 0", 0), ("d = n", N), ("d = n + 1", N + 1), ("d = 2^256 - 1", 2**256 - 1)):
        pairs.invalid(comment, "BadRange", d=hexed(d), **point_hex(G))
    pairs.invalid("the point -d·G", "WrongKey", d=hexed(2), **point_hex(negated(multiply(2))))
    pairs.invalid("the point d·G of P-256", "WrongKey", d=hexed(2), **point_hex(p256.multiply(2)))


def points(file):
    public = file.group("EcPublicKey", curve="secp256k1")
    x, y = multiply(D)
    low, high = first_point(range(1, 100)), first_point(range(N, P))
    for comment, point in (("G", G), ("-G", negated(G)), ("smallest x", low), ("x above n", high), ("d·G", (x, y))):
        public.valid(comment, "Derived", "EdgeCase", **point_hex(point))
    for comment, flag, point in (
        ("(0, 0)", "InvalidPoint", (0, 0)),
        ("(0, 1)", "InvalidPoint", (0, 1)),
        ("y + 1", "InvalidPoint", (x, y + 1)),
        ("x + 1", "InvalidPoint", (x + 1, y)),
        ("x and y exchanged", "InvalidPoint", (y, x)),
        ("a point of P-256", "InvalidPoint", p256.G),
        ("a point of y^2 = x^3 - 3x + 7", "InvalidPoint", on_curve_with_another_a()),
        ("x + p for a small x", "BadRange", (low[0] + P, low[1])),
        ("y + p for a small y", "BadRange", with_small_y(P)),
        ("all bits set", "BadRange", (2**256 - 1, 2**256 - 1)),
    ):
        assert not is_on_curve(point)
        public.invalid(comment, flag, **point_hex(point))
    encodings = file.group("EcPointEncoding", curve="secp256k1")
    for comment, point in (
        ("even y", lifted(x)), ("odd y", negated(lifted(x))), ("G", G), ("smallest x", low), ("x above n", high),
        ("smallest y", with_small_y(0)),
    ):  # fmt: skip
        compressed = bytes([2 + point[1] % 2]) + octets(point[0])
        for form, encoded in (("compressed", compressed), ("uncompressed", uncompressed(point))):
            encodings.valid(f"{comment}, {form}", "Derived", encoded=encoded.hex(), **point_hex(point))
    without = next(x for x in range(1, 100) if lifted(x) is None)
    for comment, encoded in (
        ("point at infinity", b"\0"),
        ("hybrid form", bytes([6 + y % 2]) + octets(x) + octets(y)),
        ("tag 05 compressed", b"\x05" + octets(x)),
        ("compressed, no point at x", b"\x02" + octets(without)),
        ("compressed, no point at x = 0", b"\x02" + octets(0)),
        ("compressed, x + p for a small x", b"\x02" + octets(low[0] + P)),
        ("compressed, x is p", b"\x03" + octets(P)),
        ("compressed, 32 octets", b"\x02" + octets(x)[1:]),
        ("compressed, 34 octets", b"\x02\0" + octets(x)),
        ("uncompressed, y ^ 1", b"\x04" + octets(x) + octets(y ^ 1)),
    ):
        encodings.invalid(comment, "BadEncoding", encoded=encoded.hex())


def with_small_y(offset):
    """The point with the smallest y for which there is one, and y moved up. p ≡ 7 mod 9: a cube has the root c^((p + 2) / 9)."""
    assert P % 9 == 7
    for y in range(1, 100):
        cube = (y * y - 7) % P
        x = pow(cube, (P + 2) // 9, P)
        if pow(x, 3, P) == cube:
            assert is_on_curve((x, y))
            return x, y + offset


def on_curve_with_another_a():
    for x in range(2, 100):
        square = x**3 - 3 * x + 7
        root = pow(square, (P + 1) // 4, P)
        if root * root % P == square % P:
            return x, root


def tokens(file):
    point = multiply(D)
    own, public = jwk(point, D), jwk(point)
    verify = file.group("JwsVerify")

    def members(algs, key, token):
        keys = {"jwks": key} if "keys" in key else {"key": key}
        return {"serialization": "compact", "algs": algs, **keys, "token": token}

    def valid(comment, key, token, payload, *flags):
        verify.valid(comment, *(flags or ["Derived"]), **members(["ES256K"], key, token), payload=payload.hex())

    def invalid(comment, algs, key, token, error, flag):
        verify.invalid(comment, flag, **members(algs, key, token), error=error)

    token = jws({"alg": "ES256K"}, CLAIMS, D)
    header, payload, signature = (unb64u(part) for part in parts(token))
    r, s = int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:], "big")
    valid("alg alone", public, token, CLAIMS)
    valid("the key's alg is ES256K", {**public, "alg": "ES256K", "use": "sig"}, token, CLAIMS)
    valid("empty payload", public, jws({"alg": "ES256K"}, b"", D), b"")
    # RFC 8812, 3.2 has no rule for s.
    valid("n - s in place of s", public, with_part(token, 2, raw(r, N - s)), CLAIMS, "Derived", "EdgeCase")
    for comment, changed in (
        ("last bit of the signature flipped", with_part(token, 2, flipped(signature))),
        ("last octet of the payload changed", with_part(token, 1, flipped(payload))),
        ("a space added to the header", with_part(token, 0, header[:-1] + b" }")),
        ("last octet of the signature missing", with_part(token, 2, signature[:-1])),
        ("signature of zeros", with_part(token, 2, bytes(64))),
        ("signature in DER", with_part(token, 2, der(r, s))),
        ("signature left out", with_part(token, 2, "")),
    ):
        invalid(comment, ["ES256K"], public, changed, "signatureInvalid", "Damaged")
    invalid("another key", ["ES256K"], jwk(multiply(7)), token, "signatureInvalid", "WrongKey")
    renamed = jws({"alg": "ES256"}, b"x", D)
    p256_token = es256_jws({"alg": "ES256"}, b"x", EC_KEY)
    p256_renamed = es256_jws({"alg": "ES256K"}, b"x", EC_KEY)
    for comment, algs, key, token_, error, flag in (
        ("where only ES256 is allowed", ["ES256"], EC_PUBLIC, token, "algorithmNotAllowed", "AlgorithmPolicy"),
        ("alg is ES256, which is allowed, and the key on secp256k1", ["ES256"], public, renamed, "keyMismatch", "KeyPolicy"),
        ("alg is ES256, where only ES256K is allowed", ["ES256K"], public, renamed, "algorithmNotAllowed", "AlgorithmPolicy"),
        ("alg is ES256K, which is allowed, and the key on P-256", ["ES256K"], EC_PUBLIC, p256_renamed, "keyMismatch", "KeyPolicy"),
        ("a token of ES256 where only ES256K is allowed", ["ES256K"], public, p256_token, "algorithmNotAllowed", "AlgorithmPolicy"),
        ("the key's alg is ES256", ["ES256K"], {**public, "alg": "ES256"}, token, "keyMismatch", "KeyPolicy"),
        ("the key's use is enc", ["ES256K"], {**public, "use": "enc"}, token, "keyMismatch", "KeyPolicy"),
    ):
        invalid(comment, algs, key, token_, error, flag)
    for alg in ("ES256k", "es256k", "ES256K ", "ES256\u212a", "ES512K"):
        named = jws({"alg": alg}, b"x", D)
        invalid(f"alg is {alg!a}", ["ES256K"], public, named, "algorithmNotAllowed", "AlgorithmPolicy")
    # Two keys, between which `kid` and not the algorithm chooses.
    jwks = {"keys": [{**EC_PUBLIC, "kid": "one"}, {**public, "kid": "two"}]}
    verify.valid(
        "a set with both curves, kid of the right one", "Derived",
        **members(["ES256", "ES256K"], jwks, jws({"alg": "ES256K", "kid": "two"}, b"x", D)), payload=b"x".hex(),
    )
    for alg, kid in (("ES256K", "one"), ("ES256", "two")):
        crossed = jws({"alg": alg, "kid": kid}, b"x", D)
        invalid(f"a set with both curves, {alg} and kid of the other", ["ES256", "ES256K"], jwks, crossed, "keyMismatch", "KeyPolicy")
    sign_group = file.group("JwsSign")
    for comment, header, payload in (
        ("alg alone", {"alg": "ES256K"}, CLAIMS),
        ("kid and typ", {"typ": "JWT", "alg": "ES256K", "kid": "k1"}, CLAIMS),
        ("empty payload", {"alg": "ES256K"}, b""),
        ("payload of every octet", {"alg": "ES256K"}, counting(256)),
    ):
        sign_group.valid(
            comment, "Derived", alg="ES256K", key=own, protected=compact(header), payload=payload.hex(),
            token=jws(header, payload, D),
        )


def imported(file):
    point = multiply(D)
    group = file.group("JwkImport")
    required = {name: jwk(point)[name] for name in ("crv", "kty", "x", "y")}
    thumbprint = b64u(hashlib.sha256(compact(required).encode()).digest())
    described = {"kty": "EC", "crv": "secp256k1", "thumbprintSha256": thumbprint}
    group.valid("public", "Derived", jwk=compact(jwk(point)), private=False, **described)
    group.valid("private", "Derived", jwk=compact(jwk(point, D)), private=True, **described)
    low = first_point(range(1, 100))
    for comment, flag, key in (
        ("crv is P-256", "InvalidPoint", {**jwk(point), "crv": "P-256"}),
        ("coordinates of P-256", "InvalidPoint", {**EC_PUBLIC, "crv": "secp256k1"}),
        ("crv in capitals", "BadEncoding", {**jwk(point), "crv": "SECP256K1"}),
        ("kty is OKP", "BadEncoding", {**jwk(point), "kty": "OKP"}),
        ("y left out", "Damaged", {name: value for name, value in jwk(point).items() if name != "y"}),
        ("a leading zero left out", "BadLength", {**jwk(low), "x": b64u(octets(low[0])[1:])}),
        ("x + p for a small x", "BadRange", {**jwk(low), "x": b64u(octets(low[0] + P))}),
        ("d of another key", "WrongKey", jwk(point, D + 1)),
        ("d is n", "BadRange", jwk(point, N)),
        ("d is 0", "BadRange", jwk(point, 0)),
    ):
        group.invalid(comment, flag, jwk=compact(key))
