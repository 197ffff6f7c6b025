extension JWKSet {
  /// The keys to try for a token, each bound to the one algorithm that `bind` gives it.
  ///
  /// A `kid` of the token is compared as bytes, and if no key bears it there is none: there is no fallback to another key.
  /// - Throws: ``JOSEError/Code/keyNotFound`` if no key bears the `kid`, or no key fits at all; ``JOSEError/Code/keyMismatch`` if
  ///   keys bear the `kid` but none may be used for this algorithm.
  func candidates<Key>(
    keyID: String?, limits: Limits, bind: (_ index: Int, JWK) throws(JOSEError) -> Key
  ) throws(JOSEError) -> [Key] {
    var candidates: [Key] = []
    var refusal: JOSEError?
    for (index, key) in keys.enumerated() {
      if let keyID {
        guard let candidateID = key.keyID, candidateID.hasSameBytes(as: keyID) else { continue }
      }
      do throws(JOSEError) {
        candidates.append(try bind(index, key))
      } catch {
        refusal = error
      }
      guard candidates.count <= limits.candidateKeyCount else {
        throw JOSEError(.keyNotFound, "too many keys fit the token", name: "candidateKeyCount")
      }
    }
    guard candidates.isEmpty else { return candidates }
    if let refusal, keyID != nil { throw refusal }
    throw JOSEError(.keyNotFound, "no key of the set fits the token", name: "kid")
  }
}
