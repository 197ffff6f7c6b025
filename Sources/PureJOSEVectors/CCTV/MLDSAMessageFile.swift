import PureCrypto
import StrictJSON

/// Messages of C2SP's CCTV for benchmarks of ML-DSA: an array of texts, without signatures. The key's seed is zeros.
///
/// Each message is a test: its deterministic signature must verify, and verify for no other message.
enum MLDSAMessageFile {
  /// The parameter set of the messages, which the name of the file says; nil for what is not such a file.
  static func parameterSet(of elements: [JSONValue], fileName: String) -> MLDSAParameterSet? {
    guard !elements.isEmpty, elements.allSatisfy({ $0.stringValue != nil }) else { return nil }
    let name = fileName.lowercased().filter { $0 != "_" && $0 != "-" }
    return MLDSAParameterSet.all.first { name.contains("mldsa\($0.number)") }
  }

  static func run(_ elements: [JSONValue], _ parameterSet: MLDSAParameterSet, into report: inout VectorReport) {
    for (index, element) in elements.enumerated() {
      var outcome = Outcome(reading: MemberReader([:]), number: index + 1, expected: .valid)
      outcome.judge { _ in
        guard let text = element.stringValue, !text.isEmpty, text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) else {
          throw VectorFault.malformed("the message is not a text of printable ASCII")
        }
        let key = try MLDSASigningKey(parameterSet, seed: SecretBytes(copying: [UInt8](repeating: 0, count: 32)))
        let signature = try key.signature(for: text.utf8, deterministically: true)
        guard key.publicKey.isValidSignature(signature, for: text.utf8) else { return .wrong("does not verify") }
        return .accepted(
          if: !key.publicKey.isValidSignature(signature, for: Array(text.utf8) + [0]),
          otherwise: "the signature verifies for another message")
      }
      outcome.add(to: &report)
    }
  }
}

extension MLDSAParameterSet {
  /// The number in its name.
  fileprivate var number: Int {
    switch self {
    case .mlDSA44: 44
    case .mlDSA65: 65
    case .mlDSA87: 87
    }
  }
}
