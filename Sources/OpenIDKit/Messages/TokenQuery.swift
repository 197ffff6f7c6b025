import PureCrypto
import JOSE
import StrictJSON

/// `token_type_hint`: of what kind a token probably is. More hints may be registered.
public struct TokenTypeHint: Sendable, Hashable, CustomStringConvertible {
  /// The hint's name.
  public let description: String

  /// The hint of that name.
  public init(_ name: String) { description = name }

  /// The hint `access_token` (RFC 7009 §2.1).
  public static let accessToken = TokenTypeHint("access_token")
  /// The hint `refresh_token` (RFC 7009 §2.1).
  public static let refreshToken = TokenTypeHint("refresh_token")

  /// Compares bytes.
  public static func == (lhs: TokenTypeHint, rhs: TokenTypeHint) -> Bool {
    WireName(lhs.description) == rhs.description
  }

  /// Hashes the name.
  public func hash(into hasher: inout Hasher) { description.utf8.forEach { hasher.combine($0) } }
}

/// A request about a token: to revoke it, or to learn what it is good for.
///
/// Source: RFC 7009 §2.1, RFC 7662 §2.1.
public struct TokenQuery: Sendable {
  /// `token`: the access or refresh token that is asked about. Secret.
  public let token: String
  /// `token_type_hint`: the probable kind of the token. It says where to look first, and a wrong one does no harm.
  public let hint: TokenTypeHint?

  /// A request about a token, with or without a hint of its kind.
  public init(token: String, hint: TokenTypeHint? = nil) {
    self.token = token
    self.hint = hint
  }

  /// Reads a request's form.
  ///
  /// - Throws: `ErrorCode.invalidRequest`.
  public init(form: FormFields) throws(OpenIDError) {
    guard let token = try? form.requiredValue("token"), token.utf8.count <= Self.maximumByteCount else {
      throw OpenIDError(.invalidRequest, "the request has no token, or one that is too long", name: "token")
    }
    self.token = token
    hint = form.values("token_type_hint").first.flatMap { $0.isEmpty ? nil : TokenTypeHint($0) }
  }

  /// The longest token, in octets: room for a JWT of any sensible size.
  static let maximumByteCount = 32 * 1024

  /// The names of the parameters of its request.
  static let names: [WireName] = OAuthEndpoint.clientNames + ["token", "token_type_hint"]

  package var fields: [(String, String)] {
    [("token", token)] + (hint.map { [("token_type_hint", $0.description)] } ?? [])
  }
}

/// A request to revoke a token.
public typealias RevocationRequest = TokenQuery

/// A request to learn what a token is good for.
public typealias IntrospectionRequest = TokenQuery

extension TokenQuery: Redacted {}
