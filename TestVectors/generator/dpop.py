"""DPoP proofs (RFC 9449)."""

import hashlib

from .envelope import VectorFile
from .octets import b64u, compact, flipped, unb64u
from .p256 import jwk, multiply
from .tokens import EC_KEY, EC_PUBLIC, HMAC_KEY, jws, parts, with_part

NOW = 1_562_262_618
URL = "https://resource.example.org/protectedresource"
# RFC 9449, 4.1 and 7.1: a proof for a token request, and one for a resource.
TOKEN_PROOF = (
    "eyJ0eXAiOiJkcG9wK2p3dCIsImFsZyI6IkVTMjU2IiwiandrIjp7Imt0eSI6IkVDIiwieCI6Imw4dEZyaHgtMzR0VjNoUklDUkRZOXpDa0RscEJo"
    "RjQyVVFVZldWQVdCRnMiLCJ5IjoiOVZFNGpmX09rX282NHpiVFRsY3VOSmFqSG10NnY5VERWclUwQ2R2R1JEQSIsImNydiI6IlAtMjU2In19."
    "eyJqdGkiOiItQndDM0VTYzZhY2MybFRjIiwiaHRtIjoiUE9TVCIsImh0dSI6Imh0dHBzOi8vc2VydmVyLmV4YW1wbGUuY29tL3Rva2VuIiwiaWF0"
    "IjoxNTYyMjYyNjE2fQ."
    "2-GxA6T8lP4vfrg8v-FdWP0A0zdrj8igiMLvqRMUvwnQg4PtFLbdLXiOSsX0x7NVY-FNyJK70nfbV37xRZT3Lg"
)
RESOURCE_PROOF = (
    "eyJ0eXAiOiJkcG9wK2p3dCIsImFsZyI6IkVTMjU2IiwiandrIjp7Imt0eSI6IkVDIiwieCI6Imw4dEZyaHgtMzR0VjNoUklDUkRZOXpDa0RscEJo"
    "RjQyVVFVZldWQVdCRnMiLCJ5IjoiOVZFNGpmX09rX282NHpiVFRsY3VOSmFqSG10NnY5VERWclUwQ2R2R1JEQSIsImNydiI6IlAtMjU2In19."
    "eyJqdGkiOiJlMWozVl9iS2ljOC1MQUVCIiwiaHRtIjoiR0VUIiwiaHR1IjoiaHR0cHM6Ly9yZXNvdXJjZS5leGFtcGxlLm9yZy9wcm90ZWN0ZWRy"
    "ZXNvdXJjZSIsImlhdCI6MTU2MjI2MjYxOCwiYXRoIjoiZlVIeU8ycjJaM0RaNTNFc05yV0JiMHhXWG9hTnk1OUlpS0NBcWtzbVFFbyJ9."
    "2oW9RP35yRqzhrtNP86L-Ey71EOptxRimPPToA1plemAgR6pxHF8y6-yqyVnmcw6Fy1dqd-jfxSYoMxhAJpLjA"
)
# RFC 9449, 7.1: the access token of the second proof.
ACCESS_TOKEN = "Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU"
THUMBPRINT = "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I"


def thumbprint(key):
    members = {name: key[name] for name in ("crv", "kty", "x", "y")}
    return b64u(hashlib.sha256(compact(members).encode()).digest())


def access_token_hash(token):
    return b64u(hashlib.sha256(token.encode()).digest())


def file():
    file = VectorFile("dpop.json", "DPoP", "RFC 9449", "4.1 to 4.3, 7.1", "proofs of possession")
    group = file.group("DpopVerify", algs=["ES256"])
    request = {"method": "GET", "url": URL, "now": NOW}
    mine = thumbprint(EC_PUBLIC)
    basic_claims = {"jti": "1", "htm": "GET", "htu": URL, "iat": NOW}
    basic_header = {"typ": "dpop+jwt", "alg": "ES256", "jwk": EC_PUBLIC}

    def proof(claims={}, header={}, without=(), key=EC_KEY):
        whole = {name: value for name, value in {**basic_claims, **claims}.items() if name not in without}
        top = {name: value for name, value in {**basic_header, **header}.items() if name not in without}
        return jws(top, compact(whole).encode(), key)

    def valid(comment, text, *flags, jkt=mine, **changes):
        group.valid(comment, *(flags or ("Derived",)), **{**request, **changes}, proof=text, jkt=jkt)

    def invalid(comment, text, error, flag="Claim", **changes):
        group.invalid(comment, flag, **{**request, **changes}, proof=text, error=error)

    first = {"method": "POST", "url": "https://server.example.com/token", "now": 1_562_262_616}
    valid("RFC 9449, 4.1", TOKEN_PROOF, "Figure", jkt=THUMBPRINT, **first)
    second = {"accessToken": ACCESS_TOKEN, "boundTo": THUMBPRINT}
    valid("RFC 9449, 7.1", RESOURCE_PROOF, "Figure", jkt=THUMBPRINT, **second)
    assert access_token_hash(ACCESS_TOKEN) == "fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo"
    invalid("RFC 9449, 4.1, at another place", TOKEN_PROOF, "claimMismatch(htu)", **{**first, "url": URL})

    valid("a request without an access token", proof())
    valid("claims that nobody knows", proof({"x": [1]}))
    for comment, difference, error in (
        ("made now", 0, None), ("made 60 seconds ago", -60, None), ("made 61 seconds ago", -61, "claimExpired(iat)"),
        ("made in 5 seconds", 5, None), ("made in 6 seconds", 6, "claimNotYetValid(iat)"),
    ):  # fmt: skip
        text = proof({"iat": NOW + difference})
        invalid(comment, text, error) if error else valid(comment, text)
    for name in ("htm", "iat", "jti"):
        invalid(f"{name} missing", proof(without=(name,)), f"claimMissing({name})")
    invalid("htu missing", proof(without=("htu",)), "claimMismatch(htu)")
    invalid("jti empty", proof({"jti": ""}), "claimMissing(jti)")
    invalid("jti too long", proof({"jti": "a" * 1025}), "limitExceeded(jti)", "Limit")
    valid("jti of 1024 octets", proof({"jti": "a" * 1024}))
    for name, value, error in (
        ("htm", "POST", "claimMismatch(htm)"), ("htm", "get", "claimMismatch(htm)"), ("htm", 1, "claimMismatch(htm)"),
        ("htu", 1, "claimMismatch(htu)"), ("iat", str(NOW), "claimInvalid(iat)"), ("iat", True, "claimInvalid(iat)"),
        ("jti", 1, "claimInvalid(jti)"),
    ):  # fmt: skip
        invalid(f"{name} is {compact(value)}", proof({name: value}), error)
    # htu: without query and fragment, normalized as in RFC 3986.
    for text in (
        URL + "?a=b", URL + "#c", "HTTPS://Resource.Example.ORG/protectedresource", "https://resource.example.org:443/protectedresource",
        "https://resource.example.org/%70rotectedresource", "https://resource.example.org/a/../protectedresource",
        "https://resource.example.org/./protectedresource",
    ):  # fmt: skip
        valid(f"htu {text}", proof({"htu": text}))
        valid(f"request to {text}", proof(), url=text)
    for text in (
        "http://resource.example.org/protectedresource", "https://resource.example.org:8443/protectedresource",
        "https://resource.example.org/ProtectedResource", "https://resource.example.org/protectedresource/",
        "https://resource.example.org/", "https://resource.example.org", "https://example.org/protectedresource",
        "https://resource.example.org.evil.example/protectedresource", "https://a@resource.example.org/protectedresource",
        "//resource.example.org/protectedresource", "/protectedresource", "", "https:///protectedresource",
        "https://resource.example.org/%2protectedresource", "https://resource.example.org/protectedresource%2F",
    ):  # fmt: skip
        invalid(f"htu {text}", proof({"htu": text}), "claimMismatch(htu)")
    upper = "https://resource.example.org/a%2Fb%c3%a9"
    valid("percent-encoding in both cases", proof({"htu": "https://resource.example.org/a%2fb%C3%A9"}), url=upper)
    invalid("a slash is not its encoding", proof({"htu": "https://resource.example.org/a/b%c3%a9"}), "claimMismatch(htu)", url=upper)

    # Header.
    for value in ("DPoP+JWT", "application/dpop+jwt"):
        valid(f"typ {value}", proof(header={"typ": value}))
    for value in ("JWT", "", "dpop", "dpop+jwt;x", "text/dpop+jwt"):
        invalid(f"typ {value}", proof(header={"typ": value}), "typeMismatch(typ)", "Header")
    invalid("typ missing", proof(without=("typ",)), "typeMismatch(typ)", "Header")
    invalid("jwk missing", proof(without=("jwk",)), "headerInvalid(jwk)", "Header")
    invalid("jwk is a text", proof(header={"jwk": "x"}), "headerInvalid(jwk)", "Header")
    invalid("jwk with a private member", proof(header={"jwk": EC_KEY}), "keyInvalid(jwk)", "Header")
    invalid("jwk with an empty private member", proof(header={"jwk": {**EC_PUBLIC, "d": ""}}), "keyInvalid(jwk)", "Header")
    symmetric = proof(header={"alg": "HS256", "jwk": HMAC_KEY}, key=HMAC_KEY)
    invalid("a symmetric key", symmetric, "algorithmNotAllowed(alg)", "AlgorithmPolicy")
    invalid("alg none", with_part(proof(header={"alg": "none"}), 2, ""), "algorithmNotAllowed(alg)", "Unsecured")
    invalid("jwk off the curve", proof(header={"jwk": {**EC_PUBLIC, "y": EC_PUBLIC["x"]}}), "keyInvalid(x)", "InvalidPoint")
    other = jwk(multiply(7))
    invalid("jwk of another key", proof(header={"jwk": other}), "signatureInvalid", "WrongKey")
    invalid("jwk for another algorithm", proof(header={"jwk": {**EC_PUBLIC, "alg": "ES384"}}), "keyMismatch(alg)", "KeyPolicy")
    invalid("jwk for encryption", proof(header={"jwk": {**EC_PUBLIC, "use": "enc"}}), "keyMismatch(use)", "KeyPolicy")
    valid("jwk with members that nobody knows", proof(header={"jwk": {**EC_PUBLIC, "kid": "a", "x": EC_PUBLIC["x"], "z": 1}}))
    extension = proof(header={"crit": ["exp"], "exp": 1})
    invalid("an extension that must be understood", extension, "criticalHeaderUnsupported(crit)", "Header")
    whole = proof()
    invalid("signature damaged", with_part(whole, 2, flipped(unb64u(parts(whole)[2]))), "signatureInvalid", "Damaged")
    invalid("signature missing", with_part(whole, 2, ""), "signatureInvalid", "Damaged")
    invalid("nothing", "", "malformed", "BadEncoding")
    invalid("two segments", ".".join(parts(whole)[:2]), "malformed", "BadEncoding")

    # ath and the key that the access token is bound to.
    token = {"accessToken": "a.b.c", "boundTo": mine}
    bound = proof({"ath": access_token_hash("a.b.c")})
    valid("an access token", bound, **token)
    valid("a proof with ath for a request without an access token", bound)
    invalid("ath missing", proof(), "claimMissing(ath)", **token)
    invalid("ath of another token", proof({"ath": access_token_hash("a.b.d")}), "claimMismatch(ath)", **token)
    invalid("ath padded", proof({"ath": access_token_hash("a.b.c") + "="}), "claimMismatch(ath)", **token)
    invalid("ath cut short", proof({"ath": access_token_hash("a.b.c")[:22]}), "claimMismatch(ath)", **token)
    invalid("an access token of another key", bound, "keyMismatch(jkt)", accessToken="a.b.c", boundTo=thumbprint(other))
    # nonce of the server.
    valid("a nonce", proof({"nonce": "n-1"}), nonce="n-1")
    valid("a nonce that the server did not ask for", proof({"nonce": "n-1"}))
    invalid("nonce missing", proof(), "claimMissing(nonce)", nonce="n-1")
    for value in ("n-2", "n-", "N-1", "", 1):
        invalid(f"nonce is {compact(value)}", proof({"nonce": value}), "claimMismatch(nonce)", nonce="n-1")
    return file
