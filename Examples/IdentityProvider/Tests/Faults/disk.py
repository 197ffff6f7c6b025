"""The disk is full while clients work, and has room again: disk.py PROGRAM [--plant]

The provider's folder is a small file system of its own where this may be mounted; elsewhere no file may grow, as `ulimit -f` has it.
While it is full, what must be written is answered with an error, and what is only read goes on. Once there is room, each client goes
on with the token that it was given last; what was cut off was changed as a whole or not at all; SQLite finds its file whole.

--plant puts the database from before in place, once: that must be noticed.
"""

import argparse
import concurrent.futures
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "Support"))

from browser import Browser, Person, exchange
from provider import Provider
from rounds import CLIENTS, PASSWORD, USER, Client, Lost, check_file, copy, database


class Disk:
    """Where the provider's folder is."""

    def __init__(self, provider):
        self.provider = provider
        os.makedirs(provider.folder, mode=0o700)
        mounted = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=16m,mode=700", "none", provider.folder], capture_output=True)
        self.is_mounted = mounted.returncode == 0
        self.filler = os.path.join(provider.folder, "filler")

    def fill(self):
        if not self.is_mounted:
            largest = max(os.path.getsize(f"{database(self.provider)}{suffix}") for suffix in ("", "-wal"))
            return self._limit(largest)
        with open(self.filler, "wb", buffering=0) as file:
            try:
                while file.write(b"x" * 512):
                    pass
            except OSError:
                pass

    def empty(self):
        if self.is_mounted:
            os.remove(self.filler)
        else:
            self._limit(resource.RLIM_INFINITY)

    def _limit(self, octets):
        resource.prlimit(self.provider.process.pid, resource.RLIMIT_FSIZE, (octets, resource.RLIM_INFINITY))

    def close(self):
        if self.is_mounted:
            subprocess.run(["umount", self.provider.folder], check=False)


def is_refused(client, address):
    """What a client is told that can't be served. SQLite may have had room in pages that were free."""
    token = client.history[-1]
    status, members = client.ask(address, grant_type="refresh_token", refresh_token=token)
    if status == 200:
        client.history.append(members["refresh_token"])
        client.answers += 1
        return False
    if status < 500:
        raise Lost(f"{client.name}: a full disk is said to be the client's fault: {status} {members.get('error')}")
    client.pending = token
    return True


def ask_until_full(clients, address):
    with concurrent.futures.ThreadPoolExecutor(len(clients)) as pool:
        for _ in range(2000):
            if all(pool.map(lambda client: is_refused(client, address), clients)):
                return
    raise Lost("the disk was never full")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--plant", action="store_true")
    arguments = parser.parse_args()
    provider = Provider(arguments.program)
    disk = Disk(provider)
    refusals = 0
    try:
        provider.start()
        provider.add_user(USER, PASSWORD, "alice@example.com", "Alice Archer")
        person = Person(Browser(provider.issuer, provider.authority.client()), USER, PASSWORD)
        clients = [Client(provider, f"client {index}", person) for index in range(CLIENTS)]
        for client in clients:
            client.log_in(provider)
        for _ in range(arguments.times):
            if arguments.plant:
                copy(provider, provider.root)
            for client in clients:
                client.refresh(provider.address)
            disk.fill()
            ask_until_full(clients, provider.address)
            refusals += len(clients)
            for path in ("/jwks", "/.well-known/openid-configuration", "/login"):
                if exchange("GET", provider.address + path).status != 200:
                    raise Lost(f"{path} can't be read while nothing can be written")
            if provider.process.poll() is not None:
                raise Lost("the provider has ended")
            disk.empty()
            if arguments.plant:
                provider.stop(signal.SIGKILL)
                copy(provider, provider.root, back=True)
                provider.start()
            for client in clients:
                client.examine([provider.address])
            check_file(provider)
        clients[0].present_old(provider, provider.address)
        answers = sum(client.answers for client in clients)
        how = "on a file system of 16 MB" if disk.is_mounted else "with files that may not grow"
        print(f"{arguments.times} times no room {how}, {answers} answers, {refusals} refusals: none lost, the database whole")
    except Lost as lost:
        if arguments.plant:
            print(f"A database of yesterday is noticed: {lost}")
            return
        sys.exit("".join(provider.log[-10:]) + f"FAILED: {lost}")
    finally:
        provider.stop(signal.SIGKILL)
        disk.close()
        shutil.rmtree(provider.root, ignore_errors=True)
    if arguments.plant:
        sys.exit("FAILED: a database of yesterday was not noticed")


if __name__ == "__main__":
    main()
