import JOSE

/// What can go wrong in Native SSO only.
extension ErrorCode {
  /// The token type is neither `Bearer` nor `DPoP`.
  public static let unsupportedTokenType = Self("unsupportedTokenType", .unsupported)

  /// The ID token is encrypted, and so can't serve another app.
  public static let encryptedIDToken = Self("encryptedIDToken", .unsupported)

  /// `issued_token_type` is not the one asked for.
  public static let unexpectedIssuedTokenType = Self("unexpectedIssuedTokenType", .notAuthentic)

  /// `ds_hash` does not bind the device secret.
  public static let deviceSecretBindingMismatch = Self("deviceSecretBindingMismatch", .notAuthentic)

  /// A device secret came without an ID token.
  public static let deviceSecretWithoutIDToken = Self("deviceSecretWithoutIDToken", .notAuthentic)

  /// `device_secret` and `device_token` differ.
  public static let deviceSecretAmbiguous = Self("deviceSecretAmbiguous", .notAuthentic)

  /// A device secret is longer than any real one, or holds bytes that are not visible ASCII.
  public static let deviceSecretMalformed = Self("deviceSecretMalformed", .notAuthentic)

  /// A service that the provider needs failed.
  public static let serviceFailed = Self("serviceFailed", .unavailable)
}

extension JOSEError {
  /// What an ID token's verification failed at, in this module's terms.
  init(idToken error: JOSEError) {
    guard !error.isLackOfKeys else {
      self.init(.serviceFailed, "the provider's keys are not available", name: "jwks_uri")
      return
    }
    let isUnsupported = error.code == .algorithmUnsupported
    self.init(
      isUnsupported ? .algorithmUnsupported : .identityTokenInvalid, "the ID token is refused", name: error.name)
  }
}
