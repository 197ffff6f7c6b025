import StrictJSON

/// Why a message, a key or a claim was refused.
public typealias JOSEError = CodedError<JOSEErrorCode>

/// What can go wrong in JOSE. More codes may be added; compare, don't switch exhaustively.
public struct JOSEErrorCode: ErrorCode {
  /// Who is at fault.
  public enum Fault: Sendable {
    /// The program that calls this library. Never caused by untrusted data.
    case callerMisuse
    /// Bytes from outside that are not a legal message.
    case malformedInput
    /// A legal message that this library or this caller does not process.
    case unsupported
    /// A legal message that is not authentic, or not for this key.
    case verificationFailed
    /// An authentic message whose claims are not acceptable now.
    case claimRejected
    /// A key or a store could not be used now. The sender is not refused for good, and may come again: status 503.
    case keyUnavailable
  }

  /// The code's stable name.
  public let description: String
  /// Who is at fault.
  public let fault: Fault

  private init(_ name: String, _ fault: Fault) { (description, self.fault) = (name, fault) }

  // MARK: Caller misuse

  /// The caller asked for something that has no safe meaning: an empty allowlist, a negative leeway, a reserved header
  /// parameter.
  public static let callerMisuse = Self("callerMisuse", .callerMisuse)
  /// A key's length is below what its algorithm requires.
  public static let keyTooWeak = Self("keyTooWeak", .callerMisuse)
  /// A key that lives elsewhere (Secure Enclave, KMS, agent) did not answer, or answered with something unusable.
  public static let externalKeyFailed = Self("externalKeyFailed", .keyUnavailable)

  /// A proof is right, but can't be noted now as seen. Its sender may try again later.
  public static let replayStoreFull = Self("replayStoreFull", .keyUnavailable)

  /// A key has made more proofs, or an issuer more tokens, than one may in this time. Its sender may try again later.
  public static let replayQuotaReached = Self("replayQuotaReached", .keyUnavailable)

  // MARK: Malformed input

  /// Not a legal serialization, base64url, UTF-8 or JSON text.
  public static let malformed = Self("malformed", .malformedInput)
  /// A limit was reached before any expensive work. `name` says which.
  public static let limitExceeded = Self("limitExceeded", .malformedInput)
  /// A header parameter breaks its specification. `name` says which.
  public static let headerInvalid = Self("headerInvalid", .malformedInput)
  /// Key material is wrong in itself: off the curve, of the wrong length, contradictory.
  public static let keyInvalid = Self("keyInvalid", .malformedInput)

  // MARK: Unsupported

  /// `crit` names an extension that is not understood.
  public static let criticalHeaderUnsupported = Self("criticalHeaderUnsupported", .unsupported)
  /// The algorithm or key type exists but is not implemented here.
  public static let algorithmUnsupported = Self("algorithmUnsupported", .unsupported)

  // MARK: Verification failed

  /// The token names an algorithm that the caller did not allow.
  public static let algorithmNotAllowed = Self("algorithmNotAllowed", .verificationFailed)
  /// A sound key that may not be used for this: other algorithm, curve, use or operation.
  public static let keyMismatch = Self("keyMismatch", .verificationFailed)
  /// No key in the set fits the token.
  public static let keyNotFound = Self("keyNotFound", .verificationFailed)
  /// A signature or authentication code did not verify, for whatever cryptographic reason.
  public static let signatureInvalid = Self("signatureInvalid", .verificationFailed)
  /// A JWE did not open. Every failure that depends on a secret looks the same.
  public static let decryptionFailed = Self("decryptionFailed", .verificationFailed)

  /// A certificate of a chain breaks a rule, or leads to no trusted root. `name` says which and what:
  /// `x5c[1].keyUsage`.
  public static let certificateInvalid = Self("certificateInvalid", .verificationFailed)

  // MARK: Claim rejected

  /// A required claim is absent. `name` says which.
  public static let claimMissing = Self("claimMissing", .claimRejected)
  /// A claim has a type or range that its specification forbids. `name` says which.
  public static let claimInvalid = Self("claimInvalid", .claimRejected)
  /// A claim has another value than the caller requires. `name` says which.
  public static let claimMismatch = Self("claimMismatch", .claimRejected)
  /// `exp` has passed, or the token is older than the caller accepts.
  public static let claimExpired = Self("claimExpired", .claimRejected)
  /// `nbf` or `iat` lies in the future.
  public static let claimNotYetValid = Self("claimNotYetValid", .claimRejected)
  /// A DPoP proof has none of the nonces that the server gives: answer with `use_dpop_nonce`, and the client tries
  /// again.
  public static let dpopNonceRequired = Self("dpopNonceRequired", .claimRejected)
  /// `typ` is not one that the caller accepts.
  public static let typeMismatch = Self("typeMismatch", .claimRejected)
}

extension JOSEError {
  /// Claims did not decode as the caller's type. The error's name is the path to the member.
  init(claims error: any Error) {
    guard let error = error as? DecodingError else {
      self.init(.claimInvalid, "the claims do not decode as the requested type")
      return
    }
    let place = error.place
    if place.isFormMissing {
      self.init(.callerMisuse, Self.formMissing, name: place.text)
    } else {
      self.init(
        .claimInvalid, "the claim does not decode as the requested type", name: place.text.isEmpty ? nil : place.text)
    }
  }

  /// Claims did not encode. The error's name is the path to the member.
  init(encodingClaims error: any Error) {
    guard let place = (error as? EncodingError)?.place, !place.text.isEmpty else {
      self.init(.callerMisuse, "the claims do not encode as a JSON object")
      return
    }
    self.init(
      .callerMisuse, place.isFormMissing ? Self.formMissing : "the claim does not encode as JSON", name: place.text)
  }

  private static var formMissing: StaticString {
    "Date, Data, URL and Decimal need JOSEFoundation: import it, or use NumericDate, text and JSONNumber"
  }
}
