"""`idp backup` while clients work, restored: copies.py PROGRAM [--plant]

Clients refresh as fast as they are answered while copies are made. Each copy, put into a folder with the secrets, is served by another
process: SQLite finds it whole, and every client's login stands there as it was at one moment between the command's beginning and its end.

--plant restores a copy for one that was made later: that must be noticed.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import shutil
import signal
import sqlite3
import sys
import tempfile
import threading

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "Support"))

from browser import Browser, Person
from provider import Provider
from rounds import CLIENTS, PASSWORD, USER, Client, Lost, check_file


def generations(path):
    """The newest generation of each client's newest family."""
    connection = sqlite3.connect(path)
    try:
        rows = connection.execute("SELECT client, document FROM families ORDER BY number").fetchall()
    finally:
        connection.close()
    return {bytes(client).decode(): json.loads(bytes(document))["generation"] for client, document in rows}


def restore(provider, path, clients, before, after):
    """Serves a copy, and asks it about each client."""
    restored = Provider(provider.program, beside=provider)
    restored.root = tempfile.mkdtemp(prefix="identity-provider-restored-")
    restored.folder = os.path.join(restored.root, "state")
    os.makedirs(restored.folder, mode=0o700)
    try:
        shutil.copyfile(path, os.path.join(restored.folder, "provider.sqlite"))
        shutil.copyfile(os.path.join(provider.folder, "secrets.json"), os.path.join(restored.folder, "secrets.json"))
        restored.start()
        check_file(restored)
        kept = generations(path)
        for client, least, most in zip(clients, before, after):
            # Generations count from one; the first token is the history's number nought.
            newest = int(kept[client.id]) - 1
            if not least <= newest <= most:
                raise Lost(f"{client.name}: the copy has its token {newest}, and was made between {least} and {most}")
            if newest < len(client.history):
                status, members = client.ask(
                    restored.address, grant_type="refresh_token", refresh_token=client.history[newest])
                if status != 200:
                    raise Lost(f"{client.name}: the restored provider refuses its token: {members.get('error')}")
    finally:
        restored.stop(signal.SIGKILL)
        shutil.rmtree(restored.root, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--copies", type=int, default=3)
    parser.add_argument("--plant", action="store_true")
    arguments = parser.parse_args()
    provider = Provider(arguments.program)
    stop = threading.Event()
    try:
        provider.start()
        provider.add_user(USER, PASSWORD, "alice@example.com", "Alice Archer")
        person = Person(Browser(provider.issuer, provider.authority.client()), USER, PASSWORD)
        clients = [Client(provider, f"client {index}", person) for index in range(CLIENTS)]
        for client in clients:
            client.log_in(provider)
        made = []
        counted = threading.Semaphore(0)
        with concurrent.futures.ThreadPoolExecutor(len(clients)) as pool:
            work = [pool.submit(client.work, provider.address, counted.release, stop) for client in clients]
            try:
                for number in range(arguments.copies):
                    for _ in range(100):
                        if not counted.acquire(timeout=60):
                            raise Lost("the provider answers nobody")
                    path = os.path.join(provider.root, f"copy{number}.sqlite")
                    before = [len(client.history) - 1 for client in clients]
                    provider.command("backup", path)
                    # What has been asked for may be in the copy before it is answered.
                    made.append((path, before, [len(client.history) for client in clients]))
                    if os.stat(path).st_mode & 0o077:
                        raise Lost("others may read the copy")
            finally:
                stop.set()
            for future in work:
                future.result()
        if arguments.plant:
            made = [(made[0][0], made[-1][1], made[-1][2])]
        for path, before, after in made:
            restore(provider, path, clients, before, after)
        answers = sum(client.answers for client in clients)
        print(f"{len(made)} copies while {answers} tokens were given: each whole, of one moment, and served again")
    except Lost as lost:
        if arguments.plant:
            print(f"A copy of another moment is noticed: {lost}")
            return
        sys.exit("".join(provider.log[-10:]) + f"FAILED: {lost}")
    finally:
        stop.set()
        provider.stop(signal.SIGKILL)
        shutil.rmtree(provider.root, ignore_errors=True)
    if arguments.plant:
        sys.exit("FAILED: a copy of another moment was not noticed")


if __name__ == "__main__":
    main()
