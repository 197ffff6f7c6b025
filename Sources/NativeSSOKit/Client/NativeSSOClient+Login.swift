import JOSE
import OpenIDKit
import StrictJSON

extension NativeSSOClient {
  /// Begins an interactive login: show the URL in the system's browser.
  ///
  /// - Parameters:
  ///   - parameters: further parameters such as `prompt` or `login_hint`.
  ///   - maximumAge: `max_age`: the user must have proved who they are at most so long ago, which the ID token
  ///     is checked for. Nil for whenever.
  /// - Returns: what to keep until the browser comes back, at most half an hour, and where to send it.
  /// - Throws: `ErrorCode.callerMisuse`. If the provider takes pushed requests: `ErrorCode.serverRefused`,
  ///   `ErrorCode.serverUnavailable`, `ErrorCode.answerMalformed`.
  public func beginLogin(
    _ parameters: FormFields = [:], maximumAge: Duration? = nil
  ) async throws(JOSEError) -> (login: OpenIDClient.PendingLogin, url: String) {
    try await beginLogin(parameters, CodeRequest(), maximumAge: maximumAge)
  }

  /// The same with values given, for reproducing an example.
  package func beginLogin(
    _ parameters: FormFields, _ request: CodeRequest, maximumAge: Duration? = nil
  ) async throws(JOSEError) -> (login: OpenIDClient.PendingLogin, url: String) {
    do throws(OpenIDError) {
      let client = try configuration.openIDClient(finished)
      return try await client.begin(request, maximumAge: maximumAge, parameters: parameters)
    } catch {
      throw JOSEError(login: error)
    }
  }

  /// Completes an interactive login: exchanges the code, verifies the answer, keeps the app's tokens and shares the
  /// pair.
  ///
  /// A login without a usable device secret is a login all the same; ``SignIn/sharing`` says what became of it.
  /// - Throws: `ErrorCode.redirectInvalid` if this is no answer to the login, which then still waits for one;
  ///   `ErrorCode.loginOver`, `ErrorCode.serverRefused`, `ErrorCode.serverUnavailable`, `ErrorCode.answerMalformed`,
  ///   `ErrorCode.identityTokenInvalid` and their like; `ErrorCode.loggedOut` if the user signs out
  ///   meanwhile. `ErrorCode.serviceFailed` if the provider's keys can't be had: then complete the login
  ///   again with the same redirect, and the tokens that came are judged again.
  public func completeLogin(
    _ login: OpenIDClient.PendingLogin, redirect: String
  ) async throws(JOSEError) -> SignIn {
    let (signOuts, removals) = (signOutCount, pairRemovalCount)
    var additional = FormFields()
    if let secret = await heldSecret(if: login.scopes.contains(Scope.deviceSSO)) {
      additional.append("device_secret", secret.reveal())
    }
    let redeemed = try await redeem(login, redirect, additional, askedForAfter: signOuts)
    let check = ResponseCheck(configuration: configuration, receivedAt: redeemed.answer.receivedAt)
    var (signIn, pair) = try check.login(redeemed, scopes: login.scopes)
    try await keep(signIn, askedForAfter: signOuts)
    try await allowAutomaticSignIn()
    if let sharing = await share(pair, of: signIn.subject, askedForAfter: removals) { signIn.sharing = sharing }
    return signIn
  }

  private func redeem(
    _ login: OpenIDClient.PendingLogin, _ redirect: String, _ additional: FormFields, askedForAfter count: Int
  ) async throws(JOSEError) -> RedeemedLogin {
    let client: OpenIDClient
    do throws(OpenIDError) {
      client = try configuration.openIDClient(finished)
    } catch {
      throw JOSEError(login: error)
    }
    do throws(LoginFault) {
      return try await client.redeem(login, redirect: redirect, with: additional, by: tokenRequests)
    } catch {
      guard count != signOutCount, let held = finished.takeHeld(login.request.state) else {
        throw JOSEError(login: error)
      }
      // It must not log a user in any more.
      if let refreshToken = held.tokens.refreshToken { await tokenRequests.revoke(refreshToken: refreshToken) }
      throw JOSEError(.loggedOut, "the user has signed out meanwhile")
    }
  }

  /// The device secret of this device, to be presented.
  ///
  /// - Parameter subject: the user whose tokens are refreshed: another user's secret is not presented then.
  func heldSecret(if isWanted: Bool, of subject: String? = nil) async -> DeviceSecret? {
    guard isWanted else { return nil }
    let pair = (try? await shared.load())?.entry.pair
    guard let pair, pair.issuer == configuration.metadata.issuer else { return nil }
    if let subject, !isSameUser(pair, subject) { return nil }
    return pair.deviceSecret
  }

  /// Whether a pair may be of a user. Pairwise subjects of different apps can't be compared.
  private func isSameUser(_ pair: SSOPair, _ subject: String) -> Bool {
    (configuration.profile.usesPairwiseSubjects && pair.clientID != configuration.clientID) || pair.subject == subject
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
          pair.subject != subject
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
