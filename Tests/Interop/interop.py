#!/usr/bin/env python3
"""Exchanges tokens between the `jose` command and others, in both directions: the Python libraries joserfc and jwcrypto, go-jose behind the
helper in GoJose, and latchset's program `jose`.

    Tests/Interop/interop.py path/to/jose [--go-jose HELPER VERSION] [--latchset PROGRAM]

Every algorithm that `jose sign --help` and `jose encrypt --help` name is tried with each library that has it, each key management
algorithm with each content encryption, in compact form; ECDH-ES on every curve; then the JSON serializations, detached and unencoded payloads, and nested
JWTs. The exit status is 0 if every token was accepted with its payload unchanged and enough went each way with each of them, 1 if not,
and 3 (with a line that says so) if there is no library to exchange tokens with.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time

CANNOT_RUN = 3
# How many tokens go each way at least, so that an algorithm which is suddenly missing is noticed.
LEAST = {"joserfc": 300, "jwcrypto": 300, "go-jose": 250, "latchset jose": 200}

try:
    from libraries import JWCrypto, Joserfc
    from programs import GoJose, Latchset
except ImportError as missing:
    print(f"CAN'T RUN: tokens were not exchanged, {missing.name} is not here", file=sys.stderr)
    sys.exit(CANNOT_RUN)

PAYLOADS = [b'{"sub":"1234567890","name":"\xc3\x85sa"}', bytes(range(256)) * 3]
# Few iterations: here it is formats that are tested, not work.
PASSWORD, ITERATIONS = {"kty": "oct", "k": "VGh1cyBmcm9tIG15IGxpcHM"}, 1000


class Command:
    """The `jose` command."""

    def __init__(self, path, folder):
        self.path = path
        self.folder = folder
        self.rsa = None

    def run(self, *arguments, data=b""):
        done = subprocess.run([self.path, *arguments], input=data, capture_output=True, check=False)
        if done.returncode != 0:
            raise ValueError(done.stderr.decode().strip())
        return done.stdout

    def algorithms(self, verb, name):
        """The algorithms that a help text lists after `name:`."""
        text = self.run(verb, "--help").decode()
        listed = re.search(rf"\b{name}: ([^.;]*)", text)
        return [algorithm.strip() for algorithm in listed[1].split(",")]

    def file(self, name, octets):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.write(octets)
        return path

    def key_file(self, key, name="key.json"):
        return self.file(name, json.dumps(key).encode())

    def generate(self, algorithm, curve=None):
        """A fresh key, without its own `use`, and without its own `alg` unless its type wants one: each exchange names the algorithm. One
        RSA key serves all."""
        if curve:
            return self.generated(algorithm, "--crv", curve)
        if algorithm[:2] in ("RS", "PS"):
            self.rsa = self.rsa or self.generated("RS256")
            return self.rsa
        return self.generated(algorithm)

    def generated(self, algorithm, *more):
        key = json.loads(self.run("key", "generate", "--alg", algorithm, *more))
        # A key of type AKP is nothing without `alg`: only that tells which algorithm's octets `pub` holds.
        dropped = ("use",) if key["kty"] == "AKP" else ("alg", "use")
        return {name: value for name, value in key.items() if name not in dropped}

    def sign(self, key, algorithm, payload, *more):
        path = self.key_file(key)
        return self.run("sign", "--key", path, "--alg", algorithm, *more, data=payload).decode().strip()

    def verify(self, key, algorithm, token, payload=None):
        detached = [] if payload is None else ["--payload", self.file("payload", payload)]
        return self.run("verify", "--key", self.key_file(key), "--alg", algorithm, *detached, data=token.encode())

    def encrypt(self, key, algorithm, content, payload, *more):
        iterations = ["--p2c", str(ITERATIONS)] if algorithm.startswith("PBES2") else []
        arguments = ["encrypt", "--key", self.key_file(key), "--alg", algorithm, "--enc", content, *iterations, *more]
        return self.run(*arguments, data=payload).decode().strip()

    def decrypt(self, key, algorithm, token, *more):
        return self.run("decrypt", "--key", self.key_file(key), "--alg", algorithm, *more, data=token.encode())


# What the command says of a member that is there and empty.
EMPTY = "an empty member must be absent"


def without_empty(token):
    """A JWE in JSON without the members that RFC 7516 wants absent when they are empty; anything else as it is."""
    if not token.startswith("{"):
        return token
    object = json.loads(token)
    found = False
    for part in [object, *object.get("recipients", [])]:
        for name in ("protected", "unprotected", "header", "aad"):
            if name in part and not part[name]:
                del part[name]
                found = True
    return json.dumps(object) if found else token


class Tally:
    """Counts tokens by direction."""

    def __init__(self):
        self.sent = 0
        self.received = 0
        self.mended = 0
        self.failures = []

    def to(self, what, payload, make, take):
        self.sent += self.exchange(f"to {what}", payload, make, take)

    def back(self, what, payload, make, take):
        self.received += self.exchange(f"from {what}", payload, make, lambda token: self.taken_without_empty(token, take))

    def taken_without_empty(self, token, take):
        """RFC 7516 section 7.2.1: a member that is empty must be absent. Two of them write it nevertheless. That is refused, and accepted
        as soon as the member is gone: it is all that is wrong."""
        mended = without_empty(token)
        if mended == token:
            return take(token)
        try:
            take(token)
        except ValueError as error:
            if EMPTY not in str(error):
                raise
            self.mended += 1
            return take(mended)
        raise ValueError("an empty member was accepted")

    def exchange(self, what, payload, make, take):
        try:
            if take(make(payload)) != payload:
                raise ValueError("the payload differs")
        except Exception as error:  # Whatever a library throws is a token that was not exchanged.
            self.failures.append(f"{what}: {type(error).__name__}: {error}")
            return 0
        return 1


def exchange_signatures(command, library, tally, algorithms):
    for algorithm in algorithms:
        key = command.generate(algorithm)
        what = f"{library.name} {algorithm}"
        for payload in PAYLOADS:
            tally.to(
                what, payload, lambda data: command.sign(key, algorithm, data),
                lambda token: library.verify(key, algorithm, token))
            tally.back(
                what, payload, lambda data: library.sign(key, algorithm, data),
                lambda token: command.verify(key, algorithm, token))
        payload = PAYLOADS[0]
        for form in ("flattened", "general"):
            tally.to(
                f"{what} {form}", payload, lambda data: command.sign(key, algorithm, data, "--serialization", form),
                lambda token: library.verify_json(key, algorithm, token))
            tally.back(
                f"{what} {form}", payload, lambda data: library.sign_json(key, algorithm, data, form),
                lambda token: command.verify(key, algorithm, token))
        for encoded in (True, False) if library.unencoded else (True,):
            flags = ["--detached"] + ([] if encoded else ["--unencoded"])
            kind = f"{what} detached{'' if encoded else ', not encoded'}"
            tally.to(
                kind, payload, lambda data: command.sign(key, algorithm, data, *flags),
                lambda token: library.verify_detached(key, algorithm, token, payload, encoded))
            tally.back(
                kind, payload, lambda data: library.sign_detached(key, algorithm, data, encoded),
                lambda token: command.verify(key, algorithm, token, payload))


def exchange_encryptions(command, library, tally, algorithms, contents, curve=None):
    for algorithm in algorithms:
        for index, content in enumerate(contents):
            if algorithm.startswith("PBES2"):
                key = PASSWORD
            else:
                key = command.generate(content if algorithm == "dir" else algorithm, curve)
            what = f"{library.name} {algorithm} {content}" + (f" {curve}" if curve else "")
            payload = PAYLOADS[index % 2]
            tally.to(
                what, payload, lambda data: command.encrypt(key, algorithm, content, data),
                lambda token: library.decrypt(key, algorithm, content, token))
            tally.back(
                what, payload, lambda data: library.encrypt(key, algorithm, content, data),
                lambda token: command.decrypt(key, algorithm, token))
            form = ("flattened", "general")[index % 2]
            more = ["--serialization", form, *(["--aad", "YWFk"] if library.takes_aad(content) else [])]
            tally.to(
                f"{what} {form}", payload, lambda data: command.encrypt(key, algorithm, content, data, *more),
                lambda token: library.decrypt_json(key, algorithm, content, token))
            tally.back(
                f"{what} {form}", payload, lambda data: library.encrypt_json(key, algorithm, content, data, form),
                lambda token: command.decrypt(key, algorithm, token))


def exchange_several(command, library, tally, contents):
    """One message for two recipients, opened by each."""
    first, second = command.generate("A128KW"), command.generate("ECDH-ES+A256KW")
    keys = [("A128KW", {**first, "kid": "1"}), ("ECDH-ES+A256KW", {**second, "kid": "2"})]
    for content in contents:
        for algorithm, key in keys:
            paths = []
            for index, (name, other) in enumerate(keys):
                paths += ["--key", command.key_file({**other, "alg": name}, f"{index}.json")]
            what = f"{library.name} two recipients {content}, opened by {algorithm}"
            tally.to(
                what, PAYLOADS[0],
                lambda data: command.run("encrypt", *paths, "--enc", content, data=data).decode(),
                lambda token: library.decrypt_json(key, algorithm, content, token))
            tally.back(
                what, PAYLOADS[0], lambda data: library.encrypt_for_all(keys, content, data),
                lambda token: command.decrypt(key, algorithm, token))


def exchange_nameless(command, library, tally):
    """One message for several recipients of one algorithm and without `kid`, opened by the first and by the last."""
    for algorithm in (name for name in ("A128KW", "ECDH-ES+A256KW", "RSA-OAEP") if library.has(name)):
        # Making RSA keys takes its time, so the others share one.
        first, last = command.generate(algorithm), command.generated(algorithm)
        # Of recipients for long RSA keys, a receiver tries as many as its budget of work allows.
        for count in (1, 4, 5) if algorithm == "RSA-OAEP" else (1, 4, 5, 16):
            between = [command.generate(algorithm) for _ in range(count - 2)]
            keys = [first, *between, last][:count] if count > 1 else [last]
            named = [(algorithm, key) for key in keys]
            for index in sorted({0, count - 1}):
                key = keys[index]
                what = f"{library.name} {count} recipients without a name, {algorithm}, opened by number {index + 1}"
                paths = []
                for place, other in enumerate(keys):
                    paths += ["--key", command.key_file({**other, "alg": algorithm}, f"{place}.json")]
                tally.to(
                    what, PAYLOADS[0],
                    lambda data: command.run(
                        "encrypt", *paths, "--enc", "A128CBC-HS256", "--serialization", "general", data=data).decode(),
                    lambda token: library.decrypt_nameless(key, algorithm, "A128CBC-HS256", token, index))
                tally.back(
                    what, PAYLOADS[0], lambda data: library.encrypt_for_all(named, "A128CBC-HS256", data),
                    lambda token: command.decrypt(key, algorithm, token))


def exchange_nested(command, library, tally, signatures, key_management):
    """Signed first, then encrypted, with `cty`."""
    for signing in signatures:
        signing_key = command.generate(signing)
        for algorithm in key_management:
            key, payload = command.generate(algorithm), PAYLOADS[0]
            what = f"{library.name} nested {signing} {algorithm}"

            def open_both(token):
                inner = library.decrypt(key, algorithm, "A256GCM", token, content_type="JWT")
                return library.verify(signing_key, signing, inner.decode())

            def sign_and_encrypt(data):
                inner = library.sign(signing_key, signing, data).encode()
                return library.encrypt(key, algorithm, "A256GCM", inner, content_type="JWT")

            tally.to(
                what, payload,
                lambda data: command.encrypt(
                    key, algorithm, "A256GCM", data, "--sign-key", command.key_file(signing_key, "s.json"), "--sign-alg", signing),
                open_both)
            tally.back(
                what, payload, sign_and_encrypt,
                lambda token: command.decrypt(
                    key, algorithm, token, "--verify-key", command.key_file(signing_key, "s.json"), "--verify-alg", signing
                ).rstrip(b"\n"))


def lacked(command, library, signatures, key_management):
    """Those that the library can do although it is said to lack them: what is left out by mistake would not be missed."""
    found = []
    for name in (name for name in signatures + key_management if not library.has(name)):
        try:
            if name in signatures:
                library.sign(command.generate(name), name, PAYLOADS[0])
            else:
                library.encrypt(command.generate(name), name, "A128CBC-HS256", PAYLOADS[0])
            found.append(name)
        except Exception:  # Each refuses in its own way.
            pass
    return found


def exchange(command, library, algorithms):
    """Everything with one library. The tally, and what the library lacks."""
    signatures, key_management, contents = algorithms
    tally = Tally()
    missing = [name for name in signatures + key_management + contents if not library.has(name)]
    own_management = [name for name in key_management if library.has(name)]
    tally.failures += [f"{library.name}: has {name} after all" for name in lacked(command, library, signatures, key_management)]
    exchange_signatures(command, library, tally, [name for name in signatures if library.has(name)])
    exchange_encryptions(command, library, tally, own_management, contents)
    agreements = [name for name in own_management if name.startswith("ECDH-ES")]
    for curve in library.curves:
        exchange_encryptions(command, library, tally, agreements, [contents[0], contents[-1]], curve)
    exchange_several(command, library, tally, contents)
    exchange_nameless(command, library, tally)
    wrapping = [name for name in ("ECDH-ES", "A256KW", "RSA-OAEP-256") if library.has(name)]
    exchange_nested(command, library, tally, ["ES256", "HS256", "RS256"], wrapping)
    least = LEAST[library.name]
    if min(tally.sent, tally.received) < least:
        tally.failures.append(f"{library.name}: fewer than {least} tokens went one way")
    return tally, missing


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("jose")
    parser.add_argument("--go-jose", nargs=2)
    parser.add_argument("--latchset")
    arguments = parser.parse_args()
    start = time.monotonic()
    libraries = [Joserfc(), JWCrypto()]
    if arguments.go_jose:
        libraries.append(GoJose(*arguments.go_jose))
    if arguments.latchset:
        libraries.append(Latchset(arguments.latchset))
    total = Tally()
    with tempfile.TemporaryDirectory() as folder:
        command = Command(os.path.abspath(arguments.jose), folder)
        algorithms = [command.algorithms("sign", "ALG"), command.algorithms("encrypt", "ALG"), command.algorithms("encrypt", "ENC")]
        for library in libraries:
            tally, missing = exchange(command, library, algorithms)
            print(f"{library.name} {library.version}: {tally.sent} accepted there, {tally.received} accepted here, "
                  f"{len(tally.failures)} failed" + (f"; it lacks {', '.join(missing)}" if missing else "")
                  + (f"; {tally.mended} of its messages accepted without an empty member only" if tally.mended else ""))
            total.sent += tally.sent
            total.received += tally.received
            total.failures += tally.failures
    for failure in total.failures:
        print(failure)
    print(f"total: {total.sent} tokens accepted there, {total.received} accepted here, {len(total.failures)} failed, "
          f"{time.monotonic() - start:.0f} s")
    return 1 if total.failures else 0


if __name__ == "__main__":
    sys.exit(main())
