"""What both sides of Platform SSO need, written from Apple's text: encodings, party infos, key derivation, JWS and JWE by hand."""

import base64
import hashlib
import json
import os

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature, encode_dss_signature
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer"
SCOPE = "openid offline_access urn:apple:platformsso"
ALPHABET = set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")


class Refused(Exception):
    """A message that breaks a rule."""


def b64u(octets):
    return base64.urlsafe_b64encode(octets).rstrip(b"=").decode()


def unb64u(text):
    if not isinstance(text, str) or not set(text) <= ALPHABET or len(text) % 4 == 1:
        raise Refused("no base64url")
    octets = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    if b64u(octets) != text:
        raise Refused("base64url with bits to spare")
    return octets


def b64(octets):
    return base64.b64encode(octets).decode()


def unb64(text):
    try:
        return base64.b64decode(text, validate=True)
    except (ValueError, TypeError) as error:
        raise Refused("no base64") from error


def unique(pairs):
    names = [name for name, _ in pairs]
    if len(set(names)) != len(names):
        raise Refused("a member twice")
    return dict(pairs)


def parse(octets):
    """One JSON object without duplicate members."""
    try:
        value = json.loads(octets.decode(), object_pairs_hook=unique)
    except (ValueError, RecursionError) as error:
        raise Refused("no JSON") from error
    if not isinstance(value, dict):
        raise Refused("no object")
    return value


def lp(octets):
    return len(octets).to_bytes(4, "big") + octets


def fields(octets):
    """The length-prefixed fields of a party info."""
    found = []
    while octets:
        length = int.from_bytes(octets[:4], "big")
        if len(octets) < 4 + length:
            raise Refused("a length beyond the end")
        found.append(octets[4 : 4 + length])
        octets = octets[4 + length :]
    return found


def point(key):
    return key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


def public_key(octets):
    if len(octets) != 65 or octets[0] != 4:
        raise Refused("no uncompressed point")
    try:
        return ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), octets)
    except ValueError as error:
        raise Refused("not on the curve") from error


def key_id(octets):
    return b64(hashlib.sha256(octets).digest())


def sign(key, header, claims):
    signed = f"{b64u(json.dumps(header).encode())}.{b64u(json.dumps(claims).encode())}"
    r, s = decode_dss_signature(key.sign(signed.encode(), ec.ECDSA(hashes.SHA256())))
    return f"{signed}.{b64u(r.to_bytes(32, 'big') + s.to_bytes(32, 'big'))}"


def header_of(token):
    parts = token.split(".")
    if len(parts) != 3:
        raise Refused("no compact JWS")
    return parse(unb64u(parts[0]))


def verify(token, key):
    head, body, signature = token.split(".")
    octets = unb64u(signature)
    if len(octets) != 64:
        raise Refused("a signature of another length")
    r, s = int.from_bytes(octets[:32], "big"), int.from_bytes(octets[32:], "big")
    try:
        key.verify(encode_dss_signature(r, s), f"{head}.{body}".encode(), ec.ECDSA(hashes.SHA256()))
    except InvalidSignature as error:
        raise Refused("the signature does not verify") from error
    return parse(unb64u(body))


def derive(z, apu, apv):
    return hashlib.sha256(bytes.fromhex("00000001") + z + lp(b"A256GCM") + lp(apu) + lp(apv) + bytes.fromhex("00000100")).digest()


def encrypt(members, recipient, apv, typ, repeats_apv):
    """A JWE with Apple's party infos."""
    ephemeral = ec.generate_private_key(ec.SECP256R1())
    own = point(ephemeral.public_key())
    apu = lp(b"APPLE") + lp(own)
    header = {
        "typ": typ, "alg": "ECDH-ES", "enc": "A256GCM", "apu": b64u(apu),
        "epk": {"kty": "EC", "crv": "P-256", "x": b64u(own[1:33]), "y": b64u(own[33:])},
    }
    if repeats_apv:
        header["apv"] = b64u(apv)
    head = b64u(json.dumps(header).encode())
    iv = os.urandom(12)
    key = derive(ephemeral.exchange(ec.ECDH(), recipient), apu, apv)
    sealed = AESGCM(key).encrypt(iv, json.dumps(members).encode(), head.encode())
    return f"{head}..{b64u(iv)}.{b64u(sealed[:-16])}.{b64u(sealed[-16:])}"


def decrypt(token, key, apv=None):
    """Header and members. With an apv of one's own, the header's is not used."""
    head, encrypted_key, iv, ciphertext, tag = token.split(".")
    header = parse(unb64u(head))
    if encrypted_key or header["alg"] != "ECDH-ES" or header["enc"] != "A256GCM" or "zip" in header:
        raise Refused("another encryption")
    epk = header["epk"]
    own = b"\x04" + unb64u(epk["x"]) + unb64u(epk["y"])
    sender = public_key(own)
    apu = unb64u(header["apu"])
    if fields(apu) != [b"APPLE", own]:
        raise Refused("apu names another key")
    if apv is None:
        apv = unb64u(header["apv"])
    elif "apv" in header and unb64u(header["apv"]) != apv:
        raise Refused("another apv")
    plaintext = AESGCM(derive(key.exchange(ec.ECDH(), sender), apu, apv)).decrypt(
        unb64u(iv), unb64u(ciphertext) + unb64u(tag), head.encode())
    return header, parse(plaintext)
