"""The provider's program: started in a folder of its own, asked by its commands, ended."""

import json
import os
import queue
import re
import shutil
import signal
import subprocess
import tempfile
import threading

from authority import Authority
from relay import Relay


class Provider:
    """A provider in a folder, which browsers and clients see behind a relay, under https. One that is made `beside` another serves
    the same folder under the same name."""

    def __init__(self, program, beside=None, arguments=(), environment=None, names=("localhost",)):
        self.program = os.path.abspath(program)
        self.root = beside.root if beside else tempfile.mkdtemp(prefix="identity-provider-")
        self.folder = os.path.join(self.root, "state")
        self.arguments = list(arguments)
        # One user logs in again and again, which nobody outside tests may.
        many = {"IDP_LOGIN_ATTEMPTS_PER_MINUTE": "100000", "IDP_KEPT_REQUESTS_PER_MINUTE": "100000"}
        # Clients of tests listen on this machine.
        self.environment = {"IDP_PRIVATE_ADDRESSES_ALLOWED": "true", **(many if environment is None else environment)}
        # Clients that are told of a logout have certificates of the same authority.
        self.authority = beside.authority if beside else Authority(self.root, names)
        self.relay = None if beside else self.front()
        self.issuer = beside.issuer if beside else self.relay.url
        self.admin_password = None
        self.process = None
        self.log = []
        # What starts the program, if that is another one.
        self.starter = []

    def front(self):
        """What browsers and clients see."""
        return Relay(self.authority)

    def prepared(self):
        """Told once users and clients are there."""

    def take_folder(self, folder):
        """Another folder, as another machine has it, with the same secrets."""
        os.mkdir(folder, mode=0o700)
        shutil.copyfile(os.path.join(self.folder, "secrets.json"), os.path.join(folder, "secrets.json"))
        self.folder = folder

    def start(self, seconds=60):
        """Waits for the line that says where it listens."""
        command = [
            *self.starter, self.program, "serve", "--folder", self.folder, "--port", "0", "--issuer", self.issuer,
            *self.arguments]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
            # A file that may not grow is then an error, as a full disk is, and not the end.
            restore_signals=False, env={**os.environ, "IDP_TRUST_ROOTS": self.authority.roots, **self.environment})
        ready = queue.Queue()
        threading.Thread(target=self._read, args=(self.process, ready), daemon=True).start()
        try:
            address = ready.get(timeout=seconds)
        except queue.Empty:
            address = None
        if not address:
            self.stop()
            raise RuntimeError("the provider did not start:\n" + "".join(self.log))
        self.address = address
        if self.relay:
            self.relay.target = address
        return self

    def _read(self, process, ready):
        for line in process.stdout:
            self.log.append(line)
            if found := re.search(r"admin password:\s*(\S+)", line):
                self.admin_password = found[1]
            if found := re.search(r"listening on (http://\S+)", line):
                ready.put(found[1])
        ready.put(None)

    def stop(self, how=signal.SIGTERM):
        """Ends it. The status it ended with."""
        if not self.process:
            return None
        self.process.send_signal(how)
        try:
            status = self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            status = self.process.wait()
        self.process = None
        return status

    def command(self, *arguments, text=""):
        done = subprocess.run(
            [self.program, *arguments, "--folder", self.folder], input=text, capture_output=True, text=True, timeout=60,
            env={**os.environ, **{name: value for name, value in self.environment.items() if name.startswith("IDP_")}})
        if done.returncode:
            raise RuntimeError(f"{' '.join(arguments[:2])}: {done.stdout}{done.stderr}")
        return done.stdout

    def add_user(self, name, password, email, full_name, claims=None):
        more = []
        if claims:
            more = ["--claims", os.path.join(self.root, name + ".json")]
            with open(more[1], "w") as file:
                json.dump(claims, file)
        self.command("user", "add", name, "--email", email, "--name", full_name, *more, text=password + "\n")

    def add_client(self, name, redirect_uris, *options):
        """The members client_id and client_secret."""
        redirects = [part for uri in redirect_uris for part in ("--redirect", uri)]
        output = self.command("client", "add", "--name", name, *redirects, *options)
        return json.loads(output[output.index("{"):])

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.stop()
        if self.relay:
            self.relay.close()
