"""Codes, ID tokens and userinfo as every client meets them."""

import conditions
from conditions import Skipped, must

from .plan import module


@module("oidcc-server")
def server(session):
    """The whole flow; what stands in the ID token was asked for."""
    login = session.log_in()
    conditions.unguessable(login.code, "the code")
    if "expires_in" not in login.tokens:
        session.warn("there is no expires_in")
    asked = {"iss", "sub", "aud", "exp", "iat", "auth_time", "nonce", "acr", "amr", "azp", "at_hash", "c_hash", "s_hash",
             "nbf", "jti", "sid", "txn"}
    if unasked := sorted(login.claims.keys() - asked):
        session.warn(f"the ID token has {unasked}, which nobody asked for")


@module("oidcc-response-type-missing")
def response_type_missing(session):
    """Without response_type: an error page, or an error for the client."""
    parameters = session.request(response_type=None)
    try:
        callback = session.authorize(parameters)
    except AssertionError:
        session.clear_cookies()
        session.error_page(parameters)
        return
    conditions.callback_is_error(
        callback, session.world.issuer, parameters["state"], {"unsupported_response_type", "invalid_request"},
        session.warn)


@module("oidcc-idtoken-signature")
def idtoken_signature(session):
    """RS256, and the header says by which key."""
    login = session.log_in()
    must(login.header.get("alg") == "RS256", f"alg is {login.header.get('alg')}")
    must(login.header.get("kid"), "the header has no kid")
    must(login.header["kid"] in [key["kid"] for key in session.keys["keys"]], "kid is not in the JWKS")


@module("oidcc-idtoken-unsigned")
def idtoken_unsigned(session):
    """Whoever offers ID tokens without a signature must be able to give one."""
    if "none" not in session.metadata.get("id_token_signing_alg_values_supported", []):
        login = session.log_in()
        must(login.header.get("alg") != "none", "an ID token without a signature, which is not offered")
        raise Skipped("ID tokens without a signature are not offered, and none was given")
    must(session.log_in().header.get("alg") == "none", "ID tokens without a signature are offered, but not given")


@module("oidcc-userinfo-get")
def userinfo_get(session):
    login = session.log_in()
    conditions.userinfo_is_good(session.userinfo(login.tokens["access_token"]), login.claims["sub"])


@module("oidcc-userinfo-post-header")
def userinfo_post_header(session):
    login = session.log_in()
    response = session.world.post(
        session.metadata["userinfo_endpoint"], [], [("Authorization", "Bearer " + login.tokens["access_token"])])
    conditions.userinfo_is_good(response, login.claims["sub"])


@module("oidcc-userinfo-post-body")
def userinfo_post_body(session):
    """The token in a form, which a provider may refuse to take."""
    login = session.log_in()
    response = session.world.post(
        session.metadata["userinfo_endpoint"], [("access_token", login.tokens["access_token"])])
    if 200 <= response.status < 300:
        conditions.userinfo_is_good(response, login.claims["sub"])
    else:
        must(response.status < 500, f"userinfo answered {response.status}")
        session.warn(f"userinfo takes no token in a form: {response.status}")


@module("oidcc-ensure-request-without-nonce-succeeds-for-code-flow")
def without_nonce(session):
    parameters = session.request(nonce=None)
    callback = session.authorize(parameters)
    conditions.callback_is_good(callback, session.client.redirect_uri, session.world.issuer, parameters["state"])
