import AppleSignInKit
import JOSE
import StrictJSON

/// What only Apple's own side refuses.
extension ErrorCode {
  /// `redirect_uri` is not registered for the client.
  package static let redirectURINotRegistered = Self("redirectURINotRegistered", .callerMisuse)
  /// `response_type` is absent, empty, no known combination, or `id_token` alone.
  package static let responseTypeUnsupported = Self("responseTypeUnsupported", .callerMisuse)
  /// `response_mode` is none of the three.
  package static let responseModeUnsupported = Self("responseModeUnsupported", .callerMisuse)
  /// `scope` has a value that Apple does not know.
  package static let scopeUnsupported = Self("scopeUnsupported", .callerMisuse)
}

extension AppleResponseMode {
  /// Reads a `response_mode` parameter, which may be absent.
  ///
  /// - Throws: `ErrorCode.responseModeUnsupported`.
  package static func parse(_ text: String?) throws(JOSEError) -> AppleResponseMode? {
    guard let text else { return nil }
    guard let mode = allCases.first(where: { WireName($0.rawValue) == text }) else {
      throw JOSEError(
        .responseModeUnsupported, "the response mode must be query, fragment or form_post", name: "response_mode")
    }
    return mode
  }
}

extension AppleResponseType {
  /// Reads a `response_type` parameter: a set, so the order does not matter.
  ///
  /// Source: OAuth 2.0 Multiple Response Type Encoding Practices §3.
  /// - Throws: `ErrorCode.responseTypeUnsupported`.
  package static func parse(_ text: String?) throws(JOSEError) -> AppleResponseType {
    let values = (text ?? "").utf8.split(separator: 0x20, omittingEmptySubsequences: false).map {
      WireName(String(Substring($0)))
    }
    let hasCode = values.contains("code")
    let hasIdentityToken = values.contains("id_token")
    if values.count == 1, hasIdentityToken {
      throw JOSEError(
        .responseTypeUnsupported, "an identity token comes beside a code only", name: "response_type")
    }
    if values.count == 1, hasCode { return .code }
    if values.count == 2, hasCode, hasIdentityToken { return .codeAndIdentityToken }
    throw JOSEError(
      .responseTypeUnsupported, "the response type must be code or code id_token", name: "response_type")
  }
}

extension AppleScope {
  /// Reads a `scope` parameter: values separated by single spaces, in any order. `openid`, which Apple's discovery
  /// document lists, asks for nothing here.
  ///
  /// - Throws: `ErrorCode.scopeUnsupported` for a value that Apple does not know.
  package static func parse(_ text: String) throws(JOSEError) -> Set<AppleScope> {
    var scopes: Set<AppleScope> = []
    for value in text.words.wireNames {
      if value == "openid" { continue }
      guard let scope = allCases.first(where: { $0.rawValue == value }) else {
        throw JOSEError(.scopeUnsupported, "a scope must be name or email", name: "scope")
      }
      scopes.insert(scope)
    }
    return scopes
  }
}
