"""JWS in compact form (RFC 7515): ES256 and HS256."""

from .envelope import VectorFile
from .octets import b64u, compact, counting, flipped, unb64u
from .p256 import jwk, multiply
from .tokens import CLAIMS, EC_KEY, EC_PUBLIC, HMAC_KEY, jws, parts, text, with_part

A1 = (
    "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9."
    "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ."
    "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
)
A3 = (
    "eyJhbGciOiJFUzI1NiJ9."
    "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ."
    "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"
)
A5 = (
    "eyJhbGciOiJub25lIn0."
    "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ."
)
APPENDIX_E = (
    "eyJhbGciOiJub25lIiwNCiAiY3JpdCI6WyJodHRwOi8vZXhhbXBsZS5jb20vVU5ERUZJTkVEIl0sDQogImh0dHA6Ly9leGFtcGxlLmNvbS9VTkRF"
    "RklORUQiOnRydWUNCn0.RkFJTA."
)


def file():
    file = VectorFile("jws.json", "JWS", "RFC 7515", "Appendix A.1, A.3, A.5, E", "compact JWS with ES256 and HS256")
    group = file.group("JwsVerify")

    def members(algs, key, token):
        keys = {"jwks": key} if "keys" in key else {"key": key}
        return {"serialization": "compact", "algs": algs, **keys, "token": token}

    def valid(comment, alg, key, token, payload, *flags):
        group.valid(comment, *flags, **members([alg], key, token), payload=payload.hex())

    def invalid(comment, alg, key, token, error, *flags):
        expected = {"error": error} if error else {}
        group.invalid(comment, *flags, **members([alg], key, token), **expected)

    assert jws('{"typ":"JWT",\r\n "alg":"HS256"}', CLAIMS, HMAC_KEY) == A1
    other_secret = {"kty": "oct", "k": b64u(counting(64, 7, 5))}
    other_pair = jwk(multiply(7))
    for name, alg, token, key, wrong in (
        ("A.1", "HS256", A1, HMAC_KEY, other_secret),
        ("A.3", "ES256", A3, EC_PUBLIC, other_pair),
    ):
        header, payload, signature = (unb64u(part) for part in parts(token))
        assert payload == CLAIMS
        valid(f"RFC 7515, {name}", alg, key, token, payload, "Figure")
        for comment, changed in (
            ("last bit of the signature flipped", with_part(token, 2, flipped(signature))),
            ("first bit of the signature flipped", with_part(token, 2, flipped(signature, 0, 128))),
            ("last octet of the payload changed", with_part(token, 1, flipped(payload))),
            ("payload left out", with_part(token, 1, "")),
            ("a space added to the header", with_part(token, 0, header[:-1] + b" }")),
            ("last octet of the signature missing", with_part(token, 2, signature[:-1])),
            ("first octet of the signature missing", with_part(token, 2, signature[1:])),
            ("zero octet after the signature", with_part(token, 2, signature + b"\0")),
            ("half of the signature", with_part(token, 2, signature[: len(signature) // 2])),
            ("signature twice", with_part(token, 2, signature + signature)),
            ("signature of zeros", with_part(token, 2, bytes(len(signature)))),
            ("signature left out", with_part(token, 2, "")),
        ):
            invalid(f"{name}: {comment}", alg, key, changed, "signatureInvalid", "Damaged")
        invalid(f"{name}: another key", alg, wrong, token, "signatureInvalid", "WrongKey")
        if alg == "HS256":
            continue
        encoded = parts(token)
        for comment, changed in (
            ("header left out", with_part(token, 0, "")),
            ("signature segment missing", ".".join(encoded[:2])),
            ("header alone", encoded[0]),
            ("a fourth segment, empty", token + "."),
            ("a fourth segment", token + "." + encoded[1]),
            ("five segments, as a JWE has", token + "." + encoded[1] + "." + encoded[2]),
            ("nothing", ""),
            ("two full stops", ".."),
            ("full stop in front", "." + token),
            ("header padded", with_part(token, 0, encoded[0] + "=")),
            ("payload padded", with_part(token, 1, encoded[1] + "=")),
            ("signature padded", with_part(token, 2, encoded[2] + "==")),
            ("unused bits of the signature set", token[:-1] + chr(ord(token[-1]) + 1)),
            ("line feed at the end", token + "\n"),
            ("space in front", " " + token),
            ("zero octet at the end", token + "\0"),
            ("combining accent behind a full stop", token.replace(".", ".\u0301", 1)),
            ("full-width full stop", token.replace(".", "\uff0e", 1)),
            ("signature in the other alphabet", with_part(token, 2, encoded[2].replace("-", "+").replace("_", "/"))),
            ("header cut short", with_part(token, 0, header[:-1])),
            ("two header objects", with_part(token, 0, header + header)),
            ("JSON serialization", compact(dict(zip(("protected", "payload", "signature"), encoded)))),
        ):
            invalid(f"{name}: {comment}", alg, key, changed, "malformed", "BadEncoding")
    invalid("A.1 where only ES256 is allowed", "ES256", EC_PUBLIC, A1, "algorithmNotAllowed", "AlgorithmPolicy")
    invalid("A.3 where only HS256 is allowed", "HS256", HMAC_KEY, A3, "algorithmNotAllowed", "AlgorithmPolicy")
    invalid("HS256 with a public key", "HS256", EC_PUBLIC, A1, "keyMismatch", "KeyPolicy")
    invalid("ES256 with a symmetric key", "ES256", HMAC_KEY, A3, "keyMismatch", "KeyPolicy")
    invalid("A.5, unsecured", "HS256", HMAC_KEY, A5, "algorithmNotAllowed", "Figure", "Unsecured")
    invalid("Appendix E, unsecured and critical", "HS256", HMAC_KEY, APPENDIX_E, None, "Figure", "Unsecured", "Header")
    for alg in ("none", "None", "NONE", "nOnE", "none ", " none", "", "HS257", "hs256", "HS256 ", "HS256\u0301", "H\uff33256", "a" * 300):
        flag = "Unsecured" if alg.strip().lower() == "none" else "AlgorithmPolicy"
        token = jws({"alg": alg}, b"x", HMAC_KEY)
        shown = alg if len(alg) < 30 else "300 letters"
        invalid(f"correct HMAC, alg is {shown!a}", "HS256", HMAC_KEY, token, "algorithmNotAllowed", flag)
        if flag == "Unsecured":
            token = with_part(token, 2, "")
            invalid(f"no signature, alg is {shown!a}", "HS256", HMAC_KEY, token, "algorithmNotAllowed", flag)

    # From here on every MAC and every signature is correct: only the header or the key decides.
    def headers(comment, header, error, payload=b"x"):
        if error is None:
            for alg, key, trusted in (("HS256", HMAC_KEY, HMAC_KEY), ("ES256", EC_KEY, EC_PUBLIC)):
                token = jws(text(header).replace(b"ALG", alg.encode()), payload, key)
                valid(f"{alg}: {comment}", alg, trusted, token, payload, "Derived")
        else:
            token = jws(text(header).replace(b"ALG", b"ES256"), payload, EC_KEY)
            flag = "BadEncoding" if error == "malformed" else "Header"
            invalid(comment, "ES256", EC_PUBLIC, token, error, flag)

    headers("smallest header", '{"alg":"ALG"}', None)
    headers("empty payload", '{"alg":"ALG"}', None, b"")
    headers("payload of every octet", '{"alg":"ALG"}', None, counting(256))
    headers("white space around everything", '\r\n\t {\t"alg" :\n "ALG" } ', None)
    headers("name of alg spelled with an escape", '{"\\u0061lg":"ALG"}', None)
    token = jws('{"alg":"\\u0048S25\\u0036"}', b"x", HMAC_KEY)
    valid("HS256: value of alg spelled with escapes", "HS256", HMAC_KEY, token, b"x", "Derived")
    headers("parameters that nobody knows", '{"alg":"ALG","a":1,"b":null,"c":[{}],"http://example.com/x":true}', None)
    headers("names that differ only by normalization", '{"alg":"ALG","\u00e9":1,"e\u0301":2}', None)
    headers("typ and cty", '{"alg":"ALG","typ":"JOSE","cty":"text/plain"}', None)
    headers("alg missing", "{}", "headerInvalid")
    headers("alg is a number", '{"alg":256}', "headerInvalid")
    headers("alg is null", '{"alg":null}', "headerInvalid")
    headers("alg is true", '{"alg":true}', "headerInvalid")
    headers("alg in an array", '{"alg":["ALG"]}', "headerInvalid")
    headers("alg in an object", '{"alg":{"alg":"ALG"}}', "headerInvalid")
    headers("kid is a number", '{"alg":"ALG","kid":1}', "headerInvalid")
    headers("typ is a number", '{"alg":"ALG","typ":1}', "headerInvalid")
    headers("cty is null", '{"alg":"ALG","cty":null}', "headerInvalid")
    headers("unknown extension that is critical", '{"alg":"ALG","crit":["x"],"x":1}', "criticalHeaderUnsupported")
    headers("crit is empty", '{"alg":"ALG","crit":[]}', "headerInvalid")
    headers("crit is a text", '{"alg":"ALG","crit":"x","x":1}', "headerInvalid")
    headers("crit is null", '{"alg":"ALG","crit":null}', "headerInvalid")
    headers("crit contains a number", '{"alg":"ALG","crit":[1]}', "headerInvalid")
    headers("crit contains a name twice", '{"alg":"ALG","crit":["x","x"],"x":1}', "headerInvalid")
    headers("crit names a parameter of RFC 7515", '{"alg":"ALG","crit":["kid"],"kid":"a"}', "headerInvalid")
    headers("header is an array", '[{"alg":"ALG"}]', "malformed")
    headers("header is a text", '"ALG"', "malformed")
    headers("header is not JSON", "ALG", "malformed")
    headers("header is null", "null", "malformed")
    headers("alg twice", '{"alg":"ALG","alg":"ALG"}', "malformed")
    headers("alg twice, the second none", '{"alg":"ALG","alg":"none"}', "malformed")
    headers("alg twice, the first with an escape", '{"\\u0061lg":"none","alg":"ALG"}', "malformed")
    headers("a member twice deep inside", '{"alg":"ALG","x":[{"y":{"z":1,"z":1}}]}', "malformed")
    headers("text behind the object", '{"alg":"ALG"}x', "malformed")
    headers("comment", '{"alg":"ALG"/**/}', "malformed")
    headers("single quotes", "{'alg':'ALG'}", "malformed")
    headers("comma at the end", '{"alg":"ALG",}', "malformed")
    headers("number with a leading zero", '{"alg":"ALG","x":01}', "malformed")
    headers("number that is not one", '{"alg":"ALG","x":NaN}', "malformed")
    headers("control character in a text", '{"alg":"ALG","x":"\x01"}', "malformed")
    headers("half of a surrogate pair", '{"alg":"ALG","x":"\\ud83d"}', "malformed")
    headers("surrogates in the wrong order", '{"alg":"ALG","x":"\\udd11\\ud83d"}', "malformed")
    headers("byte order mark", "\ufeff" + '{"alg":"ALG"}', "malformed")
    headers("UTF-16", '{"alg":"ALG"}'.replace("ALG", "HS256").encode("utf-16-le"), "malformed")
    for comment, octets in (("overlong UTF-8", b"\xc0\xaf"), ("surrogate in UTF-8", b"\xed\xa0\x80"), ("half of a character", b"\xc3")):
        headers(comment, b'{"alg":"ALG","x":"' + octets + b'"}', "malformed")

    # Keys: what a JWK says about itself binds it.
    token = jws({"alg": "ES256"}, b"x", EC_KEY)
    for comment, changes, error in (
        ("use is sig", {"use": "sig"}, None),
        ("key_ops is verify", {"key_ops": ["verify"]}, None),
        ("alg is ES256", {"alg": "ES256"}, None),
        ("alg is ES384", {"alg": "ES384"}, "keyMismatch"),
        ("alg is ECDH-ES", {"alg": "ECDH-ES"}, "keyMismatch"),
        ("use is enc", {"use": "enc"}, "keyMismatch"),
        ("key_ops without verify", {"key_ops": ["deriveBits"]}, "keyMismatch"),
        ("key_ops is sign alone", {"key_ops": ["sign"]}, "keyMismatch"),
    ):
        key = {**EC_PUBLIC, **changes}
        if error:
            invalid(f"ES256, the key's {comment}", "ES256", key, token, error, "KeyPolicy")
        else:
            valid(f"ES256, the key's {comment}", "ES256", key, token, b"x", "Derived")
    token = jws({"alg": "HS256"}, b"x", HMAC_KEY)
    invalid("HS256, the key's use is enc", "HS256", {**HMAC_KEY, "use": "enc"}, token, "keyMismatch", "KeyPolicy")
    invalid("HS256, the key's alg is A256GCM", "HS256", {**HMAC_KEY, "alg": "A256GCM"}, token, "keyMismatch", "KeyPolicy")
    for length in (1, 6, 31, 32, 33, 64, 65, 128):
        key = {"kty": "oct", "k": b64u(counting(length, 1))}
        token = jws({"alg": "HS256"}, b"x", key)
        if length < 32:
            invalid(f"HS256, key of {length} octets", "HS256", key, token, "keyTooWeak", "KeyPolicy", "BadLength")
        else:
            valid(f"HS256, key of {length} octets", "HS256", key, token, b"x", "Derived", "EdgeCase")

    # Key sets: kid chooses, and an unknown kid never falls back to another key.
    second = jwk(multiply(11), 11)
    public = [{**EC_PUBLIC, "kid": "one"}, {**jwk(multiply(11)), "kid": "two"}]
    strange = [
        {"kty": "AKP", "alg": "ML-DSA-44", "pub": "AA", "kid": "three"},
        {**EC_PUBLIC, "x": EC_PUBLIC["y"], "kid": "four"},
        {"kty": "EC", "crv": "P-256", "kid": "five"},
        {"kty": "OKP", "crv": "Ed448", "x": "AA", "kid": "six"},
        {"kid": "seven"},
    ]
    for comment, keys in (("two keys", public), ("two keys among unusable ones", strange + public)):
        jwks = {"keys": keys}
        for kid, key in (("one", EC_KEY), ("two", second)):
            valid(f"{comment}, kid {kid}", "ES256", jwks, jws({"alg": "ES256", "kid": kid}, b"x", key), b"x", "Derived")
            other = "two" if kid == "one" else "one"
            crossed = jws({"alg": "ES256", "kid": other}, b"x", key)
            invalid(f"{comment}, kid {other}, signed by {kid}", "ES256", jwks, crossed, "signatureInvalid", "WrongKey")
        for kid in ("One", "one ", "", "../one", "\u00f6ne"):
            token = jws({"alg": "ES256", "kid": kid}, b"x", EC_KEY)
            invalid(f"{comment}, unknown kid {kid!a}", "ES256", jwks, token, "keyNotFound", "KeyPolicy")
    for kid in ("three", "four", "five", "six", "seven"):
        token = jws({"alg": "ES256", "kid": kid}, b"x", EC_KEY)
        invalid(f"kid of the unusable key {kid}", "ES256", {"keys": strange + public}, token, "keyNotFound", "KeyPolicy")
    token = jws({"alg": "ES256", "kid": "nobody"}, b"x", EC_KEY)
    invalid("a set with one key, unknown kid", "ES256", {"keys": public[:1]}, token, "keyNotFound", "KeyPolicy")
    invalid("an empty set", "ES256", {"keys": []}, token, "keyNotFound", "KeyPolicy")
    attacker = jwk(multiply(13), 13)
    token = jws({"alg": "ES256", "jwk": jwk(multiply(13))}, b"x", attacker)
    invalid("the signing key stands in the header", "ES256", EC_PUBLIC, token, "signatureInvalid", "WrongKey", "Header")
    token = jws({"alg": "HS256", "kid": "one"}, b"x", {"kty": "oct", "k": b64u(counting(32))})
    mixed = {"keys": [public[0], {"kty": "oct", "k": HMAC_KEY["k"], "kid": "two", "alg": "HS256"}]}
    group.invalid("kid of a key of another algorithm", "KeyPolicy", **members(["ES256", "HS256"], mixed, token))

    sign = file.group("JwsSign")
    for alg, key in (("HS256", HMAC_KEY), ("ES256", EC_KEY)):
        for comment, header, payload in (
            ("alg alone", {"alg": alg}, CLAIMS),
            ("kid and typ", {"typ": "JWT", "alg": alg, "kid": "k1"}, CLAIMS),
            ("empty payload", {"alg": alg}, b""),
            ("payload of every octet", {"alg": alg}, counting(256)),
        ):
            sign.valid(
                f"{alg}: {comment}", "Derived", alg=alg, key=key, protected=compact(header), payload=payload.hex(),
                token=jws(header, payload, key),
            )
    return file
