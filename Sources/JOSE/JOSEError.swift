/// Why a message, a key or a claim was refused.
///
/// Two errors are equal when their codes and names are. The texts are for people: they hold no secret, no token text and
/// nothing else that a sender chose.
public struct JOSEError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What went wrong. More codes may be added; compare, don't switch exhaustively.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    private let name: StaticString
    /// Who is at fault.
    public let fault: Fault

    private init(_ name: StaticString, _ fault: Fault) {
      self.name = name
      self.fault = fault
    }

    /// The code's stable name.
    public var description: String { "\(name)" }

    /// Compares the stable names.
    public static func == (lhs: Code, rhs: Code) -> Bool { lhs.description.hasSameBytes(as: rhs.description) }

    /// Hashes the stable name.
    public func hash(into hasher: inout Hasher) { hasher.combine(description) }

    // MARK: Caller misuse

    /// The caller asked for something that has no safe meaning: an empty allowlist, a negative leeway, a reserved header parameter.
    public static let callerMisuse = Code("callerMisuse", .callerMisuse)
    /// A key's length is below what its algorithm requires.
    public static let keyTooWeak = Code("keyTooWeak", .callerMisuse)
    /// A key that lives elsewhere (Secure Enclave, KMS, agent) did not answer, or answered with something unusable.
    public static let externalKeyFailed = Code("externalKeyFailed", .keyUnavailable)

    /// A proof is right, but can't be noted now as seen. Its sender may try again later.
    public static let replayStoreFull = Code("replayStoreFull", .keyUnavailable)

    // MARK: Malformed input

    /// Not a legal serialization, base64url, UTF-8 or JSON text.
    public static let malformed = Code("malformed", .malformedInput)
    /// A limit was reached before any expensive work. ``JOSEError/name`` says which.
    public static let limitExceeded = Code("limitExceeded", .malformedInput)
    /// A header parameter breaks its specification. ``JOSEError/name`` says which.
    public static let headerInvalid = Code("headerInvalid", .malformedInput)
    /// Key material is wrong in itself: off the curve, of the wrong length, contradictory.
    public static let keyInvalid = Code("keyInvalid", .malformedInput)

    // MARK: Unsupported

    /// `crit` names an extension that is not understood.
    public static let criticalHeaderUnsupported = Code("criticalHeaderUnsupported", .unsupported)
    /// The algorithm or key type exists but is not implemented here.
    public static let algorithmUnsupported = Code("algorithmUnsupported", .unsupported)

    // MARK: Verification failed

    /// The token names an algorithm that the caller did not allow.
    public static let algorithmNotAllowed = Code("algorithmNotAllowed", .verificationFailed)
    /// A sound key that may not be used for this: other algorithm, curve, use or operation.
    public static let keyMismatch = Code("keyMismatch", .verificationFailed)
    /// No key in the set fits the token.
    public static let keyNotFound = Code("keyNotFound", .verificationFailed)
    /// A signature or authentication code did not verify, for whatever cryptographic reason.
    public static let signatureInvalid = Code("signatureInvalid", .verificationFailed)
    /// A JWE did not open. Every failure that depends on a secret looks the same.
    public static let decryptionFailed = Code("decryptionFailed", .verificationFailed)

    /// A key has made more proofs than one key may in this time.
    public static let replayQuotaReached = Code("replayQuotaReached", .verificationFailed)

    // MARK: Claim rejected

    /// A required claim is absent. ``JOSEError/name`` says which.
    public static let claimMissing = Code("claimMissing", .claimRejected)
    /// A claim has a type or range that its specification forbids. ``JOSEError/name`` says which.
    public static let claimInvalid = Code("claimInvalid", .claimRejected)
    /// A claim has another value than the caller requires. ``JOSEError/name`` says which.
    public static let claimMismatch = Code("claimMismatch", .claimRejected)
    /// `exp` has passed, or the token is older than the caller accepts.
    public static let claimExpired = Code("claimExpired", .claimRejected)
    /// `nbf` or `iat` lies in the future.
    public static let claimNotYetValid = Code("claimNotYetValid", .claimRejected)
    /// `typ` is not one that the caller accepts.
    public static let typeMismatch = Code("typeMismatch", .claimRejected)
  }

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
    /// A key or a store outside this process could not be used.
    case keyUnavailable
  }

  /// What went wrong.
  public let code: Code

  /// The claim, header parameter or limit concerned, or the path to a claim that doesn't decode. A name from a specification or from the caller;
  /// in a path, names of an authentic token as well, if they are plain words.
  public let name: String?

  private let text: StaticString

  package init(_ code: Code, _ text: StaticString, name: String? = nil) {
    self.code = code
    self.text = text
    self.name = name
  }

  /// Who is at fault.
  public var fault: Fault { code.fault }

  /// One sentence for people, without secrets and without text from the message.
  public var reason: String { "\(text)" }

  /// Code, name and reason.
  public var description: String {
    guard let name else { return "\(code): \(text)" }
    return "\(code)(\(name)): \(text)"
  }

  /// Compares code and name.
  public static func == (lhs: JOSEError, rhs: JOSEError) -> Bool { lhs.code == rhs.code && lhs.name == rhs.name }

  /// Hashes code and name.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(code)
    hasher.combine(name)
  }
}
