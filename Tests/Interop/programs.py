"""Two programs behind the names that libraries.py has for libraries: go-jose, in a helper that `run` builds, and latchset's `jose`."""

import base64
import json
import os
import subprocess
import tempfile

AAD = b"aad"
ITERATIONS = 1000


def encoded(octets):
    return base64.urlsafe_b64encode(octets).rstrip(b"=").decode()


def header(token):
    """A compact token's header, or the protected one of a message in JSON."""
    text = json.loads(token)["protected"] if token.startswith("{") else token.split(".")[0]
    return json.loads(base64.urlsafe_b64decode(text + "=="))


def own_header(algorithm, key):
    """The header of one recipient, with its name if it has one."""
    return {"alg": algorithm, **({"kid": key["kid"]} if "kid" in key else {})}


def general(text, members, list_name):
    """A message for one, moved from the flattened form to the general one. Neither program writes it so."""
    message = json.loads(text)
    message[list_name] = [{name: message.pop(name) for name in members if name in message}]
    return json.dumps(message)


class Program:
    """What both have in common."""

    curves = ("P-384", "P-521")

    def takes_aad(self, content):
        return True

    def verify_json(self, key, algorithm, text):
        return self.verify(key, algorithm, text)

    def sign_json(self, key, algorithm, payload, form):
        text = self.signed(key, algorithm, payload, "flattened")
        return general(text, ("protected", "header", "signature"), "signatures") if form == "general" else text

    def sign(self, key, algorithm, payload):
        return self.signed(key, algorithm, payload, "compact")

    def encrypt_json(self, key, algorithm, content, payload, form):
        aad = AAD if self.takes_aad(content) else None
        text = self.encrypted(key, algorithm, content, payload, "flattened", aad=aad)
        return general(text, ("header", "encrypted_key"), "recipients") if form == "general" else text

    def encrypt(self, key, algorithm, content, payload, content_type=None):
        return self.encrypted(key, algorithm, content, payload, "compact", content_type=content_type)

    def decrypt_json(self, key, algorithm, content, text):
        return self.decrypt(key, algorithm, content, text)

    def decrypt_nameless(self, key, algorithm, content, text, index):
        return self.decrypt(key, algorithm, content, text)


class GoJose(Program):
    """https://pkg.go.dev/gopkg.in/square/go-jose.v2, as Debian has it"""

    name = "go-jose"
    unencoded = True
    # It has no list of algorithms that could be asked for. These its version 2.6.0 doesn't name.
    lacks = {"Ed25519", "ES256K", "ML-DSA-44", "ML-DSA-65", "ML-DSA-87"}

    def __init__(self, path, version):
        self.version = version
        self.process = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def has(self, name):
        return name not in self.lacks

    def ask(self, operation, **members):
        for name in ("payload", "aad"):
            if members.get(name) is not None:
                members[name] = base64.b64encode(members[name]).decode()
        self.process.stdin.write(json.dumps({"operation": operation, **members}) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        if "error" in answer:
            raise ValueError(answer["error"])
        return answer

    def signed(self, key, algorithm, payload, form, **more):
        return self.ask("sign", alg=algorithm, key=key, payload=payload, form=form, **more)["token"]

    def verify(self, key, algorithm, token, **more):
        return base64.b64decode(self.ask("verify", alg=algorithm, key=key, token=token, **more)["payload"])

    def sign_detached(self, key, algorithm, payload, encoded):
        return self.signed(key, algorithm, payload, "detached", unencoded=not encoded)

    def verify_detached(self, key, algorithm, token, payload, encoded):
        return self.verify(key, algorithm, token, payload=payload, form="detached")

    def encrypted(self, key, algorithm, content, payload, form, content_type=None, aad=None):
        return self.ask(
            "encrypt", alg=algorithm, enc=content, key=key, payload=payload, form=form, cty=content_type or "", aad=aad,
            p2c=ITERATIONS)["token"]

    def encrypt_for_all(self, keys, content, payload):
        algorithms = [algorithm for algorithm, _ in keys]
        return self.ask("encrypt", algs=algorithms, enc=content, keys=[key for _, key in keys], payload=payload)["token"]

    def decrypt(self, key, algorithm, content, token, content_type=None):
        if header(token)["enc"] != content:
            raise ValueError("another content encryption")
        answer = self.ask("decrypt", alg=algorithm, key=key, token=token, cty=content_type or "")
        return base64.b64decode(answer["payload"])


class Latchset(Program):
    """https://github.com/latchset/jose, the program of that name"""

    name = "latchset jose"
    # It knows nothing of RFC 7797.
    unencoded = False

    def __init__(self, path):
        self.path = path
        self.folder = tempfile.TemporaryDirectory()
        self.algorithms = set(self.run("alg").decode().split())
        self.version = subprocess.run(
            ["dpkg-query", "-W", "-f", "${Version}", "jose"], capture_output=True, text=True, check=False).stdout

    def has(self, name):
        return name in self.algorithms

    def takes_aad(self, content):
        # With AES-GCM it opens no such message, its own included.
        return "GCM" not in content

    def run(self, *arguments, data=b""):
        done = subprocess.run([self.path, *arguments], input=data, capture_output=True, check=False)
        if done.returncode != 0:
            raise ValueError(done.stderr.decode().strip() or "refused")
        return done.stdout

    def file(self, name, octets):
        path = os.path.join(self.folder.name, name)
        with open(path, "wb") as file:
            file.write(octets)
        return path

    def key_file(self, key, name="key.jwk"):
        return self.file(name, json.dumps(key).encode())

    def signed(self, key, algorithm, payload, form):
        compact = ["-c"] if form == "compact" else []
        signature = json.dumps({"protected": {"alg": algorithm}})
        return self.run(
            "jws", "sig", "-I", "-", "-s", signature, "-k", self.key_file(key), *compact, "-o", "-", data=payload).decode()

    def verify(self, key, algorithm, token, payload=None):
        detached = [] if payload is None else ["-I", self.file("payload", payload)]
        for part in json.loads(token).get("signatures", [json.loads(token)]) if token.startswith("{") else [token]:
            if header(part if isinstance(part, str) else json.dumps(part))["alg"] != algorithm:
                raise ValueError("signed with another algorithm")
        path = self.file("token", token.encode())
        opened = self.run("jws", "ver", "-i", path, *detached, "-k", self.key_file(key), "-O", "-")
        return opened if payload is None else payload

    def sign_detached(self, key, algorithm, payload, encoded):
        header, _, signature = self.sign(key, algorithm, payload).split(".")
        return f"{header}..{signature}"

    def verify_detached(self, key, algorithm, token, payload, encoded):
        return self.verify(key, algorithm, token, payload)

    def encrypted(self, key, algorithm, content, payload, form, content_type=None, aad=None):
        protected = {"alg": algorithm, "enc": content, **({"cty": content_type} if content_type else {})}
        if algorithm.startswith("PBES2"):
            protected["p2c"] = ITERATIONS
        template = json.dumps({"protected": protected, **({"aad": encoded(aad)} if aad else {})})
        compact = ["-c"] if form == "compact" else []
        return self.run(
            "jwe", "enc", "-i", template, "-I", "-", "-k", self.key_file(key), *compact, "-o", "-", data=payload).decode()

    def encrypt_for_all(self, keys, content, payload):
        recipients = []
        for index, (algorithm, key) in enumerate(keys):
            own = json.dumps({"header": own_header(algorithm, key)})
            recipients += ["-r", own, "-k", self.key_file(key, f"{index}.jwk")]
        template = json.dumps({"protected": {"enc": content}})
        return self.run("jwe", "enc", "-i", template, "-I", "-", *recipients, "-o", "-", data=payload).decode()

    def decrypt(self, key, algorithm, content, token, content_type=None):
        protected = header(token)
        if protected["enc"] != content or protected.get("cty") != content_type:
            raise ValueError("another header")
        return self.run("jwe", "dec", "-i", self.file("token", token.encode()), "-k", self.key_file(key), "-O", "-")
