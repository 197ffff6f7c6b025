"""How many requests a second, and how long each takes: load.py PROGRAM [--seconds 10] [--connections 64] [--users 100000]
[--database postgres://... --nodes 3]

wrk and the provider share the machine. Give a release build, on a machine that does nothing else. With --minutes, it is asked for
that long by few connections instead, and its memory is looked at. With --database, an empty one of PostgreSQL, or `own` for a server
that is started for this, --nodes providers share it, and each is asked by threads of its own.
"""

import argparse
import base64
import contextlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import urllib.parse

here = pathlib.Path(__file__).parent
sys.path.insert(0, str(here.parent / "Support"))

import hour
import macs
import populate
from browser import Browser, Person, exchange
from postgres import Server, Store
from provider import Provider

USER, PASSWORD = "alice", "correct horse battery staple"
REDIRECT_URI = "https://client.example/callback"
THREADS = 2
# Clients that push requests.
CLIENTS = 16


def processor_seconds(process):
    """What a process has spent, of all processors together."""
    fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Bench:
    def __init__(self, provider, arguments):
        self.provider, self.arguments = provider, arguments
        # Those that are asked besides.
        self.others = []
        self.people = {}
        self.failed = False

    def client(self, name):
        members = self.provider.add_client(name, [REDIRECT_URI])
        pair = f"{members['client_id']}:{members['client_secret']}"
        return members["client_id"], "Basic " + base64.b64encode(pair.encode()).decode()

    def person(self, number):
        """One of several users, in a browser."""
        if number not in self.people:
            name = f"{USER}{number}"
            self.provider.add_user(name, PASSWORD, f"{name}@example.com", "Alice Archer")
            self.people[number] = Person(Browser(self.provider.issuer, self.provider.authority.client()), name, PASSWORD)
        return self.people[number]

    def log_in(self, client, number=0):
        parameters = {
            "client_id": client[0], "response_type": "code", "redirect_uri": REDIRECT_URI, "state": "s", "nonce": "n",
            "scope": "openid profile offline_access"}
        code = self.person(number).arrives(
            self.provider.issuer + "/authorize?" + urllib.parse.urlencode(parameters)).parameters["code"]
        body = urllib.parse.urlencode({"grant_type": "authorization_code", "code": code, "redirect_uri": REDIRECT_URI})
        answer = exchange("POST", self.provider.address + "/token", [
            ("Authorization", client[1]), ("Content-Type", "application/x-www-form-urlencoded")], body)
        if answer.status != 200:
            sys.exit(f"no tokens: {answer.status}")
        return json.loads(answer.text)

    @property
    def threads(self):
        """Each provider has one thread of wrk's at least."""
        return max(THREADS, 1 + len(self.others))

    def measure(self, what, script, *arguments, of=None):
        """Prints a row about this provider, or another one."""
        if self.arguments.only and self.arguments.only not in what:
            return
        asked = [of] if of else [self.provider, *self.others]
        before = sum(processor_seconds(provider.process) for provider in asked)
        nodes = " ".join(urllib.parse.urlsplit(provider.address).netloc for provider in asked)
        output = subprocess.run(
            ["wrk", "-t", str(self.threads), "-c", str(self.arguments.connections), "-d", f"{self.arguments.seconds}s",
             "--latency", "-s", str(here / ("nodes.lua" if len(asked) > 1 else script)), asked[0].address, "--", *arguments],
            capture_output=True, text=True, check=True, env={**os.environ, "SCRIPT": str(here / script), "NODES": nodes}).stdout
        spent = sum(processor_seconds(provider.process) for provider in asked) - before
        rate = re.search(r"Requests/sec:\s*([\d.]+)", output)[1]
        half, most = (re.search(rf"{part}%\s+([\d.]+\w+)", output)[1] for part in (50, 99))
        bad = re.search(r"Non-2xx or 3xx responses: (\d+)", output)
        lost = re.search(r"Socket errors: (.*)", output)
        remark = (f"{bad[1]} refused " if bad else "") + (lost[1] if lost else "")
        self.row(what, float(rate), half, most, spent / max(1, int(re.search(r"(\d+) requests in", output)[1])), remark)

    def row(self, what, rate, half, most, spent, remark):
        self.failed = self.failed or bool(remark)
        print(f"| {what} | {rate:,.0f} | {half} | {most} | {spent * 1e6:,.0f} µs | {remark} |", flush=True)

    def refresh_tokens(self, log_in, client, path):
        """The files of refresh.lua, one for each thread, and how they are called."""
        each = self.arguments.connections // self.threads
        for thread in range(self.threads):
            one = client(f"Thread {thread}")
            with open(f"{path}.{thread}", "w") as file:
                file.write(one[1] + "\n")
                # A user has only so many logins with one client.
                file.writelines(log_in(one, index // 16)["refresh_token"] + "\n" for index in range(each))
        return path


class Own:
    """A server of PostgreSQL on this machine's disk, where a commit waits for the disk as SQLite's does here."""

    def __init__(self):
        self.store = Store(mounted=False)
        self.server = Server(self.store, 5440).make()
        self.server.set(fsync="on", shared_buffers="128MB", max_wal_size="1GB")
        self.server.stop()
        self.server.start()

    def close(self):
        self.server.destroy()
        self.store.close()


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--only", help="measure only what has this in its name")
    return parser


def head(arguments):
    print(f"{arguments.connections} connections, {arguments.seconds} s, {os.cpu_count()} processors for both sides\n")
    print("| Requests | a second | p50 | p99 | processor time of the provider for each | |\n|---|--:|--:|--:|--:|---|")


def verdict(bench):
    if bench.arguments.plant:
        sys.exit(None if bench.failed else "FAILED: what was planted was not noticed")
    sys.exit(1 if bench.failed else 0)


def main():
    parser = options()
    parser.add_argument("--users", type=int, default=0, help="this many others in the database, with ten logins each")
    parser.add_argument("--minutes", type=int, default=0, help="a long time of all kinds of requests, over two connections")
    parser.add_argument("--pause", type=float, default=0.02, help="seconds between a connection's turns in that time")
    parser.add_argument("--mac-load", metavar="DRIVER", help="measure Macs, too: mac-load of this package is the driver")
    parser.add_argument(
        "--plant", action="store_true",
        help="one Mac in eight has keys that nobody knows, and in a long time tokens are cut short: that must be noticed")
    parser.add_argument("--database", help="an empty one of PostgreSQL, or `own` for one that is started")
    parser.add_argument("--nodes", type=int, default=1, help="how many providers share it")
    arguments = parser.parse_args()
    if arguments.users and arguments.database or arguments.nodes > 1 and not arguments.database:
        parser.error("--users fills SQLite's database, and several providers need --database")
    provider = Provider(arguments.program)
    with contextlib.ExitStack() as last:
        last.callback(shutil.rmtree, provider.root, ignore_errors=True)
        if arguments.database:
            provider.environment["IDP_DATABASE"] = arguments.database
            if arguments.database == "own":
                provider.environment["IDP_DATABASE"] = last.enter_context(contextlib.closing(Own())).server.address
        if arguments.users:
            populate.fill(provider, arguments.users)
        with provider:
            bench = Bench(provider, arguments)
            for _ in range(arguments.nodes - 1):
                other = Provider(arguments.program, beside=provider)
                other.environment = provider.environment
                bench.others.append(last.enter_context(other))
            if arguments.minutes:
                bench.failed = not hour.run(bench, arguments.minutes, 2, arguments.pause)
                verdict(bench)
            one = bench.client("One")
            tokens = bench.log_in(one)
            token = tokens["access_token"]
            head(arguments)
            bench.measure("discovery", "get.lua", "/.well-known/openid-configuration")
            bench.measure("keys", "get.lua", "/jwks")
            bench.measure("login page", "get.lua", "/login")
            bench.measure("userinfo", "get.lua", "/userinfo", "Bearer " + token)
            bench.measure("introspection", "post.lua", "/introspect", one[1], "token=" + token)
            def form(client):
                return urllib.parse.urlencode({
                    "client_id": client[0], "response_type": "code", "redirect_uri": REDIRECT_URI, "state": "s", "nonce": "n",
                    "scope": "openid profile"})
            # One client may have only so many requests that are not used.
            pushing = [bench.client(f"Pushing {number}") for number in range(CLIENTS)]
            bench.measure(
                "pushed authorization request", "post.lua", "/par",
                *(part for client in pushing for part in (client[1], form(client))))
            cookies = "; ".join(f"{name}={value}" for name, (value, _) in bench.person(0).browser.cookies.items())
            bench.measure(
                "code and its tokens, each half of the requests", "code.lua", "/authorize?" + form(one), cookies, one[1],
                urllib.parse.urlencode({"grant_type": "authorization_code", "redirect_uri": REDIRECT_URI}))
            logins = bench.refresh_tokens(bench.log_in, bench.client, os.path.join(provider.root, "logins"))
            bench.measure("refresh", "refresh.lua", logins, "/token")
            if arguments.mac_load:
                macs.measure(bench, arguments.mac_load)
            if not arguments.database:
                print("\n{:.0f} MiB of memory afterwards, {:,.0f} MB of database".format(*hour.sizes(provider)))
            verdict(bench)


if __name__ == "__main__":
    main()
