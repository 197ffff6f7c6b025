import JOSE
import StrictJSON

/// A `response_mode` of an authorization: how the response travels.
public enum AppleResponseMode: String, Sendable, Hashable, CaseIterable {
  /// In the query of the redirect URI.
  case query
  /// In the fragment of the redirect URI, which only the browser sees.
  case fragment
  /// As a form that the browser posts to the redirect URI.
  case formPost = "form_post"

  /// The mode that holds when the parameter is absent.
  ///
  /// Source: OAuth 2.0 Multiple Response Type Encoding Practices §2.1, §5.
  package static func `default`(for responseType: AppleResponseType) -> AppleResponseMode {
    switch responseType {
    case .code: .query
    case .codeAndIdentityToken: .fragment
    }
  }

  /// Checks the rules on combinations.
  ///
  /// Source: Apple, Request an authorization to the Sign in with Apple server.
  /// - Throws: `ErrorCode.scopeNeedsFormPost`,
  ///   `ErrorCode.identityTokenForbidsQuery`.
  package func requireAllowed(for responseType: AppleResponseType, scopes: Set<AppleScope>) throws(JOSEError) {
    guard scopes.isEmpty || self == .formPost else {
      throw JOSEError(.scopeNeedsFormPost, "a scope needs form_post", name: "response_mode")
    }
    guard responseType == .code || self != .query else {
      throw JOSEError(
        .identityTokenForbidsQuery, "an identity token needs fragment or form_post", name: "response_mode")
    }
  }
}
