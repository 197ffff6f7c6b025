import JOSE
import StrictJSON

/// Proofs of possession, each for one request. Whether a proof was seen before is not looked at.
struct DPoPVerifyGroup: VectorGroup {
  private let algorithms: [SignatureAlgorithm]

  init(reading group: MemberReader, in file: FileContext) throws(VectorFault) {
    var algorithms: [SignatureAlgorithm] = []
    for name in try group.strings("algs") {
      guard let algorithm = SignatureAlgorithm(name: name) else { throw .notImplemented(name) }
      algorithms.append(algorithm)
    }
    self.algorithms = algorithms
  }

  func run(_ test: MemberReader) throws -> Verdict {
    let proof = try test.string("proof")
    let method = try test.string("method")
    let url = try test.string("url")
    let now = NumericDate(try test.integer("now"))
    let nonce = try test.string(ifPresent: "nonce")
    let thumbprint = try test.string(ifPresent: "jkt")
    var binding = DPoPVerifier.Binding.none
    if let token = try test.string(ifPresent: "accessToken") {
      binding = .accessToken(token, thumbprint: try test.string("boundTo"))
    }
    let verifier = DPoPVerifier(algorithms: algorithms, leeway: .seconds(5), records: MemoryRecordStore())
    let checked = try verifier.checked(
      proof, method: method, url: url, binding: binding, nonce: nonce, now: now)
    return .accepted(if: checked.thumbprint == thumbprint, otherwise: "the key is another one")
  }
}
