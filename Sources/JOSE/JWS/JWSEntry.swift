import PureCrypto
import StrictJSON

/// One signature, with what it covers. Nothing is known about it yet.
struct JWSEntry: Sendable {
  let header: ProtectedHeader
  let unprotectedHeader: JSONObject
  /// `kid`, protected or not: a hint which key was used.
  let keyID: String?
  let signature: [UInt8]
  let signingInput: [UInt8]

  /// The keys to try, each bound to the signature's algorithm.
  func keys(_ source: VerificationKeySource, limits: Limits) throws(JOSEError) -> [VerificationKey] {
    try source.keys(algorithmName: header.algorithm, keyID: keyID, limits: limits)
  }

  /// Those of several keys that may have made the signature: of its algorithm, and not of another name. A key that is the only
  /// one is tried whatever its name, as for a compact token.
  func keys(among keys: [VerificationKey], limits: Limits) throws(JOSEError) -> [VerificationKey] {
    let fitting = keys.filter { $0.algorithm.name.hasSameBytes(as: header.algorithm) }
    guard !fitting.isEmpty else { throw ParsedJWS.notAllowed }
    let named = fitting.filter { key in
      guard keys.count > 1, let keyID, let name = key.keyID else { return true }
      return name.hasSameBytes(as: keyID)
    }
    guard !named.isEmpty, named.count <= limits.candidateKeyCount else {
      throw JOSEError(.keyNotFound, "no key fits the token, or too many do", name: "kid")
    }
    return named
  }

  /// The first of some keys that verifies the signature.
  func verifyingKey(among keys: [VerificationKey]) throws(JOSEError) -> VerificationKey {
    for key in keys where isValid(with: key) { return key }
    throw JOSEError(.signatureInvalid, "the signature does not verify")
  }

  private func isValid(with key: VerificationKey) -> Bool {
    signature.withUnsafeBytes { signature in signingInput.withUnsafeBytes { key.isValid(signature, for: $0) } }
  }
}
