"""Platform SSO: Apple's two worked examples of the key derivation, and messages with invented data.

The invented messages use private keys and initialization vectors that are hashes of labels, so that anybody can make
them again; the data of people, devices and identity providers are fictitious.
"""

import base64
import hashlib
import json

from . import p256
from .agreement import agreement, kdf_test
from .envelope import VectorFile
from .octets import b64u, compact, flipped, length_prefixed, unb64u
from .tokens import agreed_key, jws, parts, seal, with_part

IAT, EXP = 1_767_225_600, 1_767_225_900
IDP, TOKEN_URL = "https://idp.example.com", "https://idp.example.com/psso/token"
CLIENT = "psso-client"
USER = "jane@example.com"
SCOPE = "openid offline_access urn:apple:platformsso"
NONCE = "0F3A5C7E-1B2D-4E6F-8A9B-0C1D2E3F4A5B"
CONTEXT = b64u(b"opaque-key-context-1")
# A self-signed certificate of the key `idp-unlock`, valid in 2026.
CERTIFICATE = (
    "MIIBXDCCAQOgAwIBAgIBATAKBggqhkjOPQQDAjAuMSwwKgYDVQQDDCNQbGF0Zm9ybSBTU08gdW5sb2NrIGtleSAoc3ludGhldGljKTAeFw0yNjAx"
    "MDEwMDAwMDBaFw0yNzAxMDEwMDAwMDBaMC4xLDAqBgNVBAMMI1BsYXRmb3JtIFNTTyB1bmxvY2sga2V5IChzeW50aGV0aWMpMFkwEwYHKoZIzj0C"
    "AQYIKoZIzj0DAQcDQgAEjln4A2cyjvQR179LaRmAAsu5rhFVTFl71DlhVfcrLvZ1ufuMjd5xByeFQKCzZY3eELYOt2p2cnQfMvFswBkOO6MSMBAw"
    "DgYDVR0PAQH_BAQDAgMIMAoGCCqGSM49BAMCA0cAMEQCIFiLcTQQBJpN1TQ-QQcHibHKap66KdjSC_1X1HI5dKJvAiBv-fDSUAW_lsvKz6XxIfDT"
    "rsUUqx489-jAestmNsK7zQ"
)

# Apple: Creating a JWE login response.
EXAMPLE_A = {
    "z": "3491708c92422bb807edf2b8183a42737c5daa6c39ba9535321d51c836d7ada1",
    "apu": "AAAABUFQUExFAAAAQQQGQUdFhCiV6rf0umUaqVyawR2fDrjDTBtxscASOszinI2zqFmW4AxUxHy2tTv-2bict0fHdlwMNAh1lCpiS7G1",
    "apv": "AAAABUFwcGxlAAAAQQSZwnKvYGpRAeWxxoahZPD_hA3ENSojWVHXWQJEDMsmST_5i7WSqDDAtxvD7UZXis5tXOQ9Gnz2V_-tbO9Ase-SAAAA"
    "JEI3RjFGQzMyLTkxMjEtNEUyQS05RTMyLTg0MTdFMDM2NzVERA",
    "derivedKey": "a146e4a23bda2e53826c04d2f442bcfbd87bc2719d74b8a7da00af976267712e",
}
# Apple: Performing encryption verification.
EXAMPLE_B = {
    "device": {
        "kty": "EC",
        "crv": "P-256",
        "x": "TvkPOH4yscrSC1rFYvnBVPYMqzR1vKck9ht4D7K_gAQ",
        "y": "4MlSuUf_7J6Ljv0FBT1jK0_sKGB4WYwdKCOtnTEAwz4",
        "d": "1bqqmpoFEtzSnQMqp9N9ZRybnP8vjFUiZyGaSgKVGMw",
    },
    "ephemeral": {
        "kty": "EC",
        "crv": "P-256",
        "x": "VIXdgu3x0eLgEVtROZ5YQ4GUS8WZQT-3HPqX2FPoY4I",
        "y": "erf9nEkEC8SiuwP-7f7udD7CnX5KEauVIfBPoqnmlYo",
        "d": "okDfU7IYlFXoEKgqu-79iy-AR55omCKzVKlFCXy8z5c",
    },
    "nonce": "DDF68171-409D-4E2C-91F0-9E42D7745365",
    "apu": "AAAABUFQUExFAAAAQQRUhd2C7fHR4uARW1E5nlhDgZRLxZlBP7cc-pfYU-hjgnq3_ZxJBAvEorsD_u3-7nQ-wp1-ShGrlSHwT6Kp5pWK",
    "apv": "AAAABUFwcGxlAAAAQQRO-Q84fjKxytILWsVi-cFU9gyrNHW8pyT2G3gPsr-ABODJUrlH_-yei479BQU9YytP7ChgeFmMHSgjrZ0xAMM-AAAA"
    "JERERjY4MTcxLTQwOUQtNEUyQy05MUYwLTlFNDJENzc0NTM2NQ",
    "z": "2fcef2c260f768ba55957b2a02fabbb9dcabe2ce8cd32f4c8d00b2b44ef57a90",
    "derivedKey": "921dfab964861f6e6bd3d94b7f79b99774cb4b9c4a02cfa1dd409d6d32a17826",
}


def label_hash(label):
    return hashlib.sha256(f"psso-vector/{label}".encode()).digest()


def key(name, **more):
    d = int.from_bytes(label_hash(name), "big")
    return p256.jwk(p256.multiply(d), d, **more)


def public(jwk):
    return {name: value for name, value in jwk.items() if name != "d"}


def x963(jwk):
    return b"\x04" + unb64u(jwk["x"]) + unb64u(jwk["y"])


def key_identifier(jwk):
    return base64.b64encode(hashlib.sha256(x963(jwk)).digest()).decode()


def party(prefix, jwk, *rest):
    return b"".join(length_prefixed(item) for item in (prefix, x963(jwk), *rest))


def party_u(ephemeral):
    return party(b"APPLE", ephemeral)


def party_v(device, nonce):
    return party(b"Apple", device, nonce.encode())


def file():
    file = VectorFile(
        "platform_sso.json", "Platform SSO",
        "Apple: Creating a JWE login response; Performing encryption verification", "worked examples",
        "Platform SSO key derivation and messages",
    )  # fmt: skip
    device_signing, device = key("device-signing"), key("device-encryption")
    user, idp_encryption, idp_signing = key("user-secure-enclave"), key("idp-login-encryption"), key("idp-token-signing")
    apv = party_v(device, NONCE)

    derivations(file, device, apv)

    def jwe_crypto(nonce):
        return {"enc": "A256GCM", "alg": "ECDH-ES", "apv": b64u(party_v(device, nonce))}

    def header(typ, signer):
        return {"typ": f"platformsso-{typ}+jwt", "alg": "ES256", "kid": key_identifier(signer)}

    def sealed(typ, recipient, ephemeral, agreed_apv, label, plaintext, **more):
        apu = party_u(ephemeral)
        protected = {
            "alg": "ECDH-ES", "enc": "A256GCM", "typ": f"platformsso-{typ}+jwt", "epk": public(ephemeral),
            "apu": b64u(apu), **more,
        }  # fmt: skip
        agreed = agreed_key("A256GCM", recipient, ephemeral, apu, agreed_apv)
        return seal(protected, agreed, plaintext, iv=label_hash(f"iv/{label}")[:12])

    # The messages. The first is written as macOS writes it, the others without white space.
    crypto = jwe_crypto(NONCE)
    login = {
        "client_id": CLIENT, "iss": CLIENT, "iat": IAT, "exp": EXP, "scope": SCOPE, "nonce": NONCE,
        "request_nonce": "3q2-7wAAexampleServerNonce01", "aud": TOKEN_URL, "username": USER, "sub": USER,
        "jwe_crypto": crypto,
    }  # fmt: skip
    password = {**login, "grant_type": "password", "password": "correct horse"}
    s1 = jws(pretty(header("login-request", device_signing)), pretty(password).encode(), device_signing)
    inner = {
        "iss": USER, "sub": USER, "aud": IDP, "iat": IAT, "exp": EXP, "nonce": NONCE,
        "request_nonce": "3q2-7wAAexampleServerNonce01", "scope": SCOPE,
    }  # fmt: skip
    s2i = jws(header("login-assertion", user), compact(inner).encode(), user)
    bearer = {**login, "grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer"}
    s2_claims = {**bearer, "assertion": s2i}
    s2 = jws(header("login-request", device_signing), compact(s2_claims).encode(), device_signing)
    s3i_apv = party(b"EXAMPLE", idp_encryption, b"3q2-7wAAexampleServerNonce01")
    s3i_plaintext = compact({**inner, "password": "correct horse"}).encode()
    s3i = sealed(
        "encrypted-login-assertion", idp_encryption, key("epk-embedded-assertion"), s3i_apv, "S3", s3i_plaintext,
        apv=b64u(s3i_apv), kid=key_identifier(idp_encryption),
    )  # fmt: skip
    s3_claims = {**bearer, "assertion": s3i}
    s3 = jws(header("login-request", device_signing), compact(s3_claims).encode(), device_signing)
    id_claims = {
        "iss": IDP, "aud": CLIENT, "sub": "5b1f8c3e-jane", "preferred_username": USER, "name": "Jane Example",
        "nonce": NONCE, "iat": IAT, "exp": 1_767_254_400, "groups": ["staff"],
    }  # fmt: skip
    s4i = jws({"typ": "JWT", "alg": "ES256", "kid": "idp-es256-1"}, compact(id_claims).encode(), idp_signing)
    response = {
        "id_token": s4i, "refresh_token": "rt-000001", "refresh_token_expires_in": 28800, "expires_in": 28800,
        "token_type": "Bearer",
    }  # fmt: skip
    s4_plaintext = compact(response).encode()
    s4 = sealed("login-response", device, key("epk-login-response"), apv, "S4", s4_plaintext)
    s5_nonce = "1A2B3C4D-5E6F-4A1B-9C2D-3E4F5A6B7C8D"
    s5_claims = {
        "client_id": CLIENT, "iss": CLIENT, "iat": 1_767_240_000, "exp": 1_767_240_300, "scope": SCOPE,
        "nonce": s5_nonce, "request_nonce": "3q2-7wAAexampleServerNonce02", "aud": TOKEN_URL,
        "grant_type": "refresh_token", "refresh_token": "rt-000001", "jwe_crypto": jwe_crypto(s5_nonce),
    }  # fmt: skip
    s5 = jws(header("refresh-request", device_signing), compact(s5_claims).encode(), device_signing)

    def key_claims(kind, nonce, server_nonce):
        return {
            "version": "1.0", "request_type": kind, "key_purpose": "user_unlock", "iss": CLIENT, "aud": IDP, "iat": IAT,
            "exp": EXP, "nonce": nonce, "request_nonce": server_nonce, "username": USER, "sub": USER,
            "refresh_token": "rt-000001", "jwe_crypto": jwe_crypto(nonce),
        }  # fmt: skip

    s6_nonce, s7_nonce = "2B3C4D5E-6F70-4B2C-8D3E-4F5A6B7C8D9E", "3C4D5E6F-7081-4C3D-9E4F-5A6B7C8D9EAF"
    s6_claims = key_claims("key_request", s6_nonce, "3q2-7wAAexampleServerNonce03")
    s6 = jws(header("key-request", device_signing), compact(s6_claims).encode(), device_signing)
    s6r_plaintext = compact({"certificate": CERTIFICATE, "iat": IAT, "exp": EXP, "key_context": CONTEXT}).encode()
    s6r_apv = party_v(device, s6_nonce)
    s6r = sealed("key-response", device, key("epk-key-response"), s6r_apv, "S6", s6r_plaintext)
    peer = key("peer-exchange")
    s7_claims = {
        **key_claims("key_exchange", s7_nonce, "3q2-7wAAexampleServerNonce04"),
        "other_publickey": base64.b64encode(x963(peer)).decode(), "key_context": CONTEXT,
    }  # fmt: skip
    s7 = jws(header("key-request", device_signing), compact(s7_claims).encode(), device_signing)
    exchanged = p256.shared_secret(p256.private(key("idp-unlock"))[0], p256.private(peer)[1])
    s7r_plaintext = compact(
        {"key": base64.b64encode(exchanged).decode(), "key_context": CONTEXT, "iat": IAT, "exp": EXP}
    ).encode()
    s7r_apv = party_v(device, s7_nonce)
    s7r = sealed("key-response", device, key("epk-exchange-response"), s7r_apv, "S7", s7r_plaintext)

    requests(
        file,
        {
            "login request with a password": (s1, password, device_signing, TOKEN_URL, CLIENT),
            "embedded assertion": (s2i, inner, user, IDP, USER),
            "login request with an embedded assertion": (s2, s2_claims, device_signing, TOKEN_URL, CLIENT),
            "login request with an encrypted assertion": (s3, s3_claims, device_signing, TOKEN_URL, CLIENT),
            "refresh request": (s5, s5_claims, device_signing, TOKEN_URL, CLIENT),
            "key request": (s6, s6_claims, device_signing, IDP, CLIENT),
            "key exchange request": (s7, s7_claims, device_signing, IDP, CLIENT),
            "id_token": (s4i, id_claims, idp_signing, CLIENT, IDP),
        },
        {"device": {**public(device_signing), "kid": key_identifier(device_signing)},
         "idp": {**public(idp_signing), "kid": "idp-es256-1"}},
    )  # fmt: skip
    responses(file, s3i, s3i_plaintext, idp_encryption, device, {
        "login response": (s4, s4_plaintext, apv),
        "key response": (s6r, s6r_plaintext, s6r_apv),
        "key exchange response": (s7r, s7r_plaintext, s7r_apv),
    })  # fmt: skip
    return file


def pretty(value):
    """JSON as macOS writes it: members in alphabetical order, a space before the colon, slashes as they are."""
    return json.dumps(value, indent=2, separators=(",", " : "), sort_keys=True)


def derivations(file, device, apv):
    group = file.group("ConcatKdf", sha="SHA-256")
    test = kdf_test("A256GCM", bytes.fromhex(EXAMPLE_A["z"]), unb64u(EXAMPLE_A["apu"]), unb64u(EXAMPLE_A["apv"]), 256)
    assert test["derivedKey"] == EXAMPLE_A["derivedKey"]
    group.valid("Creating a JWE login response", "Figure", **test)

    group, z = agreement(file, EXAMPLE_B["device"], EXAMPLE_B["ephemeral"])
    assert z.hex() == EXAMPLE_B["z"]
    assert party_u(EXAMPLE_B["ephemeral"]) == unb64u(EXAMPLE_B["apu"])
    assert party_v(EXAMPLE_B["device"], EXAMPLE_B["nonce"]) == unb64u(EXAMPLE_B["apv"])
    test = kdf_test("A256GCM", z, unb64u(EXAMPLE_B["apu"]), unb64u(EXAMPLE_B["apv"]), 256)
    assert test["derivedKey"] == EXAMPLE_B["derivedKey"]
    group.valid("Performing encryption verification", "Figure", alg="ECDH-ES", enc="A256GCM", **test)

    # Ephemeral keys whose x, whose y, and one whose shared secret begins with a zero octet.
    for comment, label in (("x of epk", "edge-epk-372"), ("y of epk", "edge-epk-281"), ("secret", "edge-epk-227")):
        group, z = agreement(file, device, key(label))
        point = p256.private(key(label))[1]
        assert 0 in ({"x of epk": p256.octets(point[0]), "y of epk": p256.octets(point[1]), "secret": z}[comment][:1])
        test = kdf_test("A256GCM", z, party_u(key(label)), apv, 256)
        group.valid(f"{comment} begins with a zero octet", "Derived", "EdgeCase", alg="ECDH-ES", enc="A256GCM", **test)


def requests(file, messages, keys):
    group = file.group("JwtVerify")
    for name, (token, claims, signer, audience, issuer) in messages.items():
        typ = json.loads(unb64u(parts(token)[0]))["typ"]
        trusted = {**public(signer), "alg": "ES256"}

        def test(token=token, trusted=trusted, **changes):
            policy = {"now": claims["iat"] + 10, "issuer": issuer, "audience": audience, "typ": typ, **changes}
            return {"serialization": "compact", "algs": ["ES256"], "key": trusted, "jwt": policy, "token": token}

        group.valid(name, "Derived", "Claim", **test(), claims=claims)
        if name not in ("refresh request", "id_token"):
            continue
        header, payload, signature = (unb64u(part) for part in parts(token))
        for comment, part, octets in (("header", 0, header), ("payload", 1, payload), ("signature", 2, signature)):
            damaged = with_part(token, part, flipped(octets, 20))
            group.invalid(f"{name}: a bit of the {comment} flipped", "Damaged", **test(damaged))
        group.invalid(
            f"{name}: another key", "WrongKey", **test(trusted=public(key("device-encryption"))), error="signatureInvalid"
        )
        for comment, error, changes in (
            ("expired", "claimExpired", {"now": claims["exp"]}),
            ("another audience", "claimMismatch(aud)", {"audience": audience + "/"}),
            ("another issuer", "claimMismatch(iss)", {"issuer": issuer.upper()}),
            ("another type", "typeMismatch", {"typ": "platformsso-key-request+jwt"}),
            ("the type of a login request", "typeMismatch", {"typ": "platformsso-login-request+jwt"}),
        ):
            group.invalid(f"{name}: {comment}", "Claim", **test(**changes), error=error)
    sets = file.group("JwsVerify")
    for kid in keys:
        name, signer = ("refresh request", "device") if kid == "device" else ("id_token", "idp")
        token = messages[name][0]
        sets.valid(
            f"{name}: kid finds the key of the {signer}", "Derived", serialization="compact", algs=["ES256"],
            jwks={"keys": list(keys.values())}, token=token, payload=unb64u(parts(token)[1]).hex(),
        )  # fmt: skip
        others = [other for other_kid, other in keys.items() if other_kid != kid]
        sets.invalid(
            f"{name}: kid is not in the set", "KeyPolicy", serialization="compact", algs=["ES256"],
            jwks={"keys": others}, token=token, error="keyNotFound",
        )  # fmt: skip


def responses(file, assertion, assertion_plaintext, idp, device, messages):
    group = file.group("JweDecrypt")

    def test(token, recipient, **more):
        return {
            "serialization": "compact", "algs": ["ECDH-ES"], "encs": ["A256GCM"], "key": recipient, "token": token,
            **more,
        }  # fmt: skip

    plaintext = assertion_plaintext.hex()
    group.valid("encrypted assertion, apv in the header", "Derived", **test(assertion, idp), payload=plaintext)
    group.invalid(
        "encrypted assertion opened with the device's key", "WrongKey", **test(assertion, device), error="decryptionFailed"
    )
    other = key("user-secure-enclave")
    for name, (token, plaintext, apv) in messages.items():
        ephemeral = json.loads(unb64u(parts(token)[0]))["epk"]
        group.valid(
            name, "Derived", "OutOfBand", **test(token, device, apv=b64u(apv)), payload=plaintext.hex()
        )
        if name != "login response":
            continue
        for comment, wrong in (
            ("of another request", party_v(device, NONCE[:-1] + "C")),
            ("with the nonce in lower case", party_v(device, NONCE.lower())),
            ("in upper case", party(b"APPLE", device, NONCE.encode())),
            ("of another device", party_v(other, NONCE)),
            ("without the nonce", party(b"Apple", device)),
            ("without length prefixes", b"Apple" + x963(device) + NONCE.encode()),
            ("with an outer length prefix", length_prefixed(apv)),
            ("replaced by apu", party_u(ephemeral)),
        ):
            group.invalid(
                f"{name}: apv {comment}", "OutOfBand", **test(token, device, apv=b64u(wrong)), error="decryptionFailed"
            )
        group.invalid(f"{name}: apv not given", "OutOfBand", **test(token, device), error="decryptionFailed")
        header, _, _, ciphertext, _ = (unb64u(part) for part in parts(token))
        for comment, changed in (
            ("a bit of the ciphertext flipped", with_part(token, 3, flipped(ciphertext, 40))),
            ("enc changed to A128GCM", with_part(token, 0, header.replace(b"A256GCM", b"A128GCM"))),
            ("apu of another key", with_part(token, 0, header.replace(
                b64u(party_u(ephemeral)).encode(), b64u(party_u(other)).encode()))),
            ("encrypted key added", with_part(token, 1, bytes(24))),
            ("zip added", with_part(token, 0, header[:-1] + b',"zip":"DEF"}')),
        ):  # fmt: skip
            group.invalid(f"{name}: {comment}", "Damaged", **test(changed, device, apv=b64u(apv)))
