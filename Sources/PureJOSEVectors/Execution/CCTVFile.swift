import PureCrypto
import StrictJSON

/// Values of C2SP's CCTV: for ML-KEM names and octets in order, each file one test; for ML-DSA digests of many keys and
/// signatures.
enum CCTVFile {
  /// Whether a document has the shape of such a file.
  static func recognizes(_ document: JSONObject) -> Bool {
    document["source"]?.stringValue?.hasPrefix("C2SP/CCTV ML-") == true
  }

  static func run(_ document: JSONObject, into report: inout VectorReport) {
    if document.contains("fieldOperations") {
      return runAccumulated(MemberReader(document), into: &report)
    }
    var outcome = Outcome(ofWholeFile: MemberReader(document))
    outcome.judge(running: judge)
    outcome.requireEverythingRead()
    outcome.add(to: &report)
  }

  /// What single functions would give, and what is seen of them in the keys and the ciphertext only.
  private static let inner: Set = [
    "σ", "A[0, 0]", "A", "s[0]", "s", "NTT(s[0])", "dkPKE", "e", "NTT(e)", "t", "r", "μ", "A^T", "NTT(r)", "e1", "e2",
    "u", "u[0]", "compress(u[0])", "c1", "v", "compress(v)", "c2", "uᵈ", "NTT(uᵈ)", "vᵈ", "w", "KBar",
  ]

  private static func judge(_ file: MemberReader) throws -> Verdict {
    let parameterSet = try file.string("source").contains("ML-KEM-768") ? MLKEMParameterSet.mlKEM768 : .mlKEM1024
    var values: [String: [UInt8]] = [:]
    for pair in try file.value("values").arrayValue ?? [] {
      guard let name = pair.arrayValue?.first?.stringValue, let value = pair.arrayValue?.last?.stringValue else {
        throw VectorFault.malformed("a value is not a pair of texts")
      }
      if inner.contains(name) { continue }
      guard let octets = Hex.decode(value), values.updateValue(octets, forKey: name) == nil else {
        throw VectorFault.malformed("value \(name) is not hexadecimal, or twice there")
      }
    }
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
      let made = key.publicKey.encapsulate(SecretBytes(copying: message))
      guard made.ciphertext == ciphertext, made.sharedSecret.octets == secret else {
        return .wrong("the encapsulated secret differs")
      }
    }
    if let name = values.keys.sorted().first { throw VectorFault.malformed("unread value \(name)") }
    let own = try ciphertext.withUnsafeBytes { try key.decapsulate(bytes: $0) }
    return .accepted(if: own.octets == secret, otherwise: "the secret differs")
  }

  private static func runAccumulated(_ file: MemberReader, into report: inout VectorReport) {
    do throws(VectorFault) {
      _ = (try file.string("source"), try file.string("procedure"))
      _ = try file.jsonObject("fieldOperations")
      report.skip("the tests of PureCrypto have the field operations")
      for name in ["ML-DSA-44", "ML-DSA-65", "ML-DSA-87"] {
        let parameterSet = try MLDSAParameterSet(named: name)
        let digests = try file.object(name)
        for text in digests.names {
          guard let count = Int(text) else { throw .malformed("\(text) is not a number") }
          let digest = try digests.octets(text)
          if count > 10_000 {
            report.skip("\(count) keys take hours")
            continue
          }
          var outcome = Outcome(reading: MemberReader([:]), number: report.executed + 1, expected: .valid)
          outcome.judge { _ in
            let isSame = try parameterSet.accumulatedDigest(count: count) == digest
            return .accepted(if: isSame, otherwise: "\(name): the digest of \(count) keys differs")
          }
          outcome.add(to: &report)
        }
      }
      if let name = file.unread.first { throw .malformed("unread field \(name)") }
    } catch {
      report.fail(0, "\(error)")
    }
  }
}
