"""Where the providers run: each on a host of its own, which is a network namespace at a bridge; or all on loopback."""

import os
import shutil
import subprocess


class Hosts:
    """Hosts that come up with an address each. Where namespaces can't be made, all are this machine."""

    def __init__(self, count):
        self.names = [f"idp{os.getpid()}n{number}" for number in range(count)]
        # Interfaces have names of 15 characters at most.
        self.bridge = f"b{os.getpid()}"
        self.network = f"10.{77 + os.getpid() % 100}.{os.getpid() // 100 % 250}"
        self.are_apart = False
        if not (shutil.which("ip") and shutil.which("nsenter")):
            return
        try:
            self._make()
            self.are_apart = True
        except subprocess.CalledProcessError:
            self.close()

    def _make(self):
        self._ip("link", "add", self.bridge, "type", "bridge")
        self._ip("address", "add", self.network + ".1/24", "dev", self.bridge)
        self._ip("link", "set", self.bridge, "up")
        for number, name in enumerate(self.names):
            inside, outside = f"i{os.getpid()}x{number}", self._outside(number)
            self._ip("netns", "add", name)
            self._ip("link", "add", outside, "type", "veth", "peer", "name", inside, "netns", name)
            self._ip("link", "set", outside, "master", self.bridge, "up")
            self._ip("-n", name, "address", "add", f"{self.address(number)}/24", "dev", inside)
            self._ip("-n", name, "link", "set", inside, "up")
            self._ip("-n", name, "link", "set", "lo", "up")

    def _outside(self, number):
        return f"o{os.getpid()}x{number}"

    @staticmethod
    def _ip(*arguments):
        subprocess.run(["ip", *arguments], check=True, capture_output=True)

    def address(self, number):
        return f"{self.network}.{10 + number}"

    @property
    def own_address(self):
        """This machine's, as the hosts see it."""
        return self.network + ".1" if self.are_apart else "127.0.0.1"

    def starter(self, number):
        return ["nsenter", f"--net=/run/netns/{self.names[number]}"] if self.are_apart else []

    def arguments(self, number):
        return ["--host", self.address(number)] if self.are_apart else []

    def unplug(self, number):
        """Takes a host off the network. Whether that can be done."""
        if self.are_apart:
            self._ip("link", "set", self._outside(number), "down")
        return self.are_apart

    def plug(self, number):
        if self.are_apart:
            self._ip("link", "set", self._outside(number), "up")

    def close(self):
        if not shutil.which("ip"):
            return
        for name in self.names:
            subprocess.run(["ip", "netns", "del", name], capture_output=True, check=False)
        for number in range(len(self.names)):
            subprocess.run(["ip", "link", "del", self._outside(number)], capture_output=True, check=False)
        subprocess.run(["ip", "link", "del", self.bridge], capture_output=True, check=False)
