"""Proves what specs.py states about the IR in a folder, and keeps the table of what was proved.

usage: proofs.py FOLDER [--all] [--update] [--only TEXT] [--mutants COUNT]
"""
import glob
import hashlib
import json
import os
import re
import subprocess
import sys
import time

import ir
from ir import Refused

HERE = os.path.dirname(os.path.abspath(__file__))
TABLE = os.path.join(HERE, "proved.json")
ENGINE = ["ir.py", "interpreter.py", "polynomials.py", "linear.py", "words.py", "bits.py"]


def engine():
    h = hashlib.sha256()
    for name in ENGINE:
        with open(os.path.join(HERE, name), "rb") as file:
            h.update(file.read())
    return h.hexdigest()[:24]


def demangled(symbols):
    """{name in Swift: [symbols]}"""
    names = [s for s in symbols if s.startswith("$s") and "  " not in s]
    out = subprocess.run(["swift", "demangle", "--simplified", "--compact"], input="\n".join(names), capture_output=True, text=True, check=True)
    found = {}
    for symbol, name in zip(names, out.stdout.splitlines()):
        found.setdefault(name, []).append(symbol)
    return found


def reached(module, symbol, done=None):
    """A function and all it calls in our own IR."""
    done = {} if done is None else done
    if symbol in done or symbol not in module.texts:
        return done
    done[symbol] = ir.digest(module.texts[symbol])
    for block in module.function(symbol).blocks.values():
        for i in block.instructions:
            if i.op == "call" and i.extra[0] == "global":
                reached(module, i.extra[1], done)
    return done


def prove(module, symbol, statement, method):
    """400 edge inputs first: they test the reader, and find a wrong function or statement before a proof is tried."""
    for names in statement.samples(400, symbol):
        if not statement.execute(module, symbol, names):
            raise Refused("wrong on " + ", ".join(f"{k} = {v:#x}" for k, v in names.items()))
    if method == "bits":
        import bits
        return bits.prove(statement, module, symbol)
    return statement.prove(module, symbol)


def label(function, statement):
    return f"{function}{', ' + statement.note if statement.note else ''}"


def function_of(row):
    """The function that a row of the table is about: `label` without its note."""
    return re.sub(r"(?<=\)), [^()]+$", "", row)


def load():
    with open(TABLE) as file:
        return json.load(file)


def main(arguments):
    from specs import SPECS
    sys.setrecursionlimit(20_000)
    module = ir.Module(sorted(glob.glob(os.path.join(arguments[0], "*", "*.ll"))))
    every, update = "--all" in arguments, "--update" in arguments
    only = arguments[arguments.index("--only") + 1] if "--only" in arguments else ""
    try:
        table = load()
    except FileNotFoundError:
        table = {"functions": {}}
    names, failures, fresh, kept = demangled(module.texts), [], {}, 0
    prover = engine()
    for function, method, statement in SPECS:
        name = label(function, statement)
        if only not in name:
            continue
        symbols = [function] if function.startswith("$s") else names.get(function, [])
        symbols = [s for s in symbols if s in module.texts]
        if len(symbols) != 1:
            failures.append(name)
            print(f"FAILED: {name}: {len(symbols)} functions of this name in the IR of a release build", flush=True)
            continue
        code = hashlib.sha256(repr(sorted(reached(module, symbols[0]).items())).encode()).hexdigest()[:24]
        before = table["functions"].get(name, {})
        entry = {"statement": statement.text(), "method": method, "code": code, "prover": prover}
        if not every and all(before.get(k) == v for k, v in entry.items()):
            fresh[name] = before
            kept += 1
            continue
        began = time.time()
        try:
            facts = prove(module, symbols[0], statement, method)
        except (Refused, RecursionError) as refused:
            failures.append(name)
            print(f"FAILED: {name}: {refused}", flush=True)
            continue
        lines = module.texts[symbols[0]].count("\n")
        fresh[name] = {**entry, "lines": lines, "opaque": facts["opaque"], "seconds": round(time.time() - began, 1)}
        if "callers" in before:  # until `callers` has looked at a program that has the new function
            fresh[name]["callers"] = before["callers"]
        if update:
            save({**table, "functions": {**table["functions"], **fresh}})
        print(f"proved {name}: {lines} lines, {facts['unknowns']} unknowns, {time.time() - began:.1f} s", flush=True)
    print(f"{len(fresh)} functions proved, {kept} of them before; {len(failures)} failed")
    if update and not only:
        for number, entry in enumerate(fresh.values()):
            entry["row"] = number
        table = {"inputs": os.environ.get("PROOF_INPUTS", ""), "functions": fresh}
        save(table)
        write_table(table["functions"])
    elif len(fresh) > kept and not every:
        print("IR or statements have changed since the table was made: Tests/Proofs/run --update writes it anew")
    return 1 if failures else 0


def save(table):
    with open(TABLE, "w") as file:
        json.dump(table, file, indent=1, sort_keys=True)
        file.write("\n")


def counts(functions):
    """How many functions the table is about, and how many of them run: several rows may be about one."""
    runs = {function_of(row) for row, e in functions.items() if e.get("callers")}
    return len({function_of(row) for row in functions}), len(runs)


def summary(functions):
    all, runs = counts(functions)
    return (f"{len(functions)} rows are about {all} functions. {runs} of these run as they were proved: something in a linked program calls them. "
            f"The other {all - runs} are inlined wherever they are used, and nothing calls the copy that was proved.")


def shown(callers):
    if callers is None:
        return "not looked at yet"
    if not callers:
        return "nothing: inlined"
    return f"`{callers[0]}`" + (f" and {len(callers) - 1} more" if len(callers) > 1 else "")


def write_table(functions):
    with open(os.path.join(HERE, "PROVED.md"), "w") as file:
        file.write("# What is proved\n\nMade by `Tests/Proofs/run --update` and `Tests/Proofs/callers PROGRAM --update`. [specs.py](specs.py) explains the notation, and "
                   "[README.md](README.md) what each proof assumes.\n\n" + summary(functions) + "\n"
                   "\n| Function | Arguments | Requires | Ensures | By | Called by | Lines of IR | Zeros taken from `opaqueZero` | Seconds |\n|---|---|---|---|---|---|--:|--:|--:|\n")
        for name, e in sorted(functions.items(), key=lambda item: item[1]["row"]):
            arguments, requires, ensures, _ = (x.replace("|", "\\|") for x in e["statement"].split("\t"))
            called = shown(e.get("callers")).replace("|", "\\|")
            file.write(f"| `{name}` | `{arguments}` | {'`' + requires + '`' if requires else ''} | `{ensures}` | {e['method']} | {called} | {e['lines']} | {e['opaque']} | {e['seconds']} |\n")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
