/// A public key on one of the named curves, where which one is known at run time only.
package enum AnyECPublicKey: Sendable, Hashable {
  case p256(P256PublicKey)
  case p384(P384PublicKey)
  case p521(P521PublicKey)
  case secp256k1(Secp256k1PublicKey)

  /// Reads the affine coordinates.
  /// - Throws: `.invalidPublicKey` when a length is not that of the curve's field, or the point is not on the curve.
  package init(_ curve: NamedCurve, x: [UInt8], y: [UInt8]) throws(CryptoError) {
    switch curve {
    case .p256: self = .p256(try P256PublicKey(x: x, y: y))
    case .p384: self = .p384(try P384PublicKey(x: x, y: y))
    case .p521: self = .p521(try P521PublicKey(x: x, y: y))
    case .secp256k1: self = .secp256k1(try Secp256k1PublicKey(x: x, y: y))
    }
  }

  /// Reads a point in either of its encodings, compressed or not.
  /// - Throws: `.invalidPublicKey`.
  package init(_ curve: NamedCurve, encodedPoint bytes: UnsafeRawBufferPointer) throws(CryptoError) {
    switch curve {
    case .p256: self = .p256(try P256PublicKey(encodedPoint: bytes))
    case .p384: self = .p384(try P384PublicKey(encodedPoint: bytes))
    case .p521: self = .p521(try P521PublicKey(encodedPoint: bytes))
    case .secp256k1: self = .secp256k1(try Secp256k1PublicKey(encodedPoint: bytes))
    }
  }

  /// Reads 04 ‖ x ‖ y of a key for agreement, whose length tells the curve. Nil if it is not a point.
  package init?(agreementX963Representation bytes: [UInt8]) {
    for curve in NamedCurve.allCases
    where curve.isForAgreement && bytes.count == 1 &+ 2 &* curve.coordinateByteCount {
      let key = bytes.withUnsafeBytes { try? AnyECPublicKey(curve, encodedPoint: $0) }
      guard let key else { continue }
      self = key
      return
    }
    return nil
  }

  package var curve: NamedCurve {
    switch self {
    case .p256: .p256
    case .p384: .p384
    case .p521: .p521
    case .secp256k1: .secp256k1
    }
  }

  /// 04 ‖ x ‖ y.
  package var x963Representation: [UInt8] {
    switch self {
    case .p256(let key): key.x963Representation
    case .p384(let key): key.x963Representation
    case .p521(let key): key.x963Representation
    case .secp256k1(let key): key.x963Representation
    }
  }

  package var x: [UInt8] { Array(x963Representation.dropFirst().prefix(curve.coordinateByteCount)) }
  package var y: [UInt8] { x963Representation.suffix(curve.coordinateByteCount) }

  /// SubjectPublicKeyInfo in DER.
  package var derRepresentation: [UInt8] { PublicKeyFile.spki(x963Representation, .ec(curve)) }

  /// Whether r ‖ s is a valid signature of the message with the curve's own hash function. False for any other
  /// length.
  ///
  /// Timing: depends on its input, which is public.
  package func isValidSignature(_ raw: UnsafeRawBufferPointer, for message: UnsafeRawBufferPointer) -> Bool {
    switch self {
    case .p256(let key):
      guard let signature = try? P256Signature(rawRepresentation: raw) else { return false }
      return key.isValidSignature(signature, for: message)
    case .p384(let key):
      guard let signature = try? P384Signature(rawRepresentation: raw) else { return false }
      return key.isValidSignature(signature, for: message)
    case .p521(let key):
      guard let signature = try? P521Signature(rawRepresentation: raw) else { return false }
      return key.isValidSignature(signature, for: message)
    case .secp256k1(let key):
      guard let signature = try? Secp256k1Signature(rawRepresentation: raw) else { return false }
      return key.isValidSignature(signature, for: message)
    }
  }
}
