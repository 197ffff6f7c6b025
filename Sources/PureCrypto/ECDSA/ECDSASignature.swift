/// An ECDSA signature on P-256.
public typealias P256Signature = ECDSASignature<P256Curve>
/// An ECDSA signature on P-384.
public typealias P384Signature = ECDSASignature<P384Curve>
/// An ECDSA signature on P-521.
public typealias P521Signature = ECDSASignature<P521Curve>
/// An ECDSA signature on secp256k1.
public typealias Secp256k1Signature = ECDSASignature<Secp256k1Curve>

/// An ECDSA signature: two integers r and s.
///
/// Any pair of integers as long as the curve's order can be read; whether 1 ≤ r, s ≤ n − 1 is judged when the
/// signature is verified. A signature has a second valid form, (r, n − s): never use its bytes as an identity.
public struct ECDSASignature<Curve: EllipticCurve>: Sendable, Hashable {
  /// r ‖ s, the form that JWS uses: 64 bytes on P-256 and secp256k1, 96 on P-384, 132 on P-521.
  public let rawRepresentation: [UInt8]

  @usableFromInline
  init(unchecked bytes: [UInt8]) {
    rawRepresentation = bytes
  }

  private static var byteCount: Int { Curve.namedCurve.coordinateByteCount }

  /// Reads the form that JWS uses.
  /// - Parameter bytes: r ‖ s, each as long as the curve's order, most significant first.
  /// - Throws: `.malformedSignature` for any other length.
  /// Source: RFC 7518 §3.4, IEEE P1363 §E.3.1.
  public init(rawRepresentation bytes: some Collection<UInt8>) throws(CryptoError) {
    guard bytes.count == 2 &* ECDSASignature.byteCount else {
      throw CryptoError(.malformedSignature, "a raw signature is twice as long as the curve's order")
    }
    rawRepresentation = Array(bytes)
  }

  /// Reads the form that X.509, TLS and most hardware use. For conversions: the form is never guessed.
  /// - Parameter bytes: a SEQUENCE of two INTEGERs in strict DER, and nothing after it.
  /// - Throws: `.malformedSignature` when anything is not minimal, is negative, is longer than the curve's order, or is
  /// left over.
  /// Source: RFC 3279 §2.2.3.
  public init(derRepresentation bytes: some Collection<UInt8>) throws(CryptoError) {
    self = try withContiguousBytes(bytes) { bytes throws(CryptoError) in
      do throws(CryptoError) {
        var outer = DERReader(bytes)
        var sequence = try outer.read(.sequence)
        try outer.finish()
        var raw: [UInt8] = []
        for _ in 0..<2 {
          let magnitude = try sequence.readUnsignedInteger()
          let excess = ECDSASignature.byteCount &- magnitude.count
          guard excess >= 0 else { throw CryptoError(.malformedSignature, "an integer is too long") }
          raw.append(contentsOf: repeatElement(0, count: excess))
          raw.append(contentsOf: magnitude)
        }
        try sequence.finish()
        return ECDSASignature(unchecked: raw)
      } catch {
        throw CryptoError(.malformedSignature, "not a DER sequence of two integers of the curve")
      }
    }
  }

  /// A SEQUENCE of two INTEGERs in DER.
  public var derRepresentation: [UInt8] {
    let middle = rawRepresentation.count / 2
    var writer = DERWriter(capacity: rawRepresentation.count &+ 9)
    writer.constructed(.sequence) { sequence in
      sequence.unsignedInteger(rawRepresentation[..<middle])
      sequence.unsignedInteger(rawRepresentation[middle...])
    }
    return writer.bytes
  }
}
