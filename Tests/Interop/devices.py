"""Our command as a device without a browser, at a server of the Python library authlib: devices.py JOSE [--plant]

The server gives codes, has the device wait and slow down, and gives tokens once a user has answered, or none. With --plant it gives the
tokens of another user, which must be noticed."""

import argparse
import json
import subprocess
import sys
import threading
import time

import flask
from authlib.integrations.flask_oauth2 import AuthorizationServer
from authlib.oauth2.rfc6749 import ClientMixin
from authlib.oauth2.rfc8628 import DeviceAuthorizationEndpoint, DeviceCodeGrant, DeviceCredentialDict
from joserfc import jwt
from joserfc.jwk import ECKey, KeySet
from werkzeug.serving import make_server

CLIENT = "tv"
GRANT = "urn:ietf:params:oauth:grant-type:device_code"


class Client(ClientMixin):
    client_id = CLIENT

    def get_client_id(self):
        return CLIENT

    def check_endpoint_auth_method(self, method, endpoint):
        return method == "none"

    def check_grant_type(self, grant_type):
        return grant_type == GRANT

    def get_allowed_scope(self, scope):
        return scope

    def check_client_secret(self, secret):
        return True


class Server:
    """A provider with a key, a client and a user who answers after some questions."""

    def __init__(self, answer, key=None):
        self.answer, self.questions, self.codes, self.times = answer, 0, {}, []
        self.key = ECKey.generate_key("P-256", {"kid": "k", "use": "sig", "alg": "ES256"})
        self.signing = key or self.key
        app = flask.Flask("devices")
        self.listener = make_server("127.0.0.1", 0, app)
        self.issuer = f"http://127.0.0.1:{self.listener.port}"
        self.set_up(app)
        threading.Thread(target=self.listener.serve_forever, daemon=True).start()

    def set_up(self, app):
        server = self

        class Codes(DeviceAuthorizationEndpoint):
            INTERVAL = 1

            def get_verification_uri(self):
                return server.issuer + "/device"

            def save_device_credential(self, client_id, scope, data):
                server.codes[data["device_code"]] = DeviceCredentialDict(
                    data, client_id=client_id, scope=scope, expires_at=time.time() + 60, verification_uri="x")

        class Grant(DeviceCodeGrant):
            TOKEN_ENDPOINT_AUTH_METHODS = ["none"]

            def query_device_credential(self, code):
                server.times.append(time.monotonic())
                return server.codes.get(code)

            def query_user_grant(self, user_code):
                server.questions += 1
                if server.questions < 3 or server.answer is None:
                    return None
                return "jane", server.answer

            def should_slow_down(self, credential):
                return server.questions == 2

        def client(client_id):
            return Client() if client_id == CLIENT else None

        def save(token, request):
            now = int(time.time())
            claims = {"iss": server.issuer, "aud": CLIENT, "sub": "jane", "iat": now, "exp": now + 300}
            token["id_token"] = jwt.encode({"alg": "ES256", "kid": "k"}, claims, server.signing)

        authorization = AuthorizationServer(app, query_client=client, save_token=save)
        authorization.register_grant(Grant)
        authorization.register_endpoint(Codes)

        @app.get("/.well-known/openid-configuration")
        def metadata():
            return {
                "issuer": server.issuer, "authorization_endpoint": server.issuer + "/authorize",
                "token_endpoint": server.issuer + "/token", "jwks_uri": server.issuer + "/jwks",
                "device_authorization_endpoint": server.issuer + "/codes"}

        @app.get("/jwks")
        def keys():
            return KeySet([server.key]).as_dict(private=False)

        @app.post("/codes")
        def codes():
            return authorization.create_endpoint_response("device_authorization")

        @app.post("/token")
        def token():
            return authorization.create_token_response()


def run(jose, server):
    done = subprocess.run(
        [jose, "login", "--device", "--plain-http", "--issuer", server.issuer, "--client-id", CLIENT, "--scope", "profile"],
        capture_output=True, text=True, timeout=120)
    server.listener.shutdown()
    return done


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("jose")
    parser.add_argument("--plant", action="store_true", help="sign the ID token by a key that is not published")
    arguments = parser.parse_args()
    import logging

    logging.disable(logging.ERROR)
    other = ECKey.generate_key("P-256", {"kid": "k"}) if arguments.plant else None
    server = Server(True, other)
    done = run(arguments.jose, server)
    failures = []
    if done.returncode or "id_token" not in done.stdout:
        failures.append(f"no login: {done.stderr}")
    else:
        tokens = json.loads(done.stdout)
        code = next(iter(server.codes.values()))["user_code"]
        pauses = [round(after - before) for before, after in zip(server.times, server.times[1:])]
        if code not in done.stderr or server.issuer + "/device" not in done.stderr:
            failures.append("the user was not told what to do")
        # One second, and five more from the second answer on.
        if pauses != [1, 6]:
            failures.append(f"the device waited {pauses} seconds, not 1 and 6")
        if not tokens["access_token"]:
            failures.append("no access token")
    refused = run(arguments.jose, Server(False))
    if refused.returncode != 1 or "access_denied" not in refused.stderr:
        failures.append(f"a refusal was taken for something else: {refused.stderr}")
    for failure in failures:
        print("FAILED", failure)
    print(f"a device at authlib's server: {'all as expected' if not failures else f'{len(failures)} not as expected'}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
