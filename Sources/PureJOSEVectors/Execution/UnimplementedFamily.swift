import JOSE
import StrictJSON

/// Tests whose subject the package doesn't have. They are skipped, and named.
struct UnimplementedFamily {
  /// Why a test is skipped.
  let reason: String

  /// Recognizes one test in an array: a key with tokens for an algorithm.
  init?(recognizingElement test: JSONObject) {
    guard let algorithm = test["alg"]?.stringValue, test.contains("jwk"),
      test.contains("compact") || test.contains("flattened"), SignatureAlgorithm(name: algorithm) == nil,
      KeyManagementAlgorithm(name: algorithm) == nil
    else { return nil }
    reason = "\(VectorFault.notImplemented(algorithm))"
  }
}
