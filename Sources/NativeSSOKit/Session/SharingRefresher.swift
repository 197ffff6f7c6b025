import JOSE
import OpenIDKit
import StrictJSON

/// Sends a manager's refresh requests as a client of Native SSO does: with the device secret, and a new one that comes
/// with the answer goes to the vendor's apps.
struct SharingRefresher: TokenRefresher {
  let client: NativeSSOClient
  let login: ManagedLogin

  func refresh(_ attempt: RefreshAttempt) async -> RefreshOutcome {
    let (outcome, unshared) = await client.renew(attempt, of: login.known.subject?.text)
    if let unshared { login.unshared = unshared }
    return outcome
  }

  func revoke(refreshToken: String) async { await client.tokenRequests.revoke(refreshToken: refreshToken) }
}

/// An answer to a refresh whose pair is shared once its ID token has been judged.
struct UnsharedAnswer: Sendable {
  let response: TokenResponse
  /// ``NativeSSOClient/pairRemovalCount`` when it was asked for.
  let removals: Int
  /// The user of the login, if known: another user's pair is not shared.
  let subject: String?
}

extension NativeSSOClient {
  /// Sends a refresh request for a manager.
  ///
  /// - Parameter subject: whose login it is, if known.
  func renew(
    _ attempt: RefreshAttempt, of subject: String?
  ) async -> (outcome: RefreshOutcome, unshared: UnsharedAnswer?) {
    var additional = FormFields()
    let removals = pairRemovalCount
    if let secret = await heldSecret(if: configuration.requestsDeviceSSO, of: subject) {
      additional.append("device_secret", secret.reveal())
    }
    let (outcome, object) = await tokenRequests.refresh(attempt, with: additional)
    guard case .tokens(let tokens) = outcome, tokens.idToken != nil, let object else { return (outcome, nil) }
    let answer = TokenResponse(tokens, in: object, acceptsAlias: configuration.profile.acceptsDeviceTokenAlias)
    return (outcome, UnsharedAnswer(response: answer, removals: removals, subject: subject))
  }

  /// Shares the pair that came with an answer to a refresh, if there is one that the verified ID token binds.
  func share(_ unshared: UnsharedAnswer, boundBy idToken: VerifiedJWT<JSONObject>) async {
    // Whether the ID token continues the login is the manager's to say; the pair is bound by it, and about the same
    // user.
    guard let pair = ResponseCheck(configuration: configuration).renewal(unshared.response, idToken),
      unshared.subject.map({ $0 == pair.subject }) ?? true
    else { return }
    await share(pair, of: pair.subject.text, askedForAfter: unshared.removals, isRefresh: true)
  }

  /// An ID token that a refresh has brought, verified as this app's provider's.
  func verified(
    renewedIDToken token: String, accessToken: String
  ) async throws(JOSEError) -> VerifiedJWT<JSONObject> {
    try await IDTokenVerification(configuration: configuration).renewed(token, accessToken: accessToken)
  }
}
