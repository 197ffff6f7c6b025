import JOSE

/// What can go wrong in Sign in with Apple only.
extension ErrorCode {
  /// `client_id` is empty, or contains the Team ID.
  public static let clientIDInvalid = Self("clientIDInvalid", .callerMisuse)

  /// `redirect_uri` is not an absolute `https` URI of printable ASCII that leads to a domain name, without user
  /// information and fragment.
  public static let redirectURIInvalid = Self("redirectURIInvalid", .callerMisuse)

  /// A scope was asked for, and `response_mode` is not `form_post`.
  public static let scopeNeedsFormPost = Self("scopeNeedsFormPost", .callerMisuse)

  /// An identity token was asked for, and `response_mode` is `query`.
  public static let identityTokenForbidsQuery = Self("identityTokenForbidsQuery", .callerMisuse)

  /// `state` is not 1 to 512 visible ASCII characters.
  public static let stateInvalid = Self("stateInvalid", .callerMisuse)

  /// `nonce` is not 1 to 512 visible ASCII characters.
  public static let nonceInvalid = Self("nonceInvalid", .callerMisuse)

  /// A further parameter that the request defines itself or that is not a plain name.
  public static let parameterUnsupported = Self("parameterUnsupported", .callerMisuse)

  /// `state` is absent.
  public static let stateMissing = Self("stateMissing", .notAuthentic)

  /// There is no such sign-in, or it has been answered before.
  public static let signInUnknown = Self("signInUnknown", .notAuthentic)

  /// The sign-in began too long ago.
  public static let signInExpired = Self("signInExpired", .rejected)

  /// The response has both `code` and `error`.
  public static let responseAmbiguous = Self("responseAmbiguous", .malformedMessage)

  /// `code` is absent, or not 1 to 1024 visible ASCII characters.
  public static let authorizationCodeInvalid = Self("authorizationCodeInvalid", .malformedMessage)

  /// `id_token` was asked for and is absent.
  public static let identityTokenMissing = Self("identityTokenMissing", .malformedMessage)

  /// The token has no nonce, although one was sent.
  public static let nonceMissing = Self("nonceMissing", .notAuthentic)

  /// The token's nonce is not the one that was sent, or none was sent.
  public static let nonceMismatch = Self("nonceMismatch", .notAuthentic)

  /// Two identity tokens of one sign-in are about different users.
  public static let subjectMismatch = Self("subjectMismatch", .notAuthentic)

  /// The Team ID is not 10 upper-case letters and digits.
  public static let teamIDInvalid = Self("teamIDInvalid", .callerMisuse)

  /// The key identifier is not 10 upper-case letters and digits.
  public static let keyIDInvalid = Self("keyIDInvalid", .callerMisuse)

  /// The client secret would live longer than Apple accepts, or not at all.
  public static let lifetimeInvalid = Self("lifetimeInvalid", .callerMisuse)

  /// The key set could not be fetched.
  public static let keysUnavailable = Self("keysUnavailable", .unavailable)
}
