"""What was run, when, on which commit and which machine: `evidence.tsv`, a line for each check and what it looked at.

The checks of this folder write it where they are called with --record. SECURITY.md claims nothing that has no line there (`claims`).
"""
import datetime
import os
import platform
import re
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
LIST = os.path.join(HERE, "evidence.tsv")
HEADER = "check\tsubject\tresult\tdate\tcommit\tmachine\tcompiler"


def output(*command):
    try:
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def commit():
    """The commit that is checked out; with a plus where what is compiled differs from it."""
    return output("git", "rev-parse", "--short=12", "HEAD") + ("+" if output("git", "status", "--porcelain", "--", "Sources", "Package.swift") else "")


# Taken as a check begins: what is checked out when it ends may be another.
COMMIT = commit()


def machine():
    model, flags = platform.processor() or platform.machine(), set()
    if os.path.exists("/proc/cpuinfo"):
        text = open("/proc/cpuinfo", encoding="utf-8").read()
        if match := re.search(r"^model name\s*: (.+)$", text, re.MULTILINE):
            model = match[1]
        if match := re.search(r"^flags\s*: (.+)$", text, re.MULTILINE):
            flags = set(match[1].split())
    has = [name for flag, name in (("aes", "AES-NI"), ("sha_ni", "SHA-NI"), ("vaes", "VAES"), ("avx512ifma", "AVX-512 IFMA")) if flag in flags]
    return ", ".join([model, platform.system(), *has])


def compiler():
    match = re.search(r"Swift version (\S+)", output("swift", "--version"))
    return "Swift " + match[1] if match else ""


def read():
    """(check, subject): the rest of the line, by column."""
    rows = {}
    if os.path.exists(LIST):
        for line in open(LIST, encoding="utf-8").read().splitlines():
            if line and not line.startswith("#") and line != HEADER:
                check, subject, *rest = line.split("\t")
                rows[check, subject] = rest
    return rows


def record(check, results):
    """Writes what a check found; `results`: for each subject what to say of it. Lines of other subjects stay."""
    rows = read()
    when = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d")
    for subject, result in results.items():
        rows[check, subject] = [result, when, COMMIT, machine(), compiler()]
    with open(LIST, "w", encoding="utf-8") as file:
        file.write("# Written by the checks of this folder with --record: see evidence.py.\n" + HEADER + "\n")
        for key in sorted(rows):
            file.write("\t".join([*key, *rows[key]]) + "\n")
