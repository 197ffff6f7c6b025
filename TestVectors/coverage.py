#!/usr/bin/env python3
"""Writes COVERAGE.md: what of every vector file is run, on every backend that this machine has.

    TestVectors/coverage.py

The package's own files are in this folder. Other collections are taken from the folder that PUREJOSE_VECTORS names, or
that --others names. Where there is none, their part of the page stays as it is. The vector tests fail when the page is
stale.
"""
import argparse, json, os, subprocess, sys

folder = os.path.dirname(os.path.abspath(__file__))
package = os.path.dirname(folder)
page = os.path.join(folder, "COVERAGE.md")
others_heading = "## Other collections"


def command(*arguments, backend=None):
    environment = dict(os.environ)
    if backend:
        environment["PUREJOSE_BACKEND"] = backend
    return subprocess.run(arguments, cwd=package, env=environment, text=True, stdout=subprocess.PIPE)


def jose():
    built = command("swift", "build", "-c", "release", "--product", "jose")
    if built.returncode:
        sys.exit(built.stdout)
    path = command("swift", "build", "-c", "release", "--show-bin-path").stdout.strip()
    return os.path.join(path, "jose")


def backends():
    names = ["portable"]
    try:
        with open("/proc/cpuinfo") as file:
            flags = set(file.read().split())
    except OSError:
        return names
    if {"aes", "pclmulqdq", "sse4_1"} <= flags:
        names.append("aesni")
        if "avx2" in flags:
            names.append("avx2")
            if {"vaes", "vpclmulqdq"} <= flags:
                names.append("avx2vaes")
    if {"vaes", "vpclmulqdq", "avx512f", "avx512bw", "avx512vl", "avx512vbmi"} <= flags:
        names.append("avx512")
        if {"avx512dq", "avx512ifma"} <= flags:
            names.append("avx512ifma")
    return names


def results(program, path, backend):
    run = command(program, "vectors", "--json", path, backend=backend)
    rows = [row for row in map(json.loads, run.stdout.splitlines()) if "file" in row]
    if not rows:
        sys.exit(f"jose vectors {path}: no files")
    for row in rows:
        row["file"] = os.path.relpath(os.path.join(package, row["file"]), path)
        if row["failed"]:
            print(f"{row['file']} on {backend}: {row['failed']} failed", file=sys.stderr)
    return {row["file"]: row for row in rows}


def table(program, path, names):
    by_backend = {name: results(program, path, name) for name in names}
    files = sorted(by_backend[names[0]])
    lines = ["| File | Executed | " + " | ".join(f"passed, {name}" for name in names) + " | Skipped, and why |"]
    lines.append("|---|---:|" + "---:|" * len(names) + "---|")
    totals = [0] * (len(names) + 2)
    for file in files:
        rows = [by_backend[name][file] for name in names]
        executed = rows[0]["passed"] + rows[0]["failed"]
        reasons = "; ".join(f"{count}: {why}" for why, count in sorted(rows[0]["reasons"].items()))
        lines.append(f"| `{file}` | {executed} | " + " | ".join(str(row["passed"]) for row in rows) + f" | {reasons} |")
        for index, value in enumerate([executed] + [row["passed"] for row in rows] + [rows[0]["skipped"]]):
            totals[index] += value
    lines.append(f"| **{len(files)} files** | **{totals[0]}** | " + " | ".join(f"**{n}**" for n in totals[1:-1])
                 + f" | **{totals[-1]}** skipped |")
    failed = any(row["failed"] for rows in by_backend.values() for row in rows.values())
    return "\n".join(lines) + "\n", failed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jose", help="the command, if it is built already")
    parser.add_argument("--others", default=os.environ.get("PUREJOSE_VECTORS"))
    options = parser.parse_args()
    program = os.path.abspath(options.jose) if options.jose else jose()
    names = backends()
    own, failed = table(program, folder, names)
    head = (
        "# Coverage of the test vectors\n\n"
        "Written by `TestVectors/coverage.py` from `jose vectors --json`; the vector tests fail when it is stale. A test that is skipped says why; none is left out\n"
        "silently.\n\n## The package's own files\n\n")
    before = open(page).read() if os.path.exists(page) else ""
    others = before[before.index(others_heading):] if others_heading in before else ""
    if options.others:
        text, others_failed = table(program, os.path.abspath(options.others), names)
        failed = failed or others_failed
        others = (
            f"{others_heading}\n\n"
            "Files of Project Wycheproof, NIST, C2SP's CCTV, the RFCs, the drafts of HPKE, of X-Wing and of JWE with HPKE, and the JOSE cookbook. They are not part\n"
            "of this package: put them into a folder, and name it in `PUREJOSE_VECTORS`.\n\n" + text)
    after = head + own + "\n" + others
    if failed:
        sys.exit("a vector failed")
    open(page, "w").write(after)


main()
