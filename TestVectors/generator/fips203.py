"""ML-KEM as FIPS 203 writes it, without its checks of keys: what comes out of a key that must be refused is computed as well."""

import hashlib

Q = 3329


def reversed_bits(number):
    return int(f"{number:07b}"[::-1], 2)


ZETAS = [pow(17, reversed_bits(index), Q) for index in range(128)]
GAMMAS = [pow(17, 2 * reversed_bits(index) + 1, Q) for index in range(128)]


def ntt(f):
    f, index, length = list(f), 0, 128
    while length >= 2:
        for start in range(0, 256, 2 * length):
            index += 1
            for j in range(start, start + length):
                t = ZETAS[index] * f[j + length] % Q
                f[j + length] = (f[j] - t) % Q
                f[j] = (f[j] + t) % Q
        length //= 2
    return f


def inverse_ntt(f):
    f, index, length = list(f), 128, 2
    while length <= 128:
        for start in range(0, 256, 2 * length):
            index -= 1
            for j in range(start, start + length):
                t = f[j]
                f[j] = (t + f[j + length]) % Q
                f[j + length] = ZETAS[index] * (f[j + length] - t) % Q
        length *= 2
    return [3303 * c % Q for c in f]


def inner_product(a, b):
    result = [0] * 256
    for f, g in zip(a, b):
        for i, gamma in enumerate(GAMMAS):
            (f0, f1), (g0, g1) = f[2 * i : 2 * i + 2], g[2 * i : 2 * i + 2]
            result[2 * i] += f0 * g0 + f1 * g1 * gamma
            result[2 * i + 1] += f0 * g1 + f1 * g0
    return [c % Q for c in result]


def total(*polynomials):
    return [sum(coefficients) % Q for coefficients in zip(*polynomials)]


def packed(integers, bits):
    number = 0
    for index, integer in enumerate(integers):
        number |= integer << (bits * index)
    return number.to_bytes(32 * bits, "little")


def unpacked(octets, bits):
    number = int.from_bytes(octets, "little")
    return [number >> (bits * index) & (1 << bits) - 1 for index in range(256)]


def pieces(octets, size):
    return [octets[start : start + size] for start in range(0, len(octets), size)]


def compressed(f, bits):
    return packed([((2 * c << bits) + Q) // (2 * Q) % (1 << bits) for c in f], bits)


def decompressed(octets, bits):
    return [(2 * y * Q + (1 << bits)) >> (bits + 1) for y in unpacked(octets, bits)]


def small(seed, nonce):
    """Algorithm 8 with η = 2."""
    bits = int.from_bytes(hashlib.shake_256(seed + bytes([nonce])).digest(128), "little")
    four = [[bits >> (4 * index + place) & 1 for place in range(4)] for index in range(256)]
    return [(a + b - c - d) % Q for a, b, c, d in four]


def uniform(rho, column, row):
    """Algorithm 7; and in which half of three octets candidates stood that were q itself, the least that is no coefficient."""
    stream, f, borders, offset = hashlib.shake_128(rho + bytes([column, row])).digest(3000), [], [], 0
    while len(f) < 256:
        number = int.from_bytes(stream[offset : offset + 3], "little")
        for half, candidate in enumerate((number & 0xFFF, number >> 12)):
            if len(f) < 256:
                if candidate == Q:
                    borders.append(half)
                if candidate < Q:
                    f.append(candidate)
        offset += 3
    return f, borders


def g(data):
    digest = hashlib.sha3_512(data).digest()
    return digest[:32], digest[32:]


def h(data):
    return hashlib.sha3_256(data).digest()


class ParameterSet:
    def __init__(self, name, k, u_bits, v_bits):
        self.name, self.k, self.u_bits, self.v_bits = name, k, u_bits, v_bits
        self.ciphertext_size = 32 * (k * u_bits + v_bits)

    def matrix(self, rho):
        return [[uniform(rho, column, row) for column in range(self.k)] for row in range(self.k)]

    def encrypted(self, ek, message, randomness):
        """Algorithm 14."""
        k = self.k
        t = [unpacked(octets, 12) for octets in pieces(ek[: 384 * k], 384)]
        matrix = self.matrix(ek[384 * k :])
        y = [ntt(small(randomness, index)) for index in range(k)]
        ciphertext = b""
        for column in range(k):
            u = inverse_ntt(inner_product([matrix[row][column][0] for row in range(k)], y))
            ciphertext += compressed(total(u, small(randomness, k + column)), self.u_bits)
        half = [(Q + 1) // 2 * bit for bit in unpacked(message, 1)]
        return ciphertext + compressed(total(inverse_ntt(inner_product(t, y)), small(randomness, 2 * k), half), self.v_bits)

    def encapsulated(self, ek, message):
        """Algorithm 17."""
        secret, randomness = g(message + h(ek))
        return secret, self.encrypted(ek, message, randomness)

    def decapsulated(self, dk, ciphertext):
        """Algorithm 18; and whether the ciphertext was rejected."""
        k = self.k
        ek, digest, z = dk[384 * k : 768 * k + 32], dk[768 * k + 32 : 768 * k + 64], dk[768 * k + 64 :]
        s = [unpacked(octets, 12) for octets in pieces(dk[: 384 * k], 384)]
        border = 32 * self.u_bits * k
        u = [ntt(decompressed(octets, self.u_bits)) for octets in pieces(ciphertext[:border], 32 * self.u_bits)]
        v = decompressed(ciphertext[border:], self.v_bits)
        message = compressed([a - b for a, b in zip(v, inverse_ntt(inner_product(s, u)))], 1)
        secret, randomness = g(message + digest)
        if self.encrypted(ek, message, randomness) != ciphertext:
            return hashlib.shake_256(z + ciphertext).digest(32), True
        return secret, False


SETS = {"ML-KEM-768": ParameterSet("ML-KEM-768", 3, 10, 4), "ML-KEM-1024": ParameterSet("ML-KEM-1024", 4, 11, 5)}


class Key:
    """Algorithms 13 and 16, of a seed d ‖ z."""

    def __init__(self, parameter_set, seed):
        p = self.p = parameter_set
        self.seed = seed
        rho, sigma = g(seed[:32] + bytes([p.k]))
        matrix = p.matrix(rho)
        self.borders = {half for row in matrix for _, halves in row for half in halves}
        s = [ntt(small(sigma, index)) for index in range(p.k)]
        e = [ntt(small(sigma, p.k + index)) for index in range(p.k)]
        t = [total(inner_product([f for f, _ in row], s), e[index]) for index, row in enumerate(matrix)]
        self.ek = b"".join(packed(f, 12) for f in t) + rho
        self.dk = b"".join(packed(f, 12) for f in s) + self.ek + h(self.ek) + seed[32:]
