import JOSE
import OpenIDKit
import StrictJSON

/// The checks of a client on what a token endpoint answered.
struct ResponseCheck: Sendable {
  let configuration: NativeSSOClientConfiguration
  /// When the answer came: its lifetimes count from then.
  var receivedAt: NumericDate?

  /// A sign-in whose response was accepted, and the pair to store, if there is one.
  typealias Accepted = (signIn: SignIn, pair: SSOPair?)

  /// Takes what a login has brought.
  func login(_ login: RedeemedLogin, scopes: [String]) throws(JOSEError) -> Accepted {
    let response = TokenResponse(
      login.answer.tokens, in: login.answer.object, acceptsAlias: configuration.profile.acceptsDeviceTokenAlias)
    let claims = try IDTokenClaims(login.verified)
    let (sharing, pair) = newPair(response, claims)
    return (signIn(response, .interactive, scopes, claims, sharing), pair)
  }

  /// The pair in the answer to a refresh, whose ID token has been verified; nil if there is none that may be used.
  func renewal(_ response: TokenResponse, _ idToken: VerifiedJWT<JSONObject>) -> SSOPair? {
    guard let claims = try? IDTokenClaims(idToken) else { return nil }
    return newPair(response, claims).pair
  }

  /// Checks the answer to a token exchange.
  func exchange(_ answer: HTTPResponseValue, pair: SSOPair) async throws(JOSEError) -> Accepted {
    let response = try TokenResponse(
      parsing: answer.body, acceptsAlias: configuration.profile.acceptsDeviceTokenAlias)
    let expectedType = configuration.profile.requestedTokenType ?? TokenTypeIdentifier.accessToken
    let isExpectedType =
      response.issuedTokenType.map { $0 == expectedType }
      ?? configuration.profile.toleratesMissingIssuedTokenType
    guard isExpectedType else {
      throw JOSEError(.unexpectedIssuedTokenType, "the issued token has an unexpected type", name: "issued_token_type")
    }
    // Tokens that aren't bound would be good for any finder (RFC 9449 §5).
    // Some servers bind what no proof asked for; who has no key can't tell.
    guard configuration.proofKey == nil || response.tokens.isType(bound: true) else { throw JOSEError(.otherType) }
    guard let claims = try await verify(response) else {
      // Without an ID token nothing says who the user is, except the pair that was accepted.
      let sharing = response.deviceSecretProblem.map { SignIn.Sharing.discarded($0) } ?? .unchanged
      return (signIn(response, .silent, configuration.scopes, nil, sharing, pair), nil)
    }
    try requireSamePerson(claims, as: pair)
    guard response.deviceSecret == nil, response.deviceSecretProblem == nil else {
      let (sharing, newPair) = newPair(response, claims)
      return (signIn(response, .silent, configuration.scopes, claims, sharing), newPair)
    }
    // Servers may leave ds_hash out here. Then the pair must stay as it is: overwriting the ID token would destroy the
    // binding.
    if let hash = claims.deviceSecretHash, finding(hash, pair.deviceSecret, claims) == .mismatch {
      throw JOSEError(.deviceSecretBindingMismatch, "the ID token binds another device secret", name: "ds_hash")
    }
    return (signIn(response, .silent, configuration.scopes, claims, .unchanged), nil)
  }

  /// The claims of a response's ID token, verified; nil if there is none.
  private func verify(_ response: TokenResponse) async throws(JOSEError) -> IDTokenClaims? {
    guard let idToken = response.tokens.idToken else { return nil }
    var request = IDTokenRequest.refresh
    request.accessToken = response.tokens.accessToken
    return try IDTokenClaims(
      await IDTokenVerification(configuration: configuration).verify(idToken, answering: request))
  }

  private func requireSamePerson(_ claims: IDTokenClaims, as pair: SSOPair) throws(JOSEError) {
    if !configuration.profile.usesPairwiseSubjects, claims.subject != pair.subject {
      throw IDTokenClaims.invalid("sub")
    }
    if let mine = claims.sessionID, let theirs = pair.sessionID, mine != theirs {
      throw IDTokenClaims.invalid("sid")
    }
  }

  /// The pair of a response, or why there is none. Never fails: the login stands without it.
  private func newPair(
    _ response: TokenResponse, _ claims: IDTokenClaims
  ) -> (sharing: SignIn.Sharing, pair: SSOPair?) {
    func mismatch(_ text: StaticString) -> (SignIn.Sharing, SSOPair?) {
      (.discarded(JOSEError(.deviceSecretBindingMismatch, text, name: "ds_hash")), nil)
    }
    if let problem = response.deviceSecretProblem { return (.discarded(problem), nil) }
    guard let secret = response.deviceSecret, let idToken = response.tokens.idToken else { return (.unavailable, nil) }
    guard let hash = claims.deviceSecretHash else { return mismatch("no ds_hash binds the secret") }
    var recipe: DSHashRecipe?
    switch finding(hash, secret, claims) {
    case .verified(let found): recipe = found
    case .unverifiable: break
    case .mismatch: return mismatch("ds_hash binds another device secret: possible tampering")
    }
    let pair = SSOPair(
      claims: claims, clientID: configuration.clientID, deviceSecret: secret, idToken: idToken,
      dsHashRecipe: recipe, storedAt: configuration.clock.now, writer: configuration.writer)
    return (.stored, pair)
  }

  private func finding(_ hash: String, _ secret: DeviceSecret, _ claims: IDTokenClaims) -> DSHashFinding {
    DSHashFinding(
      hash, secret: secret, signatureAlgorithm: claims.algorithm, configured: configuration.profile.dsHashRecipe)
  }

  /// - Parameter pair: what says who the user is, without an ID token.
  private func signIn(
    _ response: TokenResponse, _ origin: SignIn.Origin, _ requested: [String], _ claims: IDTokenClaims?,
    _ sharing: SignIn.Sharing, _ pair: SSOPair? = nil
  ) -> SignIn {
    var tokens = response.tokens
    tokens.scope = Scope.text(tokens.scope.flatMap(Scope.values) ?? requested)
    tokens.expiresIn = tokens.expiresIn ?? TokenRecord.assumedLifetime
    if let receivedAt { tokens = tokens.aged(since: receivedAt, at: configuration.clock.now) }
    return SignIn(
      tokens: tokens, subject: (claims?.subject ?? pair?.subject ?? "").text,
      sessionID: (claims?.sessionID ?? pair?.sessionID)?.text, origin: origin, sharing: sharing)
  }
}
