"""Tests of ML-DSA, each of which one rule of FIPS 204 decides. Keys, messages and tries are given by numbers that a search found; here
they are computed again, and each must be what it was chosen for."""

import hashlib

from .fips204 import SETS, Key, largest, message_representative

# Numbers of messages, and of the try that was looked for.
#   key: one candidate for a coefficient of its matrix is q itself.
#   bound: by polynomial, a try whose largest |z| is γ₁ − β, in that polynomial alone; it keeps every other bound.
#   r0 bound: by polynomial, the same of the low bits and γ₂ − β.
#   below: accepted with γ₁ − β − 1, as the largest z and as the smallest.
#   r0 below: accepted with γ₂ − β − 1.
#   omega: accepted with ω hints. over: rejected for ω + 1, and for more.
#   empty row: accepted, with a polynomial after the first that has no hint.
FOUND = {
    "ML-DSA-44": {
        "key": 1707,
        "bound": [(1205, 1), (716, 0), (170, 1), (380, 1)],
        "r0 bound": [(225, 1), (207, 2), (232, 1), (65, 1)],
        "below": [(187, 2), (16, 0)], "r0 below": (75, 0),
        "omega": (155, 1), "over": [(24, 3), (59, 1)],
        "empty row": None,
    },
    "ML-DSA-65": {
        "key": 1168,
        "bound": [(6659, 0), (125, 0), (5482, 0), (2384, 12), (11903, 2)],
        "r0 bound": [(1897, 4), (95, 2), (1194, 8), (2154, 3), (1319, 0), (2455, 2)],
        "below": [(69, 5), (506, 0)], "r0 below": (163, 8),
        "omega": (29, 5), "over": [(2710, 0), (759, 0)],
        "empty row": (18, 1),
    },
    "ML-DSA-87": {
        "key": 950,
        "bound": [(2258, 0), (1102, 3), (403, 0), (2184, 8), (1220, 0), (3258, 3), (1379, 0)],
        "r0 bound": [(779, 5), (617, 3), (1929, 0), (168, 0), (198, 4), (173, 1), (4859, 0), (198, 5)],
        "below": [(1600, 0), (196, 6)], "r0 below": (629, 0),
        "omega": (85, 0), "over": [(791, 1), (123, 6)],
        "empty row": (10, 1),
    },
}

# SHA-512 in DER, as HashML-DSA names it.
SHA512 = bytes.fromhex("0609608648016503040203")


def key_of(name, number):
    return Key(SETS[name], hashlib.shake_256(f"{name} key {number}".encode()).digest(32))


def octets(number):
    return str(number).encode()


def nth(tries, number):
    for _ in range(number):
        next(tries)
    return next(tries)


def mu_of(key, number):
    return message_representative(key.tr, octets(number))


def found(key, entry):
    return nth(key.tries(mu_of(key, entry[0])), entry[1])


def sign_group(file, key):
    return file.group("MlDsaSign", parameterSet=key.p.name, seed=key.seed.hex(), publicKey=key.public.hex())


def signed(group, key, number, comment, expected, context=b"", randomness=bytes(32)):
    """A test of an exact signature. `expected` is what the rejections must have in them."""
    mu = message_representative(key.tr, octets(number), context)
    causes, attempt = key.rejections(mu, randomness)
    assert expected in causes if expected else not causes, (number, causes)
    signature = attempt.signature()
    assert key.verifies(signature, mu)
    others = {"ctx": context.hex()} if context else {}
    if any(randomness):
        others["rnd"] = randomness.hex()
    group.valid(comment, "Derived", msg=octets(number).hex(), **others, rejections=causes,
                sigSha256=hashlib.sha256(signature).hexdigest())
    return attempt


def sign_groups(file):
    for name, numbers in FOUND.items():
        key = key_of(name, numbers["key"])
        p, group = key.p, sign_group(file, key)
        assert key.borders, "no candidate of the matrix is q"
        for place, (message, attempt) in enumerate(numbers["bound"]):
            assert max(map(largest, found(key, (message, attempt)).z)) == p.gamma1 - p.beta
            signed(group, key, message, f"a try with |z| = gamma1 - beta in polynomial {place}", f"z {place}")
        for place, (message, attempt) in enumerate(numbers["r0 bound"]):
            assert max(found(key, (message, attempt)).low) == p.gamma2 - p.beta
            signed(group, key, message, f"a try with |r0| = gamma2 - beta in polynomial {place}", f"r0 {place}")
        for entry, comment in zip(numbers["over"], ("omega + 1", "more than omega + 1")):
            count = found(key, entry).hint_count
            assert count == p.omega + 1 if comment == "omega + 1" else count > p.omega + 1
            signed(group, key, entry[0], f"a try with {comment} hints", f"hints {count}")
        for entry, comment in [(entry, "|z| = gamma1 - beta - 1") for entry in numbers["below"]] + [
                (numbers["r0 below"], "|r0| = gamma2 - beta - 1"), (numbers["omega"], "omega hints")]:
            mu = mu_of(key, entry[0])
            causes, attempt = key.rejections(mu)
            assert len(causes) == entry[1]
            assert {"|z| = gamma1 - beta - 1": max(map(largest, attempt.z)) == p.gamma1 - p.beta - 1,
                    "|r0| = gamma2 - beta - 1": max(attempt.low) == p.gamma2 - p.beta - 1,
                    "omega hints": attempt.hint_count == p.omega}[comment]
            signed(group, key, entry[0], f"accepted with {comment}", causes[0] if causes else None)
        causes, _ = key.rejections(message_representative(key.tr, octets(1), bytes(255), 0), bytes(range(32)))
        signed(group, key, 1, "the longest context, and randomness", causes[0] if causes else None, bytes(255), bytes(range(32)))
    # Only ML-DSA-44 can come to this bound: τ · 2¹² is below γ₂ in the others. A key with a large t₀ may.
    for p in SETS.values():
        assert (p.tau << 12 < p.gamma2) == (p.name != "ML-DSA-44")
    key = key_of("ML-DSA-44", 39652)
    signed(sign_group(file, key), key, 190738268, "a try with |c t0| >= gamma2", "ct0 0")


class Verification:
    """The group of tests of signatures by one key."""

    def __init__(self, file, key, public=None):
        self.key = key
        self.group = file.group("MlDsaVerify", parameterSet=key.p.name, publicKey=(key.public if public is None else public).hex())

    def valid(self, comment, signature, message, context=b"", *flags):
        assert self.key.verifies(signature, message_representative(self.key.tr, message, context)), comment
        self.add("valid", comment, flags, signature, message, context)

    def invalid(self, comment, rule, signature, number, *flags):
        """A signature that one rule alone refuses."""
        mu = mu_of(self.key, number)
        assert not self.key.verifies(signature, mu) and self.key.verifies(signature, mu, without=rule), comment
        self.add("invalid", comment, ("OneRule", *flags), signature, octets(number))

    def add(self, result, comment, flags, signature, message, context=b""):
        others = {"ctx": context.hex()} if context else {}
        self.group.add(result, comment, ("Derived", *flags), msg=message.hex(), **others, sig=signature.hex())


def hint_octets(key, signature):
    size = key.p.omega + key.p.k
    return signature[:-size], bytearray(signature[-size:])


def swapped(key, signature):
    """Two places of a polynomial in the wrong order."""
    start, hints = hint_octets(key, signature)
    counts = [0, *hints[key.p.omega :]]
    first = next(low for low, high in zip(counts, counts[1:]) if high - low >= 2)
    hints[first : first + 2] = reversed(hints[first : first + 2])
    return start + bytes(hints)


def repeated(key, signature):
    """The last place of the last polynomial twice."""
    start, hints = hint_octets(key, signature)
    count = hints[-1]
    assert 0 < count < key.p.omega and hints[-2] < count
    hints[count] = hints[count - 1]
    hints[-1] += 1
    return start + bytes(hints)


def padded(key, signature, place):
    """Something where no place is: directly after the last one, or at the end."""
    start, hints = hint_octets(key, signature)
    assert hints[-1] < key.p.omega
    hints[hints[-1] if place == "first" else key.p.omega - 1] = 1
    return start + bytes(hints)


def fallen(key, signature):
    """A count that falls, of a polynomial without hints."""
    start, hints = hint_octets(key, signature)
    row = next(row for row in range(1, key.p.k) if hints[key.p.omega + row] == hints[key.p.omega + row - 1] > 0)
    hints[key.p.omega + row] -= 1
    return start + bytes(hints)


def flipped(place):
    def tamper(commitment):
        changed = bytearray(commitment)
        changed[place] ^= 1
        return bytes(changed)

    return tamper


def faultless(tries):
    return next(attempt for attempt in tries if not attempt.cause)


def verify_groups(file):
    for name, numbers in FOUND.items():
        key = key_of(name, numbers["key"])
        p, tests = key.p, Verification(file, key)
        plain = faultless(key.tries(mu_of(key, 0))).signature()
        tests.valid("a signature", plain, octets(0))
        for sign, entry in zip(("", "-"), numbers["below"]):
            tests.valid(f"a coefficient of z is {sign}(gamma1 - beta - 1)", found(key, entry).signature(), octets(entry[0]), b"", "EdgeCase")
        tests.valid("omega hints", found(key, numbers["omega"]).signature(), octets(numbers["omega"][0]), b"", "EdgeCase")
        for place, entry in enumerate(numbers["bound"]):
            attempt = found(key, entry)
            assert [largest(z) >= p.gamma1 - p.beta for z in attempt.z] == [index == place for index in range(p.l)]
            z = max(attempt.z[place], key=abs)
            assert abs(z) == p.gamma1 - p.beta
            tests.invalid(f"a coefficient of polynomial {place} of z is {'-' if z < 0 else ''}(gamma1 - beta)", "bound", attempt.signature(),
                          entry[0], "BadRange")
        assert {max(found(key, entry).z[place], key=abs) < 0 for place, entry in enumerate(numbers["bound"])} == {True, False}
        tests.invalid("two places of hints in the wrong order", "falling places", swapped(key, plain), 0, "BadEncoding")
        tests.invalid("a place of hints twice", "equal places", repeated(key, plain), 0, "BadEncoding")
        tests.invalid("an octet after the last hint is not zero", "padding", padded(key, plain, "first"), 0, "BadEncoding")
        tests.invalid("the last octet of the places is not zero", "padding", padded(key, plain, "last"), 0, "BadEncoding")
        if numbers["empty row"]:
            entry = numbers["empty row"]
            tests.invalid("a count of hints that falls", "falling counts", fallen(key, found(key, entry).signature()), entry[0], "BadEncoding")
        entry = numbers["over"][0]
        tests.add("invalid", "omega + 1 hints, for the last of which there is no room", ("BadEncoding",), found(key, entry).signature(),
                  octets(entry[0]))
        for place in (0, p.commitment_size // 2, p.commitment_size - 1) if name == "ML-DSA-44" else (p.commitment_size - 1,):
            attempt = faultless(key.tries(mu_of(key, 0), tamper=flipped(place)))
            tests.invalid(f"octet {place} of the commitment's hash is changed, and the challenge is made of that", place, attempt.signature(), 0)
        tests.add("invalid", "an octet too many", ("OneRule", "BadLength"), plain + b"\0", octets(0))
        tests.add("invalid", "an octet too few", ("BadLength",), plain[:-1], octets(0))
        if name == "ML-DSA-44":
            message_tests(tests, key)
        longer = key.public + b"\0"
        tr = hashlib.shake_256(longer).digest(64)
        signature = faultless(key.tries(message_representative(tr, octets(0)))).signature()
        Verification(file, key, longer).add("invalid", "the key has an octet too many", ("OneRule", "BadLength"), signature, octets(0))
        if name == "ML-DSA-44":
            Verification(file, key, key.public[:-1]).add("invalid", "the key has an octet too few", ("BadLength",), plain, octets(0))


def message_tests(tests, key):
    """How a message becomes µ, which is the same for all parameter sets."""
    message, long = octets(1), bytes(range(255))

    def signature(mu):
        return faultless(key.tries(mu)).signature()

    of_long = signature(message_representative(key.tr, message, long))
    tests.valid("a context of 255 octets", of_long, message, long, "EdgeCase")
    tests.add("invalid", "the context's last octet is missing", ("Damaged",), of_long, message, long[:-1])
    tests.add("invalid", "the length of a context of 256 octets is cut off to 0", ("OneRule", "BadLength"),
              signature(message_representative(key.tr, message, long + b"\0")), message, long + b"\0")
    tests.add("invalid", "context and message are parted at another place", ("Damaged",),
              signature(message_representative(key.tr, message, b"ab")), b"b" + message, b"a")
    hashed = SHA512 + hashlib.sha512(message).digest()
    of_hash = signature(message_representative(key.tr, hashed, domain=1))
    tests.add("invalid", "HashML-DSA of the message", ("OneRule",), of_hash, message)
    tests.add("invalid", "HashML-DSA, whose octets are those of the message but for the domain", ("OneRule",), of_hash, hashed)
    tests.valid("the octets that HashML-DSA signs, as a message", signature(message_representative(key.tr, hashed)), hashed)
    tests.add("invalid", "neither domain nor context before the message", ("OneRule",),
              signature(hashlib.shake_256(key.tr + message).digest(64)), message)
    mu = message_representative(key.tr, message)
    for count in (64, 63, 65, 0):
        given = (mu + b"\0")[:count]
        tests.group.add("valid" if count == 64 else "invalid", f"mu of {count} octets", ("Derived", *(("OneRule", "BadLength") if count != 64 else ())),
                        mu=given.hex(), sig=signature(given).hex())
