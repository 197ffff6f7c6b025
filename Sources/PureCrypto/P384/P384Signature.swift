/// An ECDSA signature on the curve P-384: two integers r and s.
///
/// Any pair of integers of 48 bytes can be read; whether 1 ≤ r, s ≤ n − 1 is judged when the signature is verified.
/// A signature has a second valid form, (r, n − s): never use its bytes as an identity.
public struct P384Signature: Sendable, Hashable {
  let signature: CurveSignature<P384Curve>

  init(_ signature: CurveSignature<P384Curve>) {
    self.signature = signature
  }

  /// Reads the form that JWS uses.
  /// - Parameter bytes: 96 bytes, r ‖ s, each most significant first.
  /// - Throws: `.malformedSignature` for any other length.
  /// Source: RFC 7518 §3.4, IEEE P1363 §E.3.1.
  @inlinable
  public init(rawRepresentation bytes: some Collection<UInt8>) throws(CryptoError) {
    self = try withContiguousBytes(bytes) { bytes throws(CryptoError) in try P384Signature(raw: bytes) }
  }

  /// Reads the form that X.509, TLS and most hardware use. For conversions: the form is never guessed.
  /// - Parameter bytes: a SEQUENCE of two INTEGERs in strict DER, and nothing after it.
  /// - Throws: `.malformedSignature` when anything is not minimal, is negative, is longer than 48 bytes, or is left over.
  /// Source: RFC 3279 §2.2.3.
  @inlinable
  public init(derRepresentation bytes: some Collection<UInt8>) throws(CryptoError) {
    self = try withContiguousBytes(bytes) { bytes throws(CryptoError) in try P384Signature(der: bytes) }
  }

  @usableFromInline
  init(raw bytes: UnsafeRawBufferPointer) throws(CryptoError) {
    self.init(try CurveSignature(raw: bytes))
  }

  @usableFromInline
  init(der bytes: UnsafeRawBufferPointer) throws(CryptoError) {
    self.init(try CurveSignature(der: bytes))
  }

  /// r ‖ s, 96 bytes.
  public var rawRepresentation: [UInt8] { signature.raw }

  /// A SEQUENCE of two INTEGERs in DER, 8 to 104 bytes.
  public var derRepresentation: [UInt8] { signature.der }
}
