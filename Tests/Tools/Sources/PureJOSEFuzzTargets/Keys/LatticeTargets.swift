import PureCrypto

extension FuzzTarget {
  static let latticeTargets = [mlkemPublicKey, mlkemCiphertext, mldsaPublicKey, mldsaSignature, xwing, latticeKEM]

  /// A number of the input's first octet, which chooses a parameter set.
  private static func choice<Value>(_ input: [UInt8], _ values: [Value]) -> Value {
    values[Int(input.first ?? 0) % values.count]
  }

  private static func seed(byteCount: Int) -> SecretBytes {
    SecretBytes(copying: (0..<byteCount).map { UInt8(truncatingIfNeeded: $0) })
  }

  /// Keys for encapsulation: what is accepted has coefficients below q, and survives being written.
  private static let mlkemPublicKey = FuzzTarget(
    "ml-kem-public-key", maximumByteCount: 1 + 1568,
    seeds: { _ in
      try kemSets.enumerated().map { number, set in
        [UInt8(number)] + (try MLKEMPrivateKey(set, seed: seed(byteCount: 64))).publicKey.rawRepresentation
      }
    },
    run: { input in
      guard let key = try? MLKEMPublicKey(choice(input, kemSets), rawRepresentation: input.dropFirst()) else {
        return false
      }
      try require(key.rawRepresentation.elementsEqual(input.dropFirst()), "a key is written as it is read")
      // Two coefficients of 12 bits in each three octets, before the 32 of the matrix's seed (FIPS 203, 7.2).
      let octets = key.rawRepresentation.dropLast(32).map(UInt16.init)
      for index in stride(from: 0, to: octets.count, by: 3) {
        let pair = (octets[index] | (octets[index + 1] & 15) << 8, octets[index + 1] >> 4 | octets[index + 2] << 4)
        try require(pair.0 < 3329 && pair.1 < 3329, "every coefficient is below q")
      }
      let made = key.encapsulate()
      try require(made.sharedSecret.count == 32, "a shared secret has 32 octets")
      return true
    })

  /// Ciphertexts: one of the right length opens to some secret, always the same one, and only the true one to the true
  /// secret.
  private static let mlkemCiphertext = FuzzTarget(
    "ml-kem-ciphertext", maximumByteCount: 1 + 1568,
    seeds: { _ in
      try kemSets.enumerated().map { number, set in
        [UInt8(number)] + (try MLKEMPrivateKey(set, seed: seed(byteCount: 64))).publicKey.encapsulate().ciphertext
      }
    },
    run: { input in
      let set = choice(input, kemSets)
      let key = try MLKEMPrivateKey(set, seed: seed(byteCount: 64))
      let ciphertext = input.dropFirst()
      guard let secret = try? key.decapsulate(ciphertext) else {
        try require(ciphertext.count != key.publicKey.encapsulate().ciphertext.count, "only the length is refused")
        return false
      }
      let octets = secret.withUnsafeBytes(Array.init)
      try require(octets.count == 32, "a shared secret has 32 octets")
      try require(
        try key.decapsulate(ciphertext).withUnsafeBytes(Array.init) == octets, "the secret is always the same")
      var other = Array(ciphertext)
      other[other.count / 2] ^= 1
      try require(
        try key.decapsulate(other).withUnsafeBytes(Array.init) != octets, "another ciphertext, another secret")
      return true
    })

  /// Keys of ML-DSA: any octets of the right number are one, and survive being written.
  private static let mldsaPublicKey = FuzzTarget(
    "ml-dsa-public-key", maximumByteCount: 1 + 2592,
    seeds: { _ in
      try signatureSets.enumerated().map { number, set in
        [UInt8(number)] + (try MLDSASigningKey(set, seed: seed(byteCount: 32))).publicKey.rawRepresentation
      }
    },
    run: { input in
      let set = choice(input, signatureSets)
      guard let key = try? MLDSAVerificationKey(set, rawRepresentation: input.dropFirst()) else { return false }
      try require(key.rawRepresentation.elementsEqual(input.dropFirst()), "a key is written as it is read")
      let foreign = try MLDSASigningKey(set, seed: seed(byteCount: 32))
      if key != foreign.publicKey {
        let signature = try foreign.signature(for: [1, 2, 3], deterministically: true)
        try require(!key.isValidSignature(signature, for: [1, 2, 3]), "a foreign signature is refused")
      }
      return true
    })

  /// Signatures: strong unforgeability says that of one message and key nothing but what the signer made is accepted.
  private static let mldsaSignature = FuzzTarget(
    "ml-dsa-signature", maximumByteCount: 1 + 4627,
    seeds: { _ in
      try signatureSets.enumerated().map { number, set in
        [UInt8(number)]
          + (try MLDSASigningKey(set, seed: seed(byteCount: 32)).signature(for: [1, 2, 3], deterministically: true))
      }
    },
    run: { input in
      let key = try MLDSASigningKey(choice(input, signatureSets), seed: seed(byteCount: 32))
      let given = Array(input.dropFirst())
      guard key.publicKey.isValidSignature(given, for: [1, 2, 3]) else { return false }
      let made = try key.signature(for: [1, 2, 3], deterministically: true)
      try require(given == made, "nothing is accepted but what was signed")
      return true
    })

  /// Public keys and ciphertexts of X-Wing, one after the other.
  private static let xwing = FuzzTarget(
    "x-wing", maximumByteCount: 1216 + 1120,
    seeds: { _ in
      let key = try XWingPrivateKey(seed: seed(byteCount: 32))
      return [key.publicKey.rawRepresentation + (try key.publicKey.encapsulate().ciphertext)]
    },
    run: { input in
      let key = try XWingPrivateKey(seed: seed(byteCount: 32))
      var isAccepted = false
      if let read = try? XWingPublicKey(rawRepresentation: input.prefix(1216)) {
        try require(read.rawRepresentation.elementsEqual(input.prefix(1216)), "a key is written as it is read")
        _ = try? read.encapsulate()
        isAccepted = true
      }
      if let secret = try? key.decapsulate(input.dropFirst(1216)) {
        try require(secret.count == 32, "a shared secret has 32 octets")
        isAccepted = true
      }
      return isAccepted
    })

  /// Public keys and encapsulated keys of the KEMs of HPKE: what is accepted survives being written, and what the
  /// recipient learns is the same each time.
  private static let latticeKEM = FuzzTarget(
    "lattice-kem", maximumByteCount: 2 + 1665,
    seeds: { _ in
      try LatticeKEM.allCases.enumerated().flatMap { number, kem in
        let key = try LatticeKEMPrivateKey(kem, seed: seed(byteCount: kem.seedByteCount)).publicKey
        return [
          [UInt8(number), 0] + key.rawRepresentation, [UInt8(number), 1] + (try key.encapsulate().ciphertext),
        ]
      }
    },
    run: { input in
      let (kem, rest) = (choice(input, LatticeKEM.allCases), Array(input.dropFirst(2)))
      if (input.dropFirst().first ?? 0) & 1 == 0 {
        guard let read = try? LatticeKEMPublicKey(kem, rawRepresentation: rest) else { return false }
        try require(read.rawRepresentation == rest, "a key is written as it is read")
        _ = try? read.encapsulate()
        return true
      }
      let key = try LatticeKEMPrivateKey(kem, seed: seed(byteCount: kem.seedByteCount))
      guard let secret = try? key.decapsulate(rest) else {
        let hasPoint = kem == .mlKEM768P256 || kem == .mlKEM1024P384
        try require(
          rest.count != kem.ciphertextByteCount || hasPoint, "of the right length only what is no point is refused")
        return false
      }
      try require(secret.count == 32, "a shared secret has 32 octets")
      try require(
        try key.decapsulate(rest).withUnsafeBytes(Array.init) == secret.withUnsafeBytes(Array.init),
        "the secret is always the same")
      return true
    })

  private static let kemSets: [MLKEMParameterSet] = [.mlKEM768, .mlKEM1024]
  private static let signatureSets: [MLDSAParameterSet] = [.mlDSA44, .mlDSA65, .mlDSA87]
}
