extension ECPublicKey where Curve == P256Curve {
  /// A public key with a table of its multiples, for many verifications with the same key.
  ///
  /// A verification then needs 16 doublings instead of 256 and takes about a third of the time. Making the table costs as
  /// much as a few verifications. It occupies 32 768 bytes, shared by copies of the value.
  public struct Prepared: Sendable {
    /// The key itself.
    public let publicKey: P256PublicKey

    private let table: OddMultiplesTable

    /// Computes the table.
    public init(_ publicKey: P256PublicKey) {
      self.publicKey = publicKey
      self.table = OddMultiplesTable(publicKey.point.affine, width: 7, stride: OddMultiplesTable.base.stride)
    }

    /// The size of the table of each key, in bytes.
    public static var tableByteCount: Int { 32_768 }

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
            JacobianPoint.doubleMultipleVariableTime(u1, u2, table)
          }
        }
      }
    }
  }

  /// The key with a table of its multiples: see ``Prepared``.
  public func prepared() -> Prepared { Prepared(self) }
}
