"""Several providers on one PostgreSQL: their hosts, the database, a wire from each to it, and clients that ask all of them."""

import itertools
import os
import shutil
import tempfile
import threading
import time

from actions import Worker
from clocks import Clock
from history import History
from hosts import Hosts
from setting import Browser, Lost, Person, Provider, must

from postgres import Server, Store
from relay import Fault
from wire import Wire

PASSWORD = "correct horse battery staple"
USERS = ["alice", "bob", "carol"]


class Violations(Lost):
    """What the judge has found."""


class InTurns(Fault):
    """The relay of browsers asks the providers one after the other."""

    def __init__(self, cluster):
        self.cluster, self.turns = cluster, itertools.count()

    def request(self, request):
        node = self.cluster.nodes[next(self.turns) % len(self.cluster.nodes)]
        self.cluster.nodes[0].relay.target = node.address


class Cluster:
    """`with` it: everything that was started has ended afterwards."""

    def __init__(self, setting, count, workers, dice, clock_of=None, programs=None):
        """`clock_of`: the number of the provider with a clock of its own; `programs`: those of providers with another, by number."""
        self.setting, self.dice = setting, dice
        self.history = History()
        self.hosts = Hosts(count)
        setting.finally_do(self.hosts.close)
        self.store = Store()
        setting.finally_do(self.store.close)
        self.ports = itertools.count(5440)
        self.primary = Server(self.store, next(self.ports)).make()
        setting.finally_do(lambda: self.primary.destroy())
        self.nodes, self.wires, self.clock = [], [], None
        for number in range(count):
            self._add(number, clock_of == number, (programs or {}).get(number))
        self._start(workers)

    def _add(self, number, has_clock, program):
        wire = Wire(self.primary.socket, self.hosts.own_address)
        self.setting.finally_do(wire.close)
        self.wires.append(wire)
        node = self.setting.provider(arguments=self.hosts.arguments(number))
        node.program = os.path.abspath(program) if program else node.program
        node.starter = self.hosts.starter(number)
        node.environment["IDP_DATABASE"] = wire.address
        if number:
            node.root = tempfile.mkdtemp(prefix="identity-provider-")
            self.setting.finally_do(lambda: shutil.rmtree(node.root, ignore_errors=True))
            node.take_folder(os.path.join(node.root, "state"))
        if has_clock:
            self.clock = Clock(os.path.join(node.root, "clock"), False)
            self.clock.govern(node)
        self.nodes.append(node)
        self.start(node)

    def start(self, node):
        node.start()
        if "FAKETIME_NO_CACHE" in node.environment:
            Clock.leave(node, self.setting)

    def _start(self, workers):
        first = self.nodes[0]
        served, first.environment["IDP_DATABASE"] = first.environment["IDP_DATABASE"], self.primary.address
        for user in USERS:
            first.add_user(user, PASSWORD, user + "@example.com", user.title())
        first.relay.fault = InTurns(self)
        self.workers = [
            Worker(self, f"client {number}", self.person(USERS[number % len(USERS)]), self.dice.random())
            for number in range(workers)]
        first.environment["IDP_DATABASE"] = served
        self.stopping, self.threads = threading.Event(), []

    def person(self, user):
        first = self.nodes[0]
        return Person(Browser(first.issuer, first.authority.client()), user, PASSWORD)

    # Load

    def __enter__(self):
        self.stopping.clear()
        self.threads = [threading.Thread(target=self._work, args=(worker,), daemon=True) for worker in self.workers]
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.stopping.set()
        for thread in self.threads:
            thread.join(120)
        self.threads = []

    def _work(self, worker):
        while not self.stopping.is_set():
            if not worker.turn():
                # Who isn't answered comes again, though not at once.
                time.sleep(0.05)

    @property
    def answers(self):
        return sum(worker.answers for worker in self.workers)

    def wait_for_answers(self, count, seconds=90):
        """So many more."""
        aim, until = self.answers + count, time.monotonic() + seconds
        while self.answers < aim:
            must("answers in time", time.monotonic() < until, f"{self.answers - aim + count} of {count}")
            for number, node in enumerate(self.nodes):
                must(f"provider {number} has ended by itself", not node.process or node.process.poll() is None)
            time.sleep(0.01)

    # Faults end here

    def aim(self, server):
        """All wires lead to another server."""
        self.primary = server
        for wire in self.wires:
            wire.target = server.socket
            wire.drop()

    def settle(self, seconds=40):
        """All is well again: each provider answers each client, or something doesn't come back. Call it without load."""
        until = time.monotonic() + seconds
        for number in range(len(self.nodes)):
            for worker in self.workers:
                while not worker.is_served(number):
                    must(f"provider {number} is back for {worker.name}", time.monotonic() < until, "no answer")
                    time.sleep(0.2)

    def judge(self):
        bad, undone = self.history.check()
        if bad:
            path = os.path.join(tempfile.gettempdir(), f"identity-provider-history-{os.getpid()}.json")
            self.history.write(path)
            listed = "\n".join(str(violation) for violation in bad[:5])
            raise Violations(f"{len(bad)} violations, the history is in {path}\n{listed}")
        return undone
