"""Logins, refreshes and unlock keys of simulated Macs a second, by Platform SSO.

Each Mac has a connection. A nonce comes before each message, so that each row's numbers are of two requests; the times are what a Mac
waits for both. The Macs share the machine, and their part costs as much as the provider's: what the latter can do tells its processor
time.
"""

import os
import subprocess

import load


def measure(bench, driver):
    """A row for each kind of message."""
    provider, arguments = bench.provider, bench.arguments
    user = bench.person(0).name
    profile = provider.command("device", "profile", "--issuer", provider.issuer)
    password = os.path.join(provider.root, "password")
    with open(password, "w") as file:
        file.write(load.PASSWORD + "\n")
    more = ["--plant"] if arguments.plant else []
    process = subprocess.Popen(
        [driver, provider.address, "--issuer", provider.issuer, "--user", user, "--password-file", password,
         "--macs", str(arguments.connections), "--seconds", str(arguments.seconds), *more],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    with process:
        process.stdin.write(profile)
        process.stdin.close()
        before = 0.0
        for line in process.stdout:
            word, _, rest = line.strip().partition(" ")
            if word == "begin":
                before = load.processor_seconds(provider.process)
                continue
            spent = load.processor_seconds(provider.process) - before
            *kind, answered, refused, rate, half, most = rest.split()
            bench.row(
                "Platform SSO: " + " ".join(kind), float(rate), f"{float(half):.2f}ms", f"{float(most):.2f}ms",
                spent / max(1, int(answered)), f"{refused} refused" if int(refused) else "")
    bench.failed = bench.failed or process.returncode != 0
