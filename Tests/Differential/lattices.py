"""SHA-3, SHAKE, ML-KEM and ML-DSA. Every function makes one or more cases."""
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import mldsa, mlkem

import values
from case import accepts, gives, refuses, satisfies

SHA3 = {"256": hashes.SHA3_256(), "384": hashes.SHA3_384(), "512": hashes.SHA3_512()}
SHAKE = {"128": hashes.SHAKE128, "256": hashes.SHAKE256}
KEM = {"768": (mlkem.MLKEM768PrivateKey, 1088), "1024": (mlkem.MLKEM1024PrivateKey, 1568)}
DSA = {"44": mldsa.MLDSA44PrivateKey, "65": mldsa.MLDSA65PrivateKey, "87": mldsa.MLDSA87PrivateKey}


def hashed(function, message):
    peer = hashes.Hash(function)
    peer.update(message)
    return peer.finalize()


def sha3(rng, backends):
    message = values.octets(rng, values.length(rng, 5000, rng.choice((72, 104, 136, 168))))
    split = rng.randrange(len(message) + 1)
    name = rng.choice(("256", "384", "512"))
    yield gives(["sha3 " + name, message, split], hashed(SHA3[name], message))
    name, count = rng.choice(("128", "256")), rng.randrange(1, 700)
    yield gives(["shake" + name, message, split, count], hashed(SHAKE[name](count), message))


def ml_kem(rng, backends):
    name = rng.choice(("768", "1024"))
    private_key, ciphertext_size = KEM[name]
    seed = values.octets(rng, 64)
    key = private_key.from_seed_bytes(seed)
    public = key.public_key().public_bytes_raw()
    yield gives([f"mlkem{name} public", seed], public)
    secret, ciphertext = key.public_key().encapsulate()
    yield gives([f"mlkem{name} decapsulate", seed, ciphertext], secret)
    for other in (values.changed(rng, ciphertext), values.octets(rng, ciphertext_size)):
        if len(other) == ciphertext_size:
            yield gives([f"mlkem{name} decapsulate", seed, other], key.decapsulate(other))
        else:
            yield refuses([f"mlkem{name} decapsulate", seed, other])
    yield satisfies(
        [f"mlkem{name} encapsulate", public], "what the peer decapsulates to",
        lambda answer: len(answer) == 32 + ciphertext_size and key.decapsulate(answer[32:]) == answer[:32])


def ml_dsa(rng, backends):
    name = rng.choice(("44", "65", "87"))
    seed = values.octets(rng, 32)
    key = DSA[name].from_seed_bytes(seed)
    peer = key.public_key()
    public = peer.public_bytes_raw()
    message = values.octets(rng, values.length(rng, 600, 136))
    context = values.octets(rng, rng.choice((0, 0, 1, 17, 255)))
    yield gives([f"mldsa{name} public", seed], public)

    def is_valid(signature):
        try:
            peer.verify(signature, message, context)
            return True
        except InvalidSignature:
            return False

    yield satisfies([f"mldsa{name} sign", seed, message, context], "what the peer verifies", is_valid)
    signature = key.sign(message, context)
    yield accepts([f"mldsa{name} verify", public, message, context, signature], True)
    # Anywhere, and in the hints, whose form is strict.
    changed = values.changed(rng, signature)
    hints = bytearray(signature)
    hints[-1 - rng.randrange(90)] ^= 1 << rng.randrange(8)
    for other in (changed, bytes(hints)):
        yield accepts([f"mldsa{name} verify", public, message, context, other], is_valid(other))
