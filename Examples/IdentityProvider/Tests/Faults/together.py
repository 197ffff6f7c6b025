"""Two processes serve one database: together.py PROGRAM [--plant]

What may happen once happens once, whichever process is asked, and both are asked at the same moment: codes, pushed requests, refresh
tokens. What one process ends is ended at the other: logins, families, wrong passwords count at both together.

--plant gives the second process a copy of the database: that must be noticed.
"""

import concurrent.futures
import json
import os
import shutil
import tempfile
import urllib.parse

from client import Client, user_info
from setting import REDIRECT_URI, Browser, Setting, check_file, exchange, must


def at_once(*calls):
    with concurrent.futures.ThreadPoolExecutor(len(calls)) as pool:
        return [future.result() for future in [pool.submit(call) for call in calls]]


def once(sides, clients):
    for number in range(20):
        client = clients[number % len(clients)]
        code = client.authorize(sides[0])["code"]
        answers = at_once(*(lambda side=side: client.redeem(side.address, code) for side in sides))
        good = [members for status, members in answers if status == 200]
        statuses = [status for status, _ in answers]
        must("a code is good once at most", len(good) <= 1 and set(statuses) <= {200, 400}, statuses)
        # Coming twice, it has ended what it gave (RFC 6749 section 4.1.2).
        for members in good:
            status, _ = client.present(sides[1].address, members["refresh_token"])
            must("  and what it gave has ended", status == 400, status)
            must("  at both", all(user_info(side.address, members["access_token"]) == 401 for side in sides))
        client.log_in(sides[0])
        token = client.history[-1]
        answers = at_once(*(lambda side=side: client.present(side.address, token) for side in sides))
        given = {members.get("refresh_token") for status, members in answers if status == 200}
        must("one token has one successor", len(given) == 1 and None not in given, [status for status, _ in answers])
        client.history.append(given.pop())
        for side in sides:
            client.refresh(side.address)


def ended(sides, clients):
    client = clients[0]
    client.log_in(sides[0])
    headers = [("Authorization", client.credentials), ("Content-Type", "application/x-www-form-urlencoded")]
    answer = exchange("POST", sides[0].address + "/revoke", headers, "token=" + client.history[-1])
    must("a token can be revoked", answer.status == 200, answer.status)
    status, _ = client.present(sides[1].address, client.history[-1])
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
    setting = Setting("A process with another database")
    with setting:
        first, second = setting.provider(), setting.provider(environment={})
        other = tempfile.mkdtemp(prefix="identity-provider-copy-")
        setting.finally_do(lambda: shutil.rmtree(other, ignore_errors=True))
        first.start()
        setting.add_user()
        clients = [Client(first, f"client {number}", setting.person()) for number in range(2)]
        for client in clients:
            client.log_in(first)
        if setting.plant:
            first.command("backup", os.path.join(other, "provider.sqlite"))
            shutil.copyfile(os.path.join(first.folder, "secrets.json"), os.path.join(other, "secrets.json"))
            second.folder = other
        second.start()
        first.stop()
        first.environment = {}
        first.start()
        sides = [first, second]
        once(sides, clients)
        ended(sides, clients)
        counted(sides)
        check_file(first)
        setting.done("Two processes at once: what is good once was good once, what one ended was ended at both")


if __name__ == "__main__":
    main()
