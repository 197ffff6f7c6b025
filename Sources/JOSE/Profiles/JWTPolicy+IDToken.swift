import PureCrypto
import StrictJSON

extension JWTPolicy {
  /// ID tokens of an OpenID provider, for one login.
  ///
  /// ```swift
  /// let policy = JWTPolicy.idToken(
  ///   from: .google(), clientID: clientID, answering: IDTokenRequest(nonce: session.nonce))
  /// let token = try JWTVerifier(keys: keys, algorithms: [.rs256], policy: policy).verify(text)
  /// ```
  ///
  /// A policy is for one login, since the nonce is. Making a verifier with it costs nothing: the keys keep what was
  /// prepared of them. Audiences beside the client are refused unless they are trusted by name. Clocks may differ by a
  /// minute: ``leeway``.
  /// - Parameters:
  ///   - provider: who issued the token.
  ///   - clientID: this client.
  ///   - request: what the login asked for.
  ///   - clock: where "now" comes from.
  ///
  /// Source: OpenID Connect Core 1.0 (errata set 2) §2 and §3.1.3.7.
  public static func idToken(
    from provider: IDTokenProvider, clientID: String, answering request: IDTokenRequest, clock: WallClock = .system
  ) -> JWTPolicy {
    var policy = idToken(issuer: provider.issuer, clientIDs: [clientID], answering: request, clock: clock)
    if let rule = provider.rule { policy.rules.append(rule) }
    return policy
  }

  /// The rules of an ID token: the one place where they stand, for every verifier in the package but a Mac, which
  /// looks at less: ``idTokenAsMacsTakeIt(issuer:clientID:nonce:requiresNonce:leeway:clock:limits:)``.
  ///
  /// - Parameter clientIDs: the names of the one client that asks.
  package static func idToken(
    issuer: IssuerPolicy, clientIDs: [String], answering request: IDTokenRequest, leeway: Duration = .seconds(60),
    clock: WallClock,
    limits: Limits = .default
  ) -> JWTPolicy {
    var policy = JWTPolicy(
      issuer: issuer, audience: .anyOf(clientIDs),
      requiredClaims: ["iss", "sub", "exp", "iat"],
      // The client got the token itself, by a login of its own. No bearer shows it, so there is no key to prove.
      bindingIsChecked: true, clock: clock, limits: limits
    ).with { token throws(JOSEError) in
      try token.requireIDToken(clientIDs: clientIDs, request: request)
      try token.requireHash("at_hash", of: request.accessToken, isRequired: request.requiresAccessTokenHash)
      try token.requireHash("c_hash", of: request.code, isRequired: request.code != nil && request.requiresCodeHash)
      try token.requireHash("s_hash", of: request.state, isRequired: request.state != nil)
    }
    policy.leeway = leeway
    return policy
  }

  /// What a Mac looks at in the ID token of a Platform SSO login: issuer, audience, nonce, times and kind of token.
  ///
  /// What OpenID Connect demands besides is not asked for, since providers that Macs log in with write it otherwise:
  /// further audiences without `azp`, a `sub` that is not ASCII or, where another claim names the user, not there,
  /// `amr` as text, `acr` and `sid` as numbers. `exp` has no leeway, and dates may be text.
  ///
  /// Source: Apple, Processing the JSON Web Encryption (JWE) login response.
  /// - Parameters:
  ///   - nonce: the request's.
  ///   - requiresNonce: whether a token without nonce is refused. One that is there is compared all the same.
  package static func idTokenAsMacsTakeIt(
    issuer: String, clientID: String, nonce: String, requiresNonce: Bool, leeway: Duration, clock: WallClock,
    limits: Limits
  ) -> JWTPolicy {
    var request = IDTokenRequest(nonce: nonce)
    request.requiresNonce = requiresNonce
    var policy = JWTPolicy(
      issuer: .anyOf([issuer]), audience: .anyOf([clientID]), requiredClaims: ["iss", "aud", "exp", "iat"],
      // The Mac got the token itself, as every client that logs in.
      bindingIsChecked: true, clock: clock, limits: limits
    ).with { [request] token throws(JOSEError) in
      guard let expiration = token.registered.expiration, expiration > token.now else {
        throw JOSEError(.claimExpired, "the token has expired: get a new one", name: "exp")
      }
      try token.requireAbsent("events")
      if token.value("azp") != nil { try token.require("azp", is: clientID) }
      try token.requireNonce(request)
    }
    (policy.leeway, policy.maximumLifetime) = (leeway, nil)
    policy.datesMayBeText = true
    return policy
  }

  /// A provider's own ID tokens, of any age, which clients send back to say who is meant: `id_token_hint` of a login or
  /// a logout, or the subject token of an exchange.
  ///
  /// Signature, issuer and type are checked, so that no access token, logout token or assertion that the same key has
  /// signed passes, and the other claims as a client would. That the token was made for a client of the provider is for
  /// the caller to check: `aud` and `azp` name it. A hint proves nothing about who sends it.
  /// - Parameters:
  ///   - issuer: the provider's own identifier.
  ///   - clock: where "now" comes from.
  ///
  /// Source: OpenID Connect Core 1.0 (errata set 2) §2 and §3.1.2.1, RP-Initiated Logout 1.0 §2 and §4.
  public static func idTokenHint(issuer: String, clock: WallClock = .system) -> JWTPolicy {
    var policy = JWTPolicy(
      issuer: .anyOf([issuer]), audience: .notChecked, requiredClaims: ["iss", "sub", "aud", "exp", "iat"],
      refusesFutureIssuedAt: true, clock: clock
    ).with { token throws(JOSEError) in
      // With these two it is an access token of an issuer that doesn't say `at+jwt`.
      try token.requireAbsent("scope", "client_id")
      try token.requireIDToken(clientIDs: nil, request: .refresh)
    }
    (policy.refusesExpired, policy.maximumLifetime) = (false, nil)
    return policy
  }
}

extension JWTPolicy {
  /// Whether a text can be the `sub` of an ID token: 1 to 255 printable ASCII characters, and more than spaces. A
  /// provider asks before it takes a user.
  ///
  /// Source: OpenID Connect Core 1.0 (errata set 2) §2.
  public static func isSubject(_ text: String) -> Bool {
    text.utf8.count <= 255 && text.utf8.allSatisfy { (0x20...0x7E).contains($0) } && text.utf8.contains { $0 != 0x20 }
  }
}

extension ClaimsUnderRule {
  /// What every verifier of ID tokens demands.
  ///
  /// - Parameter clientIDs: the names of the client that asks; nil for the issuer itself, which knows all its clients.
  fileprivate func requireIDToken(clientIDs: [String]?, request: IDTokenRequest) throws(JOSEError) {
    // With events it is a logout token or another that tells of something.
    try requireAbsent("events")
    try requireSubject()
    if let clientIDs {
      try requireParties(clientIDs: clientIDs, request: request)
    }
    try requireNonce(request)
    try requireAuthentication(request)
    for name in ["azp", "at_hash", "c_hash", "s_hash", "ds_hash", "sid"] { _ = try string(name) }
  }

  func requireSubject() throws(JOSEError) {
    guard let subject = registered.subject, JWTPolicy.isSubject(subject) else {
      throw Self.invalid("the subject is not 1 to 255 printable ASCII characters", "sub")
    }
  }

  fileprivate func requireParties(clientIDs: [String], request: IDTokenRequest) throws(JOSEError) {
    let audience = registered.audienceNames.names ?? []
    guard audience.allSatisfy({ clientIDs.contains($0) || request.trustedAudiences.contains($0) })
    else { throw JOSEError(.claimMismatch, "the token has further audiences", name: "aud") }
    // Whose secret would it be?
    if audience.count > 1, key?.algorithm.row.keyType == .oct {
      throw JOSEError(.claimMismatch, "an ID token under a client secret must have one audience", name: "aud")
    }
    guard let party = try name("azp") else {
      guard audience.count <= 1 else { throw Self.missing("azp") }
      return
    }
    guard clientIDs.contains(party) || request.authorizedParties.contains(party) else {
      throw JOSEError(.claimMismatch, "the token was made for another client than this one", name: "azp")
    }
  }

  /// `nonce`: as it was sent, and absent where none was.
  fileprivate func requireNonce(_ request: IDTokenRequest) throws(JOSEError) {
    let claimed = try string("nonce")
    guard request.requiresNonce || request.nonce != nil && claimed != nil else { return }
    if let nonce = request.nonce {
      guard let claimed else { throw Self.missing("nonce") }
      guard ConstantTime.equal(claimed.utf8, nonce.utf8) else {
        throw JOSEError(.claimMismatch, "the nonce is that of another login: begin a new one", name: "nonce")
      }
    } else if claimed != nil {
      throw JOSEError(.claimMismatch, "the token answers a request that sent a nonce", name: "nonce")
    }
  }

  /// `auth_time`, `acr` and `amr`.
  fileprivate func requireAuthentication(_ request: IDTokenRequest) throws(JOSEError) {
    try requireStringsIfPresent("amr")
    let time = try date("auth_time")
    if let time, time > now.advanced(by: policy.leeway) {
      throw JOSEError(.claimNotYetValid, "the user has authenticated in the future", name: "auth_time")
    }
    if let maximumAge = request.maximumAuthenticationAge {
      guard maximumAge >= .zero else {
        throw JOSEError(.callerMisuse, "the maximum age is a number of seconds, 0 or more", name: "max_age")
      }
      guard let time else { throw Self.missing("auth_time") }
      guard now <= time.advanced(by: maximumAge.inSeconds + policy.leeway.inSeconds) else {
        throw JOSEError(.claimExpired, "the authentication is too old", name: "auth_time")
      }
    }
    let context = try name("acr")
    guard !request.authenticationContexts.isEmpty else { return }
    guard let context else { throw Self.missing("acr") }
    guard request.authenticationContexts.contains(context) else { throw Self.mismatch("acr") }
  }

  /// Requires that a hash of what came beside the token is the one in it.
  fileprivate func requireHash(_ name: String, of text: String?, isRequired: Bool) throws(JOSEError) {
    guard let hash = try string(name) else {
      guard !isRequired else { throw Self.missing(name) }
      return
    }
    guard let text else {
      guard !isRequired else {
        throw JOSEError(.callerMisuse, "the hash is required, but the value that it is of was not given", name: name)
      }
      return
    }
    guard let algorithm = SignatureAlgorithm(name: header.algorithm),
      ConstantTime.equal(hash.utf8, algorithm.leftHalfHash(of: text).utf8)
    else { throw JOSEError(.claimMismatch, "the hash must be of the value that came with the token", name: name) }
  }
}

extension SignatureAlgorithm {
  /// `at_hash`, `c_hash` or `s_hash` for a token that is signed with this algorithm: the left half of the hash of the
  /// text, in base64url.
  ///
  /// The hash is the algorithm's own: SHA-256, SHA-384 or SHA-512; for Ed25519 SHA-512. No document names one for
  /// ML-DSA yet: it is SHAKE256 with 64 octets here, what ML-DSA itself makes of a message.
  /// Source: OpenID Connect Core 1.0 §3.1.3.6.
  /// Timing: depends on the length only.
  public func leftHalfHash(of text: String) -> String {
    unsafe Array(text.utf8).withUnsafeBytes { unsafe leftHalfHash(of: $0) }
  }

  /// The same of octets, such as a secret's.
  package func leftHalfHash(of octets: UnsafeRawBufferPointer) -> String {
    switch row.hash {
    case .sha256: unsafe Self.leftHalf(SHA2.SHA256.hash(octets))
    case .sha384: unsafe Self.leftHalf(SHA2.SHA384.hash(octets))
    case .sha512: unsafe Self.leftHalf(SHA2.SHA512.hash(octets))
    case .shake256: unsafe Self.leftHalfSHAKE256(octets)
    }
  }

  private static func leftHalfSHAKE256(_ octets: UnsafeRawBufferPointer) -> String {
    var sponge = KeccakSponge.shake256
    unsafe sponge.update(octets)
    // A longer output begins with the shorter one.
    return Base64URL.encode(sponge.output(byteCount: 32))
  }

  private static func leftHalf(_ digest: some SHA2Digest) -> String {
    Base64URL.encode(digest.prefix(digest.count / 2))
  }
}
