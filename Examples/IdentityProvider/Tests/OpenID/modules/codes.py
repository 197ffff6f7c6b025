"""Codes and refresh tokens serve once, and only their own client."""

import time

import conditions
from conditions import Skipped, must
from flow import random_text

from .plan import module


@module("oidcc-codereuse")
def codereuse(session):
    login = session.log_in()
    again = session.redeem(login.code)
    if again.status == 200:
        session.warn("the code served twice")
    else:
        conditions.grant_is_refused(again, warn=session.warn)


@module("oidcc-codereuse-30seconds")
def codereuse_30_seconds(session):
    """A code that comes back late is refused, and what it gave is taken back."""
    login = session.log_in()
    time.sleep(30)
    conditions.grant_is_refused(session.redeem(login.code), warn=session.warn)
    if not 400 <= session.userinfo(login.tokens["access_token"]).status < 500:
        session.warn("the first access token is still good")


def offline(session, client, **changes):
    """O: a login that asks for a refresh token."""
    if "offline_access" in session.metadata.get("scopes_supported", []):
        changes = {"scope": "openid offline_access", "prompt": "consent", **changes}
    return session.log_in(client, changes)


def refreshed(session, client, login, **more):
    response = session.token(
        {"grant_type": "refresh_token", "refresh_token": login.tokens["refresh_token"], **more}, client)
    tokens = conditions.token_response_is_good(response, session.warn)
    must("no-store" in (response.header("Cache-Control") or ""), "the response may be kept: Cache-Control")
    must(conditions.measured_entropy(tokens["access_token"]) >= 96, "the access token has less than 96 bits of entropy")
    if "refresh_token" in tokens:
        conditions.unguessable(tokens["refresh_token"], "the refresh token")
    if "id_token" in tokens:
        nonce = conditions.json.loads(conditions.base64.urlsafe_b64decode(
            tokens["id_token"].split(".")[1] + "==")).get("nonce")
        must(nonce in (None, login.claims["nonce"]), "the new ID token has another nonce")
        _, claims = session.check_id_token(tokens, nonce, client)
        for name in ("iss", "sub", "aud", "auth_time", "azp"):
            must(claims.get(name) == login.claims.get(name), f"{name} of the new ID token")
        must(claims["iat"] != login.claims["iat"], "iat of the new ID token")
    conditions.userinfo_is_good(session.userinfo(tokens["access_token"]), login.claims["sub"])
    return tokens


@module("oidcc-refresh-token")
def refresh_token(session):
    first, second = session.world.clients["basic"], session.world.clients["second"]
    login = offline(session, first)
    grants = session.metadata.get("grant_types_supported", ["authorization_code", "implicit"])
    if "refresh_token" not in login.tokens:
        if "refresh_token" in grants:
            session.warn("refresh tokens are offered, but not given")
        raise Skipped("no refresh token was given")
    if "refresh_token" not in grants:
        session.warn("grant_types_supported lacks refresh_token")
    other = offline(session, second, nonce=random_text(43))
    time.sleep(1.1)
    refreshed(session, first, login, scope=login.tokens.get("scope", "openid"))
    newer = refreshed(session, second, other)
    stolen = newer.get("refresh_token", other.tokens["refresh_token"])
    conditions.grant_is_refused(
        session.token({"grant_type": "refresh_token", "refresh_token": stolen}, first), warn=session.warn)
