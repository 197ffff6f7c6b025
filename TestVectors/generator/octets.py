"""Octet strings: encodings, and the small damages that negative tests are made of."""

import base64
import json


def b64u(octets):
    return base64.urlsafe_b64encode(octets).rstrip(b"=").decode()


def unb64u(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def compact(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def flipped(octets, index=-1, mask=1):
    """One bit changed; by default the lowest bit of the last octet."""
    changed = bytearray(octets)
    changed[index] ^= mask
    return bytes(changed)


def length_prefixed(octets):
    return len(octets).to_bytes(4, "big") + octets


def der(tag, *parts):
    """An element: its tag, its length and its contents."""
    contents = b"".join(parts)
    length = len(contents)
    if length < 0x80:
        return bytes([tag, length]) + contents
    octets = length.to_bytes((length.bit_length() + 7) // 8, "big")
    return bytes([tag, 0x80 | len(octets)]) + octets + contents


def counting(length, start=0, step=1):
    return bytes((start + step * index) % 256 for index in range(length))
