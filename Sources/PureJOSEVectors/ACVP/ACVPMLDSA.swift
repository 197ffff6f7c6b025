import PureCrypto

/// ACVP's tests of ML-DSA: keys from seeds, signatures and their verification, of messages with a context, of what the
/// standard's internal functions take, and of µ.
struct ACVPMLDSA: ACVPOperation {
  /// What is signed.
  private enum Form {
    /// A message with a context, as FIPS 204 algorithms 2 and 3 take it.
    case pure
    /// What algorithms 7 and 8 take as M′.
    case whole
    /// µ, which was computed elsewhere.
    case externalMu
  }

  private let parameterSet: MLDSAParameterSet
  private let form: Form
  /// Whether signatures are made without randomness, where the group says so.
  private let isDeterministic: Bool?

  init(parameterSet: MLDSAParameterSet, reading group: MemberReader) throws(VectorFault) {
    self.parameterSet = parameterSet
    isDeterministic = try group.boolean(ifPresent: "deterministic")
    let hasExternalMu = try group.boolean(ifPresent: "externalMu") ?? false
    let preHash = try group.string(ifPresent: "preHash")
    // How a key is given, and for what a signature was searched, show in the tests.
    _ = (try group.string(ifPresent: "keyFormat"), try group.string(ifPresent: "cornerCase"))
    switch (try group.string(ifPresent: "signatureInterface"), preHash) {
    case (_, "preHash"): throw .notImplemented("HashML-DSA")
    case ("external", "pure"): form = hasExternalMu ? .externalMu : .pure
    // Files of the time before there were two interfaces are about the internal one.
    case ("internal", nil), ("internal", "none"), (nil, nil): form = hasExternalMu ? .externalMu : .whole
    case (let interface, _):
      throw .malformed("unknown form of signature: \(interface ?? "no interface"), \(preHash ?? "no preHash")")
    }
  }

  private func mode(of test: ACVPTest) -> ACVPContext.Mode {
    if let mode = test.mode { return mode }
    guard test.has("signature") || test.has("signatureSha256") || test.has("message") || test.has("mu") else {
      return .keyGen
    }
    return test.has("testPassed") ? .sigVer : .sigGen
  }

  func members(of test: ACVPTest) -> (inputs: [String], outputs: [String]) {
    switch mode(of: test) {
    case .sigGen: (["message", "mu"], ["signature", "signatureSha256"])
    case .sigVer: (["signature"], ["testPassed"])
    case .keyGen, .encapDecap: (["seed"], ["pk", "sk", "skSha256"])
    }
  }

  func run(_ test: ACVPTest) throws -> Verdict {
    switch mode(of: test) {
    case .sigGen: try sign(test)
    case .sigVer: try verify(test)
    case .keyGen: try generate(test)
    case .encapDecap: throw VectorFault.malformed("a signature algorithm encapsulates nothing")
    }
  }

  private func generate(_ test: ACVPTest) throws -> Verdict {
    let key = try MLDSASigningKey(parameterSet, seed: SecretBytes(copying: test.octets("seed")))
    let isPublicKey = try test.requireStated("pk", key.publicKey.rawRepresentation)
    let isPrivateKey = try test.requireStated("sk", key.expandedRepresentation.octets)
    return .accepted(if: isPublicKey && isPrivateKey, otherwise: "a key differs")
  }

  private func sign(_ test: ACVPTest) throws -> Verdict {
    guard let seed = try test.octets(ifPresent: "seed") else {
      throw VectorFault.notImplemented("an ML-DSA private key without its seed")
    }
    let randomness = try randomness(of: test)
    let key = try MLDSASigningKey(parameterSet, seed: SecretBytes(copying: seed))
    let isPublicKey = try test.states("pk", key.publicKey.rawRepresentation) ?? true
    let isPrivateKey = try test.states("sk", key.expandedRepresentation.octets) ?? true
    guard isPublicKey, isPrivateKey else { return .wrong("a key differs") }
    let made = try key.signature(externalMu: mu(of: test, key.publicKey), randomness: SecretBytes(copying: randomness))
    return .accepted(if: try test.requireStated("signature", made), otherwise: "the signature differs")
  }

  private func verify(_ test: ACVPTest) throws -> Verdict {
    _ = try test.test.boolean("testPassed")
    let (publicKey, signature) = (try test.octets("pk"), try test.octets("signature"))
    // What signed it has no part in this, and the rest is read before the key may be refused.
    for name in ["sk", "skSha256", "seed", "rnd", "message", "mu", "context"] { _ = try test.octets(ifPresent: name) }
    _ = try test.test.string(ifPresent: "hashAlg")
    let key = try MLDSAVerificationKey(parameterSet, rawRepresentation: publicKey)
    return .accepted(if: key.isValidSignature(signature, externalMu: try mu(of: test, key)))
  }

  /// The randomness of a signature: zeros where the group says that there is none.
  private func randomness(of test: ACVPTest) throws(VectorFault) -> [UInt8] {
    guard let randomness = try test.octets(ifPresent: "rnd"), isDeterministic != true || !randomness.isEmpty else {
      guard isDeterministic != false else { throw .malformed("member rnd is missing") }
      return [UInt8](repeating: 0, count: 32)
    }
    guard randomness.count == 32, isDeterministic != true || randomness.allSatisfy({ $0 == 0 }) else {
      throw .malformed("member rnd is not that of the group")
    }
    return randomness
  }

  /// What is signed, as its digest.
  private func mu(of test: ACVPTest, _ key: MLDSAVerificationKey) throws -> [UInt8] {
    let stated = try test.octets(ifPresent: "mu")
    let message = try test.octets(ifPresent: "message")
    let context = try test.octets(ifPresent: "context") ?? []
    if let hash = try test.test.string(ifPresent: "hashAlg"), hash != "none" {
      throw VectorFault.malformed("a hash function is named where none is used")
    }
    guard form != .whole || context.isEmpty else { throw VectorFault.malformed("a context is given but not used") }
    guard form != .externalMu || stated != nil else { throw VectorFault.malformed("member mu is missing") }
    let own: [UInt8]? =
      switch form {
      case .pure, .externalMu: try message.map { try key.externalMu(for: $0, context: context) }
      case .whole: message.map { Self.digest(key, whole: $0) }
      }
    guard let mu = own ?? stated, stated == nil || stated == mu else {
      throw VectorFault.malformed("there is no message, or mu is the digest of another one")
    }
    return mu
  }

  /// µ = H(H(pk) ‖ M′), FIPS 204 algorithm 7 line 6.
  private static func digest(_ key: MLDSAVerificationKey, whole message: [UInt8]) -> [UInt8] {
    var keyDigest = SHAKE.shake256
    keyDigest.update(key.rawRepresentation)
    var digest = SHAKE.shake256
    digest.update(keyDigest.output(byteCount: 64))
    digest.update(message)
    return digest.output(byteCount: 64)
  }
}
