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

import concurrent.futures
import random
import signal
import threading

from client import Client
from setting import CLIENTS, Setting, check_file, copy, must


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
    must("too few answers in two minutes", came, counted[0])


def main():
    setting = Setting("A database of yesterday", rounds=20, processes=1, seed=random.randrange(1 << 32))
    arguments = setting.arguments
    dice = random.Random(arguments.seed)
    with setting:
        providers = [setting.provider().start() for _ in range(arguments.processes)]
        first = providers[0]
        setting.add_user()
        person = setting.person()
        clients = [Client(first, f"client {index}", person) for index in range(CLIENTS)]
        for client in clients:
            client.log_in(first)
        for number in range(1, arguments.rounds + 1):
            setting.where = f"round {number}, seed {arguments.seed}: "
            is_planted = setting.plant and number == arguments.rounds
            if is_planted:
                copy(first, first.root)
            run_round(providers, clients, dice.randint(1, 200))
            if is_planted:
                copy(first, first.root, back=True)
            check_file(first)
            for provider in providers:
                provider.start()
            for client in clients:
                client.examine([provider.address for provider in providers])
            dice.choice(clients).present_old(first, providers[-1].address)
        answers, cut_off = sum(client.answers for client in clients), sum(client.cut_off for client in clients)
        setting.done(
            f"{arguments.rounds} rounds of kill -9 with {arguments.processes} process(es), {answers} answers, {cut_off} cut off: "
            "none lost, none valid twice, the database whole")


if __name__ == "__main__":
    main()
