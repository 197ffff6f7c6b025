import JOSE
import PureCrypto
import StrictJSON
import OpenIDKit

/// What access and refresh tokens are for.
public struct TokenGrant: Sendable {
  /// The client.
  public let clientID: String
  /// The user.
  public let userID: String
  /// The session that the tokens end with.
  public let sessionID: String
  /// The scopes.
  public let scopes: [String]
  /// Whether a refresh token is wanted.
  public let includesRefreshToken: Bool
  /// When.
  public let issuedAt: NumericDate
  /// The record of the device secret that the tokens came from or came with, so that they can end with it.
  public let deviceSecretID: String?
  /// When the user authenticated: stays the time of the original login.
  public let authenticationTime: NumericDate?
  /// The resources that were granted (RFC 8707).
  public let resources: [String]
  /// The resources of this access token: some of those, or all.
  public let accessTokenResources: [String]
  /// The authorization code that the tokens are for: refresh tokens begin with its use, in one commit, by
  /// `RedeemedAuthorizationCode.issueRefreshToken(for:)`, and all tokens end if it comes again.
  public let code: RedeemedAuthorizationCode?

  /// A grant.
  public init(
    clientID: String, userID: String, sessionID: String, scopes: [String], includesRefreshToken: Bool,
    issuedAt: NumericDate, deviceSecretID: String? = nil, authenticationTime: NumericDate? = nil,
    resources: [String] = [], accessTokenResources: [String]? = nil, code: RedeemedAuthorizationCode? = nil
  ) {
    (self.resources, self.accessTokenResources) = (resources, accessTokenResources ?? resources)
    self.code = code
    (self.clientID, self.userID, self.sessionID) = (clientID, userID, sessionID)
    (self.scopes, self.includesRefreshToken) = (scopes, includesRefreshToken)
    (self.issuedAt, self.authenticationTime) = (issuedAt, authenticationTime)
    self.deviceSecretID = deviceSecretID
  }
}

/// Access and refresh tokens.
public struct IssuedTokens: Sendable {
  /// The access token.
  public let accessToken: String
  /// `Bearer` or `DPoP`.
  public let tokenType: String
  /// The access token's lifetime in seconds.
  public let expiresIn: Int
  /// The refresh token.
  public let refreshToken: String?

  /// Tokens.
  public init(accessToken: String, tokenType: String = "Bearer", expiresIn: Int, refreshToken: String?) {
    (self.accessToken, self.tokenType, self.expiresIn) = (accessToken, tokenType, expiresIn)
    self.refreshToken = refreshToken
  }
}

extension IssuedTokens: Redacted {}

/// Makes and ends access and refresh tokens.
public protocol TokenIssuer: Sendable {
  /// Makes tokens.
  ///
  /// - Throws: anything; the request that needed it is answered with `server_error`.
  func issue(_ grant: TokenGrant) async throws -> IssuedTokens

  /// Ends every refresh token of a session, in whatever app.
  ///
  /// - Throws: anything. ``NativeSSOProvider/endSession(_:reason:)`` throws it on; the device secrets are revoked by
  ///   then.
  func revokeTokens(sessionID: String) async throws

  /// Ends every refresh token that came of a device secret or with it, in whatever app and session.
  ///
  /// - Parameter id: the name of the device secret's record: ``TokenGrant/deviceSecretID``.
  /// - Throws: anything. Whoever revokes the device secret is told, and does it again.
  func revokeTokens(deviceSecretID id: String) async throws

  /// Ends a token of a client. Does nothing if there is none.
  ///
  /// - Throws: anything; the request that needed it is answered with `server_error`.
  func revoke(_ token: String, clientID: String) async throws
}

/// Random opaque tokens, remembered by their hashes in memory. For single-process servers and tests.
///
/// A refresh token that comes again after it was used ends all of its client's tokens of the session: it is in two
/// hands (RFC 9700 §4.14.2).
public actor OpaqueTokenIssuer: TokenIssuer {
  private struct Entry {
    let grant: TokenGrant
    let isRefreshToken: Bool
    var isUsed = false
  }

  /// For how many seconds from its issue a used refresh token is known as such.
  private static let memory = 30 * 86_400.0

  private let lifetime: Int
  private var entries: [DeviceSecretFingerprint: Entry] = [:]
  private var issuesUntilSweep = 1024
  /// How many tokens are remembered. For tests.
  package var count: Int { entries.count }

  /// An issuer whose access tokens live that many seconds.
  public init(accessTokenLifetime lifetime: Int = 3600) { self.lifetime = lifetime }

  /// Makes tokens of 256 random bits.
  public func issue(_ grant: TokenGrant) -> IssuedTokens {
    sweep(grant.issuedAt)
    return IssuedTokens(
      accessToken: remember(grant, isRefreshToken: false), expiresIn: lifetime,
      refreshToken: grant.includesRefreshToken ? remember(grant, isRefreshToken: true) : nil)
  }

  /// What a refresh token was issued for, or nil if it is none of ours or has ended.
  public func grant(refreshToken: String) -> TokenGrant? {
    guard let entry = entries[fingerprint(refreshToken)], entry.isRefreshToken, !entry.isUsed else { return nil }
    return entry.grant
  }

  /// What an access token was issued for, or nil if it is none of ours, has ended or lapsed.
  public func grant(accessToken: String, now: NumericDate) -> TokenGrant? {
    guard let entry = entries[fingerprint(accessToken)], !entry.isRefreshToken,
      now < entry.grant.issuedAt.advanced(by: Double(lifetime))
    else { return nil }
    return entry.grant
  }

  /// Ends every token of a session.
  public func revokeTokens(sessionID: String) {
    entries = entries.filter { !$0.value.grant.sessionID.hasSameBytes(as: sessionID) }
  }

  /// Ends every token that came of a device secret or with it.
  public func revokeTokens(deviceSecretID id: String) {
    entries = entries.filter { $0.value.grant.deviceSecretID?.hasSameBytes(as: id) != true }
  }

  /// Ends a token of a client.
  public func revoke(_ token: String, clientID: String) {
    let key = fingerprint(token)
    guard let entry = entries[key], entry.grant.clientID.hasSameBytes(as: clientID) else { return }
    entries[key] = nil
  }

  /// Uses a client's refresh token up and returns what it was issued for: of two callers at most one gets it. Whoever
  /// comes after that ends what it has brought by then.
  func take(refreshToken: String, clientID: String) -> TokenGrant? {
    let key = fingerprint(refreshToken)
    guard let entry = entries[key], entry.isRefreshToken, entry.grant.clientID.hasSameBytes(as: clientID) else {
      return nil
    }
    guard !entry.isUsed else {
      entries = entries.filter { _, other in
        other.isUsed || !other.grant.clientID.hasSameBytes(as: clientID)
          || !other.grant.sessionID.hasSameBytes(as: entry.grant.sessionID)
      }
      return nil
    }
    entries[key]?.isUsed = true
    return entry.grant
  }

  /// Makes a refresh token good again that was taken and brought nothing.
  func restore(refreshToken: String, _ grant: TokenGrant) {
    entries[fingerprint(refreshToken)] = Entry(grant: grant, isRefreshToken: true)
  }

  /// Forgets access tokens that have lapsed, now and then.
  private func sweep(_ now: NumericDate) {
    issuesUntilSweep -= 1
    guard issuesUntilSweep <= 0 else { return }
    issuesUntilSweep = 1024
    entries = entries.filter { _, entry in
      if entry.isRefreshToken, !entry.isUsed { return true }
      return now < entry.grant.issuedAt.advanced(by: entry.isRefreshToken ? Self.memory : Double(lifetime))
    }
  }

  private func remember(_ grant: TokenGrant, isRefreshToken: Bool) -> String {
    let token = DeviceSecret.random().reveal()
    entries[fingerprint(token)] = Entry(grant: grant, isRefreshToken: isRefreshToken)
    return token
  }

  private func fingerprint(_ token: String) -> DeviceSecretFingerprint {
    DeviceSecretFingerprint(SHA2.SHA256.hash(token.utf8))
  }
}
