"""Values where carries, borrows and special cases live: 0, 1, 2^k ± 1, m ± 1, runs of ones, borders of limbs; and some at random."""

LIMB_BITS = (26, 32, 51, 52, 56, 62, 64)  # of this package and of others


def integer(rng, bits):
    """A number of at most so many bits."""
    kind = rng.randrange(8)
    if kind == 0:
        return rng.randrange(4)
    if kind == 1:  # 2^k and its neighbours
        return max(0, (1 << rng.randrange(bits)) + rng.choice((-1, 0, 1)))
    if kind == 2:  # at the border of a limb
        limb = rng.choice(LIMB_BITS)
        return max(0, (1 << min(bits - 1, limb * rng.randrange(bits // limb + 1))) + rng.choice((-1, 0, 1)))
    if kind == 3:  # a run of ones
        high, low = rng.randrange(bits + 1), rng.randrange(bits + 1)
        return abs((1 << high) - (1 << low))
    if kind == 4:  # the highest
        return (1 << bits) - 1 - rng.randrange(3)
    if kind == 5:  # limbs of zeros, of ones, and others
        limb = rng.choice((32, 64))
        value = 0
        for place in range(0, bits, limb):
            value |= rng.choice((0, (1 << limb) - 1, (1 << limb) - 2, 1, rng.getrandbits(limb))) << place
        return value & ((1 << bits) - 1)
    return rng.getrandbits(bits)


def near(rng, modulus):
    """A number around a modulus, its half, or anywhere below twice 2^bits; not reduced."""
    kind = rng.randrange(5)
    if kind == 0:
        return modulus + rng.randrange(-3, 4)
    if kind == 1:
        return modulus // 2 + rng.randrange(-2, 3)
    if kind == 2:  # a neighbour of the modulus in one bit
        return modulus ^ (1 << rng.randrange(modulus.bit_length()))
    return integer(rng, modulus.bit_length())


def below(rng, modulus, least=0):
    """The same, from `least` to the modulus − 1."""
    return least + near(rng, modulus) % (modulus - least)


def octets(rng, count):
    kind = rng.randrange(6)
    if count == 0:
        return b""
    if kind == 0:
        return bytes(count)
    if kind == 1:
        return b"\xff" * count
    if kind == 2 and count <= 512:
        return integer(rng, 8 * count).to_bytes(count, rng.choice(("big", "little")))
    return rng.randbytes(count)


def length(rng, most, border=16):
    """Lengths on both sides of multiples of a border, short ones more often."""
    kind = rng.randrange(8)
    if kind == 0:
        return rng.randrange(min(most, 3) + 1)
    if kind < 4:
        return min(most, max(0, border * rng.randrange(1, 10) + rng.randrange(-1, 2)))
    if kind < 7:
        return rng.randrange(min(most, 300) + 1)
    return rng.randrange(most + 1)


def changed(rng, value):
    """The same octets but for a bit; or one more or fewer."""
    if not value or rng.randrange(16) == 0:
        return value + b"\x00" if rng.randrange(2) or not value else value[:-1]
    place = rng.randrange(8 * len(value))
    return value[:place // 8] + bytes((value[place // 8] ^ 1 << place % 8,)) + value[place // 8 + 1:]
