import JOSE

/// Whether to refresh or to log in in full, by the rules of Platform SSO.
///
/// Source: Apple, Creating a refresh request; the device management key `LoginFrequency`.
public enum LoginDecision: Sendable, Hashable {
  /// Send a refresh request.
  case refresh
  /// Let the user log in.
  case fullLogin

  /// How the user authenticates.
  public enum AuthenticationMethod: Sendable, Hashable {
    /// With a password.
    case password
    /// With a smart card.
    case smartCard
    /// With a key in the Secure Enclave: a login needs nobody's help, so there is nothing to save by a refresh.
    case userSecureEnclaveKey
  }

  /// `LoginFrequency` if it is not set, in seconds.
  public static let defaultLoginFrequency = 64_800.0
  /// The smallest `LoginFrequency`; lower values are raised to it.
  public static let minimumLoginFrequency = 3600.0

  /// Decides.
  ///
  /// - Parameters:
  ///   - record: what is stored; nil for nothing, or after the device was registered anew.
  ///   - hasRefreshEndpoint: whether the configuration names an address for refresh requests.
  ///   - loginFrequency: seconds after a full login until the next one.
  ///   - now: the date. If it lies before the last full login, the clock was set back and the user logs in.
  public init(
    record: TokenRecord?, method: AuthenticationMethod, hasRefreshEndpoint: Bool,
    loginFrequency: Double = LoginDecision.defaultLoginFrequency, now: NumericDate
  ) {
    self = .fullLogin
    guard let record, record.isRefreshable, method != .userSecureEnclaveKey, hasRefreshEndpoint else { return }
    // The token meant is the refresh token where its life is known, else the access token.
    guard now < record.refreshTokenExpiration ?? record.expiration else { return }
    let age = now.secondsSince1970 - record.lastFullLogin.secondsSince1970
    guard age >= 0, age <= max(loginFrequency, Self.minimumLoginFrequency) else { return }
    self = .refresh
  }
}
