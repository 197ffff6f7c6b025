import JOSE
import AppleSignInKit
import OpenIDKit
import StrictJSON

/// A stand-in for Apple's service, for tests, demonstrations and staging: it checks requests as strictly as Apple
/// documents, and answers them.
///
/// It keeps everything in memory and lets the caller decide what the user does. Give ``handle(_:)`` to a client as
/// its transport.
///
/// ```swift
/// let apple = AppleStandIn(service: service, clients: [client], signingKey: key)
/// let answer = await apple.authorize(start.url, decision: .approve(user))
/// ```
public actor AppleStandIn {
  /// What the user does with an authorization request.
  public enum Decision: Sendable {
    /// Signs in and agrees.
    case approve(AppleStandInUser)
    /// The user presses cancel: the app gets `user_cancelled_authorize`, as from Apple.
    case cancel
  }

  /// The addresses and the name that it answers to.
  public nonisolated let service: AppleService
  nonisolated let signingKey: SigningKey
  nonisolated let clock: WallClock
  nonisolated let random: RandomSource
  let clients: [AppleStandInClient]
  let writesBooleansAsText: Bool
  var codes: [[UInt8]: IssuedCode] = [:]
  var refreshTokens: [[UInt8]: IssuedRefreshToken] = [:]
  /// Access tokens for transfers, by the client that has them.
  var migrationTokens: [[UInt8]: AppleStandInClient] = [:]
  /// Users on their way from team to team, by `transfer_sub`.
  var transfers: [[UInt8]: Transfer] = [:]
  /// What users have agreed to, by app group and user.
  var consents: [[UInt8]: Consent] = [:]

  struct IssuedCode: Sendable {
    var client: AppleStandInClient
    var redirectURI: AppleRedirectURI?
    var nonce: String?
    var user: AppleStandInUser
    var issuedAt: NumericDate
    var isUsed = false
  }

  struct IssuedRefreshToken: Sendable {
    var client: AppleStandInClient
    var user: AppleStandInUser
  }

  struct Transfer: Sendable {
    var user: AppleStandInUser
    var team: String
    var clientID: String
  }

  struct Consent: Sendable {
    /// The scopes of the first authorization, which stay.
    var scopes: Set<AppleScope>
    var sharesRelayAddress: Bool
  }

  /// A stand-in.
  ///
  /// - Parameters:
  ///   - service: addresses under which clients reach it, with the algorithms of identity tokens.
  ///   - clients: who is registered; all others are refused.
  ///   - signingKey: signs identity tokens and notifications; its algorithm must be one of the service's.
  ///   - writesBooleansAsText: whether identity tokens say `"true"` instead of `true`, as Apple did for years, and
  ///     notifications are as in Apple's documentation: times in seconds, no `exp`, and `events` an object.
  ///   - clock: dates tokens, and judges codes and client secrets.
  public init(
    service: AppleService, clients: [AppleStandInClient], signingKey: SigningKey, writesBooleansAsText: Bool = false,
    clock: WallClock = .system
  ) {
    self.init(
      service: service, clients: clients, signingKey: signingKey, writesBooleansAsText: writesBooleansAsText,
      clock: clock, random: .system)
  }

  package init(
    service: AppleService, clients: [AppleStandInClient], signingKey: SigningKey, writesBooleansAsText: Bool,
    clock: WallClock, random: RandomSource
  ) {
    (self.service, self.clients, self.signingKey) = (service, clients, signingKey)
    (self.writesBooleansAsText, self.clock, self.random) = (writesBooleansAsText, clock, random)
  }

  /// Answers a request to the token, revocation, migration or key set address; anything else is 404.
  public func handle(_ request: HTTPRequestValue) -> HTTPResponseValue {
    let url = WireName(request.url)
    if url == service.keysURL { return keySet() }
    if url == service.tokenURL { return token(request) }
    if url == service.revocationURL { return revoke(request) }
    if url == service.userMigrationURL { return migrate(request) }
    return HTTPResponseValue(status: 404)
  }

  /// The key set document.
  public nonisolated func keySet() -> HTTPResponseValue {
    let keys = JWKSet(signingKey.verificationKey.publicJWK.map { [$0] } ?? [])
    return HTTPResponseValue(
      status: 200,
      headers: HTTPHeaderFields(known: [("Content-Type", "application/json"), ("Cache-Control", "max-age=3600")]),
      body: keys.serialized())
  }

  /// Forgets that a user has agreed to an app, as when the user removes it: the next sign-in is a first one again.
  public func forget(_ user: AppleStandInUser, clientID: String) {
    guard let client = client(clientID) else { return }
    withdraw(user, from: client)
  }

  func withdraw(_ user: AppleStandInUser, from client: AppleStandInClient) {
    consents[client.consentKey(user)] = nil
    refreshTokens = refreshTokens.filter {
      !(WireName($0.value.client.group) == client.group && WireName($0.value.user.id) == user.id)
    }
  }

  func client(_ clientID: String) -> AppleStandInClient? {
    clients.first { $0.isCalled(clientID) }
  }

  static func json(_ status: Int, _ object: JSONObject) -> HTTPResponseValue {
    HTTPResponseValue(
      status: status,
      headers: HTTPHeaderFields(known: [
        ("Content-Type", "application/json;charset=UTF-8"), ("Cache-Control", "no-store"),
      ]),
      body: object.serialized())
  }

  static func refusal(_ error: String) -> HTTPResponseValue { json(400, ["error": .string(error)]) }
}

/// How the stand-in answers an authorization request.
public struct AppleStandInAnswer: Sendable {
  /// What the browser gets: a redirect, a page that posts a form, or an error page.
  public let response: HTTPResponseValue

  /// What the browser then sends to the website: a GET for `query`, a POST for `form_post` and, by the page's script,
  /// for `fragment`. Nil if the request was refused without going back to the website.
  public let callback: HTTPRequestValue?
}
