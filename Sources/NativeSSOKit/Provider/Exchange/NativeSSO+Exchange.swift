import JOSE
import PureCrypto
import StrictJSON
import OpenIDKit

extension NativeSSO {
  func exchange(
    _ request: TokenEndpoint.Request, of provider: OpenIDProvider
  ) async throws(OAuthErrorResponse) -> TokenAnswer {
    var event = AuditEvent(.exchangeRefused, clientID: request.client.id)
    do throws(ExchangeRefusal) {
      let settings = try await ExchangeRefusal.askingStore { try await self.settings.settings() }
      let client = try await client(request.client.id, settings, provider)
      let validation = ExchangeValidation(
        native: self, provider: provider, settings: settings, client: client, now: provider.clock.now)
      let validated = try await validation.validate(request.form, sourceAddress: request.sourceAddress)
      event.userID = validated.record.userID
      event.sessionID = validated.session.id
      event.deviceSecretID = validated.record.id
      let response = try await grant(validated, validation, request.client.confirmation)
      await audit(
        AuditEvent(
          .exchangeGranted, clientID: client.id, userID: event.userID, sessionID: event.sessionID,
          deviceSecretID: event.deviceSecretID))
      return response.issued
    } catch {
      event.check = "\(error.check)"
      await audit(event)
      throw error.response
    }
  }

  // MARK: Step 3

  /// The client, if it may use the exchange.
  private func client(
    _ id: String, _ settings: NativeSSOSettings, _ provider: OpenIDProvider
  ) async throws(ExchangeRefusal) -> RegisteredClient {
    guard settings.enabled else {
      throw ExchangeRefusal(
        OAuthErrorResponse(.unsupportedGrantType, "The grant type is not supported"), at: "grant_type")
    }
    guard let client = try await ExchangeRefusal.askingStore({ try await provider.clients.client(id: id) }),
      client.nativeSSOEnabled
    else {
      throw ExchangeRefusal(
        OAuthErrorResponse(.unauthorizedClient, "The client may not use this grant"), at: "native_sso_enabled")
    }
    return client
  }

  // MARK: Steps 15 and 16

  private func grant(
    _ validated: ExchangeValidation.Validated, _ validation: ExchangeValidation, _ confirmation: String?
  ) async throws(ExchangeRefusal) -> TokenResponse {
    let (settings, now, record) = (validation.settings, validation.now, validated.record)
    let (provider, client) = (validation.provider, validation.client)
    do throws(OAuthErrorResponse) {
      let consumption = try await OAuthErrorResponse.askingStore {
        try await provider.deviceSecretRecords.consume(
          id: record.id, useLimit: settings.maxUseCountPerSecret, now: now)
      }
      guard case .consumed = consumption else { throw validation.badToken("consume").response }
      var wanted = TokenGrant(
        RefreshGrant(
          subject: record.userID, clientID: client.id, sessionID: validated.session.id, scope: validated.scopes,
          resources: validated.resources, confirmation: client.isPublic ? confirmation : nil,
          deviceSecretID: record.id, authenticationTime: validated.login.time,
          authenticationContext: validated.login.context),
        includesRefreshToken: settings.issueRefreshToken && provider.mayRefresh(validated.scopes), issuedAt: now)
      wanted.confirmation = confirmation
      let issued = try await provider.issue(wanted)
      try await requireLasting(validated, validation, issued)
      func bound(_ secret: DeviceSecret) async throws(OAuthErrorResponse) -> String {
        try await provider.idToken(
          client: client, session: validated.session, login: validated.login, accessToken: issued.accessToken,
          nonce: nil, now: now
        ) { draft, algorithm throws(OAuthErrorResponse) in try bind(secret, to: &draft, algorithm) }
      }
      var response = TokenResponse(issued, issuedTokenType: TokenTypeIdentifier.accessToken)
      response.tokens.scope = Scope.text(validated.scopes)
      response.tokens.idToken = try await bound(validated.secret)
      if !settings.issueRefreshToken { response.tokens.refreshToken = nil }
      let isCurrent = record.fingerprint == validated.secret.fingerprint
      if isCurrent, validated.scopes.contains(Scope.deviceSSO) { response.deviceSecret = validated.secret }
      guard isCurrent, settings.rotateOnExchange else { return response }
      // Last of all: once the store has the next secret, nothing may fail before the answer leaves, or no app has it.
      let next = DeviceSecret.random()
      let idToken = try await bound(next)
      if try await rotate(validated, to: next, validation) {
        (response.deviceSecret, response.tokens.idToken) = (next, idToken)
      }
      return response
    } catch {
      throw ExchangeRefusal(error, at: "grant")
    }
  }

  /// A session can end while tokens are being issued for it. Its end revokes what there is, so what came later
  /// is revoked here.
  private func requireLasting(
    _ validated: ExchangeValidation.Validated, _ validation: ExchangeValidation, _ issued: TokenAnswer
  ) async throws(OAuthErrorResponse) {
    let provider = validation.provider
    guard try await provider.isLasting(validated.session) else { throw validation.badToken("session_ended").response }
    let record = try await OAuthErrorResponse.askingStore {
      try await provider.deviceSecretRecords.record(id: validated.record.id)
    }
    // The secret may have been used up meanwhile: another exchange found no use left, which takes nothing from this
    // one.
    guard let reason = record?.revocation?.reason, reason != .useCountExceeded else { return }
    // The revocation has ended what the secret had given, if that was to end. The session goes on, and so do tokens
    // that did not come of the secret.
    for token in [issued.refreshToken, issued.accessToken].compactMap({ $0 }) {
      try await OAuthErrorResponse.askingStore {
        try await provider.tokens.revoke(token, clientID: validation.client.id)
      }
    }
    throw validation.badToken("session_ended").response
  }

  /// For how long a rotated device secret still serves.
  private static let rotationGrace = Duration.seconds(60)

  /// Puts the next secret in place of the presented one. Another exchange can have been faster; a secret that serves
  /// only through its grace has a successor already, which another app is about to store.
  private func rotate(
    _ validated: ExchangeValidation.Validated, to next: DeviceSecret, _ validation: ExchangeValidation
  ) async throws(OAuthErrorResponse) -> Bool {
    try await OAuthErrorResponse.askingStore {
      try await validation.provider.deviceSecretRecords.rotate(
        id: validated.record.id, from: validated.secret.fingerprint, to: next.fingerprint,
        graceUntil: validation.now.advanced(by: Self.rotationGrace), now: validation.now)
    }
  }
}
