import PureCrypto
import JOSE

/// Transfers the users of an app to another team, or takes them from one.
///
/// ```swift
/// let client = AppleTransferClient(clientID: "com.example.app", signer: signer, transport: send)
/// for user in users {
///   user.transferSubject = try await client.transferSubject(of: user.appleID, forTeam: "NEWTEAM123")
/// }
/// ```
///
/// One access token serves for an hour and for many users. Apple limits how fast it may be asked.
public actor AppleTransferClient {
  private let clientID: String
  private let secrets: AppleClientSecretCache
  private let service: AppleService
  private let clock: WallClock
  private let transport: HTTPTransport
  private var accessToken: (value: String, expiration: NumericDate)?

  /// A client.
  ///
  /// - Parameters:
  ///   - clientID: the app that is transferred.
  ///   - signer: of the team that asks: the one that gives the app away, or the one that takes it.
  ///   - transport: sends a request and returns the response, without following redirects.
  public init(clientID: String, signer: AppleClientSecretSigner, transport: @escaping HTTPTransport) {
    self.clientID = clientID
    secrets = AppleClientSecretCache(signer: signer)
    service = signer.service
    clock = signer.clock
    self.transport = transport
  }

  /// The name under which a user goes over to another team. For the team that gives the app away.
  ///
  /// - Throws: ``SignInWithAppleError``, as ``AppleTransferRequest`` and ``AppleTransferredUser``.
  public func transferSubject(of subject: String, forTeam team: String) async throws(SignInWithAppleError) -> String {
    let response = try await ask { (token, secret) throws(SignInWithAppleError) in
      try AppleTransferRequest(leaving: subject, forTeam: team, accessToken: token, clientSecret: secret)
    }
    return try AppleTransferredUser.receiveTransferSubject(response)
  }

  /// The user of a `transfer_sub`. For the team that takes the app.
  ///
  /// - Throws: ``SignInWithAppleError``, as ``AppleTransferRequest`` and ``AppleTransferredUser``.
  public func user(
    transferSubject: String
  ) async throws(SignInWithAppleError) -> AppleTransferredUser {
    let response = try await ask { (token, secret) throws(SignInWithAppleError) in
      try AppleTransferRequest(arriving: transferSubject, accessToken: token, clientSecret: secret)
    }
    return try AppleTransferredUser.receive(response)
  }

  private func ask(
    _ make: (_ accessToken: String, AppleClientSecret) throws(SignInWithAppleError) -> AppleTransferRequest
  ) async throws(SignInWithAppleError) -> HTTPResponseValue {
    let secret = try await secrets.clientSecret(for: clientID)
    let request = try make(await token(secret), secret)
    let response = try await send(request.httpRequest(to: service))
    guard response.status == 401 else { return response }
    // The token has ended before its time: the next user gets another.
    accessToken = nil
    let renewed = try make(await token(secret), secret)
    return try await send(renewed.httpRequest(to: service))
  }

  private func token(_ secret: AppleClientSecret) async throws(SignInWithAppleError) -> String {
    let now = clock.now
    // One minute before its end it may not reach Apple in time.
    if let accessToken, now < accessToken.expiration.advanced(by: -60) { return accessToken.value }
    let request = AppleTokenRequest(.userMigration, clientSecret: secret)
    let response: AppleTokenResponse
    do throws(SignInWithAppleError) {
      response = try AppleTokenResponse.receive(await send(request.httpRequest(to: service)), to: request)
    } catch {
      // It may have been made by a clock that was wrong, or be older than its key.
      if error.name == "invalid_client" { await secrets.forget(clientID) }
      throw error
    }
    accessToken = (response.accessToken, now.advanced(by: min(response.expiresIn, 86_400)))
    return response.accessToken
  }

  private func send(_ request: HTTPRequestValue) async throws(SignInWithAppleError) -> HTTPResponseValue {
    do {
      return try await transport(request)
    } catch {
      throw SignInWithAppleError(.serverUnavailable, "the request got no answer")
    }
  }
}

extension AppleTransferClient: Redacted {
  /// The type's name. No token.
  public nonisolated var description: String { "AppleTransferClient" }
}
