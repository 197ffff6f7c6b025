"""Several providers on one PostgreSQL behind HAProxy, as README.md sets it up, in place of one: what has `--nodes N` uses them as it
uses a Provider.

proxy.py PROGRAM [--nodes 3] [--issuer URL] [--plant apart|sticky|blind]

is for scripts. It prints the proxy's address, the first provider's folder and the database, and then answers a word in a line each:
`part` and `restart [NAME=VALUE…]`, when that is done, and `faults` with what must not be. It ends when its input does.

With `--plant apart` the last provider goes on with a copy of the database, so that it knows users, clients and keys, and nothing that
the others do from then on. With `sticky` the proxy gives all requests of an address to one provider, with `blind` it doesn't ask
whether one is ready. A test has to notice each.
"""

import argparse
import collections
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import threading
import time

import postgres
from browser import exchange
from provider import Provider

PACKAGE = pathlib.Path(__file__).parents[2]
PLANTS = {
    "apart": "A provider with a database of its own", "sticky": "A proxy that asks one provider only",
    "blind": "A proxy that knows nothing of /ready"}
# What of README.md's file is replaced for those of the proxy.
WRONG = {"sticky": ("balance roundrobin\n", "balance source\n"), "blind": ("  option httpchk\n", "")}
# A line of the log as it is asked for, and HAProxy's own about a check.
ANSWERED = re.compile(r"answered (\S+) (\d+) (\S+) (\S+)")
CHECKED = re.compile(r"Health check for server [^/]+/(\S+) succeeded.*code: 200")


def haproxy():
    """Where it is; it is installed if it is not here. Ends with 3 if it can't be had."""
    path = os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin"])
    if not shutil.which("haproxy", path=path):
        status = subprocess.run(
            [PACKAGE / "../../.ci/install", "--no-install-recommends", "haproxy"], stdout=sys.stderr).returncode
        if status:
            sys.exit(status)
    return shutil.which("haproxy", path=path)


class Proxy:
    """Listens on two free ports from the beginning, so that the providers can be told their name: `url` with TLS, and `plain`."""

    def __init__(self, authority, plant=None):
        self.authority, self.plant = authority, plant
        self.sockets = [socket.create_server(("127.0.0.1", 0), backlog=128) for _ in range(2)]
        secure, plain = (listener.getsockname()[1] for listener in self.sockets)
        self.url, self.plain = f"https://localhost:{secure}", f"http://127.0.0.1:{plain}"
        # A relay knows one address; this has them by `start`.
        self.target = None
        self.process, self.log, self.words = None, [], []

    def _settings(self, addresses):
        """What README.md shows, with this machine's places; and what Debian's file says before it, with a log to read."""
        folder = os.path.dirname(self.authority.certificate)
        pair = os.path.join(folder, "proxy.pem")
        with open(pair, "w") as file:
            file.write(pathlib.Path(self.authority.certificate).read_text() + pathlib.Path(self.authority.key).read_text())
        shown = re.search(r"^```\n(frontend login\n.*?)^```$", (PACKAGE / "README.md").read_text(), re.M | re.S)[1]
        secure, plain = (listener.fileno() for listener in self.sockets)
        shown, binds = re.subn(r"bind :443 ssl crt \S+", f"bind fd@{secure} ssl crt {pair}\n  bind fd@{plain}", shown)
        shown, servers = re.subn(r"(?:^  server \S+ \S+\n)+", "".join(
            f"  server {chr(97 + number)} {address.removeprefix('http://')}\n"
            for number, address in enumerate(addresses)), shown, flags=re.M)
        shown, others = re.subn(r"(?:^  server \S+ \S+ no-check\n)+", "".join(
            f"  server {chr(97 + number)} {address.removeprefix('http://')} no-check\n"
            for number, address in enumerate(addresses)), shown, flags=re.M)
        if [binds, servers, others, *(shown.count(right) for right, _ in WRONG.values())] != [1, 1, 1, 1, 1]:
            sys.exit("README.md shows another file for HAProxy than is known here")
        if self.plant in WRONG:
            shown = shown.replace(*WRONG[self.plant])
        path = os.path.join(folder, "haproxy.cfg")
        with open(path, "w") as file:
            file.write(
                "global\n  log stdout format raw local0\n"
                "defaults\n  log global\n  mode http\n  log-format \"answered %s %ST %HM %HPO\"\n  option log-health-checks\n"
                "  timeout connect 5s\n  timeout client 50s\n  timeout server 50s\n" + shown)
        return path

    def start(self, addresses):
        """Anew, if it runs already: what it has answered stays counted."""
        self.stop()
        self.process = subprocess.Popen(
            [haproxy(), "-db", "-f", self._settings(addresses)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, errors="replace", pass_fds=[listener.fileno() for listener in self.sockets])
        threading.Thread(target=self._read, args=(self.process,), daemon=True).start()
        try:
            ready = exchange("GET", self.plain + "/ready").status
        except OSError as error:
            ready = error
        if ready != 200:
            raise RuntimeError(f"HAProxy does not work: {ready}\n" + "".join(self.words))

    def _read(self, process):
        for line in process.stdout:
            if found := ANSWERED.match(line):
                self.log.append(found.groups())
            else:
                self.words.append(line)

    def ready(self):
        """The names of those whose /ready has answered it."""
        return {match[1] for line in list(self.words) if (match := CHECKED.search(line))}

    def stop(self):
        if self.process:
            self.process.terminate()
            self.process.wait(30)
            self.process = None

    def close(self):
        self.stop()
        for listener in self.sockets:
            listener.close()


class Nodes(Provider):
    """The first of several providers, which starts and ends the others with it, the database and the proxy."""

    def __init__(self, program, count, plant=None, **options):
        self.plant, self.store, self.server = plant, None, None
        super().__init__(program, **options)
        self.environment["IDP_FORWARDED_ADDRESS_TRUSTED"] = "true"
        self.nodes = [self] + [Provider(program, beside=self) for _ in range(count - 1)]
        for number, node in enumerate(self.nodes):
            node.arguments = ["--node", chr(97 + number)]
            node.log, node.environment = self.log, self.environment

    def front(self):
        return Proxy(self.authority, self.plant)

    def start(self, seconds=60):
        if self.server is None:
            self.store = postgres.Store()
            self.server = postgres.Server(self.store, 5440).make()
            self.environment["IDP_DATABASE"] = self.server.address
        addresses = []
        for number, node in enumerate(self.nodes):
            if number and node.folder == self.folder:
                node.take_folder(os.path.join(self.root, f"state-{chr(97 + number)}"))
            node.issuer = self.issuer
            Provider.start(node, seconds)
            addresses.append(node.address)
        self.relay.start(addresses)
        self.address = self.relay.plain
        return self

    def stop(self, *how):
        self.relay.stop()
        return [Provider.stop(node, *how) for node in reversed(self.nodes)][-1]

    def restart(self):
        self.stop()
        self.start()

    def part(self):
        """Gives the last provider a copy of the database, which must not be in use while it is made."""
        self.stop()
        self.server.ask(f"CREATE DATABASE apart TEMPLATE {postgres.DATABASE}", database="postgres")
        self.nodes[-1].environment = {**self.environment, "IDP_DATABASE": self.server.address_of("apart")}
        self.start()

    def prepared(self):
        if self.plant == "apart":
            self.part()

    def __enter__(self):
        try:
            return self.start()
        except BaseException:
            self.__exit__()
            raise

    def __exit__(self, *_):
        super().__exit__()
        if self.server:
            self.server.destroy()
        if self.store:
            self.store.close()

    def faults(self):
        """What shows that a login could have been one provider's alone, by the proxy's log: a list of texts."""
        names = [chr(97 + number) for number in range(len(self.nodes))]
        until = time.monotonic() + 30
        # The first checks may be still to come, and the last lines on their way.
        time.sleep(0.2)
        while (unready := set(names) - self.relay.ready()) and time.monotonic() < until:
            time.sleep(0.2)
        answers = [name for name, *_ in self.relay.log]
        shares = collections.Counter(answers)
        changes = sum(before != after for before, after in zip(answers, answers[1:]))
        print(
            f"{len(answers)} answers: " + ", ".join(f"{shares[name]} by {name}" for name in names)
            + f"; {changes} by another one than the answer before", file=sys.stderr, flush=True)
        # Where a check came late, a provider got no requests for a while.
        found = [
            f"provider {name} gave {shares[name]} of {len(answers)} answers" for name in names
            if shares[name] * len(names) * 4 < len(answers) or not shares[name]]
        if changes * 2 < len(answers):
            found.append(f"{changes} of {len(answers)} answers came from another provider than the one before")
        return found + [f"the proxy has not found provider {name} ready" for name in sorted(unready)]


def add_options(parser, count=1):
    parser.add_argument("--nodes", type=int, default=count, help="this many providers on one PostgreSQL, behind HAProxy")
    parser.add_argument("--plant", choices=PLANTS, help="several providers that are set up wrong, which must be noticed")


def provider(arguments, **options):
    """What add_options has asked for. Ends with 3 if it can't be had."""
    if arguments.nodes == 1:
        if arguments.plant:
            sys.exit("--plant needs --nodes")
        return Provider(arguments.program, **options)
    postgres.need(arguments.program)
    haproxy()
    return Nodes(arguments.program, arguments.nodes, arguments.plant, **options)


def verdict(provider, good):
    """Whether a test that was `good` or not is to end with 0. What is planted has to be noticed, and by what shows it."""
    faults = provider.faults() if isinstance(provider, Nodes) else []
    for fault in faults:
        print("FAILED: " + fault)
    plant = getattr(provider, "plant", None)
    if not plant:
        return good and not faults
    if plant == "apart":
        noticed = not good and not faults
    else:
        noticed = good and bool(faults) and all(("ready" in fault) == (plant == "blind") for fault in faults)
    print(PLANTS[plant] + (" is noticed" if noticed else " was NOT NOTICED"))
    return noticed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--issuer")
    add_options(parser, count=3)
    arguments = parser.parse_args()
    if arguments.nodes < 2:
        parser.error("there is nothing to start for one provider")
    # Limits are as they are outside tests.
    nodes = provider(arguments, environment={})
    nodes.issuer = arguments.issuer or nodes.issuer
    try:
        with nodes:
            print(nodes.address, nodes.folder, nodes.environment["IDP_DATABASE"], flush=True)
            for line in sys.stdin:
                word, *rest = line.split()
                if word == "part":
                    nodes.part()
                elif word == "restart":
                    nodes.environment.update(pair.split("=", 1) for pair in rest)
                    nodes.restart()
                print("; ".join(nodes.faults()) if word == "faults" else "done", flush=True)
            print("".join(nodes.log[-20:]), file=sys.stderr)
    finally:
        shutil.rmtree(nodes.root, ignore_errors=True)


if __name__ == "__main__":
    main()
