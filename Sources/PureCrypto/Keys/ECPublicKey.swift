internal import PureCryptoIntegers

/// A public key on P-256 that verifies signatures: ES256.
public typealias P256VerificationKey = ECPublicKey<P256Curve, KeyUse.Signing>
/// A public key on P-384 that verifies signatures: ES384.
public typealias P384VerificationKey = ECPublicKey<P384Curve, KeyUse.Signing>
/// A public key on P-521 that verifies signatures: ES512.
public typealias P521VerificationKey = ECPublicKey<P521Curve, KeyUse.Signing>
/// A public key on secp256k1 that verifies signatures: ES256K.
public typealias Secp256k1VerificationKey = ECPublicKey<Secp256k1Curve, KeyUse.Signing>
/// A public key on P-256 to agree on secrets with.
public typealias P256AgreementPublicKey = ECPublicKey<P256Curve, KeyUse.Agreement>
/// A public key on P-384 to agree on secrets with.
public typealias P384AgreementPublicKey = ECPublicKey<P384Curve, KeyUse.Agreement>
/// A public key on P-521 to agree on secrets with.
public typealias P521AgreementPublicKey = ECPublicKey<P521Curve, KeyUse.Agreement>

package typealias P256PublicKey = ECPublicKey<P256Curve, KeyUse.All>
package typealias P384PublicKey = ECPublicKey<P384Curve, KeyUse.All>
package typealias P521PublicKey = ECPublicKey<P521Curve, KeyUse.All>
package typealias Secp256k1PublicKey = ECPublicKey<Secp256k1Curve, KeyUse.All>

/// A public key on one of the curves for one use, such as ``P256VerificationKey`` or ``P256AgreementPublicKey``: a
/// point other than infinity.
///
/// Every initializer validates: coordinates below p and on the curve, which for these curves (cofactor 1) is the full
/// validation of SP 800-56A §5.6.2.3.3. Two keys are equal when their points are. A coordinate has 32 bytes on P-256
/// and secp256k1, 48 on P-384 and 66 on P-521.
public struct ECPublicKey<Curve: EllipticCurve, Use>: Sendable, Hashable {
  @usableFromInline let point: Curve.Point

  /// Takes a point that is known to be on the curve.
  @usableFromInline
  init(validated point: Curve.Point) {
    self.point = point
  }

  /// Takes a key for this use.
  package init<Other>(_ key: ECPublicKey<Curve, Other>) {
    self.point = key.point
  }

  /// Reads the affine coordinates.
  /// - Parameter x: as long as the curve's field, most significant byte first. Leading zeros stay.
  /// - Parameter y: likewise.
  /// - Throws: `.invalidPublicKey` when a coordinate has another length or is not below p, or the point is not on the
  ///   curve.
  @inlinable
  public init(x: some Collection<UInt8>, y: some Collection<UInt8>) throws(CryptoError) {
    self = try withContiguousBytes(x) { x throws(CryptoError) in
      try withContiguousBytes(y) { y throws(CryptoError) in ECPublicKey(validated: try Curve.operations.point(x, y)) }
    }
  }

  /// Reads an uncompressed point.
  /// - Parameter bytes: 04 ‖ x ‖ y.
  /// - Throws: `.invalidPublicKey` for any other form, the hybrid ones included, and for a point that is not valid.
  /// Source: ANSI X9.63 §4.3.7, SEC 1 §2.3.4.
  @inlinable
  public init(x963Representation bytes: some Collection<UInt8>) throws(CryptoError) {
    self = try withContiguousBytes(bytes) { bytes throws(CryptoError) in
      ECPublicKey(validated: try Curve.operations.uncompressedPoint(bytes))
    }
  }

  /// Reads a compressed point.
  /// - Parameter bytes: 02 ‖ x or 03 ‖ x; the lowest bit of the first is that of y.
  /// - Throws: `.invalidPublicKey` for any other form, when x is not below p, and when the curve has no point at x.
  /// Source: SEC 1 §2.3.4.
  public init(compressedRepresentation bytes: some Collection<UInt8>) throws(CryptoError) {
    self = try withContiguousBytes(bytes) { bytes throws(CryptoError) in
      ECPublicKey(validated: try Curve.operations.compressedPoint(bytes))
    }
  }

  /// Reads a point in either of its encodings, as certificates and SPKI may hold them.
  init(encodedPoint bytes: UnsafeRawBufferPointer) throws(CryptoError) {
    self.init(
      validated: bytes.count == 1 &+ Curve.namedCurve.coordinateByteCount
        ? try Curve.operations.compressedPoint(bytes) : try Curve.operations.uncompressedPoint(bytes))
  }

  /// Reads a SubjectPublicKeyInfo.
  /// - Parameter bytes: strict DER, nothing after it. The curve must be named; parameters written out are refused,
  ///   since they would let an attacker choose the base point. The point may be compressed or not.
  /// - Throws: `.malformedDER`, `.unsupportedKey` for another algorithm or curve, `.invalidPublicKey`.
  /// Source: RFC 5280 §4.1.2.7, RFC 5480 §2.
  public init(derRepresentation bytes: some Collection<UInt8>) throws(CryptoError) {
    self = try withContiguousBytes(bytes) { bytes throws(CryptoError) in
      try ECPublicKey(encodedPoint: PublicKeyFile(spki: bytes, .ec(Curve.namedCurve)).key)
    }
  }

  /// Reads a `PUBLIC KEY` block.
  /// - Parameter text: one key. Text may stand around it.
  /// - Throws: `.malformedPEM`, and what ``init(derRepresentation:)`` throws.
  /// Source: RFC 7468 §13.
  public init(pemRepresentation text: String) throws(CryptoError) {
    self = try PEMBlock.withPublicKey(text, .ec(Curve.namedCurve)) { file throws(CryptoError) in
      try ECPublicKey(encodedPoint: file.key)
    }
  }

  /// x, most significant byte first, as long as the curve's field.
  public var x: [UInt8] { Array(x963Representation.dropFirst().prefix(Curve.namedCurve.coordinateByteCount)) }

  /// y, most significant byte first, as long as the curve's field.
  public var y: [UInt8] { x963Representation.suffix(Curve.namedCurve.coordinateByteCount) }

  /// 04 ‖ x ‖ y: 65 bytes on P-256 and secp256k1, 97 on P-384, 133 on P-521.
  public var x963Representation: [UInt8] { Curve.operations.encode(point) }

  /// 02 ‖ x for an even y, 03 ‖ x for an odd y.
  public var compressedRepresentation: [UInt8] {
    let point = x963Representation
    return [0x02 | point[point.count &- 1] & 1] + x
  }

  /// SubjectPublicKeyInfo in DER, with the uncompressed point.
  public var derRepresentation: [UInt8] { PublicKeyFile.spki(x963Representation, .ec(Curve.namedCurve)) }

  /// A `PUBLIC KEY` block.
  public var pemRepresentation: String { PublicKeyFile.pem(derRepresentation) }
}

extension ECPublicKey where Use: KeyUse.Signs {
  /// Whether `signature` is a valid ECDSA signature of `message` by this key, with the curve's hash function: SHA-256
  /// on P-256 and secp256k1, SHA-384 on P-384, SHA-512 on P-521.
  ///
  /// - Parameter signature: of well-formed encoding; r and s may be out of range, which makes it invalid.
  /// - Parameter message: the bytes that were signed, not their digest.
  ///
  /// Timing: depends on key, message and signature, which are public.
  /// Source: FIPS 186-5 §6.4.2.
  @inlinable
  public func isValidSignature(_ signature: ECDSASignature<Curve>, for message: some Collection<UInt8>) -> Bool {
    isValidSignature(signature, forDigest: Curve.HashFunction.hash(message))
  }

  /// Whether `signature` is a valid ECDSA signature of the digest by this key.
  ///
  /// Timing: depends on key, digest and signature, which are public.
  /// Source: FIPS 186-5 §6.4.2.
  @inlinable
  public func isValidSignature(_ signature: ECDSASignature<Curve>, forDigest digest: Curve.HashFunction.Digest) -> Bool
  {
    signature.rawRepresentation.withUnsafeBytes { signature in
      digest.withUnsafeBytes { Curve.operations.verify(signature, $0, point) }
    }
  }

  /// As ``isValidSignature(_:forDigest:)``, for a digest of any function. JOSE pairs each curve with one; this is for
  /// vectors.
  package func isValidSignature<Function: SHA2Function>(
    _ signature: ECDSASignature<Curve>, forDigest digest: Function.Digest, of function: Function.Type
  ) -> Bool {
    signature.rawRepresentation.withUnsafeBytes { signature in
      digest.withUnsafeBytes { Curve.operations.verify(signature, $0, point) }
    }
  }
}

extension ECPublicKey where Curve == P256Curve, Use == KeyUse.Signing {
  /// A public key with a table of its multiples, for many verifications with the same key.
  ///
  /// A verification then needs 16 doublings instead of 256, and none with AVX-512 IFMA: it takes about a third of the
  /// time, or a tenth. Making the table costs as much as a few verifications. It occupies ``tableByteCount`` bytes,
  /// shared by copies of the value.
  public struct Prepared: Sendable {
    /// The key itself.
    public let publicKey: P256VerificationKey

    private enum Table {
      case odd(OddMultiplesTable)
      #if HARDWARE_KERNELS && arch(x86_64)
        case comb(VectorCombTable)
      #endif
    }

    private let table: Table

    /// Computes the table.
    init(_ publicKey: P256VerificationKey, backend: Backend = .preferred) {
      self.publicKey = publicKey
      #if HARDWARE_KERNELS && arch(x86_64)
        if backend.hasIFMA {
          self.table = .comb(VectorCombTable(publicKey.point.affine))
          return
        }
      #endif
      self.table = .odd(OddMultiplesTable(publicKey.point.affine, width: 7, stride: OddMultiplesTable.base.stride))
    }

    /// The size of the table of each key, in bytes: 65 536 on a processor with AVX-512 IFMA, else 32 768.
    public static var tableByteCount: Int {
      #if HARDWARE_KERNELS && arch(x86_64)
        if Backend.preferred.hasIFMA { return VectorCombTable.byteCount }
      #endif
      return 32_768
    }

    /// u₁ · G + u₂ · Q for this key's point Q.
    private func doubleMultipleVariableTime(_ u1: UInt256, _ u2: UInt256) -> JacobianPoint {
      switch table {
      case .odd(let table): return .doubleMultipleVariableTime(u1, u2, table)
      #if HARDWARE_KERNELS && arch(x86_64)
        case .comb(let table):
          let sum = table.doubleMultiple(u1, u2)
          // An exceptional case of the formulas doesn't happen by chance; a signer can construct one.
          guard sum.isInfinity.isYesVariableTime else { return sum }
          return .doubleMultipleVariableTime(u1, u2, publicKey.point.affine)
      #endif
      }
    }

    /// Whether `signature` is a valid ECDSA signature over SHA-256 of `message` by this key.
    ///
    /// Timing: depends on key, message and signature, which are public.
    /// Source: FIPS 186-5 §6.4.2.
    @inlinable
    public func isValidSignature(_ signature: P256Signature, for message: some Collection<UInt8>) -> Bool {
      isValidSignature(signature, forDigest: SHA2.SHA256.hash(message))
    }

    /// Whether `signature` is a valid ECDSA signature of the digest by this key.
    ///
    /// Timing: depends on key, digest and signature, which are public.
    /// Source: FIPS 186-5 §6.4.2.
    public func isValidSignature(_ signature: P256Signature, forDigest digest: SHA2.SHA256.Digest) -> Bool {
      signature.rawRepresentation.withUnsafeBytes { signature in
        digest.withUnsafeBytes { digest in
          ECDSA<P256Curve>.isValidVariableTime(signature, digest) { u1, u2 in
            doubleMultipleVariableTime(u1, u2)
          }
        }
      }
    }
  }

  /// The key with a table of its multiples: see ``Prepared``.
  public func prepared() -> Prepared { Prepared(self) }
}

extension P256PublicKey {
  /// The key with a table of its multiples, to verify with.
  package func prepared() -> P256VerificationKey.Prepared { P256VerificationKey(self).prepared() }
}
