"""Relying parties that others wrote log in at the provider: parties.py PROGRAM [NAME…] [--nodes N [--plant apart|sticky|blind]]"""

import argparse
import logging
import os
import pathlib
import shutil
import sys
import traceback
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "Support"))

import proxy
from browser import Browser, Person

USER, PASSWORD, EMAIL = "alice", "correct horse battery staple", "alice@example.com"
REDIRECT_URI = "https://client.example/callback"
SCOPE = "openid profile email offline_access"
DEVICE = "Authlib on a device"


class Trial:
    def __init__(self, provider, name, method):
        self.issuer, self.roots = provider.issuer, provider.authority.roots
        more = ["--device"] if name == DEVICE else []
        members = provider.add_client(name, [REDIRECT_URI], "--auth-method", method, *more)
        self.client_id, self.client_secret = members["client_id"], members["client_secret"]
        self.person = Person(Browser(provider.issuer, provider.authority.client()), USER, PASSWORD)

    def browse(self, url):
        return self.person.arrives(url).url


def authlib(trial):
    """Authlib: discovery, PKCE, nonce, refresh, revocation, by its requests client."""
    from authlib.common.security import generate_token
    from authlib.integrations.requests_client import OAuth2Session
    from authlib.oidc.core import CodeIDToken
    from joserfc import jwt
    from joserfc.jwk import KeySet

    session = OAuth2Session(
        trial.client_id, trial.client_secret, scope=SCOPE, redirect_uri=REDIRECT_URI, code_challenge_method="S256",
        token_endpoint_auth_method="client_secret_basic")
    # Otherwise the machine's settings choose the authorities.
    session.trust_env = False
    session.verify = trial.roots
    metadata = session.get(trial.issuer + "/.well-known/openid-configuration", withhold_token=True).json()
    verifier, nonce = generate_token(48), generate_token(20)
    url, state = session.create_authorization_url(metadata["authorization_endpoint"], code_verifier=verifier, nonce=nonce)
    tokens = session.fetch_token(
        metadata["token_endpoint"], authorization_response=trial.browse(url), code_verifier=verifier, state=state)
    keys = KeySet.import_key_set(session.get(metadata["jwks_uri"], withhold_token=True).json())
    decoded = jwt.decode(tokens["id_token"], keys, algorithms=metadata["id_token_signing_alg_values_supported"])
    claims = CodeIDToken(
        decoded.claims, decoded.header, {"iss": {"value": trial.issuer}, "aud": {"value": trial.client_id}},
        {"nonce": nonce, "access_token": tokens["access_token"], "client_id": trial.client_id})
    claims.validate(leeway=60)
    userinfo = session.get(metadata["userinfo_endpoint"]).json()
    assert userinfo["sub"] == claims["sub"] and userinfo["email"] == EMAIL, userinfo
    first = tokens["access_token"]
    renewed = session.refresh_token(metadata["token_endpoint"], tokens["refresh_token"])
    assert renewed["access_token"] != first
    assert session.get(metadata["userinfo_endpoint"]).json() == userinfo
    answer = session.revoke_token(
        metadata["revocation_endpoint"], renewed["refresh_token"], token_type_hint="refresh_token")
    assert answer.status_code == 200, answer.status_code
    again = session.post(
        metadata["token_endpoint"], data={"grant_type": "refresh_token", "refresh_token": renewed["refresh_token"]},
        auth=(trial.client_id, trial.client_secret), withhold_token=True)
    assert again.status_code == 400 and again.json()["error"] == "invalid_grant", again.text


def idpyoidc(trial):
    """idpyoidc: its handler of relying parties does the whole flow."""
    from idpyoidc.client.rp_handler import RPHandler

    handler = RPHandler(
        client_configs={
            "provider": {
                "issuer": trial.issuer, "client_type": "oidc", "client_id": trial.client_id,
                "client_secret": trial.client_secret, "redirect_uris": [REDIRECT_URI],
                "provider_info": {}, "client_authn_methods": ["client_secret_basic"],
                "preference": {"response_types_supported": ["code"], "scopes_supported": SCOPE.split()},
                "add_ons": {"pkce": {
                    "function": "idpyoidc.client.oauth2.add_on.pkce.add_support",
                    "kwargs": {"code_challenge_length": 64, "code_challenge_method": "S256"}}},
            }},
        keyjar=None, httpc_params={"verify": trial.roots, "timeout": 20})
    url = handler.begin("provider")
    answer = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(trial.browse(url)).query))
    result = handler.finalize(answer["iss"], answer)
    assert "error" not in result, result
    assert result["userinfo"]["email"] == EMAIL and result["userinfo"]["sub"] == result["id_token"]["sub"], result
    renewed = handler.refresh_access_token(result["state"], handler.issuer2rp[trial.issuer], scope="openid")
    assert renewed["access_token"] != result["token"], renewed


def oic(trial):
    """pyoidc (package oic): discovery, authorization, token, userinfo, refresh."""
    from oic import rndstr
    from oic.oic import Client
    from oic.oic.message import AuthorizationResponse, RegistrationResponse
    from oic.utils.authn.client import CLIENT_AUTHN_METHOD
    from oic.utils.settings import OicClientSettings

    client = Client(client_authn_method=CLIENT_AUTHN_METHOD, settings=OicClientSettings(verify_ssl=trial.roots, timeout=20))
    client.provider_config(trial.issuer)
    client.store_registration_info(RegistrationResponse(
        client_id=trial.client_id, client_secret=trial.client_secret, redirect_uris=[REDIRECT_URI],
        token_endpoint_auth_method="client_secret_basic"))
    state, nonce = rndstr(32), rndstr(32)
    request = client.construct_AuthorizationRequest(request_args={
        "client_id": trial.client_id, "response_type": "code", "scope": SCOPE.split(), "nonce": nonce, "state": state,
        "redirect_uri": REDIRECT_URI})
    url = trial.browse(request.request(client.authorization_endpoint))
    answer = client.parse_response(
        AuthorizationResponse, info=urllib.parse.urlsplit(url).query, sformat="urlencoded")
    assert answer["state"] == state, answer
    tokens = client.do_access_token_request(
        state=state, request_args={"code": answer["code"], "redirect_uri": REDIRECT_URI},
        authn_method="client_secret_basic")
    assert tokens["id_token"]["nonce"] == nonce and tokens["id_token"]["iss"] == trial.issuer, tokens
    userinfo = client.do_user_info_request(state=state)
    assert userinfo["sub"] == tokens["id_token"]["sub"] and userinfo["email"] == EMAIL, userinfo
    renewed = client.do_access_token_refresh(state=state, authn_method="client_secret_basic")
    assert renewed["access_token"] != tokens["access_token"], renewed


def authlib_device(trial):
    """Authlib without a browser: codes, questions until its user has answered at another place, refresh."""
    from authlib.integrations.requests_client import OAuth2Session, OAuthError

    session = OAuth2Session(
        trial.client_id, trial.client_secret, scope=SCOPE, token_endpoint_auth_method="client_secret_basic")
    session.trust_env = False
    session.verify = trial.roots
    metadata = session.get(trial.issuer + "/.well-known/openid-configuration", withhold_token=True).json()
    codes = session.post(
        metadata["device_authorization_endpoint"], data={"scope": SCOPE}, auth=(trial.client_id, trial.client_secret),
        withhold_token=True).json()

    def ask():
        return session.fetch_token(
            metadata["token_endpoint"], grant_type="urn:ietf:params:oauth:grant-type:device_code",
            device_code=codes["device_code"])

    def refusal():
        try:
            return ask()
        except OAuthError as error:
            return error.error

    assert [refusal(), refusal()] == ["authorization_pending", "slow_down"]
    browser = trial.person.browser
    page = browser.open(codes["verification_uri_complete"])
    page = browser.submit(page, page.form("username", "password"), {"username": USER, "password": PASSWORD})
    assert page.kind == "device" and page.form("user_code"), page.kind
    page = browser.submit(page, page.form("user_code"))
    assert page.kind == "device-question" and codes["user_code"] in page.text, page.text
    page = browser.submit(page, page.form("decision"), button=("decision", "allow"))
    assert page.kind == "device-allowed", page.text
    tokens = ask()
    assert tokens["id_token"] and tokens["token_type"] == "Bearer", tokens
    assert session.get(metadata["userinfo_endpoint"]).json()["email"] == EMAIL
    renewed = session.refresh_token(metadata["token_endpoint"], tokens["refresh_token"])
    assert renewed["access_token"] != tokens["access_token"]
    assert refusal() == "invalid_grant"


PARTIES = {"Authlib": authlib, DEVICE: authlib_device, "idpyoidc": idpyoidc, "oic": oic}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("names", nargs="*", metavar="NAME")
    proxy.add_options(parser)
    arguments = parser.parse_args()
    names = arguments.names or list(PARTIES)
    logging.disable(logging.ERROR)
    provider, failed = proxy.provider(arguments), []
    try:
        with provider:
            provider.add_user(USER, PASSWORD, EMAIL, "Alice Archer")
            # Some keep files where they are.
            os.chdir(provider.root)
            trials = {name: Trial(provider, name, "client_secret_basic") for name in names}
            provider.prepared()
            for name, trial in trials.items():
                try:
                    PARTIES[name](trial)
                    print(f"  {name} logs in", flush=True)
                except Exception:
                    traceback.print_exc()
                    failed.append(name)
                    print(f"  FAILED: {name}", flush=True)
            good = proxy.verdict(provider, not failed)
            if failed:
                print("".join(provider.log[-20:]))
    finally:
        shutil.rmtree(provider.root, ignore_errors=True)
    print(f"{len(names) - len(failed)} of {len(names)} relying parties log in")
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
