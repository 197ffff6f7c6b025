"""Drives the website and the two apps as a person would, beside a real provider: drive.py PROVIDER APP"""

import base64
import contextlib
import hashlib
import json
import os
import pathlib
import queue
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "IdentityProvider/Tests/Support"))

from joserfc import jws
from joserfc.jwk import ECKey

from browser import Browser, Callback, Person
from provider import Provider
from relay import Fault, Message, Relay

USER, PASSWORD = "alice", "correct horse battery staple"
checks = 0


def expect(what, condition, found=""):
    global checks
    checks += 1
    if not condition:
        raise AssertionError(f"{what}: {found}")
    print(f"  {what}", flush=True)


class Process:
    """A program whose lines are read as they come."""

    def __init__(self, *command):
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.lines, self.seen = queue.Queue(), []
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            self.lines.put(line.rstrip("\n"))
        self.lines.put(None)

    def line(self, pattern, seconds=60):
        """The next line that has it."""
        while True:
            line = self.lines.get(timeout=seconds)
            if line is None:
                raise AssertionError(f"no line {pattern!r}, but:\n" + "\n".join(self.seen[-20:]))
            self.seen.append(line)
            if found := re.search(pattern, line):
                return found

    def say(self, text):
        self.process.stdin.write(text + "\n")
        self.process.stdin.flush()

    def stop(self):
        self.process.terminate()
        self.process.wait(30)


class Watch(Fault):
    """Counts what the token endpoint grants, and refuses a token once if it is told to."""

    def __init__(self):
        self.grants, self.proofs, self.refuses = [], 0, False

    def request(self, message):
        if message.path == "/userinfo" and self.refuses:
            self.refuses = False
            return Message([("WWW-Authenticate", 'DPoP error="invalid_token", algs="ES256"')], b"", status=401)
        return None

    def response(self, asked, message):
        # The first request may lack the nonce that the provider wants in its proof.
        if asked.path == "/token" and message.status == 200:
            self.grants.append(dict(asked.form).get("grant_type"))
            self.proofs += asked.header("DPoP") is not None


class Tab:
    """One window on two origins: the site's and the provider's, each with its own cookies."""

    def __init__(self, site, provider, context):
        self.site = Browser(site, context)
        self.person = Person(Browser(provider, context), USER, PASSWORD)

    def home(self):
        return self.site.open(self.site.origin + "/")

    def leave(self, go):
        """Where the site sends the browser."""
        try:
            page = go()
        except Callback as callback:
            return callback.url
        raise AssertionError(f"the site shows {page.kind!r}: {page.text.strip()}")

    def log_in(self, **options):
        url = self.leave(lambda: self.site.open(self.site.origin + "/login"))
        callback = self.person.arrives(url, **options)
        return callback, self.site.open(callback.url, cross_site=True)

    def log_out(self, page):
        return self.leave(lambda: self.site.submit(page, page.forms[0]))


def website(provider, app, folder, running):
    key = os.path.join(folder, "site.jwk")
    jwks = subprocess.run([app, "key", "--file", key], capture_output=True, text=True, check=True).stdout
    expect("the site's key is private, and what is registered is not", '"d"' in open(key).read() and '"d"' not in jwks)
    expect("nobody else may read it", os.stat(key).st_mode & 0o077 == 0)
    with open(os.path.join(folder, "site.jwks"), "w") as file:
        file.write(jwks)
    front = Relay(provider.authority)
    running.callback(front.close)
    client = provider.add_client(
        "Site", [front.url + "/callback"], "--auth-method", "private_key_jwt", "--jwks", file.name,
        "--post-logout", front.url + "/", "--backchannel-logout", front.url + "/backchannel-logout")

    def start():
        site = Process(
            app, "site", "--issuer", provider.issuer, "--roots", provider.authority.roots, "--client-id", client["client_id"],
            "--key", key, "--url", front.url, "--port", "0")
        running.callback(site.stop)
        front.target = site.line(r"listening on (http://\S+)")[1]
        return site

    site = start()
    watch = provider.relay.fault = Watch()

    context = provider.authority.client()
    tab = Tab(front.url, provider.issuer, context)
    expect("a stranger sees the stranger's page", tab.home().kind == "stranger")
    _, page = Tab(front.url, provider.issuer, context).log_in(decision="deny")
    expect("who allows nothing is told so", page.kind == "trouble" and "not allowed" in page.text, page.text)
    callback, page = tab.log_in()
    kinds = [page.kind for page in callback.pages]
    expect("login and consent were asked", kinds == ["login", "consent"], kinds)
    expect("who is logged in sees it", page.kind == "user" and "Alice Archer" in page.text, page.text)
    expect("the code was redeemed once, with a proof", watch.grants == ["authorization_code"] and watch.proofs == 1, watch.grants)
    expect("  and the browser never saw a token", not any(b"eyJ" in answer.body for answer in tab.site.responses))
    expect("the same answer again is no login", tab.site.open(callback.url, cross_site=True).kind == "trouble")
    other = Tab(front.url, provider.issuer, context)
    expect("another browser can't use it", other.site.open(callback.url, cross_site=True).kind == "trouble")
    expect("  and is not logged in", other.home().kind == "stranger")

    watch.refuses = True
    expect("a token that is refused is renewed, unseen", tab.home().kind == "user")
    expect("  by one refresh, with a proof", watch.grants[1:] == ["refresh_token"] and watch.proofs == 2, watch.grants)
    target = provider.relay.target
    provider.relay.target = "http://127.0.0.1:9"
    expect("a provider that is away ends nothing", tab.home().kind == "trouble")
    provider.relay.target = target
    expect("  and the user is still there when it is back", tab.home().kind == "user")

    again = Tab(front.url, provider.issuer, context)
    again.person.browser = tab.person.browser
    callback, second = again.log_in()
    expect("a second visit by the same person asks for no password",
           second.kind == "user" and "login" not in [page.kind for page in callback.pages])

    url = tab.log_out(tab.home())
    expect("the logout goes on at the provider", url.startswith(provider.issuer) and "id_token_hint=" in url, url)
    try:
        page = tab.person.browser.open(url)
        tab.person.browser.submit(page, page.forms[0])
        raise AssertionError("the provider keeps the browser")
    except Callback as back:
        expect("  and comes back", back.url.split("?")[0] == front.url + "/", back.url)
    expect("  to the stranger's page", tab.home().kind == "stranger")
    expect("the other visit of that session has ended, too", again.home().kind == "stranger", again.home().kind)
    log = "\n".join(site.seen)
    expect("no token is in the log", "eyJ" not in log)
    return front.url, start


class Wallet:
    """Holds a card, and shows of it what its holder chooses (RFC 9901)."""

    def __init__(self):
        self.key, self.card = ECKey.generate_key("P-256"), None

    def presentation(self, names, audience, nonce, key=None):
        token, *disclosures, _ = self.card.split("~")
        shown = [text for text in disclosures if json.loads(base64.urlsafe_b64decode(text + "=="))[1] in names]
        signed = "~".join([token, *shown, ""])
        digest = base64.urlsafe_b64encode(hashlib.sha256(signed.encode()).digest()).rstrip(b"=").decode()
        claims = {"aud": audience, "nonce": nonce, "iat": int(time.time()), "sd_hash": digest}
        return signed + jws.serialize_compact({"alg": "ES256", "typ": "kb+jwt"}, json.dumps(claims), key or self.key)


def employee_card(provider, site, start):
    person = Person(Browser(provider.issuer, provider.authority.client()), USER, PASSWORD)
    wallet, other = Wallet(), ECKey.generate_key("P-256")

    def account():
        page = person.browser.open(provider.issuer + "/account")
        if page.kind == "login":
            page = person.browser.submit(page, page.form("username"), {"username": USER, "password": PASSWORD})
            page = person.browser.open(provider.issuer + "/account")
        return page

    def order(key):
        page = account()
        return person.browser.submit(page, page.form("key"), {"key": json.dumps(key), "password": PASSWORD})

    page = order(wallet.key.as_dict(private=True))
    expect("a wallet's private key is refused", page.kind == "account" and "private key" in page.text)
    page = order(wallet.key.as_dict(private=False))
    expect("its public key gets a card", page.kind == "card", page.text)
    wallet.card = re.search(r">([\w~.-]+~)</textarea>", page.response.text)[1]
    claims = json.loads(base64.urlsafe_b64decode(wallet.card.split(".")[1] + "=="))
    expect("  whose signed part names nobody", not {"name", "email", "sub"} & set(claims), claims)

    def shown(names, audience=None, nonce=None, key=None):
        visitor = Browser(site, provider.authority.client())
        page = visitor.open(site + "/card")
        asked = re.findall(r"<code data-\w+>([^<]+)</code>", page.response.text)
        text = wallet.presentation(names, audience or asked[0], nonce or asked[1], key)
        return visitor.submit(page, page.form("card"), {"card": text}), visitor, text

    page, visitor, text = shown(["name"])
    expect("the site sees the name", page.kind == "card" and "Alice Archer" in page.title, page.text)
    again = visitor.open(site + "/card", "POST", [("card", text)])
    expect("  once", again.kind == "trouble", again.text)
    expect("  and is told when it sees more", "more than your name" in shown(["name", "email"])[0].text)
    for what, found in (
            ("a card without the name", shown(["email"])), ("one shown to another site", shown(["name"], audience="https://a.example")),
            ("one shown earlier", shown(["name"], nonce="earlier")), ("one in other hands", shown(["name"], key=other))):
        expect(what + " is refused", found[0].kind == "trouble", found[0].text)
    page = account()
    page = person.browser.submit(page, page.form("card"))
    expect("the holder takes the card back", page.kind == "account" and "/account/card/withdraw" not in page.response.text)
    page, _, _ = shown(["name"])
    expect("  which a site learns when it asks for the list again", page.kind == "card", page.text)
    start()
    page, _, _ = shown(["name"])
    expect("  and then refuses", page.kind == "trouble" and "taken back" in page.text, page.text)


def two_apps(provider, app, folder):
    names = {}
    for name in ("mail", "chat"):
        names[name] = provider.add_client(
            name, [f"com.example.{name}:/callback"], "--public", "--native-sso-group", "vendor")["client_id"]
    person = Person(Browser(provider.issuer, provider.authority.client()), USER, PASSWORD)
    # Consent is the user's, for each app: given once, in a browser, before the second app may log in by itself.
    challenge = base64.urlsafe_b64encode(hashlib.sha256(b"v" * 43).digest()).rstrip(b"=").decode()
    agreed = person.arrives(provider.issuer + "/authorize?" + urllib.parse.urlencode({
        "client_id": names["chat"], "response_type": "code", "redirect_uri": "com.example.chat:/callback",
        "scope": "openid profile", "state": "s", "nonce": "n", "code_challenge": challenge, "code_challenge_method": "S256"}))
    expect("the user agrees to chat", "code=" in agreed.url, agreed.url)
    watch = provider.relay.fault = Watch()
    apps = Process(
        app, "two-apps", "--issuer", provider.issuer, "--roots", provider.authority.roots, "--mail", names["mail"],
        "--chat", names["chat"], "--folder", os.path.join(folder, "device"))
    apps.say(person.arrives(apps.line(r"open (https://\S+)")[1]).url)
    expect("mail is logged in", apps.line(r"mail: \S+ is logged in"))
    expect("chat is in, without a question", apps.line(r"chat: \S+ is logged in without a question"))
    expect("  by an exchange of tokens", any("token-exchange" in grant for grant in watch.grants), watch.grants)
    expect("both get answers from the provider", apps.line("mail: .* says") and apps.line("chat: .* says"))
    expect("one app's logout leaves the other", apps.line("chat: logged out; mail: .* is still there"))
    expect("a logout from the device ends both", apps.line("both: logged out"))
    expect("the program is content", apps.process.wait(30) == 0)


def main():
    program, app = sys.argv[1:3]
    folder = tempfile.mkdtemp(prefix="app-check-")
    provider = Provider(program, environment={
        "IDP_LOGIN_ATTEMPTS_PER_MINUTE": "100000", "IDP_KEPT_REQUESTS_PER_MINUTE": "100000",
        "IDP_EMPLOYEE_CARD_LIFETIME": "86400"})
    try:
        with contextlib.ExitStack() as running:
            running.enter_context(provider)
            provider.add_user(USER, PASSWORD, "alice@example.com", "Alice Archer")
            print("A website")
            site, start = website(provider, app, folder, running)
            print("An employee's card")
            employee_card(provider, site, start)
            print("Two apps that share a login")
            two_apps(provider, app, folder)
    except (AssertionError, queue.Empty, RuntimeError) as error:
        print("".join(provider.log[-20:]) + f"FAILED: {error}")
        sys.exit(1)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        shutil.rmtree(provider.root, ignore_errors=True)
    print(f"The app: {checks} checks")


if __name__ == "__main__":
    main()
