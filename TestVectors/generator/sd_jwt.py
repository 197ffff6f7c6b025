"""SD-JWT (RFC 9901): what is right, and what breaks one rule each."""

import hashlib
import json

from .agreement import ALICE
from .envelope import VectorFile
from .octets import b64u, compact
from .tokens import EC_KEY, EC_PUBLIC, jws

NOW = 1_700_000_000
TYPE = "example+sd-jwt"
AUDIENCE, NONCE = "https://verifier.example.com", "n-0S6_WzA2Mj"
HOLDER = ALICE


def salt(text):
    return b64u(hashlib.shake_256(text.encode()).digest(16))


def member(name, value, **options):
    return Disclosure([salt(name), name, value], **options)


def element(value, **options):
    return Disclosure([salt(repr(value)), value], **options)


class Disclosure:
    def __init__(self, content, text=None):
        self.text = b64u((json.dumps(content, separators=(",", ":")) if text is None else text).encode())

    def digest(self, hash="sha-256"):
        return b64u(hashlib.new(hash.replace("-", ""), self.text.encode()).digest())


def issued(payload, disclosures, type=TYPE, key=EC_KEY):
    claims = {"iss": "https://issuer.example.com", "exp": NOW + 600, **payload}
    token = jws({"alg": "ES256", "typ": type}, compact(claims).encode(), key)
    return "".join(part + "~" for part in [token, *(disclosure.text for disclosure in disclosures)])


def bound(text, key, header=None, **changes):
    """With the holder's proof; a claim that is None is left out."""
    claims = {"iat": NOW, "aud": AUDIENCE, "nonce": NONCE, "sd_hash": b64u(hashlib.sha256(text.encode()).digest())} | changes
    claims = {name: value for name, value in claims.items() if value is not None}
    return text + jws({"alg": "ES256", "typ": "kb+jwt"} | (header or {}), compact(claims).encode(), key)


def file():
    file = VectorFile("sd_jwt.json", "SD-JWT", "RFC 9901", "4 and 7", "Selective Disclosure for JSON Web Tokens")
    group = file.group("SdJwtVerify")
    plain = {"iss": "https://issuer.example.com", "exp": NOW + 600}

    def members(token, type=TYPE, binds=False):
        binding = {"audience": AUDIENCE, "nonce": NONCE} if binds else {}
        return {"token": token, "issuerKey": EC_PUBLIC, "typ": type, "now": NOW, "keyBinding": binds, **binding}

    def valid(comment, payload, disclosures, claims, *flags, **options):
        group.valid(comment, "Derived", *flags, **members(issued(payload, disclosures, **options), **options), claims=plain | claims)

    def invalid(comment, payload, disclosures, error, **options):
        group.invalid(comment, "OneRule", **members(issued(payload, disclosures, **options), **options), error=error)

    a, b = member("a", 1), member("b", [True])
    x, y = element("x"), element({"y": None})
    inner = member("inner", 2)
    outer = member("outer", {"_sd": [inner.digest()], "open": 3})
    both = {"_sd": sorted([a.digest(), b.digest()])}
    valid("nothing to disclose", {}, [], {})
    valid("nothing disclosed", both, [], {})
    valid("one of two", both, [b], {"b": [True]})
    valid("both, in the other order", both, [b, a], {"a": 1, "b": [True]})
    valid("digests without a claim", {"_sd": [a.digest(), "decoy"], "l": [{"...": "other"}]}, [a], {"a": 1, "l": []})
    valid("elements keep their order", {"l": [0, {"...": x.digest()}, 1, {"...": y.digest()}]}, [y, x], {"l": [0, "x", 1, {"y": None}]})
    valid("one element", {"l": [{"...": x.digest()}, {"...": y.digest()}]}, [y], {"l": [{"y": None}]})
    valid("one claim inside another", {"_sd": [outer.digest()]}, [outer, inner], {"outer": {"open": 3, "inner": 2}})
    valid("the outer one alone", {"_sd": [outer.digest()]}, [outer], {"outer": {"open": 3}})
    valid("an empty object is left", {"o": {"_sd": [a.digest()]}}, [], {"o": {}}, "EdgeCase")
    for hash in ("sha-256", "sha-384", "sha-512"):
        valid(f"_sd_alg {hash}", {"_sd_alg": hash, "_sd": [a.digest(hash)]}, [a], {"a": 1})
    spaces = Disclosure(None, text='[ "salt" ,"\\u0061", 1 ]\n')
    valid("white space and escapes of the issuer's", {"_sd": [spaces.digest()]}, [spaces], {"a": 1}, "EdgeCase")
    beyond = Disclosure(None, text='["salt", "Straße", "𝄞"]')
    valid("names and values beyond ASCII", {"_sd": [beyond.digest()]}, [beyond], {"Straße": "𝄞"}, "EdgeCase")
    kelvin = member("\u212a", 1)
    valid("names are bytes: the Kelvin sign is no K", {"_sd": [kelvin.digest()], "K": 2}, [kelvin], {"K": 2, "\u212a": 1}, "EdgeCase")

    invalid("a disclosure that no digest names", both, [x], "malformed")
    invalid("the inner claim without the outer one", {"_sd": [outer.digest()]}, [inner], "malformed")
    invalid("a disclosure twice", both, [a, a], "malformed")
    invalid("a digest twice in one object", {"_sd": [a.digest(), a.digest()]}, [a], "claimInvalid")
    invalid("a digest at two places", {"_sd": [a.digest()], "o": {"_sd": [a.digest()]}}, [a], "claimInvalid")
    invalid("a digest twice, of no disclosure", {"_sd": ["decoy"], "l": [{"...": "decoy"}]}, [], "claimInvalid")
    invalid("a digest in the payload and in a disclosure", {"_sd": [outer.digest(), inner.digest()]}, [outer, inner], "claimInvalid")
    invalid("a claim of the name stands there", {"_sd": [a.digest()], "a": 2}, [a], "claimInvalid")
    second = Disclosure([salt("second"), "a", 2])
    invalid("two disclosures of one name", {"_sd": [a.digest(), second.digest()]}, [a, second], "claimInvalid")
    invalid("a disclosure would replace the holder's key", {"cnf": {"jwk": EC_PUBLIC, "_sd": [member("jwk", {}).digest()]}}, [member("jwk", {})], "claimInvalid")
    invalid("an element's disclosure for a member", {"_sd": [x.digest()]}, [x], "claimInvalid")
    invalid("a member's disclosure for an element", {"l": [{"...": a.digest()}]}, [a], "claimInvalid")
    for comment, payload in (
        ("_sd that is no array", {"_sd": "x"}),
        ("_sd with a number", {"_sd": [1]}),
        ("_sd of an inner object that is null", {"o": {"_sd": None}}),
        ("... beside another member", {"l": [{"...": "x", "y": 1}]}),
        ("... that is no string", {"l": [{"...": 1}]}),
        ("... in an object that is no element", {"...": "x"}),
    ):
        invalid(comment, payload, [], "claimInvalid")
    invalid("_sd_alg that is not known", {"_sd_alg": "md5"}, [], "algorithmNotAllowed")
    invalid("_sd_alg that is no string", {"_sd_alg": 1}, [], "claimInvalid")
    for text in ("[]", '["s"]', '["s","a",1,2]', '[1,"a",1]', '["s",1,1]', '{"a":1}', '["s","a",1', '["s","_sd",1]', '["s","...",1]', '["s","a",{"b":1,"b":2}]'):
        broken = Disclosure(None, text=text)
        invalid(f"a disclosure that is {text}", {"_sd": [broken.digest()]}, [broken], "malformed")
    for name in ("nbf", "cnf", "vct", "vct#integrity", "aka_vcts", "status"):
        shown = member(name, 1 if name == "nbf" else "x")
        invalid(f"a credential that discloses {name}", {"_sd": [shown.digest()]}, [shown], "claimInvalid", type="dc+sd-jwt")
    late = member("nbf", NOW + 60)
    invalid("a disclosed nbf counts", {"_sd": [late.digest()]}, [late], "claimNotYetValid")
    text = issued(both, [a])
    for comment, token, error in (
        ("no tilde", text.split("~")[0], "malformed"),
        ("an empty part", text.replace("~", "~~", 1), "malformed"),
        ("an empty part at the end", text + "~", "malformed"),
        ("padding", text[:-1] + "=~", "malformed"),
        ("the issuer's signature changed", text.replace("~", "A~", 1), "signatureInvalid"),
        ("another issuer's key", issued(both, [a], key=HOLDER), "signatureInvalid"),
    ):
        group.invalid(comment, "Damaged", **members(token), error=error)

    public = {name: HOLDER[name] for name in ("kty", "crv", "x", "y")}
    claims = {"cnf": {"jwk": public}}
    text = issued(both | claims, [a])
    group.valid("a key binding", "Derived", **members(bound(text, HOLDER), binds=True), claims=plain | claims | {"a": 1})
    group.valid("a key binding with further claims", "Derived", **members(bound(text, HOLDER, more=[1]), binds=True), claims=plain | claims | {"a": 1})
    group.valid("a key binding that nobody asks for", "Derived", **members(bound(text, HOLDER)), claims=plain | claims | {"a": 1})
    for comment, token, error in (
        ("no key binding", text, "claimMismatch"),
        ("another audience", bound(text, HOLDER, aud="https://other.example.com"), "claimMismatch"),
        ("a list of audiences", bound(text, HOLDER, aud=[AUDIENCE]), "claimMismatch"),
        ("another nonce", bound(text, HOLDER, nonce="other"), "claimMismatch"),
        ("another presentation", bound(text, HOLDER, sd_hash=b64u(hashlib.sha256(b"other~").digest())), "claimMismatch"),
        ("300 seconds old", bound(text, HOLDER, iat=NOW - 300), "claimExpired"),
        ("from the future", bound(text, HOLDER, iat=NOW + 1), "claimNotYetValid"),
        ("no iat", bound(text, HOLDER, iat=None), "claimMissing"),
        ("no sd_hash", bound(text, HOLDER, sd_hash=None), "claimMissing"),
        ("another typ", bound(text, HOLDER, header={"typ": "JWT"}), "typeMismatch"),
        ("the issuer's key", bound(text, EC_KEY), "signatureInvalid"),
        ("a key in its own header", bound(text, EC_KEY, header={"jwk": EC_PUBLIC}), "signatureInvalid"),
        ("no key of the holder", bound(issued(both, [a]), HOLDER), "claimInvalid"),
    ):
        group.invalid(comment, "OneRule", **members(token, binds=True), error=error)
    return file

