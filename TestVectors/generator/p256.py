"""P-256 by the schoolbook (affine, slow, clear), as a second opinion beside `cryptography`."""

import hashlib

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

from .octets import b64u, unb64u

P = 2**256 - 2**224 + 2**192 + 2**96 - 1
N = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
B = 0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B
G = (
    0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
    0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5,
)


def octets(number):
    return number.to_bytes(32, "big")


def hexed(number):
    return octets(number).hex()


def is_on_curve(point):
    x, y = point
    return 0 <= x < P and 0 <= y < P and (y * y - (x**3 - 3 * x + B)) % P == 0


def add(left, right):
    """The sum of two points; None is the point at infinity."""
    if left is None or right is None:
        return left or right
    (x1, y1), (x2, y2) = left, right
    if x1 == x2:
        if (y1 + y2) % P == 0:
            return None
        slope = (3 * x1 * x1 - 3) * pow(2 * y1, -1, P) % P
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
    square = (x**3 - 3 * x + B) % P
    root = pow(square, (P + 1) // 4, P)
    if root * root % P != square:
        return None
    return x, root if root % 2 == 0 else P - root


def point_hex(point):
    return {"x": hexed(point[0]), "y": hexed(point[1])}


def uncompressed(point):
    return b"\x04" + octets(point[0]) + octets(point[1])


def digest(message):
    return int.from_bytes(hashlib.sha256(message).digest(), "big")


def sign(d, message):
    """The deterministic signature of RFC 6979 as (r, s), by OpenSSL."""
    key = ec.derive_private_key(d, ec.SECP256R1())
    return decode_dss_signature(key.sign(message, ec.ECDSA(hashes.SHA256(), deterministic_signing=True)))


def sign_with_nonce(d, k, message):
    r = multiply(k)[0] % N
    return r, pow(k, -1, N) * (digest(message) + r * d) % N


def verifies(point, message, r, s):
    if not (0 < r < N and 0 < s < N):
        return False
    w = pow(s, -1, N)
    sum = add(multiply(digest(message) * w % N), multiply(r * w % N, point))
    return sum is not None and sum[0] % N == r


def raw(r, s):
    return octets(r) + octets(s)


def shared_secret(d, point):
    """The x-coordinate of d·point, computed twice."""
    x = octets(multiply(d, point)[0])
    peer = ec.EllipticCurvePublicNumbers(point[0], point[1], ec.SECP256R1()).public_key()
    assert ec.derive_private_key(d, ec.SECP256R1()).exchange(ec.ECDH(), peer) == x
    return x


def jwk(point, d=None, **more):
    key = {"kty": "EC", "crv": "P-256", "x": b64u(octets(point[0])), "y": b64u(octets(point[1]))}
    if d is not None:
        key["d"] = b64u(octets(d))
    return {**key, **more}


def private(jwk):
    """(d, point) of a private JWK, checked against each other."""
    d = int.from_bytes(unb64u(jwk["d"]), "big")
    point = int.from_bytes(unb64u(jwk["x"]), "big"), int.from_bytes(unb64u(jwk["y"]), "big")
    assert multiply(d) == point
    return d, point
