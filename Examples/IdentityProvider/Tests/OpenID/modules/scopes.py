"""Claims by scope."""

import conditions
from conditions import Skipped, must

from .plan import module


def scopes(session, *names, changes=None):
    """A login that asks for scopes: userinfo has their claims, about the same person."""
    offered = session.metadata.get("scopes_supported", [])
    if missing := [name for name in names if name not in offered]:
        # What is not offered must not be an error.
        session.log_in(changes={"scope": " ".join(["openid", *names])})
        raise Skipped(f"the scopes {missing} are not offered")
    login = session.log_in(changes=changes or {"scope": " ".join(["openid", *names])})
    must(login.userinfo["sub"] == login.claims["sub"], "userinfo has another sub than the ID token")
    for name in names:
        absent = [claim for claim in conditions.CLAIMS_OF_SCOPE[name] if claim not in login.userinfo]
        if len(absent) == len(conditions.CLAIMS_OF_SCOPE[name]):
            raise AssertionError(f"userinfo has no claim of the scope {name}")
        if absent:
            session.warn(f"userinfo lacks {', '.join(absent)}")
    if "email" in names and len(names) == 1:
        for name in ("email", "name"):
            if name in login.claims:
                session.warn(f"the ID token has {name}")
        if "name" in login.userinfo:
            session.warn("userinfo has name")
    return login


@module("oidcc-scope-profile")
def scope_profile(session):
    scopes(session, "profile")


@module("oidcc-scope-email")
def scope_email(session):
    scopes(session, "email")


@module("oidcc-scope-address")
def scope_address(session):
    scopes(session, "address")


@module("oidcc-scope-phone")
def scope_phone(session):
    scopes(session, "phone")


@module("oidcc-scope-all")
def scope_all(session):
    offered = [name for name in conditions.CLAIMS_OF_SCOPE if name in session.metadata.get("scopes_supported", [])]
    scopes(session, *offered, changes={"scope": "openid " + " ".join(conditions.CLAIMS_OF_SCOPE)})


@module("oidcc-alternate-happy-flow")
def alternate_happy_flow(session):
    """The same in another order."""
    parameters = session.request(scope="email openid")
    reordered = dict(reversed(parameters.items()))
    callback = session.authorize(reordered)
    conditions.callback_is_good(callback, session.client.redirect_uri, session.world.issuer, parameters["state"])
    tokens = conditions.token_response_is_good(session.redeem(callback.parameters["code"]))
    _, claims = session.check_id_token(tokens, parameters["nonce"])
    userinfo = conditions.userinfo_is_good(session.userinfo(tokens["access_token"]), claims["sub"])
    must("email" in userinfo, "userinfo has no email")
