"""The example server under a Mac in Python, under the doctor, and under kill -9.

    Tests/Interop/psso_serve.py path/to/jose path/to/psso-serve path/to/sso.mobileconfig

Registers Macs, logs users in by password, key and browser, refreshes, fetches and uses unlock keys, kills the server in between and during
a burst of refreshes, replays what it had been sent before, and registers keys with attestations that `cryptography` made, good and bad.
"""

import datetime
import hashlib
import http.client
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from urllib.parse import parse_qs, quote, urlencode, urlsplit

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding

from psso_mac import Mac
from psso_wire import JWT_BEARER, SCOPE, b64, b64u, decrypt, key_id, lp, point, sign, unb64u

BASE, CLIENT, USER, PASSWORD, TOKEN = "https://idp.example.com", "psso-client", "jane@example.com", "correct horse", "token of the profile"
SETTINGS = {
    "baseURL": BASE, "clientID": CLIENT, "audience": BASE, "apps": ["ABCDE12345.com.example.mac.ssoe"], "registrationToken": TOKEN,
    "users": [
        {"name": USER, "password": PASSWORD, "subject": "5b1f8c3e", "fullName": "Jane Example", "groups": ["staff"]},
        {"name": "joe@example.com", "password": "battery staple", "subject": "77aa"},
    ],
}


class Server:
    """A process of the server: begun anew after each kill, with the same state, on a port of the system's choice."""

    def __init__(self, binary, folder, settings):
        self.binary, self.folder, self.settings = binary, folder, os.path.join(folder, "settings.json")
        with open(self.settings, "w", encoding="utf-8") as file:
            json.dump(settings, file)
        self.starts = 0
        self.last = None

    def command(self):
        return [self.binary, "--settings", self.settings, "--state", os.path.join(self.folder, "state"), "--port", "0"]

    def start(self):
        self.starts += 1
        path = os.path.join(self.folder, f"log-{self.starts}")
        with open(path, "wb") as log:
            self.process = subprocess.Popen(self.command(), stdout=log, stderr=subprocess.STDOUT)
        end = time.monotonic() + 60
        while time.monotonic() < end and self.process.poll() is None:
            with open(path, encoding="utf-8") as log:
                if found := re.search(r"listening on http://127\.0\.0\.1:(\d+)", log.read()):
                    self.port = int(found[1])
                    return
            time.sleep(0.05)
        with open(path, encoding="utf-8") as log:
            raise SystemExit(f"the server did not start: {log.read()}")

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(30)

    def exchange(self, method, url, headers, body):
        """Status, headers and body; whatever the address says, this server is asked."""
        parts = urlsplit(url)
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request(method, parts.path + ("?" + parts.query if parts.query else ""), body.encode() or None, headers)
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read().decode()
        finally:
            connection.close()

    def send(self, method, url, headers, body):
        self.last = (method, url, headers, body)
        status, _, text = self.exchange(method, url, headers, body)
        return status, text

    def log(self):
        with open(os.path.join(self.folder, f"log-{self.starts}"), encoding="utf-8") as log:
            return log.read()


def equal(got, expected, what):
    if got != expected:
        raise SystemExit(f"{what}: {got!r} instead of {expected!r}")


def refused(what, action, status):
    """The Mac's action must fail with a status; the Mac raises an AssertionError that holds it."""
    try:
        action()
    except AssertionError as refusal:
        equal(refusal.args[0][-2], status, what)
    else:
        raise SystemExit(f"{what}: accepted")


def registration(mac, name, token=TOKEN, **more):
    signing, encryption = point(mac.signing.public_key()), point(mac.encryption.public_key())
    return {
        "device_id": name, "signing_key": b64(signing), "signing_key_id": key_id(signing), "encryption_key": b64(encryption),
        "encryption_key_id": key_id(encryption), "registration_token": token, **more,
    }


def proved(server, mac, name, key):
    """Registers the Mac with a proof by a key: that it has signed for the Mac's keys and a fresh nonce."""
    nonce, request_id = mac.nonce()
    members = registration(mac, name, nonce=nonce)
    claims = {name: members[name] for name in ("nonce", "signing_key_id", "encryption_key_id")}
    header = {"typ": "device-registration+jwt", "alg": "ES256"}
    return post_json(server, "/register", {**members, "key_proof": sign(key, header, claims)}, {"client-request-id": request_id})


def post_json(server, path, members, headers=None):
    return server.send("POST", BASE + path, {"Content-Type": "application/json", **(headers or {})}, json.dumps(members))[0]


def new_mac(server):
    _, _, keys = server.exchange("GET", BASE + "/jwks", {}, "")
    key = json.loads(keys)["keys"][0]
    return Mac(server.send, {
        "client_id": CLIENT, "user": USER, "token": BASE + "/psso/token", "issuer": BASE, "audience": BASE,
        "id_token_key": b"\x04" + unb64u(key["x"]) + unb64u(key["y"]),
    })


def whole_day(server):
    """Registration, logins, refresh and keys, with the server killed in between."""
    mac = new_mac(server)
    equal(post_json(server, "/register", registration(mac, "mac-1", "guess")), 403, "another registration token")
    equal(post_json(server, "/register", {**registration(mac, "mac-1"), "signing_key_id": key_id(b"x")}), 400, "another key's identifier")
    equal(post_json(server, "/register", registration(mac, "mac-1")), 201, "registration")
    other = new_mac(server)
    other.signing = mac.signing
    equal(post_json(server, "/register", registration(other, "mac-2")), 409, "another Mac with the same key")
    mac.log_in(PASSWORD)
    macos_13(server, mac, 400)
    refused("a wrong password", lambda: mac.log_in("guess"), 401)

    user_key = ec.generate_private_key(ec.SECP256R1())
    own = point(user_key.public_key())
    enrolment = {"user_key": b64(own), "user_key_id": key_id(own)}
    equal(post_json(server, "/register/user", {**enrolment, "access_token": "guess"}), 401, "another access token")
    equal(post_json(server, "/register/user", {**enrolment, "access_token": mac.refresh_token}), 201, "a user's key")
    mac.log_in_by_key(user_key)
    mac.refresh()
    replay = server.last
    mac.fetch_key()
    mac.exchange()
    equal(server.send(*replay)[0], 400, "a request twice")

    server.kill()
    server.start()
    equal(server.send(*replay)[0], 400, "a request twice, before and after a restart")
    for _ in range(2):
        mac.exchange()
    mac.refresh()
    mac.log_in_by_key(user_key)
    before = mac.unlock_key
    mac.fetch_key()
    equal(point(mac.unlock_key), point(before), "the unlock key after a restart")

    # Registered anew, the Mac begins from nothing.
    old_token, old_context = mac.refresh_token, mac.key_context
    former = mac.signing
    mac.signing, mac.encryption = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    equal(post_json(server, "/register", registration(mac, "mac-1")), 409, "other keys under a registered name")
    equal(proved(server, mac, "mac-1", mac.signing), 409, "other keys that vouch for themselves")
    equal(proved(server, mac, "mac-1", former), 201, "other keys that the registered one has signed for")
    refused("a refresh token of a former registration", mac.refresh, 401)
    refused("a user's key of a former registration", lambda: mac.log_in_by_key(user_key), 400)
    mac.log_in(PASSWORD)
    mac.refresh_token, new_token = old_token, mac.refresh_token
    refused("a former refresh token", mac.refresh, 401)
    mac.refresh_token = new_token
    mac.fetch_key()
    mac.key_context = old_context
    refused("a key context of a former registration", mac.exchange, 400)
    print("server: a whole day, with kill -9 in between")


def bursts(server):
    """Refreshes one after the other until the server is killed: the last token that the Mac was given is good afterwards."""
    mac = new_mac(server)
    equal(post_json(server, "/register", registration(mac, "mac-burst")), 201, "registration")
    mac.log_in(PASSWORD)
    mac.fetch_key()
    for burst in range(5):
        enough = threading.Event()

        def killer(enough=enough):
            enough.wait(60)
            server.kill()

        thread = threading.Thread(target=killer)
        thread.start()
        refreshes = 0
        try:
            while True:
                mac.refresh()
                refreshes += 1
                if refreshes == 2 + burst:
                    enough.set()
        except (OSError, http.client.HTTPException):
            pass
        thread.join(60)
        server.start()
        mac.refresh()
        mac.exchange()
    print("server: five bursts of refreshes, each ended by kill -9, and no token lost")


def browser(server):
    """A login by a browser: discovery, signed request, page, way back, token exchange."""
    mac = new_mac(server)
    equal(post_json(server, "/register", registration(mac, "mac-web")), 201, "registration")

    def page():
        request_id = str(uuid.uuid4()).upper()
        status, _, body = server.exchange("GET", f"{BASE}/psso/discovery?user={quote(USER)}", {"client-request-id": request_id}, "")
        equal(status, 200, "discovery")
        answer = json.loads(body)
        header = {"typ": "platformsso-authorization-request+jwt", "alg": "ES256", "kid": key_id(point(mac.signing.public_key()))}
        form = urlencode({"request": sign(mac.signing, header, answer["authorizationRequest"])})
        status, _, text = server.exchange(
            "POST", answer["authorizationURL"], {"Content-Type": "application/x-www-form-urlencoded"}, form)
        equal(status, 200, "the login page")
        return answer["authorizationRequest"]["state"], re.search(r'name="login" value="([^"]+)"', text)[1]

    def submit(name, password):
        form = urlencode({"login": name, "user": USER, "password": password})
        return server.exchange("POST", BASE + "/psso/login", {"Content-Type": "application/x-www-form-urlencoded"}, form)

    _, name = page()
    equal(submit(name, "guess")[0], 401, "a wrong password in the browser")
    equal(submit(name, PASSWORD)[0], 400, "a page that was used")
    state, name = page()
    status, headers, _ = submit(name, PASSWORD)
    equal(status, 303, "the way back")
    callback = headers["Location"]
    query = parse_qs(urlsplit(callback).query)
    equal(query["state"], [state], "the state that comes back")

    def exchange(user=USER, address=callback):
        claims = {
            "username": user, "sub": user, "grant_type": "urn:ietf:params:oauth:grant-type:token-exchange", "subject_token": address,
            "subject_token_type": "urn:apple:platformsso:authorization-code-response", "scope": SCOPE + " urn:apple:platformsso:auth:login",
        }
        return mac.tokens("web login", "platformsso-login-request+jwt", claims)

    exchange()
    refused("a code twice", exchange, 401)
    state, name = page()
    callback = submit(name, PASSWORD)[1]["Location"]
    refused("a code with another state", lambda: exchange(address=callback.replace(state, str(uuid.uuid4()))), 401)
    refused("and then the right one", lambda: exchange(address=callback), 401)
    callback = submit(page()[1], PASSWORD)[1]["Location"]
    refused("another user's code", lambda: exchange("joe@example.com", callback), 401)
    print("server: logins by a browser")


# Attestation

NOW = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0)
DAY = datetime.timedelta(days=1)
OID = "1.2.840.113635.100.8."


def name(text):
    return x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, text)])


def certificate(subject, key, issuer, issuer_key, authority, start=NOW - DAY, end=NOW + DAY, extensions=()):
    builder = (
        x509.CertificateBuilder().subject_name(subject).issuer_name(issuer).public_key(key).serial_number(x509.random_serial_number())
        .not_valid_before(start).not_valid_after(end)
        .add_extension(x509.BasicConstraints(ca=authority, path_length=None), critical=True)
        .add_extension(
            x509.KeyUsage(not authority, False, False, False, False, authority, authority, False, False), critical=True))
    for tail, value in extensions:
        builder = builder.add_extension(x509.UnrecognizedExtension(x509.ObjectIdentifier(OID + tail), value), critical=False)
    return builder.sign(issuer_key, hashes.SHA384())


class Attester:
    """What Apple's server does for a Mac, with a root of its own."""

    def __init__(self):
        self.root_key, self.key = (ec.generate_private_key(ec.SECP384R1()) for _ in range(2))
        self.root_name, self.name = name("Test Attestation Root"), name("Test Attestation CA")
        self.root = certificate(self.root_name, self.root_key.public_key(), self.root_name, self.root_key, True)
        self.authority = certificate(self.name, self.key.public_key(), self.root_name, self.root_key, True)

    def chain(self, key, nonce, serial="C02ABC123", udid="00008103-0001", **more):
        extensions = [("11.1", hashlib.sha256(nonce.encode()).digest())]
        extensions += [(tail, text.encode()) for tail, text in (("9.1", serial), ("9.2", udid)) if text is not None]
        leaf = certificate(name("attested"), key, self.name, self.key, False, extensions=extensions, **more)
        return [leaf.public_bytes(Encoding.DER), self.authority.public_bytes(Encoding.DER)]


def attestation(binary, folder):
    attester, stranger = Attester(), Attester()
    roots = os.path.join(folder, "roots.pem")
    with open(roots, "wb") as file:
        file.write(attester.root.public_bytes(Encoding.PEM))
    server = Server(binary, folder, {**SETTINGS, "attestationRoots": roots, "servesMacOS13": True})
    server.start()
    try:
        cases = 0

        def register(what, expected, change=None, nonce=None, **claims):
            """A new Mac with an attestation, of which `change` makes another; it gets key, nonce and attester."""
            nonlocal cases
            mac = new_mac(server)
            fresh, request_id = mac.nonce()
            nonce = nonce or fresh
            key = mac.signing.public_key()
            chain = change(key, nonce) if change else attester.chain(key, nonce)
            members = registration(mac, f"mac-{cases}", nonce=nonce, attestation=[b64(der) for der in chain], **claims)
            got = post_json(server, "/register", members, {"client-request-id": request_id})
            equal(got, expected, what)
            cases += 1
            return mac, nonce

        def flipped(chain, index, offset):
            der = bytearray(chain[index])
            der[offset] ^= 1
            chain[index] = bytes(der)
            return chain

        other = ec.generate_private_key(ec.SECP256R1()).public_key()
        mac, used = register("a good attestation", 201)
        mac.log_in(PASSWORD)
        macos_13(server, mac, 200)
        register("a good attestation and the serial number", 201, serial_number="C02ABC123", udid="00008103-0001")
        register("another serial number", 409, serial_number="C02XXX")
        register("another UDID", 409, udid="other")
        register("a nonce twice", 400, nonce=used)
        register("a nonce of one's own", 400, nonce="0f3a5c7e-1b2d-4e6f-8a9b-0c1d2e3f4a5b")
        register("no attestation", 400, lambda key, nonce: [])
        register("another nonce's attestation", 400, lambda key, nonce: attester.chain(key, used))
        register("another key", 400, lambda key, nonce: attester.chain(other, nonce))
        register("another root", 400, lambda key, nonce: stranger.chain(key, nonce))
        register("another root behind it", 400, lambda key, nonce: stranger.chain(key, nonce) + [attester.root.public_bytes(Encoding.DER)])
        register("another authority", 400, lambda key, nonce: stranger.chain(key, nonce)[:1] + attester.chain(key, nonce)[1:])
        register("the leaf alone", 400, lambda key, nonce: attester.chain(key, nonce)[:1])
        register("the authority alone", 400, lambda key, nonce: attester.chain(key, nonce)[1:])
        register("the other way round", 400, lambda key, nonce: attester.chain(key, nonce)[::-1])
        register("an expired leaf", 400, lambda key, nonce: attester.chain(key, nonce, start=NOW - 3 * DAY, end=NOW - DAY))
        register("a leaf of tomorrow", 400, lambda key, nonce: attester.chain(key, nonce, start=NOW + DAY, end=NOW + 2 * DAY))
        register("no serial number", 400, lambda key, nonce: attester.chain(key, nonce, serial=None))
        register("a blank UDID", 400, lambda key, nonce: attester.chain(key, nonce, udid=" "))
        register("no certificate", 400, lambda key, nonce: [b"\x30\x00"])
        for offset in (-1, 40, 200):
            register("a bit of the leaf", 400, lambda key, nonce, at=offset: flipped(attester.chain(key, nonce), 0, at))
            register("a bit of the authority", 400, lambda key, nonce, at=offset: flipped(attester.chain(key, nonce), 1, at))
        print(f"server: {cases} registrations with attestations")
    finally:
        server.kill()


def macos_13(server, mac, expected):
    """A login as macOS 13 sends it: type JWT, form field request, times as text, no iss, exp and sub. It returns what was answered."""
    server_nonce, request_id = mac.nonce()
    nonce = str(uuid.uuid4()).upper()
    apv = lp(b"Apple") + lp(point(mac.encryption.public_key())) + lp(nonce.encode())
    claims = {
        "aud": BASE + "/psso/token", "client_id": CLIENT, "grant_type": "password", "iat": str(int(time.time())),
        "jwe_crypto": {"alg": "ECDH-ES", "apv": b64u(apv), "enc": "A256GCM"}, "nonce": nonce, "password": PASSWORD,
        "request_nonce": server_nonce, "scope": SCOPE, "username": USER,
    }
    header = {"typ": "JWT", "alg": "ES256", "kid": key_id(point(mac.signing.public_key()))}
    form = urlencode({"platform_sso_version": "1.0", "grant_type": JWT_BEARER, "request": sign(mac.signing, header, claims)})
    status, answer = server.send(
        "POST", BASE + "/psso/token", {"Content-Type": "application/x-www-form-urlencoded", "client-request-id": request_id}, form)
    equal(status, expected, "a login of macOS 13")
    if status == 200:
        equal("id_token" in decrypt(answer, mac.encryption, apv)[1], True, "tokens for macOS 13")


def examine(jose, server, folder):
    """`jose psso doctor` over HTTP."""
    mac = new_mac(server)
    equal(post_json(server, "/register", registration(mac, "mac-doctor")), 201, "registration")

    def jwk(key, name):
        own = point(key.public_key())
        secret = key.private_numbers().private_value.to_bytes(32, "big")
        return {"kty": "EC", "crv": "P-256", "x": b64u(own[1:33]), "y": b64u(own[33:]), "d": b64u(secret), "kid": name}

    path = os.path.join(folder, "mac.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({
            "loginConfiguration": {
                "clientID": CLIENT, "issuer": BASE, "audience": BASE, "tokenEndpointURL": BASE + "/psso/token",
                "nonceEndpointURL": BASE + "/psso/nonce", "refreshEndpointURL": BASE + "/psso/token", "keyEndpointURL": BASE + "/psso/key",
                "jwksEndpointURL": BASE + "/jwks", "preset": "macOS",
            },
            "deviceSigningKey": jwk(mac.signing, "s"), "deviceEncryptionKey": jwk(mac.encryption, "e"), "user": {"loginUserName": USER},
            "login": {"method": "password", "password": PASSWORD},
        }, file)
    run = subprocess.run(
        [jose, "psso", "doctor", f"http://127.0.0.1:{server.port}", "--config", path, "--json", "--strict"], capture_output=True, text=True,
        timeout=600)
    report = json.loads(run.stdout) if run.stdout else {"checks": []}
    for check in report["checks"]:
        if check["verdict"] in ("wrong", "lenient"):
            print(check["verdict"], check["name"], check["observed"])
    print(f"doctor: {report.get('mutations')} mutations, {report.get('right')} right, {report.get('lenient')} lenient, {report.get('wrong')} wrong")
    equal(run.returncode, 0, run.stderr)
    equal(report["mutations"] >= 180, True, "enough mutations")


def second_server(server):
    """A second process with the same state is the same provider: it takes the nonce that the first has given."""
    other = Server(server.binary, server.folder, SETTINGS)
    other.starts = 1000
    other.start()
    try:
        mac = new_mac(server)
        equal(post_json(server, "/register", registration(mac, "mac-of-two")), 201, "registration")
        mac.log_in(PASSWORD)
        mac.fetch_key()
        given = mac.nonce
        mac.nonce = lambda: (given(), setattr(mac, "send", other.send))[0]
        mac.refresh()
        mac.send = server.send
        mac.exchange()
    finally:
        other.kill()
    print("server: two processes with one state")


def swift_mac(jose, server, profile, folder):
    """A day of the Mac in Swift, by the profile."""
    password = os.path.join(folder, "password.txt")
    with open(password, "w", encoding="utf-8") as file:
        file.write(PASSWORD + "\n")
    with open(profile, "rb") as file:
        text = file.read().replace(b"a long random text", TOKEN.encode())
    run = subprocess.run(
        [jose, "psso", "mac", f"http://127.0.0.1:{server.port}", "--user", USER, "--password-file", password], input=text, capture_output=True,
        timeout=120)
    print(run.stdout.decode(), end="")
    equal(run.returncode, 0, run.stderr.decode())


def main():
    jose, serve, profile = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        server = Server(serve, folder, SETTINGS)
        server.start()
        try:
            second_server(server)
            swift_mac(jose, server, profile, folder)
            whole_day(server)
            bursts(server)
            browser(server)
            examine(jose, server, folder)
            log = server.log()
            for secret in (PASSWORD, TOKEN):
                equal(secret in log, False, "a secret in the log")
            equal("answered 200" in log and "refused: " in log, True, "exchanges in the log")
            for name in os.listdir(os.path.join(folder, "state")):
                equal(os.stat(os.path.join(folder, "state", name)).st_mode & 0o077, 0, f"who may read {name}")
        finally:
            server.kill()
    with tempfile.TemporaryDirectory() as folder:
        attestation(serve, folder)


main()
