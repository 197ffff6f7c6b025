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


def alert(tab):
    return tab.locator("[role=alert]").count() == 1


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
    submit(tab, "/account/second-factor", {"password": NEW_PASSWORD})
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
