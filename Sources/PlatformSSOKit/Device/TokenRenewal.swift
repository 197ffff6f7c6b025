import JOSE

/// What a device keeps of a login, as far as it decides how tokens are renewed.
public struct PlatformSSOSession: Sendable, Hashable {
  /// When the tokens came.
  public var received: NumericDate
  /// From when on they are no longer good.
  public var expiration: NumericDate
  /// When the user last logged in in full. A refresh does not move it.
  public var lastFullLogin: NumericDate

  /// A session that is kept.
  public init(received: NumericDate, expiration: NumericDate, lastFullLogin: NumericDate) {
    self.received = received
    self.expiration = expiration
    self.lastFullLogin = lastFullLogin
  }

  /// The session that a login response begins, or that a refresh goes on with.
  ///
  /// - Parameters:
  ///   - response: says how long the session lasts; without a lifetime it has expired at once.
  ///   - now: when the response came, by the device's clock.
  ///   - refreshed: the session that was refreshed; nil after a full login.
  public init(of response: LoginResponse, at now: NumericDate, refreshing refreshed: PlatformSSOSession? = nil) {
    self.init(
      received: now, expiration: now.advanced(by: Double(response.sessionLifetime ?? 0)),
      lastFullLogin: refreshed?.lastFullLogin ?? now)
  }
}

/// How a device gets new tokens: by a refresh request or by a full login.
///
/// Source: Apple, Creating a refresh request; Authentication process; the device management key `LoginFrequency`.
public enum TokenRenewal: Sendable, Hashable {
  /// Send a refresh request.
  case refresh
  /// Send a login request.
  case fullLogin

  /// How the user logs in.
  public enum AuthenticationMethod: Sendable, Hashable, CaseIterable {
    /// With a password.
    case password
    /// With a key in the Secure Enclave: a full login asks the user for nothing, so that a refresh would save nothing.
    case userSecureEnclaveKey
    /// With a smart card.
    case smartCard
    /// With a browser (macOS 27).
    case openID
  }

  /// `LoginFrequency` if the profile has none, in seconds: 18 hours.
  public static let defaultLoginFrequency = 64_800.0
  /// The least `LoginFrequency`, in seconds. Lower values count as this.
  public static let minimumLoginFrequency = 3600.0
  /// The age from which on tokens are renewed although they are still good, in seconds: 4 hours.
  public static let renewalAge = 14_400.0

  /// Decides, in this order: no session, or one of another registration; a Secure Enclave key; no refresh endpoint; an
  /// expired token; a full login that lies back longer than `loginFrequency`, or, since the clock was set back, in the
  /// future. Each calls for a full login, and what is left for a refresh.
  ///
  /// - Parameters:
  ///   - session: nil if there is none, or the device has been registered anew since.
  ///   - method: how the user logged in.
  ///   - hasRefreshEndpoint: whether the configuration says where refresh requests go.
  ///   - loginFrequency: seconds from one full login to the next.
  ///   - now: by the clock that the session's dates come from.
  public init(
    of session: PlatformSSOSession?, method: AuthenticationMethod, hasRefreshEndpoint: Bool,
    loginFrequency: Double = defaultLoginFrequency, now: NumericDate
  ) {
    self = .fullLogin
    guard let session, method != .userSecureEnclaveKey, hasRefreshEndpoint, now < session.expiration else { return }
    let age = now.secondsSince1970 - session.lastFullLogin.secondsSince1970
    guard (0...max(loginFrequency, Self.minimumLoginFrequency)).contains(age) else { return }
    self = .refresh
  }

  /// Whether tokens are to be renewed at all: there are none, they have expired, or they are older than ``renewalAge``.
  public static func isDue(_ session: PlatformSSOSession?, now: NumericDate) -> Bool {
    guard let session, now < session.expiration else { return true }
    return now.secondsSince1970 - session.received.secondsSince1970 > renewalAge
  }
}

extension PlatformSSODevice {
  /// How this device gets new tokens now: ``TokenRenewal/init(of:method:hasRefreshEndpoint:loginFrequency:now:)`` with
  /// its clock and its configuration.
  public func renewal(
    of session: PlatformSSOSession?, method: TokenRenewal.AuthenticationMethod,
    loginFrequency: Double = TokenRenewal.defaultLoginFrequency
  ) -> TokenRenewal {
    TokenRenewal(
      of: session, method: method, hasRefreshEndpoint: configuration.effectiveRefreshEndpointURL != nil,
      loginFrequency: loginFrequency, now: clock.now)
  }
}

/// What ``PlatformSSOSession`` was called.
@available(*, deprecated, renamed: "PlatformSSOSession")
public typealias Session = PlatformSSOSession
