public import Hummingbird

/// A cookie of one host, for a handle or a session: scripts don't see it, it goes over TLS only, and no neighbour under
/// the same domain can set it.
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
  ///   - sameSite: `.none` for what must come back with a form that another site posts, as Apple does; `.lax` for a
  ///     session.
  ///   - lifetime: in seconds; nil for as long as the browser lives.
  public init(_ name: String, sameSite: Cookie.SameSite = .lax, lifetime: Int? = nil) {
    self.name = "__Host-" + name
    self.sameSite = sameSite
    self.lifetime = lifetime
  }

  /// What a browser sent; nil if it sent none, or an empty one.
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

  /// Has the browser forget it.
  public func clear(in response: inout Response) {
    response.setCookie(
      Cookie(name: name, value: "", maxAge: 0, path: "/", secure: true, httpOnly: true, sameSite: sameSite))
  }
}
