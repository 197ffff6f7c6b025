import JOSE
import OpenIDKit
import StrictJSON

/// A website's side of Sign in with Apple, from the button to the verified user.
///
/// ```swift
/// let start = try await client.begin(scopes: [.name, .email])
/// // set the cookie to start.handle, redirect to start.url; then, in the callback:
/// switch try await client.finish(request, handle: cookie, keepingUser: { try await names.keep($0, for: browser) }) {
/// case .signedIn(let signIn): …
/// case .cancelled: …
/// }
/// ```
///
/// What Apple does as every OpenID provider does is OpenIDKit's; here is what it does differently.
public struct AppleSignInClient: Sendable {
  private let clientID: String
  private let redirectURI: AppleRedirectURI
  private let endpoint: AppleTokenEndpoint
  private let verifier: AppleIdentityTokenVerifier
  private let keyStore: AppleKeyStore
  private let waiting: OneTimeRecords
  private let clock: WallClock
  private let teamID: String

  /// A client.
  ///
  /// - Parameters:
  ///   - clientID: the website's Services ID. Identity tokens for anything else are refused.
  ///   - redirectURI: where Apple sends the browser back to; registered for the client.
  ///   - signer: makes client secrets. Its service and its clock serve for everything else here too.
  ///   - records: where sign-ins wait, shared by all machines of the site. The default serves one process.
  ///   - transport: sends a request and returns the response, without following redirects.
  public init(
    clientID: String, redirectURI: AppleRedirectURI, signer: AppleClientSecretSigner,
    records: any RecordStore = MemoryRecordStore(byteLimit: 16 << 20), transport: @escaping HTTPTransport
  ) {
    (self.clientID, self.redirectURI) = (clientID, redirectURI)
    waiting = OneTimeRecords(records, kind: StoredRecord.Kind(library: "apple-sign-in"), clock: signer.clock)
    clock = signer.clock
    teamID = signer.teamID
    endpoint = AppleTokenEndpoint(clientID: clientID, signer: signer, transport: transport)
    verifier = AppleIdentityTokenVerifier(audiences: [clientID], service: signer.service, clock: signer.clock)
    keyStore = AppleKeyStore(service: signer.service, clock: signer.clock, transport: transport)
  }

  /// Begins a sign-in.
  ///
  /// - Throws: `JOSEError`: a rule of `AppleAuthorizationRequest`, or
  ///   `ErrorCode.storeUnavailable`.
  public func begin(
    responseType: AppleResponseType = .code, scopes: Set<AppleScope> = [], responseMode: AppleResponseMode? = nil
  ) async throws(JOSEError) -> AppleSignInStart {
    let request = try AppleAuthorizationRequest(
      clientID: clientID, redirectURI: redirectURI, responseType: responseType, scopes: scopes,
      responseMode: responseMode, teamID: teamID)
    let handle = RandomSource.system.token()
    let pending = request.pending(now: clock.now)
    // One that comes a little late is told so.
    let expiration = pending.startedAt.advanced(by: AppleAuthorizationResponse.maximumAge + 60)
    let isKept = try await JOSEError.askingStore {
      try await waiting.insert(pending.serialized(), name: handle, expiresAt: expiration)
    }
    guard isKept else {
      throw JOSEError(.storeUnavailable, "the store refused a fresh handle")
    }
    return AppleSignInStart(url: request.url(of: endpoint.service), handle: handle)
  }

  /// Finishes a sign-in: checks the response, exchanges the code, and verifies who it is.
  ///
  /// - Parameters:
  ///   - callback: the request to the redirect URI as it came. Nothing in it is trusted.
  ///   - handle: from this browser's cookie. It is good for one callback that has the sign-in's `state`, whatever the
  ///     outcome. A callback of another tab, or one that a stranger's page has sent, uses nothing up: keep the cookie
  ///     where ``mayStillWait(after:)``.
  ///   - keep: told what the user shared before anything is asked of Apple. The name comes once: if the exchange
  ///     fails after that, the next sign-in brings none. Keep it with the browser's session until a sign-in is
  ///     finished, and trust it no more than that. A program that asks for no name keeps nothing: `{ _ in }`. If it
  ///     throws, the sign-in ends with `ErrorCode.storeUnavailable`.
  /// - Throws: `JOSEError`. ``AppleTokenRecovery`` says what to do; for a code it is always a new
  ///   sign-in or the configuration.
  public func finish(
    _ callback: HTTPRequestValue, handle: String, keepingUser keep: @Sendable (AppleUser) async throws -> Void
  ) async throws(JOSEError) -> AppleSignInOutcome {
    let (parameters, pending) = try await take(handle, by: callback)
    let outcome = try AppleAuthorizationResponse.outcome(of: parameters, for: pending, clock: clock)
    guard case .authorized(let response) = outcome else { return .cancelled }
    if let user = response.user { try await JOSEError.askingStore { try await keep(user) } }
    var frontChannel: AppleIdentity?
    if let token = response.unverifiedIdentityToken {
      frontChannel = try await verify(token, pending.nonce, .authorizationResponse(code: response.code))
    }
    let tokens = try await endpoint.tokens(for: .authorizationCode(response.code, redirectURI: pending.redirectURI))
    guard let token = tokens.idToken else {
      throw JOSEError(.identityTokenMissing, "the answer has no identity token", name: "id_token")
    }
    let identity = try await verify(
      token, pending.nonce, .tokenResponse(code: response.code, accessToken: tokens.accessToken))
    if let frontChannel, !frontChannel.isAbout(identity.subject) {
      throw JOSEError(.subjectMismatch, "the two identity tokens must have the same subject", name: "sub")
    }
    return .signedIn(AppleSignIn(identity: identity, user: response.user, tokens: tokens))
  }

  /// Whether a sign-in may wait for its answer still, after ``finish(_:handle:keepingUser:)`` has thrown an error: the
  /// callback was not its answer, or the store could not say. The browser then keeps its cookie.
  public static func mayStillWait(after error: JOSEError) -> Bool { errorsBeforeUse.contains(error.code) }

  private static let errorsBeforeUse: Set<ErrorCode> = [
    .methodNotAllowed, .contentTypeInvalid, .limitExceeded, .malformed, .fieldDuplicated, .stateMissing,
    .stateMismatch, .storeUnavailable,
  ]

  /// The sign-in that a callback answers, which is used up by that. One whose `state` it doesn't have stays.
  private func take(
    _ handle: String, by callback: HTTPRequestValue
  ) async throws(JOSEError) -> (AppleCallbackParameters, ApplePendingSignIn) {
    var answered: (AppleCallbackParameters, ApplePendingSignIn)?
    var refusal: JOSEError?
    let taken = try await JOSEError.askingStore {
      try await waiting.take(handle) { document in
        let pending = try ApplePendingSignIn(parsing: document)
        do throws(JOSEError) {
          let parameters = try AppleCallbackParameters(callback, mode: pending.responseMode)
          try parameters.requireState(of: pending)
          answered = (parameters, pending)
        } catch {
          refusal = error
        }
        return refusal == nil
      }
    }
    if let refusal { throw refusal }
    guard taken != nil, let answered else {
      throw JOSEError(.signInUnknown, "there is no such sign-in, or it was answered before")
    }
    return answered
  }

  /// Asks whether the user still agrees. Returns the new access token; the refresh token stays the same.
  ///
  /// An identity token in the answer is verified, and then says who the user is.
  /// - Parameters:
  ///   - refreshToken: from the sign-in.
  ///   - subject: whose it is: an identity token about anybody else is refused.
  ///   - nonce: of the sign-in. An identity token that has a nonce must have this one (OpenID Connect Core 1.0 §12.2).
  /// - Throws: `JOSEError`; ``AppleTokenRecovery`` says what to do.
  public func refresh(
    _ refreshToken: String, subject: String? = nil, nonce: AppleNonce? = nil
  ) async throws(JOSEError) -> (tokens: TokenAnswer, identity: AppleIdentity?) {
    let tokens = try await endpoint.tokens(for: .refreshToken(refreshToken))
    guard let token = tokens.idToken else { return (tokens, nil) }
    let parsed = try SignedByApple.parsed(token)
    let identity = try verifier.verifyRefreshed(
      parsed: parsed, keys: try await keyStore.keys(for: parsed), nonce: nonce, accessToken: tokens.accessToken)
    if let subject, !identity.isAbout(subject) {
      throw JOSEError(.subjectMismatch, "the two identity tokens must have the same subject", name: "sub")
    }
    return (tokens, identity)
  }

  /// Revokes a token, as on deletion of an account. That of a refresh token ends the user's authorization of the app:
  /// the next sign-in is a first one again and delivers the user's name.
  ///
  /// - Parameters:
  ///   - token: a refresh token or an access token; the user's `sub` is not a token.
  ///   - type: which of them it is; nil to leave that out.
  /// - Throws: `ErrorCode.serverRefused`, `ErrorCode.serverUnavailable`.
  ///
  /// Source: Apple, Revoke tokens; RFC 7009.
  public func revoke(_ token: String, type: TokenTypeHint?) async throws(JOSEError) {
    try await endpoint.revoke(RevocationRequest(token: token, hint: type))
  }

  private func verify(
    _ token: String, _ nonce: AppleNonce?, _ origin: AppleIdentityTokenOrigin
  ) async throws(JOSEError) -> AppleIdentity {
    try await verifier.verify(token, keysOf: keyStore, nonce: nonce, origin: origin)
  }
}
