import JOSE
import OpenIDKit
import StrictJSON

extension NativeSSOClient {
  /// For how many seconds a login that was begun can be completed.
  private static let loginLifetime = 1800.0

  /// Begins an interactive login: show the URL in the system's browser.
  ///
  /// - Parameter parameters: further parameters such as `prompt` or `login_hint`.
  /// - Returns: what to keep until the browser comes back, at most half an hour, and where to send it.
  /// - Throws: `ErrorCode.callerMisuse`.
  public func beginLogin(
    _ parameters: FormFields = [:]
  ) throws(JOSEError) -> (login: OpenIDClient.PendingLogin, url: String) {
    try beginLogin(parameters, CodeRequest())
  }

  /// The same with values given, for reproducing an example.
  package func beginLogin(
    _ parameters: FormFields, _ request: CodeRequest
  ) throws(JOSEError) -> (login: OpenIDClient.PendingLogin, url: String) {
    let metadata = configuration.metadata
    guard let endpoint = try? URIComponents(parsing: metadata.authorizationEndpoint) else {
      throw JOSEError(.callerMisuse, "the authorization endpoint is not an https URL", name: "authorization_endpoint")
    }
    var scopes = configuration.scopes
    if configuration.requestsDeviceSSO, !scopes.containsBytes(of: Scope.deviceSSO) { scopes.append(Scope.deviceSSO) }
    let login = OpenIDClient.PendingLogin(
      issuer: metadata.issuer, expiration: configuration.clock.now.advanced(by: Self.loginLifetime),
      clientID: configuration.clientID, redirectURI: configuration.redirectURI, request: request, scopes: scopes)
    do throws(CodeRequest.Replaced) {
      return (login, endpoint.appendingQuery(try login.parameters(additional: parameters)))
    } catch {
      throw JOSEError(.callerMisuse, "an additional parameter would replace one that is set", name: error.name)
    }
  }

  /// Completes an interactive login: exchanges the code, verifies the answer, keeps the app's tokens and shares the
  /// pair.
  ///
  /// A login without a usable device secret is a login all the same; ``SignIn/sharing`` says what became of it.
  /// - Throws: `ErrorCode.redirectInvalid`, `ErrorCode.loginOver`, `ErrorCode.serverRefused`,
  ///   `ErrorCode.serverUnavailable`, `ErrorCode.answerMalformed`,
  ///   `ErrorCode.identityTokenInvalid` and their like; `ErrorCode.loggedOut` if the user signs out
  ///   meanwhile. `ErrorCode.serviceFailed` if the provider's keys can't be had: then complete the login
  ///   again with the same redirect, and the tokens that came are judged again.
  public func completeLogin(
    _ login: OpenIDClient.PendingLogin, redirect: String
  ) async throws(JOSEError) -> SignIn {
    let (code, state, now) = (try code(of: login, redirect), login.request.state, configuration.clock.now)
    guard now < login.expiration else { throw JOSEError(.loginOver, "the login was begun too long ago") }
    if let held = takeHeld(.login(Array(state.utf8))) { return try await accept(held, of: login) }
    guard finished.claim(state, until: login.expiration, now: now) else {
      throw JOSEError(.loginOver, "the login was completed before")
    }
    var form: FormFields = [
      "grant_type": GrantType.authorizationCode, "client_id": configuration.clientID, "code": code,
      "redirect_uri": login.redirectURI, "code_verifier": login.request.pkce.verifier,
    ]
    let (count, removals) = (signOutCount, pairRemovalCount)
    let secret = await heldSecret(if: login.scopes.containsBytes(of: Scope.deviceSSO))
    if let secret { form.append("device_secret", secret.reveal()) }
    guard let response = try? await configuration.send(form, to: configuration.metadata.tokenEndpoint) else {
      throw JOSEError(.serverUnavailable, "the token endpoint did not answer")
    }
    try OAuthAnswer.requireAnswer(response)
    let answer = HeldAnswers.Answer(
      response: response, receivedAt: configuration.clock.now, signOuts: count, removals: removals)
    return try await accept(answer, of: login)
  }

  private func accept(
    _ answer: HeldAnswers.Answer, of login: OpenIDClient.PendingLogin
  ) async throws(JOSEError) -> SignIn {
    let check = ResponseCheck(configuration: configuration, receivedAt: answer.receivedAt)
    var (signIn, pair): ResponseCheck.Accepted
    do throws(JOSEError) {
      (signIn, pair) = try await check.login(answer.response, pending: login)
    } catch {
      if error.code == .serviceFailed { hold(answer, for: .login(Array(login.request.state.utf8))) }
      throw error
    }
    try await keep(signIn, askedForAfter: answer.signOuts)
    try await allowAutomaticSignIn()
    if let sharing = await share(pair, of: signIn.subject, askedForAfter: answer.removals) { signIn.sharing = sharing }
    return signIn
  }

  /// The code of a redirect that answers a login.
  private func code(
    of login: OpenIDClient.PendingLogin, _ redirect: String
  ) throws(JOSEError) -> String {
    let metadata = configuration.metadata
    guard login.issuer.hasSameBytes(as: metadata.issuer), login.clientID.hasSameBytes(as: configuration.clientID) else {
      throw JOSEError(.callerMisuse, "the login was begun by another client", name: "login")
    }
    guard login.maximumAge == nil, login.proofKey == nil else {
      throw JOSEError(
        .callerMisuse, "the login asks for what Native SSO does not check: begin it by NativeSSOClient", name: "login")
    }
    let answer: Result<String, OpenIDClient.PendingLogin.Refused>
    do throws(OpenIDError) {
      answer = try login.code(in: redirect, requiresIssuer: metadata.announcesIssuerInResponse)
    } catch {
      throw JOSEError(error.code, "the redirect does not answer this request", name: error.name)
    }
    do throws(OpenIDClient.PendingLogin.Refused) {
      return try answer.get()
    } catch {
      throw JOSEError(
        .serverRefused, "the server refused the request", name: OAuthErrorName.registered(error.code))
    }
  }

  /// The device secret of this device, to be presented.
  ///
  /// - Parameter subject: the user whose tokens are refreshed: another user's secret is not presented then.
  func heldSecret(if isWanted: Bool, of subject: String? = nil) async -> DeviceSecret? {
    guard isWanted else { return nil }
    let pair = (try? await shared.load())?.entry.pair
    guard let pair, pair.issuer.hasSameBytes(as: configuration.metadata.issuer) else { return nil }
    if let subject, !isSameUser(pair, subject) { return nil }
    return pair.deviceSecret
  }

  /// Whether a pair may be of a user. Pairwise subjects of different apps can't be compared.
  private func isSameUser(_ pair: SSOPair, _ subject: String) -> Bool {
    (configuration.profile.usesPairwiseSubjects && !pair.clientID.hasSameBytes(as: configuration.clientID))
      || pair.subject.hasSameBytes(as: subject)
  }

  /// Writes the pair of a login, in place of the one that is there; that of a refresh, unless another user has logged
  /// in since. Without one, a login deletes a pair of another user: it would sign that user in to the next app.
  ///
  /// - Parameters:
  ///   - subject: the user who has logged in.
  ///   - removals: ``pairRemovalCount`` when the pair was asked for.
  ///   - isRefresh: whether a refresh brought it.
  /// - Returns: what became of the pair; nil if there was nothing to do.
  @discardableResult
  func share(
    _ new: SSOPair?, of subject: String, askedForAfter removals: Int, isRefresh: Bool = false
  ) async -> SignIn.Sharing? {
    let signedOut = SignIn.Sharing.discarded(JOSEError(.loggedOut, "the user has signed out meanwhile"))
    let failed = SignIn.Sharing.discarded(JOSEError(.storeUnavailable, "the shared store failed"))
    // Another app can be faster each time, but not for ever.
    for _ in 0..<8 {
      guard removals == pairRemovalCount else { return signedOut }
      guard let stored = try? await shared.load() else { return new == nil ? nil : failed }
      if new == nil {
        guard let pair = stored.entry.pair, !configuration.profile.usesPairwiseSubjects,
          !pair.subject.hasSameBytes(as: subject)
        else { return nil }
      }
      if isRefresh, let pair = stored.entry.pair, !isSameUser(pair, subject) { return .unchanged }
      guard let isStored = try? await shared.replace(stored, with: new) else { return failed }
      guard isStored else { continue }
      guard removals != pairRemovalCount else { return new == nil ? nil : .stored }
      // The removal found nothing, for the pair came just after it.
      return (try? await deletePair()) == nil ? failed : signedOut
    }
    return failed
  }
}
