"""Words as bit-vectors: for masks, selections, comparisons and shifts. z3 decides, and is trusted here, as no certificate is checked."""
import z3

from interpreter import Domain
from ir import Refused


class Bits(Domain):
    def __init__(self):
        self.inputs, self.opaque_zeros, self.below = {}, 0, []

    def input(self, name, index, bits):
        if (name, index) not in self.inputs:
            self.inputs[name, index] = z3.BitVec(f"{name}.{index}", bits)
        return self.inputs[name, index]

    def number(self, v):
        v = z3.simplify(v)
        return v.as_long() if z3.is_bv_value(v) else None

    def const(self, v, n): return z3.BitVecVal(v, n)

    def add(self, a, b, n):
        wide = z3.ZeroExt(1, a) + z3.ZeroExt(1, b)
        return a + b, z3.Extract(n, n, wide)

    def sub(self, a, b, n): return a - b, self.ult(a, b, n)
    def mul(self, a, b, n): return a * b, z3.Extract(2 * n - 1, n, z3.ZeroExt(n, a) * z3.ZeroExt(n, b))
    def and_(self, a, b, n): return a & b
    def or_(self, a, b, n): return a | b
    def xor(self, a, b, n): return a ^ b
    def not_(self, a): return ~a
    def shl(self, a, k, n): return a << k
    def lshr(self, a, k, n): return z3.LShR(a, k)
    def ashr(self, a, k, n): return a >> k
    def zext(self, a, n, m): return z3.ZeroExt(m - n, a)
    def sext(self, a, n, m): return z3.SignExt(m - n, a)
    def trunc(self, a, n, m): return z3.Extract(m - 1, 0, a) if m < n else a
    def ult(self, a, b, n): return z3.If(z3.ULT(a, b), z3.BitVecVal(1, 1), z3.BitVecVal(0, 1))
    def eq(self, a, b, n): return z3.If(a == b, z3.BitVecVal(1, 1), z3.BitVecVal(0, 1))
    def select(self, c, a, b, n): return z3.If(c == 1, a, b)

    def shift(self, op, a, b, n):
        """By an amount that isn't known: LLVM says nothing of n or more, and neither does a proof, so that the amount must be below n."""
        self.below.append(z3.ULT(b, n))
        return {"shl": lambda: a << b, "lshr": lambda: z3.LShR(a, b), "ashr": lambda: a >> b}[op]()


def ite(c, a, b):
    if isinstance(c, bool):
        return a if c else b
    return z3.If(c, widened(a), widened(b))


WIDTH = 1200


def widened(v):
    if isinstance(v, Wide):
        return v.v
    return z3.BitVecVal(v, WIDTH) if isinstance(v, int) else v


class Wide:
    """An integer that isn't negative, in a statement about bit-vectors."""

    def __init__(self, v): self.v = v

    def __add__(self, o): return Wide(self.v + widened(o))
    def __sub__(self, o): return Wide(self.v - widened(o))
    def __rsub__(self, o): return Wide(widened(o) - self.v)
    def __mul__(self, o): return Wide(self.v * widened(o))
    def __and__(self, o): return Wide(self.v & widened(o))
    def __or__(self, o): return Wide(self.v | widened(o))
    def __xor__(self, o): return Wide(self.v ^ widened(o))
    def __rshift__(self, o): return Wide(z3.LShR(self.v, widened(o)))
    def __lshift__(self, o): return Wide(self.v << widened(o))
    def __eq__(self, o): return self.v == widened(o)
    def __ne__(self, o): return self.v != widened(o)
    def __lt__(self, o): return z3.ULT(self.v, widened(o))
    def __le__(self, o): return z3.ULE(self.v, widened(o))
    def __gt__(self, o): return z3.UGT(self.v, widened(o))
    def __ge__(self, o): return z3.UGE(self.v, widened(o))
    __radd__, __rmul__, __rand__, __rxor__, __ror__ = __add__, __mul__, __and__, __xor__, __or__
    __hash__ = None


def wide_ite(c, a, b):
    if isinstance(c, bool):
        return a if c else b
    return Wide(z3.If(c, widened(a), widened(b)))


def prove(statement, module, symbol):
    domain = Bits()
    values = statement.run(module, symbol, domain)

    def joined(words):
        words = [z3.ZeroExt(0, w) for w in words]
        v = words[0] if len(words) == 1 else z3.Concat(*reversed(words))
        return Wide(z3.ZeroExt(WIDTH - v.size(), v))
    names = {name: joined(words) for name, (words, _) in values.items()}
    solver = z3.SolverFor("QF_BV")
    solver.set("timeout", 20_000)
    for text in statement.requires:
        solver.add(relation(statement, text, names))
    goals = [relation(statement, text, names) for text in statement.ensures] + domain.below
    for goal in goals:
        solver.push()
        solver.add(z3.Not(goal))
        if solver.check() != z3.unsat:
            raise Refused("a statement about bits is not shown")
        solver.pop()
    return {"opaque": domain.opaque_zeros, "unknowns": len(domain.inputs)}


def relation(statement, text, names):
    left, op, right, modulus = statement.sides(text)
    a, b = statement.evaluate(left, names), statement.evaluate(right, names)
    if modulus:
        raise Refused("a congruence of bits")
    if isinstance(a, int):
        a = Wide(widened(a))
    return {"=": lambda: a == b, "<": lambda: a < b, "<=": lambda: a <= b}[op]()
