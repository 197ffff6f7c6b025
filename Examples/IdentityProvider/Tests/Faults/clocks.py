"""The machine's clock steps while the provider runs: clocks.py PROGRAM [--plant]

libfaketime gives the process another time, which a file sets: two hours on, two hours back, and a long time on. What has ended stays
ended, what was used stays used, nobody is locked out for longer than before, logins and refreshes go on, and SQLite finds its file whole.

--plant lets the clock stand: that must be noticed.
"""

import argparse
import base64
import glob
import json
import os
import pathlib
import shutil
import signal
import sys
import time
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "Support"))

from browser import Browser, Person, exchange
from provider import Provider
from rounds import PASSWORD, REDIRECT_URI, USER, Client, Lost, check_file

HOUR = 3600


class Clock:
    def __init__(self, path, stands):
        self.path, self.stands, self.offset = path, stands, 0
        self.set(0)

    def set(self, seconds):
        self.offset = seconds
        with open(self.path + ".new", "w") as file:
            file.write(f"{0 if self.stands else seconds:+d}")
        os.replace(self.path + ".new", self.path)

    @property
    def now(self):
        return time.time() + self.offset


def must(what, condition, found=""):
    if not condition:
        raise Lost(f"{what}: {found}")


def claims(token):
    part = token.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))


def user_info(provider, token):
    return exchange("GET", provider.address + "/userinfo", [("Authorization", "Bearer " + token)]).status


def code(provider, client, **more):
    parameters = {
        "client_id": client.id, "response_type": "code", "redirect_uri": REDIRECT_URI, "scope": "openid offline_access",
        "state": "s", "nonce": "n", **more}
    return client.person.arrives(provider.issuer + "/authorize?" + urllib.parse.urlencode(parameters)).parameters


def redeem(provider, client, text):
    return client.ask(provider.address, grant_type="authorization_code", code=text, redirect_uri=REDIRECT_URI)


def refresh(provider, client):
    """New tokens, dated by the clock that the provider has now."""
    status, members = client.ask(provider.address, grant_type="refresh_token", refresh_token=client.history[-1])
    must("a refresh token is good", status == 200, members)
    client.history.append(members["refresh_token"])
    return members["access_token"]


def wrong_password(provider, person):
    page = person.browser.open(provider.issuer + "/login")
    return person.browser.submit(
        page, page.form("username", "password"), {"username": "nobody", "password": "wrong"}).response.status


def steps(provider, clock, clients):
    first, second = clients
    used = code(provider, first)["code"]
    status, members = redeem(provider, first, used)
    must("a code is good", status == 200, members)
    first.history = [members["refresh_token"]]
    token, waiting = members["access_token"], code(provider, second)["code"]
    must("an access token is good", user_info(provider, token) == 200)

    clock.set(2 * HOUR)
    must("two hours on, an access token has ended", user_info(provider, token) == 401)
    status, members = redeem(provider, second, waiting)
    must("  and a code, too", status == 400 and members.get("error") == "invalid_grant", members)
    later = refresh(provider, first)
    must("  new tokens have the new time", abs(claims(later)["iat"] - clock.now) < 60, claims(later)["iat"])
    must("  and are good", user_info(provider, later) == 200)
    must("  the login goes on", "code" in code(provider, second, prompt="none"))
    others = Person(Browser(provider.issuer, provider.authority.client()), USER, PASSWORD)
    for _ in range(20):
        if (status := wrong_password(provider, others)) == 429:
            break
    must("  too many wrong passwords are", status == 429, status)

    clock.set(-2 * HOUR)
    must("four hours back, they still are", wrong_password(provider, others) == 429)
    clock.set(-2 * HOUR + 62)
    must("  for no longer than ever", wrong_password(provider, others) == 401)
    status, members = redeem(provider, first, used)
    must("  a used code stays used", status == 400, members)
    status, _ = first.ask(provider.address, grant_type="refresh_token", refresh_token=first.history[-1])
    must("  and has ended what came of it", status == 400, status)
    early = refresh(provider, second)
    must("  refresh tokens go on", user_info(provider, early) == 200)
    must("  tokens have the new time", abs(claims(early)["iat"] - clock.now) < 60, claims(early)["iat"])
    provider.command("keys", "rotate", "--force")
    clock.set(-2 * HOUR + 70)
    must("  keys that a machine of another time has rotated are taken", user_info(provider, refresh(provider, second)) == 200)
    must("  tokens of the future are no fault of the server", user_info(provider, later) in (200, 401))

    clock.set(400 * 24 * HOUR)
    status, members = second.ask(provider.address, grant_type="refresh_token", refresh_token=second.history[-1])
    must("a year on, a refresh token has ended", status == 400 and members.get("error") == "invalid_grant", members)
    page = second.person.browser.open(provider.issuer + "/account")
    must("  and the login", page.kind == "login", page.kind)

    clock.set(0)
    status, _ = second.ask(provider.address, grant_type="refresh_token", refresh_token=second.history[-1])
    must("at last, what has ended stays ended", status == 400, status)
    for client in clients:
        client.log_in(provider)
        client.refresh(provider.address)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--plant", action="store_true")
    arguments = parser.parse_args()
    libraries = glob.glob("/usr/lib/*/faketime/libfaketime.so.1")
    if not libraries:
        print("SKIPPED: no clock was moved, there is no libfaketime")
        sys.exit(1 if os.environ.get("CI") else 0)
    provider = Provider(arguments.program, environment={})
    clock = Clock(os.path.join(provider.root, "clock"), arguments.plant)
    provider.environment = {
        "LD_PRELOAD": libraries[0], "FAKETIME_TIMESTAMP_FILE": clock.path, "FAKETIME_NO_CACHE": "1",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
    # The library changes the environment of the first process that it is in, in which a program in Swift looks for its arguments.
    provider.starter = ["sh", "-c", 'exec "$0" "$@"']
    try:
        provider.start()
        provider.add_user(USER, PASSWORD, "alice@example.com", "Alice Archer")
        clients = []
        for name in ("first", "second"):
            person = Person(Browser(provider.issuer, provider.authority.client()), USER, PASSWORD)
            clients.append(Client(provider, name, person))
            clients[-1].log_in(provider)
        steps(provider, clock, clients)
        must("the provider is there still", provider.process.poll() is None)
        check_file(provider)
        print("The clock went two hours on, four back, a year on and home: nothing came back, nobody was locked out")
    except Lost as lost:
        if arguments.plant:
            print(f"A clock that stands is noticed: {lost}")
            return
        sys.exit("".join(provider.log[-10:]) + f"FAILED: {lost}")
    finally:
        shared = [f"/dev/shm/{name}_{provider.process.pid}" for name in ("sem.faketime_sem", "faketime_shm")] if provider.process else []
        provider.stop(signal.SIGKILL)
        for path in filter(os.path.exists, shared):
            os.remove(path)
        shutil.rmtree(provider.root, ignore_errors=True)
    if arguments.plant:
        sys.exit("FAILED: a clock that stands was not noticed")


if __name__ == "__main__":
    main()
