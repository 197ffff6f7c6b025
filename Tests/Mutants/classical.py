"""Faults in curves, RSA, AES-GCM, base64 and SHA-512, each of which a test of PureCrypto must notice: a name, a file, what stands there once, and what takes
its place. A fault for each rule by which something is refused, for exceptional cases of formulas, and for octets beyond an input. Those in a kernel
are noticed on processors that have its instructions."""

ECDSA = "ECDSA/ECDSA.swift"
SIGNATURE = "ECDSA/ECDSASignature.swift"
ARITHMETIC = "Curves/CurveArithmetic.swift"
OPERATIONS = "Curves/EllipticCurve.swift"
JACOBIAN_SUM = "Curves/JacobianSum.swift"
JACOBIAN = "Curves/JacobianPoint.swift"
PROJECTIVE = "Curves/ProjectivePoint+Multiplication.swift"

RANGES = "Scalar.isInRange(r) & Scalar.isInRange(s)"
TRIED = "guard r.isLess(than: Curve.excess).isYesVariableTime else { return false }"
CANONICAL = "Coordinate.isCanonical(x) & Coordinate.isCanonical(y) & isOnCurve"
COMPRESSED = "Coordinate.isCanonical(integer) & exists"
SAME_X = "if slope.r.isZero.isYesVariableTime { double() } else { self = JacobianSum() }"
SAME_AFFINE_X = "// Same x-coordinate: Q = P when the y-coordinates agree as well, else Q = −P.\n    return r.isZero.isYesVariableTime ? outOfLineDouble : .infinity"
LAST_DIGIT = "      var sum = high.homogeneous\n      sum.add(digit: 0, of: k, table)\n      return sum\n"
LAST_DIGIT_INCOMPLETE = """      let digit = k.boothDigit(0, width: windowWidth)
      high.addIncomplete(CurvePoint.maskedLookup(table, index: digit.magnitude), digit: digit)
      return high.homogeneous
"""
NONCE = "guard k.count == Curve.byteCount, Scalar.isInRange(Integer(bigEndian: k)).declassified,"
SECRET = "guard Curve.Scalar.isInRange(d).declassified else"

CURVES = [
    ("r of n and more", ECDSA, RANGES, "~r.isZero & Scalar.isInRange(s)"),
    ("s of n and more", ECDSA, RANGES, "Scalar.isInRange(r) & ~s.isZero"),
    ("r + n tried for every r", ECDSA, TRIED, "_ = r"),
    ("r + n never tried", ECDSA, "return sum.hasAffineX(Curve.Coordinate(r) + Curve.Coordinate(Scalar.modulus)).isYesVariableTime", "return false"),
    ("infinity verified", ECDSA, "guard !sum.isInfinity.isYesVariableTime else { return false }", "_ = sum"),
    ("s = 0 given out", ECDSA, "(~r.isZero & ~s.isZero).declassified", "(~r.isZero).declassified"),
    ("given nonce in no range", ECDSA, NONCE, "guard k.count == Curve.byteCount,"),
    ("given nonce of another length", ECDSA, NONCE, NONCE.replace("k.count ==", "k.count <=")),
    ("second octet string in DER", SIGNATURE, "try outer.finish()", "_ = outer"),
    ("third integer in DER", SIGNATURE, "try sequence.finish()", "_ = sequence"),
    ("raw signature too long", SIGNATURE, "guard bytes.count == 2 &*", "guard bytes.count >= 2 &*"),
    ("x of p and more", ARITHMETIC, CANONICAL, "Coordinate.isCanonical(y) & isOnCurve"),
    ("y of p and more", ARITHMETIC, CANONICAL, "Coordinate.isCanonical(x) & isOnCurve"),
    ("points beside the curve", ARITHMETIC, CANONICAL, "Coordinate.isCanonical(x) & Coordinate.isCanonical(y)"),
    ("x of p and more, compressed", ARITHMETIC, COMPRESSED, "exists"),
    ("any form of a point", ARITHMETIC, ", bytes.first == 0x04 else", " else"),
    ("any form of a compressed point", ARITHMETIC, "tag & 0xfe == 0x02", "tag & 0xfe < 0x10"),
    ("private key 0", OPERATIONS, SECRET, "guard Curve.Scalar.isCanonical(d).declassified else"),
    ("private key n", OPERATIONS, SECRET, "guard (~d.isZero).declassified else"),
    ("equal summands to infinity", JACOBIAN_SUM, SAME_X, "self = JacobianSum()"),
    ("opposite summands doubled", JACOBIAN_SUM, SAME_X, "double()"),
    ("first digit added to infinity", JACOBIAN_SUM, "sum = .select(z.isZero, JacobianSum(q), sum)", "_ = q"),
    ("digit 0 added", JACOBIAN_SUM, "self = .select(Mask(isZero: digit.magnitude), self, sum)", "self = sum"),
    ("digits without signs", JACOBIAN_SUM, "let q = q.negated(if: digit.isNegative)", "let q = q"),
    ("last digit by an incomplete sum", PROJECTIVE, LAST_DIGIT, LAST_DIGIT_INCOMPLETE),
    ("equal summands to infinity on P-256", JACOBIAN, SAME_AFFINE_X, "return .infinity"),
    ("opposite summands doubled on P-256", JACOBIAN, SAME_AFFINE_X, "return outOfLineDouble"),
]

POWER = "RSA/AnyRSAPublicKey+Operations.swift"
PRIVATE = "RSA/AnyRSAPrivateKey+Operations.swift"
KEY = "RSA/AnyRSAPublicKey.swift"
PSS = "RSA/PSSEncoding.swift"
OAEP = "RSA/OAEPEncoding.swift"
PKCS1 = "RSA/PKCS1Encoding.swift"
SMALL = "RSA/RSASmallPrimes.swift"
CANDIDATE = "RSA/RSAPrimeCandidate.swift"
PRIMALITY = "RSA/RSAPrimalityTest.swift"
NEW_KEY = "RSA/AnyRSAPrivateKey.swift"

BELOW = "guard withModulus({ n, _ in LimbRun.isLess(x, than: n.limbs, count: count) }).declassified else { return nil }"
MODULUS = "guard let first = n.first, let last = n.last, first != 0, last & 1 == 1 else"
EXPONENT = "guard let first = e.first, first != 0, e.count <= 4 else"
TRAILER = "guard encoding[byteCount &- 1] == 0xbc, encoding[0] & ~firstByteMask == 0 else"
LAST_PRIMES = "undivided(r3, primes, fourth.start..<end)"
ROUNDS = "var furtherRoundCount: Int { 2 }"
ZEROS = "guard data[..<(saltStart &- 1)].allSatisfy({ $0 == 0 }), data[saltStart &- 1] == 0x01 else"

RSA = [
    ("short signature", POWER, "guard input.count == byteCount else", "guard input.count <= byteCount else"),
    ("signature of n and more", POWER, BELOW, "_ = withModulus { n, _ in n.count }"),
    ("message longer than OAEP takes", POWER, "guard message.count <= OAEPEncoding.maximumByteCount(modulusByteCount: byteCount, padding: padding) else",
     "guard message.count <= OAEPEncoding.maximumByteCount(modulusByteCount: byteCount &+ 1, padding: padding) else"),
    ("PKCS #1 compared in length", POWER, "return ConstantTime.equal(UnsafeRawBufferPointer(encoded), UnsafeRawBufferPointer(expected))",
     "return encoded.count == expected.count"),
    ("even modulus", KEY, MODULUS, "guard let first = n.first, first != 0 else"),
    ("modulus with a leading zero", KEY, MODULUS, MODULUS.replace("first != 0, ", "")),
    ("any length of the modulus", KEY, "guard AnyRSAPublicKey.bitCounts.contains(bitCount) else", "guard bitCount > 1024 else"),
    ("even exponent", KEY, "guard exponent & 1 == 1, exponent >= 3 else", "guard exponent >= 3 else"),
    ("exponent 1", KEY, "guard exponent & 1 == 1, exponent >= 3 else", "guard exponent & 1 == 1 else"),
    ("exponent of 33 bits", KEY, EXPONENT, EXPONENT.replace("e.count <= 4", "e.count <= 5")),
    ("exponent with a leading zero", KEY, EXPONENT, EXPONENT.replace("first != 0, ", "first < 255, ")),
    ("PSS with any last octet", PSS, TRAILER, "guard encoding[0] & ~firstByteMask == 0 else"),
    ("PSS with bits beyond the modulus", PSS, TRAILER, "guard encoding[byteCount &- 1] == 0xbc else"),
    ("PSS with any octets for zeros", PSS, ZEROS, "guard data[saltStart &- 1] == 0x01 else"),
    ("PSS with any octet before the salt", PSS, ZEROS, "guard data[..<(saltStart &- 1)].allSatisfy({ $0 == 0 }) else"),
    ("PSS without its hash", PSS, "return hash(digest, salt: salt, function: function).elementsEqual(h)", "return hash(digest, salt: salt, function: function).count == h.count"),
    ("OAEP with any first octet", OAEP, "Mask(isZero: UInt64(encoded[0]))\n        & ", ""),
    ("OAEP with any octet before the message", OAEP, "isValid = isValid & (~isEnd | Mask(byte, equals: 1))", "_ = isEnd"),
    ("OAEP key of another length", PRIVATE, "let isValid = decoded.isValid & Mask(decoded.messageStart, equals: UInt64(truncatingIfNeeded: start))", "let isValid = decoded.isValid"),
    ("short ciphertext", PRIVATE, "guard input.count == publicKey.byteCount else", "guard input.count <= publicKey.byteCount else"),
    ("faulty result given out", PRIVATE, "return LimbRun.equality(blinded, x, count: count).declassified", "return true"),
    ("primes of the fourth product left out", SMALL, LAST_PRIMES, "undivided(r3, primes, fourth.start..<fourth.start)"),
    ("last prime of four products left out", SMALL, LAST_PRIMES, "undivided(r3, primes, fourth.start..<(end &- 1))"),
    ("every other group of small primes left out", SMALL, "index &+= 4\n", "index &+= 8\n"),
    ("small primes of the first group alone", SMALL, "if isDivided.declassified { return true }", "return isDivided.declassified"),
    ("prime squares taken for primes", SMALL, "var multiple = number &* number", "var multiple = number &* number &+ 2 &* number"),
    ("no division by small primes", CANDIDATE, "guard !RSASmallPrimes.shared.divide(p, count: count) else { return false }", "_ = p"),
    ("primes that are 1 mod e", CANDIDATE, "(~(Mask(isZero: remainder) | Mask(remainder, equals: publicExponent))).declassified", "remainder != 1"),
    ("no rounds after the first", CANDIDATE, ROUNDS, ROUNDS.replace("2", "0")),
    ("two rounds after the first", CANDIDATE, ROUNDS, ROUNDS.replace("2", "1")),
    ("one side of the further rounds", CANDIDATE, "if isLikely.second.declassified, isPrime(other, count: count, backend: backend) {",
     "if isLikely.second.declassified {"),
    ("second candidate taken by the first's test", PRIMALITY, "passes.second & two.isPlusOrMinusOne(product)", "passes.second & one.isPlusOrMinusOne(product)"),
    ("the last round alone", PRIMALITY, "passes.first = passes.first & one.isPlusOrMinusOne(product)", "passes.first = one.isPlusOrMinusOne(product)"),
    ("1 alone, and not −1", PRIMALITY, "return LimbRun.equality(a, word: 1, count: count) | LimbRun.equality(product, word: 1, count: count)",
     "return LimbRun.equality(a, word: 1, count: count)"),
    ("primes with the same highest limb", NEW_KEY, "isLessThan: 3)", "isLessThan: 0)"),
    ("primes with neighbouring highest limbs", NEW_KEY, "p[count &- 1] &- q[count &- 1] &+ 1, isLessThan: 3", "p[count &- 1] &- q[count &- 1], isLessThan: 1"),
]

GCM = "GCM/AESGCM.swift"
PORTABLE = "GCM/PortableGCM.swift"
GCM_KEY = "GCM/AESGCMKey.swift"
AESNI = "../Kernels/PureCryptoKernels/GCMKernel.swift"
BLOCK_LENGTHS = "SIMD2(Int64(truncatingIfNeeded: count) &<< 3, Int64(truncatingIfNeeded: dataCount) &<< 3)"
PART = "UnsafeRawBufferPointer(start: bytes, count: count)) }\n    return block"

AES_GCM = [
    ("any tag", GCM, "guard isAuthentic.declassified else", "guard isAuthentic.declassified || true else"),
    ("plaintext left after a wrong tag", GCM, "      wipe(output)\n", ""),
    ("message longer than the standard takes", GCM, "UInt64(message) <= 1 << 36 - 32", "UInt64(message) <= 1 << 36"),
    ("data longer than the standard takes", GCM, "UInt64(additionalAuthenticatedData) < 1 << 61", "UInt64(additionalAuthenticatedData) <= 1 << 61"),
    ("lengths of 13 bits for data", PORTABLE, "UInt64(message.dataCount) &<< 3", "UInt64(message.dataCount & 0x1fff) &<< 3"),
    ("lengths of 17 bits for messages", PORTABLE, "UInt64(message.count) &<< 3", "UInt64(message.count & 0x1ffff) &<< 3"),
    ("lengths of 16 bits for vectors", GCM_KEY, "SIMD2(0, UInt64(count) &<< 3)", "SIMD2(0, UInt64(count & 0xffff) &<< 3)"),
    ("lengths of 32 bits for data, by instructions", AESNI, BLOCK_LENGTHS, BLOCK_LENGTHS.replace("Int64(truncatingIfNeeded: dataCount)", "Int64(truncatingIfNeeded: dataCount & 0x1fff_ffff)")),
    ("lengths of 17 bits for messages, by instructions", AESNI, BLOCK_LENGTHS, BLOCK_LENGTHS.replace("Int64(truncatingIfNeeded: count)", "Int64(truncatingIfNeeded: count & 0x1ffff)")),
    ("octets read beyond a message", AESNI, PART, PART.replace("count: count", "count: 16").replace("return block", "return commonBits(block, leadingBytes(count))")),
]

VECTORS = "Base64/Base64Vectors.swift"
AVX2 = "../Kernels/PureCryptoKernelsAVX2/Base64AVX2.swift"

BASE64 = [
    ("four octets read beyond the input", AVX2, "if rest >= 28 {", "if rest >= 24 {"),
    ("four octets read beyond the input, two vectors", AVX2, "while rest >= 52 {", "while rest >= 48 {"),
    ("octets written beyond the output", AVX2, "if rest >= 43 {", "if rest >= 42 {"),
    ("an octet read beyond the input", VECTORS, "while read &+ 13 <= bytes.count {", "while read &+ 12 <= bytes.count {"),
    ("unused bits", VECTORS, "return ~(halves[0] & halves[1]) | unused", "return ~(halves[0] & halves[1])"),
    ("foreign characters", VECTORS, "return ~(halves[0] & halves[1]) | unused", "return unused"),
]

KECCAK = "../Kernels/PureCryptoKernelsAVX2/KeccakBMI2.swift"
SPONGE = "SHA3/KeccakSponge.swift"
SHA512 = "../Kernels/PureCryptoKernelsAVX2/SHA512AVX2.swift"

ARGON2 = "../Kernels/PureCryptoKernelsAVX2/Argon2AVX2.swift"
SEGMENT = "Argon2/Argon2Segment.swift"
MEMORY = "Argon2/Argon2Memory.swift"
BLAKE2 = "Argon2/BLAKE2b.swift"
COSTS = "(1...1 << 10).contains(laneCount),\n      (8 &* laneCount...maximumKibibyteCount).contains(kibibyteCount)"

ARGON2ID = [
    ("the block before the next one referred to", SEGMENT, "others &+ index &- 1 :", "others &+ index :"),
    ("the last block of another lane's segment referred to", SEGMENT, "index == 0 ? others &- 1 : others", "others"),
    ("the window begins at the oldest block of the memory", SEGMENT, "pass == 0 || slice == 3 ? 0", "true ? 0"),
    ("addresses of the second quarter depend on data", SEGMENT, "pass == 0 && slice < 2 }", "pass == 0 && slice < 1 }"),
    ("addresses of a lane's first segment skip none", SEGMENT, "pass == 0 && slice == 0 ? 2 : 0", "0"),
    ("one block of addresses for all", SEGMENT, "blockCount == 0 || index & 127 == 0", "blockCount == 0"),
    ("later passes forget what is there", MEMORY, "keepsOld: segment.pass > 0", "keepsOld: false"),
    ("the last lane left out of the sum", MEMORY, "1..<max(1, layout.laneCount)", "1..<max(1, layout.laneCount - 1)"),
    ("a long hash ends a link too early", MEMORY, "guard rest > 64 else {\n          hash.finalize", "guard rest > 96 else {\n          hash.finalize"),
    ("a block is taken in an octet too early", BLAKE2, "if pendingCount == 128 {", "if pendingCount >= 127 {"),
    ("memory given back as it is", MEMORY, "    wipe(blocks)\n", ""),
    ("the last block is not marked", BLAKE2, "compress(isLast: true)", "compress(isLast: false)"),
    ("4 KiB of memory for each lane", "Argon2/Argon2id.swift", COSTS, COSTS.replace("8 &*", "4 &*")),
    ("salts of any length", "Argon2/Argon2id.swift", ", inputs.salt.count >= 8 else", " else"),
    ("what is there is lost on AVX2", ARGON2, "let kept = Vector(kept, kept, kept, kept)", "let kept = Vector.zero"),
    ("a diagonal of AVX2 turned the other way", ARGON2, "(d0, d1) = (crossed(d1, d0), crossed(d0, d1))\n      mix", "(d0, d1) = (crossed(d0, d1), crossed(d1, d0))\n      mix"),
]

HASHES = [
    ("a block read beyond an odd number", SHA512, "let second = rest > 1 ? blocks + 128 : blocks", "let second = blocks + 128"),
    ("last block of an odd number taken in twice", SHA512, "      if rest == 1 { break }\n", ""),
    ("a pair of rounds left out of Keccak on BMI2", KECCAK, "for pair in 0..<12", "for pair in 0..<11"),
    ("a rotation of Keccak on BMI2 one off", KECCAK, "let d1 = c0 ^ rotated(c2, 1)", "let d1 = c0 ^ rotated(c2, 2)"),
    ("a word of a whole block left out", SPONGE, "wordCount: rate &>> 3)", "wordCount: rate &>> 3 &- 1)"),
    ("whole blocks taken in within a block", SPONGE, "if position == 0, bytes.count", "if bytes.count"),
    ("a word of the schedule not expanded", SHA512, "expand(&w6, w8, w14, w0, w4)", "_ = 0"),
]

# What the tests are called that must notice.
GROUPS = [
    (r"PureCryptoTests\.(OrderEdge|EqualSummands|PointImport|Signature|PrimeCurveKey|P256Key|ProjectivePoint|PointTests|RFC6979)", CURVES),
    (r"PureCryptoTests\.(RSA|UnequalPrimes)", RSA),
    (r"PureCryptoTests\.(AESGCM|GCM)", AES_GCM),
    (r"PureCryptoTests\.Base64", BASE64),
    (r"PureCryptoTests\.(SHA2|SHA3)", HASHES),
    (r"PureCryptoTests\.(Argon2id|BLAKE2b)", ARGON2ID),
]
