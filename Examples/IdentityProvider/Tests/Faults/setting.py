"""What all faults have in common: a user, providers that are ended whatever comes, and the verdict. Modules of Tests/Support are found once
this one is imported, so they come from here."""

import argparse
import os
import pathlib
import shutil
import signal
import sqlite3
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "Support"))

from browser import Browser, Person, exchange
from provider import Provider

USER, PASSWORD = "alice", "correct horse battery staple"
REDIRECT_URI = "https://client.example/callback"
CLIENTS = 8


class Lost(Exception):
    """What must not happen."""


def must(what, condition, found=""):
    if not condition:
        raise Lost(f"{what}: {found}")


class Setting:
    """Providers in one folder, and how the check of them ends: `with` it, and say what was seen with `done`. What is lost is said with
    the provider's last words; with --plant, that something is lost is what must be."""

    def __init__(self, planted, **numbers):
        """`planted`: what --plant does to the provider, in words; `numbers`: further options, with what they are unless given, which may
        be texts."""
        parser = argparse.ArgumentParser()
        parser.add_argument("program")
        parser.add_argument("--plant", action="store_true")
        for name, number in numbers.items():
            parser.add_argument("--" + name, type=int if isinstance(number, int) else str, default=number)
        self.arguments = parser.parse_args()
        self.planted, self.plant = planted, self.arguments.plant
        self.providers, self.last, self.seen, self.where = [], [], None, ""

    def provider(self, **options):
        """A provider that isn't started. All but the first serve the first one's folder."""
        if self.providers:
            options["beside"] = self.providers[0]
        self.providers.append(Provider(self.arguments.program, **options))
        return self.providers[-1]

    def finally_do(self, call):
        """Called once the providers have ended, last things first."""
        self.last.append(call)

    def person(self):
        provider = self.providers[0]
        return Person(Browser(provider.issuer, provider.authority.client()), USER, PASSWORD)

    def add_user(self):
        self.providers[0].add_user(USER, PASSWORD, "alice@example.com", "Alice Archer")

    def done(self, words):
        self.seen = words

    def __enter__(self):
        return self

    def __exit__(self, kind, error, _):
        words = "".join(line for provider in self.providers[:1] for line in provider.log[-10:])
        for provider in reversed(self.providers):
            provider.stop(signal.SIGKILL)
        for call in reversed(self.last):
            call()
        for provider in self.providers[:1]:
            shutil.rmtree(provider.root, ignore_errors=True)
        if kind and not issubclass(kind, Lost):
            return False
        if not self.plant:
            if error:
                sys.exit(f"{words}FAILED: {self.where}{error}")
            print(self.seen)
        elif error:
            print(f"{self.planted} is noticed: {error}")
        else:
            sys.exit(f"FAILED: {self.planted[0].lower()}{self.planted[1:]} was not noticed")
        return True


def database(provider):
    found = [path for path in pathlib.Path(provider.folder).rglob("*") if path.suffix in (".sqlite", ".db", ".sqlite3")]
    must("there is no database in the folder", found)
    return found[0]


def check_file(provider):
    """SQLite finds its file whole, and no row without the one that it refers to."""
    connection = sqlite3.connect(database(provider), timeout=30)
    try:
        found = connection.execute("PRAGMA integrity_check").fetchall()
        must("the database is not whole", found == [("ok",)], found[:3])
        found = connection.execute("PRAGMA foreign_key_check").fetchall()
        must("rows without their others", not found, found[:3])
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
