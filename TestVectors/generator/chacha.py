"""ChaCha20-Poly1305 (RFC 8439)."""

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

from .envelope import VectorFile
from .octets import counting, flipped

# RFC 8439, 2.8.2 and A.5: key, nonce, additional data, ciphertext, tag.
SUNSCREEN = (
    b"Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would be it."
)
DRAFTS = (
    "Internet-Drafts are draft documents valid for a maximum of six months and may be updated, replaced, or obsoleted by "
    "other documents at any time. It is inappropriate to use Internet-Drafts as reference material or to cite them other "
    "than as /\u201cwork in progress./\u201d"
).encode()
FIGURES = {
    "RFC 8439 2.8.2": (
        "808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f",
        "070000004041424344454647",
        "50515253c0c1c2c3c4c5c6c7",
        SUNSCREEN,
        "d31a8d34648e60db7b86afbc53ef7ec2a4aded51296e08fea9e2b5a736ee62d6"
        "3dbea45e8ca9671282fafb69da92728b1a71de0a9e060b2905d6a5b67ecd3b36"
        "92ddbd7f2d778b8c9803aee328091b58fab324e4fad675945585808b4831d7bc"
        "3ff4def08e4b7a9de576d26586cec64b6116",
        "1ae10b594f09e26a7e902ecbd0600691",
    ),
    "RFC 8439 A.5": (
        "1c9240a5eb55d38af333888604f6b5f0473917c1402b80099dca5cbc207075c0",
        "000000000102030405060708",
        "f33388860000000000004e91",
        DRAFTS,
        "64a0861575861af460f062c79be643bd5e805cfd345cf389f108670ac76c8cb2"
        "4c6cfc18755d43eea09ee94e382d26b0bdb7b73c321b0100d4f03b7f355894cf"
        "332f830e710b97ce98c8a84abd0b948114ad176e008d33bd60f982b1ff37c855"
        "9797a06ef4f0ef61c186324e2b3506383606907b6a7c02b0f9f6157b53c867e4"
        "b9166c767b804d46a59b5216cde7a4e99040c5a40433225ee282a1b0a06c523e"
        "af4534d7f83fa1155b0047718cbc546a0d072b04b3564eea1b422273f548271a"
        "0bb2316053fa76991955ebd63159434ecebb4e466dae5a1073a6727627097a10"
        "49e617d91d361094fa68f0ff77987130305beaba2eda04df997b714d6c6f2c29"
        "a6ad5cb4022b02709b",
        "eead9d67890cbb22392336fea1851f38",
    ),
}
PRIME = (1 << 130) - 5


def seal(key, iv, aad, msg):
    sealed = ChaCha20Poly1305(bytes.fromhex(key)).encrypt(bytes.fromhex(iv), bytes.fromhex(msg), bytes.fromhex(aad)).hex()
    return {"key": key, "iv": iv, "aad": aad, "msg": msg, "ct": sealed[:-32], "tag": sealed[-32:]}


def stream(key, iv, counter, count):
    """Octets of the keystream from block `counter` on. The package takes the counter with the nonce."""
    nonce = counter.to_bytes(4, "little") + bytes.fromhex(iv)
    return Cipher(algorithms.ChaCha20(bytes.fromhex(key), nonce), None).encryptor().update(bytes(count))


def seal_to(key, iv, aad, ct):
    """The test whose ciphertext is given."""
    message = bytes(a ^ b for a, b in zip(bytes.fromhex(ct), stream(key, iv, 1, len(ct) // 2)))
    test = seal(key, iv, aad, message.hex())
    assert test["ct"] == ct
    return test


def padded(octets):
    return octets + bytes(-len(octets) % 16)


class Authenticator:
    """Poly1305 by integers, under the key that a nonce gives."""

    def __init__(self, key, iv):
        block = stream(key, iv, 0, 32)
        self.r = int.from_bytes(block[:16], "little") & 0x0FFFFFFC0FFFFFFC0FFFFFFC0FFFFFFF
        self.s = int.from_bytes(block[16:], "little")

    def sum(self, octets, start=0):
        for place in range(0, len(octets), 16):
            start = (start + int.from_bytes(octets[place : place + 16] + b"\1", "little")) * self.r % PRIME
        return start

    def lengths(self, aad, ct):
        return len(aad).to_bytes(8, "little") + len(ct).to_bytes(8, "little")

    def check(self, test):
        aad, ct = bytes.fromhex(test["aad"]), bytes.fromhex(test["ct"])
        total = self.sum(padded(aad) + padded(ct) + self.lengths(aad, ct)) + self.s
        assert (total % (1 << 128)).to_bytes(16, "little").hex() == test["tag"]

    def block_before(self, goal, aad, ct):
        """The block behind `ct` after which the sum is `goal`, or None if that is no block."""
        block = (goal * pow(self.r, -1, PRIME) - self.sum(padded(aad) + ct) - (1 << 128)) % PRIME
        return block.to_bytes(16, "little") if block < 1 << 128 else None

    def before_lengths(self, goal, aad, ct):
        """What the sum must be before the lengths if it shall be `goal` behind them."""
        last = int.from_bytes(self.lengths(aad, ct) + b"\1", "little")
        return (goal * pow(self.r, -1, PRIME) - last) % PRIME


def reaching(goal, prefix, key, aad, is_last):
    """A test whose sum is `goal`, at the end or behind the block before the lengths: the first nonce that has one."""
    for number in range(1000):
        iv = number.to_bytes(12, "big").hex()
        authenticator = Authenticator(key, iv)
        wanted = authenticator.before_lengths(goal(authenticator), aad, prefix + bytes(16)) if is_last else goal(authenticator)
        block = authenticator.block_before(wanted, aad, prefix)
        if block is not None:
            test = seal_to(key, iv, aad.hex(), (prefix + block).hex())
            authenticator.check(test)
            return test
    raise AssertionError("no nonce")


def file():
    file = VectorFile("chacha20_poly1305.json", "CHACHA20-POLY1305", "RFC 8439", "2.8.2; A.5", "ChaCha20-Poly1305")
    groups = {}

    def group(test):
        sizes = len(test["key"]) * 4, len(test["iv"]) * 4, len(test["tag"]) * 4
        if sizes not in groups:
            groups[sizes] = file.group(
                "AeadTest", algorithm="CHACHA20-POLY1305", keySize=sizes[0], ivSize=sizes[1], tagSize=sizes[2]
            )
        return groups[sizes]

    def damages(comment, test):
        def damaged(what, **changes):
            group(test).invalid(f"{comment}, {what}", "Damaged", **{**test, **changes})

        for name in ("key", "iv", "aad", "ct"):
            octets = bytes.fromhex(test[name])
            damaged(f"{name}: last bit flipped", **{name: flipped(octets).hex()})
            damaged(f"{name}: first bit flipped", **{name: flipped(octets, 0, 128).hex()})
        for place in range(16):
            damaged(f"tag: octet {place} changed", tag=flipped(bytes.fromhex(test["tag"]), place, 1 << place % 8).hex())
        damaged("an octet of zero after the additional data", aad=test["aad"] + "00")
        damaged("tag of zeros", tag="00" * 16)
        damaged("tag of ones", tag="ff" * 16)
        damaged("last octet of the ciphertext missing", ct=test["ct"][:-2])
        damaged("an octet of zero after the ciphertext", ct=test["ct"] + "00")
        damaged("ciphertext and additional data exchanged", ct=test["aad"], aad=test["ct"])

    for comment, (key, iv, aad, message, ciphertext, tag) in FIGURES.items():
        test = seal(key, iv, aad, message.hex())
        assert (test["ct"], test["tag"]) == (ciphertext, tag), comment
        group(test).valid(comment, "Figure", **test)
        damages(comment, test)

    key = counting(32, 0x80).hex()
    lengths = [*range(0, 36), 47, 48, 49, 63, 64, 65, 127, 128, 129, 191, 192, 193, 255, 256, 257, 319, 320, 321]
    for length in lengths + [383, 384, 385, 447, 448, 449, 511, 512, 513, 959, 960, 961, 1023, 1024, 1025, 1472, 2000]:
        test = seal(key, counting(12, length).hex(), counting(length % 40, 5).hex(), counting(length, 1, 3).hex())
        Authenticator(key, test["iv"]).check(test)
        group(test).valid(f"{length} octets", "Derived", "EdgeCase", **test)
    for length in (1, 15, 16, 17, 31, 32, 33, 384, 400, 600):
        test = seal(key, counting(12, length, 5).hex(), counting(length, 9, 7).hex(), counting(20).hex())
        group(test).valid(f"{length} octets of additional data", "Derived", "EdgeCase", **test)

    # Ciphertexts that are blocks of the largest, the smallest and single limbs, for every lane of a vector.
    iv = counting(12, 0x40).hex()
    patterns = {"ones": "ff", "zeros": "00", "limbs by turns": "ffffff0300000000", "the prime": "fb" + "ff" * 15}
    for comment, pattern in patterns.items():
        for count in (4, 24, 40, 65):
            ct = (pattern * 16)[:32] * count
            test = seal_to(key, iv, "", ct)
            Authenticator(key, iv).check(test)
            group(test).valid(f"{count} blocks of {comment}", "Derived", "EdgeCase", **test)

    # Sums at which a reduction, a carry or the addition of s goes wrong easily: at the end, and before the last block.
    sums = {
        **{f"{number}": number for number in range(8)},
        **{f"the prime - {number}": PRIME - number for number in range(1, 7)},
        **{f"2^{bits} - 1": (1 << bits) - 1 for bits in (26, 44, 52, 64, 78, 88, 104, 128, 129)},
        **{f"2^{bits}": 1 << bits for bits in (26, 44, 52, 64, 78, 88, 104, 128, 129)},
        "2^130 - 2^26": (1 << 130) - (1 << 26),
        "2^130 - 2^88": (1 << 130) - (1 << 88),
    }
    for prefix in (b"", counting(400, 3)):
        for comment, goal in sums.items():
            for is_last in (True, False):
                # One block alone is between 2^128 and 2^129: its sum is never zero.
                if goal == 0 and not prefix and not is_last:
                    continue
                test = reaching(lambda _: goal, prefix, key, b"", is_last)
                place = "at the end" if is_last else "before the lengths"
                group(test).valid(
                    f"{len(prefix) + 16} octets, the sum is {comment} {place}", "Derived", "EdgeCase", **test
                )
    # Tags, that is sums with s, of zeros and ones: the addition loses its carry, or has none.
    for comment, tag in {"zeros": 0, "ones": (1 << 128) - 1, "one": 1, "the sign alone": 1 << 127}.items():
        test = reaching(lambda a: (tag - a.s) % (1 << 128), counting(16), key, b"\1", True)
        assert int.from_bytes(bytes.fromhex(test["tag"]), "little") == tag
        group(test).valid(f"the tag is {comment}", "Derived", "EdgeCase", **test)
        wrong = {**test, "ct": flipped(bytes.fromhex(test["ct"])).hex()}
        group(wrong).invalid(f"the tag is {comment}, of another message", "Damaged", **wrong)

    test = seal(*(FIGURES["RFC 8439 2.8.2"][place] for place in range(3)), SUNSCREEN.hex())
    for size in (0, 8, 11, 13, 16, 24):
        changed = {**test, "iv": counting(size, 7).hex()}
        group(changed).invalid(f"nonce of {size} octets", "BadLength", **changed)
    for size in (0, 16, 31, 33, 64):
        changed = {**test, "key": counting(size, 7).hex()}
        group(changed).invalid(f"key of {size} octets", "BadLength", **changed)
    for size in (0, 8, 12, 15):
        changed = {**test, "tag": test["tag"][: 2 * size]}
        group(changed).invalid(f"the first {size} octets of the tag", "BadLength", **changed)
    return file
