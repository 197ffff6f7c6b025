"""Token Status List: what a list says, how it is compressed, and what breaks one rule each."""

import hashlib
import json
import zlib

from .agreement import ALICE
from .envelope import VectorFile
from .octets import b64u, compact
from .tokens import EC_KEY, EC_PUBLIC, jws

NOW = 1_700_000_000
URI = "https://issuer.example.com/statuslists/1"


def random(count, seed):
    return hashlib.shake_256(seed.encode()).digest(count)


def packed(bits, statuses):
    """Statuses from the least significant bits of each octet on."""
    octets = bytearray((len(statuses) * bits + 7) // 8)
    for index, status in enumerate(statuses):
        octets[index * bits // 8] |= status << (index * bits % 8)
    return bytes(octets)


def compressed(octets, level=9, strategy=zlib.Z_DEFAULT_STRATEGY, window=15, dictionary=None):
    options = [level, zlib.DEFLATED, window, 9, strategy]
    writer = zlib.compressobj(*options, dictionary) if dictionary else zlib.compressobj(*options)
    return writer.compress(octets) + writer.flush()


def claim(bits, octets, **further):
    return {"bits": bits, "lst": b64u(octets), **further}


def signed(claims, header=None, key=EC_KEY):
    return jws({"alg": "ES256", "typ": "statuslist+jwt"} | (header or {}), compact(claims).encode(), key)


def file():
    file = VectorFile("status_list.json", "Token Status List", "draft-ietf-oauth-status-list-20", "4 and 5", "Token Status List")
    decode = file.group("StatusListDecode")

    def valid(comment, bits, statuses, octets=None, beyond=(), **options):
        octets = compressed(packed(bits, statuses), **options) if octets is None else octets
        looked = sorted({0, 1, 7, 8, len(statuses) // 2, len(statuses) - 1} & set(range(len(statuses))))
        perOctet = 8 // bits
        end = -(-len(statuses) // perOctet) * perOctet
        decode.valid(
            comment, "Derived", statusList=json.dumps(claim(bits, octets), separators=(",", ":")),
            lookups=[[index, statuses[index]] for index in looked], outOfRange=[end, end + 1, 2**53, *beyond])

    def invalid(comment, status_list, error="claimInvalid"):
        text = status_list if isinstance(status_list, str) else json.dumps(status_list, separators=(",", ":"))
        decode.invalid(comment, "OneRule", statusList=text, error=error)

    for bits in (1, 2, 4, 8):
        for count in (1, 7, 8, 9, 1000):
            statuses = [octet & (1 << bits) - 1 for octet in random(count, f"{bits} {count}")]
            valid(f"{bits} bits, {count} statuses", bits, statuses)
    mixed = [octet & 3 for octet in random(3000, "mixed")]
    for comment, options in (
        ("stored", {"level": 0}),
        ("fixed codes", {"strategy": zlib.Z_FIXED}),
        ("codes without matches", {"strategy": zlib.Z_HUFFMAN_ONLY}),
        ("a window of 256 octets", {"window": 9}),
        ("the fastest", {"level": 1}),
    ):
        valid(comment, 2, mixed, **options)
    valid("a million of which three are revoked", 1, [int(index in (0, 524_288, 999_999)) for index in range(1_000_000)])
    eight = random(64, "eight")
    frame = compressed(eight)
    for comment, octets in (
        ("no frame around the stream", frame[2:-4]),
        ("gzip's frame", compressed(eight, window=31)),
        ("another checksum", frame[:-1] + bytes([frame[-1] ^ 1])),
        ("half a checksum", frame[:-2]),
        ("an octet behind the frame", frame + b"\0"),
        ("a preset dictionary", compressed(eight, dictionary=b"eight")),
        ("a header that is no multiple of 31", bytes([frame[0], frame[1] ^ 1]) + frame[2:]),
        ("another method than DEFLATE", bytes([0x79, 0x18]) + frame[2:]),
        ("a window of 64 KiB", bytes([0x88, 0x98]) + frame[2:]),
        ("nothing compressed", compressed(b"")),
        ("no octets", b""),
        ("a stream that ends too early", frame[:20] + frame[-4:]),
    ):
        invalid(comment, claim(8, octets))
    for comment, status_list in (
        ("3 bits", claim(3, frame)),
        ("0 bits", claim(0, frame)),
        ("16 bits", claim(16, frame)),
        ("bits as a text", claim("1", frame)),
        ("a half bit", claim(1.5, frame)),
        ("no bits", {"lst": b64u(frame)}),
        ("no list", {"bits": 1}),
        ("a list that is no text", {"bits": 1, "lst": [1]}),
        ("padding", {"bits": 8, "lst": b64u(frame) + "="}),
        ("base64 of another alphabet", {"bits": 1, "lst": "eNr+"}),
    ):
        invalid(comment, status_list)
    invalid("17 million octets", claim(1, compressed(bytes(17 << 20))), error="limitExceeded")

    group = file.group("StatusListVerify")
    claims = {"sub": URI, "iat": NOW, "exp": NOW + 600, "ttl": 60, "status_list": claim(8, frame)}

    def members(token):
        return {"token": token, "key": EC_PUBLIC, "uri": URI, "now": NOW}

    lookups = [[index, eight[index]] for index in (0, 1, 63)]
    for comment, changes, header in (
        ("a list's token", {}, {}),
        ("no exp and no ttl", {"exp": None, "ttl": None}, {}),
        ("a ttl with a fraction", {"ttl": 0.5}, {}),
        ("further claims", {"iss": "https://issuer.example.com", "aud": "anyone", "more": [1]}, {}),
        ("typ with application/", {}, {"typ": "application/statuslist+jwt"}),
        ("a place for more lists", {"status_list": claim(8, frame, aggregation_uri="https://issuer.example.com/lists")}, {}),
    ):
        token = {name: value for name, value in (claims | changes).items() if value is not None}
        group.valid(comment, "Derived", **members(signed(token, header)), lookups=lookups)
    for comment, changes, error in (
        ("another URI", {"sub": URI + "0"}, "claimMismatch"),
        ("no sub", {"sub": None}, "claimMissing"),
        ("no iat", {"iat": None}, "claimMissing"),
        ("no list", {"status_list": None}, "claimMissing"),
        ("a list that is no object", {"status_list": "x"}, "claimMissing"),
        ("from the future", {"iat": NOW + 1}, "claimNotYetValid"),
        ("ended", {"exp": NOW}, "claimExpired"),
        ("a ttl of 0", {"ttl": 0}, "claimInvalid"),
        ("a ttl below 0", {"ttl": -1}, "claimInvalid"),
        ("a ttl that is no number", {"ttl": "60"}, "claimInvalid"),
        ("a list that can't be read", {"status_list": claim(3, frame)}, "claimInvalid"),
    ):
        token = {name: value for name, value in (claims | changes).items() if value is not None}
        group.invalid(comment, "OneRule", **members(signed(token)), error=error)
    for comment, token, error in (
        ("another typ", signed(claims, {"typ": "JWT"}), "typeMismatch"),
        ("no typ", jws({"alg": "ES256"}, compact(claims).encode(), EC_KEY), "typeMismatch"),
        ("another key", signed(claims, key=ALICE), "signatureInvalid"),
    ):
        group.invalid(comment, "OneRule", **members(token), error=error)
    return file
