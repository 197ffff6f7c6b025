"""Every flow, clicked through in Chromium: clicks.py PROGRAM SCREENSHOTS [--self-test]

Each page that is met is audited (labels, contrast in light and dark, 320 pixels, headers), and kept as pictures. What the console says of
a policy that was violated is a failure, too.
"""

import argparse
import base64
import hashlib
import http.server
import os
import pathlib
import secrets
import shutil
import sys
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "Support"))

from playwright.sync_api import Error, sync_playwright

import audit
import changes
from provider import Provider
from relay import Listener

CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
USER, PASSWORD = "alice", "correct horse battery staple"


class ClientSite(Listener):
    """A client's address, for the browser to arrive at."""

    def __init__(self, authority):
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                body = b"<!doctype html><html lang=en><title>Client</title><main data-page=client><h1>Client</h1></main>"
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *arguments):
                pass

        super().__init__(authority, Handler)
        # Another name for this machine, so that it is another site.
        self.url = f"https://127.0.0.1:{self.server_port}"


class Walk:
    def __init__(self, provider, chromium, folder):
        self.provider, self.chromium, self.folder = provider, chromium, folder
        self.faults, self.steps, self.audited = [], 0, set()
        self.client_site = ClientSite(provider.authority)
        self.redirect_uri = self.client_site.url + "/callback"
        self.client = provider.add_client(
            "Calendar", [self.redirect_uri], "--post-logout", self.client_site.url + "/bye")

    def browser(self, **options):
        context = self.chromium.new_context(
            ignore_https_errors=True, viewport={"width": 1000, "height": 760}, locale="en-GB", **options)
        context.set_default_timeout(15_000)
        tab = context.new_page()
        tab.on("console", lambda message: self.said(message))
        return tab

    def said(self, message):
        if "Content Security Policy" in message.text or "Content-Security-Policy" in message.text:
            self.faults.append(f"the console: {message.text[:200]}")

    def must(self, what, condition, found=""):
        self.steps += 1
        print(f"  {'' if condition else 'FAILED: '}{what}{'' if condition else f': {found}'}", flush=True)
        if not condition:
            self.faults.append(f"{what}: {found}")

    def at(self, tab, kind):
        found = tab.locator("main").first.get_attribute("data-page")
        self.must(f"the page is {kind}", found == kind, f"{found} at {tab.url.partition('?')[0]}: {tab.inner_text('main')[:200]}")
        return found == kind

    def look(self, tab, name, response=None):
        """Keeps pictures of a page, and audits it."""
        problems = audit.headers(response) if response else []
        problems += audit.page(tab)
        for scheme in ("light", "dark"):
            tab.emulate_media(color_scheme=scheme)
            tab.screenshot(path=f"{self.folder}/{name}-{scheme}.png", full_page=True)
        tab.emulate_media(color_scheme="light")
        size = tab.viewport_size
        tab.set_viewport_size({"width": 360, "height": 720})
        tab.screenshot(path=f"{self.folder}/{name}-narrow.png", full_page=True)
        tab.set_viewport_size(size)
        self.audited.add(name)
        self.must(f"{name} is fit for everybody", not problems, "; ".join(dict.fromkeys(problems)))

    def authorize(self, **changes):
        verifier = secrets.token_urlsafe(48)
        challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
        return self.provider.issuer + "/authorize?" + urllib.parse.urlencode({
            "client_id": self.client["client_id"], "response_type": "code", "redirect_uri": self.redirect_uri,
            "scope": "openid profile email offline_access", "state": "state", "nonce": "nonce", "code_challenge": challenge,
            "code_challenge_method": "S256", **changes})

    def fill_login(self, tab, name=USER, password=PASSWORD):
        tab.fill("input[name=username]", name)
        tab.fill("input[name=password]", password)
        with tab.expect_navigation():
            tab.press("input[name=password]", "Enter")

    def answer(self, tab):
        """The parameters with which the browser came to the client; a page may send it on by itself."""
        tab.wait_for_url(self.redirect_uri + "**")
        return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(tab.url).query))

    def login(self):
        tab = self.browser()
        response = tab.goto(self.authorize())
        if not self.at(tab, "login"):
            return
        self.look(tab, "login", response)
        self.must("the password can't be read", tab.get_attribute("input[name=password]", "type") == "password")
        texts = []
        for name in (USER, "nobody"):
            self.fill_login(tab, name, "wrong")
            self.at(tab, "login")
            self.must("somebody is told so", tab.locator("[role=alert]:not([hidden])").count() == 1, tab.inner_text("main"))
            texts.append(tab.locator("[role=alert]:not([hidden])").first.inner_text())
        self.must("an unknown name sounds like a wrong password", texts[0] == texts[1], texts)
        self.look(tab, "login-wrong")
        before = {cookie["name"]: cookie["value"] for cookie in tab.context.cookies(self.provider.issuer)}
        self.keyboard_login(tab)
        self.at(tab, "consent")
        cookies = tab.context.cookies(self.provider.issuer)
        for cookie in cookies:
            fine = cookie["secure"] and cookie["httpOnly"] and cookie["sameSite"] in ("Lax", "Strict")
            self.must(f"the cookie {cookie['name']} is guarded", fine and cookie["name"].startswith("__Host-"), cookie)
        self.must("the login is a new cookie", any(before.get(c["name"]) != c["value"] for c in cookies), cookies)
        text = tab.inner_text("main")
        self.must("consent names the client", "Calendar" in text, text)
        self.look(tab, "consent")
        tab.click("button[name=decision][value=deny]")
        answer = self.answer(tab)
        self.must("who denies is sent back with that", answer.get("error") == "access_denied", answer)
        tab.goto(self.authorize())
        self.at(tab, "consent")
        self.focus(tab, "button[name=decision][value=allow]")
        tab.keyboard.press("Enter")
        answer = self.answer(tab)
        self.must("who allows is sent back with a code", "code" in answer and answer.get("state") == "state", answer)
        tab.goto(self.authorize())
        self.must("and is not asked again", "code" in self.answer(tab), tab.url)
        response = tab.goto(self.authorize(redirect_uri="https://evil.example/"))
        self.at(tab, "error")
        self.look(tab, "error", response)
        return tab

    def focus(self, tab, selector):
        """By the tabulator alone. What has the focus can be seen to have it."""
        for _ in range(30):
            tab.keyboard.press("Tab")
            if tab.evaluate("selector => document.activeElement.matches(selector)", selector):
                shown = tab.evaluate("""() => { const s = getComputedStyle(document.activeElement);
                  return (s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) > 0) || s.boxShadow !== 'none'; }""")
                self.must(f"the focus on {selector} can be seen", shown)
                return
        self.must(f"{selector} can be reached by the keyboard", False)

    def keyboard_login(self, tab):
        tab.goto(self.authorize())
        if not tab.evaluate("() => document.activeElement.name === 'username'"):
            self.focus(tab, "input[name=username]")
        tab.keyboard.type(USER)
        self.focus(tab, "input[name=password]")
        tab.keyboard.type(PASSWORD)
        with tab.expect_navigation():
            tab.keyboard.press("Enter")

    def account(self, tab):
        response = tab.goto(self.provider.issuer + "/account")
        if not self.at(tab, "account"):
            return
        self.look(tab, "account", response)
        text = tab.inner_text("main")
        self.must("the account shows the app that was allowed", "Calendar" in text, text[:300])
        refused = tab.goto(self.provider.issuer + "/admin/users")
        self.must("who is no administrator is refused", refused.status in (403, 404), refused.status)

    def logout(self, tab):
        tab.goto(self.provider.issuer + "/logout")
        self.look(tab, "logout")
        form = tab.locator("main form button").first
        if form.count():
            form.click()
            tab.wait_for_load_state()
        tab.goto(self.provider.issuer + "/account")
        self.at(tab, "login")

    def administration(self):
        tab = self.browser()
        tab.goto(self.provider.issuer + "/login")
        self.at(tab, "login")
        self.fill_login(tab, "admin", self.provider.admin_password)
        for name in ("users", "clients", "devices", "keys", "audit"):
            response = tab.goto(f"{self.provider.issuer}/admin/{name}")
            self.must(f"/admin/{name} answers", response.status == 200, response.status)
            if self.at(tab, f"admin-{name}"):
                self.look(tab, f"admin-{name}", response)
        tab.goto(self.provider.issuer + "/admin/metrics")
        self.must("the numbers come again by themselves", tab.locator("meta[http-equiv=refresh]").count() == 1)
        with tab.expect_navigation():
            tab.click("text=Pause")
        self.must("  until they are held", tab.locator("meta[http-equiv=refresh]").count() == 0)
        self.at(tab, "admin-metrics")
        self.must("they have what was asked", "/login POST" in tab.inner_text("main") and "login.succeeded" in tab.inner_text("main"), tab.inner_text("main")[:300])
        self.look(tab, "admin-metrics", tab.reload())
        return tab


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("screenshots")
    parser.add_argument("--self-test", action="store_true")
    arguments = parser.parse_args()
    os.makedirs(arguments.screenshots, exist_ok=True)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        tab = chromium.new_page()
        if missed := audit.self_test(tab):
            sys.exit(f"FAILED: the audit misses {missed}")
        print(f"The audit finds all {len(audit.PLANTED)} planted faults")
        tab.close()
        if arguments.self_test:
            return
        provider = Provider(arguments.program)
        try:
            with provider:
                provider.add_user(USER, PASSWORD, "alice@example.com", "Alice Archer")
                walk = Walk(provider, chromium, arguments.screenshots)
                for flow in ("login", "account", "logout", "administration"):
                    print(flow.capitalize())
                    try:
                        if flow in ("account", "logout"):
                            getattr(walk, flow)(tab)
                        else:
                            tab = getattr(walk, flow)() or tab
                    except Error as error:
                        walk.must(f"{flow} can be clicked through", False, str(error).partition("Call log")[0].strip())
                administrator = tab
                for what, flow in (
                    ("A new password", lambda: changes.password(walk, USER, PASSWORD)),
                    ("A second factor", lambda: changes.second_factor(
                        walk, changes.logged_in(walk, USER, changes.NEW_PASSWORD), USER)),
                    ("Sessions and apps", lambda: changes.sessions_and_apps(
                        walk, changes.logged_in(walk, USER, changes.NEW_PASSWORD), USER)),
                    ("Passkeys", lambda: changes.passkeys(walk, USER)),
                    ("What an administrator adds", lambda: changes.additions(walk, administrator)),
                    ("What an administrator does", lambda: changes.administration(walk, administrator, USER)),
                ):
                    print(what)
                    try:
                        flow()
                    except Error as error:
                        walk.must(f"{what} can be clicked through", False, str(error).partition("Call log")[0].strip())
                print(f"{walk.steps} steps, {len(walk.audited)} pages audited, {len(walk.faults)} failed; {arguments.screenshots}")
                if walk.faults:
                    print("".join(provider.log[-10:]))
                    sys.exit(1)
        finally:
            shutil.rmtree(provider.root, ignore_errors=True)


if __name__ == "__main__":
    main()
