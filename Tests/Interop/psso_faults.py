"""Faults planted in the provider in Python, one at a time, which `jose psso doctor` must find over HTTP.

psso_faults.py JOSE [NAME]: all, or those whose name has NAME in it. Prints the recall, and what was missed. Each fault
replaces a text of the provider or of what it writes messages with, so that what is planted is what is run.
"""

import datetime
import ipaddress
import os
import ssl
import sys
import tempfile
import time
import types
import warnings

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from psso_interop import doctor

HERE = os.path.dirname(os.path.abspath(__file__))
WIRE, PROVIDER = "psso_wire.py", "psso_provider.py"

# Name, file, what stands there, what is planted.
FAULTS = [
    # Nonces.
    ("nonces that tell the time", PROVIDER, "nonce = b64(os.urandom(32))", 'nonce = "nonce-%026d" % time.time_ns()'),
    ("nonces that count", PROVIDER, "nonce = b64(os.urandom(32))",
     'self.count = getattr(self, "count", 0) + 1; nonce = "%040x" % self.count'),
    ("nonces of 64 bits", PROVIDER, "nonce = b64(os.urandom(32))", "nonce = b64(os.urandom(8))"),
    ("one nonce for all", PROVIDER, "nonce = b64(os.urandom(32))", 'nonce = "A" * 43'),
    ("nonces for any grant", PROVIDER, 'if form.get("grant_type") != "srv_challenge":', "if False:"),
    ("nonces by GET", PROVIDER, 'if path == "/jwks":', 'if path == "/nonce":\n                return self.nonce({"grant_type": "srv_challenge"})\n            if path == "/jwks":'),
    ("nonces are not used up", PROVIDER, "self.nonces.pop(self.text", "self.nonces.get(self.text"),
    ("nonces are not looked up", PROVIDER, "if given <= now:", "if False:"),
    ("nonces at another place", PROVIDER, '{"Nonce": nonce}', '{"value": nonce}'),
    ("responses may be kept", PROVIDER, '"no-store, no-cache"', '"max-age=60"'),
    # Headers and signatures.
    ("typ is not looked at", PROVIDER, ' or header.get("typ") not in types', ""),
    ("alg is not looked at", PROVIDER, 'header.get("alg") != "ES256" or ', ""),
    ("crit is not looked at", PROVIDER, 'if any(name in header for name in ("crit", "zip", "b64")):', "if False:"),
    ("any device's kid", PROVIDER, "device = self.devices.get(kid if isinstance(kid, str) else None)", "device = list(self.devices.values())[0]"),
    ("signatures are not verified", WIRE, "    except InvalidSignature as error:", "    except InvalidSignature as error:\n        return parse(unb64u(body))"),
    ("signatures may be longer", WIRE, "    if len(octets) != 64:", "    octets = octets[:64]\n    if len(octets) != 64:"),
    ("members may come twice", WIRE, "    if len(set(names)) != len(names):", "    if False:"),
    # Claims.
    ("iss is not looked at", PROVIDER, 'if claims.get("iss") != self.client_id:', "if False:"),
    ("iat may be ahead", PROVIDER, "issued > now + 60 or ", ""),
    ("exp may be past", PROVIDER, "expires <= now or ", ""),
    ("requests live for ever", PROVIDER, " or expires - issued > 600", ""),
    ("nonce may be empty", PROVIDER, "if not 1 <= len(nonce) <= 128:", "if False:"),
    ("aud is not looked at", PROVIDER, "        if audience != expected:", "        if False:"),
    ("aud is not looked at in key requests", PROVIDER, '        if "aud" in claims:', "        if False:"),
    ("aud of a list", PROVIDER, "if isinstance(audience, list) and len(audience) == 1:", "if isinstance(audience, list):\n            return\n        if False:"),
    ("client_id is not looked at", PROVIDER, 'claims.get("client_id") != self.client_id or ', ""),
    ("iat with a fraction is refused", PROVIDER, "not isinstance(value, (int, float))", "not isinstance(value, int)"),
    ("iat a little ahead is refused", PROVIDER, "issued > now + 60", "issued > now"),
    ("an array of one aud is refused", PROVIDER, "if isinstance(audience, list) and len(audience) == 1:", "if False:"),
    ("unknown claims are refused", PROVIDER, '        crypto = claims.get("jwe_crypto")', '        if "x-unknown" in claims:\n            raise Refused("claim")\n        crypto = claims.get("jwe_crypto")'),
    # The answer's encryption.
    ("jwe_crypto is not looked at", PROVIDER, ' or crypto.get("alg") != "ECDH-ES" or crypto.get("enc") != "A256GCM"', ""),
    ("apv is not looked at", PROVIDER, "if fields(apv) != ", "if False and fields(apv) != "),
    ("apv of another Mac", PROVIDER, 'if fields(apv) != [b"Apple", device[1], nonce.encode()]:', 'if fields(apv)[::2] != [b"Apple", nonce.encode()]:'),
    ("apv of another nonce", PROVIDER, 'if fields(apv) != [b"Apple", device[1], nonce.encode()]:', 'if fields(apv)[:2] != [b"Apple", device[1]]:'),
    # Users and passwords.
    ("any password", PROVIDER, ' or self.text(claims, "password") != self.password', ""),
    ("passwords are compared in part", PROVIDER, 'self.text(claims, "password") != self.password', 'not self.text(claims, "password").startswith(self.password)'),
    ("sub and username may differ", PROVIDER, 'if not user or user != self.text(claims, "username"):', "if not user:"),
    ("a wrong password is 400", PROVIDER, 'return 401, "application/json", b\'{"error":"invalid_grant"}\'', 'return 400, "application/json", b\'{"error":"invalid_grant"}\''),
    ("a wrong password is 403", PROVIDER, 'return 401, "application/json"', 'return 403, "application/json"'),
    ("a wrong password is 200 and nothing", PROVIDER, 'return 401, "application/json", b\'{"error":"invalid_grant"}\'', 'return 200, "application/json", b""'),
    ("everything is 401", PROVIDER, 'return 400, "application/json", b\'{"error":"invalid_request"}\'', 'return 401, "application/json", b\'{"error":"invalid_request"}\''),
    ("everything is 500", PROVIDER, 'return 400, "application/json", b\'{"error":"invalid_request"}\'', 'return 500, "application/json", b\'{"error":"server_error"}\''),
    ("an unknown user is 404", PROVIDER, '            if claims.get("sub") != self.user or', '            if claims.get("sub") != self.user:\n                raise KeyError("no user")\n            if'),
    ("any grant_type claim", PROVIDER, 'if grant != "password":', "if False:"),
    ("any grant_type claim in a refresh", PROVIDER, 'if grant != "refresh_token":', "if False:"),
    # Forms.
    ("any grant_type of the form", PROVIDER, ' or form.get("grant_type") != JWT_BEARER', ""),
    ("any version of the form", PROVIDER, ' or form.get("platform_sso_version") not in version', ""),
    ("a field may come twice", PROVIDER, 'if name in form and name in ("assertion", "request", "grant_type", "platform_sso_version"):', "if False:"),
    ("bodies of any type", PROVIDER, '!= "application/x-www-form-urlencoded":', "== None:"),
    # Tokens.
    ("refresh tokens are not looked up", PROVIDER, 'if self.refresh_tokens.get(self.text(claims, "refresh_token")) != self.user:', "if False:"),
    ("refresh tokens are not looked up in key requests", PROVIDER, 'if self.refresh_tokens.get(self.text(claims, "refresh_token")) != claims["sub"]:', "if False:"),
    ("one refresh token for all", PROVIDER, "refresh_token = b64u(os.urandom(32))", 'refresh_token = "refresh"'),
    ("a refresh gives the same token", PROVIDER, "refresh_token = b64u(os.urandom(32))", 'refresh_token = claims["refresh_token"] if is_refresh else b64u(os.urandom(32))'),
    ("a refresh withdraws the token before at once", PROVIDER, "            if claims.get(\"sub\", self.user) != self.user:", "            del self.refresh_tokens[claims[\"refresh_token\"]]\n            if claims.get(\"sub\", self.user) != self.user:"),
    ("sub changes with a refresh", PROVIDER, '"sub": self.user, "nonce"', '"sub": self.user + ("-2" if is_refresh else ""), "nonce"'),
    ("an ID token of two seconds", PROVIDER, '"exp": now + 3600}', '"exp": now + 2}'),
    ("an ID token without nonce", PROVIDER, '"nonce": claims["nonce"], "iat"', '"iat"'),
    ("an ID token of another nonce", PROVIDER, '"nonce": claims["nonce"], "iat"', '"nonce": "x", "iat"'),
    ("an ID token of another issuer", PROVIDER, '{"iss": self.base, "aud"', '{"iss": self.base + "/", "aud"'),
    ("an ID token for another client", PROVIDER, '"aud": self.client_id, "sub"', '"aud": "other", "sub"'),
    ("an ID token from the future", PROVIDER, '"iat": now, "exp": now + 3600', '"iat": now + 3600, "exp": now + 7200'),
    ("an ID token by another key", PROVIDER, "            self.id_token_key, {", "            ec.generate_private_key(ec.SECP256R1()), {"),
    ("an ID token that is not signed", PROVIDER, '{"typ": "JWT", "alg": "ES256", "kid": "py-1"}', '{"typ": "JWT", "alg": "none", "kid": "py-1"}'),
    ("an ID token without sub", PROVIDER, '"sub": self.user, "nonce"', '"nonce"'),
    ("a session of an hour", PROVIDER, '"refresh_token_expires_in": "28800"', '"refresh_token_expires_in": "3600"'),
    ("no life of the session", PROVIDER, '"refresh_token_expires_in": "28800", ', ""),
    # The messages.
    ("apu with Apple for APPLE", WIRE, 'apu = lp(b"APPLE") + lp(own)', 'apu = lp(b"Apple") + lp(own)'),
    ("apu of another key", WIRE, 'apu = lp(b"APPLE") + lp(own)', 'apu = lp(b"APPLE") + lp(point(ec.generate_private_key(ec.SECP256R1()).public_key()))'),
    ("apu of another key in the header alone", WIRE, '"apu": b64u(apu),', '"apu": b64u(lp(b"APPLE") + lp(bytes(65))),'),
    ("no apu", WIRE, '"apu": b64u(apu),', ""),
    ("apu and apv exchanged", WIRE, "derive(ephemeral.exchange(ec.ECDH(), recipient), apu, apv)", "derive(ephemeral.exchange(ec.ECDH(), recipient), apv, apu)"),
    ("apv of another nonce in the header", WIRE, 'header["apv"] = b64u(apv)', 'header["apv"] = b64u(apv[:-1])'),
    ("apv left out of the key", WIRE, "derive(ephemeral.exchange(ec.ECDH(), recipient), apu, apv)", 'derive(ephemeral.exchange(ec.ECDH(), recipient), apu, b"")'),
    ("epk with a zero in front", WIRE, '"x": b64u(own[1:33])', '"x": b64u(bytes(1) + own[1:33])'),
    ("epk in standard base64", WIRE, '"x": b64u(own[1:33])', '"x": b64(own[1:33])'),
    ("a vector of 16 octets", WIRE, "    iv = os.urandom(12)\n    key", "    iv = os.urandom(16)\n    key"),
    ("typ of a request", WIRE, '        "typ": typ,', '        "typ": "platformsso-login-request+jwt",'),
    ("A128GCM", WIRE, '"enc": "A256GCM", "apu"', '"enc": "A128GCM", "apu"'),
    ("text/plain", PROVIDER, 'return 200, "application/" + typ, encrypt(members, recipient, apv, typ, False)', 'return 200, "text/plain", encrypt(members, recipient, apv, typ, False)'),
    # Keys.
    ("version is not looked at", PROVIDER, 'claims.get("version") != "1.0" or ', ""),
    ("key_purpose is not looked at", PROVIDER, ' or claims.get("key_purpose") != "user_unlock"', ""),
    ("any request_type", PROVIDER, 'elif claims.get("request_type") == "key_exchange":', "elif True:"),
    ("a certificate that has expired", PROVIDER, ".not_valid_after(now + datetime.timedelta(days=365))", ".not_valid_after(now - datetime.timedelta(hours=1))"),
    ("a certificate of another key", PROVIDER, ".public_key(self.unlock_key.public_key())", ".public_key(ec.generate_private_key(ec.SECP256R1()).public_key())"),
    ("key responses without exp", PROVIDER, 'members = {"iat": now, "exp": now + 300}', 'members = {"iat": now}'),
    ("key responses that have expired", PROVIDER, 'members = {"iat": now, "exp": now + 300}', 'members = {"iat": now - 600, "exp": now - 300}'),
    ("the secret in hexadecimal", PROVIDER, 'members["key"] = b64(key.exchange(ec.ECDH(), other))', 'members["key"] = key.exchange(ec.ECDH(), other).hex()'),
    ("the secret hashed", PROVIDER, 'b64(key.exchange(ec.ECDH(), other))', "b64(hashes_of(key.exchange(ec.ECDH(), other)))"),
    ("the secret without leading zeros", PROVIDER, 'b64(key.exchange(ec.ECDH(), other))', 'b64(key.exchange(ec.ECDH(), other).lstrip(bytes(1)))'),
    ("other_publickey as base64url", PROVIDER, 'public_key(unb64(self.text(claims, "other_publickey")))', 'public_key(unb64u(self.text(claims, "other_publickey").rstrip("=")))'),
    ("points in any form", PROVIDER, 'public_key(unb64(self.text(claims, "other_publickey")))', 'ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), unb64(self.text(claims, "other_publickey")))'),
    ("key_context is not looked at", PROVIDER, "                raise Refused(\"key_context\") from error", "                secret = self.unlock_key.private_numbers().private_value.to_bytes(32, \"big\")"),
    # Files.
    ("an association file as HTML", PROVIDER, 'return 200, "application/json", b\'{"authsrv"', 'return 200, "text/html", b\'<html>{"authsrv"'),
    ("an association file without the team", PROVIDER, "ABCDE12345.com.example", "com.example"),
    ("an association file of another member", PROVIDER, '{"authsrv":{"apps"', '{"webcredentials":{"apps"'),
    ("an association file that is not there", PROVIDER, 'if path == "/.well-known/apple-app-site-association":', "if False:"),
    ("an empty key set", PROVIDER, 'json.dumps({"keys": [key]})', 'json.dumps({"keys": []})'),
    ("a key set with short coordinates", PROVIDER, '"x": b64u(own[1:33]), "y"', '"x": b64u(own[2:33]), "y"'),
    ("a key set with private keys", PROVIDER, '"alg": "ES256", "use": "sig"}', '"alg": "ES256", "use": "sig", "d": b64u(self.id_token_key.private_numbers().private_value.to_bytes(32, "big"))}'),
    ("a key set without kid", PROVIDER, '"kid": "py-1", "alg": "ES256", "use"', '"alg": "ES256", "use"'),
    # Refusals.
    ("a trace in a refusal", PROVIDER, 'return 400, "application/json", b\'{"error":"invalid_request"}\'', 'import traceback; return 400, "text/plain", traceback.format_exc().encode()'),
    ("the password in a refusal", PROVIDER, 'return 401, "application/json", b\'{"error":"invalid_grant"}\'', 'return 401, "application/json", json.dumps({"error": "invalid_grant", "given": self.password}).encode()'),
    ("a name of a class in a refusal", PROVIDER, 'b\'{"error":"invalid_request"}\'\n\n', 'b\'{"error":"java.lang.IllegalStateException"}\'\n\n'),
]


def planted(fault):
    """The module of a provider with a fault."""
    modules = {}
    for name in (WIRE, PROVIDER):
        with open(os.path.join(HERE, name), encoding="utf-8") as file:
            source = file.read()
        if fault and fault[1] == name:
            if fault[2] not in source:
                raise SystemExit(f"{fault[0]}: its text is not in {name}")
            source = source.replace(fault[2], fault[3])
        module = types.ModuleType(name[:-3])
        module.hashes_of = lambda octets: __import__("hashlib").sha256(octets).digest()
        sys.modules[name[:-3]] = module
        exec(compile(source, name, "exec"), module.__dict__)  # pylint: disable=exec-used
        modules[name] = module
    return modules[PROVIDER]


def examine(jose, folder, fault):
    """The report about a server with a fault."""
    module = planted(fault)
    return doctor(jose, folder, module.Provider, module.serve)


def certificate(folder):
    """A file with a certificate of this machine, which is its own authority, and its key."""
    key = rsa.generate_private_key(65537, 2048)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "py.example.com")])
    now = datetime.datetime.now(datetime.timezone.utc)
    made = (
        x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key()).serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1)).not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True).sign(key, hashes.SHA256()))
    path = os.path.join(folder, "tls.pem")
    with open(path, "wb") as file:
        file.write(made.public_bytes(Encoding.PEM) + key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    return path


# Name, what a server with TLS agrees to: the oldest version, the newest, suites. The first is sound.
CONNECTIONS = [
    ("TLS as it should be", ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3, "ECDHE+AESGCM"),
    ("TLS 1.1", ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_2, "ALL:@SECLEVEL=0"),
    ("suites without forward secrecy", ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_2, "kRSA+AESGCM"),
]


def examine_connection(jose, folder, connection):
    """The report about a server without a fault but for its TLS."""
    module, path = planted(None), certificate(folder)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        context.minimum_version, context.maximum_version = connection[1:3]
    context.set_ciphers(connection[3])
    context.load_cert_chain(path)

    def listen(provider):
        server = module.serve(provider)
        server.socket = context.wrap_socket(server.socket, server_side=True)
        server.handle_error = lambda request, address: None
        return server

    return doctor(jose, folder, module.Provider, listen, "--quick", authority=path)


def main():
    jose, wanted = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else ""
    missed, long = [], []
    with tempfile.TemporaryDirectory() as folder:
        sound = examine(jose, folder, None)
        assert sound.returncode == 0 and " 0 lenient, 0 wrong" in sound.stdout, sound.stdout + sound.stderr
        sound = examine_connection(jose, folder, CONNECTIONS[0])
        assert sound.returncode == 0 and " 0 lenient, 0 wrong" in sound.stdout, sound.stdout + sound.stderr
        faults = [fault for fault in FAULTS + CONNECTIONS[1:] if wanted in fault[0]]
        for fault in faults:
            begin = time.monotonic()
            run = (examine_connection if fault in CONNECTIONS else examine)(jose, folder, fault)
            print(f"{time.monotonic() - begin:5.1f} s {fault[0]}: {run.stdout.splitlines()[-1] if run.stdout else run.stderr.strip()}", flush=True)
            if run.returncode not in (0, 1):
                raise SystemExit(f"{fault[0]}: {run.stderr}")
            found = run.returncode == 1 or " 0 lenient" not in run.stdout
            lines = len(run.stdout.splitlines())
            if not found:
                missed.append(fault[0])
            if lines > 12:
                long.append(f"{lines} lines: {fault[0]}")
            if wanted:
                print(run.stdout + run.stderr)
    print(f"doctor: {len(faults) - len(missed)} of {len(faults)} planted faults found; {len(long)} reports of more than 12 lines")
    for name in missed:
        print("missed:", name)
    for line in long:
        print(line)
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
