import JOSE
import NativeSSOKit
import OpenIDKit
import PureCrypto

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

  private let lifetime: Double
  private var entries: [SHA2.SHA256.Digest: Entry] = [:]
  private var issuesUntilSweep = 1024
  /// How many tokens are remembered. For tests.
  package var count: Int { entries.count }

  /// An issuer whose access tokens live that long.
  public init(accessTokenLifetime: Duration = .seconds(3600)) { lifetime = accessTokenLifetime.inSeconds }

  /// Makes tokens of 256 random bits.
  public func issue(_ grant: TokenGrant) -> RefreshedTokens {
    sweep(grant.issuedAt)
    return RefreshedTokens(
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
      now < entry.grant.issuedAt.advanced(by: lifetime)
    else { return nil }
    return entry.grant
  }

  /// Ends every token of a session.
  public func revokeTokens(sessionID: String) {
    entries = entries.filter { $0.value.grant.granted.sessionID?.hasSameBytes(as: sessionID) != true }
  }

  /// Ends every token that came of a device secret or with it.
  public func revokeTokens(deviceSecretID id: String) {
    entries = entries.filter { $0.value.grant.granted.deviceSecretID?.hasSameBytes(as: id) != true }
  }

  /// Ends a token of a client.
  public func revoke(_ token: String, clientID: String) {
    let key = fingerprint(token)
    guard let entry = entries[key], entry.grant.granted.clientID.hasSameBytes(as: clientID) else { return }
    entries[key] = nil
  }

  /// Uses a client's refresh token up and returns what it was issued for: of two callers at most one gets it. Whoever
  /// comes after that ends what it has brought by then.
  func take(refreshToken: String, clientID: String) -> TokenGrant? {
    let key = fingerprint(refreshToken)
    guard let entry = entries[key], entry.isRefreshToken, entry.grant.granted.clientID.hasSameBytes(as: clientID) else {
      return nil
    }
    guard !entry.isUsed else {
      entries = entries.filter { _, other in
        other.isUsed || !other.grant.granted.clientID.hasSameBytes(as: clientID)
          || other.grant.granted.sessionID != entry.grant.granted.sessionID
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
      return now < entry.grant.issuedAt.advanced(by: entry.isRefreshToken ? Self.memory : lifetime)
    }
  }

  private func remember(_ grant: TokenGrant, isRefreshToken: Bool) -> String {
    let token = DeviceSecret.random().reveal()
    entries[fingerprint(token)] = Entry(grant: grant, isRefreshToken: isRefreshToken)
    return token
  }

  private func fingerprint(_ token: String) -> SHA2.SHA256.Digest {
    SHA2.SHA256.hash(token.utf8)
  }
}
