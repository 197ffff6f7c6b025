/// Why a cryptographic operation was refused.
///
/// Two errors are equal when their codes are. The reason is for people; it never holds key material, plaintext or input
/// bytes.
public struct CryptoError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What went wrong. More codes may be added; compare, don't switch exhaustively.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The code's stable name.
    public let description: String

    private init(_ name: StaticString) {
      self.description = "\(name)"
    }

    /// A public key is not a point of the curve, or is not encoded canonically.
    public static let invalidPublicKey = Code("invalidPublicKey")
    /// A private key is out of range, or does not belong to the public key beside it.
    public static let invalidPrivateKey = Code("invalidPrivateKey")
    /// A key has a length that the algorithm does not take.
    public static let invalidKeyLength = Code("invalidKeyLength")
    /// An initialization vector has a length that the algorithm does not take.
    public static let invalidInitializationVectorLength = Code("invalidInitializationVectorLength")
    /// An input to a block cipher is not made of whole blocks.
    public static let invalidBlockLength = Code("invalidBlockLength")
    /// An authentication tag has a length that the algorithm does not take.
    public static let invalidTagLength = Code("invalidTagLength")
    /// A signature's encoding is malformed. Nothing is said about the signature itself.
    public static let malformedSignature = Code("malformedSignature")
    /// A DER structure is malformed, not minimal, or followed by other bytes.
    public static let malformedDER = Code("malformedDER")
    /// PEM text is malformed, or its label is not the expected one.
    public static let malformedPEM = Code("malformedPEM")
    /// The structure is well-formed but names an algorithm or curve that is not supported.
    public static let unsupportedKey = Code("unsupportedKey")
    /// An authenticated message did not verify.
    public static let authenticationFailed = Code("authenticationFailed")
    /// A message encrypted with a public key did not decrypt. Nothing is said about why.
    public static let decryptionFailed = Code("decryptionFailed")
    /// A message or output is longer than the algorithm's specification allows.
    public static let lengthLimitExceeded = Code("lengthLimitExceeded")
    /// A key has been used as often as its specification allows.
    public static let usageLimitReached = Code("usageLimitReached")
  }

  /// What went wrong.
  public let code: Code

  /// The reason as it stands in the source, for an error of another layer that says the same.
  package let text: StaticString

  /// One sentence for people, without secrets.
  public var reason: String { "\(text)" }

  package init(_ code: Code, _ reason: StaticString) {
    self.code = code
    self.text = reason
  }

  /// The code and the reason.
  public var description: String { "\(code): \(reason)" }

  /// Compares codes only.
  public static func == (lhs: CryptoError, rhs: CryptoError) -> Bool { lhs.code == rhs.code }

  /// Hashes the code only.
  public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}
