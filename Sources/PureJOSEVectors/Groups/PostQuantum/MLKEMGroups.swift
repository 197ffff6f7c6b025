import PureCrypto

/// Decapsulation with a seed.
struct MLKEMDecapsulationGroup: PlainMLKEMGroup {
  let parameterSet: MLKEMParameterSet

  func run(_ test: MemberReader) throws -> Verdict {
    let seed = try test.octets("seed")
    let publicKey = try test.octets(ifPresent: "ek")
    let ciphertext = try test.octets("c")
    let secret = try test.octets("K")
    let key = try MLKEMPrivateKey(parameterSet, seed: SecretBytes(copying: seed))
    let own = try key.decapsulate(ciphertext)
    guard publicKey == nil || publicKey == key.publicKey.rawRepresentation else {
      return .wrong("the public key differs")
    }
    return .accepted(if: own.octets == secret, otherwise: "the secret differs")
  }
}

/// Encapsulation with a given message.
struct MLKEMEncapsulationGroup: PlainMLKEMGroup {
  let parameterSet: MLKEMParameterSet

  func run(_ test: MemberReader) throws -> Verdict {
    let (message, encoded) = (try test.mlKEMMessage("m"), try test.octets("ek"))
    let (ciphertext, secret) = (try test.octets("c"), try test.octets("K"))
    let key = try MLKEMPublicKey(parameterSet, rawRepresentation: encoded)
    guard key.rawRepresentation == encoded else { return .wrong("the key is written in another way") }
    let made = key.encapsulate(SecretBytes(copying: message))
    return .accepted(
      if: made.ciphertext == ciphertext && made.sharedSecret.octets == secret, otherwise: "the outputs differ")
  }
}

/// Seeds and what they expand to.
struct MLKEMKeyGroup: PlainMLKEMGroup {
  let parameterSet: MLKEMParameterSet

  func run(_ test: MemberReader) throws -> Verdict {
    let seed = SecretBytes(copying: try test.octets("seed"))
    let (encapsulationKey, decapsulationKey) = (try test.octets("ek"), try test.octets("dk"))
    let key = try MLKEMPrivateKey(parameterSet, seed: seed)
    return .accepted(
      if: key.publicKey.rawRepresentation == encapsulationKey
        && key.expanded.expandedRepresentation.octets == decapsulationKey, otherwise: "a key differs")
  }
}

/// Decapsulation with expanded keys, right and wrong ones, whose public half and secret are stated.
struct MLKEMExpandedKeyGroup: PlainMLKEMGroup {
  let parameterSet: MLKEMParameterSet

  func run(_ test: MemberReader) throws -> Verdict {
    let (expanded, publicKey) = (try test.octets("dk"), try test.octets("ek"))
    let ciphertext = try test.octets("c")
    let secret = try test.octets(ifPresent: "K")
    let key = try MLKEMDecapsulationKey(parameterSet, expandedRepresentation: expanded)
    let own = try unsafe ciphertext.withUnsafeBytes { try unsafe key.decapsulate(bytes: $0) }
    guard key.publicKey.rawRepresentation == publicKey else { return .wrong("the public key differs") }
    return .accepted(if: own.octets == secret, otherwise: "the secret differs")
  }
}

/// Wycheproof's decapsulation with expanded keys. Some tests state only whether key and ciphertext are right.
struct WycheproofMLKEMExpandedKeyGroup: PlainMLKEMGroup {
  let parameterSet: MLKEMParameterSet

  func run(_ test: MemberReader) throws -> Verdict {
    let (expanded, ciphertext) = (try test.octets("dk"), try test.octets("c"))
    let (publicKey, secret) = (try test.octets(ifPresent: "ek"), try test.octets(ifPresent: "K"))
    let key = try MLKEMDecapsulationKey(parameterSet, expandedRepresentation: expanded)
    let own = try unsafe ciphertext.withUnsafeBytes { try unsafe key.decapsulate(bytes: $0) }
    if let publicKey, key.publicKey.rawRepresentation != publicKey { return .wrong("the public key differs") }
    if let secret, own.octets != secret { return .wrong("the secret differs") }
    return .accepted
  }
}

extension MemberReader {
  /// The message that an encapsulation is made of.
  func mlKEMMessage(_ name: String) throws(VectorFault) -> [UInt8] {
    let message = try octets(name)
    guard message.count == MLKEMParameterSet.secretByteCount else {
      throw .malformed("member \(name) is not \(MLKEMParameterSet.secretByteCount) octets long")
    }
    return message
  }

  /// The parameter set that a group names.
  func mlKEMParameterSet() throws(VectorFault) -> MLKEMParameterSet {
    switch try string("parameterSet") {
    case "ML-KEM-768": .mlKEM768
    case "ML-KEM-1024": .mlKEM1024
    case let name: throw .notImplemented(name)
    }
  }
}
