import PureCrypto

/// Where an identity token came from, and what came with it.
public enum AppleIdentityTokenOrigin: Sendable {
  /// Through the browser, beside a code: `c_hash` must be there and fit the code.
  case authorizationResponse(code: String)
  /// From the token endpoint. `c_hash` and `at_hash` must fit if they are there and the code or the access token is
  /// known.
  case tokenResponse(code: String? = nil, accessToken: String? = nil)
  /// From a native app, which got it from the system. `c_hash` must fit if it is there and the code is known.
  case nativeApp(code: String? = nil)

  var code: String? {
    switch self {
    case .authorizationResponse(let code): code
    case .tokenResponse(let code, _): code
    case .nativeApp(let code): code
    }
  }

  var accessToken: String? {
    if case .tokenResponse(_, let accessToken) = self { accessToken } else { nil }
  }

  var requiresCodeHash: Bool {
    if case .authorizationResponse = self { true } else { false }
  }
}

extension AppleIdentityTokenOrigin: Redacted {}
