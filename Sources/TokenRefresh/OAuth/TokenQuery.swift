import JOSEHTTP
import StrictJSON

/// `token_type_hint`: of what kind a token probably is. More hints may be registered.
public struct TokenTypeHint: Sendable, Hashable, CustomStringConvertible {
  /// The hint's name.
  public let description: String

  /// The hint of that name.
  public init(_ name: String) { description = name }

  /// An access token.
  public static let accessToken = TokenTypeHint("access_token")
  /// A refresh token.
  public static let refreshToken = TokenTypeHint("refresh_token")

  /// Compares bytes.
  public static func == (lhs: TokenTypeHint, rhs: TokenTypeHint) -> Bool {
    lhs.description.hasSameBytes(as: rhs.description)
  }

  /// Hashes the name.
  public func hash(into hasher: inout Hasher) { description.utf8.forEach { hasher.combine($0) } }
}

/// A request to revoke a token.
///
/// Source: RFC 7009 §2.1.
public struct RevocationRequest: Sendable {
  /// `token`. Secret.
  public let token: String
  /// `token_type_hint`.
  public let hint: TokenTypeHint?

  /// A request.
  public init(token: String, hint: TokenTypeHint? = nil) {
    self.token = token
    self.hint = hint
  }

  /// Reads a request's form.
  ///
  /// - Throws: ``TokenRefreshErrorCode/invalidRequest``.
  public init(form: FormFields) throws(TokenRefreshError) {
    (token, hint) = try TokenQuery.read(form)
  }

  var fields: [(String, String)] { TokenQuery.fields(token, hint) }
}

/// A request to learn what a token is good for.
///
/// Source: RFC 7662 §2.1.
public struct IntrospectionRequest: Sendable {
  /// `token`. Secret.
  public let token: String
  /// `token_type_hint`.
  public let hint: TokenTypeHint?

  /// A request.
  public init(token: String, hint: TokenTypeHint? = nil) {
    self.token = token
    self.hint = hint
  }

  /// Reads a request's form.
  ///
  /// - Throws: ``TokenRefreshErrorCode/invalidRequest``.
  public init(form: FormFields) throws(TokenRefreshError) {
    (token, hint) = try TokenQuery.read(form)
  }

  var fields: [(String, String)] { TokenQuery.fields(token, hint) }
}

/// What the two requests have in common.
enum TokenQuery {
  /// The longest token, in octets: room for a JWT of any sensible size.
  static let maximumByteCount = 32 * 1024

  static func read(_ form: FormFields) throws(TokenRefreshError) -> (String, TokenTypeHint?) {
    guard let token = try? form.requiredValue("token"), token.utf8.count <= maximumByteCount else {
      throw TokenRefreshError(.invalidRequest, "the request has no token, or one that is too long", name: "token")
    }
    let hint = form.values("token_type_hint").first.flatMap { $0.isEmpty ? nil : TokenTypeHint($0) }
    return (token, hint)
  }

  static func fields(_ token: String, _ hint: TokenTypeHint?) -> [(String, String)] {
    [("token", token)] + (hint.map { [("token_type_hint", $0.description)] } ?? [])
  }
}

extension RevocationRequest: CustomStringConvertible, CustomReflectable {
  /// The hint. No token.
  public var description: String { "RevocationRequest(\(hint.map { "\($0)" } ?? "no hint"))" }

  /// Shows no token to `dump` and to test failures.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension IntrospectionRequest: CustomStringConvertible, CustomReflectable {
  /// The hint. No token.
  public var description: String { "IntrospectionRequest(\(hint.map { "\($0)" } ?? "no hint"))" }

  /// Shows no token to `dump` and to test failures.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
