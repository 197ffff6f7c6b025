import PureCrypto

/// Exact signatures from a seed, and for what the tries before them were rejected.
struct MLDSASignGroup: VectorGroup {
  private let parameterSet: MLDSAParameterSet
  private let seed: [UInt8]
  private let publicKey: [UInt8]

  init(reading group: MemberReader, in file: FileContext) throws(VectorFault) {
    parameterSet = try MLDSAParameterSet(named: try group.string("parameterSet"))
    seed = try group.octets("seed")
    publicKey = try group.octets("publicKey")
  }

  func run(_ test: MemberReader) throws -> Verdict {
    let (message, context) = (try test.octets("msg"), try test.octets(ifPresent: "ctx") ?? [])
    let randomness = try test.mlDSARandomness("rnd")
    let digest = try test.octets("sigSha256")
    for rejection in try test.strings("rejections") where !Self.isCause(rejection) {
      throw VectorFault.malformed("\(rejection) is not why a try is rejected")
    }
    let key = try MLDSASigningKey(parameterSet, seed: SecretBytes(copying: seed))
    guard key.publicKey.rawRepresentation == publicKey else { return .wrong("the public key differs") }
    let mu = try key.publicKey.externalMu(for: message, context: context)
    let signature = try key.signature(externalMu: mu, randomness: SecretBytes(copying: randomness))
    guard key.publicKey.isValidSignature(signature, for: message, context: context) else {
      return .wrong("does not verify")
    }
    return .accepted(if: Array(SHA2.SHA256.hash(signature)) == digest, otherwise: "the signature differs")
  }

  /// Whether a text names bounds, each with the polynomials that passed it, or with the number of hints: "z 0 2; r0 1".
  private static func isCause(_ text: String) -> Bool {
    let bounds = text.split(separator: ";")
    return !bounds.isEmpty
      && bounds.allSatisfy { bound in
        let words = bound.split(separator: " ").map(String.init)
        guard let name = words.first, words.count > 1 else { return false }
        return ["z", "r0", "ct0", "hints"].contains { $0.utf8.elementsEqual(name.utf8) }
          && words.dropFirst().allSatisfy { Int($0) != nil }
      }
  }
}

/// Signatures of messages or of their digests, right and wrong ones.
struct MLDSAVerifyGroup: VectorGroup {
  private let parameterSet: MLDSAParameterSet
  private let publicKey: [UInt8]

  init(reading group: MemberReader, in file: FileContext) throws(VectorFault) {
    parameterSet = try MLDSAParameterSet(named: try group.string("parameterSet"))
    publicKey = try group.octets("publicKey")
  }

  func run(_ test: MemberReader) throws -> Verdict {
    let signature = try test.octets("sig")
    if let mu = try test.octets(ifPresent: "mu") {
      let key = try MLDSAVerificationKey(parameterSet, rawRepresentation: publicKey)
      return .accepted(if: key.isValidSignature(signature, externalMu: mu))
    }
    let (message, context) = (try test.octets("msg"), try test.octets(ifPresent: "ctx") ?? [])
    let key = try MLDSAVerificationKey(parameterSet, rawRepresentation: publicKey)
    return .accepted(if: key.isValidSignature(signature, for: message, context: context))
  }
}
