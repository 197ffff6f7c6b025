"""The Config plan: what the provider says of itself."""

import re
import urllib.parse

import conditions
from conditions import must

from .plan import module

TEXTS = ["issuer", "authorization_endpoint", "token_endpoint", "jwks_uri"]
LISTS = ["response_types_supported", "subject_types_supported", "id_token_signing_alg_values_supported"]
OPTIONAL_LISTS = [
    "scopes_supported", "response_modes_supported", "grant_types_supported", "acr_values_supported",
    "id_token_encryption_alg_values_supported", "id_token_encryption_enc_values_supported",
    "userinfo_signing_alg_values_supported", "request_object_signing_alg_values_supported",
    "token_endpoint_auth_methods_supported", "token_endpoint_auth_signing_alg_values_supported",
    "display_values_supported", "claim_types_supported", "claims_supported", "claims_locales_supported",
    "ui_locales_supported", "code_challenge_methods_supported", "dpop_signing_alg_values_supported", "prompt_values_supported",
    "introspection_endpoint_auth_methods_supported", "revocation_endpoint_auth_methods_supported",
    "introspection_endpoint_auth_signing_alg_values_supported", "revocation_endpoint_auth_signing_alg_values_supported"]
FLAGS = [
    "claims_parameter_supported", "request_parameter_supported", "request_uri_parameter_supported",
    "require_request_uri_registration", "require_pushed_authorization_requests", "backchannel_logout_supported",
    "backchannel_logout_session_supported", "frontchannel_logout_supported", "frontchannel_logout_session_supported",
    "authorization_response_iss_parameter_supported", "native_sso_supported"]
ADDRESSES = ["service_documentation", "op_policy_uri", "op_tos_uri"]
RESPONSE_TYPES = {
    "code", "id_token", "id_token token", "code id_token", "code token", "code id_token token", "token", "none"}


def is_https(text):
    parts = urllib.parse.urlsplit(text) if isinstance(text, str) else None
    return bool(parts and parts.scheme == "https" and parts.hostname)


@module("oidcc-discovery-endpoint-verification")
def discovery(session):
    url = session.world.issuer + "/.well-known/openid-configuration"
    response = session.world.get(url)
    must(response.status == 200, f"discovery answered {response.status}")
    metadata = conditions.json_of(response, "discovery")
    must(is_https(url), "the address is not https")
    must(metadata.get("issuer", "").rstrip("/") == url.removesuffix("/.well-known/openid-configuration"), "issuer")
    for name in TEXTS:
        must(isinstance(metadata.get(name), str), f"{name} is no text")
    for name in LISTS + [name for name in OPTIONAL_LISTS if name in metadata]:
        values = metadata.get(name)
        must(isinstance(values, list) and all(isinstance(value, str) for value in values), f"{name} is no list of texts")
    for name in FLAGS:
        must(isinstance(metadata.get(name, False), bool), f"{name} is neither true nor false")
    must(RESPONSE_TYPES & set(metadata["response_types_supported"]), "response_types_supported has none that is known")
    must({"public", "pairwise"} & set(metadata["subject_types_supported"]), "subject_types_supported")
    must("RS256" in metadata["id_token_signing_alg_values_supported"], "ID tokens can't be signed by RS256")
    must(metadata.get("grant_types_supported", ["authorization_code"]), "grant_types_supported is empty")
    for name, value in metadata.items():
        if name.endswith("_endpoint") or name == "jwks_uri":
            must(is_https(value), f"{name} is not https")
    if "userinfo_endpoint" not in metadata:
        session.warn("there is no userinfo_endpoint")
    if "scopes_supported" not in metadata:
        session.warn("there is no scopes_supported")
    else:
        must("openid" in metadata["scopes_supported"], "scopes_supported lacks openid")
        for scope in metadata["scopes_supported"]:
            must(re.fullmatch(r"[\x21\x23-\x5B\x5D-\x7E]+", scope), f"the scope {scope!r}")
    for name in ("ui_locales_supported", "claims_locales_supported"):
        for tag in metadata.get(name, []):
            must(re.fullmatch(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*", tag), f"the language {tag!r}")
    if "claims_supported" not in metadata:
        session.warn("there is no claims_supported")
    if "RS256" not in metadata.get("request_object_signing_alg_values_supported", ["RS256"]):
        session.warn("request objects can't be signed by RS256")
    known = {*TEXTS, *LISTS, *OPTIONAL_LISTS, *FLAGS, *ADDRESSES}
    unknown = [name for name in metadata if name not in known and not name.endswith("_endpoint")]
    if unknown:
        session.warn(f"members that are not known: {', '.join(unknown)}")
