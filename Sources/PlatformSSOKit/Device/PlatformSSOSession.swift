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
      received: now, expiration: now.advanced(by: response.sessionLifetime ?? .zero),
      lastFullLogin: refreshed?.lastFullLogin ?? now)
  }

  /// Whether tokens are to be renewed: they have expired, or are older than four hours.
  public func isRenewalDue(at now: NumericDate) -> Bool {
    now >= expiration || now.secondsSince1970 - received.secondsSince1970 > Self.renewalAge.inSeconds
  }

  /// The least `LoginFrequency`. Lower values count as this.
  private static let minimumLoginFrequency = Duration.seconds(3600)
  /// The age from which on tokens are renewed although they are still good.
  private static let renewalAge = Duration.seconds(14_400)

  /// Decides as ``PlatformSSODevice/canRefresh(_:method:loginFrequency:)`` says.
  package func canRefresh(
    method: ExtensibleSSOProfile.AuthenticationMethod, hasRefreshEndpoint: Bool,
    loginFrequency: Duration = .seconds(64_800), now: NumericDate
  ) -> Bool {
    guard method != .userSecureEnclaveKey, hasRefreshEndpoint, now < expiration else { return false }
    let age = now.secondsSince1970 - lastFullLogin.secondsSince1970
    return (0...max(loginFrequency, Self.minimumLoginFrequency).inSeconds).contains(age)
  }
}

extension PlatformSSODevice {
  /// Whether this device gets new tokens by a refresh request now, and not by a full login. In this order: no session,
  /// or one of another registration; a Secure Enclave key, whose full login asks the user for nothing; no refresh
  /// endpoint; an expired token; a full login that lies back longer than `loginFrequency`, or in the future, since the
  /// clock was set back. Each calls for a full login, and what is left for a refresh.
  ///
  /// Source: Apple, Creating a refresh request; Authentication process; the device management key `LoginFrequency`.
  /// - Parameters:
  ///   - session: nil if there is none, or the device has been registered anew since.
  ///   - method: how the user logged in.
  ///   - loginFrequency: the profile's `LoginFrequency`, an hour at least. The default is that of a profile without it.
  public func canRefresh(
    _ session: PlatformSSOSession?, method: ExtensibleSSOProfile.AuthenticationMethod,
    loginFrequency: Duration = .seconds(64_800)
  ) -> Bool {
    session?.canRefresh(
      method: method, hasRefreshEndpoint: configuration.effectiveRefreshEndpointURL != nil,
      loginFrequency: loginFrequency, now: clock.now) ?? false
  }
}
