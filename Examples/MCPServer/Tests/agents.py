"""Agents use the server of notes after their user has logged in at the provider: agents.py SERVER PROVIDER [--plant]

The client is that of PyPI's package mcp, once registered and once known by a document of its own: it finds its way from the server's
refusal to a token, asks for more when a tool needs more, and renews its token. With --plant the provider has another server in mind,
which each agent must notice."""

import asyncio
import http.server
import json
import os
import pathlib
import queue
import socket
import subprocess
import sys
import threading
import time
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "IdentityProvider" / "Tests" / "Support"))

import httpx2
from mcp import Client
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider
from mcp.client.auth.extensions.client_credentials import ClientCredentialsOAuthProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import OAuthClientInformationFull, OAuthClientMetadata

from browser import Browser, Person
from provider import Provider
from relay import Fault, Relay

USER, PASSWORD = "alice", "correct horse battery staple"
REDIRECT_URI = "http://127.0.0.1:8765/callback"
SCOPES = "notes.read notes.write offline_access"


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Memory:
    """Keeps what the client wants kept."""

    def __init__(self, known=None):
        self.tokens, self.known = None, known

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.known

    async def set_client_info(self, known):
        self.known = known


class Agent:
    def __init__(self, trial, known=None, document=None):
        self.trial, self.callbacks, self.scopes = trial, queue.Queue(), []
        self.memory = Memory(known)
        self.login = OAuthClientProvider(
            trial.server, OAuthClientMetadata(redirect_uris=[REDIRECT_URI], client_name="Agent"), self.memory,
            redirect_handler=self.browse, callback_handler=self.returned, client_metadata_url=document)

    async def browse(self, url):
        fields = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(url).query))
        assert fields["resource"] == self.trial.server and fields["code_challenge_method"] == "S256", fields
        self.scopes.append(fields["scope"].split())
        person = Person(Browser(self.trial.provider.issuer), USER, PASSWORD)
        callback = await asyncio.to_thread(person.arrives, url)
        self.pages = [page.text for page in callback.pages if page.kind == "consent"]
        self.callbacks.put(callback.parameters)

    async def returned(self):
        answer = self.callbacks.get(timeout=10)
        assert answer["iss"] == self.trial.provider.issuer, answer
        return AuthorizationCodeResult(code=answer["code"], state=answer["state"], iss=answer["iss"])

    async def use(self):
        """Lists, adds, which needs another scope, and lists again by a token that was renewed."""
        async with httpx2.AsyncClient(auth=self.login, timeout=30) as web:
            async with Client(streamable_http_client(self.trial.server, http_client=web)) as client:
                assert {tool.name for tool in (await client.list_tools()).tools} == {"list_notes", "add_note"}
                before = (await said(client, "list_notes")).split()
                assert [sorted(scopes) for scopes in self.scopes] == [["notes.read", "offline_access"]], self.scopes
                assert await said(client, "add_note", text="tea") == "added"
                assert len(self.scopes) == 2 and {"notes.read", "notes.write"} <= set(self.scopes[1]), self.scopes
                first = self.memory.tokens
                self.login.context.token_expiry_time = time.time() - 1
                assert (await said(client, "list_notes")).split() == before + ["tea"]
                renewed = self.memory.tokens
                assert renewed.access_token != first.access_token and renewed.refresh_token != first.refresh_token
                assert len(self.scopes) == 2, "a refresh needs no browser"


async def said(client, tool, **arguments):
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result
    return result.content[0].text


class Documents:
    """Serves an agent's own document under https, as its maker does."""

    def __init__(self, authority, host):
        documents = {}

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                body = documents.get(self.path)
                self.send_response(200 if body else 404)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body or b"")))
                self.end_headers()
                self.wfile.write(body or b"")

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.socket = authority.server().wrap_socket(self.server.socket, server_side=True)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.address = f"https://{host}:{self.server.server_address[1]}/agent.json"
        documents["/agent.json"] = json.dumps({
            "client_id": self.address, "client_name": "Agent <b>", "redirect_uris": [REDIRECT_URI],
            "grant_types": ["authorization_code", "refresh_token"], "token_endpoint_auth_method": "none"}).encode()


class Plain(Relay):
    """The same without TLS, for programs on this machine alone: the server of notes trusts no authority but the system's."""

    def __init__(self):
        self.target, self.fault = None, Fault()
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://localhost:{self.server.server_port}"


class Local(Provider):
    def front(self):
        return Plain()


class Trial:
    def __init__(self, server, program, is_planted):
        port, self.host = free_port(), "agents.example"
        self.server, self.is_planted = f"http://127.0.0.1:{port}/mcp", is_planted
        environment = {
            "IDP_PLAIN_OAUTH_ALLOWED": "true", "IDP_CLIENT_DOCUMENT_HOSTS": self.host, "IDP_CLIENT_DOCUMENT_SCOPES": SCOPES,
            "IDP_CLIENT_DOCUMENT_RESOURCES": self.resource(is_planted), "IDP_LOGIN_ATTEMPTS_PER_MINUTE": "1000"}
        self.provider = Local(program, environment=environment, names=("localhost", self.host))
        self.provider.starter = self.naming()
        self.provider.start()
        self.provider.add_user(USER, PASSWORD, "alice@example.com", "Alice Archer")
        self.process = subprocess.Popen([server, str(port), self.provider.issuer])
        for _ in range(100):
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                time.sleep(0.1)

    def resource(self, is_planted):
        return self.server + "/other" if is_planted else self.server

    def naming(self):
        """What starts a program for which the agent's maker has a name on this machine: a document's host must have one."""
        hosts = os.path.join(self.provider.root, "hosts")
        with open("/etc/hosts") as known, open(hosts, "w") as file:
            file.write(f"{known.read()}\n127.0.0.1 {self.host}\n")
        start = ["unshare", "--mount", "sh", "-c", 'mount --bind "$0" /etc/hosts && exec "$@"', hosts]
        if subprocess.run([*start, "true"], capture_output=True).returncode:
            print("CAN'T RUN: a name for one process alone needs the rights of root", file=sys.stderr)
            sys.exit(3)
        return start

    def end(self):
        self.process.terminate()
        self.process.wait()
        self.provider.stop()
        self.provider.relay.close()


def registered(trial):
    """An agent that the provider's operator has registered."""
    members = trial.provider.add_client(
        "Agent", [REDIRECT_URI], "--public", "--scope", SCOPES, "--resource", trial.resource(trial.is_planted))
    known = OAuthClientInformationFull(
        client_id=members["client_id"], redirect_uris=[REDIRECT_URI], issuer=trial.provider.issuer,
        token_endpoint_auth_method="none")
    agent = Agent(trial, known)
    asyncio.run(agent.use())


def documented(trial):
    """An agent that nobody has registered: the page names the host of its document, and warns."""
    documents = Documents(trial.provider.authority, trial.host)
    agent = Agent(trial, document=documents.address)
    asyncio.run(agent.use())
    assert agent.memory.known.client_id == documents.address, agent.memory.known
    assert agent.pages and all(trial.host in page and "your own machine" in page for page in agent.pages), agent.pages
    documents.server.shutdown()


def machine(trial):
    """An agent without a user has a token for itself, and notes of its own."""
    members = trial.provider.add_client(
        "Nightly", [], "--machine-scope", "notes.read notes.write", "--resource", trial.resource(trial.is_planted))

    async def use():
        login = ClientCredentialsOAuthProvider(
            trial.server, Memory(), members["client_id"], members["client_secret"], scope="notes.read",
            issuer=trial.provider.issuer)
        async with httpx2.AsyncClient(auth=login, timeout=30) as web:
            async with Client(streamable_http_client(trial.server, http_client=web)) as client:
                assert await said(client, "list_notes") == ""

    asyncio.run(use())


def refused(trial):
    """Tokens of the same provider for another resource, and none."""
    status = httpx2.post(trial.server, json={"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
    assert status.status_code == 401 and "resource_metadata=" in status.headers["www-authenticate"], status.headers
    assert "offline_access" not in status.headers["www-authenticate"]


def main():
    trial, failures = Trial(*sys.argv[1:3], "--plant" in sys.argv), 0
    try:
        for check in (refused, registered, documented, machine):
            try:
                check(trial)
                print(f"ok      {check.__doc__.splitlines()[0]}")
            except Exception:
                failures += 1
                import traceback

                traceback.print_exc()
                print(f"FAILED  {check.__doc__.splitlines()[0]}")
    finally:
        trial.end()
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
