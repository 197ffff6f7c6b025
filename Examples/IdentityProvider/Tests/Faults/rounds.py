"""Kills the provider while clients refresh, again and again: rounds.py PROGRAM [--rounds 20] [--processes 1] [--plant]

Each client refreshes as fast as it is answered, and keeps a journal: the token it presents, and the one it is given. A round ends with
kill -9 after a number of answers that is drawn beforehand. Then, in the next process:

- what each client was given last is good: nothing that was answered is lost;
- what was cut off may be asked again, twice at once, and gives one and the same successor: nothing is valid twice;
- what was used up two generations ago is refused, and ends its family, as theft does;
- SQLite finds its file whole, and no row without the one that it refers to.

With --processes 2, two processes serve one database, and both are killed. --plant puts the database of the round before in place of the
one that was left, once: that must be noticed.
"""

import argparse
import base64
import concurrent.futures
import http.client
import json
import os
import pathlib
import random
import shutil
import signal
import sqlite3
import sys
import threading
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "Support"))

from browser import Browser, Person
from provider import Provider

USER, PASSWORD = "alice", "correct horse battery staple"
REDIRECT_URI = "https://client.example/callback"
CLIENTS = 8


class Lost(Exception):
    """What must not happen."""


class Client:
    """One login, and what became of it."""

    def __init__(self, provider, name, person):
        members = provider.add_client(name, [REDIRECT_URI])
        self.name, self.id, self.secret = name, members["client_id"], members["client_secret"]
        self.person = person
        self.history, self.pending, self.answers, self.cut_off = [], None, 0, 0

    def log_in(self, provider):
        parameters = {
            "client_id": self.id, "response_type": "code", "redirect_uri": REDIRECT_URI, "scope": "openid offline_access",
            "state": "s", "nonce": "n"}
        callback = self.person.arrives(provider.issuer + "/authorize?" + urllib.parse.urlencode(parameters))
        status, members = self.ask(
            provider.address, grant_type="authorization_code", code=callback.parameters["code"], redirect_uri=REDIRECT_URI)
        if status != 200:
            raise Lost(f"{self.name} could not log in: {status} {members.get('error')}")
        self.history, self.pending = [members["refresh_token"]], None

    def ask(self, address, connection=None, **fields):
        """The status and members of an answer of the token endpoint."""
        target = urllib.parse.urlsplit(address)
        own = connection is None
        connection = connection or http.client.HTTPConnection(target.hostname, target.port, timeout=30)
        try:
            credentials = base64.b64encode(f"{self.id}:{self.secret}".encode()).decode()
            connection.request("POST", "/token", urllib.parse.urlencode(fields), {
                "Content-Type": "application/x-www-form-urlencoded", "Authorization": f"Basic {credentials}"})
            answer = connection.getresponse()
            body = answer.read()
            # A proxy or a framework may answer in words.
            return answer.status, json.loads(body) if body[:1] == b"{" else {"error": body[:80].decode(errors="replace")}
        finally:
            if own:
                connection.close()

    def refresh(self, address, connection=None):
        """Presents the newest token. An answer that doesn't come leaves it pending."""
        self.pending = self.history[-1]
        status, members = self.ask(address, connection, grant_type="refresh_token", refresh_token=self.pending)
        if status >= 500:
            raise ConnectionError(f"{status}")
        if status != 200:
            raise Lost(f"{self.name}: what it was given last was refused: {members.get('error')}")
        self.history.append(members["refresh_token"])
        self.pending = None
        self.answers += 1

    def work(self, address, count, stop):
        """Until the provider dies."""
        target = urllib.parse.urlsplit(address)
        connection = http.client.HTTPConnection(target.hostname, target.port, timeout=30)
        try:
            while not stop.is_set():
                self.refresh(address, connection)
                count()
        except (OSError, http.client.HTTPException):
            self.cut_off += self.pending is not None
        finally:
            connection.close()

    def examine(self, addresses):
        """In the next process."""
        if self.pending:
            with concurrent.futures.ThreadPoolExecutor(2) as pool:
                asked = [
                    pool.submit(self.ask, address, grant_type="refresh_token", refresh_token=self.pending)
                    for address in (addresses * 2)[:2]]
            answers = [future.result() for future in asked]
            given = {members.get("refresh_token") for status, members in answers if status == 200}
            if not given:
                raise Lost(f"{self.name}: what was cut off is lost: {[m.get('error') for _, m in answers]}")
            if len(given) > 1:
                raise Lost(f"{self.name}: one token has two successors")
            self.history.append(given.pop())
            self.pending = None
        self.refresh(addresses[0])

    def present_old(self, provider, address):
        """What was used up two generations ago. Its family ends, so a new login follows."""
        if len(self.history) < 3:
            return
        for token, what in ((self.history[-3], "an old token is good"), (self.history[-1], "a family goes on after theft")):
            status, members = self.ask(address, grant_type="refresh_token", refresh_token=token)
            if status == 200 or members.get("error") != "invalid_grant":
                raise Lost(f"{self.name}: {what}: {status}")
        self.log_in(provider)


def database(provider):
    found = [path for path in pathlib.Path(provider.folder).rglob("*") if path.suffix in (".sqlite", ".db", ".sqlite3")]
    if not found:
        raise Lost("there is no database in the folder")
    return found[0]


def check_file(provider):
    connection = sqlite3.connect(database(provider), timeout=30)
    try:
        if (found := connection.execute("PRAGMA integrity_check").fetchall()) != [("ok",)]:
            raise Lost(f"the database is not whole: {found[:3]}")
        if found := connection.execute("PRAGMA foreign_key_check").fetchall():
            raise Lost(f"rows without their others: {found[:3]}")
    finally:
        connection.close()


def copy(provider, other, back=False):
    for suffix in ("", "-wal", "-shm"):
        here, there = f"{database(provider)}{suffix}", os.path.join(other, "copy" + suffix)
        here, there = (there, here) if back else (here, there)
        if os.path.exists(here):
            shutil.copyfile(here, there)
        elif os.path.exists(there):
            os.remove(there)


def run_round(providers, clients, answers):
    """Load until so many answers have come, then kill -9."""
    counted, stop, enough = [0], threading.Event(), threading.Event()

    def count():
        counted[0] += 1
        if counted[0] >= answers:
            enough.set()

    with concurrent.futures.ThreadPoolExecutor(len(clients)) as pool:
        work = [
            pool.submit(client.work, providers[index % len(providers)].address, count, stop)
            for index, client in enumerate(clients)]
        came = enough.wait(120)
        for provider in providers:
            provider.stop(signal.SIGKILL)
        stop.set()
        for future in work:
            future.result()
    if not came:
        raise Lost(f"{counted[0]} answers in two minutes")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--processes", type=int, choices=(1, 2), default=1)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    parser.add_argument("--plant", action="store_true")
    arguments = parser.parse_args()
    dice = random.Random(arguments.seed)
    first = Provider(arguments.program)
    providers = [first]
    if arguments.processes == 2:
        providers.append(Provider(arguments.program, beside=first))
    number = 0
    try:
        for provider in providers:
            provider.start()
        first.add_user(USER, PASSWORD, "alice@example.com", "Alice Archer")
        person = Person(Browser(first.issuer, first.authority.client()), USER, PASSWORD)
        clients = [Client(first, f"client {index}", person) for index in range(CLIENTS)]
        for client in clients:
            client.log_in(first)
        planted = os.path.join(first.root, "planted")
        os.makedirs(planted, exist_ok=True)
        for number in range(1, arguments.rounds + 1):
            if arguments.plant and number == arguments.rounds:
                copy(first, planted)
            run_round(providers, clients, dice.randint(1, 200))
            if arguments.plant and number == arguments.rounds:
                copy(first, planted, back=True)
            check_file(first)
            for provider in providers:
                provider.start()
            for client in clients:
                client.examine([provider.address for provider in providers])
            dice.choice(clients).present_old(first, providers[-1].address)
        answers, cut_off = sum(client.answers for client in clients), sum(client.cut_off for client in clients)
        print(f"{arguments.rounds} rounds of kill -9 with {arguments.processes} process(es), {answers} answers, {cut_off} cut off: "
              "none lost, none valid twice, the database whole")
    except Lost as lost:
        if arguments.plant:
            print(f"A database of yesterday is noticed: {lost}")
            return
        print("".join(first.log[-10:]) + f"FAILED: round {number}, seed {arguments.seed}: {lost}")
        sys.exit(1)
    finally:
        for provider in providers:
            provider.stop(signal.SIGKILL)
        shutil.rmtree(first.root, ignore_errors=True)
    if arguments.plant:
        sys.exit("FAILED: a database of yesterday was not noticed")


if __name__ == "__main__":
    main()
