/// What a private key on a prime curve is made of: an integer d with 1 ≤ d ≤ n − 1, and its public key.
struct CurvePrivateKey<Curve: PrimeCurve>: Sendable {
  /// d, as long as n, most significant byte first.
  let secret: SecretBytes
  /// Q = d · G.
  let publicKey: CurvePublicKey<Curve>

  typealias Scalar = Curve.Scalar

  /// Makes a new key. Source: FIPS 186-5 §A.2.2.
  init(drawing fill: (UnsafeMutableRawBufferPointer) -> Void) {
    var d = Scalar.candidate(drawing: fill)
    defer { wipe(&d) }
    self.init(inRange: d)
  }

  /// Reads d.
  /// - Throws: `.invalidPrivateKey` when it has another length than n, or d is 0, n or more.
  ///
  /// Timing: does not depend on d, except for whether it is in range.
  init(raw bytes: UnsafeRawBufferPointer) throws(CryptoError) {
    guard bytes.count == Curve.byteCount else {
      throw CryptoError(.invalidPrivateKey, "the private key has not the length of the curve's order")
    }
    var d = Curve.Integer(bigEndian: bytes)
    defer { wipe(&d) }
    guard Scalar.isInRange(d).declassified else {
      throw CryptoError(.invalidPrivateKey, "the private key is not between 1 and n - 1")
    }
    self.init(inRange: d)
  }

  /// Takes d with 1 ≤ d ≤ n − 1.
  private init(inRange d: Curve.Integer) {
    self.secret = SecretBytes(count: Curve.byteCount) { d.storeBigEndian(to: $0) }
    self.publicKey = CurvePublicKey(validated: ProjectivePoint.baseMultiple(d).affine)
  }

  /// Calls `body` with d, and wipes this copy of it.
  func withScalar<Result>(_ body: (Curve.Integer) -> Result) -> Result {
    secret.withUnsafeBytes { bytes in
      var d = Curve.Integer(bigEndian: bytes)
      defer { wipe(&d) }
      return body(d)
    }
  }
}

extension CurvePrivateKey {
  /// Reads a PKCS #8 PrivateKeyInfo or a SEC 1 ECPrivateKey.
  init(der bytes: UnsafeRawBufferPointer) throws(CryptoError) {
    try self.init(EllipticCurveDER.readPrivateKey(bytes, Curve.objectIdentifier))
  }

  /// Reads a `PRIVATE KEY` (PKCS #8) or an `EC PRIVATE KEY` (SEC 1) block.
  init(pem text: String) throws(CryptoError) {
    let block = try PEMBlock(text, labels: [.privateKey, .ecPrivateKey])
    self = try block.contents.withUnsafeBytes { bytes throws(CryptoError) in
      try CurvePrivateKey(
        block.label == .privateKey
          ? EllipticCurveDER.readPKCS8(bytes, Curve.objectIdentifier)
          : EllipticCurveDER.readSEC1(bytes, Curve.objectIdentifier, isCurveRequired: true))
    }
  }

  /// Takes a key file's private key, to which the public keys beside it must belong. Otherwise signatures would be made with one key
  /// and announced under another.
  private init(_ contents: EllipticCurveDER.PrivateKey) throws(CryptoError) {
    try self.init(raw: contents.d)
    for encodedPoint in contents.publicKeys {
      guard try CurvePublicKey<Curve>(encodedPoint: encodedPoint) == publicKey else {
        throw CryptoError(.invalidPrivateKey, "the public key beside the private key belongs to another")
      }
    }
  }

  /// PKCS #8 PrivateKeyInfo in DER, with the public key inside ECPrivateKey.
  var der: SecretBytes { EllipticCurveDER.privateKey(secret, publicKey.uncompressed, Curve.objectIdentifier) }

  /// A `PRIVATE KEY` (PKCS #8) block.
  var pem: String { PEMBlock(label: .privateKey, contents: der).text }
}
