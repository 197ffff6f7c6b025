"""JWE with HPKE (draft-ietf-jose-hpke-encrypt), both kinds: what is right, and what breaks one rule each."""

import hashlib
import json

from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from .envelope import VectorFile
from .hpke import Context, kem_of
from .octets import b64u, compact, counting, flipped, unb64u

# Number, KEM, KDF, AEAD; and the key's type and curve.
SUITES = [
    (0, 0x10, 1, 1, {"kty": "EC", "crv": "P-256"}),
    (1, 0x11, 2, 2, {"kty": "EC", "crv": "P-384"}),
    (2, 0x12, 3, 2, {"kty": "EC", "crv": "P-521"}),
    (3, 0x20, 1, 1, {"kty": "OKP", "crv": "X25519"}),
    (4, 0x20, 1, 3, {"kty": "OKP", "crv": "X25519"}),
    (7, 0x10, 1, 2, {"kty": "EC", "crv": "P-256"}),
]
# With ML-KEM (draft-ietf-jose-hpke-pq-pqt-01).
LATTICE_SUITES = [(number, kem, 0x11, 2, {"kty": "AKP"}) for number, kem in ((8, 0x50), (9, 0x647A), (10, 0x51), (12, 0x41), (13, 0x42))]
PLAINTEXT = b"The true sign of intelligence is not knowledge but imagination."
PSK, PSK_ID = counting(32), b"one of both"
CEK_BYTES = {"A128GCM": 16, "A256GCM": 32}


def material(text, size=66):
    return hashlib.shake_256(text.encode()).hexdigest(size)


def jwk(kem, names, seed, **more):
    """The recipient's private key as a JWK."""
    octets, key = kem_of(kem).derived(bytes.fromhex(seed))
    public = kem_of(kem).serialized(key)
    if names["kty"] == "AKP":
        return {**names, "pub": b64u(public), "priv": b64u(octets), **more}
    if names["kty"] == "OKP":
        return {**names, "x": b64u(public), "d": b64u(octets), **more}
    half = len(public) // 2
    return {**names, "x": b64u(public[1 : 1 + half]), "y": b64u(public[1 + half :]), "d": b64u(octets), **more}


class Message:
    """A message in parts, each of which can be changed before it is put together."""

    def __init__(self, suite, integrated, *, enc="A256GCM", info=b"", psk=None, plaintext=PLAINTEXT, aad=None, header=None, cek=None):
        number, kem, kdf, aead, self.names = suite
        self.alg = f"HPKE-{number}" + ("" if integrated else "-KE")
        self.own = material(f"recipient {number}")
        self.key = jwk(kem, self.names, self.own, alg=self.alg)
        mode = 1 if psk else 0
        if not integrated:
            info = b"JOSE-HPKE rcpt\xff" + enc.encode() + b"\xff" + info
        sender = material(f"sender {self.alg} {enc} {mode} {len(plaintext)}", getattr(kem_of(kem), "randomness_size", 66))
        context = Context(mode, kem, kdf, aead, sender, self.own, info=info, psk=psk or (b"", b""))
        encapsulated = bytes.fromhex(context.values["enc"])
        self.header = {"alg": self.alg}
        if not integrated:
            self.header["enc"], self.header["ek"] = enc, b64u(encapsulated)
        if psk:
            self.header["psk_id"] = b64u(psk[1])
        self.header |= header or {}
        self.protected, self.aad = b64u(compact(self.header).encode()), aad
        text = self.protected + ("" if aad is None else "." + b64u(aad))
        if integrated:
            self.encrypted_key, self.iv, self.tag = encapsulated, b"", b""
            self.ciphertext = context.seal(0, text.encode(), plaintext)
        else:
            cek = counting(CEK_BYTES[enc]) if cek is None else cek
            self.encrypted_key, self.iv = context.seal(0, b"", cek), counting(12)
            sealed = AESGCM(counting(CEK_BYTES[enc])).encrypt(self.iv, plaintext, text.encode())
            self.ciphertext, self.tag = sealed[:-16], sealed[-16:]

    def with_header(self, **changes):
        """The same with members of the header changed, and the rest as it was."""
        header = {name: value for name, value in (self.header | changes).items() if value is not None}
        self.protected = b64u(compact(header).encode())
        return self

    def changed(self, **parts):
        self.__dict__.update(parts)
        return self

    def compact(self):
        parts = [b64u(part) for part in (self.encrypted_key, self.iv, self.ciphertext, self.tag)]
        return ".".join([self.protected, *parts])

    def flattened(self, **more):
        members = {"protected": self.protected, "encrypted_key": b64u(self.encrypted_key), "ciphertext": b64u(self.ciphertext)}
        for name, part in (("iv", self.iv), ("tag", self.tag), ("aad", self.aad)):
            if part:
                members[name] = b64u(part)
        return json.dumps(members | more, separators=(",", ":"))


def file():
    file = VectorFile(
        "jwe_hpke.json", "JWE", "draft-ietf-jose-hpke-encrypt-22", "5 and 6; draft-ietf-jose-hpke-pq-pqt-01", "Use of Hybrid Public Key Encryption (HPKE) with JWE"
    )
    group = file.group("JweDecrypt")

    def members(message, token, **more):
        serialization = "flattened" if token.startswith("{") else "compact"
        return {"serialization": serialization, "algs": [message.alg], "encs": ["A128GCM", "A256GCM"], "key": message.key, "token": token, **more}

    def valid(comment, message, token, plaintext=PLAINTEXT, *flags, **more):
        group.valid(comment, "Derived", *flags, **members(message, token, **more), payload=plaintext.hex())

    def invalid(comment, message, token, error, *flags, **more):
        group.invalid(comment, *flags, **members(message, token, **more), error=error)

    known = {"psk": PSK.hex(), "pskId": PSK_ID.hex()}
    for suite in SUITES:
        for integrated in (True, False):

            def make(**choices):
                return Message(suite, integrated, **choices)

            message = make()
            valid("compact", message, message.compact())
            for plaintext in (b"", b"x"):
                message = make(plaintext=plaintext)
                valid(f"compact, {len(plaintext)} octets", message, message.compact(), plaintext, "EdgeCase")
            message = make(aad=b"further")
            valid("flattened, with further data", message, message.flattened())
            message = make(psk=(PSK, PSK_ID))
            valid("a pre-shared key", message, message.compact(), **known)
            message = make(info=b"for a test")
            name = "info" if integrated else "recipientExtraInfo"
            valid("info that both sides know", message, message.compact(), **{name: b"for a test".hex()})
            invalid("info that the recipient doesn't know", message, message.compact(), "decryptionFailed", "WrongKey")
            invalid("other info", message, message.compact(), "decryptionFailed", "WrongKey", **{name: b"for a tesT".hex()})
            message = make(psk=(PSK, PSK_ID))
            invalid("a pre-shared key that the recipient doesn't know", message, message.compact(), "keyMismatch", "KeyPolicy")
            invalid(
                "another pre-shared key of the name", message, message.compact(), "decryptionFailed", "WrongKey", psk=counting(33).hex(), pskId=PSK_ID.hex()
            )
            invalid("a pre-shared key of another name", message, message.compact(), "keyMismatch", "KeyPolicy", psk=PSK.hex(), pskId="00")
            message = make()
            invalid("no pre-shared key where the recipient has one", message, message.compact(), "keyMismatch", "KeyPolicy", **known)
            for comment, change in (
                ("the last bit of the ciphertext flipped", lambda m: m.changed(ciphertext=flipped(m.ciphertext))),
                ("an octet less of ciphertext", lambda m: m.changed(ciphertext=m.ciphertext[:-1])),
                ("a header with one more member", lambda m: m.with_header(x=1)),
            ):
                message = change(make())
                invalid(comment, message, message.compact(), "decryptionFailed", "Damaged")
            message = make()
            wrong = dict(message.key, **jwk(suite[1], message.names, material("another")))
            group.invalid("another key", "WrongKey", **(members(message, message.compact()) | {"key": wrong}), error="decryptionFailed")
            other = dict(message.key, alg=message.alg[:-3] if message.alg.endswith("-KE") else message.alg + "-KE")
            group.invalid("a key for the other kind", "KeyPolicy", **(members(message, message.compact()) | {"key": other}), error="keyMismatch")
            short = b"\4" + bytes(3)
            if integrated:
                for name, value in (("enc", "A128GCM"), ("ek", b64u(message.encrypted_key))):
                    invalid(f"{name} where the algorithm encrypts the content", *twice(make().with_header(**{name: value})), "headerInvalid", "Header")
                    message = make()
                    invalid(f"{name} in an unprotected header", message, message.flattened(header={name: value}), "headerInvalid", "Header")
                message = make(psk=(PSK, PSK_ID)).with_header(psk_id=None)
                invalid("psk_id in an unprotected header", message, message.flattened(header={"psk_id": b64u(PSK_ID)}), "headerInvalid", "Header", **known)
                invalid("an initialization vector", *twice(make().changed(iv=counting(12))), "malformed", "BadLength")
                invalid("a tag of its own", *twice(make().changed(tag=bytes(16))), "malformed", "BadLength")
                message = make()
                cut = message.changed(tag=message.ciphertext[-16:], ciphertext=message.ciphertext[:-16])
                invalid("the tag cut off and put in its segment", cut, cut.compact(), "malformed", "BadLength")
                for name in ("iv", "tag"):
                    message = make()
                    invalid(f"an empty {name}", message, message.flattened(**{name: ""}), "malformed", "BadEncoding")
                invalid("no encapsulated key", *twice(make().changed(encrypted_key=b"")), "malformed", "BadLength")
                invalid("an encapsulated key of another length", *twice(make().changed(encrypted_key=short)), "keyInvalid", "BadLength")
                message = make()
                invalid("alg that is not protected", message.with_header(alg=None, x=1), message.flattened(header={"alg": message.alg}), "headerInvalid", "Header")
            else:
                for comment, value, error in (
                    ("no ek", None, "headerInvalid"),
                    ("ek that is a number", 1, "headerInvalid"),
                    ("ek that is no base64url", "*", "headerInvalid"),
                    ("ek of another length", b64u(short), "keyInvalid"),
                ):
                    invalid(comment, *twice(make().with_header(ek=value)), error, "Header")
                invalid("no enc", *twice(make().with_header(enc=None)), "headerInvalid", "Header")
                invalid("another enc", *twice(make(enc="A256GCM").with_header(enc="A128GCM")), "decryptionFailed", "Header")
                invalid("the encrypted key's last bit flipped", *twice(damaged(make())), "decryptionFailed", "Damaged")
                invalid("an empty encrypted key", *twice(make().changed(encrypted_key=b"")), "malformed", "BadLength")
                invalid("a content encryption key of another length", *twice(make(cek=counting(16))), "decryptionFailed", "BadLength")
                message = make(enc="A128GCM")
                valid("another content encryption", message, message.compact())
    for suite in LATTICE_SUITES:
        for integrated in (True, False):
            message = Message(suite, integrated)
            valid("compact", message, message.compact())
            message = Message(suite, integrated, plaintext=b"", aad=b"further")
            valid("flattened, with further data, no octets", message, message.flattened(), b"", "EdgeCase")
            message = Message(suite, integrated, info=b"for a test", psk=(PSK, PSK_ID))
            name = "info" if integrated else "recipientExtraInfo"
            valid("info and a pre-shared key", message, message.compact(), **known, **{name: b"for a test".hex()})
            # Of the right length, it is another secret: the tag says so.
            message = Message(suite, integrated)
            if integrated:
                message.encrypted_key = flipped(message.encrypted_key, 0)
            else:
                message.with_header(ek=b64u(flipped(unb64u(message.header["ek"]), 0)))
            invalid("the encapsulated key's first bit flipped", message, message.compact(), "decryptionFailed", "Damaged")
            message = Message(suite, integrated)
            if integrated:
                message.encrypted_key = message.encrypted_key[:-1]
            else:
                message.with_header(ek=b64u(unb64u(message.header["ek"])[:-1]))
            invalid("an encapsulated key of another length", message, message.compact(), "keyInvalid", "BadLength")
            other = dict(message.key, alg=message.alg[:-3] if message.alg.endswith("-KE") else message.alg + "-KE")
            group.invalid("a key for the other kind", "KeyPolicy", **(members(message, message.compact()) | {"key": other}), error="keyMismatch")
    return file


def twice(message):
    """A message, and its compact form."""
    return message, message.compact()


def damaged(message):
    return message.changed(encrypted_key=flipped(message.encrypted_key))
