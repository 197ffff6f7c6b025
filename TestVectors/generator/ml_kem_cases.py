"""Tests of ML-KEM's keys and ciphertexts, each of which one rule of FIPS 203 decides; and of X-Wing with points of small order."""

import hashlib

from cryptography.hazmat.primitives.asymmetric import x25519

from .fips203 import Q, SETS, Key

# Numbers of keys that a search found. In the matrix of the first a candidate that is q itself stands in the first half
# of three octets, and none in the second; in that of the second it is the other way round.
FOUND = {"ML-KEM-768": (3, 2), "ML-KEM-1024": (3, 0)}


def derived(text, count):
    return hashlib.shake_256(text.encode()).digest(count)


def key_of(name, number):
    return Key(SETS[name], derived(f"{name} key {number}", 64))


def with_coefficient(octets, place, value):
    """The octets with another number of 12 bits at a place."""
    start = place // 2 * 3
    number = int.from_bytes(octets[start : start + 3], "little")
    shift = 12 * (place & 1)
    number = number & ~(0xFFF << shift) | value << shift
    return octets[:start] + number.to_bytes(3, "little") + octets[start + 3 :]


def with_bit(octets, place):
    return octets[:place] + bytes([octets[place] ^ 1]) + octets[place + 1 :]


def groups(file):
    for name, numbers in FOUND.items():
        keys = [key_of(name, number) for number in numbers]
        key, p = keys[0], keys[0].p
        assert [key.borders for key in keys] == [{0}, {1}]
        group = file.group("MlKemKey", parameterSet=name)
        for own, half in zip(keys, ("first", "second")):
            group.valid(f"a candidate for the matrix is 3329, in the {half} half of three octets", "Derived", "EdgeCase",
                        seed=own.seed.hex(), ek=own.ek.hex(), dk=own.dk.hex())
        encapsulations(file.group("MlKemEncapsulation", parameterSet=name), key)
        decapsulations(file.group("MlKemDecapsulation", parameterSet=name), key)
        expanded_keys(file.group("MlKemExpandedKey", parameterSet=name), key)


def encapsulations(group, key):
    message, last = derived(f"{key.p.name} message", 32), 256 * key.p.k - 1

    def add(result, comment, ek, *flags):
        secret, ciphertext = key.p.encapsulated(ek, message)
        group.add(result, comment, ("Derived", *flags), m=message.hex(), ek=ek.hex(), c=ciphertext.hex(), K=secret.hex())

    add("valid", "a key", key.ek)
    add("valid", "the first coefficient is 3328", with_coefficient(key.ek, 0, Q - 1), "EdgeCase")
    add("valid", "the last coefficient is 3328", with_coefficient(key.ek, last, Q - 1), "EdgeCase")
    for place in [0, *(256 * row + 1 for row in range(1, key.p.k)), last]:
        add("invalid", f"coefficient {place} is 3329", with_coefficient(key.ek, place, Q), "OneRule", "BadRange")
    add("invalid", "a coefficient is 4095", with_coefficient(key.ek, 130, 4095), "OneRule", "BadRange")


def decapsulations(group, key):
    p = key.p
    secret, ciphertext = p.encapsulated(key.ek, derived(f"{p.name} other message", 32))
    border = 32 * p.u_bits * p.k
    group.valid("a ciphertext", "Derived", seed=key.seed.hex(), c=ciphertext.hex(), K=secret.hex())
    for place in (0, border - 1, border, p.ciphertext_size - 1):
        changed = with_bit(ciphertext, place)
        other, is_rejected = p.decapsulated(key.dk, changed)
        # One bit is little noise: the message is the same, so that only the comparison of ciphertexts can tell.
        assert is_rejected and other == hashlib.shake_256(key.seed[32:] + changed).digest(32)
        group.valid(f"octet {place} of the ciphertext is changed: the secret is made of z and the ciphertext", "Derived", "EdgeCase",
                    seed=key.seed.hex(), c=changed.hex(), K=other.hex())
    for changed, comment in ((ciphertext[:-1], "few"), (ciphertext + b"\0", "many")):
        group.invalid(f"an octet of the ciphertext too {comment}", "Derived", "BadLength", seed=key.seed.hex(), c=changed.hex(),
                      K=hashlib.shake_256(key.seed[32:] + changed).hexdigest(32), error="decryptionFailed")
    short = key.seed[:-1]
    group.invalid("an octet of the seed too few", "Derived", "BadLength", seed=short.hex(), c=ciphertext.hex(), K=secret.hex(),
                  error="invalidPrivateKey")
    group.invalid("an octet of the seed too many", "Derived", "BadLength", seed=(key.seed + b"\0").hex(), c=ciphertext.hex(), K=secret.hex(),
                  error="invalidPrivateKey")


def expanded_keys(group, key):
    p = key.p
    _, ciphertext = p.encapsulated(key.ek, derived(f"{p.name} third message", 32))
    digest = 768 * p.k + 32

    def add(result, comment, dk, error, *flags):
        others = {"error": error} if error else {}
        secret, _ = p.decapsulated(dk, ciphertext)
        group.add(result, comment, ("Derived", *flags), dk=dk.hex(), ek=dk[384 * p.k : digest].hex(), c=ciphertext.hex(), K=secret.hex(),
                  **others)

    add("valid", "an expanded key", key.dk, None)
    wrong, rule = "invalidPrivateKey", ("OneRule", "Damaged")
    add("invalid", "the last octet of the public key's hash is changed", with_bit(key.dk, digest + 31), wrong, *rule)
    add("invalid", "the last private coefficient is 3329", with_coefficient(key.dk, 256 * p.k - 1, Q), wrong, "OneRule", "BadRange")
    if p.k > 3:
        return
    add("invalid", "the first octet of the public key's hash is changed", with_bit(key.dk, digest), wrong, *rule)
    add("invalid", "the first private coefficient is 3329", with_coefficient(key.dk, 0, Q), wrong, "OneRule", "BadRange")
    # The hash is that of this public key.
    ek = with_coefficient(key.ek, 0, Q)
    dk = key.dk[: 384 * p.k] + ek + hashlib.sha3_256(ek).digest() + key.dk[-32:]
    add("invalid", "a coefficient of the public key is 3329", dk, "invalidPublicKey", "OneRule", "BadRange")
    add("invalid", "an octet too many", key.dk + b"\0", wrong, "BadLength")


# The points of small order on Curve25519 and its twist, RFC 7748, 6.1; two of them as numbers that are not reduced.
P25519 = 2**255 - 19
SMALL_ORDER = [
    0, 1, 325606250916557431795983626356110631294008115727848805560023387167927233504,
    39382357235489614581723060781553021112529911719440698176882885853963445705823, P25519 - 1, P25519, P25519 + 1,
]


def x_wing_groups(file):
    seed = derived("X-Wing key", 32)
    expanded = hashlib.shake_256(seed).digest(96)
    lattice, curve = Key(SETS["ML-KEM-768"], expanded[:64]), x25519.X25519PrivateKey.from_private_bytes(expanded[64:])
    public = curve.public_key().public_bytes_raw()
    _, ciphertext = lattice.p.encapsulated(lattice.ek, derived("X-Wing message", 32))
    group = file.group("KemDecaps", kem="MLKEM768-X25519", kemId=0x647A)
    ephemeral = x25519.X25519PrivateKey.from_private_bytes(derived("X-Wing ephemeral key", 32))

    def add(comment, changed, agreed, point, *flags):
        secret, _ = lattice.p.decapsulated(lattice.dk, changed)
        combined = hashlib.sha3_256(secret + agreed + point + public + b"\\.//^\\").hexdigest()
        group.valid(comment, "Derived", *flags, sk=seed.hex(), ct=(changed + point).hex(), ss=combined)

    point = ephemeral.public_key().public_bytes_raw()
    agreed = curve.exchange(ephemeral.public_key())
    add("a ciphertext", ciphertext, agreed, point)
    add("the part of ML-KEM is changed", with_bit(ciphertext, 1087), agreed, point)
    for number in SMALL_ORDER:
        point = number.to_bytes(32, "little")
        try:
            curve.exchange(x25519.X25519PublicKey.from_public_bytes(point))
            assert False, "not of small order"
        except ValueError:
            pass
        add("the point is of small order: its part of the secret is zero", ciphertext, bytes(32), point, "EdgeCase")
