"""JWT claims (RFC 7519) under the policy of a verifier."""

import json

from .envelope import VectorFile
from .octets import compact
from .tokens import CLAIMS, EC_KEY, EC_PUBLIC, HMAC_KEY, jws

NOW = 1_300_819_000
EXP = 1_300_819_380


def file():
    file = VectorFile("jwt.json", "JWT", "RFC 7519", "3.1, 4.1, 6.1, 7.2", "claims of signed tokens")
    group = file.group("JwtVerify")

    def test(payload, policy, key, trusted, header):
        payload = payload if isinstance(payload, bytes) else compact(payload).encode()
        alg = "HS256" if key["kty"] == "oct" else "ES256"
        return {
            "serialization": "compact", "algs": [alg], "key": trusted, "jwt": {"now": NOW, **policy},
            "token": jws({"alg": alg, **header}, payload, key),
        }  # fmt: skip

    def valid(comment, payload, flag="Derived", key=EC_KEY, trusted=EC_PUBLIC, header={}, **policy):
        claims = json.loads(payload) if isinstance(payload, bytes) else payload
        group.valid(comment, flag, "Claim", **test(payload, policy, key, trusted, header), claims=claims)

    def invalid(comment, payload, error, key=EC_KEY, trusted=EC_PUBLIC, header={}, **policy):
        group.invalid(comment, "Claim", **test(payload, policy, key, trusted, header), error=error)

    example = test(CLAIMS, {"issuer": "joe"}, HMAC_KEY, HMAC_KEY, {})
    example["token"] = jws('{"typ":"JWT",\r\n "alg":"HS256"}', CLAIMS, HMAC_KEY)
    assert example["token"].endswith(".dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
    group.valid("RFC 7519, 3.1", "Figure", **example, claims=json.loads(CLAIMS))
    unsecured = "eyJhbGciOiJub25lIn0." + example["token"].split(".")[1] + "."
    group.invalid(
        "RFC 7519, 6.1, unsecured", "Figure", "Unsecured", **{**example, "token": unsecured}, error="algorithmNotAllowed"
    )

    # exp: refused from the moment it names.
    for leeway in (0, 1, 60):
        for difference in (-61, -60, -59, -2, -1, 0, 1, 60):
            comment = f"exp is now {difference:+}, leeway {leeway}"
            if difference + leeway > 0:
                valid(comment, {"exp": NOW + difference}, leeway=leeway)
            else:
                invalid(comment, {"exp": NOW + difference}, "claimExpired", leeway=leeway)
    # nbf: accepted from the moment it names.
    for leeway in (0, 60):
        for difference in (-1, 0, 1, 59, 60, 61):
            comment = f"nbf is now {difference:+}, leeway {leeway}"
            if difference <= leeway:
                valid(comment, {"nbf": NOW + difference}, leeway=leeway)
            else:
                invalid(comment, {"nbf": NOW + difference}, "claimNotYetValid", leeway=leeway)
    valid("exp with a fraction, not yet over", b'{"exp":1300819000.5}')
    invalid("exp with a fraction, just over", b'{"exp":1300818999.5}', "claimExpired")
    valid("exp with an exponent", b'{"exp":1.3008191e9}')
    valid("exp far away", {"exp": 253402300800})
    valid("exp of 2^53", {"exp": 2**53})
    # Later than the last second that counts: as late as that.
    valid("exp above 2^53", {"exp": 2**53 + 2})
    valid("exp of 1e300", b'{"exp":1e300}')
    invalid("exp of -1e300", b'{"exp":-1e300}', "claimExpired")
    invalid("exp of 1e400", b'{"exp":1e400}', "malformed")
    invalid("exp is 0", {"exp": 0}, "claimExpired")
    invalid("exp is negative", {"exp": -1}, "claimExpired")
    valid("iat in the past", {"iat": NOW - 1})

    # A registered claim of the wrong kind is an error, whether or not the policy asks for it; null is no claim.
    for name, legal in (
        ("iss", (str,)), ("sub", (str,)), ("jti", (str,)), ("exp", (int,)), ("nbf", (int,)), ("iat", (int,)),
    ):  # fmt: skip
        for value in (None, True, "1", 1, [], {}):
            if value is None:
                valid(f"{name} is null", {name: None})
            elif type(value) not in legal:
                invalid(f"{name} is {compact(value)}", {name: value}, f"claimInvalid({name})")
    invalid("aud is null", {"aud": None}, "claimMissing(aud)", audience="me")
    for value in (True, 1, {}, [], [1], ["me", 1], [["me"]], ["me", None]):
        invalid(f"aud is {compact(value)}", {"aud": value}, "claimInvalid(aud)", audience="me")

    # iss, sub and aud are compared octet by octet.
    valid("issuer as expected", {"iss": "https://a.example"}, issuer="https://a.example")
    for comment, value in (
        ("in other case", "https://A.example"), ("with a slash at the end", "https://a.example/"), ("cut short", "https://a.exampl"),
        ("empty", ""), ("with a space", "https://a.example "),
    ):  # fmt: skip
        invalid(f"issuer {comment}", {"iss": value}, "claimMismatch(iss)", issuer="https://a.example")
    invalid("issuer missing", {}, "claimMissing(iss)", issuer="https://a.example")
    invalid("issuer decomposed", {"iss": "e\u0301"}, "claimMismatch(iss)", issuer="\u00e9")
    valid("subject as expected", {"sub": "alice"}, subject="alice")
    invalid("another subject", {"sub": "Alice"}, "claimMismatch(sub)", subject="alice")
    invalid("subject missing", {}, "claimMissing(sub)", subject="alice")
    invalid("subject with the Kelvin sign", {"sub": "\u212a"}, "claimMismatch(sub)", subject="K")
    for value in ("me", ["me"], ["other", "me"], ["me", "other"]):
        valid(f"audience {compact(value)}", {"aud": value}, audience="me")
    for value in ("Me", "me ", "", ["other"], ["m", "e"], "other"):
        invalid(f"audience {compact(value)}", {"aud": value}, "claimMismatch(aud)", audience="me")
    invalid("audience missing", {}, "claimMissing(aud)", audience="me")
    invalid("audience that the policy does not mention", {"aud": "me"}, "claimMismatch(aud)")

    # typ: letters of ASCII without case, application/ understood.
    for value in ("at+jwt", "AT+JWT", "application/at+jwt", "Application/AT+jwt"):
        valid(f"typ {value}", {}, header={"typ": value}, typ="at+jwt")
    for value in ("JWT", "at+jwt;x=1", "text/at+jwt", "at+jwt ", "", "at+\u017fwt"):
        invalid(f"typ {value!a}", {}, "typeMismatch", header={"typ": value}, typ="at+jwt")
    invalid("typ missing", {}, "typeMismatch", typ="at+jwt")
    invalid("typ with the Kelvin sign", {}, "typeMismatch", header={"typ": "\u212a+jwt"}, typ="k+jwt")

    valid("required claim", {"jti": "1", "x": None}, requiredClaims=["jti"])
    invalid("required claim missing", {"sub": "1"}, "claimMissing(jti)", requiredClaims=["jti"])
    invalid("required exp missing", {}, "claimMissing(exp)", requiredClaims=["exp"])
    invalid("required claim by a name of other case", {"JTI": "1"}, "claimMissing(jti)", requiredClaims=["jti"])
    valid("no claims", {})
    valid("claims that nobody knows", {"a": 1, "b": [None, {"c": "d"}], "": True})
    valid("names that differ only by normalization", {"\u00e9": 1, "e\u0301": 2})
    for comment, payload in (
        ("an array", b"[]"),
        ("a text", b'"x"'),
        ("null", b"null"),
        ("a number", b"1"),
        ("nothing", b""),
        ("not JSON", b"x"),
        ("two objects", b"{}{}"),
        ("a claim twice", b'{"sub":"a","sub":"a"}'),
        ("a claim twice, once with an escape", b'{"sub":"a","s\\u0075b":"b"}'),
        ("a member twice deep inside", b'{"a":[{"b":{"c":1,"c":1}}]}'),
        ("not UTF-8", b'{"sub":"\xff"}'),
        ("a byte order mark", b"\xef\xbb\xbf{}"),
    ):
        group.invalid(
            f"claims set is {comment}", "BadEncoding", **test(payload, {}, EC_KEY, EC_PUBLIC, {}), error="malformed"
        )
    deep = b'{"a":' + b"[" * 100 + b"]" * 100 + b"}"
    group.invalid("claims nested 101 deep", "Limit", **test(deep, {}, EC_KEY, EC_PUBLIC, {}), error="limitExceeded")
    expired = test({"exp": NOW - 10}, {}, EC_KEY, EC_PUBLIC, {})
    expired["token"] = expired["token"][:-4] + "AAAA"
    group.invalid("expired and forged: the signature is judged first", "Damaged", **expired, error="signatureInvalid")
    return file
