"""Forgeries, malformed tokens and traps for implementers, each with the error that it must meet.

Wherever a signature or a tag can be right, it is right: only the rule that the comment names can refuse the token.
"""

import hmac

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from . import p256
from .agreement import ALICE, BOB, Z, concat_kdf, other_info
from .curve import der
from .envelope import VectorFile
from .octets import b64u, compact, counting, flipped, unb64u
from .p256 import N, P, octets, raw
from .tokens import EC_KEY, EC_PUBLIC, jws, parts, seal, with_part


def file():
    file = VectorFile(
        "pitfalls.json", "JOSE", "RFC 8725; RFC 7515, 7516, 7518, 7519", "2, 3", "forged and malformed tokens"
    )
    signatures(file)
    claims(file)
    encryption(file)
    return file


def signatures(file):
    group = file.group("JwsVerify")
    payload = b'{"sub":"a"}'
    good = jws({"alg": "ES256"}, payload, EC_KEY)
    signature = unb64u(parts(good)[2])
    r, s = (int.from_bytes(signature[at : at + 32], "big") for at in (0, 32))

    def members(token):
        return {"serialization": "compact", "algs": ["ES256"], "key": EC_PUBLIC, "token": token}

    def valid(comment, token):
        group.valid(comment, "Derived", **members(token), payload=payload.hex())

    def invalid(comment, flag, token, error):
        group.invalid(comment, flag, **members(token), error=error)

    def signed(comment, flag, header, error):
        invalid(comment, flag, jws(header, payload, EC_KEY), error)

    valid("valid", good)
    valid("n - s in place of s", with_part(good, 2, raw(r, N - s)))
    for comment, sig in (
        ("r = s = 0", raw(0, 0)),
        ("r = n", raw(N, s)),
        ("s = 0", raw(r, 0)),
        ("s = n", raw(r, N)),
        ("DER in place of r and s", der(r, s)),
        ("65 octets, a zero in front", b"\0" + signature),
        ("63 octets, the last one missing", signature[:-1]),
        ("no signature", b""),
    ):
        invalid(comment, "BadRange" if "=" in comment else "BadLength", with_part(good, 2, sig), "signatureInvalid")
    invalid("unused bits of the last character set", "BadEncoding", good[:-1] + chr(ord(good[-1]) + 1), "malformed")
    for alg in ("none", "NoNe"):
        token = f"{b64u(compact({'alg': alg}).encode())}.{b64u(payload)}."
        invalid(f"alg {alg}, no signature", "Unsecured", token, "algorithmNotAllowed")
    # The public key in each of its spellings as an HMAC secret.
    point = p256.private(EC_KEY)[1]
    spki = ec.EllipticCurvePublicNumbers(*point, ec.SECP256R1()).public_key()
    pem = spki.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    for comment, secret in (
        ("PEM", pem),
        ("PEM without the last line feed", pem.rstrip()),
        ("DER", spki.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)),
        ("JWK", compact(EC_PUBLIC).encode()),
        ("point", p256.uncompressed(point)),
        ("point without its tag", p256.uncompressed(point)[1:]),
    ):
        signing_input = f"{b64u(compact({'alg': 'HS256'}).encode())}.{b64u(payload)}"
        tag = hmac.new(secret, signing_input.encode(), "sha256").digest()
        token = f"{signing_input}.{b64u(tag)}"
        invalid(f"HS256 with the public key's {comment} as the secret", "AlgorithmPolicy", token, "algorithmNotAllowed")
    signed("unknown critical extension", "Header", '{"alg":"ES256","crit":["urn:x"],"urn:x":1}', "criticalHeaderUnsupported")
    signed("crit is empty", "Header", '{"alg":"ES256","crit":[]}', "headerInvalid")
    signed("crit names a parameter that is absent", "Header", '{"alg":"ES256","crit":["b64"]}', "headerInvalid")
    signed("crit names a parameter of RFC 7515", "Header", '{"alg":"ES256","crit":["alg"]}', "headerInvalid")
    signed("b64 is false and crit is absent", "Header", '{"alg":"ES256","b64":false}', "headerInvalid")
    signed("alg twice", "BadEncoding", '{"alg":"ES256","alg":"none"}', "malformed")
    signed("alg twice, the second with an escape", "BadEncoding", '{"alg":"ES256","\\u0061lg":"none"}', "malformed")
    signed("comma at the end of the header", "BadEncoding", '{"alg":"ES256",}', "malformed")
    signed("byte order mark", "BadEncoding", "\ufeff" + '{"alg":"ES256"}', "malformed")
    signed("UTF-16", "BadEncoding", '{"alg":"ES256"}'.encode("utf-16-le"), "malformed")
    valid("header begins with white space", jws('\n  {"alg":"ES256"}', payload, EC_KEY))


def claims(file):
    group = file.group("JwtVerify")

    def test(payload, policy):
        token = jws({"alg": "ES256"}, payload, EC_KEY)
        return {"serialization": "compact", "algs": ["ES256"], "key": EC_PUBLIC, "jwt": policy, "token": token}

    def invalid(comment, flag, payload, error, **policy):
        group.invalid(comment, flag, **test(payload, {"now": 2, **policy}), error=error)

    invalid("exp is a text", "Claim", b'{"exp":"99999999999"}', "claimInvalid(exp)")
    invalid("exp is true", "Claim", b'{"exp":true}', "claimInvalid(exp)")
    invalid("exp is beyond every double", "BadEncoding", b'{"exp":1e400}', "malformed")
    group.valid(
        "exp with a fraction, half a second from now", "Claim", **test(b'{"exp":4102444800.5}', {"now": 4102444800}),
        claims={"exp": 4102444800.5},
    )
    invalid("aud is an empty array", "Claim", b'{"aud":[]}', "claimInvalid(aud)", audience="me")
    invalid("aud contains a number", "Claim", b'{"aud":["me",1]}', "claimInvalid(aud)", audience="me")
    invalid(
        "aud is decomposed, the expected one composed", "Claim", '{"aud":"e\u0301"}'.encode(), "claimMismatch(aud)",
        audience="\u00e9",
    )
    invalid("aud is a plain text and the token has expired", "Claim", b'{"aud":"me","exp":1}', "claimExpired", audience="me")
    deep = b'{"x":' + b"[" * 2000 + b"]" * 2000 + b"}"
    invalid("payload nested 2000 deep", "Limit", deep, "limitExceeded")


def encryption(file):
    group = file.group("JweDecrypt")
    epk = {name: ALICE[name] for name in ("kty", "crv", "x", "y")}
    base = {"alg": "ECDH-ES", "enc": "A256GCM", "apu": b64u(b"Alice"), "apv": b64u(b"Bob")}

    def content_key(apu=b"Alice", apv=b"Bob", z=Z):
        return concat_kdf(z, other_info("A256GCM", apu, apv, 256), 256)

    def members(token):
        return {"serialization": "compact", "algs": ["ECDH-ES"], "encs": ["A256GCM"], "key": BOB, "token": token}

    def invalid(comment, flag, token, error):
        group.invalid(comment, flag, **members(token), error=error)

    def sealed(header, key=content_key(), **more):
        return seal(header, key, b"hi", **more)

    good = sealed({**base, "epk": epk})
    group.valid("valid", "Derived", **members(good), payload=b"hi".hex())
    y = unb64u(epk["y"])
    for comment, flag, changed, error in (
        ("epk is not on the curve", "InvalidPoint", {**epk, "y": b64u((int.from_bytes(y, "big") + 1).to_bytes(32, "big"))}, "keyInvalid"),
        ("x of epk is p", "BadRange", {**epk, "x": b64u(octets(P))}, "keyInvalid"),
        ("epk is (0, 0)", "InvalidPoint", {**epk, "x": b64u(bytes(32)), "y": b64u(bytes(32))}, "keyInvalid"),
        ("x of epk has 31 octets", "BadLength", {**epk, "x": b64u(unb64u(epk["x"])[1:])}, "keyInvalid"),
        ("epk carries d", "Header", ALICE, "keyInvalid"),
        ("epk is of P-384", "KeyPolicy", {**epk, "crv": "P-384"}, "keyMismatch"),
    ):
        invalid(comment, flag, sealed({**base, "epk": changed}), error)
    tag = unb64u(parts(good)[4])
    invalid("encrypted key beside direct key agreement", "BadLength", with_part(good, 1, bytes(3)), "malformed")
    invalid("tag of 12 octets", "BadLength", with_part(good, 4, tag[:12]), "malformed")
    invalid("a bit of the tag flipped", "Damaged", with_part(good, 4, flipped(tag, 1, 128)), "decryptionFailed")
    invalid(
        "initialization vector of 16 octets", "BadLength", sealed({**base, "epk": epk}, iv=counting(16)), "malformed"
    )
    invalid(
        "apu in the header is not that of the key derivation", "Damaged",
        sealed({**base, "epk": epk}, content_key(apu=b"Mallory")), "decryptionFailed",
    )  # fmt: skip
    invalid("zip", "AlgorithmPolicy", sealed({**base, "epk": epk, "zip": "DEF"}), "algorithmNotAllowed")
    invalid("four segments", "BadEncoding", ".".join(parts(good)[:4]), "malformed")
