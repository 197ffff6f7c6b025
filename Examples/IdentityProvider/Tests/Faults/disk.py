"""The disk is full while clients work, and has room again: disk.py PROGRAM [--plant]

The provider's folder is a small file system of its own where this may be mounted; elsewhere no file may grow, as `ulimit -f` has it.
While it is full, what must be written is answered with an error, and what is only read goes on. Once there is room, each client goes
on with the token that it was given last; what was cut off was changed as a whole or not at all; SQLite finds its file whole.

--plant puts the database from before in place, once: that must be noticed.
"""

import concurrent.futures
import os
import resource
import signal
import subprocess

from client import Client
from setting import CLIENTS, Lost, Setting, check_file, copy, database, exchange, must


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
    status, members = client.present(address, token)
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
    setting = Setting("A database of yesterday", times=3)
    times = setting.arguments.times
    with setting:
        provider = setting.provider()
        disk = Disk(provider)
        setting.finally_do(disk.close)
        provider.start()
        setting.add_user()
        person = setting.person()
        clients = [Client(provider, f"client {index}", person) for index in range(CLIENTS)]
        for client in clients:
            client.log_in(provider)
        for _ in range(times):
            if setting.plant:
                copy(provider, provider.root)
            for client in clients:
                client.refresh(provider.address)
            disk.fill()
            ask_until_full(clients, provider.address)
            for path in ("/jwks", "/.well-known/openid-configuration", "/login"):
                status = exchange("GET", provider.address + path).status
                must(f"{path} can be read while nothing can be written", status == 200, status)
            must("the provider is there still", provider.process.poll() is None)
            disk.empty()
            if setting.plant:
                provider.stop(signal.SIGKILL)
                copy(provider, provider.root, back=True)
                provider.start()
            for client in clients:
                client.examine([provider.address])
            check_file(provider)
        clients[0].present_old(provider, provider.address)
        answers = sum(client.answers for client in clients)
        how = "on a file system of 16 MB" if disk.is_mounted else "with files that may not grow"
        setting.done(
            f"{times} times no room {how}, {answers} answers, {times * len(clients)} refusals: none lost, the database whole")


if __name__ == "__main__":
    main()
