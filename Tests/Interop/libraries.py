"""The two Python libraries behind one set of names."""

import json
from importlib.metadata import version

from joserfc import jwe as joserfc_jwe
from joserfc import jws as joserfc_jws
from joserfc.jwe import FlattenedJSONEncryption, GeneralJSONEncryption
from joserfc.jwk import import_key
from jwcrypto import jwa, jwe, jwk, jws
from jwcrypto.common import base64url_encode

from programs import own_header

AAD = b"aad"


class Library:
    """What both have in common."""

    curves = ("P-384", "P-521", "X25519")
    # Whether it takes payloads that are not encoded (RFC 7797).
    unencoded = True

    def takes_aad(self, content):
        """Whether it takes data that is authenticated beside the ciphertext."""
        return True

    def decrypt_nameless(self, key, algorithm, content, text, index):
        """Opens a message for several recipients without a name, of which this key's is the one with this index."""
        return self.decrypt_json(key, algorithm, content, text)


class Joserfc(Library):
    """https://pypi.org/project/joserfc/"""

    name = "joserfc"
    version = version("joserfc")

    def has(self, name):
        known = joserfc_jwe.JWERegistry.algorithms
        return name in joserfc_jws.JWSRegistry.algorithms or name in known["alg"] or name in known["enc"]

    def sign(self, key, algorithm, payload):
        return joserfc_jws.serialize_compact({"alg": algorithm}, payload, import_key(key), algorithms=[algorithm])

    def verify(self, key, algorithm, token):
        return joserfc_jws.deserialize_compact(token, import_key(key), algorithms=[algorithm]).payload

    def sign_json(self, key, algorithm, payload, form):
        member = {"protected": {"alg": algorithm}}
        members = [member] if form == "general" else member
        return json.dumps(joserfc_jws.serialize_json(members, payload, import_key(key), algorithms=[algorithm]))

    def verify_json(self, key, algorithm, text):
        return joserfc_jws.deserialize_json(json.loads(text), import_key(key), algorithms=[algorithm]).payload

    def sign_detached(self, key, algorithm, payload, encoded):
        header = {"alg": algorithm} if encoded else {"alg": algorithm, "b64": False, "crit": ["b64"]}
        token = joserfc_jws.serialize_compact(header, payload, import_key(key), algorithms=[algorithm])
        return joserfc_jws.detach_content(token) if encoded else token

    def verify_detached(self, key, algorithm, token, payload, encoded):
        if encoded:
            # It takes a payload apart for unencoded ones only.
            header, _, signature = token.split(".")
            return self.verify(key, algorithm, f"{header}.{base64url_encode(payload)}.{signature}")
        obj = joserfc_jws.deserialize_compact(token, import_key(key), algorithms=[algorithm], payload=payload)
        return obj.payload

    def encrypt(self, key, algorithm, content, payload, content_type=None):
        header = {"alg": algorithm, "enc": content, **({"cty": content_type} if content_type else {})}
        return joserfc_jwe.encrypt_compact(header, payload, import_key(key), algorithms=[algorithm, content])

    def decrypt(self, key, algorithm, content, token, content_type=None):
        opened = joserfc_jwe.decrypt_compact(token, import_key(key), algorithms=[algorithm, content])
        if opened.protected.get("cty") != content_type:
            raise ValueError("another content type")
        return opened.plaintext

    def encrypt_json(self, key, algorithm, content, payload, form):
        kind = GeneralJSONEncryption if form == "general" else FlattenedJSONEncryption
        message = kind({"alg": algorithm, "enc": content}, payload, aad=AAD)
        message.add_recipient({}, import_key(key))
        made = joserfc_jwe.encrypt_json(message, None, algorithms=[algorithm, content])
        return json.dumps(made)

    def encrypt_for_all(self, keys, content, payload):
        message = GeneralJSONEncryption({"enc": content}, payload)
        for algorithm, key in keys:
            message.add_recipient(own_header(algorithm, key), import_key(key))
        return json.dumps(joserfc_jwe.encrypt_json(message, None, algorithms=[content] + [name for name, _ in keys]))

    def decrypt_json(self, key, algorithm, content, text):
        message = json.loads(text)
        # It opens all recipients or none, so it is given its own alone.
        if len(message.get("recipients", [])) > 1:
            message["recipients"] = [part for part in message["recipients"] if part["header"]["alg"] == algorithm]
        return joserfc_jwe.decrypt_json(message, import_key(key), algorithms=[algorithm, content]).plaintext

    def decrypt_nameless(self, key, algorithm, content, text, index):
        # As above; with the same algorithm everywhere only the place tells which is its own.
        message = json.loads(text)
        message["recipients"] = [message["recipients"][index]]
        return joserfc_jwe.decrypt_json(message, import_key(key), algorithms=[algorithm, content]).plaintext


class JWCrypto(Library):
    """https://pypi.org/project/jwcrypto/"""

    name = "jwcrypto"
    version = version("jwcrypto")

    def has(self, name):
        return name in jwa.JWA.algorithms_registry

    def signed(self, key, algorithm, payload, header):
        token = jws.JWS(payload)
        token.allowed_algs = [algorithm]
        token.add_signature(jwk.JWK(**key), algorithm, json.dumps(header))
        return token

    def sign(self, key, algorithm, payload):
        return self.signed(key, algorithm, payload, {"alg": algorithm}).serialize(compact=True)

    def verify(self, key, algorithm, text, payload=None):
        token = jws.JWS()
        token.allowed_algs = [algorithm]
        token.deserialize(text)
        token.verify(jwk.JWK(**key), detached_payload=payload)
        return token.payload if payload is None else payload

    def sign_json(self, key, algorithm, payload, form):
        message = json.loads(self.signed(key, algorithm, payload, {"alg": algorithm}).serialize(compact=False))
        if form == "general":
            entry = {name: message.pop(name) for name in ("protected", "signature")}
            message["signatures"] = [entry]
        return json.dumps(message)

    verify_json = verify

    def sign_detached(self, key, algorithm, payload, encoded):
        header = {"alg": algorithm} if encoded else {"alg": algorithm, "b64": False, "crit": ["b64"]}
        token = self.signed(key, algorithm, payload, header)
        token.detach_payload()
        return token.serialize(compact=True)

    def verify_detached(self, key, algorithm, token, payload, encoded):
        return self.verify(key, algorithm, token, payload)

    def encrypted(self, keys, header, payload, algorithms, aad=None):
        # It bounds p2c below what it writes itself, unless told otherwise.
        jwa.default_max_pbkdf2_iterations = 1_200_000
        token = jwe.JWE(payload, json.dumps(header), algs=algorithms, aad=aad)
        for own, key in keys:
            token.add_recipient(jwk.JWK(**key), json.dumps(own) if own else None)
        return token

    def encrypt(self, key, algorithm, content, payload, content_type=None):
        header = {"alg": algorithm, "enc": content, **({"cty": content_type} if content_type else {})}
        return self.encrypted([(None, key)], header, payload, [algorithm, content]).serialize(compact=True)

    def decrypt(self, key, algorithm, content, text, content_type=None):
        token = jwe.JWE(algs=[algorithm, content])
        token.deserialize(text, jwk.JWK(**key))
        if token.jose_header.get("cty") != content_type:
            raise ValueError("another content type")
        return token.payload

    def encrypt_json(self, key, algorithm, content, payload, form):
        header = {"alg": algorithm, "enc": content}
        message = json.loads(self.encrypted([(None, key)], header, payload, [algorithm, content], AAD).serialize())
        if form == "general":
            names = [name for name in ("header", "encrypted_key") if name in message]
            message["recipients"] = [{name: message.pop(name) for name in names}]
        return json.dumps(message)

    def encrypt_for_all(self, keys, content, payload):
        recipients = [(own_header(algorithm, key), key) for algorithm, key in keys]
        algorithms = [content] + [name for name, _ in keys]
        return self.encrypted(recipients, {"enc": content}, payload, algorithms).serialize()

    def decrypt_json(self, key, algorithm, content, text):
        token = jwe.JWE(algs=[algorithm, content, "A128KW", "ECDH-ES+A256KW", "RSA-OAEP"])
        token.deserialize(text, jwk.JWK(**key))
        return token.payload
