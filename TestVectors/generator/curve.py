"""P-256: ECDSA (RFC 6979), key agreement (RFC 5903), points and keys (SEC 1, FIPS 186-5)."""

from . import p256
from .envelope import VectorFile
from .octets import counting, flipped
from .p256 import G, N, P, hexed, multiply, negated, octets, point_hex, raw

# RFC 6979, A.2.5: the private key, then per message the nonce and the signature under SHA-256.
RFC_6979_D = 0xC9AFA9D845BA75166B5C215767B1D6934E50C3DB36E89B127B8A622B120F6721
RFC_6979 = {
    b"sample": (
        0xA6E3C57DD01ABE90086538398355DD4C3B17AA873382B0F24D6129493D8AAD60,
        0xEFD48B2AACB6A8FD1140DD9CD45E81D69D2C877B56AAF991C34D0EA84EAF3716,
        0xF7CB1C942D657C41D436C7A1B6E29F65F3E900DBB9AFF4064DC4AB2F843ACDA8,
    ),
    b"test": (
        0xD16B6AE827F17175E040871A1C7EC3500192C4C92677336EC2537ACAEE0008E0,
        0xF1ABB023518351CD71D881567B1EA663ED3EFCF6C5132B354F28D3B0B7D38367,
        0x019F4113742A2B14BD25926B49C649155F267E60D3814B4C0CC84250E46F0083,
    ),
}

# RFC 5903, 8.1: the private keys of initiator and responder, their points, the secret.
RFC_5903_I = 0xC88F01F510D9AC3F70A292DAA2316DE544E9AAB8AFE84049C62A9C57862D1433
RFC_5903_R = 0xC6EF9C5D78AE012A011164ACB397CE2088685D8F06BF9BE0B283AB46476BEE53
RFC_5903_I_POINT = (
    0xDAD0B65394221CF9B051E1FECA5787D098DFE637FC90B9EF945D0C3772581180,
    0x5271A0461CDB8252D61F1C456FA3E59AB1F45B33ACCF5F58389E0577B8990BB3,
)
RFC_5903_R_POINT = (
    0xD12DFB5289C8D4F81208B70270398C342296970A0BCCB74C736FC7554494BF63,
    0x56FBF3CA366CC23E8157854C13C58D6AAC23F046ADA30F8353E74F33039872AB,
)
RFC_5903_SECRET = 0xD6840F6B42F6EDAFD13116E0E12565202FEF8E9ECE7DCE03812464D04B9442DE

# Scalars at which window recodings, ladders and final reductions meet their borders.
SCALARS = [
    *range(1, 18), 31, 32, 33, 63, 64, 65, 2**64 - 1, 2**64, 2**128 - 1, 2**128, 2**192, 2**255, 2**255 - 1,
    (N - 1) // 2, (N + 1) // 2, N - 17, N - 16, N - 3, N - 2, N - 1,
    int("55" * 32, 16), int("aa" * 32, 16), int("0f" * 32, 16), int("10" * 32, 16),
]  # fmt: skip


def integer(number):
    """A DER INTEGER: minimal, with a zero octet in front where the highest bit is set."""
    content = number.to_bytes(number.bit_length() // 8 + 1, "big")
    return b"\x02" + bytes([len(content)]) + content


def sequence(content):
    return b"\x30" + bytes([len(content)]) + content


def der(r, s):
    return sequence(integer(r) + integer(s))


def x_above_order():
    """A point whose abscissa is at least n, so that r = x mod n differs from x."""
    x = N
    while p256.lifted(x) is None:
        x += 1
    return p256.lifted(x)


def ecdsa():
    file = VectorFile("ecdsa_p256.json", "ECDSA", "RFC 6979; FIPS 186-5", "A.2.5; 6.4", "ECDSA on P-256 with SHA-256")
    d = RFC_6979_D
    point = multiply(d)
    key = point_hex(point)
    deterministic = file.group("EcdsaDeterministicSign", curve="P-256", sha="SHA-256", key={"d": hexed(d), **key})
    with_nonce = file.group("EcdsaSignWithK", curve="P-256", sha="SHA-256")
    fixed = file.group("EcdsaP1363Verify", curve="P-256", sha="SHA-256", key=key)
    other = file.group("EcdsaP1363Verify", curve="P-256", sha="SHA-256")
    encoded = file.group("EcdsaVerify", curve="P-256", sha="SHA-256", key=key)

    for message, (k, r, s) in RFC_6979.items():
        assert p256.sign_with_nonce(d, k, message) == (r, s) == p256.sign(d, message)
        name = f'"{message.decode()}"'
        signature = {"msg": message.hex(), "k": hexed(k), "sig": raw(r, s).hex()}
        deterministic.valid(name, "Figure", r=hexed(r), s=hexed(s), **signature)
        with_nonce.valid(name, "Figure", d=hexed(d), **key, **signature)
        fixed.valid(name, "Figure", msg=message.hex(), sig=raw(r, s).hex())
        encoded.valid(name, "Derived", msg=message.hex(), sig=der(r, s).hex())

    for comment, d_edge, k in (("d = 1, k = 1", 1, 1), ("d = n - 1, k = n - 1", N - 1, N - 1), ("k = 2", d, 2)):
        r, s = p256.sign_with_nonce(d_edge, k, b"sample")
        with_nonce.valid(
            comment, "Derived", "EdgeCase", d=hexed(d_edge), **point_hex(multiply(d_edge)), msg=b"sample".hex(),
            k=hexed(k), sig=raw(r, s).hex(),
        )

    message = b"sample"
    _, r, s = RFC_6979[message]
    test = {"msg": message.hex()}
    fixed.valid("s and n - s verify alike", "Derived", **test, sig=raw(r, N - s).hex())
    for comment, sig, flags in (
        ("lowest bit of r flipped", flipped(raw(r, s), 31), ["Damaged"]),
        ("highest bit of r flipped", flipped(raw(r, s), 0, 128), ["Damaged"]),
        ("lowest bit of s flipped", flipped(raw(r, s)), ["Damaged"]),
        ("highest bit of s flipped", flipped(raw(r, s), 32, 128), ["Damaged"]),
        ("r and s exchanged", raw(s, r), ["Damaged"]),
        ("n - r in place of r", raw(N - r, s), ["Damaged"]),
        ("r = 0", raw(0, s), ["BadRange"]),
        ("s = 0", raw(r, 0), ["BadRange"]),
        ("r = s = 0", raw(0, 0), ["BadRange"]),
        ("r = n", raw(N, s), ["BadRange"]),
        ("s = n", raw(r, N), ["BadRange"]),
        ("r = n, s = 0", raw(N, 0), ["BadRange"]),
        ("r = s = n", raw(N, N), ["BadRange"]),
        ("r = p", raw(P, s), ["BadRange"]),
        ("r = 2^256 - 1", raw(2**256 - 1, s), ["BadRange"]),
        ("s = 2^256 - 1", raw(r, 2**256 - 1), ["BadRange"]),
        ("r = s = 1", raw(1, 1), ["Damaged"]),
        ("no octets", b"", ["BadLength"]),
        ("63 octets", raw(r, s)[:-1], ["BadLength"]),
        ("65 octets, a zero after s", raw(r, s) + b"\0", ["BadLength"]),
        ("65 octets, a zero before r", b"\0" + raw(r, s), ["BadLength"]),
        ("66 octets, a zero before each", b"\0" + octets(r) + b"\0" + octets(s), ["BadLength"]),
        ("DER in place of r and s", der(r, s), ["BadEncoding"]),
    ):
        fixed.invalid(comment, *flags, **test, sig=sig.hex())
    fixed.invalid("another message", "Damaged", msg=b"samplf".hex(), sig=raw(r, s).hex())
    fixed.invalid("the message's digest in its place", "Damaged", msg=hexed(p256.digest(message)), sig=raw(r, s).hex())

    signature = raw(r, s).hex()
    other.invalid("key of another pair", "WrongKey", key=point_hex(multiply(d + 1)), **test, sig=signature)
    other.invalid("negated key", "WrongKey", key=point_hex(negated(point)), **test, sig=signature)
    for comment, d_edge in (("key G", 1), ("key -G", N - 1), ("key 2G", 2)):
        sig = raw(*p256.sign(d_edge, message)).hex()
        other.valid(comment, "Derived", "EdgeCase", key=point_hex(multiply(d_edge)), **test, sig=sig)
    # For a chosen R and s the key that verifies (r, s) is Q = r⁻¹(s·R − e·G).
    big = x_above_order()
    r_big, s_big = big[0] - N, 3
    inverse = pow(r_big, -1, N) if r_big else None
    assert inverse is not None
    key_big = p256.add(multiply(s_big * inverse % N, big), multiply(-p256.digest(message) * inverse % N))
    assert p256.verifies(key_big, message, r_big, s_big)
    other.valid(
        "x of R is above n", "Derived", "EdgeCase", key=point_hex(key_big), **test, sig=raw(r_big, s_big).hex()
    )
    other.invalid(
        "x of R is above n and not reduced in the signature", "BadRange", key=point_hex(key_big), **test,
        sig=raw(big[0], s_big).hex(),
    )
    # e·G + r·Q = infinity: then u1·G + u2·Q is infinity as well, whatever s is.
    r_infinity = 5
    key_infinity = multiply(-p256.digest(message) * pow(r_infinity, -1, N) % N)
    other.invalid(
        "u1·G + u2·Q is the point at infinity", "EdgeCase", key=point_hex(key_infinity), **test,
        sig=raw(r_infinity, 7).hex(),
    )
    # u1·G = u2·Q: the sum is a doubling.
    e = p256.digest(message)
    doubled = multiply(2)
    r_double = doubled[0] % N
    key_double = multiply(e * pow(r_double, -1, N) % N)
    assert p256.verifies(key_double, message, r_double, e)
    other.valid(
        "u1·G equals u2·Q", "Derived", "EdgeCase", key=point_hex(key_double), **test, sig=raw(r_double, e).hex()
    )

    long_r, good = integer(r), integer(r) + integer(s)
    for comment, sig in (
        ("an octet after the sequence", der(r, s) + b"\0"),
        ("an octet after s, inside the sequence", sequence(good + b"\0")),
        ("a third integer", sequence(good + integer(1))),
        ("s missing", sequence(integer(r))),
        ("last octet missing", der(r, s)[:-1]),
        ("no octets", b""),
        ("empty sequence", sequence(b"")),
        ("length of the sequence one too small", b"\x30" + bytes([len(good) - 1]) + good),
        ("length of the sequence one too large", b"\x30" + bytes([len(good) + 1]) + good),
        ("length in the long form", b"\x30\x81" + bytes([len(good)]) + good),
        ("indefinite length", b"\x30\x80" + good + b"\0\0"),
        ("set in place of the sequence", b"\x31" + der(r, s)[1:]),
        ("octet string in place of r", sequence(b"\x04" + long_r[1:] + integer(s))),
        ("r negative: its zero octet left out", sequence(b"\x02\x20" + octets(r) + integer(s))),
        ("r with a zero octet too many", sequence(b"\x02\x22\x00\x00" + octets(r) + integer(s))),
        ("r without content", sequence(b"\x02\x00" + integer(s))),
        ("length of r in the long form", sequence(b"\x02\x81\x21\x00" + octets(r) + integer(s))),
        ("length of r beyond the end", sequence(b"\x02\x7f" + long_r[2:] + integer(s))),
        ("length of r of eight octets", sequence(b"\x02\x88" + b"\xff" * 8 + long_r[2:] + integer(s))),
        ("r and s without DER", raw(r, s)),
        ("r = 0", der(0, s)),
        ("s = 0", der(r, 0)),
        ("r + n", der(r + N, s)),
        ("s + n", der(r, s + N)),
        ("r + 2^256", der(r + 2**256, s)),
        ("s bit flipped", der(r, s ^ 1)),
    ):
        encoded.invalid(comment, "BadEncoding" if "flipped" not in comment else "Damaged", **test, sig=sig.hex())
    small = multiply(d)
    # The nonces were searched so that r or s fits in 31 octets: shorter integers in DER, zeros in front in raw form.
    for comment, k in short_nonces(d, message).items():
        r_short, s_short = p256.sign_with_nonce(d, k, message)
        assert p256.verifies(small, message, r_short, s_short)
        fixed.valid(comment, "Derived", "EdgeCase", **test, sig=raw(r_short, s_short).hex())
        encoded.valid(comment, "Derived", "EdgeCase", **test, sig=der(r_short, s_short).hex())
    return file


def short_nonces(d, message):
    """The first nonces from 1 whose r, and whose s, begin with a zero octet."""
    found, point, k = {}, None, 0
    e = p256.digest(message)
    while len(found) < 2:
        k, point = k + 1, p256.add(point, G)
        r = point[0] % N
        if r >> 248 == 0:
            found.setdefault("r begins with a zero octet", k)
        elif pow(k, -1, N) * (e + r * d) % N >> 248 == 0:
            found.setdefault("s begins with a zero octet", k)
    return found


def ecdh():
    file = VectorFile("ecdh_p256.json", "ECDH", "RFC 5903", "8.1", "key agreement on P-256")
    group = file.group("EcdhTest", curve="P-256")
    i, r = RFC_5903_I, RFC_5903_R
    i_point, r_point = multiply(i), multiply(r)
    assert (i_point, r_point) == (RFC_5903_I_POINT, RFC_5903_R_POINT)
    assert p256.shared_secret(i, r_point) == octets(RFC_5903_SECRET) == p256.shared_secret(r, i_point)

    def valid(comment, flags, d, point, secret):
        group.valid(
            comment, *flags, private=hexed(d), ownPublic=point_hex(multiply(d)), public=point_hex(point),
            shared=secret.hex(),
        )

    valid("initiator", ["Figure"], i, r_point, octets(RFC_5903_SECRET))
    valid("responder", ["Figure"], r, i_point, octets(RFC_5903_SECRET))
    edge = ["Derived", "EdgeCase"]
    for comment, d, point in (
        ("private key 1", 1, r_point),
        ("private key 2", 2, r_point),
        ("private key n - 1", N - 1, r_point),
        ("private key n - 2", N - 2, r_point),
        ("private key 2^255", 2**255, r_point),
        ("negated public key", i, negated(r_point)),
        ("own public key", i, i_point),
        ("own public key, negated", i, negated(i_point)),
        ("public key G", i, G),
        ("public key -G", i, negated(G)),
        ("public key with x = 0", i, p256.lifted(0)),
        ("public key with x above n", i, x_above_order()),
    ):
        valid(comment, edge, d, point, p256.shared_secret(d, point))
    d = i
    while p256.shared_secret(d, r_point)[0] != 0:
        d += 1
    valid("secret begins with a zero octet", edge, d, r_point, p256.shared_secret(d, r_point))

    x, y = r_point
    low = next(p256.lifted(x) for x in range(1, 100) if p256.lifted(x))
    for comment, flag, d, point in (
        ("y with its lowest bit flipped", "InvalidPoint", i, (x, y ^ 1)),
        ("x with its lowest bit flipped", "InvalidPoint", i, (x ^ 1, y)),
        ("x and y exchanged", "InvalidPoint", i, (y, x)),
        ("point (0, 0)", "InvalidPoint", i, (0, 0)),
        ("point (1, 1)", "InvalidPoint", i, (1, 1)),
        ("x = p", "BadRange", i, (P, p256.lifted(0)[1])),
        ("x + p for a small x", "BadRange", i, (low[0] + P, low[1])),
        ("y = 2^256 - 1", "BadRange", i, (x, 2**256 - 1)),
        ("private key 0", "BadRange", 0, r_point),
        ("private key n", "BadRange", N, r_point),
        ("private key n + 1", "BadRange", N + 1, r_point),
        ("private key 2^256 - 1", "BadRange", 2**256 - 1, r_point),
    ):
        group.invalid(comment, flag, private=hexed(d), public=point_hex(point), shared="")
    return file


def keys():
    file = VectorFile("p256_keys.json", "EC keys", "FIPS 186-5; SEC 1", "A.2; 2.3", "P-256 key pairs, points and encodings")
    pairs = file.group("EcKeyPair", curve="P-256")
    for d in SCALARS:
        edge = "d = n - " + str(N - d) if N - d < 100 else f"d = {d:#x}"
        pairs.valid(edge, "Derived", "EdgeCase", d=hexed(d), **point_hex(multiply(d)))
    for comment, d in (("RFC 6979 A.2.5", RFC_6979_D), ("RFC 5903 8.1, initiator", RFC_5903_I)):
        pairs.valid(comment, "Figure", d=hexed(d), **point_hex(multiply(d)))
    for comment, d in (("d = 0", 0), ("d = n", N), ("d = n + 1", N + 1), ("d = 2^256 - 1", 2**256 - 1)):
        pairs.invalid(comment, "BadRange", d=hexed(d), **point_hex(G))
    pairs.invalid("a point that is not d·G", "WrongKey", d=hexed(2), **point_hex(multiply(3)))
    pairs.invalid("the point -d·G", "WrongKey", d=hexed(2), **point_hex(negated(multiply(2))))

    public = file.group("EcPublicKey", curve="P-256")
    point = multiply(RFC_6979_D)
    low = next(p256.lifted(x) for x in range(1, 100) if p256.lifted(x))
    for comment, valid in (
        ("G", G), ("-G", negated(G)), ("2G", multiply(2)), ("RFC 6979 A.2.5", point), ("x = 0", p256.lifted(0)),
        ("smallest x above 0", low), ("x above n", x_above_order()),
    ):  # fmt: skip
        public.valid(comment, "Derived", "EdgeCase", **point_hex(valid))
    for comment, flag, (x, y) in (
        ("(0, 0)", "InvalidPoint", (0, 0)),
        ("(0, 1)", "InvalidPoint", (0, 1)),
        ("y + 1", "InvalidPoint", (point[0], point[1] + 1)),
        ("x + 1", "InvalidPoint", (point[0] + 1, point[1])),
        ("x and y exchanged", "InvalidPoint", (point[1], point[0])),
        ("x = p, y of x = 0", "BadRange", (P, p256.lifted(0)[1])),
        ("x + p for a small x", "BadRange", (low[0] + P, low[1])),
        ("all bits set", "BadRange", (2**256 - 1, 2**256 - 1)),
    ):
        assert not p256.is_on_curve((x, y))
        public.invalid(comment, flag, **point_hex((x, y)))

    encodings = file.group("EcPointEncoding", curve="P-256")
    for comment, (x, y) in (
        ("even y", multiply(RFC_5903_I) if RFC_5903_I_POINT[1] % 2 == 0 else negated(RFC_5903_I_POINT)),
        ("odd y", RFC_5903_R_POINT),
        ("G", G),
        ("x = 0", p256.lifted(0)),
        ("x above n", x_above_order()),
    ):
        compressed = bytes([2 + y % 2]) + octets(x)
        uncompressed = p256.uncompressed((x, y))
        encodings.valid(f"{comment}, compressed", "Derived", encoded=compressed.hex(), **point_hex((x, y)))
        encodings.valid(f"{comment}, uncompressed", "Derived", encoded=uncompressed.hex(), **point_hex((x, y)))
    x, y = RFC_5903_R_POINT
    without = next(x for x in range(1, 100) if p256.lifted(x) is None)
    for comment, encoded in (
        ("no octets", b""),
        ("point at infinity", b"\0"),
        ("65 octets of zero", b"\0" * 65),
        ("tag 04 alone", b"\x04"),
        ("tag 02 alone", b"\x02"),
        ("hybrid form", bytes([6 + y % 2]) + octets(x) + octets(y)),
        ("tag 01", b"\x01" + octets(x) + octets(y)),
        ("tag 05 compressed", b"\x05" + octets(x)),
        ("without a tag", octets(x) + octets(y)),
        ("last octet missing", p256.uncompressed((x, y))[:-1]),
        ("an octet too many", p256.uncompressed((x, y)) + b"\0"),
        ("compressed, last octet missing", b"\x02" + octets(x)[:-1]),
        ("compressed, an octet too many", b"\x02" + octets(x) + b"\0"),
        ("compressed tag on two coordinates", b"\x02" + octets(x) + octets(y)),
        ("uncompressed tag on one coordinate", b"\x04" + octets(x)),
        ("compressed, x without a point", b"\x02" + octets(without)),
        ("compressed, x = p", b"\x02" + octets(P)),
        ("compressed, x = 2^256 - 1", b"\x03" + b"\xff" * 32),
        ("uncompressed, not on the curve", b"\x04" + octets(x) + octets(y ^ 1)),
        ("uncompressed, x + p for a small x", b"\x04" + octets(low[0] + P) + octets(low[1])),
    ):
        encodings.invalid(comment, "BadEncoding", encoded=encoded.hex())
    return file
