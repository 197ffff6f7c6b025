/// A curve on which ECDSA signs and ECDH agrees: ``P256Curve``, ``P384Curve``, ``P521Curve`` or ``Secp256k1Curve``.
///
/// No other type can conform: ``CurveOperations`` are made by this package alone.
/// Source: SP 800-186 §3.2.1, SEC 2 §2.4.1.
public protocol EllipticCurve: Sendable {
  /// The hash function whose digests are signed, and that makes nonces.
  associatedtype HashFunction: SHA2Function
  /// A point of the curve other than infinity, as arithmetic has it. For its coordinates see ``ECPublicKey``.
  associatedtype Point: Sendable, Hashable
  /// What is computed on the curve.
  static var operations: CurveOperations<Self> { get }
}

extension EllipticCurve {
  package static var namedCurve: NamedCurve { operations.name }
}

/// What keys need of a curve: functions that are specialised for it.
///
/// A public protocol would show its requirements, and with them the whole arithmetic, to everybody. A value of
/// functions keeps them inside.
public struct CurveOperations<Curve: EllipticCurve>: Sendable {
  @usableFromInline typealias Bytes = UnsafeRawBufferPointer

  let name: NamedCurve

  /// A private key from random bytes.
  /// Source: FIPS 186-5 §A.2.2.
  let draw: @Sendable (_ fill: (UnsafeMutableRawBufferPointer) -> Void) -> SecretBytes
  /// Requires that d is as long as n, and 1 ≤ d ≤ n − 1.
  let requireInRange: @Sendable (_ d: Bytes) throws(CryptoError) -> Void
  /// d · G.
  let baseMultiple: @Sendable (_ d: SecretBytes) -> Curve.Point
  /// Reads the affine coordinates, and validates the point.
  @usableFromInline let point: @Sendable (_ x: Bytes, _ y: Bytes) throws(CryptoError) -> Curve.Point
  /// Reads 04 ‖ x ‖ y, and validates the point.
  @usableFromInline let uncompressedPoint: @Sendable (_ bytes: Bytes) throws(CryptoError) -> Curve.Point
  /// Reads 02 ‖ x or 03 ‖ x, and validates the point.
  let compressedPoint: @Sendable (_ bytes: Bytes) throws(CryptoError) -> Curve.Point
  /// 04 ‖ x ‖ y.
  let encode: @Sendable (Curve.Point) -> [UInt8]

  /// r ‖ s, with the curve's own hash function.
  @usableFromInline let sign: @Sendable (_ digest: Bytes, _ d: SecretBytes, _ nonce: ECDSANonceGeneration) -> [UInt8]
  /// r ‖ s for a given nonce.
  let signWithNonce: @Sendable (_ digest: Bytes, _ d: SecretBytes, _ k: Bytes) throws(CryptoError) -> [UInt8]
  /// Whether r ‖ s, of their exact length, is a valid signature of a digest.
  @usableFromInline let verify: @Sendable (_ signature: Bytes, _ digest: Bytes, Curve.Point) -> Bool
  /// Z, the x-coordinate of d · Q.
  let agree: @Sendable (_ d: SecretBytes, Curve.Point) throws(CryptoError) -> SharedSecret
}

extension CurveOperations where Curve: CurveArithmetic {
  init() {
    name = Curve.name
    draw = { fill in
      var d = Curve.Scalar.candidate(drawing: fill)
      defer { wipe(&d) }
      return SecretBytes(count: Curve.byteCount) { d.storeBigEndian(to: $0) }
    }
    requireInRange = { d throws(CryptoError) in
      guard d.count == Curve.byteCount else {
        throw CryptoError(.invalidPrivateKey, "the length of the private key is not that of the curve's order")
      }
      var d = Curve.Integer(bigEndian: d)
      defer { wipe(&d) }
      guard Curve.Scalar.isInRange(d).declassified else {
        throw CryptoError(.invalidPrivateKey, "the private key is not between 1 and n - 1")
      }
    }
    baseMultiple = { d in Curve.point(d.withInteger(Curve.Multiple.baseMultiple).affine) }
    point = { x, y throws(CryptoError) in Curve.point(try CurvePoint(x: x, y: y)) }
    uncompressedPoint = { bytes throws(CryptoError) in Curve.point(try CurvePoint(uncompressed: bytes)) }
    compressedPoint = { bytes throws(CryptoError) in Curve.point(try CurvePoint(compressed: bytes)) }
    encode = { Curve.affine($0).uncompressed }
    sign = { ECDSA<Curve>.signature($0, Curve.HashFunction.self, d: $1, nonce: $2) }
    signWithNonce = { digest, d, k throws(CryptoError) in try ECDSA<Curve>.signature(digest, d: d, givenNonce: k) }
    verify = { signature, digest, point in
      ECDSA<Curve>.isValidVariableTime(signature, digest) { u1, u2 in
        .doubleMultipleVariableTime(u1, u2, Curve.affine(point))
      }
    }
    agree = { d, point throws(CryptoError) in try ECDH<Curve>.sharedSecret(d, Curve.affine(point)) }
  }
}
