"""Hashes, codes, key derivation, ciphers, key wrap and base64url. Every function makes one or more cases."""
import base64
import re

from cryptography.hazmat.primitives import hashes, hmac, keywrap
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.concatkdf import ConcatKDFHash
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.kdf.pbkdf2 import PBKDF2HMAC

import values
from case import accepts, gives, gives_or_refuses, refuses

HASHES = {"256": hashes.SHA256(), "384": hashes.SHA384(), "512": hashes.SHA512()}


def hashed(function, message):
    peer = hashes.Hash(function)
    peer.update(message)
    return peer.finalize()


def code(function, key, message):
    peer = hmac.HMAC(key, function)
    peer.update(message)
    return peer.finalize()


def sha2(rng, backends):
    name = rng.choice(("256", "256", "384", "512"))
    message = values.octets(rng, values.length(rng, 5000, rng.choice((64, 128))))
    split = rng.randrange(len(message) + 1)
    fields = ["sha" + name] + ([rng.choice(backends)] if name == "256" else ["-"]) + [message, split]
    yield gives(fields, hashed(HASHES[name], message))


def hmac_sha2(rng, backends):
    name = rng.choice(("256", "384", "512"))
    key = values.octets(rng, values.length(rng, 300, rng.choice((64, 128))))
    message = values.octets(rng, values.length(rng, 2000, 64))
    tag = code(HASHES[name], key, message)
    if rng.randrange(2):
        yield gives(["hmac" + name, key, message, rng.randrange(len(message) + 1)], tag)
    else:
        given = tag if rng.randrange(2) else values.changed(rng, tag)
        yield accepts([f"hmac{name} verify", key, message, given], given == tag)


def equality(rng, backends):
    value = values.octets(rng, values.length(rng, 100, 8))
    other = value if rng.randrange(2) else values.changed(rng, value)
    yield accepts(["equal", value, other], value == other)


def pbkdf2(rng, backends):
    name = rng.choice(("256", "384", "512"))
    password = values.octets(rng, values.length(rng, 200, 64))
    salt = values.octets(rng, values.length(rng, 100))
    iterations, count = rng.randrange(1, 20), rng.randrange(1, 150)
    peer = PBKDF2HMAC(HASHES[name], count, salt, iterations)
    yield gives(["pbkdf2 " + name, password, salt, iterations, count], peer.derive(password))


def hkdf(rng, backends):
    name = rng.choice(("256", "384", "512"))
    material = values.octets(rng, values.length(rng, 200, 64))
    salt = values.octets(rng, values.length(rng, 200, 64))
    info = values.octets(rng, values.length(rng, 100))
    count = rng.choice((1, 16, 32, 48, 64, 255 * int(name) // 8, rng.randrange(1, 300)))
    yield gives(["hkdf " + name, material, salt, info, count], HKDF(HASHES[name], count, salt, info).derive(material))


def concat_kdf(rng, backends):
    name = rng.choice(("256", "384", "512"))
    secret = values.octets(rng, values.length(rng, 140, 32))
    info = values.octets(rng, values.length(rng, 200))
    count = rng.randrange(1, 200)
    yield gives(
        ["concat kdf " + name, secret, info, 8 * count], ConcatKDFHash(HASHES[name], count, info).derive(secret))


# GCM

POLYNOMIAL = 0xE1 << 120


def product(x, y):
    """x · y in the field of GHASH. Bit 127 of a number is the coefficient of x⁰."""
    result = 0
    for place in range(127, -1, -1):
        if y >> place & 1:
            result ^= x
        x = x >> 1 ^ (POLYNOMIAL if x & 1 else 0)
    return result


def inverse(x):
    """x to the power of 2¹²⁸ − 2."""
    result, square = None, x
    for _ in range(127):
        square = product(square, square)
        result = square if result is None else product(result, square)
    return result


class ChosenCounters:
    """Keys whose hash subkey is inverted, so that an initialization vector can be found for any J₀."""

    def __init__(self, rng, count=12):
        self.keys = []
        for _ in range(count):
            key = values.octets(rng, rng.choice((16, 24, 32)))
            subkey = Cipher(algorithms.AES(key), modes.ECB()).encryptor().update(bytes(16))
            self.keys.append((key, inverse(int.from_bytes(subkey, "big"))))

    def choose(self, rng):
        """A key and a vector of 16 octets for a J₀ whose counter is about to wrap, or stands at a border of the kernels."""
        key, inverted = rng.choice(self.keys)
        counter = rng.choice((0xFFFFFFFF, 0, 1, 17, 0x7FFFFFFF, 0xFFFFFFFF - rng.randrange(300), rng.getrandbits(32)))
        block = values.integer(rng, 96) << 32 | counter
        # J₀ = (IV · H ⊕ length) · H, the length in bits in the last 64 bits of a block.
        vector = product(product(block, inverted) ^ 128, inverted)
        return key, vector.to_bytes(16, "big")


CHOSEN = None


def gcm(rng, backends):
    global CHOSEN
    if CHOSEN is None:
        CHOSEN = ChosenCounters(rng.__class__(1))
    kind = rng.randrange(4)
    if kind == 0:
        key, vector = CHOSEN.choose(rng)
    else:
        key = values.octets(rng, rng.choice((16, 24, 32)))
        vector = values.octets(rng, 12 if kind < 3 else rng.choice((8, 11, 13, 15, 16, 17, 32, 64, 100, 128)))
    border = rng.choice((16, 64, 128, 256))
    text = values.octets(rng, values.length(rng, 9000, border))
    data = values.octets(rng, values.length(rng, 700, border))
    sealed = AESGCM(key).encrypt(vector, text, data)
    ciphertext, tag = sealed[:-16], sealed[-16:]
    # All backends on the same message.
    for backend in backends:
        yield gives(["gcm seal", backend, key, vector, data, text], ciphertext, tag)
    backend = rng.choice(backends)
    given = [vector, data, ciphertext, tag]
    is_changed = rng.randrange(3) == 0
    if is_changed:
        place = rng.randrange(4)
        given[place] = values.changed(rng, given[place])
        if place == 3 and len(given[3]) != 16:  # the form for other vectors than those of 12 octets takes tags that were cut
            given[3] = bytes((tag[0] ^ 1,)) + tag[1:]
    fields = ["gcm open", backend, key] + given
    yield refuses(fields) if is_changed else gives(fields, text)


# CBC

def cbc(rng, backends):
    key = values.octets(rng, rng.choice((16, 24, 32)))
    vector = values.octets(rng, 16)
    text = values.octets(rng, 16 * rng.randrange(24))
    peer = Cipher(algorithms.AES(key), modes.CBC(vector))
    ciphertext = peer.encryptor().update(text)
    backend = rng.choice(backends)
    if rng.randrange(2):
        yield gives(["cbc", backend, key, vector, text, 1], ciphertext)
    else:
        yield gives(["cbc", backend, key, vector, ciphertext, 0], text)


def cbc_hmac(rng, backends):
    name, half = rng.choice((("256", 16), ("384", 24), ("512", 32)))
    key = values.octets(rng, 2 * half)
    vector = values.octets(rng, 16)
    data = values.octets(rng, values.length(rng, 200))
    text = values.octets(rng, values.length(rng, 700))
    padding = 16 - len(text) % 16
    is_padded = rng.randrange(6) != 0
    end = bytes((padding,)) * padding
    if not is_padded:  # with a right tag all the same
        end = end[:-1] + bytes((rng.choice((0, 17, 255, padding ^ 1)),))
    peer = Cipher(algorithms.AES(key[half:]), modes.CBC(vector))
    ciphertext = peer.encryptor().update(text + end)
    tag = code(HASHES[name], key[:half], data + vector + ciphertext + (8 * len(data)).to_bytes(8, "big"))[:half]
    backend = rng.choice(backends)
    if is_padded:
        yield gives(["cbc hmac seal", backend, key, vector, data, text], ciphertext, tag)
        yield gives(["cbc hmac open", backend, key, vector, data, ciphertext, tag], text)
    elif (text + end)[-1] not in range(1, 17) or not (text + end).endswith(bytes((end[-1],)) * end[-1]):
        yield refuses(["cbc hmac open", backend, key, vector, data, ciphertext, tag])
    given = [vector, data, ciphertext, tag]
    place = rng.randrange(4)
    given[place] = values.changed(rng, given[place])
    yield refuses(["cbc hmac open", backend, key] + given)


def key_wrap(rng, backends):
    wrapping = values.octets(rng, rng.choice((16, 24, 32)))
    key = values.octets(rng, 8 * rng.choice((2, 3, 4, 5, 6, 8, 9, 16, 64)))
    wrapped = keywrap.aes_key_wrap(wrapping, key)
    backend = rng.choice(backends)
    kind = rng.randrange(3)
    if kind == 0:
        yield gives(["wrap", backend, wrapping, key], wrapped)
    elif kind == 1:
        yield gives(["unwrap", backend, wrapping, wrapped], key)
    else:
        given = values.changed(rng, wrapped)
        try:
            answer = keywrap.aes_key_unwrap(wrapping, given)
        except (keywrap.InvalidUnwrap, ValueError):
            answer = None
        yield gives_or_refuses(["unwrap", backend, wrapping, given], answer)


ALPHABET = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"


def base64url(rng, backends):
    message = values.octets(rng, values.length(rng, 400, rng.choice((3, 6, 8))))
    text = base64.urlsafe_b64encode(message).rstrip(b"=")
    if rng.randrange(2):
        yield gives(["base64url encode", message], text)
        return
    if rng.randrange(2):
        text = values.changed(rng, text) if rng.randrange(2) else bytes(rng.choice(ALPHABET) for _ in range(rng.randrange(20)))
    # Legal is what encoding gives back: no padding, no foreign character, no bit that is left over.
    legal = None
    if re.fullmatch(rb"[A-Za-z0-9_-]*", text) and len(text) % 4 != 1:
        decoded = base64.urlsafe_b64decode(text + b"=" * (-len(text) % 4))
        legal = decoded if base64.urlsafe_b64encode(decoded).rstrip(b"=") == text else None
    yield gives(["base64url decode", text], *([] if legal is None else [legal]))
