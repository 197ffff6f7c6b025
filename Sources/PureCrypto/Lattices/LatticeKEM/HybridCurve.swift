/// The curves that stand beside ML-KEM.
///
/// Source: draft-irtf-cfrg-concrete-hybrid-kems-04.
enum HybridCurve {
  case x25519
  case p256
  case p384

  /// The length of what a private key is made of. Of P-256 it is four candidates: each is out of range with probability
  /// 2⁻³², of P-384 one with less than 2⁻¹⁹⁰.
  var seedByteCount: Int {
    switch self {
    case .x25519: 32
    case .p256: 128
    case .p384: 48
    }
  }

  /// The length of a point, uncompressed.
  var pointByteCount: Int {
    switch self {
    case .x25519: 32
    case .p256: 65
    case .p384: 97
    }
  }

  /// Requires that the bytes are a point.
  /// - Throws: `.invalidPublicKey`.
  func validate(_ point: [UInt8]) throws(CryptoError) {
    switch self {
    case .x25519: _ = try X25519PublicKey(rawRepresentation: point)
    case .p256: _ = try P256AgreementPublicKey(x963Representation: point)
    case .p384: _ = try P384AgreementPublicKey(x963Representation: point)
    }
  }
}

/// A private key on one of the curves that stand beside ML-KEM.
enum HybridCurveKey: Sendable {
  case x25519(X25519PrivateKey)
  case p256(P256AgreementPrivateKey)
  case p384(P384AgreementPrivateKey)

  /// Makes a new key.
  init(_ curve: HybridCurve) {
    self =
      switch curve {
      case .x25519: .x25519(X25519PrivateKey())
      case .p256: .p256(P256AgreementPrivateKey())
      case .p384: .p384(P384AgreementPrivateKey())
      }
  }

  /// Makes a key of a seed.
  /// - Parameter seed: as long as the curve says. Secret.
  /// - Throws: `.invalidPrivateKey` if nothing in it is in range, which does not happen by chance.
  ///
  /// Timing: depends on whether there is a key only, and on the public key.
  init(_ curve: HybridCurve, seed: UnsafeRawBufferPointer) throws(CryptoError) {
    self =
      switch curve {
      case .x25519: .x25519(X25519PrivateKey(secret: SecretBytes(copying: seed)))
      case .p256: .p256(try P256AgreementPrivateKey(rawRepresentation: Self.scalar(P256Curve.self, seed)))
      case .p384: .p384(try P384AgreementPrivateKey(rawRepresentation: Self.scalar(P384Curve.self, seed)))
      }
  }

  /// The first candidate d with 1 ≤ d ≤ n − 1, or zero.
  ///
  /// All of them are looked at, and which it was stays a mask.
  ///
  /// Timing: depends on nothing.
  private static func scalar<Curve: CurveArithmetic>(_: Curve.Type, _ candidates: UnsafeRawBufferPointer) -> SecretBytes
  {
    let count = Curve.byteCount
    return SecretBytes(count: count) { chosen in
      // From the last to the first, which therefore prevails.
      for start in stride(from: candidates.count &- count, through: 0, by: -count) {
        let candidate = UnsafeRawBufferPointer(rebasing: candidates[start..<start &+ count])
        var integer = Curve.Integer(bigEndian: candidate)
        let isInRange = Curve.Scalar.isInRange(integer)
        wipe(&integer)
        for index in 0..<count { chosen[index] = isInRange.select(candidate[index], chosen[index]) }
      }
    }
  }

  /// The public key as a ciphertext or the key of both parts has it.
  var point: [UInt8] {
    switch self {
    case .x25519(let key): key.publicKey.rawRepresentation
    case .p256(let key): key.publicKey.x963Representation
    case .p384(let key): key.publicKey.x963Representation
    }
  }

  /// Agrees on a secret with the owner of a point: its x-coordinate, or K of X25519.
  /// - Parameter takingSmallOrder: whether points of small order on Curve25519 give zero.
  /// - Throws: `.invalidPublicKey` for what is no point, and for points of small order that are not taken.
  ///
  /// Timing: does not depend on the private key.
  func sharedSecret(
    with point: some Collection<UInt8>, takingSmallOrder: Bool
  ) throws(CryptoError) -> SharedSecret {
    switch self {
    case .x25519(let key):
      let point = try X25519PublicKey(rawRepresentation: point)
      return takingSmallOrder ? key.agreement(with: point).sharedSecret : try key.sharedSecret(with: point)
    case .p256(let key): return try key.sharedSecret(with: P256AgreementPublicKey(x963Representation: point))
    case .p384(let key): return try key.sharedSecret(with: P384AgreementPublicKey(x963Representation: point))
    }
  }
}
