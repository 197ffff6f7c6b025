/// An ECDSA signature on the curve P-256: two integers r and s.
///
/// Any pair of integers below 2²⁵⁶ can be read; whether 1 ≤ r, s ≤ n − 1 is judged when the signature is verified.
/// A signature has a second valid form, (r, n − s): never use its bytes as an identity.
public struct P256Signature: Sendable, Hashable {
  let r: UInt256
  let s: UInt256

  init(r: UInt256, s: UInt256) {
    self.r = r
    self.s = s
  }

  /// Reads the form that JWS uses.
  /// - Parameter bytes: 64 bytes, r ‖ s, each most significant first.
  /// - Throws: `.malformedSignature` for any other length.
  /// Source: RFC 7518 §3.4, IEEE P1363 §E.3.1.
  @inlinable
  public init(rawRepresentation bytes: some Collection<UInt8>) throws(CryptoError) {
    self = try withContiguousBytes(bytes) { bytes throws(CryptoError) in try P256Signature(raw: bytes) }
  }

  /// Reads the form that X.509, TLS and most hardware use. For conversions: the form is never guessed.
  /// - Parameter bytes: a SEQUENCE of two INTEGERs in strict DER, and nothing after it.
  /// - Throws: `.malformedSignature` when anything is not minimal, is negative, is 2²⁵⁶ or more, or is left over.
  /// Source: RFC 3279 §2.2.3.
  @inlinable
  public init(derRepresentation bytes: some Collection<UInt8>) throws(CryptoError) {
    self = try withContiguousBytes(bytes) { bytes throws(CryptoError) in try P256Signature(der: bytes) }
  }

  @usableFromInline
  init(raw bytes: UnsafeRawBufferPointer) throws(CryptoError) {
    guard bytes.count == 64, let start = bytes.baseAddress else {
      throw CryptoError(.malformedSignature, "a raw signature of P-256 is 64 bytes long")
    }
    self.r = UInt256(bigEndian: start)
    self.s = UInt256(bigEndian: start + 32)
  }

  @usableFromInline
  init(der bytes: UnsafeRawBufferPointer) throws(CryptoError) {
    do throws(CryptoError) {
      var outer = DERReader(bytes)
      var sequence = try outer.read(.sequence)
      try outer.finish()
      self.r = try P256Signature.integer(&sequence)
      self.s = try P256Signature.integer(&sequence)
      try sequence.finish()
    } catch {
      throw CryptoError(.malformedSignature, "not a DER sequence of two integers")
    }
  }

  private static func integer(_ reader: inout DERReader) throws(CryptoError) -> UInt256 {
    let magnitude = try reader.readUnsignedInteger()
    guard magnitude.count <= UInt256.byteCount else {
      throw CryptoError(.malformedSignature, "an integer is longer than 32 bytes")
    }
    var padded = UInt256.zero
    return withUnsafeMutableBytes(of: &padded) { buffer in
      UnsafeMutableRawBufferPointer(rebasing: buffer[(UInt256.byteCount &- magnitude.count)...])
        .copyMemory(from: magnitude)
      return buffer.baseAddress.map { UInt256(bigEndian: $0) } ?? .zero
    }
  }

  /// r ‖ s, 64 bytes.
  public var rawRepresentation: [UInt8] {
    [UInt8](unsafeUninitializedCapacity: 64) { buffer, initializedCount in
      if let start = buffer.baseAddress {
        r.storeBigEndian(to: UnsafeMutableRawPointer(start))
        s.storeBigEndian(to: UnsafeMutableRawPointer(start + 32))
      }
      initializedCount = 64
    }
  }

  /// A SEQUENCE of two INTEGERs in DER, 8 to 72 bytes.
  public var derRepresentation: [UInt8] {
    var writer = DERWriter(capacity: 72)
    writer.constructed(.sequence) { sequence in
      sequence.unsignedInteger(r.bigEndianBytes)
      sequence.unsignedInteger(s.bigEndianBytes)
    }
    return writer.bytes
  }
}
