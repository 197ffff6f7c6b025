import JOSE
import JOSEHTTP
import TokenRefresh

/// Sends a manager's refresh requests as a client of Native SSO does: with the device secret, and a new one that comes
/// with the answer goes to the vendor's apps.
struct SharingRefresher: TokenRefresher {
  let client: NativeSSOClient
  let login: ManagedLogin

  func refresh(_ attempt: RefreshAttempt) async -> RefreshOutcome {
    await client.renew(attempt, of: login.known.subject)
  }

  func revoke(refreshToken: String) async { _ = await client.revoke(refreshToken, hint: "refresh_token") }
}

extension NativeSSOClient {
  /// Sends a refresh request for a manager, and shares the pair that may come with the answer.
  ///
  /// - Parameter subject: whose login it is, if known: nobody else's pair is shared.
  func renew(_ attempt: RefreshAttempt, of subject: String?) async -> RefreshOutcome {
    var form: FormFields = [
      "grant_type": GrantType.refreshToken, "client_id": configuration.clientID, "refresh_token": attempt.refreshToken,
    ]
    if let scope = attempt.scope { form.append("scope", scope) }
    let removals = pairRemovalCount
    if let secret = await heldSecret(if: configuration.requestsDeviceSSO, of: subject) {
      form.append("device_secret", secret.reveal())
    }
    let response: HTTPResponseValue
    do {
      response = try await configuration.send(form, to: configuration.metadata.tokenEndpoint)
    } catch is RequestNotSent {
      return .failed(RefreshFailure(.notSent))
    } catch {
      return .failed(RefreshFailure(.noAnswer))
    }
    let outcome = OAuthTokenResponse.outcome(of: response, at: configuration.clock.now)
    // Whether the ID token continues the login is the manager's to say; the pair is bound by it, and about the same user.
    if case .tokens = outcome, let accepted = await ResponseCheck(configuration: configuration).renewal(response),
      subject.map({ $0.hasSameBytes(as: accepted.signIn.tokens.subject) }) ?? true
    {
      _ = await share(accepted, askedForAfter: removals)
    }
    return outcome
  }

  /// The claims of an ID token of this app's provider, verified.
  func claims(ofIDToken token: String) async throws(NativeSSOError) -> JSONObject {
    try await IDTokenVerification(configuration: configuration).claims(of: token)
  }
}
