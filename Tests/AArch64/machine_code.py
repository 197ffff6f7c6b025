"""What decides jumps and addresses in a function's AArch64 code.

A forward analysis over the instructions: each register, the flags and each slot of the frame carry the set of what their value may come from:
`argument N` (N the number of the register in which it was passed), `memory`, `vector`, `result of NAME`, `stack` for addresses in the frame.
Constants carry nothing. Where paths join, sets are joined, until nothing changes. Every instruction writes what it writes and depends on all
that it reads, so a set is never too small, but may be too large. The flags of a condition, the base and the index of an address, and the
arguments of calls are then read off.
"""
import collections
import re

Decision = collections.namedtuple("Decision", "kind what origins")
CONDITIONAL = re.compile(r"b\.\w+$|cbn?z$|tbn?z$")
LOADS = re.compile(r"(ld|prfm)")
STORES = re.compile(r"st")
FLAG_READERS = re.compile(r"(csel|csinc|csinv|csneg|cset|csetm|cinc|cinv|cneg|adcs?|sbcs?|ngcs?|ccmp|ccmn|fcsel)$")
FLAG_WRITERS = re.compile(r"(adds|subs|ands|bics|adcs|sbcs|negs|ngcs|cmp|cmn|tst|ccmp|ccmn|fcmp)$")
ONLY_FLAGS = ("cmp", "cmn", "tst", "ccmp", "ccmn", "fcmp")
CALLER_SAVED = [f"x{n}" for n in range(19)] + [f"v{n}" for n in range(8)] + [f"v{n}" for n in range(16, 32)]


def registers(text):
    """The registers in an operand, each by the one name of all its widths."""
    found = []
    for name, number in re.findall(r"(?<![\w.#])([xwvqdshb])(\d+)\b", text):
        found.append(("x" if name in "xw" else "v") + number)
    return found + (["sp"] if re.search(r"\b(w?sp)\b", text) else [])


def operands(text):
    """The operands, which commas part, except within brackets."""
    parts, depth, part = [], 0, ""
    for character in text:
        depth += (character in "[{") - (character in "]}")
        if character == "," and depth == 0:
            parts.append(part.strip())
            part = ""
        else:
            part += character
    return [piece for piece in parts + [part.strip()] if piece]


class State:
    def __init__(self, origins=None):
        self.origins = dict(origins or {})

    def of(self, *names):
        return frozenset().union(*(self.origins.get(name, frozenset()) for name in names))

    def join(self, other):
        """Whether something new came in."""
        changed = False
        for name, origins in other.origins.items():
            joined = self.origins.get(name, frozenset()) | origins
            if joined != self.origins.get(name):
                self.origins[name] = joined
                changed = True
        return changed


def slot(address):
    """The place in the frame that an address names, if it does so by a constant."""
    match = re.match(r"\[(sp|x29)(?:, #(-?(?:0x)?[0-9a-f]+))?\]", address)
    return f"{match[1]}+{int(match[2] or '0', 0)}" if match else None


def analyse(code):
    """The decisions of a function: how often each occurs. `code` is a list of pairs of address and instruction."""
    places = {address: index for index, (address, _) in enumerate(code)}
    entry = State({f"x{n}": frozenset([f"argument {n}"]) for n in range(8)})
    entry.origins.update({f"v{n}": frozenset(["vector"]) for n in range(8)})
    entry.origins.update({"sp": frozenset(["stack"]), "x29": frozenset(["stack"])})
    states, work = {0: entry}, [0]
    while work:
        index = work.pop()
        state = State(states[index].origins)
        step(code[index][1], state)
        for following in successors(code, places, index):
            if following not in states:
                states[following] = State(state.origins)
                work.append(following)
            elif states[following].join(state):
                work.append(following)
    found = collections.Counter()
    for index, state in states.items():
        for decision in decided(code[index][1], state):
            found[decision] += 1
    return found


def target(text):
    match = re.search(r"0x([0-9a-f]+) <", text)
    return int(match[1], 16) if match else None


def successors(code, places, index):
    name = code[index][1].split()[0]
    following = [index + 1] if index + 1 < len(code) else []
    if name in ("ret", "brk", "br", "udf"):
        return []
    if name == "b":
        return [places[target(code[index][1])]] if target(code[index][1]) in places else []
    if CONDITIONAL.match(name) and target(code[index][1]) in places:
        return following + [places[target(code[index][1])]]
    return following


def parts(text):
    text = text.partition(" ; ")[0].partition("//")[0].partition("<")[0]
    name, _, rest = text.strip().partition(" ")
    return name, operands(rest)


def called(text):
    match = re.search(r"R_AARCH64_(?:CALL|JUMP)26\s+(\S+)", text) or re.search(r"<([^>]+)>", text)
    return match[1] if match else "?"


def step(text, state):
    """What an instruction does to the state."""
    name, arguments = parts(text)
    if not arguments or CONDITIONAL.match(name) or name in ("b", "br", "ret", "nop", "brk", "hint"):
        return
    if name in ("bl", "blr"):
        for register in CALLER_SAVED:
            state.origins[register] = frozenset([f"result of {called(text)}"])
        return
    memory = next((piece for piece in arguments if piece.startswith("[")), None)
    if memory and (LOADS.match(name) or STORES.match(name)):
        values = [register for piece in arguments[:arguments.index(memory)] for register in registers(piece)]
        place, size = slot(memory), 16 if any(value.startswith("v") for value in values) else 8
        for number, value in enumerate(values):
            if place:
                base, _, offset = place.partition("+")
                key = f"{base}+{int(offset) + number * size}"
            if STORES.match(name):
                if place:
                    state.origins[key] = state.of(value)
            elif place and key in state.origins:
                state.origins[value] = state.origins[key]
            else:
                # An argument that was passed on the stack, unless it is a pointer's or an unknown place's content.
                state.origins[value] = frozenset(["argument on the stack" if place else "memory"])
        return
    reads = [register for piece in arguments[1:] for register in registers(piece)]
    writes = registers(arguments[0])
    if name in ONLY_FLAGS:
        reads, writes = reads + writes, []
    origins = state.of(*reads)
    if FLAG_READERS.match(name):
        origins |= state.of("flags")
    if FLAG_WRITERS.match(name):
        state.origins["flags"] = origins
    if name in ("adrp", "adr", "movz"):
        origins = frozenset()
    for register in writes:
        if name == "movk" or (register.startswith("v") and name not in ("movi", "fmov", "dup", "mov", "ld1r") and name != "movi"):
            origins |= state.of(register)
        if name in ("mov", "fmov") and "[" in arguments[0]:
            origins |= state.of(register)
        if register.startswith("x") and any(read.startswith("v") for read in reads):
            origins |= frozenset(["vector"])
        if register != "sp":
            state.origins[register] = origins


def decided(text, state):
    """The decisions that an instruction makes."""
    name, arguments = parts(text)
    if name.startswith("b."):
        yield Decision("jump", name, state.of("flags"))
    elif CONDITIONAL.match(name):
        yield Decision("jump", name, state.of(*registers(arguments[0])))
    elif name in ("br", "blr"):
        yield Decision("indirect jump", name, state.of(*registers(arguments[0])))
    elif name == "bl" or (name == "b" and "R_AARCH64_JUMP26" in text):
        yield Decision("call", called(text), state.of("x0", "x1", "x2"))
    elif name in ("udiv", "sdiv"):
        yield Decision("division", name, state.of(*(register for piece in arguments[1:] for register in registers(piece))))
    elif LOADS.match(name) or STORES.match(name):
        memory = next((piece for piece in arguments if piece.startswith("[")), "")
        origins = state.of(*registers(memory))
        # A pointer alone, or a constant, or a place in the frame, decides nothing.
        if len(origins) > 1 or any(is_data(origin) for origin in origins):
            yield Decision("address", "load" if LOADS.match(name) else "store", origins)


def is_data(origin):
    return origin in ("memory", "vector") or origin.startswith("result of ")
