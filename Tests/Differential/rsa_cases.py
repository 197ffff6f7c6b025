"""RSA: signatures and OAEP both ways, with moduli and values at the edges."""
import random

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

import values
from case import accepts, gives_or_refuses, refuses, satisfies
from symmetric import HASHES

OAEP_HASHES = {"sha1": hashes.SHA1(), "sha256": hashes.SHA256(), "sha384": hashes.SHA384(), "sha512": hashes.SHA512()}
SMALL_PRIMES = [p for p in range(3, 2000, 2) if all(p % q for q in range(3, int(p**0.5) + 1, 2))]


def is_prime(number, rng):
    if any(number % p == 0 for p in SMALL_PRIMES):
        return False
    odd, shift = number - 1, 0
    while odd % 2 == 0:
        odd, shift = odd // 2, shift + 1
    for _ in range(8):
        x = pow(rng.randrange(2, number - 1), odd, number)
        if x in (1, number - 1):
            continue
        for _ in range(shift - 1):
            x = x * x % number
            if x == number - 1:
                break
        else:
            return False
    return True


def prime(rng, bits, start, e):
    """The first prime from `start` on, down or up, that e doesn't divide p − 1 of."""
    step = -2 if start >> (bits - 8) == 0xFF else 2
    candidate = start | 1
    while candidate % e == 1 or not is_prime(candidate, rng):
        candidate += step
    return candidate


class Key:
    def __init__(self, rng, bits, e, is_edged, imbalance=0):
        """`imbalance`: how many bits p has beyond half of the modulus, and q below."""
        half = bits // 2
        if imbalance:
            p = prime(rng, half + imbalance, rng.getrandbits(half + imbalance) | 3 << half + imbalance - 2, e)
            q = prime(rng, half - imbalance, rng.getrandbits(half - imbalance) | 3 << half - imbalance - 2, e)
        elif is_edged:  # p all ones but for its end; q with limbs of zeros
            p = prime(rng, half, (1 << half) - 1, e)
            q = prime(rng, half, (3 << half - 2) + (rng.getrandbits(64) << 256) + 1, e)
        else:
            p, q = (prime(rng, half, rng.getrandbits(half) | 3 << half - 2, e) for _ in range(2))
        d = pow(e, -1, (p - 1) * (q - 1))
        numbers = rsa.RSAPrivateNumbers(
            p, q, d, d % (p - 1), d % (q - 1), pow(q, -1, p), rsa.RSAPublicNumbers(e, p * q))
        self.peer = numbers.private_key()
        self.public = self.peer.public_key()
        self.n, self.e, self.count = p * q, e, (bits + 7) // 8
        self.modulus = self.n.to_bytes(self.count, "big")
        self.exponent = e.to_bytes((e.bit_length() + 7) // 8, "big")
        self.der = self.peer.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption())


# Lengths at which limbs and vector registers are full, and others; the last two with primes of unequal lengths.
SHAPES = [(2048, 65537, False), (2048, 65537, True), (2048, 3, False), (2064, 65537, False), (3072, 65537, True), (2056, 65537, False),
          (2186, 65537, False), (4096, 65537, False), (2048, 65537, False, 64), (2120, 3, False, 40)]
KEYS = {}


def choose(rng):
    """Always the same keys: what is random is what they are used for. Made when they are first wanted."""
    number = rng.choice((0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 8, 8, 9, 9))
    if number not in KEYS:
        KEYS[number] = Key(random.Random(f"key {number} of RSA"), *SHAPES[number])
    return KEYS[number]


def peer_padding(name, function):
    return padding.PKCS1v15() if name == "pkcs1" else padding.PSS(padding.MGF1(function), function.digest_size)


def sign(rng, backends):
    key, name, kind = choose(rng), rng.choice(("256", "384", "512")), rng.choice(("pkcs1", "pss"))
    message = values.octets(rng, values.length(rng, 300, 64))
    function = HASHES[name]

    def check(signature):
        try:
            key.public.verify(signature, message, peer_padding(kind, function), function)
            return len(signature) == key.count
        except InvalidSignature:
            return False

    yield satisfies(["rsa sign " + name, key.der, kind, message], "a signature that the peer accepts", check)


SIGNED = {}


def verify(rng, backends):
    key, name, kind = choose(rng), rng.choice(("256", "384", "512")), rng.choice(("pkcs1", "pss"))
    function = HASHES[name]
    pool = SIGNED.setdefault((key.n, name, kind), [])
    if len(pool) < 8 or rng.randrange(20) == 0:  # signing is the peer's slowest
        message = values.octets(rng, values.length(rng, 300, 64))
        pool.append((message, key.peer.sign(message, peer_padding(kind, function), function)))
        del pool[:-40]
    message, signature = rng.choice(pool)
    place = rng.randrange(5)
    if place == 0:
        signature = values.changed(rng, signature)
    elif place == 1:
        message = values.changed(rng, message)
    elif place == 2:
        number = rng.choice((0, 1, key.n - 1, key.n, key.n + 1, int.from_bytes(signature, "big") + key.n, values.near(rng, key.n)))
        signature = (number % (1 << 8 * key.count)).to_bytes(key.count, "big")
    try:
        key.public.verify(signature, message, peer_padding(kind, function), function)
        is_valid = True
    except InvalidSignature:
        is_valid = False
    yield accepts(["rsa verify " + name, key.modulus, key.exponent, kind, message, signature], is_valid)


def label_and_padding(rng, name):
    label = b"" if rng.randrange(4) else values.octets(rng, rng.randrange(1, 40))
    function = OAEP_HASHES[name]
    return label, padding.OAEP(padding.MGF1(function), function, label)


def encrypt(rng, backends):
    key, name = choose(rng), rng.choice(tuple(OAEP_HASHES))
    label, peer = label_and_padding(rng, name)
    most = key.count - 2 * OAEP_HASHES[name].digest_size - 2
    message = values.octets(rng, rng.choice((0, 1, 16, 32, 64, most - 1, most, most + 1)))
    fields = ["rsa encrypt", key.modulus, key.exponent, name, label, message]

    def check(ciphertext):
        try:
            return key.peer.decrypt(ciphertext, peer) == message
        except ValueError:
            return False

    if len(message) > most:
        yield refuses(fields)
    else:
        yield satisfies(fields, "what the peer decrypts", check)


def decrypt(rng, backends):
    key, name = choose(rng), rng.choice(tuple(OAEP_HASHES))
    label, peer = label_and_padding(rng, name)
    most = key.count - 2 * OAEP_HASHES[name].digest_size - 2
    message = values.octets(rng, rng.choice((0, 1, 16, 32, 64, most - 1, most)))
    ciphertext = key.public.encrypt(message, peer)
    kind = rng.randrange(6)
    if kind == 0:
        ciphertext = values.changed(rng, ciphertext)
    elif kind == 1:
        number = rng.choice((0, 1, key.n - 1, key.n, key.n + 1, values.near(rng, key.n)))
        ciphertext = (number % (1 << 8 * key.count)).to_bytes(key.count, "big")
    elif kind == 2:  # an encoding of our own, with something wrong in it
        encoded = bytearray(values.octets(rng, key.count - 1))
        number = int.from_bytes(encoded, "big") % key.n
        ciphertext = pow(number, key.e, key.n).to_bytes(key.count, "big")
    try:
        answer = key.peer.decrypt(ciphertext, peer)
    except ValueError:
        answer = None
    yield gives_or_refuses(["rsa decrypt", key.der, name, label, ciphertext], answer)

