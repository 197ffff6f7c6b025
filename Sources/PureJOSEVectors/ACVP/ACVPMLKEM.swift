import PureCrypto

/// ACVP's tests of ML-KEM: keys from seeds, both directions, and checks of keys.
struct ACVPMLKEM: ACVPOperation {
  private enum Function: String {
    case encapsulation
    case decapsulation
    case encapsulationKeyCheck
    case decapsulationKeyCheck
    case keyGeneration
  }

  private let parameterSet: MLKEMParameterSet
  private let statedFunction: Function?

  init(parameterSet: MLKEMParameterSet, reading group: MemberReader) throws(VectorFault) {
    self.parameterSet = parameterSet
    // How a key is given shows in the members of the tests.
    _ = try group.string(ifPresent: "keyFormat")
    guard let name = try group.string(ifPresent: "function") else {
      statedFunction = nil
      return
    }
    guard let function = Function(rawValue: name) else { throw .malformed("unknown function \(name)") }
    statedFunction = function
  }

  /// What the group names; otherwise what the members show.
  private func function(of test: ACVPTest) -> Function {
    if let statedFunction { return statedFunction }
    guard test.mode != .keyGen, test.has("c") || test.has("m") else { return .keyGeneration }
    return test.has("m") ? .encapsulation : .decapsulation
  }

  func members(of test: ACVPTest) -> (inputs: [String], outputs: [String]) {
    switch function(of: test) {
    case .keyGeneration: (["d", "z"], ["ek", "dk", "dkSha256"])
    case .encapsulation: (["m"], ["c", "k"])
    case .decapsulation: (["c"], ["k"])
    case .encapsulationKeyCheck, .decapsulationKeyCheck: (["ek", "dk"], ["testPassed"])
    }
  }

  func run(_ test: ACVPTest) throws -> Verdict {
    switch function(of: test) {
    case .keyGeneration: try generate(test)
    case .encapsulation: try encapsulate(test)
    case .decapsulation: try decapsulate(test)
    case .encapsulationKeyCheck: try checkEncapsulationKey(test)
    case .decapsulationKeyCheck: try checkDecapsulationKey(test)
    }
  }

  private func generate(_ test: ACVPTest) throws -> Verdict {
    let seed = SecretBytes(copying: try test.octets("d") + test.octets("z"))
    let key = try MLKEMPrivateKey(parameterSet, seed: seed)
    let isPublicKey = try test.requireStated("ek", key.publicKey.rawRepresentation)
    let isPrivateKey = try test.requireStated("dk", key.expanded.expandedRepresentation.octets)
    return .accepted(if: isPublicKey && isPrivateKey, otherwise: "a key differs")
  }

  private func encapsulate(_ test: ACVPTest) throws -> Verdict {
    let message = try test.octets("m")
    guard message.count == MLKEMParameterSet.secretByteCount else {
      throw VectorFault.malformed("member m is not \(MLKEMParameterSet.secretByteCount) octets long")
    }
    let key = try MLKEMPublicKey(parameterSet, rawRepresentation: test.octets("ek"))
    let made = key.encapsulate(SecretBytes(copying: message))
    let isCiphertext = try test.requireStated("c", made.ciphertext)
    guard try test.octets("k") == made.sharedSecret.octets, isCiphertext else { return .wrong("the outputs differ") }
    // Where the private key stands beside the public one, it must give the same secret.
    guard let privateKey = try decapsulationKey(test) else { return .accepted }
    guard privateKey.publicKey == key else { return .wrong("the keys are no pair") }
    return .accepted(
      if: try unsafe made.ciphertext.withUnsafeBytes { try unsafe privateKey.decapsulate(bytes: $0) }.octets
        == made.sharedSecret.octets, otherwise: "the secret differs")
  }

  private func decapsulate(_ test: ACVPTest) throws -> Verdict {
    let (ciphertext, secret) = (try test.octets("c"), try test.octets("k"))
    let publicKey = try test.octets(ifPresent: "ek")
    guard let key = try decapsulationKey(test) else { throw VectorFault.malformed("member dk is missing") }
    if let publicKey, key.publicKey.rawRepresentation != publicKey { return .wrong("the keys are no pair") }
    let own = try unsafe ciphertext.withUnsafeBytes { try unsafe key.decapsulate(bytes: $0) }
    return .accepted(if: own.octets == secret, otherwise: "the secret differs")
  }

  private func checkEncapsulationKey(_ test: ACVPTest) throws -> Verdict {
    _ = try test.test.boolean("testPassed")
    let (publicKey, privateKey) = (try test.octets("ek"), try test.octets(ifPresent: "dk"))
    let key = try MLKEMPublicKey(parameterSet, rawRepresentation: publicKey)
    if let privateKey, !privateKey.isEmpty {
      let pair = try MLKEMDecapsulationKey(parameterSet, expandedRepresentation: privateKey)
      guard pair.publicKey == key else { return .wrong("the keys are no pair") }
    }
    return .accepted
  }

  private func checkDecapsulationKey(_ test: ACVPTest) throws -> Verdict {
    _ = try test.test.boolean("testPassed")
    let (privateKey, publicKey) = (try test.octets("dk"), try test.octets(ifPresent: "ek"))
    let key = try MLKEMDecapsulationKey(parameterSet, expandedRepresentation: privateKey)
    if let publicKey, !publicKey.isEmpty, key.publicKey.rawRepresentation != publicKey {
      return .wrong("the keys are no pair")
    }
    return .accepted
  }

  /// The private key, in either of its forms or in both.
  private func decapsulationKey(_ test: ACVPTest) throws -> MLKEMDecapsulationKey? {
    let expanded = try test.octets(ifPresent: "dk")
    guard let d = try test.octets(ifPresent: "d"), let z = try test.octets(ifPresent: "z") else {
      return try expanded.map { try MLKEMDecapsulationKey(parameterSet, expandedRepresentation: $0) }
    }
    let key = try MLKEMPrivateKey(parameterSet, seed: SecretBytes(copying: d + z)).expanded
    guard expanded == nil || key.expandedRepresentation.octets == expanded else {
      throw VectorFault.malformed("dk is not the key of d and z")
    }
    return key
  }
}
