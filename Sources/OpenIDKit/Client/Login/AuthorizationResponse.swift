import JOSE
import PureCrypto

/// The answer of an authorization endpoint, which the browser has brought to the client: it answers the client's own
/// request, and holds one code.
///
/// Source: RFC 6749 §4.1.2, RFC 9207 §2.4, RFC 9700 §4.4.2, §4.7.
package struct AuthorizationResponse: Sendable {
  /// What the answer must be to.
  package struct Request: Sendable {
    /// `state`, as it was sent.
    package var state: String
    /// The address that the answer was asked to.
    package var redirectURI: String
    /// The provider that was asked.
    package var issuer: String
    /// Whether that provider names itself in each answer.
    package var requiresIssuer: Bool

    package init(state: String, redirectURI: String, issuer: String, requiresIssuer: Bool) {
      (self.state, self.redirectURI) = (state, redirectURI)
      (self.issuer, self.requiresIssuer) = (issuer, requiresIssuer)
    }
  }

  /// Why the redirect was rejected.
  package enum Fault: Error, Sendable {
    /// It came to another address, can't be read, or answers another request.
    case unrelated
    /// It answers the request, and has no code, or several.
    case codeMissing
    /// The provider says of itself that it names itself in each answer, and here it doesn't.
    case issuerMissing
    /// Another provider has answered.
    case issuerMismatch
    /// The provider has answered with an error: with this code, as it came in the redirect.
    case refused(String)
  }

  /// `code`: good for one request to the token endpoint.
  package let code: String

  /// Reads an answer. Nothing in one that answers another request is looked at.
  ///
  /// - Parameters:
  ///   - redirect: where the browser was sent: the whole address, or its path and query as a server sees them.
  ///   - request: what it must answer.
  package init(redirect: String, answering request: Request) throws(Fault) {
    guard let query = Self.query(of: redirect, to: request.redirectURI)?.utf8,
      let fields = try? FormFields(parameters: ["state", "iss", "error", "code"], in: query),
      let state = try? fields.requiredValue("state"), ConstantTime.equal(state.utf8, request.state.utf8)
    else { throw .unrelated }
    let issuers = fields.values("iss").wireNames
    guard !issuers.isEmpty || !request.requiresIssuer else { throw .issuerMissing }
    guard issuers.allSatisfy({ $0 == request.issuer }) else { throw .issuerMismatch }
    if let error = fields.values("error").first { throw .refused(error) }
    // No parameter may occur twice (RFC 6749 §3.1): whose would the second be?
    guard fields.hasUniqueNames(), let code = try? fields.requiredValue("code") else { throw .codeMissing }
    self.code = code
  }

  /// The query that a provider has added to a redirect URI, which may have one of its own (RFC 6749 §3.1.2); nil if
  /// the address is another.
  private static func query(of redirect: String, to redirectURI: String) -> String? {
    guard redirect.utf8.first == UInt8(ascii: "/") else {
      return URIComponents.appendedQuery(of: redirect, to: redirectURI)
    }
    guard let address = try? URIComponents(parsing: redirectURI) else { return nil }
    let path = (address.path.isEmpty ? "/" : address.path) + (address.query.map { "?" + $0 } ?? "")
    return URIComponents.appendedQuery(of: redirect, to: path)
  }
}
