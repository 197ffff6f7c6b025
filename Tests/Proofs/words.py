"""Proves statements about words: congruences, equations and bounds of integers made of words of 64 bits."""
import random
import re

from interpreter import Interpreter, Numbers, Place, Pointer
from ir import Refused
from polynomials import Polynomials, constant, plus, scaled, times


def either(condition, yes, no):
    """A choice in a statement, of numbers or of bit-vectors."""
    if isinstance(condition, bool):
        return yes if condition else no
    import bits
    return bits.wide_ite(condition, yes, no)


class Integer:
    """A polynomial, written with operators in a statement."""

    def __init__(self, p):
        self.p = p if isinstance(p, dict) else constant(p)

    def __add__(self, o): return Integer(plus(self.p, as_polynomial(o)))
    def __sub__(self, o): return Integer(plus(self.p, as_polynomial(o), -1))
    def __mul__(self, o): return Integer(times(self.p, as_polynomial(o)))
    def __rsub__(self, o): return Integer(plus(as_polynomial(o), self.p, -1))
    def __neg__(self): return Integer(scaled(self.p, -1))
    __radd__, __rmul__ = __add__, __mul__

    def __pow__(self, n):
        return self if n == 1 else self * self ** (n - 1)


class Span:
    """From 0 to a largest value, of what a statement says is not negative."""

    def __init__(self, low, high): self.low, self.high = low, high
    @staticmethod
    def of(o): return o if isinstance(o, Span) else Span(o, o)

    def __add__(self, o):
        o = Span.of(o)
        return Span(self.low + o.low, self.high + o.high)

    def __sub__(self, o):
        o = Span.of(o)
        return Span(self.low - o.high, self.high - o.low)

    def __mul__(self, o):
        o = Span.of(o)
        s = [a * b for a in (self.low, self.high) for b in (o.low, o.high)]
        return Span(min(s), max(s))

    def __rsub__(self, o): return Span.of(o) - self
    def __neg__(self): return Span(-self.high, -self.low)
    __radd__, __rmul__ = __add__, __mul__

    def __pow__(self, n):
        return self if n == 1 else self * self ** (n - 1)


def as_polynomial(o):
    return o.p if isinstance(o, Integer) else constant(o)


class Statement:
    """`symbol`, what its parameters are, what it requires and what it ensures. See specs.py for the notation."""

    def __init__(self, symbol, arguments, requires, ensures, constants, module="PureCrypto", contracts=None, key=None, note=""):
        self.symbol, self.arguments, self.constants, self.note = symbol, arguments, constants, note
        self.requires = [s.strip() for s in requires.split(";") if s.strip()]
        self.ensures = [s.strip() for s in ensures.split(";") if s.strip()]
        before, _, after = arguments.partition("->")
        self.parameters = [self.parameter(word) for word in before.split()]
        self.results = [self.field(word) for word in after.split()]
        self.module, self.contracts, self.key = module, contracts or {}, key or symbol

    @staticmethod
    def field(word):
        match = re.fullmatch(r"(\w+):(\d+)(?:x(\d+))?", word)
        if not match:
            raise ValueError(word)
        return match[1], int(match[2]), int(match[3] or 64)

    def parameter(self, word):
        """("skip",), ("number", n), ("words", field) or ("place", [fields], whether it is apart)."""
        if word == "_":
            return ("skip",)
        if word.startswith("="):
            return ("number", eval(word[1:], dict(self.constants)))
        if word[0] in "*^":
            return ("place", [self.field(f) for f in word[1:].split("+")], word[0] == "^")
        return ("words", self.field(word))

    def text(self):
        return "\t".join([self.arguments, "; ".join(self.requires), "; ".join(self.ensures), self.note])

    # ---- running

    def given(self):
        """Every field that is given: (name, words, bits)."""
        for kind, *rest in self.parameters:
            if kind == "words":
                yield rest[0]
            elif kind == "place":
                yield from rest[0]

    def run(self, module, symbol, domain):
        """Runs the function. Returns the words of all names, before and after the call: {name: ([words], bits)}."""
        interpreter = Interpreter(module, domain)
        interpreter.contracts = self.contracts
        function = module.function(symbol)
        parameters = list(function.parameters)
        arguments, places, values = [], [], {}
        for kind, *rest in self.parameters:
            if not parameters:
                raise Refused("more arguments are described than there are parameters")
            if kind == "skip":
                parameters.pop(0)
                arguments.append(None)
            elif kind == "number":
                arguments.append(domain.const(rest[0], parameters.pop(0).type[1]))
            elif kind == "words":
                name, count, bits = rest[0]
                values[name] = ([domain.input(name, n, bits) for n in range(count)], bits)
                for n in range(count):
                    if not parameters or parameters.pop(0).type != ("i", bits):
                        raise Refused(f"{name} is not passed in words of {bits} bits")
                    arguments.append(values[name][0][n])
            else:
                parameter = parameters.pop(0)
                if parameter.type != ("ptr",):
                    raise Refused(f"{rest[0][0][0]} is no place")
                place = Place(rest[0], "apart" if rest[1] or "noalias" in parameter.attributes else "outer")
                places.append((place, rest[0]))
                arguments.append(Pointer(place))
                for name, count, bits in rest[0]:
                    values[name] = ([domain.input(name, n, bits) for n in range(count)], bits)
        if parameters:
            raise Refused(f"{len(parameters)} parameters are not described")
        result = interpreter.call(symbol, arguments)
        items = list(result) if isinstance(result, tuple) else [] if result is None else [result]
        for name, count, bits in self.results:
            values[name] = (items[:count], bits)
            if len(items) < count or None in items[:count]:
                raise Refused(f"the result {name} is not complete")
            items = items[count:]
        if items:
            raise Refused("a result that is not described")
        for place, fields in places:
            place.kind, at = "apart", 0
            for name, count, bits in fields:
                size = count * bits // 8
                touched = place.written & set(range(at, at + size))
                if len(touched) not in (0, size):
                    raise Refused(f"{name} is not wholly written")
                if touched:
                    values[name + "'"] = ([interpreter.load(Pointer(place, at + n * bits // 8), bits) for n in range(count)], bits)
                at += size
        self.steps = interpreter.steps
        return values

    # ---- statements

    def evaluate(self, text, names):
        """A side of a statement. A prime, as in r', stands for the value after the call."""
        text = text.strip().replace("'", "_after")
        return eval(text, {"__builtins__": {}, "ite": either}, {**self.constants, **{n.replace("'", "_after"): v for n, v in names.items()}})

    @staticmethod
    def sides(text):
        """(left, relation, right, modulus)."""
        text, _, modulus = text.partition(" mod ")
        match = re.fullmatch(r"(.*?)\s(<=|<|=)\s(.*)", text)
        if not match:
            raise ValueError(text)
        return match[1], match[2], match[3], modulus or None

    def holds(self, text, names):
        left, relation, right, modulus = self.sides(text)
        a, b = self.evaluate(left, names), self.evaluate(right, names)
        if modulus:
            return (a - b) % self.evaluate(modulus, names) == 0
        return {"<": a < b, "<=": a <= b, "=": a == b}[relation]

    def spans(self):
        """The largest value of each name, by what is required of it alone."""
        spans = {name: Span(0, (1 << count * bits) - 1) for name, count, bits in self.given()}
        for text in self.requires:
            left, relation, right, _ = self.sides(text)
            if left.strip() in spans:
                try:
                    limit = self.evaluate(right, {})
                except NameError:
                    continue
                spans[left.strip()] = Span(0, min(spans[left.strip()].high, limit - (relation == "<")))
        return spans

    # ---- execution on numbers

    def edge(self, rng, high, bits):
        words = max(1, (bits + 63) // 64)
        kind = rng.randrange(7)
        special = (0, (1 << 64) - 1, 1, 1 << 63, (1 << 32) - 1, 1 << 32, (1 << 64) - 2)
        value = [lambda: high - rng.randrange(4), lambda: rng.randrange(4), lambda: rng.getrandbits(64 * words),
                 lambda: sum(rng.choice(special) << 64 * n for n in range(words)), lambda: 1 << rng.randrange(max(1, high.bit_length())),
                 lambda: high >> rng.randrange(1, 4), lambda: rng.getrandbits(64 * words) | ((1 << 64) - 1) << 64 * rng.randrange(words)][kind]()
        return max(0, value) % (high + 1)

    def samples(self, count, seed):
        """Edge inputs that satisfy what is required."""
        rng, spans, found, tries = random.Random(seed), self.spans(), [], 0
        sizes = {name: (n, bits) for name, n, bits in self.given()}
        while len(found) < count:
            tries += 1
            if tries > 200 * count:
                raise Refused("what is required can't be met by edge inputs")
            names = {name: self.edge(rng, spans[name].high, n * bits) for name, (n, bits) in sizes.items()}
            if self.relate:
                self.relate(rng, names)
            if all(self.holds(text, names) for text in self.requires):
                found.append(names)
        return found

    def inputs(self, names):
        return {(name, n): names[name] >> n * bits & ((1 << bits) - 1) for name, count, bits in self.given() for n in range(count)}

    def execute(self, module, symbol, names):
        """Runs the function on numbers; whether what it ensures is true."""
        values = self.run(module, symbol, Numbers(self.inputs(names)))
        result = {name: sum(w << n * bits for n, w in enumerate(words)) for name, (words, bits) in values.items()}
        return all(self.holds(text, result) for text in self.ensures)

    relate = None

    # ---- proof

    def prove(self, module, symbol):
        """Raises Refused, or returns what was assumed."""
        domain = Polynomials()
        w = domain.w
        spans = self.spans()
        names = {name: Integer(sum_of([domain.input(name, n, bits) for n in range(count)], bits)) for name, count, bits in self.given()}
        for text in self.requires:
            left, relation, right, _ = self.sides(text)
            p = plus(as_polynomial(self.evaluate(left, names)), as_polynomial(self.evaluate(right, names)), -1)
            w.facts.append((p, 0, 0) if relation == "=" else (p, None, -1 if relation == "<" else 0))
        for name, count, bits in self.given():  # the highest word
            (x,), = domain.input(name, count - 1, bits)
            w.range[x] = (0, spans[name].high >> (count - 1) * bits)
        for name, span in spans.items():
            w.facts.append((names[name].p, 0, span.high))
        for text in self.ensures:
            left, relation, right, modulus = self.sides(text)
            match = re.fullmatch(r"(?:(.*?) \* )?(\w+)'?", left)
            if modulus and match:
                try:
                    R, e = self.evaluate(match[1] or "1", {}), as_polynomial(self.evaluate(right, names))
                    p, span = self.evaluate(modulus, {}), Span.of(self.evaluate(right, spans))
                except (NameError, TypeError):
                    continue
                w.words = max(n for _, n, _ in list(self.given()) + self.results)
                if any(len(m) > 1 for m in e):
                    w.facts.append((e, span.low, span.high))
                if R > 1:
                    w.congruences.append((R, e, p, span.high))
        values = self.run(module, symbol, domain)
        self.check_unknowns(domain, values, module, symbol)
        names = {name: Integer(sum_of(words, bits)) for name, (words, bits) in values.items()}
        for text in self.ensures:
            left, relation, right, modulus = self.sides(text)
            a, b = (as_polynomial(self.evaluate(s, names)) for s in (left, right))
            p = plus(a, b, -1)
            if modulus:
                m = as_polynomial(self.evaluate(modulus, names))
                if set(m) <= {()}:
                    w.show_zero(p, m[()])
                else:
                    self.show_multiple(w, p, m)
            elif relation == "=":
                w.show_zero(p)
            elif not w.at_most(p, -1 if relation == "<" else 0):
                raise Refused(f"{text} is not shown")
        return {"opaque": domain.opaque_zeros, "unknowns": len(w.range)}

    def check_unknowns(self, domain, values, module, symbol):
        """On numbers, every unknown satisfies what the proof knows of it, and results are those of the IR as executed."""
        for names in self.samples(8, 3):
            inputs = self.inputs(names)
            of = domain.w.valuation({x: inputs[key] for key, p in domain.inputs.items() for (x,) in p})
            for name, (words, _) in self.run(module, symbol, Numbers(inputs)).items():
                if words != [of(p) for p in values[name][0]]:
                    raise Refused(f"{name} as a polynomial is not what the IR gives")

    @staticmethod
    def show_multiple(w, p, m):
        """p is a multiple of an integer m of unknown words: it vanishes where the lowest word of m is minus the others."""
        (lowest,), = [k for k, c in m.items() if c == 1]
        others = {k: -c for k, c in m.items() if k != (lowest,)}
        left = {}
        for k, c in w.full(p).items():
            q = constant(c)
            for x in k:
                q = times(q, others if x == lowest else {(x,): 1})
            left = plus(left, q)
        if left:
            w.show_zero(left)


def sum_of(words, bits):
    total = {}
    for n, word in enumerate(words):
        total = plus(total, word, 1 << n * bits)
    return total
