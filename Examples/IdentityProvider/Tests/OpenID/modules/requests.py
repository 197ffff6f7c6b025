"""What an authorization request may look like."""

import base64
import hashlib
import json
import secrets

import conditions
from conditions import Skipped, must
from flow import random_text

from .plan import module


@module("oidcc-ensure-request-with-unknown-parameter-succeeds")
def unknown_parameter(session):
    session.log_in(changes={"extra": "foobar"})


@module("oidcc-ensure-registered-redirect-uri")
def registered_redirect_uri(session):
    """An address that is not registered: a page, and nobody is sent there, nor to the one that is."""
    session.error_page(session.request(redirect_uri=session.client.redirect_uri + "/" + random_text()))


@module("oidcc-ensure-post-request-succeeds")
def post_request(session):
    """The request as a form that a client's page posts."""
    session.log_in(method="POST")


@module("oidcc-server-client-secret-post")
def client_secret_post(session):
    session.log_in(session.world.clients["post"])


@module("oidcc-claims-essential")
def claims_essential(session):
    asked = json.dumps({"userinfo": {"name": {"essential": True}}})
    login = session.log_in(changes={"claims": asked})
    if "name" not in login.userinfo:
        session.warn("userinfo has no name")
    if "name" in login.claims:
        session.warn("the ID token has name")


@module("oidcc-ensure-request-with-valid-pkce-succeeds")
def valid_pkce(session):
    verifier = secrets.token_urlsafe(48)
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
    session.log_in(
        changes={"code_challenge": challenge, "code_challenge_method": "S256"}, token_fields={"code_verifier": verifier})


def unsigned(claims):
    def part(value):
        return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()

    return part({"alg": "none"}) + "." + part(claims) + "."


def request_object(session, parameter, value, inside, outer_redirect_uri=None):
    """Works as if its members were parameters, or is refused by its own error. One that is ignored lets the state go missing."""
    algorithms = session.metadata.get("request_object_signing_alg_values_supported")
    parameters = session.request(state=None, nonce=None, **{parameter: value})
    if outer_redirect_uri:
        parameters["redirect_uri"] = outer_redirect_uri
    callback = session.authorize(parameters)
    error = callback.parameters.get("error")
    if error == f"{parameter}_not_supported":
        must(callback.url.startswith(session.client.redirect_uri), "the error went elsewhere")
        must(not session.metadata.get(f"{parameter}_parameter_supported"), f"{parameter} is offered, and refused")
        raise Skipped(f"{parameter} is not offered, and refused as it should be")
    if error and algorithms is not None and "none" not in algorithms:
        must(error == "invalid_request_object", f"the error is {error}")
        raise Skipped("request objects without a signature are not offered")
    conditions.callback_is_good(callback, session.client.redirect_uri, session.world.issuer, inside["state"])
    tokens = conditions.token_response_is_good(session.redeem(callback.parameters["code"]))
    session.check_id_token(tokens, inside["nonce"])
    if not session.metadata.get(f"{parameter}_parameter_supported"):
        session.warn(f"{parameter} works, and discovery doesn't say so")


@module("oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported")
def request_uri_unsigned(session):
    inside = session.request()
    url = session.world.publish(unsigned({**inside, "iss": session.client.id, "aud": session.world.issuer}))
    request_object(session, "request_uri", url, inside)


@module("oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported")
def request_unsigned(session):
    inside = session.request()
    value = unsigned({**inside, "iss": session.client.id, "aud": session.world.issuer})
    request_object(session, "request", value, inside)


@module("oidcc-ensure-request-object-with-redirect-uri")
def request_object_with_redirect_uri(session):
    """The address inside counts, or there is a page; the one outside is not registered, so no error may go anywhere."""
    inside = session.request()
    outside = session.client.redirect_uri + "_invalid"
    value = unsigned({**inside, "iss": session.client.id, "aud": session.world.issuer})
    parameters = session.request(state=None, nonce=None, request=value, redirect_uri=outside)
    try:
        session.error_page(parameters)
        return
    except AssertionError as error:
        must(session.metadata.get("request_parameter_supported"), str(error))
    session.clear_cookies()
    request_object(session, "request", value, inside, outer_redirect_uri=outside)
