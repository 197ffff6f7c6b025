/// What the public keys of P-256, P-384 and P-521 have in common, for code that serves all three.
package protocol EllipticCurvePublicKey: Sendable, Hashable {
  associatedtype Signature: EllipticCurveSignature

  /// The length of a coordinate in bytes.
  static var coordinateByteCount: Int { get }

  init(x: some Collection<UInt8>, y: some Collection<UInt8>) throws(CryptoError)
  init(x963Representation bytes: some Collection<UInt8>) throws(CryptoError)
  init(compressedRepresentation bytes: some Collection<UInt8>) throws(CryptoError)
  init(derRepresentation bytes: some Collection<UInt8>) throws(CryptoError)
  init(pemRepresentation text: String) throws(CryptoError)

  var x: [UInt8] { get }
  var y: [UInt8] { get }
  var x963Representation: [UInt8] { get }
  var compressedRepresentation: [UInt8] { get }
  var derRepresentation: [UInt8] { get }
  var pemRepresentation: String { get }

  /// With the curve's own hash function.
  func isValidSignature(_ signature: Signature, for message: some Collection<UInt8>) -> Bool
  /// With any hash function. JOSE pairs each curve with one; this is for vectors.
  func isValidSignature<Function: SHA2Function>(
    _ signature: Signature, forDigest digest: Function.Digest, of function: Function.Type
  ) -> Bool
}

extension P256PublicKey: EllipticCurvePublicKey {
  package static var coordinateByteCount: Int { UInt256.byteCount }

  package func isValidSignature<Function: SHA2Function>(
    _ signature: P256Signature, forDigest digest: Function.Digest, of function: Function.Type
  ) -> Bool {
    signature.isValidVariableTime(Scalar(digest)) { u1, u2 in
      JacobianPoint.doubleMultipleVariableTime(u1, u2, point)
    }
  }
}

extension P384PublicKey: EllipticCurvePublicKey {
  package static var coordinateByteCount: Int { P384Curve.byteCount }

  package func isValidSignature<Function: SHA2Function>(
    _ signature: P384Signature, forDigest digest: Function.Digest, of function: Function.Type
  ) -> Bool {
    key.isValidSignature(signature.signature, forDigest: digest)
  }
}

extension P521PublicKey: EllipticCurvePublicKey {
  package static var coordinateByteCount: Int { P521Curve.byteCount }

  package func isValidSignature<Function: SHA2Function>(
    _ signature: P521Signature, forDigest digest: Function.Digest, of function: Function.Type
  ) -> Bool {
    key.isValidSignature(signature.signature, forDigest: digest)
  }
}
