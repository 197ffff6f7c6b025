"""Lies that a relay tells, and the modules that must notice each."""

import base64
import copy
import json
import time
import urllib.parse

from joserfc import jws
from joserfc.jwk import RSAKey

from relay import Fault, Message


def fault(request=None, response=None):
    """A class of faults made of functions."""

    class Made(Fault):
        def request(self, message):
            return request(message) if request else None

        def response(self, asked, message):
            if response:
                response(asked, message)

    return Made


def refusal(status, **members):
    return Message([("Content-Type", "application/json")], json.dumps(members).encode(), status=status)


# Authorization requests. They come from the client once; pages may come back to the same address with a reference.

def parameters(message):
    if message.path != "/authorize" or "client_id" not in dict(message.query or message.form):
        return None
    return message.form if message.method == "POST" else message.query


def with_parameters(message, pairs):
    if message.method == "POST":
        message.form = pairs
    else:
        message.query = pairs


def changed(**changes):
    """Parameters get other values; None takes them away."""

    def request(message):
        pairs = parameters(message)
        if pairs is not None:
            kept = [(name, changes.get(name, value)) for name, value in pairs]
            with_parameters(message, [(name, value) for name, value in kept if value is not None])

    return fault(request)


def added(name, value):
    def request(message):
        pairs = parameters(message)
        if pairs is not None and name not in dict(pairs):
            with_parameters(message, [*pairs, (name, value)])

    return fault(request)


def answered(error, when):
    """Requests of a kind are sent back to the client with an error."""

    def request(message):
        pairs = dict(parameters(message) or [])
        if pairs and when(pairs, message):
            answer = {"error": error, "state": pairs.get("state", "")}
            return Message(
                [("Location", pairs["redirect_uri"] + "?" + urllib.parse.urlencode(answer))], b"", status=303)
        return None

    return fault(request)


def without_asking(message):
    """An open redirector: whatever the address, there is a code."""
    pairs = dict(parameters(message) or [])
    if not pairs:
        return None
    answer = {"code": "a" * 43, "state": pairs.get("state", "")}
    return Message([("Location", pairs["redirect_uri"] + "?" + urllib.parse.urlencode(answer))], b"", status=303)


def other_state(asked, message):
    location = message.header("Location") or ""
    if location.startswith("https://client.example"):
        head, _, query = location.partition("?")
        pairs = [(name, value + "x" if name == "state" else value) for name, value in urllib.parse.parse_qsl(query)]
        message.set("Location", head + "?" + urllib.parse.urlencode(pairs))


# Token responses and userinfo.

def edited(path, edit):
    """Members of a JSON response are edited."""

    def response(asked, message):
        if asked.path == path and message.status == 200:
            members = json.loads(message.body)
            edit(members)
            message.body = json.dumps(members).encode()

    return fault(response=response)


class TwiceGood(Fault):
    """A code serves as often as one likes."""

    def __init__(self):
        self.answers = {}

    def request(self, message):
        if message.path == "/token":
            return copy.deepcopy(self.answers.get(dict(message.form).get("code")))
        return None

    def response(self, asked, message):
        code = dict(asked.form).get("code") if asked.path == "/token" else None
        if code and message.status == 200:
            self.answers[code] = copy.deepcopy(message)


class SignedAnew(Fault):
    """Another key signs ID tokens, whose header and claims it may change, and stands in the JWKS if it is `published`."""

    key = RSAKey.generate_key(2048)

    def __init__(self, edit=lambda claims: None, published=True, header=None):
        self.edit, self.published, self.header = edit, published, header

    def response(self, asked, message):
        if asked.path == "/jwks" and self.published:
            message.body = json.dumps({"keys": [{**self.key.as_dict(private=False), "kid": "other", "use": "sig"}]}).encode()
        if asked.path == "/token" and message.status == 200:
            members = json.loads(message.body)
            if "id_token" in members:
                payload = members["id_token"].split(".")[1]
                claims = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
                self.edit(claims)
                header = {"alg": "RS256", "kid": "other"} if self.header is None else self.header
                members["id_token"] = jws.serialize_compact(header, json.dumps(claims), self.key)
                message.body = json.dumps(members).encode()


def signed(edit=lambda claims: None, **options):
    return lambda: SignedAnew(edit, **options)


def no_cache_control(asked, message):
    if asked.path == "/token":
        message.remove("Cache-Control")


def posts_only_pages(message):
    if message.path == "/authorize" and message.method == "POST" and parameters(message):
        return Message([], b"", status=405)
    return None


def form(path, condition, answer):
    """A form of a kind is answered so."""
    return fault(lambda message: answer() if message.path == path and condition(message) else None)


def is_grant(kind):
    return lambda message: dict(message.form).get("grant_type") == kind


def broken_verifier(message):
    if message.path == "/token":
        message.form = [(name, value[::-1] if name == "code_verifier" else value) for name, value in message.form]


def bye(request, *fields):
    """Back to the client at once."""
    query = dict(request.query)
    if request.path != "/logout" or "post_logout_redirect_uri" not in query:
        return None
    answer = {"state": query["state"]} if "state" in query else {}
    location = query["post_logout_redirect_uri"] + ("?" + urllib.parse.urlencode(answer) if answer else "")
    return Message([("Location", location), *fields], b"", status=303)


def only_here(request):
    """The browser forgets everything, and the provider hears nothing."""
    names = [pair.split("=")[0].strip() for pair in (request.header("Cookie") or "").split(";")]
    return bye(request, *(("Set-Cookie", f"{name}=; Max-Age=0; Path=/") for name in names))


def farewell(request):
    if request.path != "/logout":
        return None
    return Message(
        [("Content-Type", "text/html")], b"<!doctype html><main data-page=bye>You are logged out, it says here", status=200)


def wordy(asked, message):
    """The redirect after a logout says more, or something else."""
    location = message.header("Location") or ""
    if location.startswith("https://client.example/bye"):
        head, _, query = location.partition("?")
        pairs = dict(urllib.parse.parse_qsl(query))
        message.set("Location", head + "?" + urllib.parse.urlencode({"state": pairs.get("state", "") + "x"}))


LOGOUT, BACKCHANNEL = "oidcc-rp-initiated-logout", "oidcc-backchannel-rp-initiated-logout"
DISCOVERY = "/.well-known/openid-configuration"
EVERYWHERE = ["oidcc-server"]
FAULTS = {
    "another nonce": (changed(nonce="other"), EVERYWHERE),
    "another state": (fault(response=other_state), EVERYWHERE),
    "a wrong at_hash": (signed(lambda claims: claims.update(at_hash="AAAAAAAAAAAAAAAAAAAAAA")), EVERYWHERE),
    "a signature by an unknown key": (signed(published=False), ["oidcc-idtoken-signature", *EVERYWHERE]),
    "an ID token that has expired": (signed(lambda claims: claims.update(exp=int(time.time()) - 9000)), EVERYWHERE),
    "an ID token for somebody else": (signed(lambda claims: claims.update(aud="other")), EVERYWHERE),
    "an ID token by another issuer": (signed(lambda claims: claims.update(iss="https://other.example")), EVERYWHERE),
    "no kid": (signed(header={"alg": "RS256"}), ["oidcc-idtoken-signature"]),
    "a private key in the JWKS": (edited("/jwks", lambda keys: keys["keys"][0].update(d="AQAB")), EVERYWHERE),
    "two keys of one name": (edited("/jwks", lambda keys: keys["keys"].append(keys["keys"][0])), EVERYWHERE),
    "unsigned ID tokens are offered": (
        edited(DISCOVERY, lambda members: members["id_token_signing_alg_values_supported"].append("none")),
        ["oidcc-idtoken-unsigned"]),
    "a code without response_type": (added("response_type", "code"), ["oidcc-response-type-missing"]),
    "userinfo about somebody else": (
        edited("/userinfo", lambda claims: claims.update(sub="other")),
        ["oidcc-userinfo-get", "oidcc-userinfo-post-header", "oidcc-scope-profile", "oidcc-alternate-happy-flow",
         "oidcc-claims-essential"]),
    "userinfo without sub": (
        form("/userinfo", lambda message: message.body, lambda: refusal(200, name="Alice")), ["oidcc-userinfo-post-body"]),
    "userinfo of wrong types": (edited("/userinfo", lambda claims: claims.update(email_verified="true")),
                                ["oidcc-scope-email"]),
    "a nonce is demanded": (
        answered("invalid_request", lambda pairs, _: "nonce" not in pairs),
        ["oidcc-ensure-request-without-nonce-succeeds-for-code-flow"]),
    "scopes that are not known are refused": (
        answered("invalid_scope", lambda pairs, _: {"address", "phone"} & set(pairs["scope"].split())),
        ["oidcc-scope-address", "oidcc-scope-phone", "oidcc-scope-all"]),
    "more parameters are refused": (
        answered("invalid_request", lambda pairs, _: {
            "display", "extra", "login_hint", "ui_locales", "claims_locales", "acr_values", "claims"} & pairs.keys()),
        ["oidcc-display-page", "oidcc-display-popup", "oidcc-ensure-request-with-unknown-parameter-succeeds",
         "oidcc-login-hint", "oidcc-ui-locales", "oidcc-claims-locales", "oidcc-claims-essential",
         "oidcc-ensure-request-with-acr-values-succeeds"]),
    "nobody is asked again": (changed(prompt=None, max_age=None), ["oidcc-prompt-login", "oidcc-max-age-1"]),
    "prompt=none shows pages": (changed(prompt=None), ["oidcc-prompt-none-not-logged-in"]),
    "a login is always required": (
        answered("login_required", lambda pairs, _: pairs.get("prompt") == "none"),
        ["oidcc-prompt-none-logged-in", "oidcc-id-token-hint"]),
    "hints are refused": (answered("invalid_request", lambda pairs, _: "id_token_hint" in pairs), ["oidcc-id-token-hint"]),
    "a time of login of its own in each ID token": (
        signed(lambda claims: claims.update(auth_time=int(time.time()))), ["oidcc-max-age-10000"]),
    "a code serves twice": (TwiceGood, ["oidcc-codereuse-30seconds"]),
    "a spent code is a server's error": (
        type("Second", (TwiceGood,), {
            "request": lambda self, message: refusal(500, error="server_error")
            if message.path == "/token" and dict(message.form).get("code") in self.answers else None}),
        ["oidcc-codereuse"]),
    "any address is redirected to": (fault(without_asking), ["oidcc-ensure-registered-redirect-uri"]),
    "requests can't be posted": (fault(posts_only_pages), ["oidcc-ensure-post-request-succeeds"]),
    "secrets in forms are refused": (
        form("/token", lambda message: "client_secret" in dict(message.form),
             lambda: refusal(401, error="invalid_client")), ["oidcc-server-client-secret-post"]),
    "request objects are ignored": (
        changed(request=None, request_uri=None),
        ["oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported",
         "oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported"]),
    "an error goes to an address that is not registered": (
        answered("request_not_supported", lambda pairs, _: "request" in pairs),
        ["oidcc-ensure-request-object-with-redirect-uri"]),
    "tokens may be kept": (fault(response=no_cache_control), ["oidcc-refresh-token"]),
    "a refresh gives another's ID token": (
        signed(lambda claims: claims.update(sub="other")), ["oidcc-refresh-token"]),
    "refreshes fail": (
        form("/token", is_grant("refresh_token"), lambda: refusal(400, error="invalid_grant")), ["oidcc-refresh-token"]),
    "another client's refresh token is a server's error": (
        form("/token", is_grant("refresh_token"), lambda: refusal(500, error="server_error")), ["oidcc-refresh-token"]),
    "the verifier is turned round": (
        fault(broken_verifier), ["oidcc-ensure-request-with-valid-pkce-succeeds"]),
    "another issuer in discovery": (
        edited(DISCOVERY, lambda members: members.update(issuer="https://other.example")),
        ["oidcc-discovery-endpoint-verification"]),
    "an endpoint without TLS": (
        edited(DISCOVERY, lambda members: members.update(userinfo_endpoint="http://other.example/userinfo")),
        ["oidcc-discovery-endpoint-verification"]),
    "RS256 is not offered": (
        edited(DISCOVERY, lambda members: members.update(id_token_signing_alg_values_supported=["ES256"])),
        ["oidcc-discovery-endpoint-verification"]),
    "a flag that is text": (
        edited(DISCOVERY, lambda members: members.update(claims_parameter_supported="true")),
        ["oidcc-discovery-endpoint-verification"]),
    "a logout leads anywhere": (
        fault(bye),
        [LOGOUT + suffix for suffix in (
            "", "-bad-post-logout-redirect-uri", "-query-added-to-post-logout-redirect-uri", "-modified-id-token-hint",
            "-bad-id-token-hint", "-no-id-token-hint")]),
    "a logout comes back with another state": (fault(response=wordy), [LOGOUT, LOGOUT + "-no-state"]),
    "a logout is only said": (
        fault(farewell), [LOGOUT + "-no-params", LOGOUT + "-only-state", LOGOUT + "-no-post-logout-redirect-uri"]),
    "clients are not told of a logout": (fault(only_here), [BACKCHANNEL]),
    "there is no logout": (
        edited(DISCOVERY, lambda members: members.pop("end_session_endpoint")),
        [LOGOUT + "-discovery-endpoint-verification", BACKCHANNEL + "-discovery-endpoint-verification"]),
    "a logout on the back channel is not announced": (
        edited(DISCOVERY, lambda members: members.pop("backchannel_logout_supported", None)),
        [BACKCHANNEL + "-discovery-endpoint-verification"]),
}
