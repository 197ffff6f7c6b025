"""What a client does at several providers: each operation goes to one of them, or to two at once, and into the history."""

import base64
import concurrent.futures
import hashlib
import http.client
import json
import random
import secrets
import time
import urllib.parse

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

from client import Client
from setting import REDIRECT_URI, exchange

FORM = ("Content-Type", "application/x-www-form-urlencoded")


def base64url(octets):
    return base64.urlsafe_b64encode(octets).rstrip(b"=").decode()


class ProofKey:
    """Makes proofs of possession (RFC 9449)."""

    def __init__(self):
        self.key = ec.generate_private_key(ec.SECP256R1())
        numbers = self.key.public_key().public_numbers()
        self.jwk = {
            "kty": "EC", "crv": "P-256", "x": base64url(numbers.x.to_bytes(32)), "y": base64url(numbers.y.to_bytes(32))}
        self.nonce = None

    def proof(self, method, url, token=None):
        claims = {"jti": secrets.token_hex(8), "htm": method, "htu": url, "iat": int(time.time())}
        if self.nonce:
            claims["nonce"] = self.nonce
        if token:
            claims["ath"] = base64url(hashlib.sha256(token.encode()).digest())
        parts = [{"typ": "dpop+jwt", "alg": "ES256", "jwk": self.jwk}, claims]
        text = ".".join(base64url(json.dumps(part).encode()) for part in parts)
        r, s = decode_dss_signature(self.key.sign(text.encode(), ec.ECDSA(hashes.SHA256())))
        return text + "." + base64url(r.to_bytes(32) + s.to_bytes(32))


class Worker:
    """A client with one login, which goes round the providers. What isn't answered is asked again elsewhere."""

    def __init__(self, cluster, name, person, seed):
        self.cluster, self.name, self.person = cluster, name, person
        self.client = Client(cluster.nodes[0], name, person)
        self.dice = random.Random(seed)
        self.token = self.access = None
        self.node, self.answers, self.key = self.dice.randrange(len(cluster.nodes)), 0, ProofKey()
        self.pool = concurrent.futures.ThreadPoolExecutor(2)

    # What there is to do

    def turn(self):
        """One thing. Whether it was answered."""
        if self.token is None:
            return self.log_in()
        choices = {
            self.refresh: 60, self.refresh_twice: 10, self.use: 8, self.log_in: 4, self.redeem_twice: 5, self.prove_twice: 5,
            self.push_twice: 4, self.revoke: 4}
        return self.dice.choices(list(choices), list(choices.values()))[0]()

    def log_in(self):
        code = self.new_code()
        if code is None:
            return False
        return self.adopt(self.redeem(code, self.next()))

    def refresh(self):
        operation, members = self.present(self.token, self.next())
        self.follow(operation, members)
        return operation.outcome != "unknown"

    def refresh_twice(self):
        """At two providers at once. The client goes on with the first answer, while the other request is still on its way."""
        token = self.token
        late = self.pool.submit(self.present, token, self.next())
        operation, members = self.present(token, self.next())
        self.follow(operation, members)
        if self.dice.random() < 0.5:
            operation, members = late.result()
            if self.token == token:
                self.follow(operation, members)
        return operation.outcome != "unknown"

    def use(self):
        operation, _ = self.asked(
            "use", self.next(), self.token, "GET", "/userinfo", [("Authorization", "Bearer " + self.access)])
        if operation.outcome == "refused":
            self.token = None
        return operation.outcome != "unknown"

    def redeem_twice(self):
        """One code at two providers at once."""
        code = self.new_code()
        if code is None:
            return False
        late = self.pool.submit(self.redeem, code, self.next())
        answers = [self.redeem(code, self.next()), late.result()]
        for operation, members in answers:
            if operation.outcome == "ok":
                self.present(members["refresh_token"], self.next())
        return any(operation.outcome != "unknown" for operation, _ in answers)

    def prove_twice(self):
        """A proof of possession at two providers at once, and once more at a third one."""
        code = self.new_code()
        if code is None:
            return False
        return self.prove(code, self.next(), [self.next(), self.next(), self.next()])

    def prove(self, code, node, others):
        """Gets a token that is bound to a key at one provider, and shows it with one and the same proof to others."""
        operation, members = self.redeem(code, node, self.key)
        if operation.outcome != "ok":
            return operation.outcome != "unknown"
        token, url = members["access_token"], self.cluster.nodes[0].issuer + "/userinfo"
        proof = self.key.proof("GET", url, token)
        headers = [("Authorization", "DPoP " + token), ("DPoP", proof)]
        asked = [
            self.pool.submit(self.asked, "once", other, proof, "GET", "/userinfo", headers) for other in others]
        return any(future.result()[0].outcome != "unknown" for future in asked)

    def push_twice(self):
        """A request is pushed to one provider, and taken from two others at once."""
        uri = self.push(self.next())
        if uri is None:
            return False
        late = self.pool.submit(self.take, uri, self.next())
        answers = [self.take(uri, self.next()), late.result()]
        return any(operation.outcome != "unknown" for operation, _ in answers)

    def push(self, node):
        """The name of a pushed request; None if it did not come."""
        form = urllib.parse.urlencode({
            "response_type": "code", "redirect_uri": REDIRECT_URI, "scope": "openid", "state": "s", "client_id": self.client.id})
        try:
            answer = exchange("POST", self.address(node) + "/par", [("Authorization", self.client.credentials), FORM], form)
            return json.loads(answer.text)["request_uri"]
        except (OSError, http.client.HTTPException, ValueError, KeyError):
            return None

    def take(self, uri, node):
        query = urllib.parse.urlencode({"client_id": self.client.id, "request_uri": uri})
        return self.asked("once", node, uri, "GET", "/authorize?" + query)

    def revoke(self):
        token, self.token = self.token, None
        operation, _ = self.end(token, self.next())
        self.present(token, self.next())
        return operation.outcome != "unknown"

    def end(self, token, node):
        form = urllib.parse.urlencode({"token": token})
        return self.asked(
            "revoke", node, token, "POST", "/revoke", [("Authorization", self.client.credentials), FORM], form)

    def is_served(self, node):
        """Whether a provider does now what this client asks."""
        if self.token is None:
            code = self.new_code()
            return code is not None and self.adopt(self.redeem(code, node)) and self.token is not None
        operation, members = self.present(self.token, node)
        self.follow(operation, members)
        return operation.outcome == "ok"

    # One operation

    def next(self):
        self.node = (self.node + 1) % len(self.cluster.nodes)
        return self.node

    def address(self, node):
        return self.cluster.nodes[node].address

    def new_code(self):
        """By way of the browser, whose pages come of all providers in turns; None if one of them did not come."""
        operation = self.cluster.history.begin("login", self.name, -1, secrets.token_hex(8), self.person.name)
        try:
            parameters = self.client.authorize(self.cluster.nodes[0], scope="openid offline_access profile")
        except (AssertionError, OSError, http.client.HTTPException):
            parameters = {}
        code = parameters.get("code")
        if code:
            operation.name = self.cluster.history.name(code)
            operation.answered(200)
            self.answers += 1
        self.cluster.history.finish(operation)
        return code

    def redeem(self, code, node, key=None):
        fields = {"grant_type": "authorization_code", "code": code, "redirect_uri": REDIRECT_URI}
        return self.asked_for_tokens("redeem", code, node, fields, key)

    def present(self, token, node):
        return self.asked_for_tokens("refresh", token, node, {"grant_type": "refresh_token", "refresh_token": token})

    def asked_for_tokens(self, kind, name, node, fields, key=None):
        headers = [("Authorization", self.client.credentials), FORM]
        if key:
            self.learn_nonce(key, node)
            headers.append(("DPoP", key.proof("POST", self.cluster.nodes[0].issuer + "/token")))
        return self.asked(kind, node, name, "POST", "/token", headers, urllib.parse.urlencode(fields))

    def learn_nonce(self, key, node):
        """The nonce of one provider, which is good at all of them."""
        try:
            answer = exchange(
                "POST", self.address(node) + "/token",
                [FORM, ("DPoP", key.proof("POST", self.cluster.nodes[0].issuer + "/token"))], "grant_type=none")
            key.nonce = answer.header("DPoP-Nonce") or key.nonce
        except (OSError, http.client.HTTPException):
            pass

    def asked(self, kind, node, name, method, path, headers=(), body=None):
        """The operation as it went into the history, and the members of the answer."""
        history = self.cluster.history
        operation, members = history.begin(kind, self.name, node, name, self.person.name), {}
        try:
            answer = exchange(method, self.address(node) + path, headers, body)
            if answer.body[:1] == b"{":
                members = json.loads(answer.body)
            operation.answered(
                answer.status, members.get("error"), members.get("refresh_token"), members.get("preferred_username"))
            self.answers += operation.outcome != "unknown"
        except (OSError, http.client.HTTPException, ValueError):
            pass
        history.finish(operation)
        return operation, members

    def adopt(self, answered):
        """The login that this client has from now on."""
        operation, members = answered
        if operation.outcome == "ok":
            self.token, self.access = members["refresh_token"], members["access_token"]
        return operation.outcome != "unknown"

    def follow(self, operation, members):
        if operation.outcome == "ok":
            self.token, self.access = members["refresh_token"], members["access_token"]
        elif operation.outcome == "refused":
            # The judge asks whether that had to be.
            self.token = None
