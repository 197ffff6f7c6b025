import StrictJSON

/// A `response_type` of an authorization. There is no `id_token` alone: Apple does not support it.
public enum AppleResponseType: String, Sendable, Hashable {
  /// A code alone.
  case code
  /// A code, and an identity token beside it.
  case codeAndIdentityToken = "code id_token"

  /// Reads a `response_type` parameter: a set, so the order does not matter.
  ///
  /// Source: OAuth 2.0 Multiple Response Type Encoding Practices §3.
  /// - Throws: `ErrorCode.responseTypeUnsupported`,
  ///   `ErrorCode.responseTypeUnsupported`.
  package static func parse(_ text: String?) throws(SignInWithAppleError) -> AppleResponseType {
    let values = (text ?? "").utf8.split(separator: 0x20, omittingEmptySubsequences: false).map {
      String(Substring($0))
    }
    let hasCode = values.contains { $0.hasSameBytes(as: "code") }
    let hasIdentityToken = values.contains { $0.hasSameBytes(as: "id_token") }
    if values.count == 1, hasIdentityToken {
      throw SignInWithAppleError(
        .responseTypeUnsupported, "an identity token comes beside a code only", name: "response_type")
    }
    if values.count == 1, hasCode { return .code }
    if values.count == 2, hasCode, hasIdentityToken { return .codeAndIdentityToken }
    throw SignInWithAppleError(
      .responseTypeUnsupported, "the response type is neither code nor code id_token", name: "response_type")
  }
}
