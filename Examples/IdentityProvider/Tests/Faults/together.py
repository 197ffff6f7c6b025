"""Two processes serve one database: together.py PROGRAM [--plant]

What may happen once happens once, whichever process is asked, and both are asked at the same moment: codes, pushed requests, refresh
tokens. What one process ends is ended at the other: logins, families, wrong passwords count at both together.

--plant gives the second process a copy of the database: that must be noticed.
"""

import argparse
import base64
import concurrent.futures
import json
import os
import pathlib
import shutil
import signal
import sys
import tempfile
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "Support"))

from browser import Browser, Callback, Person, exchange
from clocks import code, must, redeem, user_info
from provider import Provider
from rounds import PASSWORD, REDIRECT_URI, USER, Client, Lost, check_file


def at_once(*calls):
    with concurrent.futures.ThreadPoolExecutor(len(calls)) as pool:
        return [future.result() for future in [pool.submit(call) for call in calls]]


class Side:
    """One of the processes, as clients see it."""

    def __init__(self, provider):
        self.provider, self.address = provider, provider.address


def once(sides, clients):
    for number in range(20):
        client = clients[number % len(clients)]
        text = code(sides[0].provider, client)["code"]
        answers = at_once(*(lambda side=side: redeem(side, client, text) for side in sides))
        good = [members for status, members in answers if status == 200]
        statuses = [status for status, _ in answers]
        must("a code is good once at most", len(good) <= 1 and set(statuses) <= {200, 400}, statuses)
        # Coming twice, it has ended what it gave (RFC 6749 section 4.1.2).
        for members in good:
            status, _ = client.ask(sides[1].address, grant_type="refresh_token", refresh_token=members["refresh_token"])
            must("  and what it gave has ended", status == 400, status)
            must("  at both", all(user_info(side, members["access_token"]) == 401 for side in sides))
        client.log_in(sides[0].provider)
        token = client.history[-1]
        answers = at_once(*(lambda side=side: client.ask(
            side.address, grant_type="refresh_token", refresh_token=token) for side in sides))
        given = {members.get("refresh_token") for status, members in answers if status == 200}
        must("one token has one successor", len(given) == 1 and None not in given, [status for status, _ in answers])
        client.history.append(given.pop())
        for side in sides:
            client.refresh(side.address)


def ended(sides, clients):
    client = clients[0]
    client.log_in(sides[0].provider)
    credentials = base64.b64encode(f"{client.id}:{client.secret}".encode()).decode()
    headers = [("Authorization", "Basic " + credentials), ("Content-Type", "application/x-www-form-urlencoded")]
    answer = exchange("POST", sides[0].address + "/revoke", headers, "token=" + client.history[-1])
    must("a token can be revoked", answer.status == 200, answer.status)
    status, _ = client.ask(sides[1].address, grant_type="refresh_token", refresh_token=client.history[-1])
    must("what one process has revoked, the other refuses", status == 400, status)
    form = urllib.parse.urlencode({
        "response_type": "code", "redirect_uri": REDIRECT_URI, "scope": "openid", "state": "s", "client_id": client.id})
    pushed = json.loads(exchange("POST", sides[0].address + "/par", headers, form).text)
    must("a request can be pushed", "request_uri" in pushed, pushed)
    query = urllib.parse.urlencode({"client_id": client.id, "request_uri": pushed["request_uri"]})
    seen = [exchange("GET", f"{side.address}/authorize?{query}").status for side in (sides[1], sides[0])]
    must("what was pushed to one is good at the other, once", seen[0] in (200, 303) and seen[1] == 400, seen)


def counted(sides):
    """Attempts to log in, at both in turns."""
    statuses = []
    for number in range(24):
        side = sides[number % 2]
        browser = Browser(side.address)
        # Its cookies are for TLS, which the relay speaks for the first process only: they are sent here by hand.
        page = browser.open(side.address + "/login")
        statuses.append(browser.submit(
            page, page.form("username", "password"), {"username": "nobody", "password": "wrong"}).response.status)
    must("ten attempts are ten at both together", statuses.count(401) == 10 and statuses[-2:] == [429, 429], statuses)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--plant", action="store_true")
    arguments = parser.parse_args()
    first = Provider(arguments.program)
    second = Provider(arguments.program, beside=first, environment={})
    other = tempfile.mkdtemp(prefix="identity-provider-copy-")
    try:
        first.start()
        first.add_user(USER, PASSWORD, "alice@example.com", "Alice Archer")
        clients = []
        for number in range(2):
            person = Person(Browser(first.issuer, first.authority.client()), USER, PASSWORD)
            clients.append(Client(first, f"client {number}", person))
            clients[-1].log_in(first)
        if arguments.plant:
            first.command("backup", os.path.join(other, "provider.sqlite"))
            shutil.copyfile(os.path.join(first.folder, "secrets.json"), os.path.join(other, "secrets.json"))
            second.folder = other
        second.start()
        first.stop()
        first.environment = {}
        first.start()
        sides = [Side(first), Side(second)]
        once(sides, clients)
        ended(sides, clients)
        counted(sides)
        check_file(first)
        print("Two processes at once: what is good once was good once, what one ended was ended at both")
    except Lost as lost:
        if arguments.plant:
            print(f"A process with another database is noticed: {lost}")
            return
        sys.exit("".join(first.log[-10:]) + f"FAILED: {lost}")
    finally:
        second.stop(signal.SIGKILL)
        first.stop(signal.SIGKILL)
        shutil.rmtree(first.root, ignore_errors=True)
        shutil.rmtree(other, ignore_errors=True)
    if arguments.plant:
        sys.exit("FAILED: a process with another database was not noticed")


if __name__ == "__main__":
    main()
