"""Compact JWS and JWE, put together by hand so that every part can be wrong on purpose."""

import hmac

from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from . import p256
from .agreement import KEY_BITS, concat_kdf, other_info
from .octets import b64u, compact, counting, unb64u

# RFC 7515, A.1.
HMAC_KEY = {
    "kty": "oct",
    "k": "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow",
}
# RFC 7515, A.3.
EC_KEY = {
    "kty": "EC",
    "crv": "P-256",
    "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
    "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
    "d": "jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI",
}
EC_PUBLIC = {name: EC_KEY[name] for name in ("kty", "crv", "x", "y")}
# The claims set of RFC 7515, A.1 to A.5, and of RFC 7519, 3.1.
CLAIMS = b'{"iss":"joe",\r\n "exp":1300819380,\r\n "http://example.com/is_root":true}'


def text(header):
    """A header as octets: JSON text stays as it is, anything else is serialized without white space."""
    if isinstance(header, bytes):
        return header
    return (header if isinstance(header, str) else compact(header)).encode()


def signature(key, signing_input):
    if key["kty"] == "oct":
        return hmac.new(unb64u(key["k"]), signing_input, "sha256").digest()
    d, point = p256.private(key)
    r, s = p256.sign(d, signing_input)
    assert p256.verifies(point, signing_input, r, s)
    return p256.raw(r, s)


def jws(header, payload, key):
    signing_input = f"{b64u(text(header))}.{b64u(payload)}"
    return f"{signing_input}.{b64u(signature(key, signing_input.encode()))}"


def parts(token):
    return token.split(".")


def with_part(token, index, value):
    changed = parts(token)
    changed[index] = b64u(value) if isinstance(value, bytes) else value
    return ".".join(changed)


def seal(header, key, plaintext, iv=counting(12), encrypted_key=b""):
    """A compact JWE whose content encryption key is given."""
    protected = b64u(text(header))
    sealed = AESGCM(key).encrypt(iv, plaintext, protected.encode())
    return ".".join([protected, b64u(encrypted_key), b64u(iv), b64u(sealed[:-16]), b64u(sealed[-16:])])


def agreed_key(enc, recipient, ephemeral, apu=b"", apv=b""):
    """The content encryption key of ECDH-ES, from the ephemeral private JWK and the recipient's public one."""
    d, _ = p256.private(ephemeral)
    point = int.from_bytes(unb64u(recipient["x"]), "big"), int.from_bytes(unb64u(recipient["y"]), "big")
    z = p256.shared_secret(d, point)
    return concat_kdf(z, other_info(enc, apu, apv, KEY_BITS[enc]), KEY_BITS[enc])
