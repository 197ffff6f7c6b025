"""Runs the cases of every primitive against this package and against Python's `cryptography`, and reports each difference.

A batch is a number of cases of one primitive, made from the seed, the name and the number of the batch: these three make it again.
"""
import argparse
import concurrent.futures
import os
import random
import re
import sys
import time

import curves
import lattices
import rsa_cases
import symmetric
from driver import Driver, DriverDied, request

# What is drawn, and its share of all cases: more where a case is cheap, and where carries are most likely to be lost.
# A call of ML-KEM or ML-DSA makes five cases: of a million, each gets more than 10,000 ciphertexts or signatures each
# way.
PRIMITIVES = {
    "SHA-2": (symmetric.sha2, 90),
    "HMAC": (symmetric.hmac_sha2, 80),
    "ConstantTime.equal": (symmetric.equality, 20),
    "PBKDF2": (symmetric.pbkdf2, 20),
    "HKDF": (symmetric.hkdf, 20),
    "Concat KDF": (symmetric.concat_kdf, 20),
    "AES-GCM": (symmetric.gcm, 240),
    "AES-CBC": (symmetric.cbc, 40),
    "AES-CBC with HMAC": (symmetric.cbc_hmac, 60),
    "AES Key Wrap": (symmetric.key_wrap, 40),
    "base64url": (symmetric.base64url, 60),
    "Ed25519 sign": (curves.ed25519_sign, 30),
    "Ed25519 verify": (curves.ed25519_verify, 30),
    "X25519": (curves.x25519_agree, 50),
    "SHA-3": (lattices.sha3, 40),
    "ML-KEM": (lattices.ml_kem, 60),
    "ML-DSA": (lattices.ml_dsa, 60),
    "RSA sign": (rsa_cases.sign, 4),
    "RSA verify": (rsa_cases.verify, 20),
    "RSA encrypt": (rsa_cases.encrypt, 10),
    "RSA decrypt": (rsa_cases.decrypt, 4),
}
for _name, _curve, _shares in (("P-256", curves.P256, (20, 40, 20, 30)), ("P-384", curves.P384, (4, 10, 4, 10)),
                               ("P-521", curves.P521, (4, 8, 4, 8)), ("secp256k1", curves.SECP256K1, (4, 10, 4, 10))):
    PRIMITIVES[_name + " ECDSA sign"] = (curves.ecdsa_sign(_curve), _shares[0])
    PRIMITIVES[_name + " ECDSA verify"] = (curves.ecdsa_verify(_curve), _shares[1])
    PRIMITIVES[_name + " ECDH"] = (curves.ecdh(_curve), _shares[2])
    PRIMITIVES[_name + " points"] = (curves.points(_curve), _shares[3])

# Whose requests name no backend, though more than one may answer: they run on each that the machine has.
ON_EVERY_BACKEND = re.compile(r"P-256|RSA|base64url|HMAC|HKDF|PBKDF2|Concat KDF")

BATCH = 50  # calls of a primitive's function; some make several cases


class Result:
    def __init__(self, name):
        self.name = name
        self.cases = 0
        self.seconds = 0.0
        self.mismatches = []


def backends(driver):
    return [name.decode() for name in driver.ask([request(0, ["backends"])])[0].fields]


def run_batch(driver, names, primitive, seed, number, result, backend=None):
    rng = random.Random(f"{seed}/{primitive}/{number}")
    cases = [case for _ in range(BATCH) for case in PRIMITIVES[primitive][0](rng, names)]
    answers = driver.ask([request(rng.randrange(2), case.fields) for case in cases])
    for place, (case, answer) in enumerate(zip(cases, answers)):
        if not case.is_right(answer):
            shown = [field if isinstance(field, (str, int)) else field.hex() for field in case.fields]
            result.mismatches.append((number, place, shown, case.expected, repr(answer), backend))
    result.cases += len(cases)


def run_share(path, primitive, seed, numbers, least_cases, backend):
    """Runs batches of one primitive on one backend until there are enough cases. In a process of its own."""
    result = Result(primitive)
    start = time.monotonic()
    driver = Driver(path, backend=backend)
    number = None
    try:
        names = backends(driver)
        for number in numbers:
            run_batch(driver, names, primitive, seed, number, result, backend)
            if result.cases >= least_cases:
                break
        driver.close()
    except DriverDied as error:
        result.mismatches.append((number, 0, [], "an answer", str(error), backend))
    result.seconds = time.monotonic() - start
    return result


def check_reports(path, seed):
    """A driver that answers one case of each batch wrongly must be reported for every primitive, and so must a read beyond an operand."""
    failures = []
    right = Driver(path)
    names = backends(right)
    right.close()
    for primitive in PRIMITIVES:
        driver = Driver(path, "--wrong")
        result = Result(primitive)
        run_batch(driver, names, primitive, f"{seed}/wrong", 0, result)
        driver.close()
        # The wrong one is the last; others are the campaign's business.
        if not any(place == result.cases - 1 for _, place, *_ in result.mismatches):
            failures.append(f"{primitive}: no report of a wrong answer")
    for side in (0, 1):
        try:
            Driver(path, quiet=True).ask([request(side, ["read beyond", b"octets"])])
            failures.append(f"a read beyond the {'start' if side else 'end'} of an operand went unnoticed")
        except DriverDied:
            pass
    return failures


def main():
    parser = argparse.ArgumentParser(prog="Tests/Differential/run", description=__doc__.splitlines()[0])
    parser.add_argument("driver")
    parser.add_argument("--cases", type=int, default=1_000_000, help="how many in all (default a million)")
    parser.add_argument("--short", action="store_true", help="a fiftieth of that, and each primitive at least one batch")
    parser.add_argument("--seed", default=None, help="repeats what was drawn; otherwise it is drawn and printed")
    parser.add_argument("--primitive", default="", help="only those whose name contains this")
    parser.add_argument("--backend", help="only on this one, where more than one may answer")
    parser.add_argument("--batch", type=int, help="only the batch of this number")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    seed = options.seed or f"{random.SystemRandom().getrandbits(64):016x}"
    total = options.cases // 50 if options.short else options.cases
    start = time.monotonic()

    failures = check_reports(options.driver, seed)
    for text in failures:
        print(f"NOT NOTICED: {text}")
    if not failures:
        print(f"one wrong answer was reported for each of {len(PRIMITIVES)} primitives, and both reads beyond an operand")

    shares = {name: share for name, (_, share) in PRIMITIVES.items() if options.primitive in name}
    whole = sum(share for _, share in PRIMITIVES.values())
    driver = Driver(options.driver)
    available = [options.backend] if options.backend else backends(driver)
    driver.close()
    print(f"seed {seed}, {options.jobs} at a time, on {', '.join(available)}")
    results = {}
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as workers:
        pending = []
        for name, share in shares.items():
            wanted = max(1, total * share // whole)
            # A share is split so that nobody waits for the last one; the parts take different batches.
            # Each part has a backend of its own where that matters.
            on = available if ON_EVERY_BACKEND.search(name) else [options.backend]
            parts = len(on) if options.short or options.batch is not None else 4
            for part in range(parts):
                numbers = [options.batch] if options.batch is not None else range(part, 1 << 40, parts)
                pending.append(workers.submit(
                    run_share, options.driver, name, seed, numbers, -(-wanted // parts), on[part % len(on)]))
        for future in concurrent.futures.as_completed(pending):
            part = future.result()
            whole_result = results.setdefault(part.name, Result(part.name))
            whole_result.cases += part.cases
            whole_result.seconds += part.seconds
            whole_result.mismatches += part.mismatches

    print(f"{'primitive':24} {'cases':>8} {'seconds':>8}  mismatches")
    for name in shares:
        result = results[name]
        print(f"{name:24} {result.cases:8} {result.seconds:8.1f}  {len(result.mismatches)}")
        for number, place, fields, expected, answer, backend in result.mismatches[:3]:
            print(f"    case {place} of: Tests/Differential/run --seed {seed} --primitive '{name}' --batch {number}"
                  + (f" --backend {backend}" if backend else ""))
            print(f"      asked {fields}\n      expected {expected}\n      answered {answer}")
    cases = sum(result.cases for result in results.values())
    mismatches = sum(len(result.mismatches) for result in results.values())
    print(f"{cases} cases in {time.monotonic() - start:.0f} s, {mismatches} mismatches")
    return 1 if mismatches or failures else 0


if __name__ == "__main__":
    sys.exit(main())
