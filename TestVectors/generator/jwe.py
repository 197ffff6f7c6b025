"""JWE in compact form (RFC 7516): ECDH-ES and dir with the three AES-GCM sizes, and the one example with a password."""

import hmac
import json

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.pbkdf2 import PBKDF2HMAC
from cryptography.hazmat.primitives.keywrap import aes_key_unwrap

from . import p256
from .agreement import ALICE, BOB, KEY_BITS
from .envelope import VectorFile
from .octets import b64u, counting, flipped, unb64u
from .p256 import P, jwk, multiply, octets
from .tokens import agreed_key, parts, seal, with_part

PLAINTEXT = b"Live long and prosper."
EPK = {name: ALICE[name] for name in ("kty", "crv", "x", "y")}

# RFC 7517, C: a private RSA key in JSON, sealed with a password.
PASSWORD = b"Thus from my lips, by yours, my sin is purged."
SEALED_KEY = (
    "eyJhbGciOiJQQkVTMi1IUzI1NitBMTI4S1ciLCJwMnMiOiIyV0NUY0paMVJ2ZF9DSnVKcmlwUTF3IiwicDJjIjo0MDk2LCJlbmMiOiJBMTI4Q0"
    "JDLUhTMjU2IiwiY3R5IjoiandrK2pzb24ifQ.TrqXOwuNUfDV9VPTNbyGvEJ9JMjefAVn-"
    "TR1uIxR9p6hsRQh9Tk7BA.Ye9j1qs22DmRSAddIh-VnA.AwhB8lxrlKjFn02LGWEqg27H4Tg9fyZAbFv3p5ZicHpj64QyHC44qqlZ3JEmnZTgQ"
    "owIqZJ13jbyHB8LgePiqUJ1hf6M2HPLgzw8L-mEeQ0jvDUTrE07NtOerBk8bwBQyZ6g0kQ3DEOIglfYxV8-FJvNBYwbqN1Bck6d_i7OtjSHV-"
    "8DIrp-3JcRIe05YKy3Oi34Z_GOiAc1EK21B11c_AE11PII_wvvtRiUiG8YofQXakWd1_O98Kap-UgmyWPfreUJ3lJPnbD4Ve95owEfMGLOPflo"
    "2MnjaTDCwQokoJ_xplQ2vNPz8iguLcHBoKllyQFJL2mOWBwqhBo9Oj-"
    "O800as5mmLsvQMTflIrIEbbTMzHMBZ8EFW9fWwwFu0DWQJGkMNhmBZQ-3lvqTc-M6-"
    "gWA6D8PDhONfP2Oib2HGizwG1iEaX8GRyUpfLuljCLIe1DkGOewhKuKkZh04DKNM5Nbugf2atmU9OP0Ldx5peCUtRG1gMVl7Qup5ZXHTjgPDr5"
    "b2N731UooCGAUqHdgGhg0JVJ_ObCTdjsH4CF1SJsdUhrXvYx3HJh2Xd7CwJRzU_3Y1GxYU6-"
    "s3GFPbirfqqEipJDBTHpcoCmyrwYjYHFgnlqBZRotRrS95g8F95bRXqsaDY7UgQGwBQBwy665d0zpvTasvfXf_c0MWAl-"
    "neFaKOW_Px6g4EUDjG1GWSXV9cLStLw_0ovdApDIFLHYHePyagyHjouQUuGiq7BsYwYrwaF06tgB8hV8omLNfMEmDPJaZUzMuHw6tBDwGkzD-"
    "tS_ub9hxrpJ4UsOWnt5rGUyoN2N_c1-TQlXxm5oto14MxnoAyBQBpwIEgSH3Y4ZhwKBhHPjSo0cdwuNdYbGPpb-YUvF-"
    "2NZzODiQ1OvWQBRHSbPWYz_xbGkgD504LRtqRwCO7CC_CyyURi1sEssPVsMJRX_U4LFEOc82TiDdqjKOjRUfKK5rqLi8nBE9soQ0DSaOoFQZiG"
    "rBrqxDsNYiAYAmxxkos-i3nX4qtByVx85sCE5U_0MqG7COxZWMOPEFrDaepUV-cOyrvoUIng8i8ljKBKxETY2BgPegKBYCxsAUcAkKamSCC9Ai"
    "BxA0UOHyhTqtlvMksO7AEhNC2-"
    "YzPyx1FkhMoS4LLe6E_pFsMlmjA6P1NSge9C5G5tETYXGAn6b1xZbHtmwrPScro9LWhVmAaA7_bxYObnFUxgWtK4vzzQBjZJ36UTk4OTB-"
    "JvKWgfVWCFsaw5WCHj6Oo4jpO7d2yN7WMfAj2hTEabz9wumQ0TMhBduZ-"
    "QON3pYObSy7TSC1vVme0NJrwF_cJRehKTFmdlXGVldPxZCplr7ZQqRQhF8JP-l4mEQVnCaWGn9ONHlemczGOS-A-wwtnmwjIB1V_vgJRf4FdpV"
    "-4hUk4-QLpu3-"
    "1lWFxrtZKcggq3tWTduRo5_QebQbUUT_VSCgsFcOmyWKoj56lbxthN19hq1XGWbLGfrrR6MWh23vk01zn8FVwi7uFwEnRYSafsnWLa1Z5TpBj9"
    "GvAdl2H9NHwzpB5NqHpZNkQ3NMDj13Fn8fzO0JB83Etbm_tnFQfcb13X3bJ15Cz-Ww1MGhvIpGGnMBT_ADp9xSIyAM9dQ1yeVXk-"
    "AIgWBUlN5uyWSGyCxp0cJwx7HxM38z0UIeBu-MytL-eqndM7LxytsVzCbjOTSVRmhYEMIzUAnS1gs7uMQAGRdgRIElTJESGMjb_4bZq9s6Ve1L"
    "KkSi0_QDsrABaLe55UY0zF4ZSfOV5PMyPtocwV_dcNPlxLgNAD1BFX_Z9kAdMZQW6fAmsfFle0zAoMe4l9pMESH0JB4sJGdCKtQXj1cXNydDYo"
    "zF7l8H00BV_Er7zd6VtIw0MxwkFCTatsv_R-"
    "GsBCH218RgVPsfYhwVuT8R4HarpzsDBufC4r8_c8fc9Z278sQ081jFjOja6L2x0N_ImzFNXU6xwO-Ska-QeuvYZ3X_L31ZOX4Llp-"
    "7QSfgDoHnOxFv1Xws-D5mDHD3zxOup2b2TppdKTZb9eW2vxUVviM8OI9atBfPKMGAOv9omA-6vv5IxUH0-lWMiHLQ_g8vnswp-Jav0c4t6URVU"
    "zujNOoNd_CBGGVnHiJTCHl88LQxsqLHHIu4Fz-U2SGnlxGTj0-"
    "ihit2ELGRv4vO8E1BosTmf0cx3qgG0Pq0eOLBDIHsrdZ_CCAiTc0HVkMbyq1M6qEhM-q5P6y1QCIrwg.0HFmhOzsQ98nNWJjIHkR7A"
)
SEALED_KEY_CEK = "6f1b1934421d144e5cb038f041d05270a1832437caecb9ac811799c2c330fdb6"


def opened_with_password(token, password):
    """The content encryption key and the plaintext of a token of PBES2-HS256+A128KW with A128CBC-HS256."""
    encoded = parts(token)
    header, encrypted_key, iv, ciphertext, tag = (unb64u(part) for part in encoded)
    header = json.loads(header)
    salt = header["alg"].encode() + b"\0" + unb64u(header["p2s"])
    key = aes_key_unwrap(PBKDF2HMAC(SHA256(), 16, salt, header["p2c"]).derive(password), encrypted_key)
    authenticated = encoded[0].encode() + iv + ciphertext + (8 * len(encoded[0])).to_bytes(8, "big")
    assert hmac.digest(key[:16], authenticated, "sha256")[:16] == tag
    decryptor = Cipher(algorithms.AES(key[16:]), modes.CBC(iv)).decryptor()
    padded = decryptor.update(ciphertext) + decryptor.finalize()
    return key, padded[: -padded[-1]]


def file():
    file = VectorFile("jwe.json", "JWE", "RFC 7516; RFC 7518; RFC 7517", "7.1; 4.5, 4.6, 5.3; C", "compact JWE with ECDH-ES, dir and PBES2")
    group = file.group("JweDecrypt")

    def members(alg, enc, key, token, **more):
        return {"serialization": "compact", "algs": [alg], "encs": [enc], "key": key, "token": token, **more}

    def valid(comment, alg, enc, key, token, plaintext, *flags, **more):
        group.valid(comment, "Derived", *flags, **members(alg, enc, key, token, **more), payload=plaintext.hex())

    def invalid(comment, alg, enc, key, token, error, *flags, **more):
        expected = {"error": error} if error else {}
        group.invalid(comment, *flags, **members(alg, enc, key, token, **more), **expected)

    def damages(name, alg, enc, key, wrong, token):
        header, _, iv, ciphertext, tag = (unb64u(part) for part in parts(token))
        for comment, changed in (
            ("last bit of the tag flipped", with_part(token, 4, flipped(tag))),
            ("first bit of the tag flipped", with_part(token, 4, flipped(tag, 0, 128))),
            ("tag of zeros", with_part(token, 4, bytes(16))),
            ("last bit of the ciphertext flipped", with_part(token, 3, flipped(ciphertext))),
            ("first bit of the ciphertext flipped", with_part(token, 3, flipped(ciphertext, 0, 128))),
            ("last octet of the ciphertext missing", with_part(token, 3, ciphertext[:-1])),
            ("an octet more of ciphertext", with_part(token, 3, ciphertext + b"\0")),
            ("ciphertext left out", with_part(token, 3, "")),
            ("last bit of the initialization vector flipped", with_part(token, 2, flipped(iv))),
            ("a space added to the header", with_part(token, 0, header[:-1] + b" }")),
        ):
            invalid(f"{name}: {comment}", alg, enc, key, changed, "decryptionFailed", "Damaged")
        invalid(f"{name}: another key", alg, enc, wrong, token, "decryptionFailed", "WrongKey")
        if alg != "dir":
            return
        segments = parts(token)
        for comment, changed in (
            ("tag left out", with_part(token, 4, "")),
            ("tag of 8 octets", with_part(token, 4, tag[:8])),
            ("tag of 12 octets", with_part(token, 4, tag[:12])),
            ("tag of 15 octets", with_part(token, 4, tag[:15])),
            ("tag of 17 octets", with_part(token, 4, tag + b"\0")),
            ("initialization vector left out", with_part(token, 2, "")),
            ("initialization vector of 11 octets", with_part(token, 2, iv[:11])),
            ("initialization vector of 13 octets", with_part(token, 2, iv + b"\0")),
            ("initialization vector of 16 octets", with_part(token, 2, iv + bytes(4))),
            ("encrypted key of one octet", with_part(token, 1, b"\0")),
            ("encrypted key of 40 octets", with_part(token, 1, bytes(40))),
            ("header left out", with_part(token, 0, "")),
            ("four segments", ".".join(segments[:4])),
            ("three segments, as a JWS has", ".".join(segments[:3])),
            ("six segments", token + "."),
            ("nothing", ""),
            ("four full stops", "...."),
            ("header padded", with_part(token, 0, segments[0] + "=")),
            ("tag padded", with_part(token, 4, segments[4] + "==")),
            ("unused bits of the tag set", token[:-1] + chr(ord(token[-1]) + 1)),
            ("line feed at the end", token + "\n"),
            ("space in front", " " + token),
            ("header cut short", with_part(token, 0, header[:-1])),
        ):
            invalid(f"{name}: {comment}", alg, enc, key, changed, "malformed", "BadEncoding")

    lengths = (0, 1, 15, 16, 17, 127, 128, 129, 500)
    for enc, bits in KEY_BITS.items():
        secret = counting(bits // 8, bits)
        key = {"kty": "oct", "k": b64u(secret)}
        wrong = {"kty": "oct", "k": b64u(flipped(secret))}
        token = seal({"alg": "dir", "enc": enc}, secret, PLAINTEXT)
        valid(f"dir, {enc}", "dir", enc, key, token, PLAINTEXT, cek=secret.hex())
        for length in lengths:
            plaintext = counting(length, 3, 5)
            token = seal({"alg": "dir", "enc": enc}, secret, plaintext, iv=counting(12, length))
            valid(f"dir, {enc}, plaintext of {length} octets", "dir", enc, key, token, plaintext, "EdgeCase")
        for length in (1, 16, 24, 32, 33, 64):
            if length * 8 != bits:
                short = {"kty": "oct", "k": b64u(counting(length, bits))}
                invalid(f"dir, {enc}, key of {length} octets", "dir", enc, short, token, None, "KeyPolicy", "BadLength")

        agreed = agreed_key(enc, BOB, ALICE, b"Alice", b"Bob")
        header = {"alg": "ECDH-ES", "enc": enc, "apu": b64u(b"Alice"), "apv": b64u(b"Bob"), "epk": EPK}
        token = seal(header, agreed, PLAINTEXT)
        valid(f"ECDH-ES, {enc}, keys of RFC 7518 C", "ECDH-ES", enc, BOB, token, PLAINTEXT, cek=agreed.hex())
    secret = counting(32, 256)
    token = seal({"alg": "dir", "enc": "A256GCM"}, secret, PLAINTEXT)
    key, wrong = {"kty": "oct", "k": b64u(secret)}, {"kty": "oct", "k": b64u(flipped(secret))}
    damages("dir, A256GCM", "dir", "A256GCM", key, wrong, token)

    enc = "A256GCM"
    agreed = agreed_key(enc, BOB, ALICE, b"Alice", b"Bob")
    header = {"alg": "ECDH-ES", "enc": enc, "apu": b64u(b"Alice"), "apv": b64u(b"Bob"), "epk": EPK}
    token = seal(header, agreed, PLAINTEXT)
    damages("ECDH-ES, A256GCM", "ECDH-ES", enc, BOB, jwk(multiply(7), 7), token)

    # Party information in the header; the key is always the one that the header leads to.
    def parties(comment, apu, apv):
        header = {"alg": "ECDH-ES", "enc": enc, "epk": EPK}
        for name, octets in (("apu", apu), ("apv", apv)):
            if octets is not None:
                header[name] = b64u(octets)
        token = seal(header, agreed_key(enc, BOB, ALICE, apu or b"", apv or b""), PLAINTEXT)
        valid(f"ECDH-ES, {comment}", "ECDH-ES", enc, BOB, token, PLAINTEXT)

    parties("no party information", None, None)
    parties("apu alone", b"Alice", None)
    parties("apv alone", None, b"Bob")
    parties("empty party information", b"", b"")
    parties("octets of zero", bytes(3), bytes(4))
    parties("octets above 127", counting(9, 0x80), counting(9, 0xF0))
    parties("300 octets each", counting(300), counting(300, 9))

    # apv agreed elsewhere: absent from the header and given to the recipient by its application.
    bare = {"alg": "ECDH-ES", "enc": enc, "apu": b64u(b"Alice"), "epk": EPK}
    for comment, in_header, in_kdf, given, error in (
        ("apv given by the application", None, b"Bob", b"Bob", None),
        ("apv in the header and given", b"Bob", b"Bob", b"Bob", None),
        ("another apv given by the application", None, b"Bob", b"Eve", "decryptionFailed"),
        ("apv not given by the application", None, b"Bob", None, "decryptionFailed"),
        ("apv given although the sender had none", None, b"", b"Bob", "decryptionFailed"),
        ("apv in the header and another one given", b"Bob", b"Bob", b"Eve", "headerInvalid"),
    ):
        header = bare if in_header is None else {**bare, "apv": b64u(in_header)}
        token = seal(header, agreed_key(enc, BOB, ALICE, b"Alice", in_kdf), PLAINTEXT)
        more = {} if given is None else {"apv": b64u(given)}
        if error:
            invalid(f"ECDH-ES, {comment}", "ECDH-ES", enc, BOB, token, error, "OutOfBand", **more)
        else:
            valid(f"ECDH-ES, {comment}", "ECDH-ES", enc, BOB, token, PLAINTEXT, "OutOfBand", **more)

    # The ephemeral key. Off the curve there is no secret to seal with, so those tokens keep the good one's.
    agreed = agreed_key(enc, BOB, ALICE)

    def ephemeral(comment, epk, error, *flags):
        header = {"alg": "ECDH-ES", "enc": enc}
        if epk is not ...:
            header["epk"] = epk
        invalid(f"ECDH-ES, {comment}", "ECDH-ES", enc, BOB, seal(header, agreed, PLAINTEXT), error, *flags)

    x, y = unb64u(EPK["x"]), unb64u(EPK["y"])
    ephemeral("epk missing", ..., "headerInvalid", "Header")
    ephemeral("epk is a text", "x", "headerInvalid", "Header")
    ephemeral("epk is null", None, "headerInvalid", "Header")
    ephemeral("epk is an array", [EPK], "headerInvalid", "Header")
    ephemeral("epk: y with its last bit flipped", {**EPK, "y": b64u(flipped(y))}, "keyInvalid", "InvalidPoint")
    ephemeral("epk: x with its last bit flipped", {**EPK, "x": b64u(flipped(x))}, "keyInvalid", "InvalidPoint")
    ephemeral("epk: (0, 0)", {**EPK, "x": b64u(bytes(32)), "y": b64u(bytes(32))}, "keyInvalid", "InvalidPoint")
    ephemeral("epk: x is p", {**EPK, "x": b64u(octets(P))}, "keyInvalid", "BadRange")
    ephemeral("epk: x of 31 octets", {**EPK, "x": b64u(x[:-1])}, "keyInvalid", "BadLength")
    ephemeral("epk: y of 33 octets", {**EPK, "y": b64u(b"\0" + y)}, "keyInvalid", "BadLength")
    ephemeral("epk: y missing", {name: EPK[name] for name in ("kty", "crv", "x")}, "keyInvalid", "Header")
    ephemeral("epk: y is a number", {**EPK, "y": 1}, "keyInvalid", "Header")
    ephemeral("epk: with d", ALICE, "keyInvalid", "Header")
    ephemeral("epk: crv is P-384", {**EPK, "crv": "P-384"}, "keyMismatch", "KeyPolicy")
    ephemeral("epk: kty is OKP", {"kty": "OKP", "crv": "X25519", "x": EPK["x"]}, "keyMismatch", "KeyPolicy")

    # A header whose only fault is the one named: the token decrypts wherever that fault is overlooked.
    def headers(comment, error, flag, remove=(), **changes):
        choices = [("dir", secret, {"kty": "oct", "k": b64u(secret)}), ("ECDH-ES", agreed, BOB)]
        for alg, cek, key in choices if error is None else choices[:1]:
            header = {"alg": alg, "enc": enc, **({"epk": EPK} if alg == "ECDH-ES" else {}), **changes}
            for name in remove:
                del header[name]
            token = seal(header, cek, PLAINTEXT)
            if error is None:
                valid(f"{alg}, {comment}", alg, enc, key, token, PLAINTEXT)
            else:
                invalid(f"{alg}, {comment}", alg, enc, key, token, error, flag)

    headers("parameters that nobody knows", None, None, a=1, b=None, c=[{}])
    headers("typ and cty", None, None, typ="JOSE", cty="text/plain")
    headers("alg missing", "headerInvalid", "Header", remove=["alg"])
    headers("enc missing", "headerInvalid", "Header", remove=["enc"])
    headers("enc is a number", "headerInvalid", "Header", enc=256)
    headers("enc in lower case", "algorithmNotAllowed", "AlgorithmPolicy", enc="a256gcm")
    headers("enc unknown", "algorithmNotAllowed", "AlgorithmPolicy", enc="A256GCN")
    headers("enc is A256CBC-HS512", "algorithmNotAllowed", "AlgorithmPolicy", enc="A256CBC-HS512")
    headers("alg in other case", "algorithmNotAllowed", "AlgorithmPolicy", alg="Ecdh-es")
    headers("alg is none", "algorithmNotAllowed", "Unsecured", alg="none")
    headers("alg is null", "headerInvalid", "Header", alg=None)
    headers("zip", "algorithmNotAllowed", "AlgorithmPolicy", zip="DEF")
    token = seal({"alg": "dir", "enc": enc, "zip": 1}, secret, PLAINTEXT)
    invalid("dir, zip is a number", "dir", enc, {"kty": "oct", "k": b64u(secret)}, token, None, "Header")
    headers("unknown extension that is critical", "criticalHeaderUnsupported", "Header", crit=["x"], x=1)
    headers("crit is empty", "headerInvalid", "Header", crit=[])
    headers("crit names a parameter of RFC 7516", "headerInvalid", "Header", crit=["enc"])
    headers("crit names a parameter that is absent", "headerInvalid", "Header", crit=["x"])
    headers("kid is a number", "headerInvalid", "Header", kid=1)
    for name in ("apu", "apv"):
        for comment, value in (("a number", 1), ("null", None), ("padded", "QQ=="), ("one character", "Q"), ("with a space", "QQ QQ")):
            token = seal({"alg": "ECDH-ES", "enc": enc, "epk": EPK, name: value}, agreed, PLAINTEXT)
            invalid(f"ECDH-ES, {name} {comment}", "ECDH-ES", enc, BOB, token, "headerInvalid", "Header")
    twice = '{"alg":"dir","enc":"A256GCM","enc":"A256GCM"}'
    key = {"kty": "oct", "k": b64u(secret)}
    invalid("dir, enc twice", "dir", enc, key, seal(twice, secret, PLAINTEXT), "malformed", "BadEncoding")
    invalid("dir, header is an array", "dir", enc, key, seal('["dir"]', secret, PLAINTEXT), "malformed", "BadEncoding")

    # What the caller allows, and what the key says about itself.
    token = seal({"alg": "dir", "enc": enc}, secret, PLAINTEXT)
    agreement = seal({"alg": "ECDH-ES", "enc": enc, "epk": EPK}, agreed, PLAINTEXT)
    invalid("only ECDH-ES is allowed", "ECDH-ES", enc, BOB, token, "algorithmNotAllowed", "AlgorithmPolicy")
    invalid("only dir is allowed", "dir", enc, key, agreement, "algorithmNotAllowed", "AlgorithmPolicy")
    invalid("only A128GCM is allowed", "ECDH-ES", "A128GCM", BOB, agreement, "algorithmNotAllowed", "AlgorithmPolicy")
    invalid("dir with an EC key", "dir", enc, BOB, token, "keyMismatch", "KeyPolicy")
    invalid("ECDH-ES with a symmetric key", "ECDH-ES", enc, key, agreement, "keyMismatch", "KeyPolicy")
    for comment, changes, error in (
        ("use is enc", {"use": "enc"}, None),
        ("alg is ECDH-ES", {"alg": "ECDH-ES"}, None),
        ("key_ops is deriveBits", {"key_ops": ["deriveBits"]}, None),
        ("key_ops is deriveKey", {"key_ops": ["deriveKey"]}, None),
        ("use is sig", {"use": "sig"}, "keyMismatch"),
        ("alg is ES256", {"alg": "ES256"}, "keyMismatch"),
        ("key_ops is sign", {"key_ops": ["sign"]}, "keyMismatch"),
    ):
        bound = {**BOB, **changes}
        if error:
            invalid(f"ECDH-ES, the key's {comment}", "ECDH-ES", enc, bound, agreement, error, "KeyPolicy")
        else:
            valid(f"ECDH-ES, the key's {comment}", "ECDH-ES", enc, bound, agreement, PLAINTEXT)
    # Leading zeros where a careless encoder drops them.
    recipient, point = p256.private(BOB)
    for comment, matches in (
        ("x of epk", lambda d, q: q[0] >> 248 == 0),
        ("y of epk", lambda d, q: q[1] >> 248 == 0),
        ("the shared secret", lambda d, q: multiply(d, point)[0] >> 248 == 0),
    ):
        d = next(d for d in range(2, 10_000) if matches(d, multiply(d)))
        header = {"alg": "ECDH-ES", "enc": enc, "epk": jwk(multiply(d))}
        token = seal(header, agreed_key(enc, BOB, jwk(multiply(d), d)), PLAINTEXT)
        valid(f"ECDH-ES, {comment} begins with a zero octet", "ECDH-ES", enc, BOB, token, PLAINTEXT, "EdgeCase")
    cek, sealed_key = opened_with_password(SEALED_KEY, PASSWORD)
    assert cek.hex() == SEALED_KEY_CEK and json.loads(sealed_key)["kid"] == "juliet@capulet.lit"
    password = {"kty": "oct", "k": b64u(PASSWORD)}
    group.valid(
        "PBES2-HS256+A128KW, RFC 7517 C", "Figure",
        **members("PBES2-HS256+A128KW", "A128CBC-HS256", password, SEALED_KEY, cek=SEALED_KEY_CEK), payload=sealed_key.hex())
    return file
