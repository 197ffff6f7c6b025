/// Where requests may go without TLS.
///
/// Tokens, secrets and keys travel by https. To develop against a server on the same machine, plain http is allowed by
/// name:
///
/// ```swift
/// let keys = RemoteKeySet(issuer: "http://127.0.0.1:8080", plainHTTP: .loopback, transport: send)
/// ```
public enum PlainHTTP: Sendable, Hashable {
  /// Nowhere: every URL is https.
  case refused
  /// To this machine: `127.0.0.0/8`, `[::1]` and `localhost`. For development, not for a server that others reach.
  case loopback

  /// Whether a request may go to a URL: an absolute one by https, or by http as far as this value allows, with a host,
  /// and without user information and fragment.
  public func permits(_ url: String) -> Bool {
    guard let components = try? URIComponents(parsing: url) else { return false }
    return permits(components)
  }

  /// Whether a request may go to a URL that has been taken apart, see ``permits(_:)``.
  package func permits(_ url: URIComponents) -> Bool {
    guard url.host?.isEmpty == false, url.userInfo == nil, url.fragment == nil else { return false }
    return url.hasScheme("https") || self == .loopback && url.hasScheme("http") && url.isLoopback
  }
}
