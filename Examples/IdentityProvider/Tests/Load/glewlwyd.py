"""Another provider of OpenID with SQLite, set up as its documentation has it: glewlwyd, in C, from Debian."""

import base64
import http.client
import json
import os
import pathlib
import shutil
import socket
import sqlite3
import subprocess
import tempfile
import time
import urllib.parse

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

SCHEMA = "/usr/share/dbconfig-common/data/glewlwyd/install/sqlite3"
CONFIGURATION = "/etc/glewlwyd/glewlwyd.conf"
ADMINISTRATOR = {"username": "admin", "password": "password"}
USER = {"username": "alice", "password": "correct horse battery staple"}
PREFIX = "/api/oidc"


class Glewlwyd:
    """In a folder of its own, on a free port."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="glewlwyd-")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.address = f"http://127.0.0.1:{self.port}"
        self.process, self.cookie = None, None

    def __enter__(self):
        database = os.path.join(self.folder, "glewlwyd.sqlite")
        connection = sqlite3.connect(database)
        connection.executescript(pathlib.Path(SCHEMA).read_text())
        connection.close()
        lines = [
            line for line in pathlib.Path(CONFIGURATION).read_text().splitlines()
            if not line.startswith(("port", "log_", "external_url", "@include"))]
        lines += [
            f"port={self.port}", f'external_url="{self.address}"', 'bind_address="127.0.0.1"',
            'log_mode="file"', 'log_level="ERROR"', f'log_file="{self.folder}/log"',
            f'database = {{ type = "sqlite3" path = "{database}" }};']
        path = os.path.join(self.folder, "glewlwyd.conf")
        pathlib.Path(path).write_text("\n".join(lines) + "\n")
        self.process = subprocess.Popen(["glewlwyd", f"--config-file={path}"])
        for _ in range(100):
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                break
            except OSError:
                time.sleep(0.1)
        self._set_up()
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(30)
        shutil.rmtree(self.folder, ignore_errors=True)

    def ask(self, method, path, body=None, form=None, headers=()):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        headers = {**dict(headers), **({"Cookie": self.cookie} if self.cookie else {})}
        text = None
        if body is not None:
            text, headers["Content-Type"] = json.dumps(body), "application/json"
        if form is not None:
            text, headers["Content-Type"] = urllib.parse.urlencode(form), "application/x-www-form-urlencoded"
        connection.request(method, path, text, headers)
        answer = connection.getresponse()
        octets = answer.read()
        if cookie := answer.getheader("Set-Cookie"):
            self.cookie = cookie.partition(";")[0]
        connection.close()
        if answer.status != 200:
            raise RuntimeError(f"glewlwyd: {method} {path}: {answer.status} {octets[:300]!r}")
        return json.loads(octets) if octets else None

    def _set_up(self):
        """A user, and the plugin of OpenID with ES256 and with refresh tokens that are good once."""
        key = ec.generate_private_key(ec.SECP256R1())
        private = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()).decode()
        public = key.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo).decode()
        self.ask("POST", "/api/auth/", ADMINISTRATOR)
        self.ask("POST", "/api/user/", {**USER, "name": "Alice Archer", "email": "alice@example.com", "scope": ["openid"]})
        self.ask("POST", "/api/mod/plugin/", {
            "module": "oidc", "name": "oidc", "display_name": "OpenID", "parameters": {
                "iss": self.address, "jwt-type": "ecdsa", "jwt-key-size": "256", "key": private, "cert": public,
                "access-token-duration": 3600, "refresh-token-duration": 1209600, "code-duration": 600,
                "refresh-token-rolling": True, "refresh-token-one-use": "always", "allow-non-oidc": True,
                "auth-type-code-enabled": True, "auth-type-token-enabled": True, "auth-type-id-token-enabled": True,
                "auth-type-password-enabled": True, "auth-type-client-enabled": True, "auth-type-refresh-enabled": True,
                "subject-type": "public", "jwks-show": True, "introspection-revocation-allowed": True,
                "introspection-revocation-auth-scope": [], "introspection-revocation-allow-target-client": True}})

    def client(self, name):
        """Identifier and credentials."""
        self.ask("POST", "/api/client/", {
            "client_id": name, "name": name, "confidential": True, "client_secret": "secret of " + name, "enabled": True,
            "authorization_type": ["password", "refresh_token", "code"], "token_endpoint_auth_method": ["client_secret_basic"],
            "redirect_uri": ["https://client.example/callback"], "scope": ["openid"]})
        return name, "Basic " + base64.b64encode(f"{name}:secret of {name}".encode()).decode()

    def log_in(self, client, _=0):
        return self.ask("POST", PREFIX + "/token", form={**USER, "grant_type": "password", "scope": "openid"}, headers={
            "Authorization": client[1]})
