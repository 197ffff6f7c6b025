import PureCrypto

/// What a token may be verified with.
enum VerificationKeySource: Sendable {
  case key(VerificationKey)
  case keySet(JWKSet, [SignatureAlgorithm])
  /// The key of the certificates in the token's header.
  case certificates(CertificateTrust, [SignatureAlgorithm])
}

extension VerificationKeySource {
  /// The key that made a compact token's signature.
  func verifyingKey(
    of signature: UnsafeRawBufferPointer, over signingInput: UnsafeRawBufferPointer, header: ProtectedHeader,
    limits: Limits
  ) throws(JOSEError) -> VerificationKey {
    var work = WorkBudget(limits)
    if case .key(let key) = self {
      // As below, without an array of one.
      guard header.algorithmName == key.algorithm.name else { throw Self.notAllowed(header.algorithm) }
      try work.spend(key.work(byteCount: signingInput.count))
      if unsafe key.isValid(signature, for: signingInput) { return key }
    } else {
      for key in try keys(of: header, keyID: header.keyID, limits: limits) {
        try work.spend(key.work(byteCount: signingInput.count))
        if unsafe key.isValid(signature, for: signingInput) { return key }
      }
    }
    throw unsafe Self.signatureInvalid(signature, algorithm: header.algorithm)
  }

  /// The names of the algorithms that can count.
  ///
  /// - Throws: ``ErrorCode/callerMisuse`` if there are none.
  func algorithmNames() throws(JOSEError) -> [WireName] {
    switch self {
    case .key(let key): return [WireName(key.algorithm.name)]
    case .keySet(_, let algorithms), .certificates(_, let algorithms):
      return try Self.notEmpty(algorithms).map { WireName($0.name) }
    }
  }

  private static func notEmpty(_ algorithms: [SignatureAlgorithm]) throws(JOSEError) -> [SignatureAlgorithm] {
    guard !algorithms.isEmpty else {
      throw JOSEError(.callerMisuse, "the list of accepted algorithms is empty", name: "algorithms")
    }
    return algorithms
  }

  /// The keys to try for a token, each bound to the algorithm that the token names and the caller accepts.
  ///
  /// - Parameter keyID: `kid`, which in a JSON serialization may stand outside of the protected header.
  func keys(of header: ProtectedHeader, keyID: String?, limits: Limits) throws(JOSEError) -> [VerificationKey] {
    switch self {
    case .key(let key):
      guard header.algorithmName == key.algorithm.name else { throw Self.notAllowed(header.algorithm) }
      return [key]
    case .keySet(let keys, let algorithms):
      let algorithm = try Self.accepted(header.algorithm, among: algorithms)
      return try keys.candidates(keyID: keyID, limits: limits) { index, jwk throws(JOSEError) in
        try Self.bound(jwk, at: index, of: keys, to: algorithm, among: algorithms)
      }
    case .certificates(let trust, let algorithms):
      let algorithm = try Self.accepted(header.algorithm, among: algorithms)
      guard header["jwk"] == nil else {
        throw JOSEError(
          .headerInvalid, "the key is that of the certificates, so there is no other beside them", name: "jwk")
      }
      return [try VerificationKey(received: trust.validate(header).publicKey, orNamed: algorithm)]
    }
  }

  /// The algorithm that a token names, if the caller accepts it.
  static func accepted(
    _ name: String, among algorithms: [SignatureAlgorithm]
  ) throws(JOSEError) -> SignatureAlgorithm {
    let accepted = try notEmpty(algorithms)
    guard let algorithm = SignatureAlgorithm(name: name), accepted.contains(algorithm) else {
      throw Self.notAllowed(name)
    }
    return algorithm
  }

  /// A key of a set, if it may be used for an algorithm.
  static func bound(
    _ jwk: JWK, at index: Int, of keys: JWKSet, to algorithm: SignatureAlgorithm, among algorithms: [SignatureAlgorithm]
  ) throws(JOSEError) -> VerificationKey {
    try jwk.requireBound(to: algorithm, among: algorithms)
    return try keys.boundKeys.key(at: index, for: algorithm) { () throws(JOSEError) in
      try VerificationKey(received: jwk, orNamed: algorithm)
    }
  }

  /// What is wrong with an algorithm that does not count.
  static func notAllowed(_ algorithm: String) -> JOSEError {
    let text: StaticString
    if WireName(algorithm) == "none" {
      text = "the token is unsigned (alg: none), which is never accepted: have its issuer sign it"
    } else if KeyManagementAlgorithm(name: algorithm) != nil {
      text = "the token's alg is one of encryption, and nothing is signed with it"
    } else {
      text = "the token's algorithm is none of the accepted algorithms: add it if the issuer's keys are for it"
    }
    return JOSEError(.algorithmNotAllowed, text, name: "alg")
  }

  /// - Parameter signature: one that no key has verified.
  static func signatureInvalid(_ signature: UnsafeRawBufferPointer, algorithm: String) -> JOSEError {
    let text: StaticString
    if let count = SignatureAlgorithm(name: algorithm)?.row.signatureByteCount, signature.count != count {
      // A sequence of two integers.
      text =
        unsafe signature.count > count && signature.first == 0x30
        ? "the signature is in DER: JWS takes r and s, one behind the other (64 octets with ES256)"
        : "the signature does not have its algorithm's length: the token is cut short, or was signed with another one"
    } else {
      text = "the signature does not verify: another key made it, or the token was changed on its way"
    }
    return JOSEError(.signatureInvalid, text)
  }
}
