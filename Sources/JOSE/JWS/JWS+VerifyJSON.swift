extension JWS {
  /// Verifies a JWS in flattened or general JSON serialization.
  ///
  /// - Parameters:
  ///   - text: the JSON text, flattened or general. Nothing in it is trusted but what a required signature covers.
  ///   - requirement: whose signatures must be there.
  ///   - detachedPayload: the payload, if it came by another way; the message must then have none.
  ///   - acceptsUnprotectedAlgorithm: whether `alg` may stand in an unprotected header.
  ///   - understood: extensions that `crit` may name. `b64` is processed here; leave it out to refuse it.
  ///   - limits: bounds on the message's size and on the number of its signatures.
  /// - Throws: ``JOSEError``. If a single signature is there, what is wrong with it; otherwise
  ///   ``JOSEErrorCode/signatureInvalid`` if the requirement is not met.
  public static func verifyJSON(
    _ text: String, requiring requirement: JWSRequirement, detachedPayload: [UInt8]? = nil,
    acceptsUnprotectedAlgorithm: Bool = false, understanding understood: [String] = ["b64"],
    limits: Limits = .default
  ) throws(JOSEError) -> VerifiedJSONJWS {
    let parsed = try ParsedJSONJWS(
      text, accepting: requirement.algorithmNames(), detachedPayload: detachedPayload,
      acceptsUnprotectedAlgorithm: acceptsUnprotectedAlgorithm, understanding: understood, limits: limits)
    return try parsed.verified(requirement, limits: limits)
  }
}
