"""Platform SSO with a Mac and a provider in Python: the doctor examines the provider, and the Mac uses the package's own provider."""

import json
import os
import subprocess
import sys
import tempfile

from cryptography.hazmat.primitives.asymmetric import ec

from psso_mac import Mac
from psso_provider import Provider, serve
from psso_wire import b64u, point, unb64u

CLIENT, USER, PASSWORD = "psso-client", "jane@example.com", "correct horse"


def jwk(key, kid):
    own = point(key.public_key())
    secret = key.private_numbers().private_value.to_bytes(32, "big")
    return {"kty": "EC", "crv": "P-256", "x": b64u(own[1:33]), "y": b64u(own[33:]), "d": b64u(secret), "kid": kid}


def public(member):
    return {name: value for name, value in member.items() if name != "d"}


def new_key():
    return ec.generate_private_key(ec.SECP256R1())


def doctor(jose, folder, make, listen, *options, authority=None):
    """`jose psso doctor` against a provider that `make` makes and `listen` serves, with TLS if there is an authority's file."""
    provider = make("https://py.example.com", CLIENT, USER, PASSWORD)
    signing, encryption = new_key(), new_key()
    provider.register(point(signing.public_key()), point(encryption.public_key()))
    server = listen(provider)
    base = provider.base
    mac = {
        "loginConfiguration": {
            "clientID": CLIENT, "issuer": base, "audience": CLIENT, "tokenEndpointURL": base + "/token", "nonceEndpointURL": base + "/nonce",
            "refreshEndpointURL": base + "/token", "keyEndpointURL": base + "/keys", "jwksEndpointURL": base + "/jwks", "preset": "macOS",
        },
        "deviceSigningKey": jwk(signing, "s"), "deviceEncryptionKey": jwk(encryption, "e"), "user": {"loginUserName": USER},
        "login": {"method": "password", "password": PASSWORD},
    }
    path = os.path.join(folder, "mac.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(mac, file)
    scheme, environment = ("https", {**os.environ, "CURL_CA_BUNDLE": authority}) if authority else ("http", os.environ)
    run = subprocess.run(
        [jose, "psso", "doctor", f"{scheme}://127.0.0.1:{server.server_address[1]}", "--config", path, *options], capture_output=True,
        text=True, timeout=600, env=environment)
    server.shutdown()
    server.server_close()
    return run


def examine_python_provider(jose, folder):
    """`jose psso doctor` against the provider in Python, over HTTP."""
    run = doctor(jose, folder, Provider, serve, "--json")
    report = json.loads(run.stdout) if run.stdout else {"checks": [], "mutations": 0}
    for check in report["checks"]:
        if check["verdict"] in ("wrong", "lenient"):
            print(check["verdict"], check["name"], check["observed"])
    print(f"doctor: {report.get('mutations')} mutations, {report.get('right')} right, {report.get('lenient')} lenient, {report.get('wrong')} wrong")
    assert run.returncode == 0, run.stderr
    assert report["mutations"] >= 180


class OwnProvider:
    """The package's provider by `jose psso respond`, one process for each request."""

    def __init__(self, jose, folder):
        self.jose, self.path = jose, os.path.join(folder, "idp.json")
        self.token_key, self.login_key, self.user_key = new_key(), new_key(), new_key()

    def configure(self, mac):
        secret = {"kty": "oct", "k": b64u(os.urandom(32)), "alg": "HS256"}
        configuration = {
            "identityProvider": {
                "issuer": "https://idp.example.com", "clientIDs": [CLIENT], "audience": "https://idp.example.com",
                "tokenEndpointURL": "https://idp.example.com/psso/token", "clientRequestID": "boundToServerNonce",
                "loginRequestEncryptionAPVPrefix": "EXAMPLE",
            },
            "secret": secret, "idTokenKey": {**jwk(self.token_key, "idp-1"), "alg": "ES256"},
            "loginRequestDecryptionKeys": [jwk(self.login_key, "login")],
            "devices": [{"id": "mac-1", "signingKey": public(jwk(mac.signing, "s")), "encryptionKey": public(jwk(mac.encryption, "e"))}],
            "users": [{"name": USER, "password": PASSWORD, "keys": [{"device": "mac-1", "key": public(jwk(self.user_key, "u"))}]}],
        }
        with open(self.path, "w", encoding="utf-8") as file:
            json.dump(configuration, file)

    def send(self, method, url, headers, body):
        record = json.dumps({"method": method, "url": url, "headers": headers, "body": body})
        run = subprocess.run([self.jose, "psso", "respond", "--config", self.path], input=record, capture_output=True, text=True, check=True)
        answer = json.loads(run.stdout)
        if run.stderr:
            print(run.stderr.strip())
        return answer["status"], answer["body"]


def use_own_provider(jose, folder):
    provider = OwnProvider(jose, folder)
    mac = Mac(provider.send, {
        "client_id": CLIENT, "user": USER, "token": "https://idp.example.com/psso/token", "issuer": "https://idp.example.com",
        "audience": "https://idp.example.com", "id_token_key": point(provider.token_key.public_key()),
        "login_key": point(provider.login_key.public_key()), "apv_prefix": b"EXAMPLE",
    })
    provider.configure(mac)
    mac.log_in(PASSWORD)
    mac.log_in_encrypted(PASSWORD)
    mac.log_in_by_key(provider.user_key)
    mac.refresh()
    mac.fetch_key()
    for _ in range(3):
        mac.exchange()
    try:
        mac.log_in("guess")
    except AssertionError as refusal:
        assert refusal.args[0][1] == 401, refusal
    else:
        raise SystemExit("a wrong password was accepted")
    print("mac: every exchange with the package's provider")


def main():
    jose = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        use_own_provider(jose, folder)
        examine_python_provider(jose, folder)


if __name__ == "__main__":
    main()
