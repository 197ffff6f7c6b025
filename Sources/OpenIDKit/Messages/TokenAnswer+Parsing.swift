import JOSE
import StrictJSON

/// Why a token response is refused.
package enum TokenResponseFault: Error, Hashable {
  /// The body is not a JSON object.
  case malformed
  /// A member is absent.
  case missing(String)
  /// A member is not what it must be.
  case invalid(String)
  /// The access token is of the other type: bound to a key, or not.
  case otherType

  /// The member's name.
  package var name: String? {
    switch self {
    case .malformed: nil
    case .missing(let name), .invalid(let name): name
    case .otherType: "token_type"
    }
  }
}

/// The one reader of token responses, for every client in the package.
///
/// Source: RFC 6749 §5.1, §7.1 and appendix A.
extension TokenAnswer {
  /// Reads the body of a successful answer.
  package init(parsing body: [UInt8]) throws(TokenResponseFault) {
    guard let object = try? JSONObject(parsing: body, limits: OAuthAnswer.limits) else { throw .malformed }
    try self.init(object)
  }

  /// Reads the object of a successful answer. An optional member that is `null` or an empty text counts as absent, and
  /// so does any that a client can do without and that is not what it must be: it spoils no other.
  package init(_ object: JSONObject) throws(TokenResponseFault) {
    guard let accessToken = try object.tokenText("access_token") else { throw .missing("access_token") }
    guard let tokenType = try object.tokenText("token_type") else { throw .missing("token_type") }
    // It is going to stand in a header field, beside a scheme that the client knows.
    guard OAuthAnswer.isHeaderText(accessToken) else { throw .invalid("access_token") }
    guard OAuthAnswer.isType(tokenType, among: "bearer", "dpop") else { throw .invalid("token_type") }
    self.init(
      accessToken: accessToken, tokenType: tokenType, expiresIn: Self.lifetime(object["expires_in"]),
      refreshToken: try? object.tokenText("refresh_token"),
      refreshTokenExpiresIn: Self.lifetime(object["refresh_token_expires_in"]), scope: Self.scope(object["scope"]),
      idToken: try object.tokenText("id_token"))
  }

  /// `expires_in` and its like, of one second or more. Servers write 0 for a lifetime that they don't name.
  private static func lifetime(_ value: JSONValue?) -> Duration? {
    value.flatMap(OAuthAnswer.seconds).flatMap { (1...1e15).contains($0) ? Duration(saturating: $0) : nil }
  }

  /// `scope`: a text or, as some servers write it, an array of texts.
  private static func scope(_ value: JSONValue?) -> String? {
    let words = value?.arrayValue.map { $0.map(\.stringValue) } ?? [value?.stringValue]
    let text = words.contains(nil) ? "" : words.compactMap { $0 }.joined(separator: " ")
    return text.isEmpty ? nil : text
  }
}

extension JSONObject {
  /// A member that is a text if it is there; nil for `null` and an empty text.
  package func tokenText(_ name: String) throws(TokenResponseFault) -> String? {
    guard let value = self[name], !value.isNull else { return nil }
    guard let text = value.stringValue else { throw .invalid(name) }
    return text.isEmpty ? nil : text
  }
}
