import PureCrypto

/// The values of one run of ML-KEM, by the names that CCTV gives them.
struct CCTVValues {
  private var values: [String: [UInt8]] = [:]
  /// How many values are those of steps inside, as ``inner`` names them.
  private var innerCount = 0

  /// What single functions would give, and what is seen of them in the keys and the ciphertext only.
  private static let inner: Set = [
    "σ", "A[0, 0]", "A", "s[0]", "s", "NTT(s[0])", "dkPKE", "e", "NTT(e)", "t", "r", "μ", "A^T", "NTT(r)", "e1", "e2",
    "u", "u[0]", "compress(u[0])", "c1", "v", "compress(v)", "c2", "uᵈ", "NTT(uᵈ)", "vᵈ", "w", "KBar",
  ]

  mutating func add(_ name: String, _ value: String) throws(VectorFault) {
    guard !Self.inner.contains(name) else { return innerCount += 1 }
    guard let octets = Hex.decode(value), values.updateValue(octets, forKey: name) == nil else {
      throw .malformed("value \(name) is not hexadecimal, or twice there")
    }
  }

  /// Says how many values were not compared.
  func remark(in report: inout VectorReport) {
    guard innerCount > 0 else { return }
    report.remark("a value of a step inside, which no operation of the package shows", count: innerCount)
  }

  /// The parameter set that the length of the expanded key belongs to.
  func parameterSet() throws(VectorFault) -> MLKEMParameterSet {
    guard let expanded = values["dk"] else { throw .malformed("dk is missing") }
    for parameterSet in [MLKEMParameterSet.mlKEM768, .mlKEM1024]
    where parameterSet.expandedKeyByteCount == expanded.count { return parameterSet }
    guard expanded.count == 1632 else { throw .malformed("dk is as long as no key of ML-KEM is") }
    throw .notImplemented("ML-KEM-512")
  }

  /// Compares every value that an operation gives with what it gives.
  func judge(_ parameterSet: MLKEMParameterSet) throws -> Verdict {
    var values = values
    guard let expanded = values.removeValue(forKey: "dk"), let ciphertext = values.removeValue(forKey: "c"),
      let secret = values.removeValue(forKey: "K")
    else { throw VectorFault.malformed("dk, c or K is missing") }
    let key = try MLKEMDecapsulationKey(parameterSet, expandedRepresentation: expanded)
    guard key.expandedRepresentation.octets == expanded else { return .wrong("dk is written in another way") }
    let publicKey = key.publicKey.rawRepresentation
    if let ek = values.removeValue(forKey: "ek"), publicKey != ek { return .wrong("ek differs") }
    if let digest = values.removeValue(forKey: "H(ek)"), SHA3.hash(publicKey, .bits256) != digest {
      return .wrong("H(ek) differs")
    }
    if let z = values.removeValue(forKey: "z"), expanded.suffix(32) != z[...] { return .wrong("z differs") }
    // The seed d is that of the standard's draft, which gave ρ = G(d): here the key comes from dk.
    if let d = values.removeValue(forKey: "d"), publicKey.suffix(32) != SHA3.hash(d, .bits512)[..<32] {
      return .wrong("ρ is not that of d")
    }
    if let rho = values.removeValue(forKey: "ρ"), publicKey.suffix(32) != rho[...] { return .wrong("ρ differs") }
    if let message = values.removeValue(forKey: "m") {
      guard message.count == MLKEMParameterSet.secretByteCount else {
        throw VectorFault.malformed("m is not \(MLKEMParameterSet.secretByteCount) octets long")
      }
      let made = key.publicKey.encapsulate(SecretBytes(copying: message))
      guard made.ciphertext == ciphertext, made.sharedSecret.octets == secret else {
        return .wrong("the encapsulated secret differs")
      }
    }
    if let name = values.keys.sorted().first { throw VectorFault.malformed("unread value \(name)") }
    let own = try unsafe ciphertext.withUnsafeBytes { try unsafe key.decapsulate(bytes: $0) }
    return .accepted(if: own.octets == secret, otherwise: "the secret differs")
  }
}
