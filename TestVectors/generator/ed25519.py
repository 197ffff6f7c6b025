"""Ed25519 (RFC 8032) and its tokens (RFC 8037, RFC 9864)."""

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from .envelope import VectorFile
from .octets import b64u, compact, counting, flipped, unb64u

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
# RFC 8032, 7.1, tests 1 to 3: private key, public key, message, signature.
FIGURES = (
    (
        "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
    ),
    (
        "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
    ),
    (
        "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
    ),
)
# RFC 8037, A.1 and A.2.
KEY = {
    "kty": "OKP",
    "crv": "Ed25519",
    "d": "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A",
    "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
}
PUBLIC = {name: KEY[name] for name in ("kty", "crv", "x")}
# RFC 8037, A.4.
FIGURE = (
    "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc."
    "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg"
)


def sign(seed, message):
    return Ed25519PrivateKey.from_private_bytes(seed).sign(message)


def public_key(seed):
    return Ed25519PrivateKey.from_private_bytes(seed).public_key().public_bytes_raw()


def file():
    file = VectorFile("ed25519.json", "Ed25519", "RFC 8032; RFC 8037; RFC 9864", "7.1; Appendix A; 2.2", "Ed25519")
    group = file.group("EddsaSign", curve="edwards25519")
    for number, (seed, key, message, signature) in enumerate(FIGURES, 1):
        assert sign(bytes.fromhex(seed), bytes.fromhex(message)).hex() == signature
        assert public_key(bytes.fromhex(seed)).hex() == key
        group.valid(f"RFC 8032, 7.1, test {number}", "Figure", sk=seed, pk=key, msg=message, sig=signature)
    for length in (0, 1, 63, 64, 111, 112, 127, 128, 129, 300):
        seed, message = counting(32, length), counting(length)
        group.valid(
            f"message of {length} octets", "Derived", sk=seed.hex(), pk=public_key(seed).hex(), msg=message.hex(),
            sig=sign(seed, message).hex(),
        )  # fmt: skip
    for comment, seed in (("zeros", bytes(32)), ("ones", b"\xff" * 32)):
        group.valid(
            f"private key of {comment}", "EdgeCase", sk=seed.hex(), pk=public_key(seed).hex(), msg="61", sig=sign(seed, b"a").hex()
        )

    seed = bytes.fromhex(FIGURES[2][0])
    message, signature = bytes.fromhex(FIGURES[2][2]), bytes.fromhex(FIGURES[2][3])
    r, s = signature[:32], int.from_bytes(signature[32:], "little")
    group = file.group("EddsaVerify", key={"curve": "edwards25519", "pk": FIGURES[2][1], "sk": FIGURES[2][0]})
    group.valid("RFC 8032, 7.1, test 3", "Figure", msg=message.hex(), sig=signature.hex())
    assert s + L < 2**256
    for comment, flag, changed in (
        ("S raised by the group's order", "BadRange", r + (s + L).to_bytes(32, "little")),
        ("S is the group's order", "BadRange", r + L.to_bytes(32, "little")),
        ("S of ones", "BadRange", r + b"\xff" * 32),
        ("S is zero", "BadRange", r + bytes(32)),
        ("S negated", "Damaged", r + (L - s).to_bytes(32, "little")),
        ("R of zeros", "Damaged", bytes(32) + signature[32:]),
        ("R is the neutral element", "Damaged", b"\1" + bytes(31) + signature[32:]),
        ("R has y = p + 1, not reduced", "BadEncoding", (P + 1).to_bytes(32, "little") + signature[32:]),
        ("R of ones", "BadEncoding", b"\xff" * 32 + signature[32:]),
        ("sign of R changed", "Damaged", flipped(r, 31, 128) + signature[32:]),
        ("R and S exchanged", "Damaged", signature[32:] + r),
        ("last octet missing", "BadLength", signature[:-1]),
        ("an octet more", "BadLength", signature + b"\0"),
        ("R alone", "BadLength", r),
        ("nothing", "BadLength", b""),
        ("zeros", "Damaged", bytes(64)),
    ):
        group.invalid(comment, flag, msg=message.hex(), sig=changed.hex())
    for comment, changed in (("last bit flipped", flipped(message)), ("an octet more", message + b"\0"), ("nothing", b"")):
        group.invalid(f"message: {comment}", "Damaged", msg=changed.hex(), sig=signature.hex())
    other = file.group("EddsaVerify", key={"curve": "edwards25519", "pk": FIGURES[1][1]})
    other.invalid("another key", "WrongKey", msg=message.hex(), sig=signature.hex())
    unreduced = file.group("EddsaVerify", key={"curve": "edwards25519", "pk": (P + 1).to_bytes(32, "little").hex()})
    unreduced.invalid("public key with y = p + 1, not reduced", "BadEncoding", msg=message.hex(), sig=signature.hex())

    tokens = file.group("JwsSign")
    payload = b"Example of Ed25519 signing"
    assert b64u(sign(unb64u(KEY["d"]), FIGURE.rpartition(".")[0].encode())) == FIGURE.rpartition(".")[2]
    tokens.valid(
        "RFC 8037, A.4", "Figure", alg="EdDSA", key=KEY, protected='{"alg":"EdDSA"}', payload=payload.hex(), token=FIGURE
    )
    header = compact({"alg": "Ed25519"})
    signing_input = f"{b64u(header.encode())}.{b64u(payload)}"
    token = f"{signing_input}.{b64u(sign(unb64u(KEY['d']), signing_input.encode()))}"
    tokens.valid(
        "the name of RFC 9864", "Derived", alg="Ed25519", key=KEY, protected=header, payload=payload.hex(), token=token
    )
    group = file.group("JwsVerify")

    def members(alg, key, text):
        return {"serialization": "compact", "algs": [alg], "key": key, "token": text}

    group.valid("RFC 8037, A.5", "Figure", **members("EdDSA", PUBLIC, FIGURE), payload=payload.hex())
    group.valid("the name of RFC 9864", "Derived", **members("Ed25519", PUBLIC, token), payload=payload.hex())
    for comment, alg, key, text, error in (
        ("EdDSA where Ed25519 is allowed", "Ed25519", PUBLIC, FIGURE, "algorithmNotAllowed"),
        ("Ed25519 where EdDSA is allowed", "EdDSA", PUBLIC, token, "algorithmNotAllowed"),
        ("a key whose alg is the other name", "Ed25519", {**PUBLIC, "alg": "EdDSA"}, token, "keyMismatch(alg)"),
        ("a key for encryption", "EdDSA", {**PUBLIC, "use": "enc"}, FIGURE, "keyMismatch(use)"),
        ("a key whose x is short", "EdDSA", {**PUBLIC, "x": b64u(unb64u(KEY["x"])[:31])}, FIGURE, "keyInvalid(x)"),
        ("a key whose x is not reduced", "EdDSA", {**PUBLIC, "x": b64u((P + 1).to_bytes(32, "little"))}, FIGURE, "keyInvalid(x)"),
        ("a private key beside another public key", "EdDSA", {**KEY, "d": b64u(counting(32))}, FIGURE, "keyInvalid(d)"),
        ("a private key that is short", "EdDSA", {**KEY, "d": b64u(counting(31))}, FIGURE, "keyInvalid(d)"),
    ):  # fmt: skip
        group.invalid(comment, "KeyPolicy" if "key" in comment else "AlgorithmPolicy", **members(alg, key, text), error=error)
    head, _, tail = FIGURE.rpartition(".")
    for comment, octets in (
        ("last bit flipped", flipped(unb64u(tail))), ("an octet short", unb64u(tail)[:-1]), ("nothing", b""),
    ):  # fmt: skip
        group.invalid(
            f"signature: {comment}", "Damaged", **members("EdDSA", PUBLIC, f"{head}.{b64u(octets)}"), error="signatureInvalid"
        )
    return file
