#!/usr/bin/env python3
"""Exchanges tokens between the `jose` command and two Python libraries, joserfc and jwcrypto, in both directions.

    Tests/Interop/interop.py path/to/jose

Every pair of algorithms that both sides have is tried with each library. The exit status is 0 if every token was accepted with
its payload unchanged, 1 if one was not, and 77 (with a line that says so) if there is no library to exchange tokens with.
"""

import json
import os
import subprocess
import sys
import tempfile

SKIPPED = 77

try:
    from joserfc import jwe as joserfc_jwe
    from joserfc import jws as joserfc_jws
    from joserfc.jwk import import_key
    from jwcrypto import jwa, jwe, jwk, jws
except ImportError as missing:
    print(f"SKIPPED: tokens were not exchanged, {missing.name} is not installed (pip install joserfc jwcrypto)")
    sys.exit(SKIPPED)

# Both libraries refuse more iterations of PBKDF2 than they would use themselves, unless told otherwise.
jwa.default_max_pbkdf2_iterations = 1_200_000

SIGNATURES = ["HS256", "HS384", "HS512", "ES256", "ES384", "ES512", "RS256", "RS384", "RS512", "PS256", "PS384", "PS512"]
CONTENT = {"A128GCM": 16, "A192GCM": 24, "A256GCM": 32, "A128CBC-HS256": 32, "A192CBC-HS384": 48, "A256CBC-HS512": 64}
KEY_MANAGEMENT = [
    "dir", "A128KW", "A192KW", "A256KW", "A128GCMKW", "A192GCMKW", "A256GCMKW", "ECDH-ES", "ECDH-ES+A128KW",
    "ECDH-ES+A192KW", "ECDH-ES+A256KW", "PBES2-HS256+A128KW", "PBES2-HS384+A192KW", "PBES2-HS512+A256KW",
]
PAYLOADS = [b'{"sub":"1234567890","name":"\xc3\x85sa"}', bytes(range(256)) * 3]


class Command:
    """The `jose` command."""

    def __init__(self, path, folder):
        self.path = path
        self.folder = folder

    def run(self, *arguments, data=b""):
        done = subprocess.run([self.path, *arguments], input=data, capture_output=True, check=False)
        if done.returncode != 0:
            raise ValueError(done.stderr.decode().strip())
        return done.stdout

    def key_file(self, key):
        path = os.path.join(self.folder, "key.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(key, file)
        return path

    def generate(self, algorithm):
        """A fresh key, without its own `alg`: each exchange names the algorithm."""
        key = json.loads(self.run("key", "generate", "--alg", algorithm))
        key.pop("alg", None)
        return key

    def sign(self, key, algorithm, payload):
        path = self.key_file(key)
        return self.run("sign", "--key", path, "--alg", algorithm, data=payload).decode().strip()

    def verify(self, key, algorithm, token):
        return self.run("verify", "--key", self.key_file(key), "--alg", algorithm, data=token.encode())

    def encrypt(self, key, algorithm, content, payload):
        path = self.key_file(key)
        return self.run("encrypt", "--key", path, "--alg", algorithm, "--enc", content, data=payload).decode().strip()

    def decrypt(self, key, algorithm, token):
        return self.run("decrypt", "--key", self.key_file(key), "--alg", algorithm, data=token.encode())


class Joserfc:
    """https://pypi.org/project/joserfc/"""

    name = "joserfc"
    # It bounds p2c below what `jose encrypt` writes.
    opens_passwords = False

    def sign(self, key, algorithm, payload):
        return joserfc_jws.serialize_compact({"alg": algorithm}, payload, import_key(key), algorithms=[algorithm])

    def verify(self, key, algorithm, token):
        return joserfc_jws.deserialize_compact(token, import_key(key), algorithms=[algorithm]).payload

    def encrypt(self, key, algorithm, content, payload):
        header = {"alg": algorithm, "enc": content}
        return joserfc_jwe.encrypt_compact(header, payload, import_key(key), algorithms=[algorithm, content])

    def decrypt(self, key, algorithm, content, token):
        return joserfc_jwe.decrypt_compact(token, import_key(key), algorithms=[algorithm, content]).plaintext


class JWCrypto:
    """https://pypi.org/project/jwcrypto/"""

    name = "jwcrypto"
    opens_passwords = True

    def sign(self, key, algorithm, payload):
        token = jws.JWS(payload)
        token.allowed_algs = [algorithm]
        token.add_signature(jwk.JWK(**key), algorithm, json.dumps({"alg": algorithm}))
        return token.serialize(compact=True)

    def verify(self, key, algorithm, text):
        token = jws.JWS()
        token.allowed_algs = [algorithm]
        token.deserialize(text, jwk.JWK(**key))
        return token.payload

    def encrypt(self, key, algorithm, content, payload):
        header = json.dumps({"alg": algorithm, "enc": content})
        token = jwe.JWE(payload, header, algs=[algorithm, content])
        token.add_recipient(jwk.JWK(**key))
        return token.serialize(compact=True)

    def decrypt(self, key, algorithm, content, text):
        token = jwe.JWE(algs=[algorithm, content])
        token.deserialize(text, jwk.JWK(**key))
        return token.payload


class Tally:
    """Counts tokens by direction."""

    def __init__(self):
        self.sent = 0
        self.received = 0
        self.failures = []

    def exchange(self, direction, what, payload, make, take):
        try:
            if take(make(payload)) != payload:
                raise ValueError("the payload differs")
        except Exception as error:  # Whatever a library throws is a token that was not exchanged.
            self.failures.append(f"{direction} {what}: {type(error).__name__}: {error}")
            return
        if direction == "to":
            self.sent += 1
        else:
            self.received += 1


def exchange_signatures(command, library, tally):
    rsa = command.generate("RS256")
    for algorithm in SIGNATURES:
        key = rsa if algorithm[:2] in ("RS", "PS") else command.generate(algorithm)
        for payload in PAYLOADS:
            tally.exchange(
                "to", f"{library.name} {algorithm}", payload,
                lambda data: command.sign(key, algorithm, data), lambda token: library.verify(key, algorithm, token))
            tally.exchange(
                "from", f"{library.name} {algorithm}", payload,
                lambda data: library.sign(key, algorithm, data), lambda token: command.verify(key, algorithm, token))


def exchange_encryptions(command, library, tally):
    for algorithm in KEY_MANAGEMENT:
        for content in CONTENT:
            if algorithm.startswith("PBES2"):
                key = {"kty": "oct", "k": "VGh1cyBmcm9tIG15IGxpcHM"}
            else:
                key = command.generate(content if algorithm == "dir" else algorithm)
            for payload in PAYLOADS:
                if library.opens_passwords or not algorithm.startswith("PBES2"):
                    tally.exchange(
                        "to", f"{library.name} {algorithm} {content}", payload,
                        lambda data: command.encrypt(key, algorithm, content, data),
                        lambda token: library.decrypt(key, algorithm, content, token))
                tally.exchange(
                    "from", f"{library.name} {algorithm} {content}", payload,
                    lambda data: library.encrypt(key, algorithm, content, data),
                    lambda token: command.decrypt(key, algorithm, token))


def main():
    if len(sys.argv) != 2:
        print(__doc__)
        return 2
    tally = Tally()
    with tempfile.TemporaryDirectory() as folder:
        command = Command(os.path.abspath(sys.argv[1]), folder)
        for library in (Joserfc(), JWCrypto()):
            exchange_signatures(command, library, tally)
            exchange_encryptions(command, library, tally)
    for failure in tally.failures:
        print(failure)
    print(f"{tally.sent} tokens accepted there, {tally.received} accepted here, {len(tally.failures)} failed")
    return 1 if tally.failures or min(tally.sent, tally.received) < 300 else 0


if __name__ == "__main__":
    sys.exit(main())
