"""Runs a function's IR over a domain of values: numbers, exact polynomials, bit-vectors, sums over GF(2).

Branches and addresses must be numbers in every domain. Memory is made of named regions. A load from memory that a store to another region may
have changed is refused, so that a proof holds when places that are written are places that are read.
"""
import re

from ir import Refused


class Pointer:
    __slots__ = ("region", "offset")

    def __init__(self, region, offset=0):
        self.region, self.offset = region, offset


class Region:
    """Bytes of memory: cells by offset, each (size, value)."""

    def __init__(self, name, kind, word=8, size=None):
        # kind: "outer" memory of the caller, which may be another outer region; "apart" of the caller, but of nobody
        # else; "local"; "constant".
        self.name, self.kind, self.word, self.size = name, kind, word, size
        self.cells, self.read, self.written = {}, set(), set()

    def word_at(self, position):
        """The word that holds a byte: where it begins, its name and index, its length."""
        return position // self.word * self.word, self.name, position // self.word, self.word


class Place(Region):
    """Memory of the caller with names for its words: fields of (name, count, bits)."""

    def __init__(self, fields, kind):
        super().__init__(fields[0][0], kind, size=sum(count * bits // 8 for _, count, bits in fields))
        self.layout, at = [], 0
        for name, count, bits in fields:
            for n in range(count):
                self.layout.append((at, name, n, bits // 8))
                at += bits // 8

    def word_at(self, position):
        return next(word for word in self.layout if word[0] <= position < word[0] + word[3])


class Interpreter:
    def __init__(self, module, domain, limit=400_000):
        self.module, self.d, self.limit = module, domain, limit
        self.steps, self.stored, self.contracts, self.coverage = 0, [], {}, set()
        self.constants = {}

    # ---- memory

    def load(self, pointer, bits):
        region, at, size = pointer.region, pointer.offset, (bits + 7) // 8
        if region is None:
            raise Refused("load through null")
        if region.size is not None and not 0 <= at <= region.size - size:
            raise Refused(f"load outside of {region.name}")
        if region.kind == "outer" and any(other is not region for other in self.stored):
            raise Refused(f"load from {region.name} after a store to another place")
        self.ensure(region, at, size)
        cells = region.cells
        if at in cells and cells[at][0] == size:
            value = cells[at][1]
        else:
            value = self.assemble(region, at, size)
        region.read.update(range(at, at + size))
        if isinstance(value, Pointer):
            if bits != 64:
                raise Refused("a part of a pointer")
            return value
        return self.d.trunc(value, 8 * size, bits) if bits < 8 * size else value

    def ensure(self, region, at, size):
        """Makes cells for memory that was not touched yet."""
        position = at
        while position < at + size:
            holder = self.cell(region, position)
            if holder is not None:
                position = holder + region.cells[holder][0]
                continue
            if region.kind in ("local",):
                raise Refused(f"load of what was not stored in {region.name}")
            base, name, index, length = region.word_at(position)
            if any(base < o + s and o < base + length for o, (s, _) in region.cells.items()):
                raise Refused(f"load beside a store in {region.name}")
            region.cells[base] = (length, self.d.input(name, index, 8 * length))
            position = base + length

    @staticmethod
    def cell(region, position):
        """The offset of the cell that holds a byte."""
        cells = region.cells
        for back in range(0, 16):
            if position - back in cells:
                return position - back if cells[position - back][0] > back else None
        return None

    def assemble(self, region, at, size):
        d, total, shift, position = self.d, None, 0, at
        while position < at + size:
            o = self.cell(region, position)
            s, v = region.cells[o]
            if isinstance(v, Pointer):
                raise Refused("a part of a pointer")
            skip, take = position - o, min(o + s, at + size) - position
            if skip:
                v = d.lshr(v, 8 * skip, 8 * s)
            if take < s:
                v = d.trunc(v, 8 * s, 8 * take)
            if take < size:
                v = d.zext(v, 8 * take, 8 * size)
            if shift:
                v = d.shl(v, shift, 8 * size)
            total = v if total is None else d.or_(total, v, 8 * size)
            shift += 8 * take
            position += take
        return total

    def store(self, pointer, value, bits):
        region, at, size = pointer.region, pointer.offset, (bits + 7) // 8
        if region is None or region.kind == "constant":
            raise Refused("store to a constant")
        if region.size is not None and not 0 <= at <= region.size - size:
            raise Refused(f"store outside of {region.name}")
        if bits % 8:
            value = self.d.zext(value, bits, 8 * size)
        # Cells that the store covers a part of are split.
        for o in sorted({self.cell(region, at), self.cell(region, at + size - 1)} - {None}):
            s, v = region.cells[o]
            if o >= at and o + s <= at + size:
                continue
            if isinstance(v, Pointer):
                raise Refused("a part of a pointer")
            del region.cells[o]
            for begin, end in ((o, max(o, at)), (min(o + s, at + size), o + s)):
                if begin < end:
                    part = self.d.lshr(v, 8 * (begin - o), 8 * s) if begin > o else v
                    region.cells[begin] = (end - begin, self.d.trunc(part, 8 * s, 8 * (end - begin)))
        for o in [o for o in region.cells if at <= o < at + size]:
            del region.cells[o]
        region.cells[at] = (size, value)
        region.written.update(range(at, at + size))
        if region.kind == "outer" and not any(r is region for r in self.stored):
            self.stored.append(region)

    def copy(self, to, source, count):
        """memcpy and memmove of a known size, by cells."""
        position, moves = 0, []
        while position < count:
            self.ensure(source.region, source.offset + position, 1) if source.region.kind != "local" else None
            o = self.cell(source.region, source.offset + position)
            if o is None:
                position += 1  # what was never stored stays unknown
                continue
            s = min(source.region.cells[o][0] - (source.offset + position - o), count - position)
            whole = o == source.offset + position and s == source.region.cells[o][0]
            value = source.region.cells[o][1] if whole and isinstance(source.region.cells[o][1], Pointer) else \
                self.load(Pointer(source.region, source.offset + position), 8 * s)
            moves.append((position, value, s))
            position += s
        for position, value, s in moves:
            self.store(Pointer(to.region, to.offset + position), value, 8 * s)

    # ---- values

    def value(self, t, v, env):
        if isinstance(v, int):
            return self.d.const(v, t[1]) if t[0] == "i" else Pointer(None, 0)
        tag = v[0]
        if tag == "local":
            if v[1] not in env:
                raise Refused(f"unknown %{v[1]}")
            return env[v[1]]
        if tag == "undef":
            return None
        if tag == "zero":
            return self.zero(t)
        if tag == "list":
            items = [self.value(et, ev, env) for et, ev in v[1]]
            return items if t[0] == "vector" else tuple(items)
        if tag == "global":
            return self.pointer_to(v[1])
        if tag == "expression" and v[1] == "getelementptr":
            return self.address(v[2], [(ot, self.value(ot, ov, env)) for ot, ov in v[3]])
        raise Refused(f"constant {v[:2]}")

    def zero(self, t):
        if t[0] == "named":
            t = self.module.named[t[1]]
        if t[0] == "i":
            return self.d.const(0, t[1])
        if t[0] == "ptr":
            return Pointer(None, 0)
        if t[0] == "vector":
            return [self.zero(t[2])] * t[1]
        if t[0] == "array":
            return tuple(self.zero(t[2]) for _ in range(t[1]))
        return tuple(self.zero(f) for f in t[2])

    def pointer_to(self, name):
        if name not in self.constants:
            self.constants[name] = Region("@" + name, "global")
        return Pointer(self.constants[name])

    def number(self, v, what):
        n = self.d.number(v)
        if n is None:
            raise Refused(f"{what} that isn't a known number")
        return n

    def address(self, base, operands):
        pointer, t, offset = operands[0][1], base, 0
        if not isinstance(pointer, Pointer):
            raise Refused("address in something that is no pointer")
        for position, (it, index) in enumerate(operands[1:]):
            n = self.number(index, "an index")
            n -= (n >> (it[1] - 1)) << it[1]
            if position == 0:
                offset += n * self.module.size(t)
            else:
                o, t = self.module.offset(t, n)
                offset += o
        return Pointer(pointer.region, pointer.offset + offset)

    # ---- functions

    def call(self, symbol, arguments, depth=0):
        if symbol in self.contracts:
            return self.contracts[symbol](self, arguments)
        function = self.module.function(symbol)
        if depth > 12:
            raise Refused("too many calls within calls")
        if len(arguments) != len(function.parameters):
            raise Refused("number of arguments")
        env = {p.name: a for p, a in zip(function.parameters, arguments)}
        block, previous = next(iter(function.blocks.values())), None
        while True:
            phis = {}
            for i in block.instructions:
                if i.op != "phi":
                    break
                if previous not in i.extra:
                    raise Refused("phi")
                position = i.extra.index(previous)
                phis[i.name] = self.value(i.type, i.operands[position][1], env)
            env.update(phis)
            for index, i in enumerate(block.instructions):
                if i.op == "phi":
                    continue
                self.steps += 1
                if self.steps > self.limit:
                    raise Refused("too many steps")
                if i.op == "ret":
                    return self.value(*i.operands[0], env) if i.operands else None
                if i.op == "br":
                    way = 0
                    if i.operands:
                        way = 1 - self.number(self.value(*i.operands[0], env), "a branch")
                    previous, block = block.name, function.blocks[i.extra[way]]
                    break
                if i.op == "switch":
                    n = self.number(self.value(*i.operands[0], env), "a switch")
                    bits = i.operands[0][0][1]
                    to = next((b for c, b in i.extra[1:] if c % (1 << bits) == n), i.extra[0][1])
                    previous, block = block.name, function.blocks[to]
                    break
                result = self.execute(i, env, depth)
                if i.name is not None:
                    env[i.name] = result
            else:
                raise Refused("a block without an end")

    def lanes(self, t, operation, *values):
        if t[0] == "vector":
            return [operation(*[v[n] for v in values], t[2][1]) for n in range(t[1])]
        if t[0] != "i":
            raise Refused(f"operation on {t}")
        return operation(*values, t[1])

    def execute(self, i, env, depth):
        d, op = self.d, i.op
        if op == "call":
            return self.calls(i, env, depth)
        v = [self.value(t, x, env) for t, x in i.operands]
        if op in ("insertvalue", "insertelement", "shufflevector", "phi", "freeze", "store", "select"):
            pass
        elif any(x is None for x in v) or any(isinstance(x, list) and op not in ("extractelement", "bitcast") and None in x for x in v):
            if op == "shufflevector" or op == "extractvalue":
                pass
            else:
                raise Refused(f"{op} of an undefined value")
        if op in ("add", "sub", "mul"):
            operation = {"add": d.add, "sub": d.sub, "mul": d.mul}[op]
            flags = i.extra

            def plain(a, b, n):
                low, high = operation(a, b, n)
                d.flagged(flags, op, a, b, low, high, n)
                return low
            return self.lanes(i.type, plain, *v)
        if op in ("and", "or", "xor"):
            return self.lanes(i.type, {"and": d.and_, "or": d.or_, "xor": d.xor}[op], *v)
        if op in ("shl", "lshr", "ashr"):
            def shift(a, b, n):
                k = d.number(b)
                if k is None:
                    return d.shift(op, a, b, n)
                if k >= n:
                    raise Refused("shift beyond the width")
                return {"shl": d.shl, "lshr": d.lshr, "ashr": d.ashr}[op](a, k, n) if k else a
            return self.lanes(i.type, shift, *v)
        if op in ("udiv", "urem"):
            a, b = (self.number(x, "a division") for x in v)
            return d.const(a // b if op == "udiv" else a % b, i.type[1])
        if op in ("zext", "sext", "trunc"):
            source, target = i.operands[0][0], i.type
            if target[0] == "vector":
                return [getattr(d, op)(x, source[2][1], target[2][1]) for x in v[0]]
            return getattr(d, op)(v[0], source[1], target[1])
        if op == "icmp":
            t = i.operands[0][0]
            if t == ("ptr",):
                a, b = v
                if a.region is not b.region and None not in (a.region, b.region):
                    raise Refused("comparison of addresses")
                equal = a.region is b.region and a.offset == b.offset
                if i.extra not in ("eq", "ne"):
                    if a.region is not b.region:
                        raise Refused("comparison of addresses")
                    equal = {"ult": a.offset < b.offset, "ugt": a.offset > b.offset, "uge": a.offset >= b.offset,
                             "ule": a.offset <= b.offset}[i.extra]
                    return d.const(int(equal), 1)
                return d.const(int(equal == (i.extra == "eq")), 1)
            return self.lanes(t, lambda a, b, n: self.compare(i.extra, a, b, n), *v)
        if op == "select":
            c, a, b = v
            if isinstance(c, list):
                return [d.select(x, y, z, i.type[2][1]) for x, y, z in zip(c, a, b)]
            n = d.number(c)
            if n is not None:
                return a if n else b
            if isinstance(a, Pointer) or i.type[0] not in ("i", "vector"):
                raise Refused("a choice between addresses")
            if isinstance(a, list):
                return [d.select(c, y, z, i.type[2][1]) for y, z in zip(a, b)]
            return d.select(c, a, b, i.type[1])
        if op == "freeze":
            if v[0] is None:
                raise Refused("freeze of an undefined value")
            return v[0]
        if op == "load":
            if "volatile" in i.extra:
                if i.type[0] != "i" or v[0].region is None or v[0].region.kind != "global":
                    raise Refused("volatile load")
                d.opaque_zeros += 1
                return d.const(0, i.type[1])
            return self.load_type(v[0], i.type)
        if op == "store":
            self.store_type(v[1], v[0], i.operands[0][0])
            return None
        if op == "getelementptr":
            return self.address(i.extra, list(zip([t for t, _ in i.operands], v)))
        if op == "alloca":
            return Pointer(Region(f"alloca {i.name}", "local"))
        if op == "extractvalue":
            x = v[0]
            for index in i.extra:
                x = x[index]
            return x
        if op == "insertvalue":
            return self.inserted(i.operands[0][0], v[0], v[1], i.extra)
        if op == "extractelement":
            return v[0][self.number(v[1], "an index")]
        if op == "insertelement":
            items = list(v[0]) if v[0] is not None else [None] * i.type[1]
            items[self.number(v[2], "an index")] = v[1]
            return items
        if op == "shufflevector":
            count = i.operands[0][0][1]
            both = (v[0] or [None] * count) + (v[1] or [None] * count)
            mask = v[2] if v[2] is not None else [None] * i.type[1]
            return [None if m is None else both[self.number(m, "an index")] for m in mask]
        if op == "bitcast":
            return self.bitcast(v[0], i.operands[0][0], i.type)
        if op == "ptrtoint" or op == "inttoptr":
            raise Refused("addresses as integers")
        raise Refused(f"instruction {op}")

    def compare(self, predicate, a, b, n):
        d = self.d
        if predicate in ("sgt", "slt", "sge", "sle"):
            flip = d.const(1 << (n - 1), n)
            a, b = d.xor(a, flip, n), d.xor(b, flip, n)
            predicate = "u" + predicate[1:]
        return {"eq": lambda: d.eq(a, b, n), "ne": lambda: d.not_(d.eq(a, b, n)), "ult": lambda: d.ult(a, b, n),
                "ugt": lambda: d.ult(b, a, n), "uge": lambda: d.not_(d.ult(a, b, n)), "ule": lambda: d.not_(d.ult(b, a, n))}[predicate]()

    def inserted(self, t, whole, part, path):
        if t[0] == "named":
            t = self.module.named[t[1]]
        items = list(whole) if whole is not None else [None] * (t[1] if t[0] == "array" else len(t[2]))
        inner = t[2] if t[0] == "array" else t[2][path[0]]
        items[path[0]] = part if len(path) == 1 else self.inserted(inner, items[path[0]], part, path[1:])
        return tuple(items)

    def load_type(self, pointer, t):
        if t[0] == "i":
            return self.load(pointer, t[1])
        if t[0] == "ptr":
            value = self.load(pointer, 64)
            if not isinstance(value, Pointer):
                raise Refused("a pointer that was loaded from a number")
            return value
        if t[0] == "vector":
            size = self.module.size(t[2])
            return [self.load(Pointer(pointer.region, pointer.offset + n * size), t[2][1]) for n in range(t[1])]
        if t[0] in ("struct", "named", "array"):
            count = t[1] if t[0] == "array" else len((self.module.named[t[1]] if t[0] == "named" else t)[2])
            parts = [self.module.offset(t, n) for n in range(count)]
            return tuple(self.load_type(Pointer(pointer.region, pointer.offset + o), ft) for o, ft in parts)
        raise Refused(f"load of {t}")

    def store_type(self, pointer, value, t):
        if value is None:
            raise Refused("store of an undefined value")
        if t[0] == "i":
            self.store(pointer, value, t[1])
        elif t[0] == "ptr":
            self.store(pointer, value, 64)
        elif t[0] == "vector":
            size = self.module.size(t[2])
            for n in range(t[1]):
                self.store(Pointer(pointer.region, pointer.offset + n * size), value[n], t[2][1])
        else:
            raise Refused(f"store of {t}")

    def bitcast(self, value, source, target):
        d = self.d
        if source == target:
            return value
        lanes = [value] if source[0] == "i" else value
        width = source[1] if source[0] == "i" else source[2][1]
        goal = target[1] if target[0] == "i" else target[2][1]
        if any(x is None for x in lanes):
            raise Refused("bitcast of an undefined value")
        if goal >= width:
            group, out = goal // width, []
            for start in range(0, len(lanes), group):
                total = None
                for n in range(group):
                    x = d.zext(lanes[start + n], width, goal) if goal > width else lanes[start + n]
                    x = d.shl(x, n * width, goal) if n else x
                    total = x if total is None else d.or_(total, x, goal)
                out.append(total)
        else:
            out = [d.trunc(d.lshr(x, n * goal, width) if n else x, width, goal) for x in lanes for n in range(width // goal)]
        return out[0] if target[0] == "i" else out

    def calls(self, i, env, depth):
        d, name = self.d, i.extra[1] if i.extra[0] == "global" else None
        if name is None:
            raise Refused("a call through a pointer")
        if name.startswith("llvm."):
            base = name.split(".")[1]
            if base in ("dbg", "lifetime", "assume", "experimental"):
                if base == "experimental" and "noalias" not in name:
                    raise Refused(name)
                return None
            v = [self.value(t, x, env) for t, x in i.operands]
            if any(x is None for x in v):
                raise Refused(f"{name} of an undefined value")
            t = i.operands[0][0]
            if ".with.overflow." in name and base in ("uadd", "usub", "umul"):
                operation = {"uadd": d.add, "usub": d.sub, "umul": d.mul}[base]
                low, high = operation(v[0], v[1], t[1])
                return (low, high) if base != "umul" else (low, d.not_(d.eq(high, d.const(0, t[1]), t[1])))
            if base in ("fshl", "fshr"):
                def funnel(a, b, c, n):
                    k = self.number(c, "a shift") % n
                    k = k if base == "fshl" else (n - k) % n
                    if not k:
                        return a if base == "fshl" else b
                    return d.or_(d.shl(a, k, n), d.lshr(b, n - k, n), n)
                return self.lanes(t, funnel, *v)
            if base == "bswap":
                def swap(a, n):
                    total = None
                    for byte in range(n // 8):
                        x = d.trunc(d.lshr(a, 8 * byte, n) if byte else a, n, 8)
                        x = d.zext(x, 8, n)
                        x = d.shl(x, n - 8 - 8 * byte, n) if n - 8 - 8 * byte else x
                        total = x if total is None else d.or_(total, x, n)
                    return total
                return self.lanes(t, swap, *v)
            if base in ("umin", "umax", "smin", "smax"):
                predicate = {"umin": "ult", "umax": "ugt", "smin": "slt", "smax": "sgt"}[base]
                return self.lanes(t, lambda a, b, n: d.select(self.compare(predicate, a, b, n), a, b, n), *v)
            if base in ("memcpy", "memmove"):
                self.copy(v[0], v[1], self.number(v[2], "a length"))
                return None
            if base == "memset":
                count = self.number(v[2], "a length")
                byte = self.number(v[1], "a value")
                for n in range(0, count, 8):
                    s = min(8, count - n)
                    self.store(Pointer(v[0].region, v[0].offset + n), d.const(int.from_bytes(bytes([byte] * s), "little"), 8 * s), 8 * s)
                return None
            if name.startswith("llvm.vector.reduce."):
                operation = {"or": d.or_, "and": d.and_, "xor": d.xor}.get(name.split(".")[3])
                if operation is None:
                    raise Refused(name)
                total = v[0][0]
                for x in v[0][1:]:
                    total = operation(total, x, t[2][1])
                return total
            return d.instruction(name, t, v)
        v = [self.value(t, x, env) for t, x in i.operands]
        if name in self.contracts:
            return self.contracts[name](self, v)
        if any(x is None for x in v):
            raise Refused(f"{name} of an undefined value")
        return self.call(name, v, depth + 1)


class Domain:
    """What all domains share. Those that refuse an operation leave it out."""
    opaque_zeros = 0

    def flagged(self, flags, op, a, b, low, high, n):
        pass

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)

        def refuse(*arguments):
            raise Refused(f"{name} in {type(self).__name__}")
        return refuse


class Numbers(Domain):
    """Integers: the IR is executed."""

    def __init__(self, inputs):
        self.inputs, self.opaque_zeros = inputs, 0

    def input(self, name, index, bits):
        if (name, index) not in self.inputs:
            raise Refused(f"no input {name}[{index}]")
        return self.inputs[name, index]

    def number(self, v): return v
    def const(self, v, n): return v % (1 << n)
    def add(self, a, b, n): return (a + b) % (1 << n), (a + b) >> n
    def sub(self, a, b, n): return (a - b) % (1 << n), int(a < b)
    def mul(self, a, b, n): return (a * b) % (1 << n), (a * b) >> n
    def and_(self, a, b, n): return a & b
    def or_(self, a, b, n): return a | b
    def xor(self, a, b, n): return a ^ b
    def not_(self, a): return 1 - a
    def shl(self, a, k, n): return (a << k) % (1 << n)
    def lshr(self, a, k, n): return a >> k
    def ashr(self, a, k, n): return ((a - (a >> (n - 1) << n)) >> k) % (1 << n)
    def zext(self, a, n, m): return a
    def sext(self, a, n, m): return (a - (a >> (n - 1) << n)) % (1 << m)
    def trunc(self, a, n, m): return a % (1 << m)
    def ult(self, a, b, n): return int(a < b)
    def eq(self, a, b, n): return int(a == b)
    def select(self, c, a, b, n): return a if c else b

    def flagged(self, flags, op, a, b, low, high, n):
        """A promise of the IR that an edge input breaks is a defect of the compiler."""
        if "nuw" in flags and high:
            raise Refused(f"{op} nuw wraps")

    def instruction(self, name, t, v):
        if "vpmadd52" in name:
            low52 = (1 << 52) - 1
            out = []
            for c, a, b in zip(*v):
                product = (a & low52) * (b & low52)
                out.append((c + (product >> 52 if "52h" in name else product & low52)) % (1 << 64))
            return out
        raise Refused(name)
