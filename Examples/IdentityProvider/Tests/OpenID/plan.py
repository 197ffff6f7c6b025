"""OpenID Connect's plans for providers, rebuilt by the modules' public names: Basic (38), Config (1), RP-initiated logout (11) and
back-channel logout (2).

plan.py PROGRAM [--only TEXT] [--self-test | --nodes N [--plant apart|sticky|blind]]

A module passes, passes with warnings, is skipped where the plan allows that for what is not offered, or fails. One that can't be run has
failed. `--self-test` runs the modules against a provider behind a relay that lies in one way after the other, and demands that the
modules named with each lie fail, and that each module is named with one. `--nodes` puts several providers behind a proxy in the place
of one, and demands besides that each has answered its share; see proxy.py.
"""

import argparse
import http.server
import pathlib
import shutil
import sys
import time
import traceback

sys.path[:0] = [str(pathlib.Path(__file__).parent), str(pathlib.Path(__file__).parent.parent / "Support")]

import faults
import proxy
from conditions import Skipped
from flow import Client, Session, World
from modules import codes, discovery, logout, prompts, requests, scopes, server
from modules.plan import MODULES
from relay import Listener

BASIC = """
oidcc-server oidcc-response-type-missing oidcc-idtoken-signature oidcc-idtoken-unsigned oidcc-userinfo-get
oidcc-userinfo-post-header oidcc-userinfo-post-body oidcc-ensure-request-without-nonce-succeeds-for-code-flow
oidcc-scope-profile oidcc-scope-email oidcc-scope-address oidcc-scope-phone oidcc-scope-all oidcc-alternate-happy-flow
oidcc-display-page oidcc-display-popup oidcc-prompt-login oidcc-prompt-none-not-logged-in oidcc-prompt-none-logged-in
oidcc-max-age-1 oidcc-max-age-10000 oidcc-ensure-request-with-unknown-parameter-succeeds oidcc-id-token-hint
oidcc-login-hint oidcc-ui-locales oidcc-claims-locales oidcc-ensure-request-with-acr-values-succeeds oidcc-codereuse
oidcc-codereuse-30seconds oidcc-ensure-registered-redirect-uri oidcc-ensure-post-request-succeeds
oidcc-server-client-secret-post oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported
oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported oidcc-claims-essential
oidcc-ensure-request-object-with-redirect-uri oidcc-refresh-token oidcc-ensure-request-with-valid-pkce-succeeds
""".split()
CONFIG = ["oidcc-discovery-endpoint-verification"]
LOGOUT = [
    "oidcc-rp-initiated-logout" + suffix for suffix in (
        "-discovery-endpoint-verification", "", "-no-state", "-bad-post-logout-redirect-uri",
        "-query-added-to-post-logout-redirect-uri", "-modified-id-token-hint", "-bad-id-token-hint", "-no-id-token-hint",
        "-no-params", "-only-state", "-no-post-logout-redirect-uri")]
BACKCHANNEL = [
    "oidcc-backchannel-rp-initiated-logout-discovery-endpoint-verification", "oidcc-backchannel-rp-initiated-logout"]
PLANS = {"Basic": BASIC, "Config": CONFIG, "RP-initiated logout": LOGOUT, "Back-channel logout": BACKCHANNEL}
SIZES = {"Basic": 38, "Config": 1, "RP-initiated logout": 11, "Back-channel logout": 2}
ORDER = [name for names in PLANS.values() for name in names]
POST_LOGOUT_URI = "https://client.example/bye"
REDIRECT_URI = "https://client.example/callback"
USER, PASSWORD = "alice", "correct horse battery staple"
CLAIMS = {
    "given_name": "Alice", "family_name": "Archer", "middle_name": "Anne", "nickname": "Al", "profile": "https://alice.example/",
    "picture": "https://alice.example/me.png", "website": "https://alice.example/", "gender": "female",
    "birthdate": "1984-02-29", "zoneinfo": "Europe/Berlin", "locale": "en-GB", "preferred_username": "alice",
    "phone_number": "+49 30 123456", "phone_number_verified": True, "email_verified": True,
    "address": {"street_address": "Main Street 1", "locality": "Berlin", "postal_code": "10115", "country": "Germany"}}


class Published(Listener):
    """Request objects by reference, at addresses of their own."""

    def __init__(self, authority):
        self.texts = {}

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                text = self.server.texts.get(self.path)
                self.send_response(200 if text else 404)
                self.send_header("Content-Type", "application/oauth-authz-req+jwt")
                self.end_headers()
                self.wfile.write((text or "").encode())

            def log_message(self, *arguments):
                pass

        super().__init__(authority, Handler)

    def publish(self, text):
        path = f"/{len(self.texts)}"
        self.texts[path] = text
        return f"https://localhost:{self.server_port}{path}"


def prepare(provider):
    """A user, and the clients that the plan needs."""
    provider.add_user(USER, PASSWORD, "alice@example.com", "Alice Archer", CLAIMS)

    told = logout.Backchannel(Listener, provider.authority)

    def client(name, method, *options):
        members = provider.add_client(
            name, [REDIRECT_URI], "--auth-method", method, "--post-logout", POST_LOGOUT_URI, *options)
        return Client(members, method, REDIRECT_URI)

    world = World(
        provider.issuer, provider.authority.client(), USER, PASSWORD,
        {
            "basic": client("First client", "client_secret_basic"),
            "second": client("Second client", "client_secret_basic"),
            "post": client("Posting client", "client_secret_post"),
            "told": client("Told client", "client_secret_basic", "--backchannel-logout", told.url),
        })
    world.post_logout_uri, world.backchannel = POST_LOGOUT_URI, told
    world.publish = Published(provider.authority).publish
    return world


def run(name, world, verbose=False):
    """The result and what there is to say about it."""
    session = None
    try:
        session = Session(world)
        MODULES[name](session)
    except Skipped as skipped:
        return "skipped", str(skipped)
    except AssertionError as error:
        return "failed", str(error)
    except Exception as error:
        if verbose:
            traceback.print_exc()
        return "failed", f"could not be run: {type(error).__name__}: {error}"
    return ("warned" if session.warnings else "passed"), "; ".join(session.warnings)


def run_plan(world, only):
    results = {}
    for name in ORDER:
        if only in name:
            begun = time.monotonic()
            results[name] = run(name, world, verbose=True)
            print(f"  {results[name][0]:8} {name} ({time.monotonic() - begun:.1f} s)", flush=True)
    print("\n| Module | Result | Remarks |\n|---|---|---|")
    for name, (result, remark) in results.items():
        print(f"| `{name}` | {result} | {remark.replace('|', '/')} |")
    for plan, names in PLANS.items():
        names = [name for name in names if name in results]
        good = sum(results[name][0] != "failed" for name in names)
        counts = ", ".join(
            f"{count} {kind}" for kind in ("passed", "warned", "skipped", "failed")
            if (count := sum(results[name][0] == kind for name in names)))
        if names:
            print(f"{plan}: {good} of {len(names)} ({counts})")
    return all(result != "failed" for result, _ in results.values())


def run_self_test(provider, world, only):
    wrong, named = [], set()
    for description, (fault, names) in faults.FAULTS.items():
        for name in names:
            named.add(name)
            if only not in name:
                continue
            provider.relay.fault = fault()
            result, remark = run(name, world)
            provider.relay.fault = faults.Fault()
            print(f"  {'found' if result == 'failed' else 'NOT FOUND'}: {description}: {name}: {remark[:110]}", flush=True)
            if result != "failed":
                wrong.append((description, name))
    if missing := [name for name in ORDER if name not in named]:
        print(f"no lie is told to {missing}")
    print(f"{len(faults.FAULTS)} lies, {len(wrong)} not found")
    return not wrong and not missing


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--only", default="")
    parser.add_argument("--self-test", action="store_true")
    proxy.add_options(parser)
    arguments = parser.parse_args()
    if arguments.self_test and arguments.nodes > 1:
        parser.error("the relay that lies is before one provider")
    if sorted(ORDER) != sorted(MODULES) or SIZES != {plan: len(names) for plan, names in PLANS.items()}:
        sys.exit(f"the plan is not whole: {set(ORDER) ^ set(MODULES)}")
    provider = proxy.provider(arguments)
    try:
        with provider:
            world = prepare(provider)
            if arguments.self_test:
                good = run_self_test(provider, world, arguments.only)
            else:
                provider.prepared()
                good = proxy.verdict(provider, run_plan(world, arguments.only))
            if not good:
                print("The provider's last lines:\n" + "".join(provider.log[-20:]))
    finally:
        shutil.rmtree(provider.root, ignore_errors=True)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
