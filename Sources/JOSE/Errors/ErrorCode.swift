/// What went wrong: a code with a stable name, which is its description, and who is at fault for it as a rule.
///
/// All modules use one vocabulary. Each may add codes: compare, don't switch exhaustively.
public struct ErrorCode: Hashable, Sendable, CustomStringConvertible {
  /// Who is at fault.
  public enum Fault: Sendable {
    /// The program that calls this library, or its configuration at the other side. Never caused by untrusted data.
    case callerMisuse
    /// Bytes from outside that are not a legal message.
    case malformedMessage
    /// A legal message that this library or this caller does not process.
    case unsupported
    /// A legal message that is not authentic, not for this key or exchange, or comes from an unknown party.
    case notAuthentic
    /// An authentic message that is not acceptable now or here.
    case rejected
    /// The user's credential is wrong. The only fault for which a client asks the user for it again.
    case credentialRejected
    /// The login has ended.
    case loginEnded
    /// A key, a store or the other side could not be reached. The sender is not refused for good, and may come again:
    /// status 503.
    case unavailable
  }

  /// The code's stable name.
  public let description: String
  /// Who is at fault, unless the error says otherwise.
  public let fault: Fault

  package init(_ name: String, _ fault: Fault) { (description, self.fault) = (name, fault) }

  // MARK: Caller misuse

  /// The caller asked for something that has no safe meaning: an empty allowlist, a negative leeway, a reserved header
  /// parameter.
  public static let callerMisuse = Self("callerMisuse", .callerMisuse)
  /// A key's length is below what its algorithm requires.
  public static let keyTooWeak = Self("keyTooWeak", .malformedMessage)
  /// A key that lives elsewhere (Secure Enclave, KMS, agent) did not answer, or answered with something unusable.
  public static let externalKeyFailed = Self("externalKeyFailed", .unavailable)

  /// A proof is right, but can't be noted now as seen. Its sender may try again later.
  public static let replayStoreFull = Self("replayStoreFull", .unavailable)

  /// A key has made more proofs, or an issuer more tokens, than one may in this time. Its sender may try again later.
  public static let replayQuotaReached = Self("replayQuotaReached", .unavailable)

  // MARK: Malformed input

  /// Not a legal serialization, base64url, UTF-8 or JSON text.
  public static let malformed = Self("malformed", .malformedMessage)
  /// A limit was reached before any expensive work. `name` says which.
  public static let limitExceeded = Self("limitExceeded", .malformedMessage)
  /// A header parameter breaks its specification. `name` says which.
  public static let headerInvalid = Self("headerInvalid", .malformedMessage)
  /// Key material is wrong in itself: off the curve, of the wrong length, contradictory.
  public static let keyInvalid = Self("keyInvalid", .malformedMessage)

  // MARK: Unsupported

  /// `crit` names an extension that is not understood.
  public static let criticalHeaderUnsupported = Self("criticalHeaderUnsupported", .unsupported)
  /// The algorithm or key type exists but is not implemented here.
  public static let algorithmUnsupported = Self("algorithmUnsupported", .unsupported)

  // MARK: Verification failed

  /// The token names an algorithm that the caller did not allow.
  public static let algorithmNotAllowed = Self("algorithmNotAllowed", .notAuthentic)
  /// A sound key that may not be used for this: other algorithm, curve, use or operation.
  public static let keyMismatch = Self("keyMismatch", .notAuthentic)
  /// No key in the set fits the token.
  public static let keyNotFound = Self("keyNotFound", .notAuthentic)
  /// A signature or authentication code did not verify, for whatever cryptographic reason.
  public static let signatureInvalid = Self("signatureInvalid", .notAuthentic)
  /// A JWE did not open. Every failure that depends on a secret looks the same.
  public static let decryptionFailed = Self("decryptionFailed", .notAuthentic)

  /// A certificate of a chain breaks a rule, or leads to no trusted root. `name` says which and what:
  /// `x5c[1].keyUsage`.
  public static let certificateInvalid = Self("certificateInvalid", .notAuthentic)

  // MARK: Claim rejected

  /// A required claim is absent. `name` says which.
  public static let claimMissing = Self("claimMissing", .rejected)
  /// A claim has a type or range that its specification forbids. `name` says which.
  public static let claimInvalid = Self("claimInvalid", .rejected)
  /// A claim has another value than the caller requires. `name` says which.
  public static let claimMismatch = Self("claimMismatch", .rejected)
  /// `exp` has passed, or the token is older than the caller accepts.
  public static let claimExpired = Self("claimExpired", .rejected)
  /// `nbf` or `iat` lies in the future.
  public static let claimNotYetValid = Self("claimNotYetValid", .rejected)
  /// A DPoP proof has none of the nonces that the server gives: answer with `use_dpop_nonce`, and the client tries
  /// again.
  public static let dpopNonceRequired = Self("dpopNonceRequired", .rejected)
  /// A status list says of the token that it is revoked, suspended, or anything else but valid.
  public static let statusRefused = Self("statusRefused", .rejected)
  /// What a token's status is can't be told: its list can't be had or verified, or has ended.
  public static let statusUnavailable = Self("statusUnavailable", .unavailable)
  /// `typ` is not one that the caller accepts.
  public static let typeMismatch = Self("typeMismatch", .rejected)

  // MARK: Messages of the protocols on JOSE

  /// The request's method is not the message's.
  public static let methodNotAllowed = Self("methodNotAllowed", .malformedMessage)

  /// `Content-Type` is not the message's.
  public static let contentTypeInvalid = Self("contentTypeInvalid", .malformedMessage)

  /// The browser came back with an error. `name` is its code, if it is a registered one.
  public static let authorizationRefused = Self("authorizationRefused", .rejected)

  /// A form or header field, a parameter or a member that the message needs is absent. `name` says which.
  public static let fieldMissing = Self("fieldMissing", .malformedMessage)

  /// A form or header field, a parameter or a member has a value that the message does not allow. `name` says which.
  public static let fieldInvalid = Self("fieldInvalid", .malformedMessage)

  /// A form or header field, or a parameter, is there more than once.
  public static let fieldDuplicated = Self("fieldDuplicated", .malformedMessage)

  /// The browser came back with another `state` than it was sent with.
  public static let stateMismatch = Self("stateMismatch", .notAuthentic)

  /// The caller's store failed or is full.
  public static let storeUnavailable = Self("storeUnavailable", .unavailable)

  /// The other side could not be reached, or answered with a status that calls for another attempt later.
  public static let serverUnavailable = Self("serverUnavailable", .unavailable)

  /// The server answered with an OAuth error. `name` is its code, if it is a registered one.
  public static let serverRefused = Self("serverRefused", .rejected)

  /// A stored record can't be read.
  public static let recordMalformed = Self("recordMalformed", .malformedMessage)

  /// A setting has a type or range that it must not have. `name` says which.
  public static let settingInvalid = Self("settingInvalid", .callerMisuse)

  /// An answer is not what its specification says.
  public static let answerMalformed = Self("answerMalformed", .malformedMessage)

  /// A redirect is not the answer to the authorization request.
  public static let redirectInvalid = Self("redirectInvalid", .malformedMessage)

  /// A discovery document is not a legal one.
  public static let metadataInvalid = Self("metadataInvalid", .malformedMessage)

  /// An ID token is not authentic, not for this login, or not the continuation of the one before. `name` says which
  /// claim or part.
  public static let identityTokenInvalid = Self("identityTokenInvalid", .notAuthentic)

  /// No user is logged in, or the user signed out meanwhile.
  public static let loggedOut = Self("loggedOut", .loginEnded)
}
