"""Reads the LLVM IR that a release build emits. What isn't understood is an error, never skipped.

Flags that promise something about values (`nuw`, `nsw`, `exact`, `disjoint`, `nneg`, `range`) are read over: nothing is derived from them.
"""
import hashlib
import re
from collections import namedtuple


class Refused(Exception):
    """Not proved: the IR has something that the reader or a domain doesn't understand, or a goal doesn't follow."""


Instruction = namedtuple("Instruction", "op name type operands extra")
Block = namedtuple("Block", "name instructions")
Function = namedtuple("Function", "symbol result parameters blocks text internal")
Parameter = namedtuple("Parameter", "name type attributes")

# Values: ("local", name), ("global", name), int, ("undef",), ("list", [(type, value), ...]), ("expression", op, type,
# operands) Types: ("i", bits), ("ptr",), ("void",), ("vector", count, type), ("array", count, type), ("struct", packed,
# [types]), ("named", name)

TOKEN = re.compile(r'''\s*(?:
    (?P<string>c?"(?:[^"\\]|\\.)*") |
    (?P<local>%"[^"]*"|%[-\w.$]+) |
    (?P<glob>@"[^"]*"|@[-\w.$]+) |
    (?P<meta>![\w.]+|!"[^"]*") |
    (?P<attr>\#\d+) |
    (?P<number>-?(?:0x[0-9A-Fa-f]+|\d+(?:\.\d+e[-+]\d+)?)) |
    (?P<word>\.\.\.|[A-Za-z_][\w.]*) |
    (?P<punct>[=,(){}<>\[\]*:!|])
)''', re.X)

FLAGS = {"nuw", "nsw", "exact", "disjoint", "nneg", "samesign", "inbounds", "nusw", "tail", "musttail", "notail", "volatile", "fast", "nnan"}
CASTS = {"zext", "sext", "trunc", "bitcast", "ptrtoint", "inttoptr", "uitofp", "sitofp", "fptoui", "fptosi", "fpext", "fptrunc"}
BINARY = {"add", "sub", "mul", "udiv", "sdiv", "urem", "srem", "shl", "lshr", "ashr", "and", "or", "xor", "fadd", "fsub", "fmul", "fdiv"}
PAIRED_ATTRIBUTES = {"align", "addrspace"}
CONVENTIONS = {"swiftcc", "swifttailcc", "fastcc", "ccc", "coldcc", "tailcc"}


def tokens(text):
    result, position, end = [], 0, len(text)
    while position < end:
        match = TOKEN.match(text, position)
        if not match:
            if text[position:].strip() == "":
                break
            raise Refused(f"can't read {text[position:position + 40]!r}")
        result.append((match.lastgroup, match[match.lastgroup]))
        position = match.end()
    result.append(("end", ""))
    return result


def unquoted(name):
    name = name[1:]
    return name[1:-1] if name.startswith('"') else name


class Parser:
    def __init__(self, text):
        self.t, self.i = tokens(text), 0

    def peek(self, ahead=0):
        return self.t[min(self.i + ahead, len(self.t) - 1)][1]

    def kind(self):
        return self.t[self.i][0]

    def take(self, expected=None):
        word = self.t[self.i][1]
        if expected is not None and word != expected:
            raise Refused(f"{expected!r} expected, not {word!r}")
        self.i += 1
        return word

    def accept(self, word):
        if self.peek() == word and self.kind() != "string":
            self.i += 1
            return True
        return False

    def skip_flags(self):
        while self.peek() in FLAGS:
            self.take()

    def type(self):
        word = self.take()
        if re.fullmatch(r"i\d+", word):
            return ("i", int(word[1:]))
        if word == "ptr":
            if self.peek() == "addrspace":
                self.take()
                self.parenthesised()
            return ("ptr",)
        if word in ("void", "label", "metadata", "float", "double", "token"):
            return (word,)
        if word[0] == "%":
            return ("named", unquoted(word))
        if word == "<":
            if self.peek() == "{":
                self.take()
                fields = self.types("}")
                self.take(">")
                return ("struct", True, fields)
            count = int(self.take())
            self.take("x")
            element = self.type()
            self.take(">")
            return ("vector", count, element)
        if word == "[":
            count = int(self.take())
            self.take("x")
            element = self.type()
            self.take("]")
            return ("array", count, element)
        if word == "{":
            return ("struct", False, self.types("}"))
        raise Refused(f"type {word!r}")

    def types(self, close):
        fields = []
        while not self.accept(close):
            fields.append(self.type())
            self.accept(",")
        return fields

    def parenthesised(self):
        self.take("(")
        depth = 1
        while depth:
            word = self.take()
            if self.t[self.i - 1][0] == "end":
                raise Refused("a parenthesis is not closed")
            depth += {"(": 1, ")": -1}.get(word, 0)

    def attributes(self):
        """Attributes of a parameter, in front of its value."""
        found = []
        while self.kind() == "word" and self.peek() not in ("true", "false", "null", "undef", "poison", "zeroinitializer", "splat", "asm",
                                                            "getelementptr", "ptrtoint", "inttoptr", "bitcast", "sub", "add", "trunc",
                                                            "xor", "icmp", "select", "none", "void", "ptr", "label", "metadata", "float",
                                                            "double", "x", "blockaddress") \
                and not re.fullmatch(r"i\d+", self.peek()):
            word = self.take()
            found.append(word)
            if word in PAIRED_ATTRIBUTES and self.kind() == "number":
                self.take()
            elif self.peek() == "(":
                self.parenthesised()
        return found

    def value(self, type):
        kind, word = self.t[self.i]
        self.i += 1
        if kind == "local":
            return ("local", unquoted(word))
        if kind == "glob":
            return ("global", unquoted(word))
        if kind == "number":
            return int(word, 0) if type[0] == "i" else ("float", word)
        if word in ("true", "false"):
            return int(word == "true")
        if word in ("null", "none"):
            return 0
        if word == "zeroinitializer":
            return ("zero",)
        if word in ("undef", "poison"):
            return ("undef",)
        if word == "splat":
            self.take("(")
            element = (self.type(),)
            element += (self.value(element[0]),)
            self.take(")")
            return ("list", [element] * type[1])
        if word == "<" and self.peek() == "{":
            self.take()
            items = self.values("}")
            self.take(">")
            return ("list", items)
        if word in "<{[":
            return ("list", self.values({"<": ">", "{": "}", "[": "]"}[word]))
        if kind == "string":
            return ("text", word)
        if word in CASTS | BINARY | {"getelementptr", "icmp", "select"}:
            self.skip_flags()
            if self.peek() == "inrange":
                self.take()
                self.parenthesised()
            if word == "icmp":
                self.take()
            self.take("(")
            if word == "getelementptr":
                base = self.type()
                self.take(",")
                return ("expression", word, base, self.values(")"))
            if word in CASTS:
                t = self.type()
                v = self.value(t)
                self.take("to")
                to = self.type()
                self.take(")")
                return ("expression", word, to, [(t, v)])
            return ("expression", word, type, self.values(")"))
        raise Refused(f"value {word!r}")

    def values(self, close):
        items = []
        while not self.accept(close):
            while self.peek() in ("inrange",):
                self.take()
            t = self.type()
            items.append((t, self.value(t)))
            self.accept(",")
        return items


def instruction(text):
    """One instruction, without its metadata."""
    text = re.sub(r"(, ![\w.]+ !(\d+|\{\}|DIExpression\(\)))+\s*$", "", text)
    p = Parser(text)
    name = None
    if p.kind() == "local" and p.peek(1) == "=":
        name = unquoted(p.take())
        p.take("=")
    p_tail = p.peek()
    while p.peek() in ("tail", "musttail", "notail"):
        p.take()
    op = p.take()
    if op in BINARY:
        start = p.i
        p.skip_flags()
        flags = tuple(w for _, w in p.t[start:p.i])
        t = p.type()
        a = p.value(t)
        p.take(",")
        return Instruction(op, name, t, [(t, a), (t, p.value(t))], flags)
    if op in ("icmp", "fcmp"):
        p.skip_flags()
        predicate = p.take()
        t = p.type()
        a = p.value(t)
        p.take(",")
        r = ("vector", t[1], ("i", 1)) if t[0] == "vector" else ("i", 1)
        return Instruction(op, name, r, [(t, a), (t, p.value(t))], predicate)
    if op in CASTS:
        p.skip_flags()
        t = p.type()
        v = p.value(t)
        p.take("to")
        return Instruction(op, name, p.type(), [(t, v)], None)
    if op == "freeze" or op == "fneg":
        t = p.type()
        return Instruction(op, name, t, [(t, p.value(t))], None)
    if op == "load":
        words = []
        while p.peek() in ("atomic", "volatile"):
            words.append(p.take())
        t = p.type()
        p.take(",")
        pt = p.type()
        return Instruction(op, name, t, [(pt, p.value(pt))], tuple(words))
    if op == "store":
        words = []
        while p.peek() in ("atomic", "volatile"):
            words.append(p.take())
        t = p.type()
        v = p.value(t)
        p.take(",")
        pt = p.type()
        return Instruction(op, None, ("void",), [(t, v), (pt, p.value(pt))], tuple(words))
    if op == "getelementptr":
        p.skip_flags()
        base = p.type()
        operands = []
        while p.accept(","):
            t = p.type()
            operands.append((t, p.value(t)))
        return Instruction(op, name, ("ptr",), operands, base)
    if op == "call":
        while p.peek() in CONVENTIONS | FLAGS:
            p.take()
        p.attributes()
        while p.peek() in CONVENTIONS:
            p.take()
        if p.peek() == "cc":
            raise Refused("calling convention")
        t = p.type()
        if p.peek() == "(":
            p.parenthesised()
        if p.peek() == "asm":
            p.take()
            while p.kind() == "word":
                p.take()
            callee = ("asm", p.take())
            p.take(",")
            p.take()
        else:
            callee = p.value(("ptr",))
        p.take("(")
        operands = []
        while not p.accept(")"):
            at = p.type()
            if at == ("metadata",):
                operands.append((at, ("undef",)))
                while p.peek() not in (",", ")"):
                    p.parenthesised() if p.peek() == "(" else p.take()
            else:
                p.attributes()
                operands.append((at, p.value(at)))
            p.accept(",")
        return Instruction(op, name, t, operands, callee)
    if op == "br":
        t = p.type()
        if t == ("label",):
            return Instruction(op, None, ("void",), [], [p.value(t)[1]])
        c = p.value(t)
        targets = []
        while p.accept(","):
            targets.append(p.value(p.type())[1])
        return Instruction(op, None, ("void",), [(t, c)], targets)
    if op == "switch":
        t = p.type()
        v = p.value(t)
        p.take(",")
        targets = [(None, p.value(p.type())[1])]
        p.take("[")
        while not p.accept("]"):
            ct = p.type()
            c = p.value(ct)
            p.take(",")
            targets.append((c, p.value(p.type())[1]))
        return Instruction(op, None, ("void",), [(t, v)], targets)
    if op == "ret":
        t = p.type()
        return Instruction(op, None, ("void",), [] if t == ("void",) else [(t, p.value(t))], None)
    if op == "unreachable":
        return Instruction(op, None, ("void",), [], None)
    if op == "phi":
        t = p.type()
        incoming = []
        while p.accept("["):
            v = p.value(t)
            p.take(",")
            incoming.append((v, unquoted(p.take())))
            p.take("]")
            p.accept(",")
        return Instruction(op, name, t, [(t, v) for v, _ in incoming], [b for _, b in incoming])
    if op == "select":
        p.skip_flags()
        operands = []
        for _ in range(3):
            t = p.type()
            operands.append((t, p.value(t)))
            p.accept(",")
        return Instruction(op, name, operands[1][0], operands, None)
    if op in ("extractvalue", "insertvalue"):
        t = p.type()
        operands = [(t, p.value(t))]
        p.take(",")
        if op == "insertvalue":
            vt = p.type()
            operands.append((vt, p.value(vt)))
            p.take(",")
        indices = [int(p.take())]
        while p.accept(","):
            if p.kind() != "number":
                break
            indices.append(int(p.take()))
        return Instruction(op, name, t, operands, indices)
    if op in ("extractelement", "insertelement", "shufflevector"):
        operands = []
        for _ in range(2 if op == "extractelement" else 3):
            t = p.type()
            operands.append((t, p.value(t)))
            p.accept(",")
        first = operands[0][0]
        result = {"extractelement": first[2], "insertelement": first}.get(op) or ("vector", operands[2][0][1], first[2])
        return Instruction(op, name, result, operands, None)
    if op == "alloca":
        while p.peek() in ("swifterror", "inalloca"):
            p.take()
        t = p.type()
        operands = []
        if p.accept(",") and p.peek() != "align":
            ct = p.type()
            operands.append((ct, p.value(ct)))
        return Instruction(op, name, ("ptr",), operands, t)
    if op in ("fence", "atomicrmw", "cmpxchg"):
        if op == "fence":
            return Instruction(op, name, ("void",), [], None)
        while p.peek() in ("volatile", "weak"):
            p.take()
        if op == "atomicrmw":
            p.take()
        operands = []
        while True:
            t = p.type()
            operands.append((t, p.value(t)))
            if not p.accept(",") or p.kind() == "end":
                break
        t = operands[1][0]
        return Instruction(op, name, t if op == "atomicrmw" else ("struct", False, [t, ("i", 1)]), operands, None)
    raise Refused(f"instruction {p_tail} … {op!r}")


class Module:
    """The functions, types and constants of one or more files."""

    def __init__(self, paths):
        self.texts, self.named, self.parsed, self.globals, self.aliases = {}, {}, {}, {}, {}
        self.files = {}
        for path in paths:
            self.read(path)

    def read(self, path):
        with open(path) as file:
            text = file.read()
        stem = path
        for match in re.finditer(r'^(%"[^"\n]*"|%[-\w.$]+) = type (.*)$', text, re.M):
            body = None if match[2] == "opaque" else Parser(match[2]).type()
            self.named[unquoted(match[1])] = body
        for match in re.finditer(r'^(@"[^"\n]*"|@[-\w.$]+) = (.*)$', text, re.M):
            name = unquoted(match[1])
            internal = re.match(r"(private|internal)\b", match[2])
            self.globals[(stem, name) if internal else name] = match[2]
        for match in re.finditer(r"^define .*?^\}$", text, re.M | re.S):
            header = match[0].split("\n", 1)[0]
            name = re.search(r'@("[^"]*"|[-\w.$]+)\(', header)
            symbol = unquoted("@" + name[1])
            internal = bool(re.match(r"define (private|internal)\b", header))
            if internal and symbol in self.texts:
                symbol = f"{symbol}  {path}"
            if symbol in self.texts and not re.match(r"define linkonce", header):
                continue
            self.texts[symbol] = match[0]
            self.files[symbol] = path

    def size(self, t):
        if t[0] == "i":
            bits = t[1]
            return 1 if bits <= 8 else 1 << ((bits + 7) // 8 - 1).bit_length()
        if t[0] == "ptr" or t[0] == "double":
            return 8
        if t[0] == "float":
            return 4
        if t[0] == "vector":
            return t[1] * self.size(t[2])
        if t[0] == "array":
            return t[1] * self.size(t[2])
        if t[0] == "named":
            if self.named.get(t[1]) is None:
                raise Refused(f"size of {t[1]}")
            return self.size(self.named[t[1]])
        if t[0] == "struct":
            offset = 0
            for field in t[2]:
                offset = self.aligned(offset, field, t[1]) + self.size(field)
            return offset if t[1] else self.aligned(offset, t, False)
        raise Refused(f"size of {t}")

    def alignment(self, t):
        if t[0] == "named":
            return self.alignment(self.named[t[1]])
        if t[0] == "struct":
            return 1 if t[1] else max([self.alignment(f) for f in t[2]], default=1)
        if t[0] == "array":
            return self.alignment(t[2])
        return min(16, self.size(t))

    def aligned(self, offset, t, packed):
        a = 1 if packed else self.alignment(t)
        return (offset + a - 1) // a * a

    def offset(self, t, index):
        """Where a member begins, and its type."""
        if t[0] == "named":
            return self.offset(self.named[t[1]], index)
        if t[0] in ("array", "vector"):
            return index * self.size(t[2]), t[2]
        if t[0] != "struct":
            raise Refused(f"member of {t}")
        offset = 0
        for number, field in enumerate(t[2]):
            offset = self.aligned(offset, field, t[1])
            if number == index:
                return offset, field
            offset += self.size(field)
        raise Refused("no such member")

    def function(self, symbol):
        if symbol not in self.parsed:
            if symbol not in self.texts:
                raise Refused(f"no function {symbol}")
            self.parsed[symbol] = function(self.texts[symbol], symbol)
        return self.parsed[symbol]


def normalised(text):
    """A function's text without debug locations and attribute numbers: what its hash is of."""
    text = re.sub(r", ![\w.]+ !\d+", "", text)
    text = re.sub(r"\s!dbg !\d+", "", text)
    return "\n".join(re.sub(r" #\d+(?= |$)", "", line).rstrip() for line in text.splitlines()
                     if not line.lstrip().startswith(("#dbg", ";")) and line.strip())


def digest(text):
    return hashlib.sha256(normalised(text).encode()).hexdigest()[:24]


def function(text, symbol="?"):
    lines = text.split("\n")
    header = lines[0]
    start = re.search(r'@("[^"]*"|[-\w.$]+)\(', header)
    p = Parser(header[:start.start()][len("define "):])
    while p.kind() == "word" and not re.fullmatch(r"i\d+|ptr|void|float|double", p.peek()):
        p.take()
        if p.peek() == "(":
            p.parenthesised()
    result = p.type()
    p = Parser(header[start.end():])
    parameters, number = [], 0
    while not p.accept(")"):
        t = p.type()
        attributes = p.attributes()
        name = unquoted(p.take()) if p.kind() == "local" else str(number)
        number += 1
        parameters.append(Parameter(name, t, tuple(attributes)))
        p.accept(",")
    blocks, current, waiting = [], None, ""
    for line in lines[1:]:
        line = re.sub(r"\s+; preds.*$", "", line).strip()
        if not line or line.startswith((";", "#dbg")) or line == "}":
            continue
        label = re.fullmatch(r'("[^"]*"|[-\w.$]+):', line)
        if label:
            name = label[1].strip('"')
            current = Block(name, [])
            blocks.append(current)
            continue
        if current is None:
            current = Block(str(number), [])
            blocks.append(current)
        waiting = (waiting + " " + line).strip()
        if re.match(r"switch\b", waiting) and "]" not in waiting:
            continue
        current.instructions.append(instruction(re.sub(r"\s#\d+(?=,|$)", "", waiting)))
        waiting = ""
    return Function(symbol, result, parameters, {b.name: b for b in blocks}, text, "internal" in header[:24] or "private" in header[:24])
