import Hummingbird
import JOSE

/// Why a request is refused, and the answer to its sender.
enum TokenRefusal: Error {
  case noToken
  case requestInvalid
  case token(JOSEError, AccessToken.Scheme)
  case proof(JOSEError)
  case insufficientScope(AccessToken.Scheme)
  case unavailable(JOSEError)
  case misconfigured(JOSEError)

  init(token error: JOSEError, _ scheme: AccessToken.Scheme) {
    self = Self(notTheSendersFault: error) ?? .token(error, scheme)
  }

  init(proof error: JOSEError) { self = Self(notTheSendersFault: error) ?? .proof(error) }

  private init?(notTheSendersFault error: JOSEError) {
    switch error.fault {
    case .unavailable: self = .unavailable(error)
    case .callerMisuse: self = .misconfigured(error)
    default: return nil
    }
  }

  var status: HTTPResponse.Status {
    switch self {
    case .noToken, .token, .proof: .unauthorized
    case .requestInvalid: .badRequest
    case .insufficientScope: .forbidden
    case .unavailable: .serviceUnavailable
    case .misconfigured: .internalServerError
    }
  }

  /// RFC 6750 §3.1, RFC 9449 §7.1 and §9. A request without a token gets no error code.
  var errorCode: String? {
    switch self {
    case .noToken, .unavailable, .misconfigured: nil
    case .requestInvalid: "invalid_request"
    case .token: "invalid_token"
    case .proof(let error): error.code == .dpopNonceRequired ? "use_dpop_nonce" : "invalid_dpop_proof"
    case .insufficientScope: "insufficient_scope"
    }
  }

  /// The scheme that was used, where it is known.
  var scheme: AccessToken.Scheme? {
    switch self {
    case .token(_, let scheme), .insufficientScope(let scheme): scheme
    case .proof: .dpop
    case .noToken, .requestInvalid, .unavailable, .misconfigured: nil
    }
  }

  var event: BearerTokenEvent.Kind {
    switch self {
    case .noToken: .noToken
    case .requestInvalid: .requestInvalid
    case .token(let error, _): .tokenRefused(error)
    case .proof(let error): .proofRefused(error)
    case .insufficientScope: .insufficientScope
    case .unavailable(let error): .unavailable(error)
    case .misconfigured(let error): .misconfigured(error)
    }
  }

  /// Whether a text has the syntax of a token: `b64token` of RFC 6750 §2.1.
  static func isToken(_ text: String) -> Bool {
    let body = text.utf8.reversed().drop { $0 == UInt8(ascii: "=") }
    return !body.isEmpty
      && body.allSatisfy { octet in
        switch octet {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"):
          true
        default: "-._~+/".utf8.contains(octet)
        }
      }
  }

  /// A quoted string of a header field (RFC 9110 §5.6.4). Characters that are not allowed are left out.
  static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars where scalar.isASCII && scalar.value >= 0x20 && scalar.value != 0x7F {
      if scalar == "\"" || scalar == "\\" { quoted.append("\\") }
      quoted.unicodeScalars.append(scalar)
    }
    return quoted + "\""
  }
}
