"""`idp backup` while clients work, restored: copies.py PROGRAM [--plant]

Clients refresh as fast as they are answered while copies are made. Each copy, put into a folder with the secrets, is served by another
process: SQLite finds it whole, and every client's login stands there as it was at one moment between the command's beginning and its end.

--plant restores a copy for one that was made later: that must be noticed.
"""

import concurrent.futures
import os
import shutil
import signal
import sqlite3
import struct
import tempfile
import threading

from client import Client
from setting import CLIENTS, Lost, Provider, Setting, check_file, must


def generations(path):
    """The newest generation of each client's newest family that is active. A family's document begins with its form's octet, 16 of its
    name, two dates and the generation, all of eight octets: see RefreshTokenFamily.serialized()."""
    connection = sqlite3.connect(path)
    try:
        rows = connection.execute(
            "SELECT value, document FROM records JOIN recordIndexes ON record = number "
            "WHERE records.kind = 'refresh-token-family' AND name = ? ORDER BY number", (b"client",)).fetchall()
    finally:
        connection.close()
    return {bytes(client).decode(): struct.unpack_from(">Q", document, 33)[0] for client, document in rows}


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
            newest = kept[client.id] - 1
            if not least <= newest <= most:
                raise Lost(f"{client.name}: the copy has its token {newest}, and was made between {least} and {most}")
            if newest < len(client.history):
                status, members = client.present(restored.address, client.history[newest])
                must(f"{client.name}: the restored provider takes its token", status == 200, members.get("error"))
    finally:
        restored.stop(signal.SIGKILL)
        shutil.rmtree(restored.root, ignore_errors=True)


def make(setting, provider, clients):
    """Copies while the clients work, each with what the clients had before it and after."""
    made = []
    stop, counted = threading.Event(), threading.Semaphore(0)
    with concurrent.futures.ThreadPoolExecutor(len(clients)) as pool:
        work = [pool.submit(client.work, provider.address, counted.release, stop) for client in clients]
        try:
            for number in range(setting.arguments.copies):
                for _ in range(100):
                    must("the provider answers", counted.acquire(timeout=60))
                path = os.path.join(provider.root, f"copy{number}.sqlite")
                before = [len(client.history) - 1 for client in clients]
                provider.command("backup", path)
                # What has been asked for may be in the copy before it is answered.
                made.append((path, before, [len(client.history) for client in clients]))
                must("nobody else may read the copy", not os.stat(path).st_mode & 0o077)
        finally:
            stop.set()
        for future in work:
            future.result()
    return made


def main():
    setting = Setting("A copy of another moment", copies=3)
    with setting:
        provider = setting.provider().start()
        setting.add_user()
        person = setting.person()
        clients = [Client(provider, f"client {index}", person) for index in range(CLIENTS)]
        for client in clients:
            client.log_in(provider)
        made = make(setting, provider, clients)
        if setting.plant:
            made = [(made[0][0], made[-1][1], made[-1][2])]
        for path, before, after in made:
            restore(provider, path, clients, before, after)
        answers = sum(client.answers for client in clients)
        setting.done(f"{len(made)} copies while {answers} tokens were given: each whole, of one moment, and served again")


if __name__ == "__main__":
    main()
