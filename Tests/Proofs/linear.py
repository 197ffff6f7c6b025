"""Linear constraints over the rationals with a few bits.

That constraints contradict each other is shown by a certificate: multipliers of constraints (not negative for inequalities) whose sum is a form that is
negative on the whole box of its unknowns. z3 finds the multipliers; that they do is checked here, in exact arithmetic. z3 isn't trusted.
"""
from fractions import Fraction

import z3


class Certificates:
    checked = 0

    def __init__(self, world, budget=400):
        self.w, self.budget = world, budget

    def refute(self, goals):
        """Whether no integers within their ranges satisfy the goals: each (p, low, high), p >= low and p <= high.

        First with chains of carries as one equation each; then step by step, with what goes back so many steps.
        """
        self.w.discover()
        return any(self.attempt(goals, depth) for depth in (None, 4, 8))

    def attempt(self, goals, depth):
        w = self.w
        rows, facts = [], []  # (p, is equation): p >= 0, or p = 0
        for target, source in ((rows, goals), (facts, w.facts + w.lemmas)):
            for p, low, high in source:
                if low is not None:
                    target.append((self.moved(p, low), False))
                if high is not None:
                    target.append(({m: -c for m, c in self.moved(p, high).items()}, False))
        for p, _, _ in goals if depth is None else ():
            opened = self.opened(p)
            if opened != p:
                rows.append((self.sum(p, opened, -1), True))
        kept = w.decisions | {x for p, _, _ in goals for m in p for x in m}
        leaves = {x for p, _, _ in w.lemmas for m in p for x in m}
        done, pending, level = set(), [m for p, _ in rows for m in p], [[]]

        def equation(p, rest={}):
            """p + rest = 0, with carries of p replaced."""
            q = self.sum(w.telescoped(p, kept=kept)[0], rest, 1)
            d = max([Fraction(c).denominator for c in q.values()], default=1)
            rows.append(({n: int(c * d) for n, c in q.items()}, True))
            pending.extend(q)
        while pending or facts:
            if not pending:
                if depth is not None and len(level) <= depth and level[-1]:
                    pending = level[-1]
                    level.append([])
                    continue
                near = [r for r in facts if any(m in done for m in r[0] if m)]
                facts = [r for r in facts if r not in near] if near else []
                rows += near
                pending += [m for p, _ in near for m in p]
                continue
            m = pending.pop()
            if m in done:
                continue
            done.add(m)
            if depth is not None:
                self.step(m, level, rows, pending, done, leaves)
                continue
            for x in m:
                if (x,) in done and len(m) > 1:
                    continue
                done.add((x,))
                if x in w.parts and x not in leaves:
                    e, k, low = w.parts[x]
                    equation(self.sum(e, low, -1), {(x,): -(1 << k)})
                if x in w.cut:  # a word that is divided again
                    above = [n for n in w.definition[x] if len(n) == 1 and w.parts.get(n[0], (0, 0, 0))[2] == {(x,): 1}]
                    pending.extend(above) if above else equation(w.definition[x], {(x,): -1})
                if x in w.either:
                    a, b = w.either[x]
                    one = {(x,): 1}
                    for p in (self.sum(one, a, -1), self.sum(one, b, -1), self.sum(self.sum(a, b, 1), one, -1)):
                        rows.append((p, False))
                        pending += p
        small = {}
        for p, _ in rows:
            for x in {x for m in p for x in m if w.range[x][1] - w.range[x][0] in (1, 2)}:
                small[x] = small.get(x, 0) + 1
        bits = sorted(small, key=lambda x: (x not in kept, -small[x]))
        self.left = self.budget if depth is None else 60
        bits = bits if depth is None else [x for n, x in enumerate(bits) if x in kept or n < 3]
        return self.search(rows, bits)

    def step(self, m, level, rows, pending, done, leaves):
        """The relation that made each unknown of a monomial. What it stands on is left to the next level."""
        w = self.w
        for x in m:
            if x in leaves:
                continue
            p = None
            if x in w.parts:
                e, k, low = w.parts[x]
                p = self.sum(self.sum(e, low, -1), {(x,): -(1 << k)}, 1)
            elif w.definition[x] is not None and w.name[x] == "low":
                p = self.sum(w.definition[x], {(x,): 1}, -1)
                above = [n[0] for n in w.definition[x] if len(n) == 1 and w.parts.get(n[0], (0, 0, 0))[2] == {(x,): 1}]
                if above and (above[0],) in done:
                    continue
            elif x in w.either:
                a, b = w.either[x]
                one = {(x,): 1}
                for q in (self.sum(one, a, -1), self.sum(one, b, -1), self.sum(self.sum(a, b, 1), one, -1)):
                    rows.append((q, False))
                    pending.extend(q)
            if p is not None and (p, True) not in rows:
                rows.append((p, True))
                level[-1].extend(n for n in p if n not in done)
            if (x,) not in done:
                level[-1].append((x,))

    def opened(self, p):
        """p with words replaced by what they are the lower parts of, once."""
        r = {}
        for m, c in p.items():
            d = self.w.definition[m[0]] if len(m) == 1 else None
            r = self.sum(r, d if d is not None and self.w.name[m[0]] == "low" else {m: 1}, c)
        return r

    @staticmethod
    def moved(p, value):
        r = dict(p)
        r[()] = r.get((), 0) - value
        return r

    @staticmethod
    def sum(p, q, f):
        r = dict(p)
        for m, c in q.items():
            r[m] = r.get(m, 0) + f * c
        return {m: c for m, c in r.items() if c}

    def search(self, rows, bits):
        """A certificate, or one for each value of a bit."""
        self.left -= 1
        if self.left < 0:
            return False
        if self.certificate(rows):
            return True
        bits = [x for x in bits if any(x in m for p, _ in rows for m in p)]
        if not bits:
            return False
        x, rest = bits[0], bits[1:]
        low, high = self.w.range[x]
        return all(self.search([(self.put(p, x, v), e) for p, e in rows], rest) for v in range(low, high + 1))

    @staticmethod
    def put(p, x, v):
        r = {}
        for m, c in p.items():
            if x in m:
                c *= v ** m.count(x)
                m = tuple(y for y in m if y != x)
            if c:
                r[m] = r.get(m, 0) + c
        return {m: c for m, c in r.items() if c}

    def highest(self, p):
        return self.w.interval(p)[1]

    def certificate(self, rows):
        rows = [r for r in rows if r[0]]
        for p, is_equation in rows:  # one constraint alone
            low, high = self.w.interval(p)
            if high < 0 or is_equation and low > 0:
                Certificates.checked += 1
                return True
        # Unknowns that stand in one proportion everywhere, as the words of a number do, are one unknown.
        columns, groups = {}, {}
        for n, (p, _) in enumerate(rows):
            for m, c in p.items():
                if m:
                    columns.setdefault(m, []).append((n, c))
        for m, column in columns.items():
            first = column[0][1]
            groups.setdefault(tuple((n, Fraction(c, first)) for n, c in column), {})[m] = first
        s = z3.SolverFor("QF_LRA")
        s.set("timeout", 20_000)
        factors = [z3.Real(f"f{n}") for n in range(len(rows))]
        for f, (_, is_equation) in zip(factors, rows):
            if not is_equation:
                s.add(f >= 0)
        total = []
        for f, (p, _) in zip(factors, rows):
            if () in p:
                total.append(z3.RealVal(p[()]) * f)
        for n, (column, members) in enumerate(groups.items()):
            low, high = self.w.interval(members)
            c = z3.Sum([z3.RealVal(ratio) * factors[row] for row, ratio in column])
            if len(column) == 1 and not rows[column[0][0]][1]:  # the sign is known
                total.append(z3.RealVal(high) * factors[column[0][0]])
                continue
            up, down = z3.Real(f"u{n}"), z3.Real(f"d{n}")
            s.add(up >= 0, down >= 0, up - down == c)
            total.append(z3.RealVal(high) * up - z3.RealVal(low) * down)
        s.add(z3.Sum(total) == -1)
        if s.check() != z3.sat:
            return False
        model = s.model()
        values = [model.eval(f, model_completion=True).as_fraction() for f in factors]
        # The check: nothing of z3 below.
        form = {}
        for v, (p, is_equation) in zip(values, rows):
            v = Fraction(v)
            if v < 0 and not is_equation:
                return False
            if v:
                form = self.sum(form, p, v)
        if self.highest(form) >= 0:
            return False
        Certificates.checked += 1
        return True
