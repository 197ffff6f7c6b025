import PureCrypto
import StrictJSON

/// One signature, with what it covers. Nothing is known about it yet.
struct JWSEntry: Sendable {
  let header: ProtectedHeader
  let unprotectedHeader: JSONObject
  /// `kid`, protected or not: a hint which key was used.
  let keyID: String?
  let signature: [UInt8]
  /// The protected header as received.
  let headerText: [UInt8]
  let content: SignedContent

  /// The keys to try, each bound to the signature's algorithm.
  func keys(_ source: VerificationKeySource, limits: Limits) throws(JOSEError) -> [VerificationKey] {
    try source.keys(of: header, keyID: keyID, limits: limits)
  }

  /// The places of those of several keys that may have made the signature: of its algorithm, and not of another name. A
  /// key that is the only one is tried whatever its name, as for a compact token.
  func places(among keys: [VerificationKey], limits: Limits) throws(JOSEError) -> [Int] {
    let fitting = keys.indices.filter { keys[$0].algorithm.name == header.algorithmName }
    guard !fitting.isEmpty else { throw VerificationKeySource.notAllowed(header.algorithm) }
    let named = fitting.filter { place in
      guard keys.count > 1, let keyID, let name = keys[place].keyID else { return true }
      return WireName(name) == keyID
    }
    guard !named.isEmpty, named.count <= limits.candidateKeyCount else {
      throw JOSEError(.keyNotFound, "no key fits the token, or too many do", name: "kid")
    }
    return named
  }

  /// The first of some keys that verifies the signature.
  func verifyingKey(among keys: [VerificationKey], work: inout WorkBudget) throws(JOSEError) -> VerificationKey {
    keys[try verifyingPlace(among: keys, places: Array(keys.indices), work: &work)]
  }

  /// The first of some places whose key verifies the signature.
  func verifyingPlace(
    among keys: [VerificationKey], places: [Int], work: inout WorkBudget
  ) throws(JOSEError) -> Int {
    var signingInput: [UInt8]?
    for place in places {
      let key = keys[place]
      try work.spend(key.work(byteCount: headerText.count + content.byteCount))
      let input = signingInput ?? content.signingInput(header: headerText)
      signingInput = input
      if unsafe signature.withUnsafeBytes({ signature in
        unsafe input.withUnsafeBytes { unsafe key.isValid(signature, for: $0) }
      }) {
        return place
      }
    }
    throw unsafe signature.withUnsafeBytes {
      unsafe VerificationKeySource.signatureInvalid($0, algorithm: header.algorithm)
    }
  }
}
