"""The plans for RP-initiated logout and back-channel logout."""

import base64
import http.server
import json
import queue
import time
import urllib.parse

import conditions
from browser import Callback
from conditions import must

from .plan import module

PREFIX = "oidcc-rp-initiated-logout"
# Visible characters with all that has to be encoded.
STATE = "aZ09-._~!$'()*+,;=:@/?&%#[]{}|^\"<> end"


def client(session):
    return session.world.clients["basic"]


def arrive(session, parameters):
    """The browser at the end of a logout: a callback, or the page that it stays on after all questions are answered."""
    url = session.metadata["end_session_endpoint"]
    browser = session.person.browser
    try:
        page = browser.open(url + ("?" + urllib.parse.urlencode(parameters) if parameters else ""), cross_site=True)
        for _ in range(3):
            forms = [form for form in page.forms if "csrf" in form.names() and "username" not in form.names()]
            if page.kind == "error" or not forms:
                return page
            yes = next((button for button in forms[0].buttons if button[1] not in ("no", "deny", "cancel")), None)
            page = browser.submit(page, forms[0], button=yes)
        return page
    except Callback as callback:
        return callback


def is_logged_in(session):
    callback = session.authorize(session.request(prompt="none"))
    if "error" in callback.parameters:
        must(callback.parameters["error"] in conditions.NEEDS_THE_USER, callback.parameters["error"])
        return False
    return True


def usual(session, login, **changes):
    parameters = {
        "id_token_hint": login.tokens["id_token"], "post_logout_redirect_uri": session.world.post_logout_uri, "state": STATE}
    parameters.update(changes)
    return {name: value for name, value in parameters.items() if value is not None}


def done(session, login, **changes):
    """Logged out, and back at the client with the state that was sent."""
    parameters = usual(session, login, **changes)
    end = arrive(session, parameters)
    must(isinstance(end, Callback), f"the browser stays on the page {getattr(end, 'kind', None)!r}")
    must(end.url.partition("?")[0] == session.world.post_logout_uri, "the browser went elsewhere")
    must(end.parameters.get("state") == parameters.get("state"), f"state is {end.parameters.get('state')!r}")
    if end.parameters.keys() - {"state"}:
        session.warn(f"more members come back: {sorted(end.parameters.keys() - {'state'})}")
    must(not is_logged_in(session), "the user is still logged in")


def stays(session, parameters):
    """The browser is sent nowhere, whatever is answered."""
    end = arrive(session, parameters)
    must(not isinstance(end, Callback), f"the browser was sent to {end}")
    must(len(end.text.strip()) > 20, "the page says nothing")
    return end


def logged_out_page(session, parameters):
    page = stays(session, parameters)
    must(page.kind != "error", f"an error page: {page.text.strip()[:80]}")
    must(not is_logged_in(session), "the user is still logged in")


@module(PREFIX + "-discovery-endpoint-verification")
def logout_discovery(session):
    must(session.metadata.get("end_session_endpoint", "").startswith("https://"), "end_session_endpoint is not https")


@module(PREFIX)
def logout(session):
    done(session, session.log_in(client(session)))


@module(PREFIX + "-no-state")
def no_state(session):
    done(session, session.log_in(client(session)), state=None)


@module(PREFIX + "-bad-post-logout-redirect-uri")
def bad_uri(session):
    stays(session, usual(session, session.log_in(), post_logout_redirect_uri="https://client.example/elsewhere"))


@module(PREFIX + "-query-added-to-post-logout-redirect-uri")
def query_added(session):
    stays(session, usual(session, session.log_in(), post_logout_redirect_uri=session.world.post_logout_uri + "?foo=bar"))


def encoded(value):
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


@module(PREFIX + "-modified-id-token-hint")
def modified_hint(session):
    login = session.log_in()
    payload = login.tokens["id_token"].split(".")[1]
    stays(session, usual(session, login, id_token_hint=f"{encoded({'alg': 'none'})}.{payload}."))


@module(PREFIX + "-bad-id-token-hint")
def bad_hint(session):
    """Signed by the client, in whose name it speaks."""
    from joserfc import jws
    from joserfc.jwk import RSAKey

    login = session.log_in()
    claims = {**login.claims, "iss": session.client.id, "aud": session.world.issuer}
    hint = jws.serialize_compact({"alg": "RS256", "kid": login.header["kid"]}, json.dumps(claims), RSAKey.generate_key(2048))
    stays(session, usual(session, login, id_token_hint=hint))


@module(PREFIX + "-no-id-token-hint")
def no_hint(session):
    stays(session, usual(session, session.log_in(), id_token_hint=None))


@module(PREFIX + "-no-params")
def no_parameters(session):
    session.log_in()
    logged_out_page(session, {})


@module(PREFIX + "-only-state")
def only_state(session):
    session.log_in()
    logged_out_page(session, {"state": STATE})


@module(PREFIX + "-no-post-logout-redirect-uri")
def no_uri(session):
    logged_out_page(session, usual(session, session.log_in(), post_logout_redirect_uri=None))


class Backchannel:
    """Where the provider tells a client that a session is over."""

    def __init__(self, listener, authority):
        self.tokens = queue.Queue()

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(handler):
                body = handler.rfile.read(int(handler.headers.get("Content-Length") or 0))
                self.tokens.put((handler.headers.get("Content-Type"), urllib.parse.parse_qs(body.decode())))
                handler.send_response(200)
                handler.send_header("Content-Length", "0")
                handler.end_headers()

            def log_message(handler, *arguments):
                pass

        self.url = f"https://localhost:{listener(authority, Handler).server_port}/backchannel"


@module("oidcc-backchannel-rp-initiated-logout-discovery-endpoint-verification")
def backchannel_discovery(session):
    for name in ("backchannel_logout_supported", "backchannel_logout_session_supported"):
        must(session.metadata.get(name) is True, f"{name} is not true")
    logout_discovery(session)


@module("oidcc-backchannel-rp-initiated-logout")
def backchannel(session):
    from joserfc import jws
    from joserfc.jwk import KeySet

    told = session.world.backchannel.tokens
    while not told.empty():
        told.get()
    other = session.world.clients["told"]
    login = session.log_in(other)
    done(session, login)
    try:
        kind, form = told.get(timeout=20)
    except queue.Empty:
        raise AssertionError("nobody told the client") from None
    must((kind or "").startswith("application/x-www-form-urlencoded"), f"the client was told by {kind}")
    if form.keys() - {"logout_token"}:
        session.warn(f"more fields came: {sorted(form)}")
    signed = jws.deserialize_compact(
        form["logout_token"][0], KeySet.import_key_set(session.keys), algorithms=conditions.ALGORITHMS)
    claims = json.loads(signed.payload)
    must(claims.get("iss") == session.world.issuer, "iss of the logout token")
    must(other.id in (claims["aud"] if isinstance(claims["aud"], list) else [claims["aud"]]), "aud of the logout token")
    must(time.time() - 86_400 < claims.get("iat", 0) <= time.time() + conditions.SKEW, "iat of the logout token")
    must(claims.get("jti"), "the logout token has no jti")
    must(claims.get("events") == {"http://schemas.openid.net/event/backchannel-logout": {}}, "events of the logout token")
    must("sub" in claims or "sid" in claims, "the logout token names nobody")
    for name in ("sub", "sid"):
        must(name not in claims or claims[name] == login.claims.get(name), f"{name} of the logout token")
    must("nonce" not in claims, "the logout token has a nonce")
