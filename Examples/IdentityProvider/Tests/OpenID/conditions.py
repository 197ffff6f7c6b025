"""What must hold of answers. Each condition fails by `AssertionError`, and what only deserves a warning is collected."""

import base64
import collections
import hashlib
import json
import math
import re
import time

from joserfc import jws
from joserfc.errors import JoseError
from joserfc.jwk import KeySet

NEEDS_THE_USER = {"login_required", "interaction_required", "consent_required", "account_selection_required"}
SKEW = 300
ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512"]
PROFILE = ("name given_name family_name middle_name nickname profile picture website gender birthdate zoneinfo locale "
           "updated_at preferred_username").split()
CLAIMS_OF_SCOPE = {
    "profile": PROFILE, "email": ["email", "email_verified"], "address": ["address"],
    "phone": ["phone_number", "phone_number_verified"]}
BOOLEANS = {"email_verified", "phone_number_verified"}
TEXTS = {*PROFILE, "email", "phone_number", "sub"} - {"updated_at"}


class Skipped(Exception):
    """What the module asks for is not offered, and need not be."""


def must(condition, text):
    if not condition:
        raise AssertionError(text)


def json_of(response, what):
    kind = (response.header("Content-Type") or "").partition(";")[0].strip().lower()
    must(kind == "application/json", f"{what} is {kind or 'without a type'}, not JSON")
    return json.loads(response.text)


def measured_entropy(text):
    """In bits, by the frequency of its characters."""
    counts = collections.Counter(text).values()
    return -sum(count * math.log2(count / len(text)) for count in counts)


def unguessable(text, what):
    must(len(text) * 8 >= 128, f"{what} is shorter than 128 bits")
    must(measured_entropy(text) >= 96, f"{what} has less than 96 bits of entropy")


def callback_is_good(callback, redirect_uri, issuer, state):
    """K: a code for this request."""
    must(callback.url.startswith(redirect_uri), f"the callback went to {callback.url.partition('?')[0]}")
    answer = callback.parameters
    must("#" not in callback.url, "the response is in the fragment")
    must("error" not in answer, f"an error came back: {answer.get('error')}: {answer.get('error_description')}")
    must(answer.get("iss", issuer) == issuer, "iss is not the issuer")
    must(answer.get("state") == state, "state is not the one that was sent")
    must(answer.get("code"), "there is no code")


def callback_is_error(callback, issuer, state, errors, warn):
    """E: one of these errors, and no code."""
    answer = callback.parameters
    must("code" not in answer, "a code came with the error")
    must(answer.get("error") in errors, f"{answer.get('error')} instead of {' or '.join(sorted(errors))}")
    must(answer.get("state") == state, "state is not the one that was sent")
    must(answer.get("iss", issuer) == issuer, "iss is not the issuer")
    known = {"error", "error_description", "error_uri", "state", "iss", "session_state"}
    if answer.keys() - known:
        warn(f"unknown members {sorted(answer.keys() - known)}")
    description = answer.get("error_description", "")
    must(re.fullmatch(r"[\x20-\x21\x23-\x5B\x5D-\x7E\t\r\n]*", description), "characters of error_description")
    if re.search(r"[\t\r\n]", description):
        warn("error_description has line ends or tabs")


def token_response_is_good(response, warn_without_lifetime=None):
    """T: the members of a token response."""
    must(response.status == 200, f"the token endpoint answered {response.status}: {response.text[:300]}")
    tokens = json_of(response, "the token response")
    for name in ("access_token", "token_type"):
        must(isinstance(tokens.get(name), str) and tokens[name], f"{name} is missing")
    must(tokens["token_type"].lower() == "bearer", f"token_type is {tokens['token_type']}")
    if "expires_in" in tokens:
        lifetime = tokens["expires_in"]
        must(isinstance(lifetime, (int, float)) and not isinstance(lifetime, bool), "expires_in is no number")
        must(0 < lifetime <= 31_536_000, f"expires_in is {lifetime}")
    elif warn_without_lifetime:
        warn_without_lifetime("there is no expires_in")
    return tokens


def grant_is_refused(response, error="invalid_grant", warn=lambda text: None):
    """G: 400 and the error."""
    must(response.status == 400, f"the token endpoint answered {response.status}")
    answer = json_of(response, "the token error")
    must(answer.get("error") == error, f"{answer.get('error')} instead of {error}")
    if re.search(r"[\t\r\n]", answer.get("error_description", "")):
        warn("error_description has line ends or tabs")


def left_half(text, algorithm):
    digest = hashlib.new("sha" + algorithm[-3:], text.encode()).digest()
    return base64.urlsafe_b64encode(digest[: len(digest) // 2]).rstrip(b"=").decode()


def id_token_is_good(text, keys, issuer, client_id, nonce, access_token=None, code=None):
    """I: header and claims of an ID token whose signature was verified by another library."""
    key_set = KeySet.import_key_set(keys)
    try:
        signed = jws.deserialize_compact(text, key_set, algorithms=ALGORITHMS)
    except JoseError as error:
        raise AssertionError(f"the signature of the ID token: {error}") from None
    claims, header, now = json.loads(signed.payload), signed.headers(), time.time()
    must(claims.get("iss") == issuer, "iss of the ID token")
    audience = claims.get("aud")
    must(audience == client_id or (isinstance(audience, list) and client_id in audience), "aud of the ID token")
    must("azp" not in claims or claims["azp"] == client_id, "azp of the ID token")
    expires, issued = claims.get("exp"), claims.get("iat")
    must(isinstance(expires, (int, float)) and now - SKEW < expires < now + 50 * 31_557_600, "exp of the ID token")
    must(isinstance(issued, (int, float)) and now - SKEW <= issued <= now + SKEW, "iat of the ID token")
    subject = claims.get("sub")
    must(isinstance(subject, str) and re.fullmatch(r"[\x20-\x7e]{1,255}", subject), "sub of the ID token")
    must(claims.get("nonce") == nonce, "nonce of the ID token")
    if "auth_time" in claims:
        must(now - 31_557_600 < claims["auth_time"] <= now + SKEW, "auth_time of the ID token")
    must("acr" not in claims or claims["acr"], "acr of the ID token is empty")
    algorithm = header["alg"]
    for name, value in (("at_hash", access_token), ("c_hash", code)):
        if name in claims and value:
            must(claims[name] == left_half(value, algorithm), f"{name} of the ID token")
    claims_have_their_types(claims)
    return header, claims


def claims_have_their_types(claims):
    """U: standard claims have the types of OpenID Connect Core 5.1."""
    for name, value in claims.items():
        if name in TEXTS:
            must(isinstance(value, str) and value.strip() and value != "null", f"the type of {name}")
        if name in BOOLEANS:
            must(isinstance(value, bool), f"the type of {name}")
    if "updated_at" in claims:
        updated = claims["updated_at"]
        must(isinstance(updated, (int, float)) and not isinstance(updated, bool), "the type of updated_at")
        must(631_152_000 <= updated <= time.time() + SKEW, "updated_at")
    if "address" in claims:
        must(isinstance(claims["address"], dict), "the type of address")
        must(all(isinstance(text, str) for text in claims["address"].values()), "the types within address")
    if "birthdate" in claims:
        must(re.fullmatch(r"\d{4}(-\d\d-\d\d)?", claims["birthdate"]), "birthdate")


def userinfo_is_good(response, subject=None):
    must(response.status == 200, f"userinfo answered {response.status}: {response.header('WWW-Authenticate')}")
    claims = json_of(response, "userinfo")
    must("sub" in claims, "userinfo has no sub")
    must(subject is None or claims["sub"] == subject, "userinfo is about another sub")
    claims_have_their_types(claims)
    return claims
