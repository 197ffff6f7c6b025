"""JWS and JWE in their JSON serializations (RFC 7515, 7.2, RFC 7516, 7.2), and payloads apart or unencoded (RFC 7797)."""

from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.keywrap import aes_key_wrap

from . import rsa
from .agreement import ALICE, BOB, concat_kdf, other_info
from .envelope import VectorFile
from .jwe import EPK
from .octets import b64u, compact, counting, flipped, unb64u
from .p256 import jwk, multiply, private, shared_secret
from .tokens import EC_KEY, EC_PUBLIC, HMAC_KEY, signature, text

PAYLOAD = b"It's a dangerous business, Frodo, going out your door."


def signed(header, payload, key, unprotected=None, encoded=True):
    """One signature; a header of None leaves the protected one out."""
    protected = "" if header is None else b64u(text(header))
    body = b64u(payload).encode() if encoded else payload
    made = {} if header is None else {"protected": protected}
    if unprotected is not None:
        made["header"] = unprotected
    return {**made, "signature": b64u(signature(key, protected.encode() + b"." + body))}


def jws_file():
    file = VectorFile("jws_json.json", "JWS", "RFC 7515; RFC 7797", "7.2; 3 to 6", "JWS in JSON serialization")
    group = file.group("JwsVerify")

    def members(message, algs, key, **more):
        serialization = "general" if "signatures" in message else "flattened"
        keys = {"jwks": key} if "keys" in key else {"key": key}
        return {"serialization": serialization, "algs": algs, **keys, "token": compact(message), **more}

    def valid(comment, message, *flags, algs=("ES256",), key=EC_PUBLIC, payload=PAYLOAD, **more):
        group.valid(comment, "Derived", *flags, **members(message, list(algs), key, **more), payload=payload.hex())

    def invalid(comment, message, error, flag="Header", algs=("ES256",), key=EC_PUBLIC, **more):
        group.invalid(comment, flag, **members(message, list(algs), key, **more), error=error)

    body = {"payload": b64u(PAYLOAD)}
    one = signed({"alg": "ES256"}, PAYLOAD, EC_KEY)
    by_hmac = signed({"alg": "HS256", "kid": "h"}, PAYLOAD, HMAC_KEY)
    stranger_key = {**jwk(multiply(7)), "d": b64u((7).to_bytes(32, "big"))}
    foreign = signed({"alg": "ES256"}, PAYLOAD, stranger_key)
    forged = {**one, "signature": b64u(flipped(unb64u(one["signature"])))}
    unsecured = {"protected": b64u(b'{"alg":"none"}'), "signature": ""}
    valid("flattened", {**body, **one})
    valid("general, one signature", {**body, "signatures": [one]})
    valid("members that nobody knows", {**body, **one, "x": 1}, "EdgeCase")
    outside = signed({"alg": "ES256"}, PAYLOAD, EC_KEY, {"kid": "a", "x": 1})
    valid("an unprotected header", {**body, **outside})
    valid("an empty payload", {"payload": "", **signed({"alg": "ES256"}, b"", EC_KEY)}, payload=b"")
    # With one trusted key, its signature counts, whatever stands beside it.
    for comment, entries in (
        ("two signatures, ours first", [one, foreign]), ("two signatures, ours last", [foreign, one]),
        ("a forged one beside ours", [forged, one]), ("an unsecured one beside ours", [unsecured, one]),
        ("an HMAC beside ours", [by_hmac, one]), ("sixteen signatures", [foreign] * 15 + [one]),
    ):  # fmt: skip
        valid(comment, {**body, "signatures": entries}, "KeyPolicy")
    for comment, entries in (
        ("only another's signature", [foreign]), ("only forged ones", [forged, forged]), ("only unsecured ones", [unsecured, unsecured]),
    ):  # fmt: skip
        error = "algorithmNotAllowed" if entries == [unsecured] else "signatureInvalid"
        invalid(comment, {**body, "signatures": entries}, error, "WrongKey")
    invalid("unsecured", {**body, **unsecured}, "algorithmNotAllowed(alg)", "Unsecured")
    invalid("seventeen signatures", {**body, "signatures": [one] * 17}, "limitExceeded(signatureCount)", "Limit")
    keys = {"keys": [{**EC_PUBLIC, "kid": "e"}, {**HMAC_KEY, "kid": "h"}, {**rsa.PUBLIC, "kid": "r"}]}
    named = signed({"alg": "ES256", "kid": "e"}, PAYLOAD, EC_KEY)
    both = ("ES256", "HS256")
    valid("a key of a set", {**body, "signatures": [named]}, "KeyPolicy", key=keys)
    valid("two keys of a set", {**body, "signatures": [named, by_hmac]}, "KeyPolicy", algs=both, key=keys)
    outside = signed({"alg": "ES256"}, PAYLOAD, EC_KEY, {"kid": "e"})
    valid("kid outside the protected header", {**body, **outside}, "KeyPolicy", key=keys)
    unknown = signed({"alg": "ES256", "kid": "x"}, PAYLOAD, EC_KEY)
    invalid("an unknown kid", {**body, **unknown}, "keyNotFound(kid)", "KeyPolicy", key=keys)
    crossed = signed({"alg": "HS256", "kid": "e"}, PAYLOAD, HMAC_KEY)
    invalid("kid of a key of another type", {**body, **crossed}, "keyMismatch", "KeyPolicy", algs=both, key=keys)

    # Headers: what decides is protected, and nothing stands in two places.
    for comment, entry, error in (
        ("alg outside the protected header", signed({"kid": "a"}, PAYLOAD, EC_KEY, {"alg": "ES256"}), "headerInvalid(alg)"),
        ("no protected header", signed(None, PAYLOAD, EC_KEY, {"alg": "ES256"}), "headerInvalid(alg)"),
        ("alg in both headers", signed({"alg": "ES256"}, PAYLOAD, EC_KEY, {"alg": "ES256"}), "headerInvalid(header)"),
        ("kid in both headers", signed({"alg": "ES256", "kid": "a"}, PAYLOAD, EC_KEY, {"kid": "a"}), "headerInvalid(header)"),
        ("crit outside", signed({"alg": "ES256"}, PAYLOAD, EC_KEY, {"crit": ["exp"], "exp": 1}), "headerInvalid(crit)"),
        ("b64 outside", signed({"alg": "ES256"}, PAYLOAD, EC_KEY, {"b64": True}), "headerInvalid(b64)"),
        ("an unknown extension", signed({"alg": "ES256", "crit": ["exp"], "exp": 1}, PAYLOAD, EC_KEY), "criticalHeaderUnsupported(crit)"),
        ("crit names what stands outside", signed({"alg": "ES256", "crit": ["exp"]}, PAYLOAD, EC_KEY, {"exp": 1}), "headerInvalid(crit)"),
    ):  # fmt: skip
        invalid(comment, {**body, **entry}, error)
    escaped = '{"payload":"%s","protected":"%s","header":{"\\u0061lg":"none"},"signature":"%s"}'
    escaped = escaped % (body["payload"], one["protected"], one["signature"])
    test = members({**body, **one}, ["ES256"], EC_PUBLIC)
    group.invalid("alg in both headers, once with an escape", "Header", **{**test, "token": escaped}, error="headerInvalid(header)")
    # Forms.
    for comment, message, error in (
        ("no payload", one, "malformed(payload)"), ("no signature", {**body, "protected": one["protected"]}, "malformed(signature)"),
        ("an empty protected header", {**body, **one, "protected": ""}, "malformed(protected)"),
        ("signatures empty", {**body, "signatures": []}, "malformed(signatures)"),
        ("signatures is an object", {**body, "signatures": one}, "malformed(signatures)"),
        ("an entry is a text", {**body, "signatures": ["x"]}, "malformed(signatures)"),
        ("signature and signatures", {**body, **one, "signatures": [one]}, "malformed(signature)"),
        ("header and signatures", {**body, "header": {}, "signatures": [one]}, "malformed(header)"),
        ("header is a text", {**body, **one, "header": "x"}, "malformed(header)"),
        ("payload is a number", {**one, "payload": 1}, "malformed(payload)"),
        ("payload with padding", {**one, "payload": body["payload"] + "="}, "malformed"),
        ("protected is an object", {**body, **one, "protected": {"alg": "ES256"}}, "malformed(protected)"),
        ("signature with white space", {**body, **one, "signature": " " + one["signature"]}, "malformed"),
    ):  # fmt: skip
        invalid(comment, message, error, "BadEncoding")
    for comment, token in (
        ("compact", ".".join([one["protected"], body["payload"], one["signature"]])), ("an array", compact([{**body, **one}])),
        ("nothing", ""), ("text after it", compact({**body, **one}) + "x"), ("payload twice", compact({**body, **one})[:-1] + ',"payload":""}'),
    ):  # fmt: skip
        group.invalid(f"the message is {comment}", "BadEncoding", **{**test, "token": token}, error="malformed")
    # Payloads apart, and not encoded.
    valid("detached", one, detachedPayload=PAYLOAD.hex())
    valid("detached, general", {"signatures": [one, foreign]}, detachedPayload=PAYLOAD.hex())
    invalid("detached, another payload", one, "signatureInvalid", "Damaged", detachedPayload=flipped(PAYLOAD).hex())
    invalid("detached and not", {**body, **one}, "malformed(payload)", "BadEncoding", detachedPayload=PAYLOAD.hex())
    plain = {"alg": "ES256", "b64": False, "crit": ["b64"]}
    raw = signed(plain, PAYLOAD, EC_KEY, encoded=False)
    valid("not encoded", {"payload": PAYLOAD.decode(), **raw})
    valid("not encoded, detached", raw, detachedPayload=PAYLOAD.hex())
    octets = bytes(range(256))
    valid("not encoded, detached, any octets", signed(plain, octets, EC_KEY, encoded=False), payload=octets, detachedPayload=octets.hex())
    dots = "a.b\u00e9".encode()
    valid("not encoded, with a full stop", {"payload": dots.decode(), **signed(plain, dots, EC_KEY, encoded=False)}, payload=dots)
    for comment, header, error in (
        ("b64 not listed in crit", {"alg": "ES256", "b64": False}, "headerInvalid(b64)"),
        ("b64 is a text", {"alg": "ES256", "b64": "false", "crit": ["b64"]}, "headerInvalid(b64)"),
        ("b64 is 0", {"alg": "ES256", "b64": 0, "crit": ["b64"]}, "headerInvalid(b64)"),
        ("crit lists an absent b64", {"alg": "ES256", "crit": ["b64"]}, "headerInvalid(crit)"),
    ):
        invalid(comment, {**body, **signed(header, PAYLOAD, EC_KEY)}, error)
    mixed = {"payload": PAYLOAD.decode(), "signatures": [raw, signed({"alg": "ES256"}, PAYLOAD, EC_KEY)]}
    invalid("signatures that disagree on b64", mixed, "headerInvalid(b64)")
    invalid("not encoded where b64 is not understood", {"payload": PAYLOAD.decode(), **raw}, "criticalHeaderUnsupported(crit)", crit=[])
    return file


KEY_128 = {"kty": "oct", "k": b64u(counting(16, 3))}
DIRECT = {"kty": "oct", "k": b64u(counting(32, 40))}
CEK, IV = counting(32, 80), counting(12, 200)


def sealed(protected, recipients, cek=CEK, unprotected=None, aad=None, plaintext=PAYLOAD):
    """A message whose one recipient, if not in a list, is flattened."""
    message, data = {}, b""
    if protected is not None:
        message["protected"] = b64u(text(protected))
        data = message["protected"].encode()
    if unprotected is not None:
        message["unprotected"] = unprotected
    if aad is not None:
        data += b"." + b64u(aad).encode()
        message["aad"] = b64u(aad)
    message.update({"recipients": recipients} if isinstance(recipients, list) else recipients)
    made = AESGCM(cek).encrypt(IV, plaintext, data)
    return {**message, "iv": b64u(IV), "ciphertext": b64u(made[:-16]), "tag": b64u(made[-16:])}


def wrapped(key=KEY_128, cek=CEK):
    return b64u(aes_key_wrap(unb64u(key["k"]), cek))


def agreed_wrapping():
    """ECDH-ES+A256KW for Bob."""
    d, _ = private(ALICE)
    point = int.from_bytes(unb64u(BOB["x"]), "big"), int.from_bytes(unb64u(BOB["y"]), "big")
    key = concat_kdf(shared_secret(d, point), other_info("ECDH-ES+A256KW", b"", b"", 256), 256)
    return b64u(aes_key_wrap(key, CEK))


def jwe_file():
    file = VectorFile("jwe_json.json", "JWE", "RFC 7516", "7.2", "JWE in JSON serialization")
    group = file.group("JweDecrypt")

    def members(message, algs, key):
        serialization = "general" if "recipients" in message else "flattened"
        keys = {"jwks": key} if "keys" in key else {"key": key}
        return {"serialization": serialization, "algs": algs, "encs": ["A256GCM"], **keys, "token": compact(message)}

    def valid(comment, message, *flags, algs=("A128KW",), key=KEY_128, plaintext=PAYLOAD):
        group.valid(comment, "Derived", *flags, **members(message, list(algs), key), payload=plaintext.hex())

    def invalid(comment, message, error, flag="Header", algs=("A128KW",), key=KEY_128):
        group.invalid(comment, flag, **members(message, list(algs), key), error=error)

    whole = {"alg": "A128KW", "enc": "A256GCM"}
    enc = {"enc": "A256GCM"}
    mine = {"encrypted_key": wrapped()}
    flat = sealed(whole, mine)
    valid("flattened", flat)
    valid("general, one recipient", sealed(whole, [mine]))
    valid("with authenticated data", sealed(whole, mine, aad=b"visible"))
    # A member that is empty must be absent (RFC 7516 section 7.2.1).
    empty = sealed(whole, mine, aad=b"")
    group.invalid(
        "authenticated data of no octets, which must be absent", "Derived", "EdgeCase", **members(empty, ["A128KW"], KEY_128),
        error="malformed(aad)")
    valid("members that nobody knows", {**flat, "x": 1}, "EdgeCase")
    valid("an empty plaintext", sealed(whole, mine, plaintext=b""), "EdgeCase", plaintext=b"")
    valid("alg in the shared header", sealed(enc, mine, unprotected={"alg": "A128KW"}))
    valid("alg in the recipient's header", sealed(enc, {"header": {"alg": "A128KW"}, **mine}))
    valid("a header with unusual white space", sealed('{ "enc" : "A256GCM",\n"alg":"A128KW" }', mine), "EdgeCase")
    valid("direct", sealed({"alg": "dir", **enc}, {}, cek=unb64u(DIRECT["k"])), algs=["dir"], key=DIRECT)
    # Several recipients: the key chooses its own, whatever stands beside it.
    own = {"header": {"alg": "A128KW", "kid": "k"}, **mine}
    rsa_cek = b64u(rsa.oaep_encrypt("SHA-256", CEK))
    by_rsa = {"header": {"alg": "RSA-OAEP-256", "kid": "r"}, "encrypted_key": rsa_cek}
    by_sha1 = {"header": {"alg": "RSA-OAEP", "kid": "r"}, "encrypted_key": b64u(rsa.oaep_encrypt("SHA-1", CEK))}
    by_agreement = {"header": {"alg": "ECDH-ES+A256KW", "kid": "b", "epk": EPK}, "encrypted_key": agreed_wrapping()}
    broken = {"header": {"alg": "A128KW", "kid": "x"}, "encrypted_key": wrapped(cek=counting(32, 1))}
    everybody = [by_rsa, by_agreement, own, by_sha1]
    message = sealed(enc, everybody)
    for algs, key in (
        (["A128KW"], KEY_128), (["RSA-OAEP-256"], rsa.KEY), (["RSA-OAEP"], rsa.KEY), (["ECDH-ES+A256KW"], BOB),
    ):  # fmt: skip
        valid(f"four recipients, opened by {algs[0]}", message, "KeyPolicy", algs=algs, key=key)
    keys = {"keys": [{**KEY_128, "kid": "k"}, {**BOB, "kid": "b"}, {**rsa.KEY, "kid": "r"}]}
    valid("four recipients, opened by a set", message, "KeyPolicy", algs=["A128KW", "ECDH-ES+A256KW"], key=keys)
    valid("a recipient that does not open beside ours", sealed(enc, [broken, own]), "KeyPolicy", key={**KEY_128, "kid": "k"})
    valid("sixteen recipients", sealed(enc, [by_rsa] * 15 + [own]), "KeyPolicy")
    invalid("seventeen recipients", sealed(enc, [by_rsa] * 16 + [own]), "limitExceeded(recipientCount)", "Limit")
    invalid("nobody of the key's algorithm", sealed(enc, [by_rsa]), "algorithmNotAllowed(alg)", "KeyPolicy")
    invalid("nobody of the key's name", message, "keyNotFound(kid)", "KeyPolicy", key={**KEY_128, "kid": "z"})
    other = {"kty": "oct", "k": b64u(counting(16, 4))}
    invalid("another key", flat, "decryptionFailed", "WrongKey", key=other)
    invalid("another private key", sealed(enc, [by_agreement]), "decryptionFailed", "WrongKey", algs=["ECDH-ES+A256KW"], key=ALICE)
    # Damage: what depends on a secret looks the same.
    for name in ("iv", "ciphertext", "tag", "encrypted_key"):
        invalid(f"{name} damaged", {**flat, name: b64u(flipped(unb64u(flat[name])))}, "decryptionFailed", "Damaged")
    with_data = sealed(whole, mine, aad=b"visible")
    invalid("authenticated data damaged", {**with_data, "aad": b64u(b"visiblf")}, "decryptionFailed", "Damaged")
    without = {name: value for name, value in with_data.items() if name != "aad"}
    invalid("authenticated data left out", without, "decryptionFailed", "Damaged")
    invalid("authenticated data added", {**flat, "aad": b64u(b"visible")}, "decryptionFailed", "Damaged")
    for length in (0, 8, 16, 31, 41):
        key = {"encrypted_key": b64u(counting(length))} if length else {"encrypted_key": "AA"}
        invalid(f"encrypted key of {length or 1} octets", {**flat, **key}, "decryptionFailed", "BadLength")
    short = sealed(whole, {"encrypted_key": wrapped(cek=CEK[:16])}, cek=CEK[:16])
    invalid("a content encryption key of another length", short, "decryptionFailed", "BadLength")
    # Headers: what decides is protected, and nothing stands in two places.
    direct = {"header": {"alg": "dir"}}
    for comment, message, error in (
        ("enc outside the protected header", sealed({"alg": "A128KW"}, mine, unprotected=enc), "headerInvalid(enc)"),
        ("no protected header", sealed(None, mine, unprotected=whole), "headerInvalid(enc)"),
        ("zip outside", sealed(whole, mine, unprotected={"zip": "DEF"}), "headerInvalid(zip)"),
        ("crit outside", sealed(whole, mine, unprotected={"crit": ["exp"], "exp": 1}), "headerInvalid(crit)"),
        ("alg in two headers", sealed(whole, {"header": {"alg": "A128KW"}, **mine}), "headerInvalid(header)"),
        ("kid in two headers", sealed({**whole, "kid": "a"}, mine, unprotected={"kid": "a"}), "headerInvalid(header)"),
        ("x in both unprotected headers", sealed(whole, {"header": {"x": 1}, **mine}, unprotected={"x": 1}), "headerInvalid(header)"),
        ("no alg", sealed(enc, mine), "headerInvalid(alg)"),
        ("an extension that must be understood", sealed({**whole, "crit": ["exp"], "exp": 1}, mine), "criticalHeaderUnsupported(crit)"),
        ("compressed", sealed({**whole, "zip": "DEF"}, mine), "algorithmNotAllowed(zip)"),
        ("recipients that disagree on enc", sealed({"kid": "a"}, [{"header": {**whole}, **mine}, {"header": {**whole, "enc": "A128GCM"}, **mine}]), "headerInvalid(enc)"),
    ):  # fmt: skip
        invalid(comment, message, error)
    two = sealed(enc, [direct, own])
    invalid("direct beside another recipient", two, "headerInvalid(alg)", algs=["dir"], key=DIRECT)
    invalid("a key beside a direct recipient", two, "headerInvalid(alg)")
    # Forms.
    for comment, message, error in (
        ("no iv", {name: flat[name] for name in flat if name != "iv"}, "malformed(ciphertext)"),
        ("no ciphertext", {name: flat[name] for name in flat if name != "ciphertext"}, "malformed(ciphertext)"),
        ("no tag", {name: flat[name] for name in flat if name != "tag"}, "malformed(ciphertext)"),
        ("an empty protected header", {**flat, "protected": ""}, "malformed(protected)"),
        ("an empty encrypted key", {**flat, "encrypted_key": ""}, "malformed(encrypted_key)"),
        ("no encrypted key", {name: flat[name] for name in flat if name != "encrypted_key"}, "malformed"),
        ("recipients empty", {**flat, "recipients": []}, "malformed(encrypted_key)"),
        ("recipients empty, general", {name: flat[name] for name in flat if name != "encrypted_key"} | {"recipients": []}, "malformed(recipients)"),
        ("recipients is an object", sealed(whole, [mine]) | {"recipients": mine}, "malformed(recipients)"),
        ("a recipient is a text", sealed(whole, [mine]) | {"recipients": ["x"]}, "malformed(recipients)"),
        ("tag of 12 octets", {**flat, "tag": flat["tag"][:16]}, "malformed"),
        ("initialization vector of 16 octets", {**flat, "iv": b64u(counting(16))}, "malformed"),
        ("ciphertext with padding", {**flat, "ciphertext": flat["ciphertext"] + "="}, "malformed"),
        ("unprotected is a text", {**flat, "unprotected": "x"}, "malformed(unprotected)"),
        ("aad is a number", {**flat, "aad": 1}, "malformed(aad)"),
    ):  # fmt: skip
        invalid(comment, message, error, "BadEncoding")
    test = members(flat, ["A128KW"], KEY_128)
    compact_form = ".".join(flat[name] for name in ("protected", "encrypted_key", "iv", "ciphertext", "tag"))
    for comment, token in (("compact", compact_form), ("an array", compact([flat])), ("nothing", "")):
        group.invalid(f"the message is {comment}", "BadEncoding", **{**test, "token": token}, error="malformed")
    return file
