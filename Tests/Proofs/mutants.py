"""Faults put into the IR and into statements, which the proofs must refuse.

usage: mutants.py FOLDER COUNT [TEXT]: COUNT mutants of each function | FOLDER --specifications

A mutant that differs from the statement on one of 400 edge inputs must be refused by the proof alone. One that is accepted and differs nowhere is
printed: it must be equivalent, and mutants.txt must list it with the reason.
"""
import glob
import os
import random
import re
import sys
import time

import ir
from ir import Refused
from proofs import demangled, label
from words import Statement

HERE = os.path.dirname(os.path.abspath(__file__))


def mutate(lines, rng):
    """One line changed: another operation, a constant or shift by one off, an operand that is 0 or another value, a limb beside."""
    for _ in range(500):
        at = rng.randrange(1, len(lines) - 1)
        line, kind = lines[at], rng.randrange(7)
        body = line.split(", !dbg")[0]
        new = line
        if "llvm.dbg" in line or "lifetime" in line or re.match(r"\s*(ret|br|#dbg|;|\w+:|unreachable|switch)", line):
            continue
        if kind == 0 and re.search(r"[us](add|sub)\.with", line):
            new = re.sub(r"([us])(add|sub)\.with", lambda m: m[1] + {"add": "sub", "sub": "add"}[m[2]] + ".with", line)
        elif kind == 1:
            found = [m for m in re.finditer(r"(?<=[ ])-?\d+(?=[,)]|$)", body)]
            if found and not re.search(r"getelementptr|load|store|extractvalue|insertvalue|alloca|shufflevector|align", body):
                m = rng.choice(found)
                new = line[:m.start()] + str(int(m[0]) + rng.choice([-1, 1])) + line[m.end():]
        elif kind == 2 and "getelementptr" in line and re.search(r"i64 (\d+)$", body):
            m = re.search(r"i64 (\d+)$", body)
            new = line[:m.start(1)] + str(max(0, int(m[1]) + rng.choice([-8, 8]))) + line[m.end(1):]
        elif kind == 3 and re.search(r" or (disjoint )?i1 ", line):
            new = re.sub(r"(or (?:disjoint )?i1 )(%\S+), \S+", r"\1\2, false", line)
        elif kind == 4 and "=" in line and re.search(r"= (tail call .*overflow|add|sub|or|and|xor|mul|shl|lshr) ?", line):
            m = rng.choice(list(re.finditer(r"%[\w.]+", body.split("=", 1)[1])) or [None])
            if m:
                head = len(line.split("=", 1)[0]) + 1
                new = line[:head + m.start()] + ("false" if re.search(r"\bi1 ", body) and "overflow" not in body else "0") + line[head + m.end():]
        elif kind == 5:
            m = re.search(r"\bi64 (%[\w.]+)(?=,|\)| to|$)", body.split("=", 1)[-1]) if "=" in body else re.match(r".*store i64 (%[\w.]+)", body)
            others = [o[1] for o in (re.match(r"\s*(%[\w.]+) = (?:extractvalue \{ i64, i1 \} %[\w.]+, 0|load i64|trunc .* to i64|and i64|lshr i64)", x)
                                     for x in lines[:at]) if o]
            if m and others:
                start = line.index(m[1], line.index("=") if "=" in body else 0)
                new = line[:start] + rng.choice(others[-12:]) + line[start + len(m[1]):]
        elif kind == 6 and re.search(r"= (and|or|xor|shl|lshr|add|sub) ", line):
            pairs = {"and": "or", "or": "and", "xor": "or", "shl": "lshr", "lshr": "shl", "add": "sub", "sub": "add"}
            new = re.sub(r"= (and|or|xor|shl|lshr|add|sub) (nuw |nsw |exact |disjoint )*", lambda m: f"= {pairs[m[1]]} ", line, count=1)
        if new != line:
            return lines[:at] + [new] + lines[at + 1:], f"{body.strip()[:90]} => {new.split(', !dbg')[0].strip()[:90]}"
    return None, None


def accepted(module, symbol, statement, method):
    try:
        if method == "bits":
            import bits
            bits.prove(statement, module, symbol)
        else:
            statement.prove(module, symbol)
        return True
    except (Refused, RecursionError, NameError, KeyError, IndexError, TypeError, AttributeError, ValueError):
        return False


def differs(module, symbol, statement, samples):
    for names in samples:
        try:
            if not statement.execute(module, symbol, names):
                return True
        except (Refused, RecursionError, NameError, KeyError, IndexError, TypeError, AttributeError, ValueError):
            return True
    return False


def main(folder, count, only=""):
    from specs import SPECS
    sys.setrecursionlimit(20_000)
    module = ir.Module(sorted(glob.glob(os.path.join(folder, "*", "*.ll"))))
    names = demangled(module.texts)
    with open(os.path.join(HERE, "mutants.txt")) as file:
        listed = {line.split("\t")[0] + "\t" + line.split("\t")[1] for line in file if line.count("\t") >= 2}
    total = refused = equivalent = 0
    wrong, unlisted = [], []
    for function, method, statement in SPECS:
        name = label(function, statement)
        if only not in name:
            continue
        symbol = function if function.startswith("$s") else names[function][0]
        original, parsed = module.texts[symbol], module.function(symbol)
        began = time.time()
        rng = random.Random(name)
        samples = statement.samples(400, symbol)
        lines, here, seen = original.split("\n"), 0, set()
        budget = count if len(lines) < 300 else max(4, count // 8)
        for _ in range(budget * 4):
            if here >= budget or time.time() - began > 60:
                break
            changed, text = mutate(lines, rng)
            if changed is None or text in seen:
                continue
            seen.add(text)
            module.texts[symbol] = "\n".join(changed)
            module.parsed.pop(symbol, None)
            here += 1
            total += 1
            if not accepted(module, symbol, statement, method):
                refused += 1
            elif differs(module, symbol, statement, samples):
                wrong.append((name, text))
                print(f"WRONGLY ACCEPTED: {name}: {text}", flush=True)
            else:
                equivalent += 1
                if f"{name}\t{text}" not in listed:
                    unlisted.append((name, text))
                    print(f"equivalent?\t{name}\t{text}", flush=True)
        module.texts[symbol], module.parsed[symbol] = original, parsed
        print(f"{name}: {here} mutants, {time.time() - began:.0f} s", flush=True)
    print(f"{total} mutants: {refused} refused, {equivalent} equivalent, {len(wrong)} wrongly accepted, {len(unlisted)} not listed")
    return 1 if wrong or unlisted else 0


def specifications(folder):
    """Statements that are nearly right: another modulus, another factor, a bound that is too low."""
    from specs import CONSTANTS
    module = ir.Module(sorted(glob.glob(os.path.join(folder, "*", "*.ll"))))
    names, failures = demangled(module.texts), 0
    f = "specialized static P384Field."
    wrong = [(f + "add(_:_:_:)", "*r:6 *a:6 *b:6", "a < p384; b < p384", "r' = a + b mod p384 + 2; r' < p384", "words"),
             (f + "multiply(_:_:_:)", "*r:6 *a:6 *b:6", "b < p384", "2**383 * r' = a * b mod p384; r' < p384", "words"),
             (f + "subtract(_:_:_:)", "*r:6 *a:6 *b:6", "a < p384; b < p384", "r' = a - b mod p384; r' < p384 - 1", "words"),
             (f + "add(_:_:_:)", "*r:6 *a:6 *b:6", "a <= p384; b <= p384", "r' = a + b mod p384; r' < p384", "words"),
             ("static UInt256.product(_:_:)", "*low:4+high:4 a:4 b:4", "", "low' + 2**256 * high' = a * b + 1", "words"),
             ("Mask.init(_:isLessThan:)", "a:1 b:1 -> r:1", "", "r = ite(a <= b, ones, 0)", "bits")]
    for function, arguments, requires, ensures, method in wrong:
        if accepted(module, names[function][0], Statement(function, arguments, requires, ensures, CONSTANTS), method):
            failures += 1
            print(f"WRONGLY ACCEPTED: {function}: {ensures}")
    print(f"{len(wrong)} wrong specifications, {len(wrong) - failures} refused")
    return 1 if failures else 0


if __name__ == "__main__":
    if sys.argv[2] == "--specifications":
        sys.exit(specifications(sys.argv[1]))
    sys.exit(main(sys.argv[1], int(sys.argv[2]), *sys.argv[3:4]))
