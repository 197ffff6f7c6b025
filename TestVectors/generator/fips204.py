"""ML-DSA as FIPS 204 writes it, with doors that the standard doesn't have: a signer that says why it rejected each try, and one that signs
without rejecting."""

import hashlib

Q = 8380417
D = 13


def reversed_bits(number):
    return int(f"{number:08b}"[::-1], 2)


ZETAS = [pow(1753, reversed_bits(index), Q) for index in range(256)]


def h(data, count):
    return hashlib.shake_256(data).digest(count)


def ntt(a):
    a, m, length = list(a), 0, 128
    while length >= 1:
        for start in range(0, 256, 2 * length):
            m += 1
            zeta = ZETAS[m]
            for j in range(start, start + length):
                t = zeta * a[j + length] % Q
                a[j + length] = (a[j] - t) % Q
                a[j] = (a[j] + t) % Q
        length //= 2
    return a


def inverse_ntt(a):
    a, m, length = list(a), 256, 1
    while length < 256:
        for start in range(0, 256, 2 * length):
            m -= 1
            zeta = -ZETAS[m]
            for j in range(start, start + length):
                t = a[j]
                a[j] = (t + a[j + length]) % Q
                a[j + length] = zeta * (t - a[j + length]) % Q
        length *= 2
    return [8347681 * c % Q for c in a]


def product(a, b):
    return [x * y % Q for x, y in zip(a, b)]


def total(a, b):
    return [(x + y) % Q for x, y in zip(a, b)]


def difference(a, b):
    return [(x - y) % Q for x, y in zip(a, b)]


def centred(c):
    """c mod± q"""
    c %= Q
    return c - Q if c > Q // 2 else c


def largest(polynomial):
    return max(abs(centred(c)) for c in polynomial)


def packed(integers, bits):
    number = 0
    for index, integer in enumerate(integers):
        assert 0 <= integer < 1 << bits
        number |= integer << (bits * index)
    return number.to_bytes(32 * bits, "little")


def unpacked(octets, bits):
    number = int.from_bytes(octets, "little")
    return [number >> (bits * index) & (1 << bits) - 1 for index in range(256)]


class ParameterSet:
    def __init__(self, name, k, l, eta, tau, commitment_size, gamma1_bits, gamma2, omega):
        self.name, self.k, self.l, self.eta, self.tau = name, k, l, eta, tau
        self.commitment_size, self.z_bits, self.gamma1 = commitment_size, gamma1_bits + 1, 1 << gamma1_bits
        self.gamma2, self.omega, self.beta = gamma2, omega, tau * eta
        self.w1_bits = ((Q - 1) // (2 * gamma2) - 1).bit_length()

    def decompose(self, r):
        """Algorithm 36."""
        r %= Q
        low = r % (2 * self.gamma2)
        if low > self.gamma2:
            low -= 2 * self.gamma2
        return (0, low - 1) if r - low == Q - 1 else ((r - low) // (2 * self.gamma2), low)

    def use_hint(self, hint, r):
        """Algorithm 40."""
        m = (Q - 1) // (2 * self.gamma2)
        high, low = self.decompose(r)
        return high if not hint else (high + 1) % m if low > 0 else (high - 1) % m

    def matrix(self, rho):
        """Algorithm 32; and how many candidates were q itself, the least that is no coefficient."""
        rows, borders = [], 0
        for row in range(self.k):
            rows.append([])
            for column in range(self.l):
                stream = hashlib.shake_128(rho + bytes([column, row])).digest(2000)
                polynomial, offset = [], 0
                while len(polynomial) < 256:
                    candidate = int.from_bytes(stream[offset : offset + 3], "little") & 0x7FFFFF
                    borders += candidate == Q
                    if candidate < Q:
                        polynomial.append(candidate)
                    offset += 3
                rows[-1].append(polynomial)
        return rows, borders

    def small(self, seed, nonce):
        """Algorithms 15 and 31."""
        stream, polynomial = h(seed + nonce.to_bytes(2, "little"), 2000), []
        for octet in stream:
            for half in (octet & 15, octet >> 4):
                if self.eta == 2 and half < 15:
                    polynomial.append(2 - half % 5)
                elif self.eta == 4 and half < 9:
                    polynomial.append(4 - half)
        return polynomial[:256]

    def challenge(self, commitment):
        """Algorithm 29."""
        stream, offset = h(commitment, 2000), 8
        signs, c = int.from_bytes(stream[:8], "little"), [0] * 256
        for index in range(256 - self.tau, 256):
            while stream[offset] > index:
                offset += 1
            place = stream[offset]
            offset += 1
            c[index], c[place] = c[place], (-1) ** (signs & 1)
            signs >>= 1
        return c

    def packed_hints(self, hints):
        """Algorithm 20. Of more than ω hints all are counted, and the last are left out."""
        places, counts = [], []
        for row in hints:
            places += [place for place, hint in enumerate(row) if hint]
            counts.append(len(places))
        return bytes(places[: self.omega]).ljust(self.omega, b"\0") + bytes(counts)


SETS = {
    "ML-DSA-44": ParameterSet("ML-DSA-44", 4, 4, 2, 39, 32, 17, (Q - 1) // 88, 80),
    "ML-DSA-65": ParameterSet("ML-DSA-65", 6, 5, 4, 49, 48, 19, (Q - 1) // 32, 55),
    "ML-DSA-87": ParameterSet("ML-DSA-87", 8, 7, 2, 60, 64, 19, (Q - 1) // 32, 75),
}


def message_representative(tr, message, context=b"", domain=0):
    """µ. A context of 256 octets has the length 0, as where the length is cut off."""
    return h(tr + bytes([domain, len(context) & 255]) + context + message, 64)


class Key:
    """Algorithm 6."""

    def __init__(self, parameter_set, seed):
        p = self.p = parameter_set
        self.seed = seed
        expanded = h(seed + bytes([p.k, p.l]), 128)
        rho, small_seed, self.k = expanded[:32], expanded[32:96], expanded[96:]
        self.matrix, self.borders = p.matrix(rho)
        s1 = [p.small(small_seed, index) for index in range(p.l)]
        s2 = [p.small(small_seed, p.l + index) for index in range(p.k)]
        self.s1, self.s2 = [ntt(s) for s in s1], [ntt(s) for s in s2]
        self.t0, t1 = [], []
        for row, s in zip(self.times(self.s1), s2):
            t = total(row, s)
            high = [(c + (1 << D - 1) - 1) >> D for c in t]
            t1.append(high)
            self.t0.append(ntt([c - (c1 << D) for c, c1 in zip(t, high)]))
        self.public = rho + b"".join(packed(t, 10) for t in t1)
        self.tr = h(self.public, 64)
        self.scaled_t1 = [ntt([c << D for c in t]) for t in t1]

    def times(self, vector):
        """NTT⁻¹(Â v̂)"""
        result = []
        for row in self.matrix:
            sum_ = [0] * 256
            for a, b in zip(row, vector):
                sum_ = [x + y * z for x, y, z in zip(sum_, a, b)]
            result.append(inverse_ntt([c % Q for c in sum_]))
        return result

    def tries(self, mu, randomness=bytes(32), tamper=lambda commitment: commitment):
        """Each turn of the loop of algorithm 7, without end. With `tamper`, the commitment's hash is changed before the challenge is made."""
        p, nonce, seed = self.p, 0, h(self.k + randomness + mu, 64)
        while True:
            yield Try(self, mu, seed, nonce, tamper)
            nonce += p.l

    def rejections(self, mu, randomness=bytes(32)):
        """The causes for which tries were rejected, and the try that was not."""
        causes = []
        for attempt in self.tries(mu, randomness):
            if not attempt.cause:
                return causes, attempt
            causes.append(attempt.cause)

    def verifies(self, signature, mu, without=None):
        """Algorithm 8, by the letter, of signatures of the right length.

        Without one of its rules: "falling counts", "omega", "falling places", "equal places", "padding", "bound", or the comparison of one octet
        of the commitment's hash, given by its number."""
        p = self.p
        commitment, rest = signature[: p.commitment_size], signature[p.commitment_size :]
        size = 32 * p.z_bits
        z = [[p.gamma1 - c for c in unpacked(rest[size * j : size * (j + 1)], p.z_bits)] for j in range(p.l)]
        octets, hints, index, broken = rest[size * p.l :], [[0] * 256 for _ in range(p.k)], 0, set()
        for row in range(p.k):
            end, first = octets[p.omega + row], index
            if end < index:
                broken.add("falling counts")
            if end > p.omega:
                broken.add("omega")
            while index < end:
                if index > first and octets[index - 1] >= octets[index]:
                    broken.add("equal places" if octets[index - 1] == octets[index] else "falling places")
                hints[row][octets[index]] = 1
                index += 1
        if any(octets[index : p.omega]):
            broken.add("padding")
        if max(map(largest, z)) >= p.gamma1 - p.beta:
            broken.add("bound")
        c = ntt(p.challenge(commitment))
        w1 = []
        for row, t, hint in zip(self.times([ntt(polynomial) for polynomial in z]), self.scaled_t1, hints):
            r = difference(row, inverse_ntt(product(c, t)))
            w1.append(packed([p.use_hint(one, coefficient) for one, coefficient in zip(hint, r)], p.w1_bits))
        own = h(mu + b"".join(w1), p.commitment_size)
        broken |= {index for index in range(p.commitment_size) if own[index] != commitment[index]}
        return broken <= {without}


class Try:
    def __init__(self, key, mu, seed, nonce, tamper):
        p = self.p = key.p
        y = [[p.gamma1 - c for c in unpacked(h(seed + (nonce + j).to_bytes(2, "little"), 32 * p.z_bits), p.z_bits)]
             for j in range(p.l)]
        w = key.times([ntt(polynomial) for polynomial in y])
        high = [packed([p.decompose(c)[0] for c in row], p.w1_bits) for row in w]
        self.commitment = tamper(h(mu + b"".join(high), p.commitment_size))
        c = ntt(p.challenge(self.commitment))
        self.z = [[centred(x + y) for x, y in zip(own, inverse_ntt(product(c, s)))] for own, s in zip(y, key.s1)]
        rest = [difference(row, inverse_ntt(product(c, s))) for row, s in zip(w, key.s2)]
        self.low = [max(abs(p.decompose(x)[1]) for x in row) for row in rest]
        ct0 = [inverse_ntt(product(c, t)) for t in key.t0]
        self.hints = [[int(p.decompose(x)[0] != p.decompose(x + y)[0]) for x, y in zip(row, t)] for row, t in zip(rest, ct0)]
        self.hint_count = sum(map(sum, self.hints))
        z_bound, low_bound = p.gamma1 - p.beta, p.gamma2 - p.beta
        failed = {
            "z": [index for index, polynomial in enumerate(self.z) if largest(polynomial) >= z_bound],
            "r0": [index for index, value in enumerate(self.low) if value >= low_bound],
        }
        if not failed["z"] and not failed["r0"]:
            failed["ct0"] = [index for index, polynomial in enumerate(ct0) if largest(polynomial) >= p.gamma2]
            failed["hints"] = [self.hint_count] if self.hint_count > p.omega else []
        # "z 0", "r0 1 3", "z 2; r0 0", "ct0 1", "hints 81": which polynomials, and how many hints.
        self.cause = "; ".join(f"{name} {' '.join(map(str, places))}" for name, places in failed.items() if places)

    def signature(self, hints=None):
        """c̃ ‖ z ‖ h, whatever became of the try."""
        p = self.p
        z = b"".join(packed([p.gamma1 - c for c in polynomial], p.z_bits) for polynomial in self.z)
        return self.commitment + z + (hints or p.packed_hints(self.hints))
