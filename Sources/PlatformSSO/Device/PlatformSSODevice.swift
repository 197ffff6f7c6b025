import JOSE

/// A Mac's side of Platform SSO: builds the requests that macOS sends, and opens and checks the responses.
///
/// Nothing here opens a socket. Each method returns an HTTP request to send, or takes the HTTP response that came.
///
/// ```swift
/// let device = PlatformSSODevice(configuration: configuration, keys: try .generate())
/// let nonceRequest = device.serverNonceRequest()
/// let nonces = try device.requestNonces(from: send(nonceRequest.httpRequest), to: nonceRequest)
/// let request = try device.refreshRequest(refreshToken: token, nonces: nonces)
/// let login = try device.openLoginResponse(send(request.httpRequest), to: request, idTokenKeys: keySet)
/// ```
public struct PlatformSSODevice: Sendable {
  /// What the SSO extension configured.
  public var configuration: LoginConfiguration

  /// The device's keys.
  public var keys: DeviceKeys

  /// Where "now" comes from.
  public var clock: WallClock

  /// Bounds on responses.
  public var limits: Limits

  /// A device.
  public init(
    configuration: LoginConfiguration, keys: DeviceKeys, clock: WallClock = .system, limits: Limits = .default
  ) {
    self.configuration = configuration
    self.keys = keys
    self.clock = clock
    self.limits = limits
  }
}
