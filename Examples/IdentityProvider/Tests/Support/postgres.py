"""A server of PostgreSQL of the tests' own, in a folder in /tmp: started, killed, copied into a standby, which takes over."""

import glob
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

USER, DATABASE = "provider", "idp"


def programs():
    """Where the programs of the newest version are; None if there is no server here."""
    found = [os.path.dirname(path) for path in glob.glob("/usr/lib/postgresql/*/bin/initdb")]
    return max(found, key=lambda path: int(path.split("/")[4]), default=None)


def need(program):
    """Ends with 3 if a provider of this program can't have a PostgreSQL."""
    if "--database" not in subprocess.run([program, "serve", "--help"], capture_output=True, text=True).stdout:
        print("CAN'T RUN: no provider had a PostgreSQL, for the program is built without", file=sys.stderr)
        sys.exit(3)
    if programs() is None:
        print("CAN'T RUN: no provider had a PostgreSQL, which is not installed", file=sys.stderr)
        sys.exit(3)


def _as_nobody():
    """PostgreSQL refuses to be run by root."""
    return {"user": "nobody", "group": "nogroup", "extra_groups": []} if os.getuid() == 0 else {}


class Store:
    """A folder for servers: a file system of its own in memory where one may be mounted, so that it can be full."""

    SIZE = "400m"

    def __init__(self, mounted=True):
        # A socket's path is 107 octets long at most.
        self.root = tempfile.mkdtemp(prefix="idp-postgres-", dir="/tmp")
        self.is_mounted = mounted and subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={self.SIZE},mode=755", "none", self.root],
            capture_output=True).returncode == 0
        if os.getuid() == 0:
            shutil.chown(self.root, "nobody", "nogroup")
        self.filler = os.path.join(self.root, "filler")

    def fill(self):
        """Leaves no octet free."""
        with open(self.filler, "wb", buffering=0) as file:
            for size in (1 << 20, 4096, 512):
                try:
                    while file.write(b"x" * size):
                        pass
                except OSError:
                    pass

    def empty(self):
        os.remove(self.filler)

    def close(self):
        if self.is_mounted:
            subprocess.run(["umount", "-l", self.root], check=False)
        shutil.rmtree(self.root, ignore_errors=True)
        for path in glob.glob(f"{self.root}-*.log"):
            os.remove(path)


class Server:
    """One server. Its socket is in the store's folder, under a port of its own."""

    def __init__(self, store, port):
        self.store, self.port = store, port
        self.data = os.path.join(store.root, f"data{port}")
        self.log_path = f"{store.root}-{port}.log"
        self.process = None

    @property
    def socket(self):
        return os.path.join(self.store.root, f".s.PGSQL.{self.port}")

    @property
    def address(self):
        """For who is on this machine, and is to meet no fault."""
        return self.address_of(DATABASE)

    def address_of(self, database):
        return f"postgres:///{database}?host={self.store.root}&port={self.port}&user={USER}"

    def _run(self, program, *arguments, timeout=120):
        done = subprocess.run(
            [os.path.join(programs(), program), *arguments], capture_output=True, text=True, timeout=timeout,
            cwd=self.store.root, **_as_nobody())
        if done.returncode:
            raise RuntimeError(f"{program}: {done.stdout}{done.stderr}")
        return done.stdout

    def make(self):
        """A new server with an empty database."""
        self._run(
            "initdb", "-D", self.data, "-U", USER, "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync", "--wal-segsize=1")
        with open(os.path.join(self.data, "postgresql.auto.conf"), "a") as file:
            # What a process leaves with the system stays there when it is killed: nothing here cuts the power.
            file.write(
                "fsync = off\nmax_wal_size = 16MB\nmin_wal_size = 2MB\nwal_keep_size = 64MB\nshared_buffers = 16MB\n"
                "wal_receiver_status_interval = 1s\nmax_connections = 100\n")
        self.start()
        self.ask(f"CREATE DATABASE {DATABASE}", database="postgres")
        return self

    def start(self, seconds=60):
        """Waits until it answers. Who was killed has to let go of its memory first, and is tried again."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            if self.process is None or self.process.poll() is not None:
                with open(self.log_path, "ab") as log:
                    self.process = subprocess.Popen(
                        [os.path.join(programs(), "postgres"), "-D", self.data, "-k", self.store.root, "-p", str(self.port),
                         "-c", "listen_addresses="],
                        stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.store.root, start_new_session=True,
                        **_as_nobody())
            if self.answers():
                return self
            time.sleep(0.1)
        raise RuntimeError("PostgreSQL did not start:\n" + self.words())

    def answers(self):
        return subprocess.run(
            [os.path.join(programs(), "pg_isready"), "-q", "-h", self.store.root, "-p", str(self.port), "-d", "postgres"],
        ).returncode == 0

    def words(self):
        with open(self.log_path, errors="replace") as file:
            return "".join(file.readlines()[-20:])

    def stop(self, how=signal.SIGQUIT):
        """SIGQUIT is `pg_ctl stop -m immediate`; SIGKILL ends the postmaster alone, as the kernel does; its children notice."""
        if self.process is None:
            return
        if self.process.poll() is None:
            self.process.send_signal(how)
        self.process.wait(60)
        self.process = None

    def destroy(self):
        """The machine is gone: all its processes at once."""
        if self.process is None:
            return
        children = subprocess.run(
            ["ps", "-o", "pid=", "--ppid", str(self.process.pid)], capture_output=True, text=True).stdout.split()
        for pid in [str(self.process.pid), *children]:
            try:
                os.kill(int(pid), signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.process.wait(60)
        self.process = None

    def ask(self, statement, database=DATABASE):
        """The rows of a statement, as psql prints them."""
        return self._run(
            "psql", "-X", "-A", "-t", "-q", "-v", "ON_ERROR_STOP=1", "-h", self.store.root, "-p", str(self.port), "-U", USER,
            "-d", database, "-c", statement).strip()

    def set(self, **settings):
        for name, value in settings.items():
            self.ask(f"ALTER SYSTEM SET {name} = '{value}'")
        self.ask("SELECT pg_reload_conf()")

    def standby(self, port, through):
        """Another server that follows this one by a connection through a relay, whose port on loopback is given."""
        other = Server(self.store, port)
        shutil.rmtree(other.data, ignore_errors=True)
        self._run(
            "pg_basebackup", "-h", self.store.root, "-p", str(self.port), "-U", USER, "-D", other.data, "-X", "stream",
            "-c", "fast", "--no-sync")
        with open(os.path.join(other.data, "postgresql.auto.conf"), "a") as file:
            file.write(
                f"primary_conninfo = 'host=127.0.0.1 port={through} user={USER} sslmode=disable gssencmode=disable'\n"
                "synchronous_standby_names = ''\n")
        with open(os.path.join(other.data, "standby.signal"), "w"):
            pass
        if os.getuid() == 0:
            shutil.chown(os.path.join(other.data, "standby.signal"), "nobody", "nogroup")
        other.start()
        self.wait_for("SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'", "1")
        return other

    def wait_for(self, statement, answer, seconds=60):
        until = time.monotonic() + seconds
        while (found := self.ask(statement)) != answer:
            if time.monotonic() > until:
                raise RuntimeError(f"{statement}: {found}, not {answer}\n{self.words()}")
            time.sleep(0.05)

    def promote(self):
        """Takes over, and answers writes from then on."""
        self.ask("SELECT pg_promote(true, 60)")
        self.wait_for("SELECT pg_is_in_recovery()", "f")
