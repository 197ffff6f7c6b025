"""Certificates of which only the subject's key is read (RFC 5280, 4.1), and their thumbprints (RFC 7515, 4.1.7 and 4.1.8)."""

import base64
import hashlib

from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from . import ed25519, rsa
from .envelope import VectorFile
from .octets import b64u, compact, counting, der, flipped, unb64u
from .p256 import jwk, multiply
from .tokens import EC_KEY, EC_PUBLIC, jws

INTEGER, BIT_STRING, NULL, OID, UTF8, SEQUENCE, SET, TIME = 0x02, 0x03, 0x05, 0x06, 0x0C, 0x30, 0x31, 0x17


def unsigned(value):
    return der(INTEGER, value.to_bytes(value.bit_length() // 8 + 1, "big"))


SHA256_WITH_RSA = der(SEQUENCE, der(OID, bytes.fromhex("2a864886f70d01010b")), der(NULL))
SHA384_WITH_RSA = der(SEQUENCE, der(OID, bytes.fromhex("2a864886f70d01010c")), der(NULL))
NAME = der(SEQUENCE, der(SET, der(SEQUENCE, der(OID, bytes.fromhex("550403")), der(UTF8, b"test"))))
VALIDITY = der(SEQUENCE, der(TIME, b"250101000000Z"), der(TIME, b"350101000000Z"))
BASIC_CONSTRAINTS = der(0xA3, der(SEQUENCE, der(SEQUENCE, der(OID, bytes.fromhex("551d13")), der(0x04, der(SEQUENCE)))))


def bits(octets):
    return der(BIT_STRING, b"\0", octets)


def spki_of_point(x, y, curve="2a8648ce3d030107"):
    algorithm = der(SEQUENCE, der(OID, bytes.fromhex("2a8648ce3d0201")), der(OID, bytes.fromhex(curve)))
    return der(SEQUENCE, algorithm, bits(b"\x04" + x + y))


def spki(key):
    if key["kty"] == "EC":
        return spki_of_point(unb64u(key["x"]), unb64u(key["y"]))
    if key["kty"] == "OKP":
        return der(SEQUENCE, der(SEQUENCE, der(OID, bytes.fromhex("2b6570"))), bits(unb64u(key["x"])))
    algorithm = der(SEQUENCE, der(OID, bytes.fromhex("2a864886f70d010101")), der(NULL))
    return der(SEQUENCE, algorithm, bits(pkcs1(key)))


def pkcs1(key):
    return der(SEQUENCE, unsigned(rsa.number(key, "n")), unsigned(rsa.number(key, "e")))


def certificate(
    info, version=b"\2", serial=1, inner=SHA256_WITH_RSA, outer=SHA256_WITH_RSA, extensions=BASIC_CONSTRAINTS, after=b"",
    signature=bits(counting(256)),
):  # fmt: skip
    explicit = b"" if version is None else der(0xA0, der(INTEGER, version))
    body = der(SEQUENCE, explicit, unsigned(serial), inner, NAME, VALIDITY, NAME, info, extensions)
    return der(SEQUENCE, body, outer, signature, after)


def thumbprints(octets):
    return {"x5t": b64u(hashlib.sha1(octets).digest()), "x5tS256": b64u(hashlib.sha256(octets).digest())}


def file():
    file = VectorFile(
        "certificates.json", "X.509", "RFC 5280; RFC 7515; RFC 7517", "4.1; 4.1.6 to 4.1.8; 4.7 to 4.9",
        "the key and the thumbprints of a certificate",
    )  # fmt: skip
    group = file.group("LeafCertificate")

    def valid(comment, octets, key, *flags):
        expected = x509.load_der_x509_certificate(octets).public_key()
        assert expected.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo) == spki(key)
        group.valid(comment, "Derived", *flags, certificate=octets.hex(), jwk=key, **thumbprints(octets))

    def invalid(comment, octets, error, flag="BadEncoding"):
        group.invalid(comment, flag, certificate=octets.hex(), error=error)

    keys = (("P-256", EC_PUBLIC), ("RSA", rsa.PUBLIC), ("Ed25519", ed25519.PUBLIC))
    for name, key in keys:
        valid(f"{name}, version 3", certificate(spki(key)), key)
    info = spki(EC_PUBLIC)
    valid("version 1", certificate(info, version=None, extensions=b""), EC_PUBLIC, "EdgeCase")
    valid("no extensions", certificate(info, extensions=b""), EC_PUBLIC, "EdgeCase")
    valid("serial number of 20 octets", certificate(info, serial=2**159 - 1), EC_PUBLIC, "EdgeCase")
    whole = certificate(info)
    for comment, octets in (
        ("nothing", b""),
        ("a sequence with nothing in it", der(SEQUENCE)),
        ("cut off", whole[:-1]),
        ("an octet after it", whole + b"\0"),
        ("indefinite length", b"\x30\x80" + whole[4:] + b"\0\0"),
        ("a length that is not minimal", b"\x30\x83\0" + whole[2:]),
        ("version 1 written out", certificate(info, version=b"\0", extensions=b"")),
        ("version 4", certificate(info, version=b"\3")),
        ("extensions in version 1", certificate(info, version=None)),
        ("extensions in version 2", certificate(info, version=b"\1")),
        ("two algorithms", certificate(info, inner=SHA384_WITH_RSA)),
        ("a fourth member", certificate(info, after=der(NULL))),
        ("a signature that is no bit string", certificate(info, signature=der(0x04, bytes(256)))),
        ("a key that is no SubjectPublicKeyInfo", certificate(pkcs1(rsa.PUBLIC))),
        ("no key", certificate(b"")),
        ("two keys", certificate(info + info)),
        ("the key alone", info),
        ("a private key", der(SEQUENCE, unsigned(0), der(SEQUENCE, der(OID, bytes.fromhex("2b6570"))), der(0x04, bytes(34)))),
    ):
        invalid(comment, octets, "malformed")
    invalid("a point off the curve", certificate(spki_of_point(bytes(31) + b"\1", bytes(31) + b"\1")), "keyInvalid", "InvalidPoint")
    named = spki_of_point(unb64u(EC_PUBLIC["x"]), unb64u(EC_PUBLIC["y"]), "2b2403030208010107")
    invalid("a curve that is not implemented", certificate(named), "algorithmUnsupported", "KeyPolicy")
    weak = {"kty": "RSA", "n": b64u(b"\xff" * 128), "e": "AQAB"}
    invalid("an RSA key of 1024 bits", certificate(spki(weak)), "keyTooWeak", "KeyPolicy")

    group = file.group("CertificateHeader", key=EC_PUBLIC)
    standard = base64.b64encode
    mine, prints = standard(whole).decode(), thumbprints(whole)
    other = standard(certificate(spki(jwk(multiply(7))))).decode()

    def test(result, comment, header, flag, **expected):
        token = jws({"alg": "ES256", **header}, b"x", EC_KEY)
        group.add(result, comment, [flag], token=token, **expected)

    test("valid", "no certificate", {}, "Derived")
    test("valid", "the signer's certificate", {"x5c": [mine]}, "Derived", x5tS256=prints["x5tS256"])
    test("valid", "a chain", {"x5c": [mine, other]}, "Derived", x5tS256=prints["x5tS256"])
    both = {"x5c": [mine], "x5t": prints["x5t"], "x5t#S256": prints["x5tS256"]}
    test("valid", "with both thumbprints", both, "Derived", x5tS256=prints["x5tS256"])
    for comment, header, error in (
        ("another's certificate", {"x5c": [other]}, "keyMismatch(x5c)"),
        ("the signer's certificate second", {"x5c": [other, mine]}, "keyMismatch(x5c)"),
        ("x5t of another certificate", {**both, "x5t": b64u(flipped(unb64u(prints["x5t"])))}, "headerInvalid(x5t)"),
        ("x5t#S256 of another certificate", {**both, "x5t#S256": thumbprints(b"")["x5tS256"]}, "headerInvalid(x5t#S256)"),
        ("x5t is a number", {**both, "x5t": 1}, "headerInvalid(x5t)"),
        ("x5t padded", {**both, "x5t": prints["x5t"] + "="}, "headerInvalid(x5t)"),
        ("x5c is a text", {"x5c": mine}, "headerInvalid(x5c)"),
        ("x5c is empty", {"x5c": []}, "headerInvalid(x5c)"),
        ("x5c in base64url", {"x5c": [b64u(whole)]}, "headerInvalid(x5c)"),
        ("x5c holds a number", {"x5c": [1]}, "headerInvalid(x5c)"),
        ("x5c holds no certificate", {"x5c": ["AAAA"]}, "malformed(x5c)"),
        ("eleven certificates", {"x5c": [mine] + ["AAAA"] * 10}, "limitExceeded(certificateCount)"),
    ):
        test("invalid", comment, header, "Header", error=error)
    assert compact(both)
    return file
