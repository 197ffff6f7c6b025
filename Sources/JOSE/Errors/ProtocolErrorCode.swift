/// Who is at fault when a message of a protocol on top of JOSE is refused, or can't be made.
public enum ProtocolFault: Sendable {
  /// The program that calls this library, or its configuration at the other side.
  case callerMisuse
  /// Bytes from outside that are not a legal message.
  case malformedMessage
  /// A legal message that asks for something this library or this caller does not do.
  case unsupported
  /// A legal message that is not authentic, not for this exchange, or comes from an unknown party.
  case notAuthentic
  /// An authentic message that is not acceptable now or here.
  case rejected
  /// The user's credential is wrong. The only fault that makes a Mac ask for it again.
  case credentialRejected
  /// A key, a store or the other side could not be reached. Trying later may help.
  case unavailable
}

/// The codes of a protocol that stands on JOSE, and on a store that the caller provides.
package protocol ProtocolErrorCode: ErrorCode where Fault == ProtocolFault {
  /// What the caller asks for has no safe meaning.
  static var callerMisuse: Self { get }

  /// The caller's store failed.
  static var storeUnavailable: Self { get }

  /// The protocol's own word for what JOSE refused; nil for what is the caller's misuse.
  static func word(for code: JOSEErrorCode) -> Self?
}

extension CodedError where Code: ProtocolErrorCode {
  /// What JOSE refused, in the protocol's words.
  package init(_ error: JOSEError) {
    let code = Code.word(for: error.code)
    self.init(code ?? .callerMisuse, code == nil ? Self.noMeaning : Self.text(for: error.code), name: error.name)
  }

  /// Evaluates what may fail in JOSE, and reports that in the protocol's words.
  package static func reporting<Result>(
    _ evaluate: @autoclosure () throws(JOSEError) -> Result
  ) throws(Self) -> Result {
    do throws(JOSEError) {
      return try evaluate()
    } catch {
      throw Self(error)
    }
  }

  /// Calls the caller's store. Its errors may say anything, so they go no further.
  package static func askingStore<Result: Sendable>(
    _ body: () async throws -> Result
  ) async throws(Self) -> Result {
    do {
      return try await body()
    } catch {
      throw Self(.storeUnavailable, "the store failed")
    }
  }

  private static var noMeaning: StaticString { "the operation has no safe meaning" }

  private static func text(for code: JOSEErrorCode) -> StaticString {
    switch code {
    case .malformed: "not a compact token or not strict JSON"
    case .limitExceeded: "the token is larger than the limits allow"
    case .headerInvalid: "a header parameter breaks its specification"
    case .criticalHeaderUnsupported: "a critical extension is not understood"
    case .typeMismatch: "the token is of another type"
    case .algorithmNotAllowed: "the algorithm is not one that is accepted"
    case .algorithmUnsupported: "the algorithm is not implemented"
    case .keyInvalid: "a key is wrong in itself"
    case .keyMismatch, .keyTooWeak: "the key may not be used for this"
    case .keyNotFound: "no key fits the token"
    case .signatureInvalid: "the signature does not verify"
    case .decryptionFailed: "the message could not be opened"
    case .claimMissing: "a required claim is absent"
    case .claimInvalid: "a claim has an illegal type or value"
    case .claimMismatch: "a claim has another value than it must have"
    case .claimExpired: "the token has expired"
    case .claimNotYetValid: "the token is not valid yet"
    case .externalKeyFailed: "a key outside this process could not be used"
    default: noMeaning
    }
  }
}
