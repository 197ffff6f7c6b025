import PureCrypto
import StrictJSON

/// Checks DPoP proofs for a server.
///
/// Source: RFC 9449 §4.3.
public struct DPoPVerifier: Sendable {
  /// What a proof must be bound to.
  public enum Binding: Sendable {
    /// Nothing yet: a request for a token, whose answer will be bound to the proof's key.
    case none
    /// The access token of the request, which is bound to the key of this thumbprint (its claim `cnf.jkt`).
    case accessToken(String, thumbprint: String)
  }

  /// The signature algorithms accepted. Never symmetric ones.
  public var algorithms: [SignatureAlgorithm]
  /// How long a proof is accepted after it was made. Default 60 seconds.
  public var maximumAge: Duration
  /// By how much the sender's clock may be ahead. Default 10 seconds, as FAPI 2.0 demands.
  public var leeway: Duration
  /// Where "now" comes from.
  public var clock: WallClock
  /// Bounds on the proof's size.
  public var limits: Limits
  /// The nonces that a proof may or must have. Default: nothing is asked of them.
  public var nonces = DPoPNoncePolicy.unchecked

  /// Proofs with an access token and proofs without one have rooms of their own: a client that makes keys and proofs by
  /// the thousand takes no room from those that have a token.
  package var boundProofs, unboundProofs: UsedOnce

  /// A verifier that notes proofs in a store, which all machines that take them share.
  public init(
    algorithms: [SignatureAlgorithm] = [.es256], maximumAge: Duration = .seconds(60), leeway: Duration = .seconds(10),
    clock: WallClock = .system, limits: Limits = .default, records: any RecordStore
  ) {
    (self.algorithms, self.maximumAge, self.leeway, self.clock) = (algorithms, maximumAge, leeway, clock)
    self.limits = limits
    boundProofs = UsedOnce(records, kind: "dpop-bound-proof")
    unboundProofs = UsedOnce(records, kind: "dpop-proof")
  }

  /// What to send as `DPoP-Nonce`, with ``ErrorCode/dpopNonceRequired`` and with every answer to a proof; nil while
  /// ``nonces`` are not checked.
  public var currentNonce: String? { nonces.nonces?.nonce(at: clock.now) }

  /// Checks the proof of a request for a token that may come without.
  ///
  /// - Parameters:
  ///   - fields: the values of all `DPoP` fields of the request.
  ///   - method: as in ``verify(_:method:url:binding:nonce:)``.
  ///   - url: as there.
  /// - Returns: nil if there is no field: the token will be a bearer token.
  /// - Throws: ``JOSEError``: ``ErrorCode/malformed`` if there are several fields, then as
  ///   ``verify(_:method:url:binding:nonce:)``.
  public func verify(
    fields: [String], method: String, url: String
  ) async throws(JOSEError) -> VerifiedDPoPProof? {
    guard let proof = fields.first else { return nil }
    try Self.requireOne(fields)
    return try await verify(proof, method: method, url: url, binding: .none)
  }

  /// Checks the one proof of a request. A request with several `DPoP` fields is to be refused before.
  ///
  /// - Parameters:
  ///   - proof: the value of the request's one `DPoP` field: a compact JWS.
  ///   - method: the request's method, compared as bytes with `htm`: `POST`, not `post`.
  ///   - url: the request's URL as the client sees it, before any proxy changed it.
  ///   - binding: the access token of the request and the key that it is bound to; ``Binding/none`` where a token is
  ///     asked for.
  ///   - nonce: what the proof's `nonce` must be, where this very client was given one. Most servers set ``nonces``
  ///     instead.
  /// - Throws: ``JOSEError``: in this order, the proof's form, its header, its signature, its claims, with
  ///   ``ErrorCode/dpopNonceRequired`` (answer with `use_dpop_nonce` and ``currentNonce``), and at last
  ///   ``ErrorCode/claimMismatch`` for `jti` if the proof was seen before, ``ErrorCode/replayQuotaReached`` if
  ///   its key has made too many, ``ErrorCode/replayStoreFull`` if it can't be noted: then the client is not at
  ///   fault.
  public func verify(
    _ proof: String, method: String, url: String, binding: Binding, nonce: String? = nil
  ) async throws(JOSEError) -> VerifiedDPoPProof {
    let now = clock.now
    let checked = try checked(proof, method: method, url: url, binding: binding, nonce: nonce, now: now)
    // Only a proof that is right in all else is noted, so an attacker can't use up the name of another's.
    let isBound = if case .accessToken = binding { true } else { false }
    let name = UsedOnce.Name(
      [checked.thumbprint, checked.tokenID], maker: checked.thumbprint,
      expiry: checked.issuedAt.advanced(by: maximumAge))
    try await (isBound ? boundProofs : unboundProofs).requireNew(name, of: "jkt", now: now)
    return checked
  }

  /// Everything about a proof but whether it was seen before.
  package func checked(
    _ proof: String, method: String, url: String, binding: Binding, nonce: String?, now: NumericDate
  ) throws(JOSEError) -> VerifiedDPoPProof {
    var (document, publicKey) = try verifiedSignature(proof)
    let registered = try RegisteredClaims(&document)
    guard let claims = try? document.root.object() else {
      throw JOSEError(.malformed, "the claims are not a JSON object")
    }
    try Self.require(claims, "htm", is: method, "the proof is for another method than the request's")
    guard let target = try DPoPTarget(url) else {
      // The origin is what the server knows of itself; the path is what the sender of the request wrote.
      throw DPoPTarget.hasOrigin(url)
        ? JOSEError(.malformed, "the path of the request's URL has illegal characters", name: "htu")
        : JOSEError(.callerMisuse, "the URL has no scheme and host", name: "htu")
    }
    guard case .string(let claimed)? = claims["htu"], try DPoPTarget(claimed) == target else {
      throw JOSEError(
        .claimMismatch, "the proof is for another URL than the request's: make one for each request", name: "htu")
    }
    guard let issuedAt = registered.issuedAt else {
      throw JOSEError(.claimMissing, "the claim is absent", name: "iat")
    }
    guard issuedAt <= now.advanced(by: leeway) else {
      throw JOSEError(
        .claimNotYetValid, "the proof was made in the future by this clock: one of the two clocks is wrong", name: "iat"
      )
    }
    guard now <= issuedAt.advanced(by: maximumAge) else {
      throw JOSEError(.claimExpired, "the proof is too old: a client makes a new proof for each request", name: "iat")
    }
    if let nonce { try Self.require(claims, "nonce", is: nonce, "the proof has another nonce than the one given") }
    try nonces.require(claims["nonce"].map { $0.stringValue ?? "" }, at: now)
    let thumbprint = try publicKey.thumbprint()
    if case .accessToken(let token, let boundThumbprint) = binding {
      try Self.require(
        claims, "ath", is: DPoP.accessTokenHash(token), "the proof is for another access token than the request's")
      guard WireName(thumbprint) == boundThumbprint else {
        throw JOSEError(.keyMismatch, "the access token is bound to another key", name: "jkt")
      }
    }
    guard let tokenID = registered.tokenID, !tokenID.isEmpty else {
      throw JOSEError(.claimMissing, "the claim is absent", name: "jti")
    }
    guard tokenID.utf8.count <= limits.keyIDByteCount else {
      throw JOSEError(.limitExceeded, "the proof's name is too long", name: "jti")
    }
    return VerifiedDPoPProof(publicKey: publicKey, thumbprint: thumbprint, tokenID: tokenID, issuedAt: issuedAt)
  }

  /// The claims, once the key in the header has verified the signature.
  private func verifiedSignature(_ proof: String) throws(JOSEError) -> (JSONDocument, JWK) {
    guard !algorithms.isEmpty, algorithms.allSatisfy({ $0.row.keyType != .oct }) else {
      throw JOSEError(.callerMisuse, "proofs are signed with asymmetric algorithms", name: "algorithms")
    }
    guard proof.utf8.count <= limits.tokenByteCount else {
      throw JOSEError(.limitExceeded, "the proof is too long", name: "tokenByteCount")
    }
    let token = try UnverifiedJWS(parsing: proof, limits: limits)
    let header = token.unverifiedHeader
    guard TypePolicy.anyOf([DPoP.type]).accepts(header.type) else {
      throw JOSEError(.typeMismatch, "not a DPoP proof, whose typ is dpop+jwt", name: "typ")
    }
    guard let algorithm = SignatureAlgorithm(name: header.algorithm), algorithms.contains(algorithm) else {
      throw VerificationKeySource.notAllowed(header.algorithm)
    }
    guard case .object(let members)? = header["jwk"] else {
      throw JOSEError(.headerInvalid, "the public key is absent or not an object", name: "jwk")
    }
    for name in JWK.privateMembers where members[name] != nil {
      throw JOSEError(.keyInvalid, "the public key has a private member", name: "jwk")
    }
    let publicKey = try JWK(members, limits: limits)
    let key = try VerificationKey(received: publicKey, orNamed: algorithm)
    _ = try token.verified(with: key, understanding: [])
    return (try token.claims.get(), publicKey)
  }

  static func requireOne(_ fields: [String]) throws(JOSEError) {
    guard fields.count == 1 else {
      throw JOSEError(.malformed, "a request has exactly one proof (RFC 9449 §4.3)", name: "DPoP")
    }
  }

  private static func require(
    _ claims: JSONObject, _ name: String, is expected: String, _ mismatch: StaticString
  ) throws(JOSEError) {
    guard let value = claims[name] else {
      throw JOSEError(
        .claimMissing, "the claim of the proof is absent: it names method, URL, access token or nonce", name: name)
    }
    guard case .string(let text) = value, ConstantTime.equal(text.utf8, expected.utf8) else {
      throw JOSEError(.claimMismatch, mismatch, name: name)
    }
  }
}

/// A DPoP proof that has been checked. Only checking makes a value of this type.
public struct VerifiedDPoPProof: Sendable {
  /// The key that the sender holds. It proves nothing else.
  public let publicKey: JWK
  /// The key's SHA-256 thumbprint, to be written into a token's `cnf.jkt`.
  public let thumbprint: String
  /// The proof's own name (`jti`), which a verifier notes so that it counts once.
  public let tokenID: String
  /// When the proof was made (`iat`), by the clock of its sender.
  public let issuedAt: NumericDate

  init(publicKey: JWK, thumbprint: String, tokenID: String, issuedAt: NumericDate) {
    (self.publicKey, self.thumbprint, self.tokenID, self.issuedAt) = (publicKey, thumbprint, tokenID, issuedAt)
  }
}
