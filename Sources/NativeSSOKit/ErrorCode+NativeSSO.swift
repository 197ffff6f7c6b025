import JOSE
import OpenIDKit

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
  /// What a login failed at, in this module's terms.
  init(login fault: LoginFault) {
    switch fault {
    case .invalid(let error): self.init(login: error)
    case .refused(let code): self.init(refusedWith: OAuthErrorName.registered(code))
    case .idToken(let error): self = error
    case .noTokens(let failure):
      if let fault = failure.fault {
        self.init(fault)
        return
      }
      switch failure.kind {
      case .notSent, .noAnswer, .serverBusy, .unusableAnswer:
        self.init(.serverUnavailable, "the token endpoint did not answer, or is at fault or too busy")
      case .invalidGrant: self.init(refusedWith: "invalid_grant")
      case .invalidScope: self.init(refusedWith: "invalid_scope")
      case .loginRequired: self.init(refusedWith: "login_required")
      case .dpopNonceRequired: self.init(refusedWith: "use_dpop_nonce")
      case .misconfigured(let name): self.init(refusedWith: name)
      }
    }
  }

  /// The same of a login that was not begun, or whose redirect or answer is not good.
  init(login error: OpenIDError) {
    let code: ErrorCode =
      switch error.code {
      case .settingInvalid, .invalidRequest: .callerMisuse
      case .configuration: .serverRefused
      case .temporarilyUnavailable: .serverUnavailable
      default: error.code
      }
    self.init(code, error.text, name: error.name)
  }

  private init(refusedWith name: String?) {
    self.init(.serverRefused, "the server refused the request", name: name)
  }

  /// What is wrong with the tokens of an answer.
  init(_ fault: TokenResponseFault) {
    guard fault != .invalid("token_type") else {
      self.init(.unsupportedTokenType, "the token type is neither Bearer nor DPoP", name: "token_type")
      return
    }
    guard fault != .otherType else {
      self.init(.answerMalformed, "tokens bound to a key were asked for, or others, and came not", name: "token_type")
      return
    }
    self.init(.answerMalformed, "a member is absent, or not what it must be", name: fault.name)
  }
}
