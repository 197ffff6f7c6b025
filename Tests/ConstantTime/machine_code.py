"""Machine code of x86-64 as llvm-objdump prints it, and where the values in its registers come from.

For every function, `decisions` follows each value from where it enters (an argument, memory, a vector register) through moves,
sums and spills, over all paths at once, until nothing new turns up. What decides a jump or an address can then be named:
"count" is a length, "vector" and "memory at key" are data.

What it can't tell apart: all vector registers are one origin, and so is all memory behind one argument. A value that was public before it
went through either counts as data. It does not look into functions that are called; calls are therefore listed.
"""
import collections
import re

WORDS = "ax bx cx dx si di bp sp".split()
REGISTERS = {}  # every name of a general register: (the 64-bit register, its width in bytes)
for _word in WORDS:
    REGISTERS["r" + _word] = ("r" + _word, 8)
    REGISTERS["e" + _word] = ("r" + _word, 4)
    REGISTERS[_word] = ("r" + _word, 2)
    REGISTERS[_word[0] + "l" if _word[1] == "x" else _word + "l"] = ("r" + _word, 1)
    if _word[1] == "x":
        REGISTERS[_word[0] + "h"] = ("r" + _word, 1)
for _number in range(8, 16):
    for _suffix, _width in (("", 8), ("d", 4), ("w", 2), ("b", 1)):
        REGISTERS[f"r{_number}{_suffix}"] = (f"r{_number}", _width)

ARGUMENTS = ["rdi", "rsi", "rdx", "rcx", "r8", "r9"]
KEPT_OVER_CALLS = {"rbx", "rbp", "rsp", "r12", "r13", "r14", "r15"}
VECTOR = re.compile(r"[xyz]mm\d+")
MASK = re.compile(r"k[0-7]$")
WIDTHS = {"byte": 1, "word": 2, "dword": 4, "qword": 8, "xmmword": 16, "ymmword": 32, "zmmword": 64}

CONDITIONAL = re.compile(r"(j(?!mp)[a-z]+|loop\w*)$")
COPIES = {"mov", "movabs", "movzx", "movsx", "movsxd", "movbe"}
SUMS = {"add", "sub", "and", "or", "xor", "imul", "shl", "shr", "sar", "sal", "rol", "ror", "shld", "shrd", "neg", "inc", "dec"}
SUMS_WITH_CARRY = {"adc", "sbb", "rcl", "rcr", "adcx", "adox"}
COMPARISONS = {"cmp", "test", "bt"}
THREE_OPERANDS = {"andn", "bextr", "blsr", "blsi", "blsmsk", "bzhi", "tzcnt", "lzcnt", "popcnt", "bsf", "bsr", "pdep", "pext"}
WITHOUT_FLAGS = {"shlx", "shrx", "sarx", "rorx"}
DIVISIONS = {"div", "idiv"}
NOTHING = {"nop", "endbr64", "vzeroupper", "ret", "ud2", "int3", "cld", "data16"}


class UnknownInstruction(Exception):
    """Better to stop than to follow values past an instruction that may move them."""


class Instruction(collections.namedtuple("Instruction", "address name operands target")):
    """`target` is the symbol that a relocation names, if there is one."""


class Function:
    def __init__(self, symbol):
        self.symbol = symbol
        self.instructions = []


def parse(disassembly):
    """The functions of a disassembly in Intel's notation, with relocations."""
    functions, current, section, starts = [], None, None, {}
    for line in disassembly.splitlines():
        if match := re.match(r"Disassembly of section (.+):$", line):
            section = match[1]
        elif match := re.match(r"([0-9a-f]+) <(.+)>:$", line):
            current = Function(match[2])
            functions.append(current)
            starts[section, int(match[1], 16)] = match[2]
        elif match := re.match(r"\s+[0-9a-f]+:\s+R_X86_64_\S+\s+(\S+?)([-+]0x[0-9a-f]+)?$", line):
            # A private function is named by its section and its place there, less the four octets of the distance
            # itself.
            target = starts.get((match[1], int(match[2] or "0", 16) + 4), match[1])
            current.instructions[-1] = current.instructions[-1]._replace(target=target)
        elif match := re.match(r"\s+([0-9a-f]+):\s+(\S.*)$", line):
            text = re.sub(r"\s+#.*", "", match[2])
            name, _, rest = text.replace("\t", " ").partition(" ")
            while name in ("rep", "repe", "repne", "lock", "notrack", "cs"):
                prefix = name
                name, _, rest = rest.strip().partition(" ")
                if prefix.startswith("rep"):
                    name = f"{prefix} {name}"
            operands = [part.strip() for part in rest.split(",")] if rest.strip() else []
            # A call within a section needs no relocation.
            within = re.match(r"0x[0-9a-f]+ <([^+>]+)>$", operands[0]) if name == "call" else None
            current.instructions.append(Instruction(int(match[1], 16), name, operands, within[1] if within else None))
    return functions


class Stack(collections.namedtuple("Stack", "frame offset")):
    """An address in the frame that is known exactly: a distance from the stack pointer on entry, or from its rounded value."""


def origins(value):
    return frozenset({"stack"}) if isinstance(value, Stack) else value


NOWHERE = frozenset()  # where constants come from
DATA = frozenset({"vector"})


class State:
    """What is known before an instruction: the origins of registers, masks, flags and of each octet of the frame."""

    def __init__(self):
        self.values = {}
        self.frame = {}

    def copy(self):
        other = State()
        other.values = dict(self.values)
        other.frame = dict(self.frame)
        return other

    def get(self, register):
        return self.values.get(register, frozenset({register}))

    def merge(self, other):
        """Takes in what may also be so. Returns whether that was new."""
        changed = False
        for mine, theirs in ((self.values, other.values), (self.frame, other.frame)):
            for place, value in theirs.items():
                if place not in mine:
                    mine[place] = value
                    changed = True
                elif mine[place] != value:
                    both = origins(mine[place]) | origins(value)
                    if both != mine[place]:
                        mine[place] = both
                        changed = True
        return changed


class Decision(collections.namedtuple("Decision", "kind what origins address")):
    """Something whose time or trace depends on `origins`."""


class Analysis:
    def __init__(self, function, parameters, argument_counts):
        """`parameters`: the names of the arguments in general registers and on the stack, in order, and whether each is a pointer.
        `argument_counts`: how many such arguments the known functions take."""
        self.function = function
        self.code = function.instructions
        self.place = {instruction.address: index for index, instruction in enumerate(self.code)}
        self.pointers = {name for name, is_pointer in parameters if is_pointer}
        self.names = [name for name, _ in parameters]
        self.argument_counts = argument_counts
        self.found = {}

    # Values

    def read_frame(self, state, address, width):
        found = [state.frame.get((address.frame, address.offset + octet)) for octet in range(width)]
        if width == 8 and isinstance(found[0], Stack) and all(value == found[0] for value in found):
            return found[0]
        result = NOWHERE
        for value in found:
            result |= frozenset({"frame"}) if value is None else origins(value)
        return result

    def address_of(self, state, operand):
        """The address that a memory operand names: exact in the frame, or the origins of all that makes it up."""
        inner = operand[operand.index("[") + 1:operand.index("]")]
        if re.search(r"\b[fg]s:", operand):
            return frozenset({"thread"})
        exact, result = None, NOWHERE
        for sign, term in re.findall(r"([-+]?)\s*([^-+\s]+)", inner.replace(" * ", "*")):
            if re.fullmatch(r"0x[0-9a-f]+|\d+", term):
                distance = int(term, 0) * (-1 if sign == "-" else 1)
                if exact is not None:
                    exact = Stack(exact.frame, exact.offset + distance)
                continue
            register = re.sub(r"^\d\*|\*\d$", "", term)
            if register == "rip":
                continue
            if VECTOR.fullmatch(register):
                result |= DATA
                continue
            value = state.get(REGISTERS[register][0])
            if isinstance(value, Stack) and exact is None and register == term and not result:
                exact = value
            else:
                result |= origins(value)
        if exact is None:
            return result
        return exact if not result else result | {"stack"}

    def load(self, state, operand, width):
        address = self.address_of(state, operand)
        if isinstance(address, Stack):
            return self.read_frame(state, address, width)
        if address == frozenset({"thread"}):
            return frozenset({"stack guard"})
        if not address:
            return NOWHERE  # a constant of the program
        names = sorted(address & self.pointers)
        return frozenset({"memory at " + name for name in names} or {"some memory"})

    def width(self, operand):
        if match := re.match(r"(\w+) ptr", operand):
            return WIDTHS.get(match[1], 8)
        return REGISTERS[operand][1] if operand in REGISTERS else 8

    def read(self, state, operand):
        operand = re.sub(r"\s*\{.*\}", "", operand)
        if "[" in operand:
            return self.load(state, operand, self.width(operand))
        if operand in REGISTERS:
            return state.get(REGISTERS[operand][0])
        if MASK.match(operand):
            return state.get(operand)
        if VECTOR.match(operand):
            return DATA
        return NOWHERE

    def write(self, state, operand, value):
        operand = re.sub(r"\s*\{.*\}", "", operand)
        if "[" in operand:
            address = self.address_of(state, operand)
            if isinstance(address, Stack):
                for octet in range(self.width(operand)):
                    state.frame[(address.frame, address.offset + octet)] = value
            elif "stack" in address:
                for place in state.frame:  # somewhere in the frame
                    state.frame[place] = origins(state.frame[place]) | origins(value)
        elif operand in REGISTERS:
            register, width = REGISTERS[operand]
            if width < 4:
                value = origins(state.get(register)) | origins(value)
            elif width == 4:
                value = origins(value)
            state.values[register] = value
        elif MASK.match(operand):
            state.values[operand] = origins(value)

    def set_flags(self, state, value, name):
        state.values["flags"] = origins(value)
        state.values["comparison"] = frozenset({name})

    # Instructions

    def note(self, instruction, kind, what, value):
        self.found[(instruction.address, kind)] = Decision(kind, what, origins(value), instruction.address)

    def note_addresses(self, state, instruction):
        for operand in instruction.operands:
            if "[" not in operand or instruction.name in ("lea", "nop") or instruction.name.startswith("prefetch"):
                continue
            address = self.address_of(state, operand)
            if isinstance(address, Stack) or address == frozenset({"thread"}):
                continue
            if len(address) > 1 or not address <= self.pointers:
                kind = "gather or scatter" if re.search(r"[xyz]mm\d+", operand[operand.index("["):]) else "address"
                self.note(instruction, kind, "store" if operand is instruction.operands[0]
                          and instruction.name not in COMPARISONS else "load", address)
        masks = re.findall(r"\{(k[1-7])\}", " ".join(instruction.operands))
        if masks and any("[" in operand for operand in instruction.operands):
            self.note(instruction, "masked access", instruction.name, state.get(masks[0]))

    def call(self, state, instruction, name):
        known = self.argument_counts.get(name, {"memcpy": 3, "memmove": 3, "memset": 3, "__stack_chk_fail": 0}.get(name, 6))
        arguments = [state.get(register) for register in ARGUMENTS[:known]]
        top = state.get("rsp")
        for number in range(6, known):
            arguments.append(
                self.read_frame(state, Stack(top.frame, top.offset + 8 * (number - 6)), 8)
                if isinstance(top, Stack) else frozenset({"frame"}))
        everything = NOWHERE.union(*(origins(argument) for argument in arguments))
        self.note(instruction, "call", name, everything)
        # Partial blocks are copied through 16 octets of the frame. What is longer than a register is read as vectors,
        # which are data in any case.
        room = 16 if name.startswith("mem") else 64
        for argument in arguments:
            if isinstance(argument, Stack):
                for octet in range(room):
                    state.frame[(argument.frame, argument.offset + octet)] = frozenset({"some memory"})
        for register in list(state.values):
            if register not in KEPT_OVER_CALLS:
                del state.values[register]
        for register in sorted({register for register, _ in REGISTERS.values()} - KEPT_OVER_CALLS) + [f"k{i}" for i in range(8)]:
            state.values[register] = frozenset({"result of " + name})
        self.set_flags(state, frozenset({"result of " + name}), name)

    def step(self, state, instruction):
        """Moves the state over one instruction. Returns the addresses that may come next."""
        name, operands = instruction.name, instruction.operands
        index = self.place[instruction.address]
        following = [self.code[index + 1].address] if index + 1 < len(self.code) else []
        self.note_addresses(state, instruction)
        vectors = any(VECTOR.search(re.sub(r"\[.*\]", "", operand)) for operand in operands)

        if CONDITIONAL.match(name):
            comparison = "/".join(sorted(state.get("comparison")))
            self.note(instruction, "jump", f"{comparison} {name}", state.get("flags"))
            return following + [int(operands[0].split()[0], 16)]
        if name == "jmp":
            if instruction.target:
                self.call(state, instruction, instruction.target)
                return []
            if match := re.match(r"0x[0-9a-f]+", operands[0]):
                return [int(match[0], 16)]
            self.note(instruction, "indirect jump", name, self.read(state, operands[0]))
            raise UnknownInstruction(f"{self.function.symbol}: where an indirect jump leads to is not known")
        if name == "call":
            if not instruction.target:
                self.note(instruction, "indirect call", name, self.read(state, operands[0]))
            self.call(state, instruction, instruction.target or operands[0].split(".")[0])
            return following
        if name in ("ret", "ud2"):
            return []
        if name in NOTHING or name.startswith("prefetch"):
            return following
        if name.startswith("rep ") or name.startswith("repne ") or name.startswith("repe "):
            self.note(instruction, "string instruction", name, origins(state.get("rcx")))
            return following

        if name in ("push", "pop"):
            top = state.get("rsp")
            if not isinstance(top, Stack):
                raise UnknownInstruction(f"{self.function.symbol}: {name} on an unknown stack")
            if name == "push":
                top = Stack(top.frame, top.offset - 8)
                for octet in range(8):
                    state.frame[(top.frame, top.offset + octet)] = self.read(state, operands[0])
                state.values["rsp"] = top
            else:
                self.write(state, operands[0], self.read_frame(state, top, 8))
                state.values["rsp"] = Stack(top.frame, top.offset + 8)
        elif name == "lea":
            self.write(state, operands[0], self.address_of(state, operands[1]))
        elif name == "cmp" or name in COMPARISONS:
            self.set_flags(state, origins(self.read(state, operands[0])) | origins(self.read(state, operands[1])), name)
        elif vectors and (name.lstrip("v").startswith(("ptest", "comis", "ucomis")) or "pcmpistr" in name or "pcmpestr" in name):
            self.set_flags(state, DATA, name)
        elif name.startswith(("kortest", "ktest")):
            self.set_flags(state, origins(self.read(state, operands[0])) | origins(self.read(state, operands[1])), name)
        elif vectors or name.startswith("k"):
            if operands and not VECTOR.match(operands[0]):
                sources = operands[1:] or operands
                value = DATA if vectors else NOWHERE.union(*(origins(self.read(state, source)) for source in sources))
                self.write(state, operands[0], value)
        elif name in COPIES:
            self.write(state, operands[0], self.read(state, operands[1]))
        elif name == "xchg":
            first, second = (self.read(state, operand) for operand in operands)
            self.write(state, operands[0], second)
            self.write(state, operands[1], first)
        elif name.startswith("cmov"):
            value = origins(self.read(state, operands[0])) | origins(self.read(state, operands[1])) | state.get("flags")
            self.write(state, operands[0], value)
        elif name.startswith("set"):
            self.write(state, operands[0], state.get("flags"))
        elif name in ("not", "bswap"):
            self.write(state, operands[0], origins(self.read(state, operands[0])))
        elif name in ("cdqe", "cwde"):
            pass
        elif name in ("cqo", "cdq"):
            state.values["rdx"] = origins(state.get("rax"))
        elif name == "mulx":
            value = origins(state.get("rdx")) | origins(self.read(state, operands[2]))
            self.write(state, operands[0], value)
            self.write(state, operands[1], value)
        elif name in DIVISIONS or name == "mul" or (name == "imul" and len(operands) == 1):
            value = origins(state.get("rax")) | origins(self.read(state, operands[0]))
            if name in DIVISIONS:
                value |= origins(state.get("rdx"))
                self.note(instruction, "division", name, value)
            state.values["rax"] = state.values["rdx"] = value
            self.set_flags(state, value, name)
        elif name in WITHOUT_FLAGS:
            self.write(state, operands[0], NOWHERE.union(*(origins(self.read(state, source)) for source in operands[1:])))
        elif name in SUMS or name in SUMS_WITH_CARRY or name in THREE_OPERANDS:
            self.sum(state, name, operands)
        else:
            raise UnknownInstruction(f"{self.function.symbol}: {name} {', '.join(operands)}")
        return following

    def sum(self, state, name, operands):
        first = self.read(state, operands[0])
        if name in ("xor", "sub") and len(operands) == 2 and operands[0] == operands[1]:
            value = NOWHERE
        elif isinstance(first, Stack) and name in ("add", "sub", "and") and re.fullmatch(r"-?(0x[0-9a-f]+|\d+)", operands[1]):
            distance = int(operands[1], 0)
            if name == "and":
                value = Stack(f"{first.frame} rounded", 0)
            else:
                value = Stack(first.frame, first.offset + (distance if name == "add" else -distance))
        else:
            sources = operands[1:] if name in THREE_OPERANDS or len(operands) == 3 and name == "imul" else operands
            value = NOWHERE.union(*(origins(self.read(state, source)) for source in sources))
            if name in SUMS_WITH_CARRY:
                value |= state.get("flags")
        self.write(state, operands[0], value)
        self.set_flags(state, origins(value) if not isinstance(value, Stack) else frozenset({"stack"}), name)

    def run(self):
        """Every decision of the function, in the order of the code."""
        start = State()
        start.values["rsp"] = Stack("frame", 0)
        for number, name in enumerate(self.names):
            if number < 6:
                start.values[ARGUMENTS[number]] = frozenset({name})
            else:
                for octet in range(8):
                    start.frame[("frame", 8 * (number - 6) + 8 + octet)] = frozenset({name})
        before = {self.code[0].address: start}
        waiting = [self.code[0].address]
        while waiting:
            address = waiting.pop()
            state = before[address].copy()
            for following in self.step(state, self.code[self.place[address]]):
                if following not in before:
                    before[following] = state.copy()
                    waiting.append(following)
                elif before[following].merge(state):
                    waiting.append(following)
        unreached = [i for i in self.code if i.address not in before and i.name not in NOTHING]
        if unreached:
            raise UnknownInstruction(f"{self.function.symbol}: nothing leads to {unreached[0].address:#x}")
        return [self.found[key] for key in sorted(self.found)]


def decisions(function, parameters, argument_counts):
    """What decides jumps and addresses in a function, or what it calls."""
    return Analysis(function, parameters, argument_counts).run()
