"""An identity provider for Platform SSO, written from Apple's text alone, for `jose psso doctor` to examine."""

import datetime
import json
import math
import os
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import NameOID

from psso_wire import (JWT_BEARER, Refused, b64, b64u, decrypt, encrypt, fields, header_of, key_id, point, public_key, sign, unb64, unb64u,
                       verify)


class WrongCredential(Refused):
    """The only fault that makes a Mac ask the user again."""


class Provider:
    """One client, one device, one user."""

    def __init__(self, base, client_id, user, password):
        self.base, self.client_id, self.user, self.password = base, client_id, user, password
        self.audience = client_id
        self.id_token_key = ec.generate_private_key(ec.SECP256R1())
        self.unlock_key = ec.generate_private_key(ec.SECP256R1())
        self.context_key = AESGCM(os.urandom(32))
        self.nonces, self.client_nonces, self.refresh_tokens = {}, set(), {}
        self.devices, self.lock = {}, threading.Lock()

    def register(self, signing, encryption):
        self.devices[key_id(signing)] = (public_key(signing), encryption)

    # MARK: Requests

    def form(self, headers, body):
        if (headers.get("Content-Type") or "").split(";")[0].strip().lower() != "application/x-www-form-urlencoded":
            raise Refused("no form")
        if len(body) > 65536:
            raise Refused("too long")
        try:
            pairs = parse_qsl(body.decode(), keep_blank_values=True, strict_parsing=True, errors="strict")
        except ValueError as error:
            raise Refused("no form") from error
        form = {}
        for name, value in pairs:
            if name in form and name in ("assertion", "request", "grant_type", "platform_sso_version"):
                raise Refused("a field twice")
            form[name] = value
        return form

    def nonce(self, form):
        if form.get("grant_type") != "srv_challenge":
            raise Refused("grant_type")
        nonce = b64(os.urandom(32))
        with self.lock:
            self.nonces[nonce] = time.time() + 300
        return 200, "application/json", json.dumps({"Nonce": nonce}).encode()

    def verified(self, form, version, types):
        """Signature, claims, nonces and encryption of a signed request."""
        tokens = [form[name] for name in ("assertion", "request") if name in form]
        if len(tokens) != 1 or form.get("grant_type") != JWT_BEARER or form.get("platform_sso_version") not in version:
            raise Refused("form")
        header = header_of(tokens[0])
        if header.get("alg") != "ES256" or header.get("typ") not in types:
            raise Refused("header")
        if any(name in header for name in ("crit", "zip", "b64")):
            raise Refused("header")
        kid = header.get("kid")
        device = self.devices.get(kid if isinstance(kid, str) else None)
        if device is None:
            raise Refused("device")
        claims = verify(tokens[0], device[0])
        if claims.get("iss") != self.client_id:
            raise Refused("iss")
        now, issued, expires = time.time(), self.seconds(claims, "iat"), self.seconds(claims, "exp")
        if issued > now + 60 or expires <= now or expires - issued > 600:
            raise Refused("times")
        with self.lock:
            given = self.nonces.pop(self.text(claims, "request_nonce"), 0)
        if given <= now:
            raise Refused("server nonce")
        nonce = self.text(claims, "nonce")
        if not 1 <= len(nonce) <= 128:
            raise Refused("nonce")
        with self.lock:
            if nonce in self.client_nonces:
                raise Refused("nonce")
            self.client_nonces.add(nonce)
        crypto = claims.get("jwe_crypto")
        if not isinstance(crypto, dict) or crypto.get("alg") != "ECDH-ES" or crypto.get("enc") != "A256GCM":
            raise Refused("jwe_crypto")
        apv = unb64u(crypto.get("apv"))
        if fields(apv) != [b"Apple", device[1], nonce.encode()]:
            raise Refused("apv")
        return claims, apv, public_key(device[1])

    @staticmethod
    def text(claims, name):
        value = claims.get(name)
        if not isinstance(value, str):
            raise Refused(name)
        return value

    @staticmethod
    def seconds(claims, name):
        value = claims.get(name)
        if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= 15:
            return int(value)
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
            raise Refused(name)
        return value

    def audience_is(self, claims, expected):
        audience = claims.get("aud")
        if isinstance(audience, list) and len(audience) == 1:
            audience = audience[0]
        if audience != expected:
            raise Refused("aud")

    # MARK: Answers

    def token(self, form):
        claims, apv, recipient = self.verified(
            form, ("1.0", "1"), ("platformsso-login-request+jwt", "platformsso-refresh-request+jwt"))
        self.audience_is(claims, self.base + "/token")
        if claims.get("client_id") != self.client_id or "openid" not in self.text(claims, "scope").split():
            raise Refused("client or scope")
        tokens = [form[name] for name in ("assertion", "request") if name in form]
        is_refresh = header_of(tokens[0])["typ"] == "platformsso-refresh-request+jwt"
        grant = claims.get("grant_type")
        if is_refresh:
            if grant != "refresh_token":
                raise Refused("grant_type")
            if self.refresh_tokens.get(self.text(claims, "refresh_token")) != self.user:
                raise WrongCredential("refresh_token")
            if claims.get("sub", self.user) != self.user:
                raise Refused("sub")
        else:
            self.same_user(claims)
            if grant != "password":
                raise Refused("grant_type")
            if claims.get("sub") != self.user or self.text(claims, "password") != self.password:
                raise WrongCredential("password")
        refresh_token = b64u(os.urandom(32))
        self.refresh_tokens[refresh_token] = self.user
        now = int(time.time())
        id_token = sign(
            self.id_token_key, {"typ": "JWT", "alg": "ES256", "kid": "py-1"},
            {"iss": self.base, "aud": self.client_id, "sub": self.user, "nonce": claims["nonce"], "iat": now, "exp": now + 3600})
        members = {"id_token": id_token, "refresh_token": refresh_token, "refresh_token_expires_in": "28800", "token_type": "Bearer"}
        typ = "platformsso-login-response+jwt"
        return 200, "application/" + typ, encrypt(members, recipient, apv, typ, False).encode()

    def same_user(self, claims):
        user = self.text(claims, "sub")
        if not user or user != self.text(claims, "username"):
            raise Refused("user")

    def keys(self, form):
        claims, apv, recipient = self.verified(form, ("2.0",), ("platformsso-key-request+jwt",))
        if "aud" in claims:
            self.audience_is(claims, self.audience)
        if claims.get("version") != "1.0" or claims.get("key_purpose") != "user_unlock":
            raise Refused("version or purpose")
        self.same_user(claims)
        if self.refresh_tokens.get(self.text(claims, "refresh_token")) != claims["sub"]:
            raise WrongCredential("refresh_token")
        now = int(time.time())
        members = {"iat": now, "exp": now + 300}
        if claims.get("request_type") == "key_request":
            iv = os.urandom(12)
            secret = self.unlock_key.private_numbers().private_value.to_bytes(32, "big")
            members["key_context"] = b64u(iv + self.context_key.encrypt(iv, secret, claims["sub"].encode()))
            members["certificate"] = b64u(self.certificate())
        elif claims.get("request_type") == "key_exchange":
            other = public_key(unb64(self.text(claims, "other_publickey")))
            context = unb64u(self.text(claims, "key_context"))
            try:
                secret = self.context_key.decrypt(context[:12], context[12:], claims["sub"].encode())
            except Exception as error:
                raise Refused("key_context") from error
            key = ec.derive_private_key(int.from_bytes(secret, "big"), ec.SECP256R1())
            members["key"] = b64(key.exchange(ec.ECDH(), other))
        else:
            raise Refused("request_type")
        typ = "platformsso-key-response+jwt"
        return 200, "application/" + typ, encrypt(members, recipient, apv, typ, True).encode()

    def certificate(self):
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "unlock")])
        now = datetime.datetime.now(datetime.timezone.utc)
        return (x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(self.unlock_key.public_key())
                .serial_number(x509.random_serial_number()).not_valid_before(now - datetime.timedelta(days=1))
                .not_valid_after(now + datetime.timedelta(days=365)).sign(self.unlock_key, hashes.SHA256())
                .public_bytes(Encoding.DER))

    def jwks(self):
        own = point(self.id_token_key.public_key())
        key = {"kty": "EC", "crv": "P-256", "x": b64u(own[1:33]), "y": b64u(own[33:]), "kid": "py-1", "alg": "ES256", "use": "sig"}
        return json.dumps({"keys": [key]}).encode()

    def respond(self, method, path, headers, body):
        if method == "GET":
            if path == "/jwks":
                return 200, "application/json", self.jwks()
            if path == "/.well-known/apple-app-site-association":
                return 200, "application/json", b'{"authsrv":{"apps":["ABCDE12345.com.example.mac.ssoe"]}}'
            return 405, "application/json", b'{"error":"invalid_request"}'
        try:
            form = self.form(headers, body)
            handler = {"/nonce": self.nonce, "/token": self.token, "/keys": self.keys}.get(path)
            if handler is None:
                return 404, "application/json", b"{}"
            return handler(form)
        except WrongCredential:
            return 401, "application/json", b'{"error":"invalid_grant"}'
        except (Refused, KeyError, ValueError, TypeError):
            return 400, "application/json", b'{"error":"invalid_request"}'


def serve(provider, port=0):
    """A server on a loopback port, in a thread of its own."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self, method):
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            status, content_type, answer = provider.respond(method, self.path.split("?")[0], self.headers, body)
            self.send_response(status)
            self.send_header("Content-Type", content_type)
            self.send_header("Cache-Control", "no-store, no-cache")
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def do_GET(self):
            self.answer("GET")

        def do_POST(self):
            self.answer("POST")

        def log_message(self, *arguments):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server
