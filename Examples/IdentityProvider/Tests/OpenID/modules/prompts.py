"""When the person is asked, and when not."""

import time

import conditions
from conditions import must

from .flow_again import same_person_unasked
from .plan import module


@module("oidcc-display-page")
def display_page(session):
    session.log_in(changes={"display": "page"})


@module("oidcc-display-popup")
def display_popup(session):
    session.log_in(changes={"display": "popup"})


@module("oidcc-prompt-login")
def prompt_login(session):
    """Logged in already, and asked once more."""
    first = session.log_in()
    time.sleep(1.1)
    second = session.log_in(changes={"prompt": "login"})
    must("login" in second.kinds, "nobody was asked to log in a second time")
    if "auth_time" in first.claims and "auth_time" in second.claims:
        must(second.claims["auth_time"] > first.claims["auth_time"], "auth_time is not later")


@module("oidcc-prompt-none-not-logged-in")
def prompt_none_not_logged_in(session):
    session.clear_cookies()
    state = ("0123456789abcdefghijklmnop" * 5)[:124] + "-._~"
    callback = session.authorize(session.request(prompt="none", state=state))
    must(not callback.pages, "a page was shown")
    conditions.callback_is_error(callback, session.world.issuer, state, conditions.NEEDS_THE_USER, session.warn)


@module("oidcc-prompt-none-logged-in")
def prompt_none_logged_in(session):
    first = session.log_in()
    same_person_unasked(session, first, {"prompt": "none"})


@module("oidcc-max-age-1")
def max_age_1(session):
    """A login that is two seconds old is older than one."""
    first = session.log_in()
    time.sleep(2.1)
    second = session.log_in(changes={"max_age": "1"})
    must("login" in second.kinds, "nobody was asked to log in a second time")
    must("auth_time" in second.claims, "there is no auth_time")
    must(abs(second.claims["auth_time"] - time.time()) < conditions.SKEW, "auth_time is not recent")
    if "auth_time" in first.claims:
        must(second.claims["auth_time"] > first.claims["auth_time"], "auth_time is not later")


@module("oidcc-max-age-10000")
def max_age_10000(session):
    first = session.log_in(changes={"max_age": "15000"})
    must("auth_time" in first.claims, "there is no auth_time in the first ID token")
    time.sleep(1.1)
    second = same_person_unasked(session, first, {"max_age": "10000"})
    must("auth_time" in second.claims, "there is no auth_time in the second ID token")


@module("oidcc-id-token-hint")
def id_token_hint(session):
    first = session.log_in()
    same_person_unasked(session, first, {"prompt": "none", "id_token_hint": first.tokens["id_token"]})


@module("oidcc-login-hint")
def login_hint(session):
    """A hint that names nobody hinders nobody."""
    session.clear_cookies()
    session.log_in(changes={"login_hint": "buffy@localhost"})


@module("oidcc-ui-locales")
def ui_locales(session):
    session.clear_cookies()
    session.log_in(changes={"ui_locales": "se"})


@module("oidcc-claims-locales")
def claims_locales(session):
    session.log_in(changes={"claims_locales": "se"})


@module("oidcc-ensure-request-with-acr-values-succeeds")
def acr_values(session):
    asked = session.metadata.get("acr_values_supported") or ["1", "2"]
    login = session.log_in(changes={"acr_values": " ".join(asked)})
    if login.claims.get("acr") not in asked:
        session.warn(f"acr is {login.claims.get('acr')}")
