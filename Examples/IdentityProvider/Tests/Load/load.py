"""How many requests a second, and how long each takes: load.py PROGRAM [--seconds 10] [--connections 16]

wrk and the provider share the machine. Give a release build, on a machine that does nothing else.
"""

import argparse
import base64
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import urllib.parse

here = pathlib.Path(__file__).parent
sys.path.insert(0, str(here.parent / "Support"))

from browser import Browser, Person, exchange
from provider import Provider

USER, PASSWORD = "alice", "correct horse battery staple"
REDIRECT_URI = "https://client.example/callback"
THREADS = 2


class Bench:
    def __init__(self, provider, arguments):
        self.provider, self.arguments = provider, arguments
        self.person = Person(Browser(provider.issuer, provider.authority.client()), USER, PASSWORD)
        self.failed = False

    def client(self, name):
        members = self.provider.add_client(name, [REDIRECT_URI])
        pair = f"{members['client_id']}:{members['client_secret']}"
        return members["client_id"], "Basic " + base64.b64encode(pair.encode()).decode()

    def log_in(self, client):
        parameters = {
            "client_id": client[0], "response_type": "code", "redirect_uri": REDIRECT_URI, "state": "s", "nonce": "n",
            "scope": "openid profile offline_access"}
        code = self.person.arrives(
            self.provider.issuer + "/authorize?" + urllib.parse.urlencode(parameters)).parameters["code"]
        body = urllib.parse.urlencode({"grant_type": "authorization_code", "code": code, "redirect_uri": REDIRECT_URI})
        answer = exchange("POST", self.provider.address + "/token", [
            ("Authorization", client[1]), ("Content-Type", "application/x-www-form-urlencoded")], body)
        if answer.status != 200:
            sys.exit(f"no tokens: {answer.status}")
        return json.loads(answer.text)

    def measure(self, what, script, *arguments):
        output = subprocess.run(
            ["wrk", "-t", str(THREADS), "-c", str(self.arguments.connections), "-d", f"{self.arguments.seconds}s",
             "--latency", "-s", str(here / script), self.provider.address, "--", *arguments],
            capture_output=True, text=True, check=True).stdout
        rate = re.search(r"Requests/sec:\s*([\d.]+)", output)[1]
        half, most = (re.search(rf"{part}%\s+([\d.]+\w+)", output)[1] for part in (50, 99))
        bad = re.search(r"Non-2xx or 3xx responses: (\d+)", output)
        lost = re.search(r"Socket errors: (.*)", output)
        self.failed = self.failed or bool(bad or lost)
        remark = (f"{bad[1]} refused " if bad else "") + (lost[1] if lost else "")
        print(f"| {what} | {float(rate):,.0f} | {half} | {most} | {remark} |", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--connections", type=int, default=16)
    arguments = parser.parse_args()
    provider = Provider(arguments.program)
    try:
        with provider:
            provider.add_user(USER, PASSWORD, "alice@example.com", "Alice Archer")
            bench = Bench(provider, arguments)
            one = bench.client("One")
            tokens = bench.log_in(one)
            token = tokens["access_token"]
            print(f"{arguments.connections} connections, {arguments.seconds} s, {os.cpu_count()} processors for both sides\n")
            print("| Requests | a second | p50 | p99 | |\n|---|--:|--:|--:|---|")
            bench.measure("discovery", "get.lua", "/.well-known/openid-configuration")
            bench.measure("keys", "get.lua", "/jwks")
            bench.measure("login page", "get.lua", "/login")
            bench.measure("userinfo", "get.lua", "/userinfo", "Bearer " + token)
            bench.measure("introspection", "post.lua", "/introspect", one[1], "token=" + token)
            each = arguments.connections // THREADS
            logins = os.path.join(provider.root, "logins")
            for thread in range(THREADS):
                # A user has only so many logins with one client.
                client = bench.client(f"Thread {thread}")
                with open(f"{logins}.{thread}", "w") as file:
                    file.write(client[1] + "\n")
                    file.writelines(bench.log_in(client)["refresh_token"] + "\n" for _ in range(each))
            bench.measure("refresh", "refresh.lua", logins)
            memory = re.search(r"VmRSS:\s*(\d+)", pathlib.Path(f"/proc/{provider.process.pid}/status").read_text())
            print(f"\n{int(memory[1]) / 1024:.0f} MiB of memory afterwards")
            sys.exit(1 if bench.failed else 0)
    finally:
        shutil.rmtree(provider.root, ignore_errors=True)


if __name__ == "__main__":
    main()
