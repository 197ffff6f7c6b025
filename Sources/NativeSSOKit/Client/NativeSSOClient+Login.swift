import JOSE
import StrictJSON

extension NativeSSOClient {
  /// Begins an interactive login: show ``PendingLogin/url`` in the system's browser.
  ///
  /// - Parameter parameters: further parameters such as `prompt` or `login_hint`.
  /// - Throws: `ErrorCode.callerMisuse`.
  public func beginLogin(_ parameters: [(String, String)] = []) throws(NativeSSOError) -> PendingLogin {
    try PendingLogin(configuration, additional: parameters)
  }

  /// Completes an interactive login: exchanges the code, verifies the answer, keeps the app's tokens and shares the
  /// pair.
  ///
  /// A login without a usable device secret is a login all the same; ``SignIn/sharing`` says what became of it.
  /// - Throws: ``NativeSSOError``: `ErrorCode.redirectInvalid`, `ErrorCode.serverRefused`,
  ///   `ErrorCode.serverUnavailable`, `ErrorCode.answerMalformed`,
  ///   `ErrorCode.identityTokenInvalid` and their like; `ErrorCode.loggedOut` if the user signs out
  ///   meanwhile. `ErrorCode.serviceFailed` if the provider's keys can't be had: then complete the login
  ///   again with the same redirect, and the tokens that came are judged again.
  public func completeLogin(_ login: PendingLogin, redirect: String) async throws(NativeSSOError) -> SignIn {
    let code = try login.code(redirect: redirect, configuration)
    if let held = takeHeld(.login(Array(login.state.utf8))) { return try await accept(held, of: login) }
    guard claim(login) else {
      throw NativeSSOError(.redirectInvalid, "the login was completed before", name: "state")
    }
    var form: FormFields = [
      "grant_type": GrantType.authorizationCode, "client_id": configuration.clientID, "code": code,
      "redirect_uri": configuration.redirectURI, "code_verifier": login.pkce.verifier,
    ]
    let (count, removals) = (signOutCount, pairRemovalCount)
    let secret = await heldSecret(if: login.requestsDeviceSSO)
    if let secret { form.append("device_secret", secret.reveal()) }
    let response = try await send(
      form, withholding: [code, login.pkce.verifier] + [secret?.reveal()].compactMap { $0 })
    let answer = HeldAnswers.Answer(
      response: response, receivedAt: configuration.clock.now, signOuts: count, removals: removals)
    return try await accept(answer, of: login)
  }

  private func accept(
    _ answer: HeldAnswers.Answer, of login: PendingLogin
  ) async throws(NativeSSOError) -> SignIn {
    let check = ResponseCheck(configuration: configuration, receivedAt: answer.receivedAt)
    let accepted: ResponseCheck.Accepted
    do throws(NativeSSOError) {
      accepted = try await check.login(answer.response, pending: login)
    } catch {
      if error.code == .serviceFailed { hold(answer, for: .login(Array(login.state.utf8))) }
      throw error
    }
    try await keep(accepted.signIn.tokens, askedForAfter: answer.signOuts)
    try await allowAutomaticSignIn()
    return accepted.signIn.with(await share(accepted, askedForAfter: answer.removals))
  }

  /// Renews the app's tokens with its refresh token. If the provider sends a device secret along, the pair is replaced
  /// too.
  ///
  /// Who calls with the same refresh token while a refresh is under way gets its outcome. A new refresh token that
  /// comes with an answer that is refused is saved all the same: it is the only good one. If the provider's keys can't
  /// be had, the next call judges the same answer again.
  /// - Throws: ``NativeSSOError``, as ``completeLogin(_:redirect:)``.
  package func refresh(_ tokens: TokenSet) async throws(NativeSSOError) -> SignIn {
    guard let refreshToken = tokens.refreshToken else {
      throw NativeSSOError(.callerMisuse, "there is no refresh token", name: "refresh_token")
    }
    return try await sharing(refreshToken) {
      do throws(NativeSSOError) {
        return .success(try await self.refresh(tokens, refreshToken))
      } catch {
        return .failure(error)
      }
    }
  }

  private func refresh(_ tokens: TokenSet, _ refreshToken: String) async throws(NativeSSOError) -> SignIn {
    if let held = takeHeld(.refreshToken(Array(refreshToken.utf8))) {
      do throws(NativeSSOError) {
        return try await accept(held, renewing: tokens)
      } catch {
        // Time may have overtaken what waited; the refresh token that came with it has not been used.
        guard error.code == .identityTokenInvalid,
          let new = try? TokenResponse(parsing: held.response.body).refreshToken,
          !new.hasSameBytes(as: refreshToken)
        else { throw error }
        return try await refresh(tokens, new)
      }
    }
    var form: FormFields = [
      "grant_type": GrantType.refreshToken, "client_id": configuration.clientID, "refresh_token": refreshToken,
    ]
    let (count, removals) = (signOutCount, pairRemovalCount)
    let secret = await heldSecret(if: tokens.scopes.containsBytes(of: Scope.deviceSSO), of: tokens.subject)
    if let secret { form.append("device_secret", secret.reveal()) }
    let response = try await send(form, withholding: [refreshToken] + [secret?.reveal()].compactMap { $0 })
    let answer = HeldAnswers.Answer(
      response: response, receivedAt: configuration.clock.now, signOuts: count, removals: removals)
    return try await accept(answer, renewing: tokens)
  }

  private func accept(
    _ answer: HeldAnswers.Answer, renewing tokens: TokenSet
  ) async throws(NativeSSOError) -> SignIn {
    let check = ResponseCheck(configuration: configuration, receivedAt: answer.receivedAt)
    let accepted: ResponseCheck.Accepted
    do throws(NativeSSOError) {
      accepted = try await check.refresh(answer.response, known: tokens)
    } catch {
      let new = answer.response.status == 200 ? try? TokenResponse(parsing: answer.response.body).refreshToken : nil
      if error.code == .serviceFailed {
        // The caller may come with the refresh token that it knows, or with the new one from its store.
        for token in [tokens.refreshToken, new].compactMap({ $0 }) {
          hold(answer, for: .refreshToken(Array(token.utf8)))
        }
      }
      if let new {
        var kept = tokens
        kept.refreshToken = new
        try await keep(kept, askedForAfter: answer.signOuts)
      }
      throw error
    }
    try await keep(accepted.signIn.tokens, askedForAfter: answer.signOuts)
    guard accepted.pair != nil else { return accepted.signIn }
    return accepted.signIn.with(await share(accepted, askedForAfter: answer.removals))
  }

  /// The device secret of this device, to be presented.
  ///
  /// - Parameter subject: who refreshes: somebody else's secret is not presented then.
  func heldSecret(if isWanted: Bool, of subject: String? = nil) async -> DeviceSecret? {
    guard isWanted else { return nil }
    let pair = (try? await sharedEntry())?.entry.pair
    guard let pair, pair.issuer.hasSameBytes(as: configuration.metadata.issuer) else { return nil }
    if let subject, !isSameUser(pair, subject) { return nil }
    return pair.deviceSecret
  }

  /// Whether a pair may be of a user. Pairwise subjects of different apps can't be compared.
  private func isSameUser(_ pair: SSOPair, _ subject: String) -> Bool {
    (configuration.profile.usesPairwiseSubjects && !pair.clientID.hasSameBytes(as: configuration.clientID))
      || pair.subject.hasSameBytes(as: subject)
  }

  private func send(
    _ form: FormFields, withholding withheld: [String]
  ) async throws(NativeSSOError) -> HTTPResponseValue {
    guard let response = try? await configuration.send(form, to: configuration.metadata.tokenEndpoint) else {
      throw NativeSSOError(.serverUnavailable, "the token endpoint did not answer")
    }
    let withheld = withheld + configuration.clientSecret
    if response.status != 200, let error = OAuthErrorResponse(response, withholding: withheld) {
      throw NativeSSOError(refusal: error.code)
    }
    return response
  }

  /// Writes the pair of a login, in place of whatever is there; that of a refresh, unless another user has logged in
  /// since. Without one, a login deletes a pair of another user: it would sign that user in to the next app.
  ///
  /// - Parameter removals: ``pairRemovalCount`` when the pair was asked for.
  func share(
    _ accepted: ResponseCheck.Accepted, askedForAfter removals: Int
  ) async -> SignIn.Sharing {
    let signedOut = SignIn.Sharing.discarded(NativeSSOError(.loggedOut, "the user has signed out meanwhile"))
    let failed = SignIn.Sharing.discarded(NativeSSOError(.storeUnavailable, "the shared store failed"))
    // Another app can be faster each time, but not for ever.
    for _ in 0..<8 {
      guard removals == pairRemovalCount else { return signedOut }
      guard let entry = try? await sharedEntry().entry else {
        return accepted.pair == nil ? accepted.signIn.sharing : failed
      }
      if accepted.pair == nil {
        guard let stored = entry.pair, !configuration.profile.usesPairwiseSubjects,
          !stored.subject.hasSameBytes(as: accepted.signIn.tokens.subject)
        else { return accepted.signIn.sharing }
      }
      if accepted.signIn.origin == .refresh, let stored = entry.pair,
        !isSameUser(stored, accepted.signIn.tokens.subject)
      {
        return .unchanged
      }
      guard let isStored = try? await shared.replace(expecting: entry.generation, with: accepted.pair)
      else { return failed }
      guard isStored else { continue }
      guard removals != pairRemovalCount else { return accepted.signIn.sharing }
      // The removal found nothing, for the pair came just after it.
      return (try? await deletePair()) == nil ? failed : signedOut
    }
    return failed
  }
}
