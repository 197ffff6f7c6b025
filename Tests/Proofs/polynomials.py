"""Exact integers as polynomials, and the domain that reads IR as them.

A polynomial is {monomial: coefficient}, a monomial a sorted tuple of unknowns. Where a word can overflow, it is split once: E = low + 2^k high with
0 <= low < 2^k. Three forms of one value are used, and each step from one to another is an identity:

- `full`: lower parts replaced by E - 2^k high. Congruences show there, coefficient by coefficient.
- `telescoped`: upper parts replaced by (E - low) / 2^k. Chains of carries become one number and its words, and intervals become narrow.
- `low` is known by E mod 2^k in full form: equal remainders are one unknown. This is why the lowest word of a step of Montgomery's is zero.
"""
from fractions import Fraction

from interpreter import Domain
from ir import Refused
from linear import Certificates


def constant(c):
    return {(): c} if c else {}


def plus(p, q, factor=1):
    r = dict(p)
    for m, c in q.items():
        v = r.get(m, 0) + factor * c
        if v:
            r[m] = v
        else:
            r.pop(m, None)
    return r


def times(p, q):
    r = {}
    for m, c in p.items():
        for n, d in q.items():
            k = tuple(sorted(m + n)) if m and n else m or n
            v = r.get(k, 0) + c * d
            if v:
                r[k] = v
            else:
                r.pop(k, None)
    if len(r) > 60_000:
        raise Refused("a polynomial of too many terms")
    return r


def scaled(p, f):
    return {m: c * f for m, c in p.items()} if f else {}


class World:
    def __init__(self):
        self.range, self.definition, self.name = [], [], []
        self.upper, self.exact, self.known, self.full_forms = {}, {}, {}, {}
        self.exclusive, self.either = {}, {}  # unknowns that are a ^ b, a | b
        self.parts, self.cut = {}, set()  # how upper parts were made; words that were divided again
        self.decisions = set()  # bits that masks are made of: constraints name them
        self.bits = set()  # sums that are carries, which the form doesn't show
        self.facts, self.lemmas, self.seen = [], [], set()  # what is required of inputs; what was found
        self.congruences, self.words, self.tried, self.carries = [], 0, set(), []

    def unknown(self, low, high, name, definition=None):
        self.range.append((low, high))
        self.definition.append(definition)
        self.name.append(name)
        return {(len(self.range) - 1,): 1}

    def interval(self, p):
        low = high = 0
        for m, c in p.items():
            a = b = 1
            for x in m:
                u, v = self.range[x]
                s = (a * u, a * v, b * u, b * v)
                a, b = min(s), max(s)
            low += min(c * a, c * b)
            high += max(c * a, c * b)
        return low, high

    def full(self, p):
        r = {}
        for m, c in p.items():
            q = constant(c)
            for x in m:
                if self.definition[x] is None:
                    q = times(q, {(x,): 1})
                else:
                    if x not in self.full_forms:
                        self.full_forms[x] = self.full(self.definition[x])
                    q = times(q, self.full_forms[x])
            r = plus(r, q)
        return r

    def telescoped(self, p, use_full=False, kept=()):
        """p with upper parts replaced, from the last unknown down, but for those to be kept; and the narrowest interval on the way."""
        low, high = self.interval(p)
        q = {m: Fraction(c) for m, c in p.items()}
        while True:
            x = max((m[0] for m in q if len(m) == 1 and m[0] in self.upper and m[0] not in kept), default=None)
            if x is None:
                return q, low, high
            e, k, lower = self.upper[x]
            c = q.pop((x,))
            q = plus(q, scaled(plus(self.full(e) if use_full else e, lower, -1), c / 2**k))
            u, v = self.interval(q)
            low, high = max(low, -((-u) // 1)), min(high, v // 1)

    def bounds(self, p):
        return self.telescoped(p)[1:]

    def split(self, p, k):
        """p = low + 2^k high."""
        M = 1 << k
        a, b = self.interval(p)
        if 0 <= a and b < M:
            return p, {}
        if set(p) <= {()}:
            return constant(p.get((), 0) % M), constant(p.get((), 0) // M)
        # Whole multiples of 2^k go up at once; a bit times 2^k - 1 is a carry and -1.
        rest, above = {}, {}
        for m, c in p.items():
            r = c if c < 0 and -c < M // 2 else c % M if m == () or c % M <= M // 2 else c % M - M
            if r:
                rest[m] = r
            if (c - r) // M:
                above[m] = (c - r) // M
        if above:
            low, high = self.split(rest, k)
            return low, plus(high, above)
        key = (k, frozenset(p.items()))
        if key not in self.exact:
            self.exact[key] = self.split_anew(p, k, a, b)
        return self.exact[key]

    def split_anew(self, p, k, a, b):
        M = 1 << k
        if a >= M - 3 and p.get((), 0) > M // 2:  # M - 1 and a few bits are a few bits, less 1
            low, high = self.split(plus(p, constant(M), -1), k)
            return low, plus(high, constant(1))
        if frozenset(scaled(p, -1).items()) in self.bits:
            a, b = -1, 0
        if -3 <= a < 0 <= b <= 2:  # a carry less a borrow, perhaps never positive
            a, b = self.bounds(p)
            b = 0 if b <= 0 or self.at_most(p, 0) else b
            a = -1 if a >= -1 or self.at_least(p, -1) else a
        if a >= -1 and b <= 0:  # -x for a bit x is (2^k - 1) x - 2^k x
            return scaled(p, 1 - M), p
        if len(p) == 1:
            (m,) = p
            if len(m) == 1 and p[m] == 1 and self.name[m[0]] == "low":
                # The low bits of E mod 2^j are those of E, whose upper part may be a bit.
                e, above = self.source(m[0])
                if e is not None:
                    u, v = self.interval(e)
                    if v // M - u // M <= 2:
                        low, high = self.split(e, k)
                        return low, plus(high, {n: c // M for n, c in above.items()}, -1)
                self.cut.add(m[0])
        full = self.full(p)
        remainder = {m: c % M for m, c in full.items() if c % M}
        key = (k, frozenset(remainder.items()))
        u, v = self.interval(remainder)
        low = remainder if 0 <= u and v < M else self.known.get(key)
        if low is not None:
            difference = plus(full, self.full(low), -1)
            if any(c % M for c in difference.values()):
                raise Refused("remainders that differ")
            high = {m: c // M for m, c in difference.items()}
            u, v = self.interval(high)
            if len(high) > 1 or high and (u < a // M or v > b // M):
                high = self.unknown(a // M, b // M, "high", high)
                (x,), = high
                self.parts[x] = (p, k, low)
            return low, high
        high = self.unknown(a // M, b // M, "high")
        (x,), = high
        low = self.unknown(0, M - 1, "low", plus(p, high, -M))
        self.known[key] = low
        if k % 64:
            self.cut.update(x for m in low for x in m)
        self.upper[x] = self.parts[x] = (p, k, low)
        u, v = self.bounds(high)
        self.range[x] = (u, v)
        if u == v:
            self.definition[x] = constant(u)
            self.full_forms.clear()
            del self.upper[x], self.parts[x]
            high = constant(u)
            (y,), = low
            self.definition[y] = plus(p, high, -M)
        return low, high

    def source(self, x):
        """(E, 2^j high) of which the unknown is the lower part, E - 2^j high."""
        for n in self.definition[x]:
            if len(n) == 1 and n[0] in self.parts and self.parts[n[0]][2] == {(x,): 1}:
                e, j, _ = self.parts[n[0]]
                return e, {n: 1 << j}
        return None, None

    def is_bit(self, p):
        if frozenset(p.items()) in self.bits or frozenset(plus(constant(1), p, -1).items()) in self.bits:
            return True
        a, b = self.interval(p)
        if a < 0 or b > 1:
            a, b = self.bounds(p)
        return a >= 0 and b <= 1

    # ---- a check of the reader: every unknown as a number

    def valuation(self, inputs):
        """The values of all unknowns for numbers as inputs. Each must lie in its range, and satisfy its definition."""
        values = []

        def of(p):
            total = 0
            for m, c in p.items():
                for x in m:
                    c *= values[x]
                total += c
            return total
        for x, name in enumerate(self.name):
            if x in inputs:
                values.append(inputs[x])
            elif x in self.parts:
                p, k, _ = self.parts[x]
                values.append(of(p) >> k)
            elif x in self.exclusive:
                a, b = self.exclusive[x]
                values.append(of(a) ^ of(b))
            elif self.definition[x] is not None:
                values.append(of(self.definition[x]))
            else:
                raise Refused(f"an unknown without a value: {name}")
            low, high = self.range[x]
            if not low <= values[x] <= high:
                raise Refused(f"{name} is outside of its range")
            if self.definition[x] is not None and of(self.definition[x]) != values[x]:
                raise Refused(f"{name} is not what defines it")
        for p, low, high in self.facts + self.lemmas:
            if low is not None and of(p) < low or high is not None and of(p) > high:
                raise Refused("a fact is wrong")
        return of

    # ---- what is shown by linear constraints

    def discover(self):
        """Montgomery's bound. S is the number above the last chain of carries. If R S - e is p M as polynomials, and 0 <= M < R by telescoping, then
        S <= (e + p (R - 1)) / R."""
        for carry in [{(x,): 1} for x in self.upper if self.range[x] == (0, 1)] + self.carries:
            key = frozenset(carry)
            if key in self.seen:
                continue
            self.seen.add(key)
            for S in self.numbers_above(carry):
                for R, e, p, highest in self.congruences:
                    f = plus(scaled(self.full(S), R), self.full(e), -1)
                    if any(c % p for c in f.values()):
                        continue
                    M, low, high = self.telescoped({m: c // p for m, c in f.items()}, True)
                    if low >= 0 and high < R:
                        self.lemmas.append((S, 0, (highest + p * int(high)) // R))
                        return

    def numbers_above(self, carry):
        """Numbers of the result's length that a carry comes out of: its chain, replaced until there are as many words."""
        q, found = {m: Fraction(c) for m, c in carry.items()}, []
        while True:
            x = max((m[0] for m in q if len(m) == 1 and m[0] in self.upper), default=None)
            d = max((c.denominator for c in q.values()), default=1)
            if d == 1 << 64 * self.words:
                found.append({m: int(c * d) for m, c in q.items() if c > 0})
            if x is None or d > 1 << 64 * self.words:
                return found[-6:]
            e, k, lower = self.upper[x]
            c = q.pop((x,))
            q = plus(q, scaled(plus(e, lower, -1), c / 2**k))

    def at_most(self, p, bound):
        return Certificates(self).refute([(plus(p, constant(bound + 1), -1), 0, None)])

    def at_least(self, p, bound):
        return Certificates(self).refute([(plus(constant(bound - 1), p, -1), 0, None)])

    def show_dropped(self, x):
        """A carry that the code drops is zero."""
        a, b = self.range[x]
        one = {(x,): 1}
        if x in self.tried or not (b <= 0 or self.at_most(one, 0)) or not (a >= 0 or self.at_least(one, 0)):
            self.tried.add(x)
            return False
        self.range[x], self.definition[x] = (0, 0), {}
        del self.upper[x], self.parts[x]
        self.full_forms.clear()
        self.seen.clear()
        return True

    def show_zero(self, p, p_modulus=None):
        """p = 0, or p = 0 modulo a number: coefficients that aren't divisible must cancel as numbers."""
        left = self.full(p)
        if p_modulus is not None:
            left = {m: c % p_modulus for m, c in left.items() if c % p_modulus}
            left = {m: c - p_modulus if c > p_modulus // 2 else c for m, c in left.items()}
        if not left:
            return 0
        if any(len(m) > 1 and not all(x in self.upper or self.definition[x] is None for x in m) for m in left):
            raise Refused("the congruence does not hold term by term")
        inputs = [m for m in left if any(self.name[x] not in ("high", "either") for x in m)]
        if inputs and p_modulus is not None:
            raise Refused(f"{len(inputs)} terms of inputs are left of the congruence")
        if len(left) > 1 and any(self.show_dropped(m[0]) for m in sorted(left) if len(m) == 1 and m[0] in self.upper):
            return self.show_zero(p, p_modulus)
        if not (self.at_most(left, 0) and self.at_least(left, 0)):
            raise Refused(f"{len(left)} terms of the congruence are not shown to cancel")
        return len(left)


class Polynomials(Domain):
    """Instructions as identities between exact integers."""

    def __init__(self):
        self.w, self.opaque_zeros, self.inputs = World(), 0, {}
        self.unproved_flags = 0

    def input(self, name, index, bits):
        if (name, index) not in self.inputs:
            self.inputs[name, index] = self.w.unknown(0, (1 << bits) - 1, f"{name}{index}")
        return self.inputs[name, index]

    def number(self, v):
        return v.get((), 0) if set(v) <= {()} else None

    def const(self, v, n): return constant(v % (1 << n))
    def add(self, a, b, n):
        low, high = self.w.split(plus(a, b), n)
        return low, self.carry(high)

    def carry(self, high):
        """What leaves a sum of two words is a bit, also where the form says less."""
        u, v = self.w.interval(high)
        if u < 0 or v > 1:
            key = frozenset(high.items())
            if key not in self.w.bits:
                self.w.bits.add(key)
                self.w.facts.append((high, 0, 1))
        return high

    def mul(self, a, b, n): return self.w.split(times(a, b), n)

    def sub(self, a, b, n):
        low, high = self.w.split(plus(a, b, -1), n)
        return low, self.carry(scaled(high, -1))

    def trunc(self, a, n, m): return self.w.split(a, m)[0]
    def zext(self, a, n, m): return a
    def lshr(self, a, k, n): return self.w.split(a, k)[1]
    def shl(self, a, k, n): return scaled(self.w.split(a, n - k)[0], 1 << k)

    def sext(self, a, n, m):
        if n != 1:
            raise Refused("sext of a word")
        return scaled(a, (1 << m) - 1)

    def ashr(self, a, k, n):
        raise Refused("ashr")

    def mask_bit(self, p, n):
        """The bit x of which p is x (2^n - 1)."""
        ones = (1 << n) - 1
        if all(c % ones == 0 for c in p.values()):
            q = {m: c // ones for m, c in p.items()}
            if self.w.is_bit(q):
                return q
        return None

    def folded(self, operation, a, b):
        """The result for two numbers, or None."""
        x, y = self.number(a), self.number(b)
        return None if x is None or y is None else constant(operation(x, y))

    def eq(self, a, b, n):
        same = self.folded(lambda x, y: int(x == y), a, b)
        if same is None:
            raise Refused("comparison of words")
        return same

    def or_(self, a, b, n):
        w = self.w
        number = self.folded(lambda x, y: x | y, a, b)
        if number is not None:
            return number
        if not a or not b:
            return plus(a, b)
        for x, y in ((a, b), (b, a)):
            low, high = w.interval(x)
            j = high.bit_length()
            if low >= 0 and all(v % (1 << j) == 0 for v in y.values()) and w.interval(y)[0] >= 0:
                return plus(a, b)
        if w.is_bit(a) and w.is_bit(b):
            total = plus(a, b)
            if w.bounds(total)[1] <= 1:
                w.bits.add(frozenset(total.items()))
                if len(total) > 1:
                    w.carries.append(total)
                    w.facts.append((total, None, 1))
                return total
            r = w.unknown(0, 1, "either", plus(plus(a, b), times(a, b), -1))
            (m,), = r
            w.either[m] = (a, b)
            w.decisions.update(x for p in (a, b) for k in p for x in k)
            return r
        raise Refused("or of words that may overlap")

    def and_(self, a, b, n):
        ones = (1 << n) - 1
        number = self.folded(lambda x, y: x & y, a, b)
        if number is not None:
            return number
        if not a or not b:
            return {}
        if n == 1:
            return times(a, b)
        for x, y in ((a, b), (b, a)):
            bit = self.mask_bit(x, n)
            if bit is not None:
                self.w.decisions.update(x for m in bit for x in m)
                return times(bit, y)
        for x, y in ((a, b), (b, a)):
            v = self.number(y)
            if v is not None:
                k, j = v.bit_length(), (v & -v).bit_length() - 1
                if v + (1 << j) == 1 << k:  # bits j to k - 1
                    low = self.w.split(x, k)[0] if k < n else x
                    return scaled(self.w.split(low, j)[1], 1 << j) if j else low
        raise Refused("and of words")

    def xor(self, a, b, n):
        w = self.w
        number = self.folded(lambda x, y: x ^ y, a, b)
        if number is not None:
            return number
        for x, y in ((a, b), (b, a)):
            if not y:
                return x
            if y == constant((1 << n) - 1):
                return plus(y, x, -1)
        if n == 1:
            return plus(plus(a, b), times(a, b), -2)
        # x ^ (m & (x ^ y)) is y for a mask of ones, x for one of zeros.
        for x, y in ((a, b), (b, a)):
            chosen = self.choice(y, x)
            if chosen is not None:
                return chosen
        if a == b:
            return {}
        key = ("^", frozenset(a.items()), frozenset(b.items()))
        if key not in w.exact:
            r = w.unknown(0, (1 << n) - 1, "exclusive")
            (m,), = r
            w.exclusive[m] = (a, b)
            w.exact[key] = r
        return w.exact[key]

    def choice(self, product, base):
        """product = bit * (p ^ q), of which one is base: the other for 1, base for 0."""
        marks = {x for m in product for x in m if x in self.w.exclusive}
        if len(marks) != 1 or any(not marks & set(m) for m in product):
            return None
        x, = marks
        bit = {}
        for m, c in product.items():
            rest = list(m)
            rest.remove(x)
            bit[tuple(rest)] = c
        p, q = self.w.exclusive[x]
        if not self.w.is_bit(bit):
            return None
        for this, other in ((p, q), (q, p)):
            if this == base:
                return plus(times(bit, other), plus(base, times(bit, base), -1))
        return None

    def not_(self, a): return plus(constant(1), a, -1)
    def ult(self, a, b, n): return self.sub(a, b, n)[1]
    def select(self, c, a, b, n): return plus(times(c, a), times(self.not_(c), b))
