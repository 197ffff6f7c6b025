import JOSE
import StrictJSON

/// The checks of a client on what a token endpoint answered.
struct ResponseCheck: Sendable {
  let configuration: NativeSSOClientConfiguration
  /// When the answer came: its lifetimes count from then.
  var receivedAt: NumericDate?

  /// A sign-in whose response was accepted, and the pair to store, if there is one.
  typealias Accepted = (signIn: SignIn, pair: SSOPair?)

  /// Checks the answer to a code.
  func login(_ response: HTTPResponseValue, pending: PendingLogin) async throws(NativeSSOError) -> Accepted {
    let tokens = try parse(response)
    guard let idToken = tokens.idToken else {
      throw NativeSSOError(.answerMalformed, "the response has no ID token", name: "id_token")
    }
    let verified = try await verification.verify(idToken, nonce: pending.nonce, accessToken: tokens.accessToken)
    let (sharing, pair) = newPair(tokens, idToken, verified)
    return (signIn(tokens, verified.claims, pending.requestedScopes, .interactive, sharing), pair)
  }

  /// Checks the answer to a refresh token.
  ///
  /// - Parameter known: the tokens that are being refreshed.
  func refresh(_ response: HTTPResponseValue, known: TokenSet) async throws(NativeSSOError) -> Accepted {
    let tokens = try parse(response)
    // Tokens that were bound to a key would be good for whoever finds them (RFC 9449 §5).
    guard
      OAuthAnswer.isType(tokens.tokenType, among: "dpop") || !OAuthAnswer.isType(known.tokenType, among: "dpop")
    else {
      throw NativeSSOError(.unsupportedTokenType, "the tokens are not bound to a key any more", name: "token_type")
    }
    guard let idToken = tokens.idToken else {
      return (signIn(tokens, known: known, .refresh, Self.withoutIDToken(tokens)), nil)
    }
    let original = known.loginIDToken ?? known.idToken
    let verified = try await verification.verify(idToken, nonce: nil, accessToken: tokens.accessToken)
    guard verified.claims.subject.hasSameBytes(as: known.subject) else { throw IDTokenClaims.invalid("sub") }
    if let original, let name = IDTokenContinuation.fault(of: verified.members, continuing: original) {
      throw IDTokenClaims.invalid(name)
    }
    let (sharing, pair) =
      tokens.deviceSecret == nil && tokens.deviceSecretProblem == nil
      ? (.unchanged, nil) : newPair(tokens, idToken, verified)
    var set = tokenSet(
      tokens, known.scopes, subject: verified.claims.subject,
      sessionID: verified.claims.sessionID ?? known.sessionID)
    // Without a new one the old one stays good.
    set.refreshToken = set.refreshToken ?? known.refreshToken
    set.loginIDToken = original
    let signIn = SignIn(
      tokens: set, origin: .refresh, sharing: sharing, lacksSessionBinding: set.sessionID == nil)
    return (signIn, pair)
  }

  /// The pair in the answer to a refresh whose tokens are somebody else's business, with whom it is about; nil if there
  /// is none that may be used.
  func renewal(_ response: HTTPResponseValue) async -> Accepted? {
    guard let tokens = try? parse(response), tokens.deviceSecret != nil, let idToken = tokens.idToken,
      let verified = try? await verification.verify(idToken, nonce: nil, accessToken: tokens.accessToken),
      case (let sharing, let pair?) = newPair(tokens, idToken, verified)
    else { return nil }
    return (signIn(tokens, verified.claims, configuration.scopes, .refresh, sharing), pair)
  }

  /// Checks the answer to a token exchange.
  func exchange(_ response: HTTPResponseValue, pair: SSOPair) async throws(NativeSSOError) -> Accepted {
    let tokens = try parse(response)
    let expectedType = configuration.profile.requestedTokenType ?? .accessToken
    if tokens.issuedTokenType != expectedType {
      guard tokens.issuedTokenType == nil, configuration.profile.toleratesMissingIssuedTokenType else {
        throw NativeSSOError(.unexpectedIssuedTokenType, "another type of token was issued", name: "issued_token_type")
      }
    }
    guard let idToken = tokens.idToken else {
      // Without an ID token nothing says who the user is, except the pair that was accepted.
      let known = TokenSet(
        accessToken: "", tokenType: "", expiresAt: configuration.clock.now, refreshToken: nil, idToken: nil,
        scopes: configuration.scopes, subject: pair.subject, sessionID: pair.sessionID)
      return (signIn(tokens, known: known, .silent, Self.withoutIDToken(tokens)), nil)
    }
    let verified = try await verification.verify(idToken, nonce: nil, accessToken: tokens.accessToken)
    try requireSamePerson(verified.claims, as: pair)
    guard tokens.deviceSecret == nil, tokens.deviceSecretProblem == nil else {
      let (sharing, newPair) = newPair(tokens, idToken, verified)
      return (signIn(tokens, verified.claims, configuration.scopes, .silent, sharing), newPair)
    }
    // Servers may leave ds_hash out here. Then the pair must stay as it is: overwriting the ID token would destroy the
    // binding.
    if let hash = verified.claims.deviceSecretHash {
      let finding = DSHashFinding(
        hash, secret: pair.deviceSecret, signatureAlgorithm: verified.algorithm,
        configured: configuration.profile.dsHashRecipe)
      guard finding != .mismatch else {
        throw NativeSSOError(.deviceSecretBindingMismatch, "the ID token binds another device secret", name: "ds_hash")
      }
    }
    return (signIn(tokens, verified.claims, configuration.scopes, .silent, .unchanged), nil)
  }

  private var verification: IDTokenVerification { IDTokenVerification(configuration: configuration) }

  private func parse(_ response: HTTPResponseValue) throws(NativeSSOError) -> TokenResponse {
    guard response.status == 200 else {
      throw NativeSSOError(.answerMalformed, "the status is neither success nor an OAuth error")
    }
    return try TokenResponse(parsing: response.body, acceptsAlias: configuration.profile.acceptsDeviceTokenAlias)
  }

  private func requireSamePerson(_ claims: IDTokenClaims, as pair: SSOPair) throws(NativeSSOError) {
    if !configuration.profile.usesPairwiseSubjects, !claims.subject.hasSameBytes(as: pair.subject) {
      throw IDTokenClaims.invalid("sub")
    }
    if let mine = claims.sessionID, let theirs = pair.sessionID, !mine.hasSameBytes(as: theirs) {
      throw IDTokenClaims.invalid("sid")
    }
  }

  /// The pair of a response, or why there is none. Never fails: the login stands without it.
  private func newPair(
    _ tokens: TokenResponse, _ idToken: String, _ verified: IDTokenVerification.Verified
  ) -> (SignIn.Sharing, SSOPair?) {
    if let problem = tokens.deviceSecretProblem { return (.discarded(problem), nil) }
    guard let secret = tokens.deviceSecret else { return (.unavailable, nil) }
    guard let hash = verified.claims.deviceSecretHash else {
      return (
        .discarded(NativeSSOError(.deviceSecretBindingMismatch, "no ds_hash binds the secret", name: "ds_hash")), nil
      )
    }
    let finding = DSHashFinding(
      hash, secret: secret, signatureAlgorithm: verified.algorithm, configured: configuration.profile.dsHashRecipe)
    var recipe: DSHashRecipe?
    switch finding {
    case .verified(let found): recipe = found
    case .unverifiable: break
    case .mismatch:
      let mismatch = NativeSSOError(
        .deviceSecretBindingMismatch, "ds_hash binds another device secret: possible tampering", name: "ds_hash")
      return (.discarded(mismatch), nil)
    }
    let pair = SSOPair(
      claims: verified.claims, clientID: configuration.clientID, deviceSecret: secret, idToken: idToken,
      dsHashRecipe: recipe, storedAt: configuration.clock.now, writer: configuration.writer)
    return (.stored, pair)
  }

  private static func withoutIDToken(_ tokens: TokenResponse) -> SignIn.Sharing {
    tokens.deviceSecretProblem.map { .discarded($0) } ?? .unchanged
  }

  private func signIn(
    _ tokens: TokenResponse, _ claims: IDTokenClaims, _ requested: [String], _ origin: SignIn.Origin,
    _ sharing: SignIn.Sharing
  ) -> SignIn {
    let set = tokenSet(tokens, requested, subject: claims.subject, sessionID: claims.sessionID)
    return SignIn(tokens: set, origin: origin, sharing: sharing, lacksSessionBinding: claims.sessionID == nil)
  }

  private func signIn(
    _ tokens: TokenResponse, known: TokenSet, _ origin: SignIn.Origin, _ sharing: SignIn.Sharing
  ) -> SignIn {
    var set = tokenSet(tokens, known.scopes, subject: known.subject, sessionID: known.sessionID)
    set.refreshToken = set.refreshToken ?? known.refreshToken
    set.idToken = set.idToken ?? known.idToken
    set.loginIDToken = known.loginIDToken
    return SignIn(tokens: set, origin: origin, sharing: sharing, lacksSessionBinding: known.sessionID == nil)
  }

  private func tokenSet(
    _ tokens: TokenResponse, _ requested: [String], subject: String, sessionID: String?
  ) -> TokenSet {
    TokenSet(
      accessToken: tokens.accessToken, tokenType: tokens.tokenType,
      expiresAt: (receivedAt ?? configuration.clock.now).advanced(
        by: Double(tokens.expiresIn ?? TokenResponse.assumedLifetime)),
      refreshToken: tokens.refreshToken, idToken: tokens.idToken,
      scopes: tokens.scope.flatMap(Scope.values) ?? requested, subject: subject, sessionID: sessionID)
  }
}
