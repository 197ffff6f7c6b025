import StrictJSON

/// Verifies tokens with selective disclosure.
///
/// ```swift
/// let policy = JWTPolicy(
///   issuer: .anyOf(["https://issuer.example"]), audience: .notChecked, type: .anyOf(["dc+sd-jwt"]))
/// let verifier = SDJWTVerifier(
///   verifier: JWTVerifier(keys: keys, algorithms: [.es256], policy: policy),
///   keyBinding: .required(audience: "https://shop.example", nonce: nonce))
/// let token = try verifier.verify(text)
/// ```
///
/// The claims that the policy asks for are those of the processed payload: what the holder shows may be among them, and
/// what is kept is absent.
///
/// Source: RFC 9901 §7.
public struct SDJWTVerifier: Sendable {
  private let verifier: JWTVerifier
  private let keyBinding: KeyBindingPolicy
  private let hashes: [ThumbprintHash]

  /// The types of credentials that are accepted: one of them must be `vct`. A token that is no credential
  /// (`dc+sd-jwt`) is refused then. Nil, which is what it is unless set, accepts every type.
  public var credentialTypes: [String]?

  /// Whether `aka_vcts` may name the type that is accepted. That is the issuer's word alone, so it is not taken unless
  /// set.
  public var acceptsFurtherTypes = false

  /// - Parameters:
  ///   - verifier: the issuer's keys, and what the claims must say. What it says of `cnf` does not count here: the key
  ///     in it is the holder's.
  ///   - keyBinding: whether who shows the token must be its holder.
  ///   - hashes: those accepted of disclosures.
  public init(
    verifier: JWTVerifier, keyBinding: KeyBindingPolicy, hashes: [ThumbprintHash] = ThumbprintHash.allCases
  ) {
    var verifier = verifier
    if !verifier.policy.bindingIsChecked { verifier.policy.bindingIsChecked = true }
    (self.verifier, self.keyBinding, self.hashes) = (verifier, keyBinding, hashes)
  }

  /// Verifies a token and decodes its claims, as a `JSONObject` unless another type is given.
  ///
  /// - Parameters:
  ///   - text: compact, or in JSON serialization. Of a general one the first signature counts.
  ///   - type: what the claims are decoded as.
  /// - Throws: ``JOSEError``: in this order, the form, the issuer's token as of ``JWTVerifier/verify(_:as:)``, the
  ///   disclosures (``ErrorCode/malformed``, ``ErrorCode/claimInvalid``), the claims, the holder's proof, whose
  ///   failures are named `kb_jwt` or by what is wrong in it.
  public func verify<Claims: Decodable>(
    _ text: String, as type: Claims.Type = JSONObject.self
  ) throws(JOSEError) -> VerifiedSDJWT<Claims> {
    try verify(SDJWT(parsing: text, limits: verifier.policy.limits), as: type)
  }

  /// Verifies a token that has been taken apart and decodes its claims; see ``verify(_:as:)``.
  ///
  /// - Throws: as that method.
  public func verify<Claims: Decodable>(
    _ token: SDJWT, as type: Claims.Type = JSONObject.self
  ) throws(JOSEError) -> VerifiedSDJWT<Claims> {
    let policy = verifier.policy
    try requirePresence(in: token)
    var paths: [ClaimPath] = []
    var hash = ThumbprintHash.sha256
    let (claims, origin) = try verifier.checked(token.issuerToken) { payload, header throws(JOSEError) in
      let processed = try ProcessedPayload(payload, token.disclosures, limits: policy.limits)
      guard hashes.contains(processed.hash) else {
        throw JOSEError(.algorithmNotAllowed, "the hash of the disclosures is not accepted", name: "_sd_alg")
      }
      if let type = header.type, TypePolicy.isSameMediaType(type, SDJWT.credentialType) {
        if let path = processed.paths.first(where: SDJWT.keepsOpen) {
          throw JOSEError(.claimInvalid, "a credential discloses what it must show", name: path.description)
        }
        try requireAccepted(CredentialTypes(processed.claims))
      } else if credentialTypes != nil {
        throw JOSEError(.typeMismatch, "the token is no credential: its typ is not dc+sd-jwt", name: "typ")
      }
      (paths, hash) = (processed.paths, processed.hash)
      return processed.claims
    }
    var proof: VerifiedJWT<JSONObject>?
    if case .required(let requirement) = keyBinding.kind {
      proof = try verified(token, by: requirement, holder: claims.view["cnf"]?.value, hash: hash)
    }
    return VerifiedSDJWT(
      claims: try claims.decoded(as: type), disclosedPaths: paths, keyBinding: proof, origin: origin)
  }

  private func requireAccepted(_ types: CredentialTypes) throws(JOSEError) {
    guard let accepted = credentialTypes else { return }
    let found = [types.type] + (acceptsFurtherTypes ? types.furtherTypes : [])
    guard accepted.contains(where: { name in found.contains { $0 == name } }) else {
      throw JOSEError(.claimMismatch, "the credential is of another type", name: "vct")
    }
  }

  private func requirePresence(in token: SDJWT) throws(JOSEError) {
    switch keyBinding.kind {
    case .required(let requirement):
      guard !requirement.audience.isEmpty, !requirement.nonce.isEmpty else {
        throw JOSEError(.callerMisuse, "a key binding has an audience and a nonce", name: "keyBinding")
      }
      guard token.isBound else {
        throw JOSEError(.claimMismatch, "the token is not bound to its holder, as it must be here", name: "kb_jwt")
      }
    case .forbidden:
      guard !token.isBound else {
        throw JOSEError(.claimMismatch, "the token is bound, and here none may be", name: "kb_jwt")
      }
    case .ignored: break
    }
  }

  /// The holder's proof. Its key is the issuer's word alone, whatever the proof's header says.
  private func verified(
    _ token: SDJWT, by requirement: KeyBindingPolicy.Requirement, holder: JSONValue?, hash: ThumbprintHash
  ) throws(JOSEError) -> VerifiedJWT<JSONObject> {
    let policy = verifier.policy
    guard let object = holder?.objectValue?["jwk"]?.objectValue, let keyBinding = token.keyBinding else {
      throw JOSEError(.claimInvalid, "the issuer names no key of the holder", name: "cnf")
    }
    let unverified = try UnverifiedJWS(parsing: keyBinding, limits: policy.limits)
    let algorithm = try VerificationKeySource.accepted(
      unverified.unverifiedHeader.algorithm, among: requirement.algorithms)
    let jwk = try JWK(object)
    guard !jwk.isPrivate else {
      throw JOSEError(.keyInvalid, "the holder's key is not a public one", name: "cnf")
    }
    let key = try VerificationKey(received: jwk, orNamed: algorithm)
    let verified = try JWTVerifier(
      key: key,
      policy: JWTPolicy(
        issuer: .notChecked, audience: .notChecked, type: .anyOf([SDJWT.keyBindingType]),
        requiredClaims: ["iat", "aud", "nonce", "sd_hash"], leeway: policy.leeway, maximumAge: requirement.maximumAge,
        clock: policy.clock, limits: policy.limits)
    ).verify(parsed: unverified)
    for (name, expected) in [
      ("aud", requirement.audience), ("nonce", requirement.nonce), ("sd_hash", hash.digest(of: token.signedText)),
    ] {
      guard verified.claims[name] == .string(expected) else {
        throw JOSEError(.claimMismatch, "the holder's proof is for another presentation", name: name)
      }
    }
    return verified
  }
}
