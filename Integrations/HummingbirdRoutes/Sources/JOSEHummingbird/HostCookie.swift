public import Hummingbird

/// A cookie of one host, for a handle or a session: scripts can't read it, browsers send it over TLS only, and another
/// host of the same domain can't set it.
///
/// Source: RFC 6265bis §4.1.3.2, the prefix `__Host-`.
public struct HostCookie: Sendable {
  /// The name, with its prefix.
  public let name: String
  private let sameSite: Cookie.SameSite
  private let lifetime: Int?

  /// A cookie.
  ///
  /// - Parameters:
  ///   - name: letters, digits and hyphens; the prefix is added.
  ///   - sameSite: `.none` for a cookie that must come back with a form from another site, as Apple posts it; `.lax`
  ///     for a session.
  ///   - lifetime: in seconds; nil until the browser is closed.
  public init(_ name: String, sameSite: Cookie.SameSite = .lax, lifetime: Int? = nil) {
    self.name = "__Host-" + name
    self.sameSite = sameSite
    self.lifetime = lifetime
  }

  /// The cookie's value in a request; nil if it is missing or empty.
  public func value(in request: Request) -> String? {
    request.cookies[name].map(\.value).flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Sets the cookie with a response.
  ///
  /// - Parameters:
  ///   - value: base64url or another text without separators.
  ///   - response: gets the field `Set-Cookie`.
  public func set(_ value: String, in response: inout Response) {
    response.setCookie(
      Cookie(name: name, value: value, maxAge: lifetime, path: "/", secure: true, httpOnly: true, sameSite: sameSite))
  }

  /// Makes the browser delete it.
  public func clear(in response: inout Response) {
    response.setCookie(
      Cookie(name: name, value: "", maxAge: 0, path: "/", secure: true, httpOnly: true, sameSite: sameSite))
  }
}
