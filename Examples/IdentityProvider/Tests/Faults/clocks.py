"""The machine's clock steps while the provider runs: clocks.py PROGRAM [--plant]

libfaketime gives the process another time, which a file sets: two hours on, two hours back, and a long time on. What has ended stays
ended, what was used stays used, nobody is locked out for longer than before, logins and refreshes go on, and SQLite finds its file whole.

--plant lets the clock stand: that must be noticed.
"""

import base64
import glob
import json
import os
import pathlib
import sys
import time

from client import Client, user_info
from setting import Setting, check_file, must

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

    @staticmethod
    def library():
        """libfaketime; None if it isn't here."""
        return next(iter(glob.glob("/usr/lib/*/faketime/libfaketime.so.1")), None)

    def govern(self, provider):
        """A provider that is started afterwards has this time."""
        provider.environment = {
            **provider.environment, "LD_PRELOAD": self.library(), "FAKETIME_TIMESTAMP_FILE": self.path,
            "FAKETIME_NO_CACHE": "1", "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
        # The library changes the environment of the first process that it is in, in which a program in Swift looks for
        # its arguments.
        provider.starter = [*provider.starter, "sh", "-c", 'exec "$0" "$@"']

    @staticmethod
    def leave(provider, setting):
        """What the library has made for a process is removed in the end."""
        for name in ("sem.faketime_sem", "faketime_shm"):
            path = pathlib.Path(f"/dev/shm/{name}_{provider.process.pid}")
            setting.finally_do(lambda path=path: path.unlink(missing_ok=True))


def claims(token):
    part = token.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))


def refresh(provider, client):
    """New tokens, dated by the clock that the provider has now."""
    status, members = client.present(provider.address, client.history[-1])
    must("a refresh token is good", status == 200, members)
    client.history.append(members["refresh_token"])
    return members["access_token"]


def wrong_password(provider, person):
    page = person.browser.open(provider.issuer + "/login")
    return person.browser.submit(
        page, page.form("username", "password"), {"username": "nobody", "password": "wrong"}).response.status


def steps(setting, provider, clock, clients):
    first, second = clients
    used = first.authorize(provider)["code"]
    status, members = first.redeem(provider.address, used)
    must("a code is good", status == 200, members)
    first.history = [members["refresh_token"]]
    token, waiting = members["access_token"], second.authorize(provider)["code"]
    must("an access token is good", user_info(provider.address, token) == 200)

    clock.set(2 * HOUR)
    must("two hours on, an access token has ended", user_info(provider.address, token) == 401)
    status, members = second.redeem(provider.address, waiting)
    must("  and a code, too", status == 400 and members.get("error") == "invalid_grant", members)
    later = refresh(provider, first)
    must("  new tokens have the new time", abs(claims(later)["iat"] - clock.now) < 60, claims(later)["iat"])
    must("  and are good", user_info(provider.address, later) == 200)
    must("  the login goes on", "code" in second.authorize(provider, prompt="none"))
    others = setting.person()
    for _ in range(20):
        if (status := wrong_password(provider, others)) == 429:
            break
    must("  too many wrong passwords are", status == 429, status)

    clock.set(-2 * HOUR)
    must("four hours back, they still are", wrong_password(provider, others) == 429)
    clock.set(-2 * HOUR + 62)
    must("  for no longer than ever", wrong_password(provider, others) == 401)
    status, members = first.redeem(provider.address, used)
    must("  a used code stays used", status == 400, members)
    status, _ = first.present(provider.address, first.history[-1])
    must("  and has ended what came of it", status == 400, status)
    early = refresh(provider, second)
    must("  refresh tokens go on", user_info(provider.address, early) == 200)
    must("  tokens have the new time", abs(claims(early)["iat"] - clock.now) < 60, claims(early)["iat"])
    provider.command("keys", "rotate", "--force")
    clock.set(-2 * HOUR + 70)
    must("  keys that a machine of another time has rotated are taken", user_info(provider.address, refresh(provider, second)) == 200)
    must("  tokens of the future are no fault of the server", user_info(provider.address, later) in (200, 401))

    clock.set(400 * 24 * HOUR)
    status, members = second.present(provider.address, second.history[-1])
    must("a year on, a refresh token has ended", status == 400 and members.get("error") == "invalid_grant", members)
    page = second.person.browser.open(provider.issuer + "/account")
    must("  and the login", page.kind == "login", page.kind)

    clock.set(0)
    status, _ = second.present(provider.address, second.history[-1])
    must("at last, what has ended stays ended", status == 400, status)
    for client in clients:
        client.log_in(provider)
        client.refresh(provider.address)


def main():
    setting = Setting("A clock that stands")
    if not Clock.library():
        print("CAN'T RUN: no clock was moved, there is no libfaketime", file=sys.stderr)
        sys.exit(3)
    with setting:
        provider = setting.provider(environment={})
        # Attempts to log in are limited as they are for users.
        provider.environment = {}
        clock = Clock(os.path.join(provider.root, "clock"), setting.plant)
        clock.govern(provider)
        provider.start()
        clock.leave(provider, setting)
        setting.add_user()
        clients = [Client(provider, name, setting.person()) for name in ("first", "second")]
        for client in clients:
            client.log_in(provider)
        steps(setting, provider, clock, clients)
        must("the provider is there still", provider.process.poll() is None)
        check_file(provider)
        setting.done("The clock went two hours on, four back, a year on and home: nothing came back, nobody was locked out")


if __name__ == "__main__":
    main()
