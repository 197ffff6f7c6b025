"""What people and administrators change, clicked through."""

import base64
import hashlib
import hmac
import re
import struct
import time

NEW_PASSWORD = "another horse without a battery"


def one_time_code(seed, step):
    """RFC 6238, by the bytes of the RFC."""
    secret = base64.b32decode(seed + "=" * (-len(seed) % 8))
    digest = hmac.new(secret, struct.pack(">Q", step), hashlib.sha1).digest()
    offset = digest[-1] & 15
    return f"{(struct.unpack('>I', digest[offset:offset + 4])[0] & 0x7FFFFFFF) % 1_000_000:06}"


def submit(tab, action, fields=None, row=None):
    """Fills the form of an action, the one in a row if several have it, and presses its button."""
    scope = tab.locator("tr", has_text=row) if row else tab
    form = scope.locator(f"form[action='{action}']").first
    for name, value in (fields or {}).items():
        form.locator(f"input[name='{name}']").fill(value)
    with tab.expect_navigation():
        form.locator("button").first.click()
    if tab.locator("main").get_attribute("data-page") == "admin-confirm":
        with tab.expect_navigation():
            tab.locator("main form button").click()


def alert(tab):
    return tab.locator("[role=alert]:not([hidden])").count() == 1


def logged_in(walk, name, password):
    """A browser of its own, before the account or where it has been stopped."""
    tab = walk.browser()
    tab.goto(walk.provider.issuer + "/login")
    walk.fill_login(tab, name, password)
    return tab


def is_at_login(walk, tab):
    tab.goto(walk.provider.issuer + "/account")
    return tab.locator("main").get_attribute("data-page") == "login"


def password(walk, name, old):
    tab, other = logged_in(walk, name, old), logged_in(walk, name, old)
    account = walk.provider.issuer + "/account"
    tab.goto(account)
    submit(tab, "/account/password", {"password": "wrong", "new-password": NEW_PASSWORD})
    walk.must("a new password needs the old one", alert(tab))
    for bad in ("short", "a" * 15, "alice@example.com"):
        submit(tab, "/account/password", {"password": old, "new-password": bad})
        walk.must(f"a bad password is refused ({len(bad)} characters)", alert(tab), tab.inner_text("main")[:80])
    submit(tab, "/account/password", {"password": old, "new-password": NEW_PASSWORD})
    walk.must("the password is changed", tab.locator("[role=status]").count() == 1, tab.inner_text("main")[:200])
    walk.look(tab, "account-changed")
    walk.must("other logins have ended", is_at_login(walk, other))
    walk.fill_login(other, name, old)
    walk.must("the old password is wrong now", alert(other))
    walk.fill_login(other, name, NEW_PASSWORD)
    walk.must("the new one is right", not is_at_login(walk, other))
    return tab, other


def second_factor(walk, tab, name):
    account = walk.provider.issuer + "/account"
    tab.goto(account)
    submit(tab, "/account/second-factor")
    walk.look(tab, "second-factor")
    seed = re.search(r"secret=([A-Z2-7]+)", tab.content()) or re.search(r"\b([A-Z2-7]{32})\b", tab.inner_text("main").replace(" ", ""))
    walk.must("the page shows a seed", seed, tab.inner_text("main")[:200])
    if not seed:
        return
    form = tab.locator("form[action='/account/second-factor']").first
    form.locator("input[name=code]").fill("000000")
    form.locator("input[name=password]").fill(NEW_PASSWORD)
    with tab.expect_navigation():
        form.locator("button").first.click()
    walk.must("a wrong code doesn't turn it on", alert(tab))
    step = int(time.time()) // 30
    submit(tab, "/account/second-factor", {"code": one_time_code(seed[1], step), "password": NEW_PASSWORD})
    if not walk.at(tab, "recovery-codes"):
        return
    walk.look(tab, "recovery-codes")
    recovery = tab.locator(".codes li").all_inner_texts()
    walk.must("there are recovery codes", len(recovery) >= 8, recovery)
    tab.goto(account)
    walk.look(tab, "account-second-factor")

    other = logged_in(walk, name, NEW_PASSWORD)
    if not walk.at(other, "totp"):
        return
    walk.look(other, "totp")

    def code(text):
        other.fill("input[name=code]", text)
        with other.expect_navigation():
            other.press("input[name=code]", "Enter")

    walk.must("the password alone is no login", is_at_login(walk, other))
    walk.fill_login(other, name, NEW_PASSWORD)
    code("123456")
    walk.must("a wrong code is refused", alert(other))
    code(recovery[0])
    walk.must("a recovery code is taken", not is_at_login(walk, other))
    other = logged_in(walk, name, NEW_PASSWORD)
    code(recovery[0])
    walk.must("  once", alert(other))
    while int(time.time()) // 30 <= step:
        time.sleep(0.5)
    step = int(time.time()) // 30
    code(one_time_code(seed[1], step))
    walk.must("the app's code is taken", not is_at_login(walk, other))
    other = logged_in(walk, name, NEW_PASSWORD)
    code(one_time_code(seed[1], step))
    walk.must("  once", alert(other))
    tab.goto(account)
    # Without a code the browser sends nothing.
    field = tab.locator("form[action='/account/second-factor'] input[name=code]")
    walk.must("turning it off asks for a code", field.get_attribute("required") is not None)
    submit(tab, "/account/second-factor", {"password": NEW_PASSWORD, "code": "000000"})
    walk.must("the password with a wrong code doesn't turn it off", alert(tab), tab.inner_text("main")[:200])
    submit(tab, "/account/second-factor", {"password": NEW_PASSWORD, "code": recovery[1]})
    walk.must("it can be turned off", logged_in(walk, name, NEW_PASSWORD).locator("main").get_attribute("data-page") == "account")


def sessions_and_apps(walk, tab, name):
    tab.goto(walk.authorize())
    if tab.locator("button[name=decision]").count():
        tab.click("button[name=decision][value=allow]")
        walk.answer(tab)
    tab.goto(walk.provider.issuer + "/account")
    submit(tab, "/account/app", row="Calendar")
    tab.goto(walk.authorize())
    walk.must("a consent that was taken back is asked for again", tab.locator("button[name=decision]").count() == 2)
    other = logged_in(walk, name, NEW_PASSWORD)
    other.goto(walk.provider.issuer + "/account")
    rows = other.locator("form[action='/account/session']").count()
    walk.must("both browsers are listed", rows >= 2, rows)
    while other.locator("tr:has(form[action='/account/session']):not(:has-text('(this one)'))").count():
        with other.expect_navigation():
            other.locator("tr:has(form[action='/account/session']):not(:has-text('(this one)')) button").first.click()
    walk.must("a session that was ended is over", is_at_login(walk, tab))
    walk.fill_login(tab, name, NEW_PASSWORD)
    other.goto(walk.provider.issuer + "/account")
    submit(other, "/account/sign-out-everywhere")
    walk.must("signed out everywhere means here", is_at_login(walk, other))
    walk.must("  and there", is_at_login(walk, tab))


def administration(walk, tab, name):
    address = walk.provider.issuer + "/admin/"
    victim = logged_in(walk, name, NEW_PASSWORD)
    tab.goto(address + "users")
    submit(tab, "/admin/users/disable", row="alice@example.com")
    walk.must("who is disabled is logged out", is_at_login(walk, victim))
    walk.fill_login(victim, name, NEW_PASSWORD)
    walk.must("  and can't log in", alert(victim))
    submit(tab, "/admin/users/enable", row="alice@example.com")
    walk.fill_login(victim, name, NEW_PASSWORD)
    walk.must("  until enabled again", not is_at_login(walk, victim))
    submit(tab, "/admin/users/sign-out", row="alice@example.com")
    walk.must("an administrator can log anybody out", is_at_login(walk, victim))
    tab.goto(address + "clients")
    submit(tab, "/admin/clients/disable", row="Calendar")
    victim.goto(walk.authorize())
    walk.at(victim, "error")
    submit(tab, "/admin/clients/enable", row="Calendar")
    victim.goto(walk.authorize())
    walk.at(victim, "login")
    tab.goto(address + "keys")
    before = tab.locator("tbody tr").count()
    submit(tab, "/admin/keys/rotate")
    tab.goto(address + "keys")
    walk.must("keys are rotated, and the last stay", tab.locator("tbody tr").count() > before)
    tab.goto(address + "audit?event=login.")
    rows = tab.locator("tbody tr td:nth-child(2)").all_inner_texts()
    walk.must("the log can be filtered", rows and all(text.startswith("login.") for text in rows), rows[:3])
    forged = tab.request.post(address + "keys/rotate", form={}, headers={"Origin": "https://evil.example"})
    walk.must("a form from elsewhere changes nothing", forged.status == 403, forged.status)


def additions(walk, tab):
    """A user and a client by the administrator's forms."""
    address = walk.provider.issuer + "/admin/"
    tab.goto(address + "users")
    with tab.expect_navigation():
        tab.click("text=Add a user")
    walk.at(tab, "admin-user-new")
    walk.look(tab, "admin-user-new")
    submit(tab, "/admin/users/new", {"username": "alice", "email": "again@example.com"})
    walk.must("a name is taken once", alert(tab), tab.inner_text("main")[:200])
    submit(tab, "/admin/users/new", {"username": "bob", "email": "bob@example.com", "name": "Bob Baker"})
    if walk.at(tab, "admin-user-added"):
        walk.look(tab, "admin-user-added")
        first = tab.locator("code").first.inner_text()
        walk.must("who was added can log in", not is_at_login(walk, logged_in(walk, "bob", first)))
        tab.reload()
        tab.goto(address + "users")
        walk.must("  and stands in the list", tab.locator("tr", has_text="bob@example.com").count() == 1)
        walk.must("the password is not shown again", first not in tab.content())
    tab.goto(address + "clients")
    with tab.expect_navigation():
        tab.click("text=Add a client")
    walk.at(tab, "admin-client-new")
    walk.look(tab, "admin-client-new")
    form = tab.locator("form[action='/admin/clients/new']")

    def client(redirects):
        form.locator("input[name=name]").fill("Mail")
        form.locator("textarea[name=redirects]").fill(redirects)
        with tab.expect_navigation():
            form.locator("button").click()

    client("http://mail.example/callback")
    walk.must("an address without TLS is refused", alert(tab), tab.inner_text("main")[:200])
    walk.must("  and what was typed stays", form.locator("input[name=name]").input_value() == "Mail")
    client("https://mail.example/callback")
    if walk.at(tab, "admin-client-added"):
        walk.look(tab, "admin-client-added")
        walk.must("it has a name and a secret", tab.locator("code").count() == 2)
    tab.goto(address + "clients")
    walk.must("the client stands in the list", tab.locator("tr", has_text="mail.example").count() == 1)
    tab.goto(address + "audit?event=client.added")
    walk.must("the log says who added it", tab.locator("tr", has_text="admin").count() >= 1, tab.inner_text("main")[:300])


def passkeys(walk, name):
    """Chromium's virtual authenticator: a passkey is added, logs in, and is refused with one thing wrong after the other."""
    tab = logged_in(walk, name, NEW_PASSWORD)
    protocol = tab.context.new_cdp_session(tab)
    protocol.send("WebAuthn.enable")
    authenticator = protocol.send("WebAuthn.addVirtualAuthenticator", {"options": {
        "protocol": "ctap2", "ctap2Version": "ctap2_1", "transport": "internal", "hasResidentKey": True,
        "hasUserVerification": True, "isUserVerified": True}})["authenticatorId"]

    def ask(action, fields=None):
        form = tab.locator(f"form[action='{action}']").first
        for field, value in (fields or {}).items():
            form.locator(f"input[name='{field}']").fill(value)
        form.locator("button").first.click()

    def log_in():
        tab.context.clear_cookies()
        tab.goto(walk.provider.issuer + "/login")
        ask("/login/passkey")

    def log_in_in_vain(what):
        log_in()
        tab.wait_for_selector("[role=alert]:not([hidden])")
        walk.must(what, is_at_login(walk, tab), tab.url)

    def set_verified(verified):
        protocol.send("WebAuthn.setUserVerified", {"authenticatorId": authenticator, "isUserVerified": verified})

    def credentials():
        return protocol.send("WebAuthn.getCredentials", {"authenticatorId": authenticator})["credentials"]

    tab.goto(walk.provider.issuer + "/account")
    ask("/account/passkey/add", {"name": "Laptop", "password": "wrong"})
    tab.wait_for_selector("[role=alert]:not([hidden])")
    walk.must("a passkey needs the password", tab.locator("tr", has_text="Laptop").count() == 0)
    protocol.send("WebAuthn.clearCredentials", {"authenticatorId": authenticator})
    tab.goto(walk.provider.issuer + "/account")
    ask("/account/passkey/add", {"name": "Laptop", "password": NEW_PASSWORD})
    tab.wait_for_selector("tr:has-text('Laptop')")
    walk.must("a passkey is added", len(credentials()) == 1, len(credentials()))
    walk.look(tab, "account-passkey")
    log_in()
    tab.wait_for_url(walk.provider.issuer + "/account")
    walk.must("it logs in without a name and a password", not is_at_login(walk, tab))
    tab.context.clear_cookies()
    tab.goto(walk.authorize())
    walk.look(tab, "login-passkey")
    ask("/login/passkey")
    tab.wait_for_selector("main[data-page=consent], main[data-page=client]")
    walk.must("it goes on to the client", tab.locator("main").first.get_attribute("data-page") in ("consent", "client"))
    set_verified(False)
    log_in_in_vain("nobody gets in whom the authenticator doesn't know")
    set_verified(True)
    protocol.send("WebAuthn.setResponseOverrideBits", {"authenticatorId": authenticator, "isBogusSignature": True})
    log_in_in_vain("a wrong signature is refused")
    protocol.send("WebAuthn.setResponseOverrideBits", {"authenticatorId": authenticator, "isBadUV": True})
    log_in_in_vain("  and an answer without proof of the user")
    protocol.send("WebAuthn.setResponseOverrideBits", {"authenticatorId": authenticator, "isBadUP": True})
    log_in_in_vain("  and one without a user")
    protocol.send("WebAuthn.setResponseOverrideBits", {"authenticatorId": authenticator})
    kept = credentials()[0]
    protocol.send("WebAuthn.removeCredential", {"authenticatorId": authenticator, "credentialId": kept["credentialId"]})
    protocol.send("WebAuthn.addCredential", {"authenticatorId": authenticator, "credential": {**kept, "signCount": 1}})
    log_in_in_vain("a counter that went back is refused")
    protocol.send("WebAuthn.removeCredential", {"authenticatorId": authenticator, "credentialId": kept["credentialId"]})
    protocol.send("WebAuthn.addCredential", {"authenticatorId": authenticator, "credential": {**kept, "signCount": 100}})
    log_in()
    tab.wait_for_url(walk.provider.issuer + "/account")
    walk.must("the right one is taken still", not is_at_login(walk, tab))
    tab.goto(walk.provider.issuer + "/account")
    submit(tab, "/account/passkey/remove", row="Laptop")
    walk.must("it can be removed", tab.locator("tr", has_text="Laptop").count() == 0)
    log_in_in_vain("  and is refused then")
