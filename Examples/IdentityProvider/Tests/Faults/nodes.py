"""Several providers on one PostgreSQL, and what goes wrong between them: nodes.py PROGRAM [--rounds 20] [--crashes 5] [--only FAULT,FAULT]
[--nodes 3] [--workers 6] [--other PROGRAM] [--seed N] [--plant]

Clients log in, refresh, redeem codes, prove possession and revoke, each operation at the next provider, some at two at once, while

kill      a provider dies by kill -9, and is started again: --rounds times
crash     PostgreSQL is stopped as by `pg_ctl stop -m immediate`, or its postmaster is killed: --crashes times
cuts      the connection to the database ends, at every place of every kind of operation: before a message, before its answer, and
          for good, until the client comes again
partition a provider can't reach the database, or isn't answered by it, or is off the network
slow      the database's answers take longer and longer
full      the database's disk is full
clock     a provider's clock steps ten seconds to and fro
standby   a synchronous standby goes away, comes back, and takes over: nothing may be lost
lagging   one that is asynchronous takes over: what it loses is counted
expand    the tables grow, as by a newer version: who runs goes on, who starts is refused; and shrink again
rollout   with --only and --other: all providers are of the other version, and are replaced one by one

Every operation goes into a history with its times, which history.py judges. Before the next fault, each provider answers each client.

--other is the last provider's program: of another version, on the same tables; an older one with the fault `rollout`. --plant keeps
the fault `lagging` secret from the judge, or puts one into the database: `swaps`, versions aren't compared; `attempts`, no provider
knows its own write; `expand` and `rollout`, the newer version moves logins to a table that the older one doesn't know. It must be found.
"""

import os
import random
import shutil
import signal
import sys
import time

from clocks import Clock
from cluster import Cluster, Violations
from setting import Lost, Setting, must

from postgres import need
from wire import Wire

PLANTS = {
    "swaps": "A store that swaps without comparing", "attempts": "A store that forgets who wrote",
    "lagging": "A database that has gone back", "expand": "A newer version that moves logins elsewhere",
    "rollout": "A newer version that moves logins elsewhere"}


class Faults:
    def __init__(self, cluster, setting):
        self.cluster, self.setting, self.dice = cluster, setting, cluster.dice
        self.arguments, self.has_cut = setting.arguments, False

    def kill(self):
        for number in range(self.arguments.rounds):
            self.setting.where = f"kill, round {number + 1}, seed {self.arguments.seed}: "
            with self.cluster as cluster:
                cluster.wait_for_answers(self.dice.randint(1, 60))
                node = self.dice.choice(cluster.nodes)
                node.stop(signal.SIGKILL)
                cluster.wait_for_answers(self.dice.randint(1, 20))
                cluster.start(node)
            if number % 50 == 49 or number == self.arguments.rounds - 1:
                self.judge()
        return f"{self.arguments.rounds} times a provider was killed"

    def crash(self):
        for number in range(self.arguments.crashes):
            self.setting.where = f"crash {number + 1}, seed {self.arguments.seed}: "
            with self.cluster as cluster:
                cluster.wait_for_answers(self.dice.randint(1, 60))
                cluster.primary.stop(self.dice.choice([signal.SIGQUIT, signal.SIGKILL]))
                time.sleep(self.dice.random())
                cluster.primary.start()
            if number % 50 == 49 or number == self.arguments.crashes - 1:
                self.judge()
        return f"{self.arguments.crashes} times PostgreSQL died"

    def cuts(self, names=("refresh", "redeem", "prove", "push", "revoke")):
        """One client, so that the places are those of its operation."""
        cluster = self.cluster
        worker, wire = cluster.workers[0], cluster.wires[0]
        places = 0
        for name in names:
            kind = getattr(self, "_" + name)
            # The first run prepares statements; the next is as all that follow.
            for _ in range(2):
                wire.watch()
                kind(worker)()
            count = wire.count
            for place in ("before", "after", "gone"):
                for number in range(1, count + 2):
                    self.setting.where = f"cuts, {name}, {place} {number} of {count}: "
                    operation = kind(worker)
                    wire.cut(number, place)
                    operation()
                    places += self.has_cut or wire.has_cut
                    self.has_cut = False
                    wire.watch()
        must("connections were cut", places)
        self.judge()
        return f"the connection ended at {places} places"

    # Each is prepared by all providers alike, and done at the first, whose wire is cut; then again, without an answer.

    def _again(self, worker, ask):
        for _ in range(20):
            operation, members = ask()
            if operation.outcome != "unknown":
                return operation, members
            if self.cluster.wires[0].is_gone:
                self.has_cut = True
                self.cluster.wires[0].watch()
            time.sleep(0.1)
        raise Lost(f"{operation.kind} is not answered any more")

    def _refresh(self, worker):
        while worker.token is None:
            worker.log_in()
        return lambda: worker.follow(*self._again(worker, lambda: worker.present(worker.token, 0)))

    def _redeem(self, worker):
        code = self._code(worker)

        def redeem():
            answered = worker.redeem(code, 0)
            if answered[0].outcome == "unknown":
                # Nobody else has it: it is good still, or was used up.
                answered = self._again(worker, lambda: worker.redeem(code, 0))
            worker.token = None
            worker.adopt(answered)

        return redeem

    def _prove(self, worker):
        code = self._code(worker)
        return lambda: worker.prove(code, 0, [0])

    def _push(self, worker):
        uri = worker.push(0)
        return lambda: self._again(worker, lambda: worker.take(uri, 0))

    def _revoke(self, worker):
        while worker.token is None:
            worker.log_in()

        def revoke():
            token, worker.token = worker.token, None
            self._again(worker, lambda: worker.end(token, 0))
            self._again(worker, lambda: worker.present(token, 0))

        return revoke

    def _code(self, worker):
        for _ in range(20):
            if code := worker.new_code():
                return code
        raise Lost("no code any more")

    def partition(self):
        how = {
            "no questions arrive": lambda wire, number: wire.hold(), "no answers arrive": lambda wire, number: wire.hold(False),
            "connections end": lambda wire, number: wire.drop(), "off the network": lambda wire, number: self.cluster.hosts.unplug(number)}
        seen = 0
        for words, begin in how.items():
            for seconds in (1, 6):
                self.setting.where = f"partition, {words} for {seconds} seconds: "
                with self.cluster as cluster:
                    number = self.dice.randrange(len(cluster.nodes))
                    cluster.wait_for_answers(20)
                    if begin(cluster.wires[number], number) is False:
                        continue
                    seen += 1
                    time.sleep(seconds)
                    cluster.wires[number].heal()
                    cluster.hosts.plug(number)
                    cluster.wait_for_answers(20)
                self.judge()
        return f"{seen} times a provider was cut off"

    def slow(self):
        for delay in (0.02, 0.3, 1.5, 4):
            self.setting.where = f"answers of the database take {delay} seconds: "
            with self.cluster as cluster:
                for wire in cluster.wires:
                    wire.delay = delay
                time.sleep(max(3, 3 * delay))
                for wire in cluster.wires:
                    wire.heal()
                cluster.wait_for_answers(20)
            self.judge()
        return "the database was slow"

    def full(self):
        if not self.cluster.store.is_mounted:
            return "the database's disk was not full: there is no mounting here"
        for _ in range(2):
            with self.cluster as cluster:
                cluster.wait_for_answers(20)
                cluster.store.fill()
                time.sleep(5)
                cluster.store.empty()
                # Without room for its log it ends.
                cluster.primary.start()
                cluster.wait_for_answers(20)
            self.judge()
        return "twice the database's disk was full"

    def clock(self):
        clock = self.cluster.clock
        if clock is None:
            return "no clock stepped: there is no libfaketime"
        for seconds in (10, -10, 0):
            self.setting.where = f"a clock is {seconds:+d} seconds wrong: "
            with self.cluster as cluster:
                clock.set(seconds)
                # It may take a proof for one of the past or of the future.
                cluster.history.astray.add(1)
                cluster.wait_for_answers(150)
            self.judge()
        return "a clock stepped ten seconds to and fro"

    def standby(self):
        relay, standby = self._standby()
        primary = self.cluster.primary
        primary.set(synchronous_standby_names="*")
        primary.wait_for("SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'", "1")
        with self.cluster as cluster:
            cluster.wait_for_answers(40)
            # No write ends now.
            relay.hold()
            time.sleep(4)
            relay.heal()
            cluster.wait_for_answers(40)
        self.judge()
        with self.cluster as cluster:
            cluster.wait_for_answers(self.dice.randint(10, 60))
            self._take_over(standby)
            cluster.wait_for_answers(40)
        self.judge()
        relay.close()
        return "a synchronous standby went away, came back, and took over"

    def lagging(self):
        relay, standby = self._standby()
        with self.cluster as cluster:
            cluster.wait_for_answers(40)
            # What was acknowledged just before may be on its way.
            since = time.monotonic() - 1
            relay.hold()
            cluster.wait_for_answers(30)
            self._take_over(standby)
            if not self.setting.plant:
                cluster.history.undo(since, time.monotonic())
            cluster.wait_for_answers(40)
        undone = self.judge()
        must("a standby that lagged has all that was acknowledged", undone)
        relay.close()
        return f"one that lagged took over, and {undone} answers were undone"

    def _standby(self):
        """A standby, and the relay by which it follows."""
        cluster = self.cluster
        relay = Wire(cluster.primary.socket)
        self.setting.finally_do(relay.close)
        standby = cluster.primary.standby(next(cluster.ports), relay.port)
        self.setting.finally_do(standby.destroy)
        return relay, standby

    def _take_over(self, standby):
        old = self.cluster.primary
        old.destroy()
        standby.promote()
        self.cluster.aim(standby)
        shutil.rmtree(old.data)

    GROWTH = """
        ALTER TABLE purejose.records ADD COLUMN later BIGINT NOT NULL DEFAULT 0;
        ALTER TABLE purejose.rateLimits ADD COLUMN later BIGINT NOT NULL DEFAULT 0;
        INSERT INTO purejose.migrations (name) VALUES ('later');
        """
    SHRINKING = """
        ALTER TABLE purejose.records DROP COLUMN later;
        ALTER TABLE purejose.rateLimits DROP COLUMN later;
        DELETE FROM purejose.migrations WHERE name = 'later';
        """
    MOVE = """
        CREATE TABLE purejose.logins AS SELECT * FROM purejose.records WHERE kind = 'refresh-token-family';
        DELETE FROM purejose.records WHERE kind = 'refresh-token-family';
        """

    def expand(self):
        last = self.cluster.nodes[-1]
        self._change("the tables grow: ", self.GROWTH)
        self.judge()
        last.stop()
        must("a provider starts on tables that it doesn't know", not self._starts(last))
        self._change("the tables shrink: ", self.SHRINKING)
        self.cluster.start(last)
        self.judge()
        return "the tables grew and shrank"

    def _change(self, words, statements):
        """The tables, under load."""
        self.setting.where = words
        with self.cluster as cluster:
            cluster.wait_for_answers(40)
            cluster.primary.ask(statements + (self.MOVE if self.setting.plant else ""))
            cluster.wait_for_answers(100)

    def rollout(self):
        cluster, newer = self.cluster, self.arguments.program
        older = self.arguments.other or newer
        before = self._steps()
        for number, node in enumerate(cluster.nodes):
            self.setting.where = f"rollout, provider {number}, seed {self.arguments.seed}: "
            with cluster:
                cluster.wait_for_answers(self.dice.randint(20, 60))
                node.stop(self.dice.choice([signal.SIGTERM, signal.SIGKILL]))
                node.program = os.path.abspath(newer)
                cluster.start(node)
                if self.setting.plant and number == 0:
                    cluster.primary.ask(self.MOVE)
                cluster.wait_for_answers(100)
                cluster.primary.stop(self.dice.choice([signal.SIGQUIT, signal.SIGKILL]))
                cluster.primary.start()
                cluster.wait_for_answers(20)
                # An older one that ended might be refused.
                killed = self.dice.choice(cluster.nodes[:number + 1])
                killed.stop(signal.SIGKILL)
                cluster.wait_for_answers(20)
                cluster.start(killed)
            self.judge()
        steps = self._steps() - before
        cluster.nodes[-1].stop()
        cluster.nodes[-1].program = os.path.abspath(older)
        must("the older version starts exactly if it knows the tables", self._starts(cluster.nodes[-1]) != bool(steps), steps)
        return f"{len(cluster.nodes)} providers were replaced, and the tables grew by {len(steps)} steps"

    def _steps(self):
        return set(self.cluster.primary.ask("SELECT name FROM purejose.migrations").split())

    def _starts(self, node):
        """Whether it starts; if not, because of the tables."""
        try:
            self.cluster.start(node)
        except RuntimeError as error:
            must("a provider that is refused says why", "A newer version of this program" in str(error), error)
            return False
        return True

    def judge(self):
        self.cluster.settle()
        return self.cluster.judge()

    def swaps(self):
        """Writers wait, as they may, and every version of a record is the one that they know."""
        self.cluster.primary.ask(
            """
            CREATE FUNCTION purejose.wait() RETURNS trigger LANGUAGE plpgsql AS
            'BEGIN IF random() < 0.1 THEN PERFORM pg_sleep(0.2); END IF; RETURN NULL; END';
            CREATE FUNCTION purejose.keep() RETURNS trigger LANGUAGE plpgsql AS
            'BEGIN NEW.version := OLD.version; RETURN NEW; END';
            CREATE TRIGGER wait BEFORE UPDATE ON purejose.records FOR EACH STATEMENT EXECUTE FUNCTION purejose.wait();
            CREATE TRIGGER keep BEFORE UPDATE ON purejose.records FOR EACH ROW EXECUTE FUNCTION purejose.keep();
            """)
        for _ in range(10):
            with self.cluster as cluster:
                cluster.wait_for_answers(200)
            cluster.judge()

    def attempts(self):
        self.cluster.primary.ask(
            """
            CREATE FUNCTION purejose.forget() RETURNS trigger LANGUAGE plpgsql AS
            'BEGIN NEW.attempt := decode(md5(random()::text), ''hex''); RETURN NEW; END';
            CREATE TRIGGER forget BEFORE INSERT OR UPDATE ON purejose.records FOR EACH ROW EXECUTE FUNCTION purejose.forget();
            """)
        self.cuts(["redeem"])


FAULTS = ["kill", "crash", "cuts", "partition", "slow", "full", "clock", "standby", "lagging", "expand"]


def main():
    setting = Setting(
        "A fault", rounds=20, crashes=5, nodes=3, workers=6, only="", other="", seed=random.randrange(1 << 32))
    arguments = setting.arguments
    chosen = arguments.only.split(",") if arguments.only else FAULTS
    if setting.plant:
        setting.planted = PLANTS[chosen[0]]
    need(arguments.program)
    with setting:
        dice = random.Random(arguments.seed)
        clock_of = 1 if "clock" in chosen and Clock.library() else None
        others = range(arguments.nodes) if "rollout" in chosen else [arguments.nodes - 1]
        cluster = Cluster(
            setting, arguments.nodes, arguments.workers, dice, clock_of, dict.fromkeys(others, arguments.other or arguments.program))
        faults = Faults(cluster, setting)
        where = "hosts of their own" if cluster.hosts.are_apart else "loopback"
        print(f"{arguments.nodes} providers on {where}, seed {arguments.seed}", flush=True)
        cluster.settle(120)
        for name in chosen:
            before, began = cluster.answers, time.monotonic()
            setting.where = f"{name}: "
            try:
                words = getattr(faults, name)()
            except Lost as lost:
                if setting.plant and not isinstance(lost, Violations):
                    sys.exit(f"FAILED: {setting.where}something else than what was planted: {lost}")
                raise
            print(f"  {words}: {cluster.answers - before} answers in {time.monotonic() - began:.0f} s", flush=True)
            if not setting.plant:
                # What was judged is not judged again; the next fault begins with new logins.
                forget(cluster)
        setting.done("Several providers on one database: nothing was valid twice, and nothing that was acknowledged got lost")


def forget(cluster):
    cluster.history.operations.clear()
    for worker in cluster.workers:
        worker.token = None


if __name__ == "__main__":
    main()
