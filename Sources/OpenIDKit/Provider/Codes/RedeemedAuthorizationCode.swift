import JOSE
import PureCrypto
import Synchronization

/// A code that its own client presents, for the first time, with all that goes with it: what tokens are to be made
/// from.
public struct RedeemedAuthorizationCode: Sendable {
  /// What the code stands for.
  public let grant: AuthorizationCodeGrant
  /// The resources of this access token: those that were asked for with the code, or all that were granted.
  public let resources: [String]
  let refreshTokens: RefreshTokenService?
  let logins: BegunLogins

  /// Begins a login's family of refresh tokens. The commit that uses the code up puts it into the store, so that there
  /// is no family of a code that another request has used, or whose tokens could not be made.
  ///
  /// - Parameter grant: what is granted; nil for what the code stands for. Its ``RefreshGrant/grantID`` becomes the
  ///   code's, so that the family ends if the code comes again.
  /// - Returns: the first refresh token, and the grant to make an access token from. Neither is good before the
  ///   redemption has returned.
  /// - Throws: `ErrorCode.settingInvalid` if the service of codes has no refresh tokens, or the
  ///   redemption is over.
  public func issueRefreshToken(
    for grant: RefreshGrant? = nil
  ) throws(TokenRefreshError) -> (refreshToken: String, grant: RefreshedGrant) {
    guard let refreshTokens else {
      throw TokenRefreshError(.settingInvalid, "the codes have no refresh tokens", name: "refreshTokens")
    }
    var named = grant ?? RefreshGrant(self.grant)
    named.grantID = self.grant.id
    let login = try refreshTokens.begin(named)
    guard logins.append(login) else {
      throw TokenRefreshError(.settingInvalid, "the redemption is over", name: "code")
    }
    return (login.refreshToken, login.grant)
  }

  /// Takes back a family that ``issueRefreshToken(for:)`` has begun, because nobody will get its token.
  package func withdraw(_ id: RefreshTokenFamily.ID) { logins.remove(id) }
}

extension RedeemedAuthorizationCode: Redacted {}

/// The logins that a redemption has begun until now.
final class BegunLogins: Sendable {
  /// Nil once they were taken.
  private let logins = Mutex<[RefreshTokenService.BegunLogin]?>([])

  /// Adds a login. Returns false if they were taken.
  func append(_ login: RefreshTokenService.BegunLogin) -> Bool {
    logins.withLock { logins in
      logins?.append(login)
      return logins != nil
    }
  }

  func remove(_ id: RefreshTokenFamily.ID) { logins.withLock { $0?.removeAll { $0.family.id == id } } }

  /// All logins. None is added any more.
  func take() -> [RefreshTokenService.BegunLogin] {
    logins.withLock { logins in
      defer { logins = nil }
      return logins ?? []
    }
  }
}
