"""Nested JWTs (RFC 7519, 5.2): signed first, then encrypted."""

import json

from .agreement import ALICE, BOB
from .envelope import VectorFile
from .jwe import EPK
from .octets import b64u, compact, counting, flipped, unb64u
from .p256 import jwk, multiply
from .rsa import KEY as RSA_KEY
from .rsa import oaep_encrypt
from .tokens import EC_KEY, EC_PUBLIC, HMAC_KEY, agreed_key, jws, parts, seal, with_part

NOW = 1_300_819_000
CLAIMS = {"iss": "joe", "sub": "jane", "aud": "me", "exp": 1_300_819_380}


def encrypt(content, cty="JWT", **more):
    """For Bob, by ECDH-ES."""
    header = {"alg": "ECDH-ES", "enc": "A256GCM", "epk": EPK, **({} if cty is None else {"cty": cty}), **more}
    return seal(header, agreed_key("A256GCM", BOB, ALICE), content.encode())


def file():
    file = VectorFile("jwt_nested.json", "JWT", "RFC 7519", "5.2, 5.3, 11.2", "tokens that are signed and then encrypted")
    group = file.group("JwtVerify")
    policy = {"now": NOW, "issuer": "joe", "audience": "me", "requiredClaims": ["exp"]}

    def members(token, **changes):
        inner = {"serialization": "compact", "algs": ["ES256"], "key": EC_PUBLIC}
        outer = {"serialization": "compact", "algs": ["ECDH-ES"], "encs": ["A256GCM"], "key": BOB, "jwt": policy}
        return {**outer, "token": token, "inner": inner, **changes}

    def valid(comment, token, *flags, **changes):
        group.valid(comment, "Derived", *flags, **members(token, **changes), claims=CLAIMS)

    def invalid(comment, token, error, *flags, **changes):
        group.invalid(comment, *flags, **members(token, **changes), error=error)

    payload = compact(CLAIMS).encode()
    signed = jws({"typ": "JWT", "alg": "ES256"}, payload, EC_KEY)
    token = encrypt(signed)
    valid("signed with ES256, encrypted with ECDH-ES", token)
    for cty in ("jwt", "Jwt", "application/jwt", "APPLICATION/JWT"):
        valid(f"cty {cty}", encrypt(signed, cty), "Header")
    for comment, cty in (
        ("absent", None), ("empty", ""), ("json", "json"), ("text/jwt", "text/jwt"), ("with a parameter", "jwt;x=1"),
        ("with the long s", "jwt\u017f"), ("with a space", "JWT "),
    ):  # fmt: skip
        invalid(f"cty {comment}", encrypt(signed, cty), "headerInvalid(cty)", "Header")
    invalid("cty is a number", encrypt(signed, 1), "headerInvalid(cty)", "Header")
    hmac = {"serialization": "compact", "algs": ["HS256"], "key": HMAC_KEY}
    valid("signed with HS256", encrypt(jws({"alg": "HS256"}, payload, HMAC_KEY)), inner=hmac)
    direct_key, direct = counting(32, 9), {"kty": "oct", "k": b64u(counting(32, 9))}
    by_dir = {"algs": ["dir"], "key": direct}
    valid("encrypted with dir", seal({"alg": "dir", "enc": "A256GCM", "cty": "JWT"}, direct_key, signed.encode()), **by_dir)
    for alg, sha in (("RSA-OAEP", "SHA-1"), ("RSA-OAEP-256", "SHA-256")):
        key = counting(32, 5)
        header = {"alg": alg, "enc": "A256GCM", "cty": "JWT"}
        sealed = seal(header, key, signed.encode(), encrypted_key=oaep_encrypt(sha, key))
        valid(f"encrypted with {alg}", sealed, algs=[alg], key=RSA_KEY)
        damaged = with_part(sealed, 1, flipped(unb64u(parts(sealed)[1])))
        invalid(f"{alg}, encrypted key damaged", damaged, "decryptionFailed", "Damaged", algs=[alg], key=RSA_KEY)

    # What the encryption holds is not a token that was signed by the one trusted key.
    unsecured = b64u(b'{"alg":"none"}') + "." + b64u(payload) + "."
    invalid("claims that are only encrypted", encrypt(payload.decode()), "malformed", "Unsecured")
    invalid("an unsecured token inside", encrypt(unsecured), "algorithmNotAllowed", "Unsecured")
    invalid("nothing inside", encrypt(""), "malformed")
    invalid("a JSON serialization inside", encrypt('{"payload":"","signatures":[]}'), "malformed")
    stranger = {**jwk(multiply(7)), "d": b64u((7).to_bytes(32, "big"))}
    invalid("signed by somebody else", encrypt(jws({"alg": "ES256"}, payload, stranger)), "signatureInvalid", "WrongKey")
    invalid("signature left out", encrypt(with_part(signed, 2, "")), "signatureInvalid", "Damaged")
    damaged = with_part(signed, 2, flipped(unb64u(parts(signed)[2])))
    invalid("signature damaged", encrypt(damaged), "signatureInvalid", "Damaged")
    by_hmac = jws({"alg": "HS256"}, payload, HMAC_KEY)
    invalid("signed with an algorithm that is not allowed", encrypt(by_hmac), "algorithmNotAllowed", "AlgorithmPolicy")
    invalid("a line feed after the signed token", encrypt(signed + "\n"), "malformed", "BadEncoding")
    # Other shapes.
    invalid("signed and not encrypted", signed, "malformed")
    invalid("encrypted twice", encrypt(token), "limitExceeded(nestingDepth)", "Limit")
    twice = jws({"alg": "ES256", "cty": "JWT"}, signed.encode(), EC_KEY)
    invalid("signed twice", encrypt(twice), "limitExceeded(nestingDepth)", "Limit")
    invalid("encrypted first and then signed", jws({"alg": "ES256", "cty": "JWT"}, token.encode(), EC_KEY), "malformed")
    # The encryption itself.
    invalid("tag damaged", with_part(token, 4, flipped(unb64u(parts(token)[4]))), "decryptionFailed", "Damaged")
    invalid("another recipient's key", token, "decryptionFailed", "WrongKey", key=ALICE)
    invalid("content encryption that is not allowed", token, "algorithmNotAllowed", "AlgorithmPolicy", encs=["A128GCM"])
    invalid("key management that is not allowed", token, "algorithmNotAllowed", "AlgorithmPolicy", **by_dir)
    invalid("compressed", encrypt(signed, zip="DEF"), "algorithmNotAllowed", "Header")
    invalid("an extension that must be understood", encrypt(signed, crit=["exp"], exp=1), "criticalHeaderUnsupported", "Header")
    # Claims that the header of the encryption repeats.
    for repeated in ({"iss": "joe"}, {"sub": "jane"}, {"aud": "me"}, {"aud": ["me"]}, {"iss": "joe", "sub": "jane", "aud": "me"}):
        valid(f"repeated in the header: {compact(repeated)}", encrypt(signed, **repeated), "Claim")
    for repeated in ({"iss": "Joe"}, {"iss": None}, {"sub": "jan"}, {"sub": ["jane"]}, {"aud": "you"}, {"aud": []}, {"aud": ["me", "you"]}):
        name = next(iter(repeated))
        invalid(f"repeated otherwise: {compact(repeated)}", encrypt(signed, **repeated), f"claimMismatch({name})", "Claim")
    # The policy holds for the claims inside.
    for comment, change, error in (
        ("expired", {"exp": NOW}, "claimExpired"), ("another issuer", {"iss": "jo"}, "claimMismatch(iss)"),
        ("another audience", {"aud": ["you"]}, "claimMismatch(aud)"), ("exp is a text", {"exp": "1"}, "claimInvalid(exp)"),
    ):  # fmt: skip
        changed = jws({"alg": "ES256"}, compact({**CLAIMS, **change}).encode(), EC_KEY)
        invalid(comment, encrypt(changed), error, "Claim")
    without = compact({name: value for name, value in CLAIMS.items() if name != "exp"}).encode()
    invalid("no exp", encrypt(jws({"alg": "ES256"}, without, EC_KEY)), "claimMissing(exp)", "Claim")
    assert json.loads(payload) == CLAIMS
    return file
