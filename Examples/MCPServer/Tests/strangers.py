"""Our agent uses servers of others, and ours: strangers.py AGENT SERVER PROVIDER

A server of PyPI's package fastmcp with the authorization server of the package mcp, at which the agent is registered; and one that knows
clients by their documents alone and sends their users on to our provider. At our own it adds a note, for which it has to log in twice."""

import logging
import os
import pathlib
import re
import subprocess
import sys
import threading
import time
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "IdentityProvider" / "Tests" / "Support"))

import fastmcp
import flask
import httpx2
import uvicorn
from authlib.integrations.flask_oauth2 import AuthorizationServer
from authlib.oauth2.rfc6749 import ClientCredentialsGrant, ClientMixin
from fastmcp.server.auth import OAuthProxy, cimd
from fastmcp.server.auth.providers.in_memory import InMemoryOAuthProvider
from fastmcp.server.auth.providers.jwt import JWTVerifier
from fastmcp.server.auth.ssrf import SSRFFetchResponse
from mcp.shared.auth import OAuthClientInformationFull
from werkzeug.serving import make_server

from agents import PASSWORD, REDIRECT_URI, SCOPES, USER, Local, Trial, free_port
from browser import Browser, Person

AGENT = "https://agent.example.com/agent.json"


class Server:
    """Notes at a port of this machine, with tools that need a login."""

    def __init__(self, port, auth):
        notes = fastmcp.FastMCP("notes", auth=auth)

        @notes.tool
        def greet(name: str) -> str:
            return f"hello, {name}"

        self.address = f"http://127.0.0.1:{port}/mcp"
        app = notes.http_app(path="/mcp", json_response=True, stateless_http=True)
        self.server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=port, log_level="error"))
        threading.Thread(target=self.server.run, daemon=True).start()
        while not self.server.started:
            time.sleep(0.05)


def run(agent, address, browse, *options, call=("greet", "name=tea")):
    """What the agent prints at last. `browse` leads the user from an address to the agent's own."""
    process = subprocess.Popen(
        [agent, address, *options, *call], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    said, pages = [], 0
    for line in process.stdout:
        said.append(line)
        answer = "yes" if line.startswith("Log in at") else None
        if found := re.match(r"Open (\S+)", line):
            pages, answer = pages + 1, browse(found[1])
        if answer:
            process.stdin.write(answer + "\n")
            process.stdin.flush()
    process.stdin.close()
    if process.wait():
        raise AssertionError("".join(said)[-600:])
    return "".join(said[-2:]), pages


def registered(agent, _, __):
    """A server with the authorization server of mcp, at which the agent is registered."""
    port = free_port()
    auth = InMemoryOAuthProvider(base_url=f"http://127.0.0.1:{port}", required_scopes=["notes.read"])
    auth.clients["agent"] = OAuthClientInformationFull(
        client_id="agent", redirect_uris=[REDIRECT_URI], scope="notes.read", token_endpoint_auth_method="none",
        grant_types=["authorization_code", "refresh_token"])
    server = Server(port, auth)
    metadata = httpx2.get(f"http://127.0.0.1:{port}/.well-known/oauth-authorization-server").json()

    def browse(url):
        fields = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(url).query))
        assert fields["resource"] == server.address and fields["scope"] == "notes.read", fields
        return httpx2.get(url, follow_redirects=False).headers["location"]

    answer, pages = run(agent, server.address, browse, "--client", metadata["issuer"], "agent")
    assert "hello, tea" in answer and pages == 1, answer


def documented(agent, _, program):
    """A server that knows clients by their documents, and sends their users on to our provider."""
    port = free_port()
    provider = Local(program, environment={"IDP_LOGIN_ATTEMPTS_PER_MINUTE": "1000"}).start()
    try:
        provider.add_user(USER, PASSWORD, "alice@example.com", "Alice Archer")
        base = f"http://127.0.0.1:{port}"
        members = provider.add_client("Notes", [base + "/auth/callback"], "--resource", base + "/mcp")
        auth = OAuthProxy(
            upstream_authorization_endpoint=provider.issuer + "/authorize",
            upstream_token_endpoint=provider.issuer + "/token", upstream_client_id=members["client_id"],
            upstream_client_secret=members["client_secret"], base_url=base, require_authorization_consent=False,
            token_verifier=JWTVerifier(
                jwks_uri=provider.issuer + "/jwks", issuer=provider.issuer, audience=base + "/mcp", algorithm="ES256",
                required_scopes=["openid"]))

        async def fetched(url, **_):
            # The network between is not what is tried here, and theirs reaches no address of this machine.
            assert url == AGENT, url
            body = (
                '{"client_id":"%s","client_name":"Agent","redirect_uris":["%s"],"token_endpoint_auth_method":"none"}'
                % (AGENT, REDIRECT_URI)).encode()
            return SSRFFetchResponse(content=body, status_code=200, headers={"content-type": "application/json"})

        cimd.ssrf_safe_fetch_response = fetched
        server = Server(port, auth)
        person = Person(Browser(provider.issuer), USER, PASSWORD)

        def browse(url):
            with httpx2.Client(follow_redirects=False) as web:
                away = web.get(url).headers["location"]
                back = person.arrives(away).url
                return web.get(back).headers["location"]

        answer, pages = run(agent, server.address, browse, "--document", AGENT)
        assert "hello, tea" in answer and pages == 1, answer
    finally:
        provider.stop()
        provider.relay.close()


def ours(agent, server, program):
    """Our own server, which wants another scope for a note than for the list of its tools."""
    trial = Trial(server, program, False)
    try:
        members = trial.provider.add_client(
            "Agent", [REDIRECT_URI], "--public", "--scope", SCOPES, "--resource", trial.server)
        person = Person(Browser(trial.provider.issuer), USER, PASSWORD)
        answer, pages = run(
            agent, trial.server, lambda url: person.arrives(url).url, "--client", trial.provider.issuer,
            members["client_id"], call=("add_note", "text=tea"))
        assert "added" in answer and pages == 2, (answer, pages)
    finally:
        trial.end()


def machine(agent, server, program):
    """A token of the agent's own, from a server of authlib's, and from our provider for our server."""
    app, seen = flask.Flask("machines"), []

    class Machine(ClientMixin):
        def get_client_id(self):
            return "nightly"

        def check_client_secret(self, secret):
            return secret == "s3cret"

        def check_endpoint_auth_method(self, method, endpoint):
            return method == "client_secret_basic"

        def check_grant_type(self, grant_type):
            return grant_type == "client_credentials"

        def get_allowed_scope(self, scope):
            return scope

    authorization = AuthorizationServer(
        app, query_client=lambda name: Machine() if name == "nightly" else None,
        save_token=lambda token, request: seen.append((token["access_token"], request.form.to_dict())))
    authorization.register_grant(ClientCredentialsGrant)
    app.post("/token")(authorization.create_token_response)

    @app.post("/mcp")
    def notes():
        assert flask.request.headers["Authorization"] == "Bearer " + seen[0][0]
        return {"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": "tea"}]}}

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    listener = make_server("127.0.0.1", 0, app)
    threading.Thread(target=listener.serve_forever, daemon=True).start()
    base = f"http://127.0.0.1:{listener.port}"
    os.environ["NOTES_SECRET"] = "s3cret"
    answer, pages = run(agent, base + "/mcp", None, "--machine", base + "/token", "nightly", call=("list_notes",))
    assert "tea" in answer and pages == 0, answer
    form = seen[0][1]
    assert len(seen) == 1 and form["resource"] == base + "/mcp" and form["scope"] == "notes.read", seen
    trial = Trial(server, program, False)
    try:
        members = trial.provider.add_client(
            "Nightly", [], "--machine-scope", "notes.read", "--resource", trial.server)
        os.environ["NOTES_SECRET"] = members["client_secret"]
        answer, pages = run(
            agent, trial.server, None, "--machine", trial.provider.issuer + "/token", members["client_id"],
            call=("list_notes",))
        assert '"content"' in answer and pages == 0, answer
    finally:
        trial.end()


def main():
    failures = 0
    for check in (registered, documented, ours, machine):
        try:
            check(*sys.argv[1:4])
            print(f"ok      {check.__doc__}")
        except Exception:
            import traceback

            traceback.print_exc()
            failures += 1
            print(f"FAILED  {check.__doc__}")
    os._exit(1 if failures else 0)


if __name__ == "__main__":
    main()
