"""base64url (RFC 4648, RFC 7515), JWK (RFC 7517) and its thumbprint (RFC 7638)."""

import hashlib

from . import p256
from .envelope import VectorFile
from .octets import b64u, compact, counting, unb64u
from .p256 import N, octets

# RFC 7517, A.2: an EC private key. A.1 has its public part.
EC_KEY = {
    "kty": "EC",
    "crv": "P-256",
    "x": "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",
    "y": "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM",
    "d": "870MB6gfuTJ4HtUnUvYMyJpr5eUZNP4Bk43bVdj3eAE",
    "use": "enc",
    "kid": "1",
}
# RFC 7517, A.3: two symmetric keys.
WRAPPING_KEY = {"kty": "oct", "alg": "A128KW", "k": "GawgguFyGrWKav7AX4VKUg"}
HMAC_KEY = {
    "kty": "oct",
    "k": "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow",
    "kid": "HMAC key used in JWS spec Appendix A.1 example",
}
# RFC 7638, 3.1.
RSA_KEY = {
    "kty": "RSA",
    "n": "0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3"
    "oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu"
    "6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awa"
    "pJzKnqDKgw",
    "e": "AQAB",
    "alg": "RS256",
    "kid": "2011-04-29",
}
RSA_THUMBPRINT = "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs"
URI = "urn:ietf:params:oauth:jwk-thumbprint:sha-256:"


def base64url():
    file = VectorFile("base64url.json", "base64url", "RFC 4648; RFC 7515", "5, 10; Appendix C", "strict base64url")
    group = file.group("Base64Url")
    for length in range(7):
        decoded = b"foobar"[:length]
        group.valid(f"RFC 4648, 10: {length} octets", "Figure", encoded=b64u(decoded), decoded=decoded.hex())
    assert b64u(bytes([3, 236, 255, 224, 193])) == "A-z_4ME"
    group.valid("RFC 7515, Appendix C", "Figure", encoded="A-z_4ME", decoded="03ecffe0c1")
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    for comment, encoded in (
        ("the alphabet in order", alphabet),
        ("the alphabet backwards", alphabet[::-1]),
        ("hyphens", "----"),
        ("underscores", "____"),
        ("all bits clear", "AAAA"),
        ("all bits set, one octet", "_w"),
        ("all bits set, two octets", "__8"),
    ):
        group.valid(comment, "Derived", encoded=encoded, decoded=unb64u(encoded).hex())
    for length in (47, 48, 49, 63, 64, 65, 191, 192, 193, 257):
        decoded = counting(length, length, 37)
        group.valid(f"{length} octets", "Derived", "EdgeCase", encoded=b64u(decoded), decoded=decoded.hex())
    for comment, encoded in (
        ("one character", "Z"),
        ("five characters", "Zm9vY"),
        ("two characters and padding", "Zg=="),
        ("three characters and padding", "Zm8="),
        ("padding after a full group", "Zm9v===="),
        ("padding alone", "="),
        ("padding in the middle", "Zg==Zg"),
        ("four unused bits set, the lowest", "Zh"),
        ("four unused bits set, the highest", "Zo"),
        ("two unused bits set, the lowest", "Zm9"),
        ("two unused bits set, the highest", "Zm-"),
        ("unused bits set after a long run", "Zm9vZm9vZm9vZm9vZm9vZm9vZm9vZm9vZm9vZm9vZm9vZm9vZm9vZm9vZm9vZm9vZh"),
        ("plus sign of the other alphabet", "-+--"),
        ("slash of the other alphabet", "__/_"),
        ("space in front", " Zm9v"),
        ("space at the end", "Zm9v "),
        ("space alone", " "),
        ("line feed at the end", "Zm9v\n"),
        ("carriage return and line feed in the middle", "Zm9v\r\nYmFy"),
        ("tab in the middle", "Zm\t9v"),
        ("zero octet at the end", "Zm9v\x00"),
        ("zero octet in the middle", "Zm\x009v"),
        ("full stop", "Zm9v.Zm9v"),
        ("comma", "Zm,v"),
        ("tilde", "Zm~v"),
        ("at sign, one below A", "Zm@v"),
        ("bracket, one above Z", "Zm[v"),
        ("backquote, one below a", "Zm`v"),
        ("brace, one above z", "Zm{v"),
        ("colon, one above 9", "Zm:v"),
        ("percent escape", "Zm9v%3D%3D"),
        ("letter with an accent", "Zm9v\u00e9"),
        ("letter and a combining accent", "Zm9ve\u0301"),
        ("full-width letter", "\uff3am9v"),
        ("Kelvin sign in place of K", "\u212aAAA"),
        ("minus sign in place of the hyphen", "\u2212AAA"),
        ("byte order mark in front", "\ufeffZm9v"),
        ("emoji", "\U0001f511AAA"),
        ("bad character after 64 good ones", "A" * 64 + "A*AA"),
    ):
        group.invalid(comment, "BadEncoding", encoded=encoded)
    return file


def thumbprint_input(key):
    members = {"EC": ("crv", "kty", "x", "y"), "oct": ("k", "kty"), "RSA": ("e", "kty", "n")}[key["kty"]]
    return compact({name: key[name] for name in members})


def thumbprint(key, function="sha256"):
    return b64u(hashlib.new(function, thumbprint_input(key).encode()).digest())


def public_part(key):
    return {name: value for name, value in key.items() if name != "d"}


def jwk():
    file = VectorFile("jwk.json", "JWK", "RFC 7517", "Appendix A", "JSON Web Keys: EC on P-256 and symmetric")
    group = file.group("JwkImport")
    p256.private(EC_KEY)

    def valid(comment, key, *flags, text=None, **expected):
        expected = {"kty": key["kty"], "private": "d" in key, "thumbprintSha256": thumbprint(key), **expected}
        for name in ("crv", "kid"):
            if name in key:
                expected[name] = key[name]
        group.valid(comment, *flags, jwk=text or compact(key), **expected)

    valid("A.1, public key", public_part(EC_KEY), "Figure")
    valid("A.2, private key", EC_KEY, "Figure")
    valid("A.3, key for AES key wrap", WRAPPING_KEY, "Figure")
    valid("A.3, key for HMAC", HMAC_KEY, "Figure")
    bare = {name: EC_KEY[name] for name in ("kty", "crv", "x", "y")}
    both = {**bare, "d": EC_KEY["d"]}
    valid("only the required members", bare, "Derived")
    valid("members of any kind that nobody knows", {**bare, "a": 1, "b": None, "c": [True, {}], "d2": "x"}, "Derived")
    valid("x5c, an array of texts", {**bare, "x5c": ["MIIB"]}, "Derived")
    valid("key_ops with one operation", {**bare, "key_ops": ["verify"]}, "Derived")
    valid("white space everywhere", bare, "Derived", text='\t{ "y":"%(y)s" ,\n"x" : "%(x)s",\r\n"crv":"P-256","kty":"EC"} ' % bare)
    valid("escapes in names and values", bare, "Derived", text='{"k\\u0074y":"\\u0045C","crv":"P\\u002d256","x":"%(x)s","\\u0079":"%(y)s"}' % bare)
    valid("kid outside of ASCII", {**bare, "kid": "\u00e9\U0001f600"}, "Derived")
    valid("empty kid", {**bare, "kid": ""}, "Derived")
    zeros = next(d for d in range(1, 10_000) if p256.multiply(d)[0] >> 248 == 0)
    valid("x begins with a zero octet", p256.jwk(p256.multiply(zeros), zeros), "Derived", "EdgeCase")
    zeros = next(d for d in range(1, 10_000) if p256.multiply(d)[1] >> 248 == 0)
    valid("y begins with a zero octet", p256.jwk(p256.multiply(zeros), zeros), "Derived", "EdgeCase")
    valid("d = 1", p256.jwk(p256.G, 1), "Derived", "EdgeCase")
    valid("d = n - 1", p256.jwk(p256.negated(p256.G), N - 1), "Derived", "EdgeCase")
    valid("symmetric key of one octet", {"kty": "oct", "k": "AA"}, "Derived", "EdgeCase")

    def invalid(comment, flag, key=bare, text=None, without=None, **changes):
        changed = {name: value for name, value in {**key, **changes}.items() if name != without}
        group.invalid(comment, flag, jwk=text if text is not None else compact(changed))

    x, y = unb64u(bare["x"]), unb64u(bare["y"])
    for name in ("kty", "crv", "x", "y"):
        invalid(f"without {name}", "Damaged", without=name)
        invalid(f"{name} is a number", "Damaged", **{name: 5})
        invalid(f"{name} is null", "Damaged", **{name: None})
        invalid(f"{name} is an array", "Damaged", **{name: [bare[name]]})
    for name in ("x", "y"):
        value = unb64u(bare[name])
        invalid(f"{name} without its first octet", "BadLength", **{name: b64u(value[1:])})
        invalid(f"{name} without its last octet", "BadLength", **{name: b64u(value[:-1])})
        invalid(f"{name} with a zero octet in front", "BadLength", **{name: b64u(b"\0" + value)})
        invalid(f"{name} with a zero octet at the end", "BadLength", **{name: b64u(value + b"\0")})
        invalid(f"{name} is empty", "BadLength", **{name: ""})
        invalid(f"{name} with its last bit flipped", "InvalidPoint", **{name: b64u(value[:-1] + bytes([value[-1] ^ 1]))})
        invalid(f"{name} in padded base64url", "BadEncoding", **{name: bare[name] + "="})
        invalid(f"{name} with unused bits set", "BadEncoding", **{name: bare[name][:-1] + chr(ord(bare[name][-1]) + 1)})
        invalid(f"{name} with a line feed", "BadEncoding", **{name: bare[name] + "\n"})
        invalid(f"{name} is p", "BadRange", **{name: b64u(octets(p256.P))})
    invalid("x and y exchanged", "InvalidPoint", x=bare["y"], y=bare["x"])
    invalid("point (0, 0)", "InvalidPoint", x=b64u(bytes(32)), y=b64u(bytes(32)))
    invalid("crv in lower case", "Damaged", crv="p-256")
    invalid("crv unknown", "Damaged", crv="P-255")
    invalid("crv of another size", "Damaged", crv="P-384")
    invalid("kty in lower case", "Damaged", kty="ec")
    invalid("kty unknown", "Damaged", kty="EE")
    invalid("kty oct without k", "Damaged", kty="oct")
    invalid("d is 0", "BadRange", both, d=b64u(bytes(32)))
    invalid("d is n", "BadRange", both, d=b64u(octets(N)))
    invalid("d is n + 1", "BadRange", both, d=b64u(octets(N + 1)))
    invalid("d without its last octet", "BadLength", both, d=b64u(unb64u(both["d"])[:-1]))
    invalid("d with a zero octet in front", "BadLength", both, d=b64u(b"\0" + unb64u(both["d"])))
    invalid("d of another key", "WrongKey", both, d=b64u(octets(2)))
    invalid("d of the negated key", "WrongKey", both, d=b64u(octets(N - int.from_bytes(unb64u(both["d"]), "big"))))
    invalid("d is a number", "Damaged", both, d=1)
    secret = {"kty": "oct", "k": "GawgguFyGrWKav7AX4VKUg"}
    invalid("symmetric key without k", "Damaged", secret, without="k")
    invalid("symmetric key, k is a number", "Damaged", secret, k=1)
    invalid("symmetric key, k is empty", "BadLength", secret, k="")
    invalid("symmetric key, k in padded base64url", "BadEncoding", secret, k=secret["k"] + "==")
    invalid("symmetric key, unused bits set", "BadEncoding", secret, k=secret["k"][:-1] + "h")
    invalid("symmetric key, k in the other alphabet", "BadEncoding", secret, k="+/+/+/+/+/+/+/+/+/+/+w")
    invalid("kid is a number", "Damaged", kid=1)
    invalid("alg is a number", "Damaged", alg=1)
    invalid("use is an array", "Damaged", use=["sig"])
    invalid("key_ops is a text", "Damaged", key_ops="verify")
    invalid("key_ops with a number", "Damaged", key_ops=["verify", 1])
    invalid("key_ops with an operation twice", "Damaged", key_ops=["verify", "verify"])
    text = compact(bare)
    invalid("an array", "Damaged", text=f"[{text}]")
    invalid("a text", "Damaged", text=compact(text))
    invalid("empty", "Damaged", text="")
    invalid("cut short", "Damaged", text=text[:-1])
    invalid("a second value behind", "Damaged", text=text + "{}")
    invalid("comma at the end", "Damaged", text=text[:-1] + ",}")
    invalid("byte order mark in front", "Damaged", text="\ufeff" + text)
    invalid("x twice", "Damaged", text=text[:-1] + f',"x":"{bare["x"]}"' + "}")
    invalid("kty twice, the second with an escape", "Damaged", text=text[:-1] + ',"\\u006bty":"EC"}')
    return file


def thumbprints():
    file = VectorFile("jwk_thumbprint.json", "JWK thumbprint", "RFC 7638", "3.1", "thumbprints of JSON Web Keys")
    group = file.group("JwkThumbprint")
    assert thumbprint(RSA_KEY) == RSA_THUMBPRINT

    def valid(comment, key, flag, text=None):
        group.valid(
            comment, flag, jwk=text or compact(key), hashInput=thumbprint_input(key), uri=URI + thumbprint(key),
            **{function: thumbprint(key, function) for function in ("sha256", "sha384", "sha512")},
        )

    bare = {name: EC_KEY[name] for name in ("kty", "crv", "x", "y")}
    valid("RFC 7638, 3.1", RSA_KEY, "Figure")
    valid("EC public key", public_part(EC_KEY), "Derived")
    valid("EC private key: that of its public part", EC_KEY, "Derived")
    valid("other members do not count", {**bare, "alg": "ES256", "kid": "a", "x5c": ["MIIB"], "z": {}}, "Derived")
    valid("order and white space do not count", bare, "Derived", '{\n "y": "%(y)s",\n "x": "%(x)s",\n "kty": "EC",\n "crv": "P-256"\n}' % bare)
    valid("escapes do not count", bare, "Derived", '{"\\u0063rv":"\\u0050-256","kt\\u0079":"EC","x":"%(x)s","y":"%(y)s"}' % bare)
    valid("symmetric key", HMAC_KEY, "Derived")
    return file
