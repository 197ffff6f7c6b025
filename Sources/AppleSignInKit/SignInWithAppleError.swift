import JOSE
import StrictJSON

/// Why a message of Sign in with Apple was refused or could not be made.
public typealias SignInWithAppleError = CodedError<SignInWithAppleErrorCode>

/// What can go wrong in Sign in with Apple. More codes may be added; compare, don't switch exhaustively.
public struct SignInWithAppleErrorCode: ErrorCode {
  /// Who is at fault.
  public typealias Fault = ProtocolFault

  /// The code's stable name.
  public let description: String
  /// Who is at fault.
  public let fault: Fault

  private init(_ name: String, _ fault: Fault) { (description, self.fault) = (name, fault) }

  // MARK: Authorization request

  /// `client_id` is empty.
  public static let clientIDMissing = Self("clientIDMissing", .callerMisuse)
  /// `client_id` contains the Team ID.
  public static let clientIDContainsTeamID = Self("clientIDContainsTeamID", .callerMisuse)
  /// `redirect_uri` is not an absolute URI of printable ASCII.
  public static let redirectURIMalformed = Self("redirectURIMalformed", .callerMisuse)
  /// `redirect_uri` has another scheme than `https`.
  public static let redirectURINotHTTPS = Self("redirectURINotHTTPS", .callerMisuse)
  /// `redirect_uri` has a user or a password.
  public static let redirectURIHasUserInformation = Self("redirectURIHasUserInformation", .callerMisuse)
  /// `redirect_uri` has a fragment, be it empty.
  public static let redirectURIHasFragment = Self("redirectURIHasFragment", .callerMisuse)
  /// `redirect_uri` names its host by an address.
  public static let redirectURIHostIsAddress = Self("redirectURIHostIsAddress", .callerMisuse)
  /// `redirect_uri` leads to localhost.
  public static let redirectURIHostIsLocalhost = Self("redirectURIHostIsLocalhost", .callerMisuse)
  /// `redirect_uri` has a host that is not a domain name of at least two labels.
  public static let redirectURIHostInvalid = Self("redirectURIHostInvalid", .callerMisuse)
  /// `redirect_uri` has a port that is not a number from 1 to 65535.
  public static let redirectURIPortInvalid = Self("redirectURIPortInvalid", .callerMisuse)
  /// `redirect_uri` is not registered for the client.
  public static let redirectURINotRegistered = Self("redirectURINotRegistered", .callerMisuse)
  /// `response_type` is absent, empty or no known combination.
  public static let responseTypeUnsupported = Self("responseTypeUnsupported", .callerMisuse)
  /// `response_type` is `id_token` alone.
  public static let responseTypeIdentityTokenAlone = Self("responseTypeIdentityTokenAlone", .callerMisuse)
  /// `response_mode` is none of the three.
  public static let responseModeUnsupported = Self("responseModeUnsupported", .callerMisuse)
  /// A scope was asked for, and `response_mode` is not `form_post`.
  public static let scopeNeedsFormPost = Self("scopeNeedsFormPost", .callerMisuse)
  /// An identity token was asked for, and `response_mode` is `query`.
  public static let identityTokenForbidsQuery = Self("identityTokenForbidsQuery", .callerMisuse)
  /// `scope` has a value that Apple does not know.
  public static let scopeUnsupported = Self("scopeUnsupported", .callerMisuse)
  /// `state` is not 1 to 512 visible ASCII characters.
  public static let stateInvalid = Self("stateInvalid", .callerMisuse)
  /// `nonce` is not 1 to 512 visible ASCII characters.
  public static let nonceInvalid = Self("nonceInvalid", .callerMisuse)
  /// A further parameter that the request defines itself or that is not a plain name.
  public static let parameterUnsupported = Self("parameterUnsupported", .callerMisuse)
  /// A parameter is there more than once.
  public static let parameterDuplicated = Self("parameterDuplicated", .malformedMessage)
  /// A required parameter is absent.
  public static let parameterMissing = Self("parameterMissing", .malformedMessage)
  /// A parameter has an illegal value.
  public static let parameterInvalid = Self("parameterInvalid", .malformedMessage)

  // MARK: Authorization response

  /// The request's method is not that of the response mode.
  public static let methodNotAllowed = Self("methodNotAllowed", .malformedMessage)
  /// `Content-Type` is not the message's.
  public static let contentTypeInvalid = Self("contentTypeInvalid", .malformedMessage)
  /// A message, or something in it, is longer than is accepted.
  public static let limitExceeded = Self("limitExceeded", .malformedMessage)
  /// Not the encoding of this message.
  public static let malformed = Self("malformed", .malformedMessage)
  /// `state` is absent.
  public static let stateMissing = Self("stateMissing", .notAuthentic)
  /// `state` is not the one of this browser's sign-in.
  public static let stateMismatch = Self("stateMismatch", .notAuthentic)
  /// There is no such sign-in, or it has been answered before.
  public static let signInUnknown = Self("signInUnknown", .notAuthentic)
  /// The sign-in began too long ago.
  public static let signInExpired = Self("signInExpired", .rejected)
  /// The response has both `code` and `error`.
  public static let responseAmbiguous = Self("responseAmbiguous", .malformedMessage)
  /// Apple's server refused the authorization with another error than the user's cancelling.
  public static let authorizationRefused = Self("authorizationRefused", .rejected)
  /// `code` is absent, or not 1 to 1024 visible ASCII characters.
  public static let authorizationCodeInvalid = Self("authorizationCodeInvalid", .malformedMessage)
  /// `id_token` was asked for and is absent.
  public static let identityTokenMissing = Self("identityTokenMissing", .malformedMessage)

  // MARK: Tokens

  /// A header parameter breaks its specification, or names an extension.
  public static let headerInvalid = Self("headerInvalid", .malformedMessage)
  /// `alg` is not one that is accepted for this token.
  public static let algorithmNotAllowed = Self("algorithmNotAllowed", .notAuthentic)
  /// The algorithm is accepted for this token, and this library does not implement it.
  public static let algorithmUnsupported = Self("algorithmUnsupported", .unsupported)
  /// The key set has no key for the token.
  public static let keyNotFound = Self("keyNotFound", .notAuthentic)
  /// A key is wrong in itself, or not for the token's algorithm.
  public static let keyInvalid = Self("keyInvalid", .notAuthentic)
  /// The signature does not verify.
  public static let signatureInvalid = Self("signatureInvalid", .notAuthentic)
  /// A required claim is absent. `name` says which.
  public static let claimMissing = Self("claimMissing", .malformedMessage)
  /// A claim has another type or form than it must have.
  public static let claimInvalid = Self("claimInvalid", .malformedMessage)
  /// A claim has another value than it must have.
  public static let claimMismatch = Self("claimMismatch", .notAuthentic)
  /// `exp` has passed.
  public static let claimExpired = Self("claimExpired", .rejected)
  /// `iat`, `nbf` or `auth_time` lies in the future.
  public static let claimNotYetValid = Self("claimNotYetValid", .rejected)
  /// The token has no nonce, although one was sent.
  public static let nonceMissing = Self("nonceMissing", .notAuthentic)
  /// The token's nonce is not the one that was sent, or none was sent.
  public static let nonceMismatch = Self("nonceMismatch", .notAuthentic)
  /// Two identity tokens of one sign-in are about different users.
  public static let subjectMismatch = Self("subjectMismatch", .notAuthentic)

  // MARK: Client secret

  /// The Team ID is not 10 upper-case letters and digits.
  public static let teamIDInvalid = Self("teamIDInvalid", .callerMisuse)
  /// The key identifier is not 10 upper-case letters and digits.
  public static let keyIDInvalid = Self("keyIDInvalid", .callerMisuse)
  /// The client secret would live longer than Apple accepts, or not at all.
  public static let lifetimeInvalid = Self("lifetimeInvalid", .callerMisuse)
  /// The key file holds no private key on P-256.
  public static let keyNotP256 = Self("keyNotP256", .callerMisuse)
  /// A key outside this process did not sign.
  public static let externalKeyFailed = Self("externalKeyFailed", .unavailable)

  // MARK: Token endpoint

  /// Apple's server refused a request. `name` has its error code, if it is a registered one.
  public static let requestRefused = Self("requestRefused", .rejected)
  /// Apple's server answered with a fault, with too many requests, or with something else than an answer.
  public static let serverUnavailable = Self("serverUnavailable", .unavailable)
  /// The key set could not be fetched.
  public static let keysUnavailable = Self("keysUnavailable", .unavailable)
  /// The caller's store failed.
  public static let storeUnavailable = Self("storeUnavailable", .unavailable)
  /// A stored sign-in can't be read.
  public static let recordMalformed = Self("recordMalformed", .malformedMessage)
  /// The caller asked for something that has no safe meaning.
  public static let callerMisuse = Self("callerMisuse", .callerMisuse)
}

extension SignInWithAppleErrorCode: ProtocolErrorCode {
  package static func word(for code: JOSEErrorCode) -> SignInWithAppleErrorCode? {
    switch code {
    case .malformed: .malformed
    case .limitExceeded: .limitExceeded
    case .headerInvalid, .criticalHeaderUnsupported, .typeMismatch: .headerInvalid
    case .algorithmNotAllowed: .algorithmNotAllowed
    case .algorithmUnsupported: .algorithmUnsupported
    case .keyInvalid, .keyMismatch, .keyTooWeak: .keyInvalid
    case .keyNotFound: .keyNotFound
    case .signatureInvalid: .signatureInvalid
    case .claimMissing: .claimMissing
    case .claimInvalid: .claimInvalid
    case .claimMismatch: .claimMismatch
    case .claimExpired: .claimExpired
    case .claimNotYetValid: .claimNotYetValid
    case .externalKeyFailed: .externalKeyFailed
    default: nil
    }
  }
}
