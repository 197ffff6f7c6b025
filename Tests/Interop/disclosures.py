#!/usr/bin/env python3
"""Exchanges tokens with selective disclosure between the `jose` command and the Python package sd-jwt.

    Tests/Interop/disclosures.py path/to/jose [--count N] [--seed TEXT] [--plant]

Each of N claims sets is random, nested, and has up to six claims that its holder may keep. Either side issues it, and
each subset of the six is shown: by `jose` of its own tokens and of the package's, and verified by the package, which
must see the claims restricted to what was shown; by the package, and verified by `jose`. Half of what is shown is bound
to a verifier and its nonce; one in seven is changed then, and must be refused by both.

The exit status is 0 if all of it holds, 1 if not, and 3 if the package is not here. --plant takes a disclosure out of
what is shown of one claims set, and ends with 0 if that is reported and nothing else is.
"""
import argparse
import concurrent.futures
import copy
import itertools
import json
import os
import random
import sys
import tempfile
import time

from ml_dsa import Command, Refused

CANNOT_RUN = 3
try:
    from jwcrypto.jwk import JWK
    from sd_jwt.common import SDObj
    from sd_jwt.holder import SDJWTHolder
    from sd_jwt.issuer import SDJWTIssuer
    from sd_jwt.verifier import SDJWTVerifier
except ImportError as missing:
    print(f"CAN'T RUN: no SD-JWT was exchanged: {missing}", file=sys.stderr)
    sys.exit(CANNOT_RUN)

AUDIENCE = "https://verifier.example.org"
TYPE = "example+sd-jwt"


def value(rng, depth):
    kind = rng.randrange(9 if depth else 6)
    if kind == 6 or kind == 7:
        return {name(rng, place): value(rng, depth - 1) for place in range(rng.randrange(4))}
    if kind == 8:
        return [value(rng, depth - 1) for _ in range(rng.randrange(4))]
    return rng.choice((None, True, False, 0, -7, 2**53, 1.5, "", "text", "Straße \U0001d11e", "a~b", '"\\/'))


def name(rng, place):
    return rng.choice(("name", "Größe", "with space", "a.b", "K")) + str(place)


def places(claims, path=()):
    """Every path of a claims set."""
    if path:
        yield path
    members = claims.items() if isinstance(claims, dict) else enumerate(claims) if isinstance(claims, list) else ()
    for step, inner in members:
        yield from places(inner, path + (step,))


def restricted(claims, kept, path=()):
    """What is left without the claims at the paths `kept`."""
    if isinstance(claims, dict):
        return {step: restricted(inner, kept, path + (step,)) for step, inner in claims.items() if path + (step,) not in kept}
    if isinstance(claims, list):
        return [restricted(inner, kept, path + (step,)) for step, inner in enumerate(claims) if path + (step,) not in kept]
    return claims


def marked(claims, hidden, path=()):
    """The same with the package's marks at the paths that are hidden."""
    if isinstance(claims, dict):
        return {SDObj(step) if path + (step,) in hidden else step: marked(inner, hidden, path + (step,)) for step, inner in claims.items()}
    if isinstance(claims, list):
        inner = [marked(inner, hidden, path + (step,)) for step, inner in enumerate(claims)]
        return [SDObj(element) if path + (step,) in hidden else element for step, element in enumerate(inner)]
    return claims


def choice(claims, shown, path=()):
    """What the package is told to disclose: something true where something is shown."""

    def inner(step, value):
        own = path + (step,)
        if not any(other[: len(own)] == own for other in shown):
            return None
        return choice(value, shown, own) or True

    if isinstance(claims, dict):
        return {step: inner(step, value) for step, value in claims.items()}
    if isinstance(claims, list):
        return [inner(step, value) for step, value in enumerate(claims)]
    return True


class Pair:
    """A key that both sides have."""

    def __init__(self, command, folder, label):
        made = command.run("key", "generate", "--alg", "ES256")
        self.path, self.public_path = (os.path.join(folder, f"{label}{end}.json") for end in ("", ".public"))
        for path, text in ((self.path, made), (self.public_path, command.run("key", "public", data=made))):
            with open(path, "wb") as file:
                file.write(text)
        self.theirs = JWK.from_json(made.decode())
        self.public = {member: text for member, text in json.loads(self.theirs.export_public()).items() if member in ("kty", "crv", "x", "y")}


def argument(path):
    return json.dumps(list(path))


def options(word, paths):
    return [part for path in paths for part in (f"--{word}", argument(path))]


class Run:
    def __init__(self, command, folder, seed):
        self.command, self.seed = command, seed
        self.issuer, self.holder = Pair(command, folder, "issuer"), Pair(command, folder, "holder")

    def seen_by_them(self, token, nonce):
        bound = {"expected_aud": AUDIENCE, "expected_nonce": nonce} if nonce else {}
        return SDJWTVerifier(token, lambda issuer, header: self.issuer.theirs, **bound).get_verified_payload()

    def seen_by_us(self, token, nonce):
        bound = ["--aud", AUDIENCE, "--nonce", nonce] if nonce else []
        return json.loads(self.command.run("sd-jwt", "verify", "--key", self.issuer.public_path, *bound, data=token.encode()))

    def shown_by_us(self, token, shown, nonce):
        bound = ["--key", self.holder.path, "--aud", AUDIENCE, "--nonce", nonce] if nonce else []
        return self.command.run("sd-jwt", "present", *options("show", shown), *bound, data=token.encode()).decode().strip()

    def shown_by_them(self, token, claims, shown, nonce):
        holder = SDJWTHolder(token)
        bound = {"nonce": nonce, "aud": AUDIENCE, "holder_key": self.holder.theirs, "sign_alg": "ES256"} if nonce else {}
        holder.create_presentation(choice(claims, shown), **bound)
        return holder.sd_jwt_presentation

    def exchange(self, number, plant):
        rng = random.Random(f"{self.seed}/{number}")
        claims = {"iss": "https://issuer.example.org", **{name(rng, place): value(rng, 3) for place in range(rng.randrange(1, 5))}}
        paths = [path for path in places(claims) if path != ("iss",)]
        hidden = set(rng.sample(paths, min(len(paths), rng.randrange(7))))
        ours = self.command.run(
            "sd-jwt", "issue", "--key", self.issuer.path, "--typ", TYPE, "--holder", self.holder.public_path, "--decoys", str(rng.randrange(1, 4)),
            *options("disclose", sorted(hidden, key=str)), data=json.dumps(claims).encode(),
        ).decode().strip()
        theirs = SDJWTIssuer(
            marked(copy.deepcopy(claims), hidden), self.issuer.theirs, holder_key=JWK(**self.holder.public), add_decoy_claims=rng.randrange(2) == 0,
            extra_header_parameters={"typ": TYPE},
        ).sd_jwt_issuance
        whole = claims | {"cnf": {"jwk": self.holder.public}}
        count = 0
        for size in range(len(hidden) + 1):
            for subset in itertools.combinations(sorted(hidden, key=str), size):
                shown = {path for path in hidden if any(other[: len(path)] == path for other in subset)}
                expected = restricted(whole, hidden - shown)
                nonce = f"n{rng.randrange(10**6)}" if rng.randrange(2) else None
                made = [(self.shown_by_us(token, subset, nonce), self.seen_by_them) for token in (ours, theirs)]
                # The package shows an element of a list only together with the others' places, and tells no two paths
                # apart where one value is null: what it shows is compared where it shows what it was told.
                made.append((self.shown_by_them(theirs, claims, shown, nonce), self.seen_by_us))
                for token, verify in made[: 2 if any(isinstance(step, int) for path in hidden for step in path) else 3]:
                    if plant and size == len(hidden) and len(hidden) > 0:
                        token = token.split("~", 2)[0] + "~" + token.split("~", 2)[2]
                    seen = verify(token, nonce)
                    # `jose` writes the whole of a JWK.
                    seen["cnf"]["jwk"] = {member: text for member, text in seen["cnf"]["jwk"].items() if member in self.holder.public}
                    if seen != expected:
                        raise ValueError(f"{json.dumps(seen)[:300]} is seen, where {json.dumps(expected)[:300]} was shown")
                    count += 1
                    if nonce and rng.randrange(7) == 0:
                        self.refuse(token, nonce, rng)
        return count

    def refuse(self, token, nonce, rng):
        """Another nonce, and a disclosure less or a signature that was changed."""
        parts = token.split("~")
        if len(parts) > 2:
            del parts[rng.randrange(1, len(parts) - 1)]
        else:
            parts[0] = parts[0][:-8] + ("A" if parts[0][-8] != "A" else "B") + parts[0][-7:]
        for changed, asked in (("~".join(parts), nonce), (token, nonce + "x")):
            try:
                self.seen_by_us(changed, asked)
            except Refused:
                pass
            else:
                raise ValueError("jose verifies what was changed")
            try:
                self.seen_by_them(changed, asked)
            except Exception:
                continue
            raise ValueError("sd-jwt verifies what was changed")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("jose")
    parser.add_argument("--count", type=int, default=40, help="claims sets")
    parser.add_argument("--seed", default=None, help="repeats claims and choices; keys and salts are always new")
    parser.add_argument("--plant", action="store_true", help="take a disclosure away, which must be reported")
    options = parser.parse_args()
    seed, start = options.seed or f"{random.SystemRandom().getrandbits(64):016x}", time.monotonic()
    print(f"seed {seed}")
    count, failures, planted = 0, [], set()
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as workers:
        run = Run(Command(options.jose), folder, seed)
        pending = {}
        for number in range(options.count):
            plant = options.plant and number % 10 == 5
            pending[workers.submit(run.exchange, number, plant)] = number
            planted |= {number} if plant else set()
        for future, number in pending.items():
            try:
                count += future.result()
            except Exception as error:  # Whatever is thrown, the tokens were not exchanged.
                failures.append((number, f"{type(error).__name__}: {error}"))
    for number, error in failures[:20]:
        print(f"FAILED claims set {number}: {error}")
    print(f"{options.count} claims sets, {count} presentations, {len(failures)} failed, {time.monotonic() - start:.0f} s")
    if options.plant:
        found = {number for number, _ in failures}
        return 0 if found and found <= planted else 1
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
