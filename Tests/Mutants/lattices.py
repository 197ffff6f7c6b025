"""Faults in ML-DSA, ML-KEM and the KEMs made of it, each of which a test of the package must notice: a name, a file of PureCrypto, what stands there once, and
what takes its place. A fault for each rule by which something is refused or tried again."""

VERIFICATION = "Lattices/MLDSA/MLDSAVerificationKey.swift"
HINTS = "Lattices/MLDSA/MLDSAHints.swift"
ROUNDING = "Lattices/MLDSA/MLDSAPolynomial+Rounding.swift"
SAMPLING = "Lattices/MLDSA/MLDSAPolynomial+Sampling.swift"
SIGNING = "Lattices/MLDSA/MLDSAExpandedKey+Signing.swift"
EXPANSION = "Lattices/MLDSA/MLDSAExpandedKey.swift"
SIGNING_KEY = "Lattices/MLDSA/MLDSASigningKey.swift"
ENCAPSULATION_KEY = "Lattices/MLKEM/MLKEMPublicKey.swift"
DECAPSULATION_KEY = "Lattices/MLKEM/MLKEMDecapsulationKey.swift"
KEM_KEY = "Lattices/MLKEM/MLKEMPrivateKey.swift"
KEM_CODING = "Lattices/MLKEM/MLKEMPolynomial+Coding.swift"
KEM_SAMPLING = "Lattices/MLKEM/MLKEMPolynomial+Sampling.swift"
HYBRID_CURVE = "Lattices/LatticeKEM/HybridCurve.swift"
HYBRID_PUBLIC_KEY = "Lattices/LatticeKEM/LatticeKEMPublicKey.swift"
HYBRID_PRIVATE_KEY = "Lattices/LatticeKEM/LatticeKEMPrivateKey.swift"
X25519 = "Keys/X25519PrivateKey.swift"

BOUND = "return isWithin(parameterSet.gamma1 &- parameterSet.beta)"
DECODED = "guard z[column].decode(response, at: column, parameterSet).isYesVariableTime else { return }"
COMPARISON = "return ConstantTime.equal(commitment, UnsafeRawBufferPointer(own))"
UNPACKED = "{ row, place in hints[row].coefficients[place] = 1 })"
LENGTHS = "guard signature.count == parameterSet.signatureByteCount, mu.count == MLDSAParameterSet.digestByteCount else {"

VERIFY = [
    ("public key with octets too many", VERIFICATION, "guard bytes.count == parameterSet.publicKeyByteCount", "guard bytes.count >= parameterSet.publicKeyByteCount"),
    ("context of 256 octets", VERIFICATION, "context.count <= 255", "context.count <= 256"),
    ("HashML-DSA's domain", VERIFICATION, "sponge.update(0)", "sponge.update(1)"),
    ("no length of the context", VERIFICATION, "sponge.update(UInt8(truncatingIfNeeded: context.count))", "sponge.update(0)"),
    ("signature with octets too many", VERIFICATION, LENGTHS, LENGTHS.replace("signature.count ==", "signature.count >=")),
    ("digest with octets too many", VERIFICATION, LENGTHS, LENGTHS.replace("mu.count ==", "mu.count >=")),
    ("digest with octets too few", VERIFICATION, LENGTHS, LENGTHS.replace("mu.count ==", "mu.count <=")),
    ("form of hints not asked for", VERIFICATION, UNPACKED, UNPACKED + " || true"),
    ("z without a bound", VERIFICATION, DECODED, "_ = z[column].decode(response, at: column, parameterSet)"),
    ("bound of z for the first polynomial only", VERIFICATION, DECODED, DECODED.replace(" else", " || column > 0 else")),
    ("bound of z for all but the first polynomial", VERIFICATION, DECODED, DECODED.replace(" else", " || column == 0 else")),
    ("bound of z for all but the last polynomial", VERIFICATION, DECODED, DECODED.replace(" else", " || column == columns &- 1 else")),
    ("bound of z raised by one", VERIFICATION, BOUND, BOUND[:-1] + " &+ 1)"),
    ("bound of z lowered by one", VERIFICATION, BOUND, BOUND[:-1] + " &- 1)"),
    ("bound of z without beta", VERIFICATION, BOUND, "return isWithin(parameterSet.gamma1)"),
    ("no hints used", VERIFICATION, "w[row].correctVariableTime(hints[row], parameterSet.rounding)", "w[row].takeHighBits(parameterSet.rounding)"),
    ("challenge added", VERIFICATION, "w[row].subtract(product)", "w[row].add(product)"),
    ("any commitment", VERIFICATION, COMPARISON, "return commitment.count == own.count"),
    ("last octet of the commitment not compared", VERIFICATION, COMPARISON,
     "return ConstantTime.equal(UnsafeRawBufferPointer(rebasing: commitment.dropLast()), UnsafeRawBufferPointer(rebasing: own.dropLast()))"),
    ("first octet of the commitment not compared", VERIFICATION, COMPARISON,
     "return ConstantTime.equal(UnsafeRawBufferPointer(rebasing: commitment.dropFirst()), UnsafeRawBufferPointer(rebasing: own.dropFirst()))"),
]

RISING = "if index > first, bytes[index &- 1] >= bytes[index] { return false }"
COUNTS = "guard index <= end, end <= omega else"
PADDING = "return bytes[index..<omega].allSatisfy { $0 == 0 }"

UNPACK = [
    ("counts of hints that fall", HINTS, COUNTS, "guard end <= omega else"),
    ("counts of hints beyond omega", HINTS, COUNTS, "guard index <= end else"),
    ("omega + 1 hints", HINTS, COUNTS, "guard index <= end, end <= omega &+ 1 else"),
    ("omega hints refused", HINTS, COUNTS, "guard index <= end, end < omega else"),
    ("places in any order", HINTS, RISING, RISING.replace(">=", "==")),
    ("places repeated", HINTS, RISING, RISING.replace(">=", ">")),
    ("first two places of a polynomial in any order", HINTS, RISING, RISING.replace("index > first", "index > first &+ 1")),
    ("places that must rise from one polynomial to the next", HINTS, RISING, RISING.replace("index > first", "index > 0")),
    ("anything after the last hint", HINTS, PADDING, "return true"),
    ("anything directly after the last hint", HINTS, PADDING, "return bytes[index..<omega].dropFirst().allSatisfy { $0 == 0 }"),
    ("anything in the last octet of the places", HINTS, PADDING, "return bytes[index..<omega].dropLast().allSatisfy { $0 == 0 }"),
    ("a hint points up where the low bits are zero", ROUNDING, "if lowBits(c, rounding, 0) > 0 {", "if lowBits(c, rounding, 0) >= 0 {"),
    ("a hint beyond the last high bits", ROUNDING, "c1 == last ? 0 : c1 &+ 1", "c1 &+ 1"),
    ("a hint below zero", ROUNDING, "c1 == 0 ? last : c1 &- 1", "c1 == 0 ? 0 : c1 &- 1"),
]

Z = "isHidden = isHidden & y[column].isWithin(parameterSet.gamma1 &- parameterSet.beta)"
R0 = "isHidden = isHidden & w[row].hasLowBits(within: rounding.gamma2 &- parameterSet.beta, rounding)"
CT0 = "isShort = isShort & product.isWithin(rounding.gamma2)"
ROOM = "UInt64(truncatingIfNeeded: parameterSet.maximumHintCount &+ 1)"

SIGN = [
    ("nonce that grows by one", SIGNING, "nonce &+= parameterSet.columnCount", "nonce &+= 1"),
    ("nonce that stays below the next try's", SIGNING, "nonce &+= parameterSet.columnCount", "nonce &+= parameterSet.columnCount &- 1"),
    ("randomness after the digest", SIGNING, "sponge.write(randomness, mu, to: seed)", "sponge.write(mu, randomness, to: seed)"),
    ("signing: z without a bound", SIGNING, Z, Z.replace("gamma1 &- parameterSet.beta", "gamma1 &+ 1")),
    ("signing: bound of z raised by one", SIGNING, Z, Z[:-1] + " &+ 1)"),
    ("signing: bound of z lowered by one", SIGNING, Z, Z[:-1] + " &- 1)"),
    ("signing: bound of z for the last polynomial only", SIGNING, Z, Z.replace("isHidden & ", "")),
    ("signing: bound of z for the first polynomial only", SIGNING, Z, "if column == 0 { " + Z + " }"),
    ("signing: bound of z for all but the last polynomial", SIGNING, Z, "if column < columns &- 1 { " + Z + " }"),
    ("signing: low bits without a bound", SIGNING, R0, R0.replace("gamma2 &- parameterSet.beta", "gamma2 &+ 1")),
    ("signing: bound of the low bits raised by one", SIGNING, R0, R0.replace("beta,", "beta &+ 1,")),
    ("signing: bound of the low bits lowered by one", SIGNING, R0, R0.replace("beta,", "beta &- 1,")),
    ("signing: bound of the low bits for the first polynomial only", SIGNING, R0, "if row == 0 { " + R0 + " }"),
    ("signing: bound of the low bits for all but the last polynomial", SIGNING, R0, "if row < rows &- 1 { " + R0 + " }"),
    ("signing: the last polynomial's low bits decide alone", SIGNING, R0, R0.replace("isHidden & ", "")),
    ("signing: c t0 without a bound", SIGNING, CT0, "_ = product.isWithin(rounding.gamma2)"),
    ("signing: omega + 1 hints", SIGNING, ROOM, ROOM.replace("&+ 1", "&+ 2")),
    ("signing: omega hints refused", SIGNING, ROOM, ROOM.replace(" &+ 1", "")),
    ("signing: any number of hints", SIGNING, ROOM, "UInt64.max"),
    ("no k and l in the expansion of a seed", EXPANSION, "(UInt8(truncatingIfNeeded: rows), UInt8(truncatingIfNeeded: columns))", "(UInt8(0), UInt8(0))"),
    ("k and l in the wrong order", EXPANSION, "(UInt8(truncatingIfNeeded: rows), UInt8(truncatingIfNeeded: columns))",
     "(UInt8(truncatingIfNeeded: columns), UInt8(truncatingIfNeeded: rows))"),
    ("q accepted in the matrix of ML-DSA", SAMPLING, "return candidate < Self.q ?", "return candidate <= Self.q ?"),
    ("private coefficients of a candidate too many, eta = 2", SAMPLING, "eta == 2 ? 15 : 9", "eta == 2 ? 16 : 9"),
    ("private coefficients of a candidate too many, eta = 4", SAMPLING, "eta == 2 ? 15 : 9", "eta == 2 ? 15 : 10"),
    ("digest to sign with octets too many", SIGNING_KEY, "guard externalMu.count == ", "guard externalMu.count >= "),
    ("digest to sign with octets too few", SIGNING_KEY, "guard externalMu.count == ", "guard externalMu.count <= "),
    ("seed of ML-DSA with octets too many", SIGNING_KEY, "guard seed.count == ", "guard seed.count >= "),
]

CANONICAL = "isCanonical = isCanonical & "
HASH = "publicKey.digest.elementsEqual(bytes[hash..<(hash &+ 32)])"
BOTH = "guard isCanonical.declassified, " + HASH + " else {"
EQUAL = "ConstantTime.equality(ciphertext, UnsafeRawBufferPointer(again))"
ACCEPTED = "isRight.select(secret[index], rejection[index])"

KEM = [
    ("encapsulation key with octets too many", ENCAPSULATION_KEY, "guard bytes.count == parameterSet.publicKeyByteCount", "guard bytes.count >= parameterSet.publicKeyByteCount"),
    ("coefficients of an encapsulation key not looked at", ENCAPSULATION_KEY, "guard isCanonical.isYesVariableTime else", "guard isCanonical.isYesVariableTime || true else"),
    ("the last polynomial of an encapsulation key decides alone", ENCAPSULATION_KEY, CANONICAL + "t[row]", "isCanonical = t[row]"),
    ("3329 accepted as a coefficient", KEM_CODING, "coefficients[index] &- Self.q }", "coefficients[index] &- Self.q &- 1 }"),
    ("3328 refused as a coefficient", KEM_CODING, "coefficients[index] &- Self.q }", "coefficients[index] &- Self.q &+ 1 }"),
    ("3329 accepted in the matrix of ML-KEM", KEM_SAMPLING, "candidate < Self.q ?", "candidate <= Self.q ?"),
    ("no k in the expansion of a seed", DECAPSULATION_KEY, "withUnsafeBytes(of: UInt8(truncatingIfNeeded: parameterSet.rank))", "withUnsafeBytes(of: UInt8(0))"),
    ("expanded key with octets too many", DECAPSULATION_KEY, "guard bytes.count == parameterSet.expandedKeyByteCount", "guard bytes.count >= parameterSet.expandedKeyByteCount"),
    ("coefficients of an expanded key not looked at", DECAPSULATION_KEY, BOTH, "guard " + HASH + " else {"),
    ("the last polynomial of an expanded key decides alone", DECAPSULATION_KEY, CANONICAL + "s[index]", "isCanonical = s[index]"),
    ("hash in an expanded key not compared", DECAPSULATION_KEY, BOTH, "guard isCanonical.declassified else {"),
    ("last octet of the hash in an expanded key not compared", DECAPSULATION_KEY, HASH, "publicKey.digest.dropLast().elementsEqual(bytes[hash..<(hash &+ 31)])"),
    ("first octet of the hash in an expanded key not compared", DECAPSULATION_KEY, HASH,
     "publicKey.digest.dropFirst().elementsEqual(bytes[(hash &+ 1)..<(hash &+ 32)])"),
    ("no implicit rejection", DECAPSULATION_KEY, ACCEPTED, ACCEPTED.replace("isRight", "Mask.yes")),
    ("zeros for a wrong ciphertext", DECAPSULATION_KEY, ACCEPTED, ACCEPTED.replace("rejection[index]", "0")),
    ("last octet of the ciphertext not compared", DECAPSULATION_KEY, EQUAL,
     "ConstantTime.equality(UnsafeRawBufferPointer(rebasing: ciphertext.dropLast()), UnsafeRawBufferPointer(rebasing: again.dropLast()))"),
    ("first octet of the ciphertext not compared", DECAPSULATION_KEY, EQUAL,
     "ConstantTime.equality(UnsafeRawBufferPointer(rebasing: ciphertext.dropFirst()), UnsafeRawBufferPointer(rebasing: again.dropFirst()))"),
    ("ciphertext left out of the secret of a wrong one", DECAPSULATION_KEY, "write($0, ciphertext, to: rejection)", "write($0, $0, to: rejection)"),
    ("ciphertext with octets too many", KEM_KEY, "guard bytes.count == publicKey.parameterSet.ciphertextByteCount", "guard bytes.count >= publicKey.parameterSet.ciphertextByteCount"),
    ("seed of ML-KEM with octets too many", KEM_KEY, "guard seed.count == ", "guard seed.count >= "),
    ("X-Wing refuses a point of small order", HYBRID_CURVE, "takingSmallOrder ? key.agreement(with: point).sharedSecret : ", ""),
    ("X-Wing encapsulates to a point of small order", HYBRID_PUBLIC_KEY, "takingSmallOrder: false", "takingSmallOrder: true"),
    ("the last candidate for a scalar counts", HYBRID_CURVE, "isInRange.select(candidate[index], chosen[index])",
     "isInRange.select(chosen[index], isInRange.select(candidate[index], chosen[index]))"),
    ("the first candidate for a scalar counts, in range or not", HYBRID_CURVE, "isInRange.select(candidate[index], chosen[index])", "candidate[index]"),
    ("the point in a hybrid's key is not looked at", HYBRID_PUBLIC_KEY, "try hybrid.curve.validate(point)", "_ = hybrid"),
    ("octets behind a key of ML-KEM alone", HYBRID_PUBLIC_KEY, "} else if !point.isEmpty {", "} else if false {"),
    ("no label in the secret", HYBRID_PUBLIC_KEY, 'Array((kem.hybrid?.label ?? "").utf8)', "[]"),
    ("the recipient's point is left out of the secret", HYBRID_PUBLIC_KEY, "for part in [ephemeral, point, ", "for part in [ephemeral, "),
    ("the sender's point is left out of the secret", HYBRID_PUBLIC_KEY, "for part in [ephemeral, point, ", "for part in [point, "),
    ("ciphertext of a hybrid with octets too many", HYBRID_PRIVATE_KEY, "guard ciphertext.count == ", "guard ciphertext.count >= "),
    ("seed of a hybrid with octets too many", HYBRID_PRIVATE_KEY, "guard seed.count == ", "guard seed.count >= "),
    ("X25519 takes a point of small order", X25519, "guard !isZero.declassified else", "guard !isZero.declassified || true else"),
]

KEY_FILES = [
    ("expanded key beside a seed not compared", "KeyFiles/PrivateKeyFile.swift", "ConstantTime.equal($0, expandedKey)", "ConstantTime.equal($0, expandedKey) || true"),
    ("anything after the two forms of a key", "KeyFiles/PrivateKeyFile.swift", "try both.finish()", "_ = both"),
    ("anything after the form of a key", "KeyFiles/PrivateKeyFile.swift", "try choice.finish()", "_ = choice"),
]

MUTANTS = VERIFY + UNPACK + SIGN + KEM + KEY_FILES
