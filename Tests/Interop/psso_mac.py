"""A Mac for Platform SSO, written from Apple's text alone: it sends what captured requests have and checks every answer."""

import json
import time
import uuid
from urllib.parse import urlencode

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec

from psso_wire import (JWT_BEARER, SCOPE, b64, b64u, decrypt, encrypt, header_of, key_id, lp, point, public_key, sign, unb64, unb64u, verify)


class Mac:
    """`send` takes method, address, headers and body, and returns status and body."""

    def __init__(self, send, configuration):
        self.send, self.configuration = send, configuration
        self.signing = ec.generate_private_key(ec.SECP256R1())
        self.encryption = ec.generate_private_key(ec.SECP256R1())
        self.refresh_token = self.key_context = self.unlock_key = None

    def nonce(self):
        request_id = str(uuid.uuid4()).upper()
        status, body = self.send(
            "POST", self.configuration["token"],
            {"Accept": "application/json", "Content-Type": "application/x-www-form-urlencoded", "client-request-id": request_id},
            "grant_type=srv_challenge")
        assert status == 200, (status, body)
        return json.loads(body)["Nonce"], request_id

    def request(self, kind, typ, version, claims, accept):
        server_nonce, request_id = self.nonce()
        nonce = str(uuid.uuid4()).upper()
        now = int(time.time())
        apv = lp(b"Apple") + lp(point(self.encryption.public_key())) + lp(nonce.encode())
        body = {
            "iss": self.configuration["client_id"], "iat": now, "exp": now + 300, "nonce": nonce, "request_nonce": server_nonce,
            "jwe_crypto": {"alg": "ECDH-ES", "enc": "A256GCM", "apv": b64u(apv)},
        }
        body.update(claims(body) if callable(claims) else claims)
        header = {"typ": typ, "alg": "ES256", "kid": key_id(point(self.signing.public_key()))}
        form = urlencode({"platform_sso_version": version, "grant_type": JWT_BEARER, "assertion": sign(self.signing, header, body)})
        status, answer = self.send(
            "POST", self.configuration["token"],
            {"Accept": accept, "Content-Type": "application/x-www-form-urlencoded", "client-request-id": request_id}, form)
        assert status == 200, (kind, status, answer)
        header, members = decrypt(answer, self.encryption, apv)
        assert accept == "application/" + header["typ"], header
        return nonce, members

    def tokens(self, kind, typ, claims):
        common = {"client_id": self.configuration["client_id"], "aud": self.configuration["token"], "scope": SCOPE}
        merged = (lambda body: {**common, **claims(body)}) if callable(claims) else {**common, **claims}
        nonce, members = self.request(kind, typ, "1.0", merged, "application/platformsso-login-response+jwt")
        header = header_of(members["id_token"])
        assert header["alg"] == "ES256", header
        token = verify(members["id_token"], public_key(self.configuration["id_token_key"]))
        assert token["iss"] == self.configuration["issuer"] and token["aud"] == self.configuration["client_id"], token
        assert token["nonce"] == nonce and token["iat"] <= time.time() + 60 and token["exp"] > time.time(), token
        self.refresh_token = members["refresh_token"]
        return members

    def user(self):
        return {"username": self.configuration["user"], "sub": self.configuration["user"]}

    def log_in(self, password):
        return self.tokens(
            "login", "platformsso-login-request+jwt", {**self.user(), "grant_type": "password", "password": password, "amr": ["pwd"]})

    def log_in_encrypted(self, password):
        key = public_key(self.configuration["login_key"])

        def claims(body):
            inner = {
                **{name: body[name] for name in ("iat", "exp", "nonce", "request_nonce")}, "iss": self.configuration["user"],
                "sub": self.configuration["user"], "aud": self.configuration["audience"], "scope": SCOPE, "password": password,
            }
            apv = lp(self.configuration["apv_prefix"]) + lp(self.configuration["login_key"]) + lp(body["request_nonce"].encode())
            assertion = encrypt(inner, key, apv, "platformsso-encrypted-login-assertion+jwt", True)
            return {**self.user(), "grant_type": JWT_BEARER, "assertion": assertion}

        return self.tokens("encrypted login", "platformsso-login-request+jwt", claims)

    def log_in_by_key(self, key):
        def claims(body):
            inner = {
                **{name: body[name] for name in ("iat", "exp", "nonce", "request_nonce")}, "iss": self.configuration["user"],
                "sub": self.configuration["user"], "aud": self.configuration["audience"], "scope": SCOPE,
            }
            header = {"typ": "platformsso-login-assertion+jwt", "alg": "ES256", "kid": key_id(point(key.public_key()))}
            return {**self.user(), "grant_type": JWT_BEARER, "assertion": sign(key, header, inner)}

        return self.tokens("login by key", "platformsso-login-request+jwt", claims)

    def refresh(self):
        return self.tokens(
            "refresh", "platformsso-refresh-request+jwt", {"grant_type": "refresh_token", "refresh_token": self.refresh_token})

    def key_request(self, more):
        claims = {"version": "1.0", "key_purpose": "user_unlock", "refresh_token": self.refresh_token, **self.user(), **more}
        _, members = self.request("key", "platformsso-key-request+jwt", "2.0", claims, "application/platformsso-key-response+jwt")
        assert members["iat"] <= time.time() + 60 and members["exp"] > time.time(), members
        self.key_context = members.get("key_context", self.key_context)
        return members

    def fetch_key(self):
        members = self.key_request({"request_type": "key_request"})
        self.unlock_key = x509.load_der_x509_certificate(unb64u(members["certificate"])).public_key()

    def exchange(self):
        other = ec.generate_private_key(ec.SECP256R1())
        members = self.key_request({
            "request_type": "key_exchange", "other_publickey": b64(point(other.public_key())), "key_context": self.key_context})
        assert unb64(members["key"]) == other.exchange(ec.ECDH(), self.unlock_key)
