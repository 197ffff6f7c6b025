/// How a digest is encoded before RSA turns it into a signature.
public enum RSASignaturePadding: Sendable, Hashable {
  /// EMSA-PKCS1-v1_5: deterministic. `RS256`, `RS384` and `RS512` of JOSE.
  case pkcs1v15
  /// EMSA-PSS with MGF1 over the same hash function and a salt as long as the digest. `PS256`, `PS384` and `PS512` of
  /// JOSE.
  case pss
}

/// How a message is encoded before it is encrypted with RSA.
///
/// There is no case for RSAES-PKCS1-v1_5: whatever a receiver does differently when its padding is wrong decrypts
/// messages for an attacker (Bleichenbacher 1998).
public struct RSAEncryptionPadding: Sendable, Hashable {
  enum Function: Sendable { case sha1, sha256, sha384, sha512 }

  let function: Function

  /// OAEP with SHA-1 and MGF1 with SHA-1: `RSA-OAEP` of JOSE. Collisions of SHA-1 don't matter here.
  public static let oaepSHA1 = RSAEncryptionPadding(function: .sha1)
  /// OAEP with SHA-256 and MGF1 with SHA-256: `RSA-OAEP-256` of JOSE.
  public static let oaepSHA256 = RSAEncryptionPadding(function: .sha256)
  /// OAEP with SHA-384 and MGF1 with SHA-384: `RSA-OAEP-384` of JOSE.
  public static let oaepSHA384 = RSAEncryptionPadding(function: .sha384)
  /// OAEP with SHA-512 and MGF1 with SHA-512: `RSA-OAEP-512` of JOSE.
  public static let oaepSHA512 = RSAEncryptionPadding(function: .sha512)

  /// The length of the function's digests in bytes.
  var digestByteCount: Int {
    switch function {
    case .sha1: SHA1.digestByteCount
    case .sha256: SHA2.SHA256.digestByteCount
    case .sha384: SHA2.SHA384.digestByteCount
    case .sha512: SHA2.SHA512.digestByteCount
    }
  }

  /// Writes the digest of `first` ‖ `second`.
  func hash(
    _ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer, into digest: UnsafeMutableRawBufferPointer
  ) {
    switch function {
    case .sha1: SHA1.hash(first, second, into: digest)
    case .sha256: Self.hash(by: SHA2.SHA256(), first, second, into: digest)
    case .sha384: Self.hash(by: SHA2.SHA384(), first, second, into: digest)
    case .sha512: Self.hash(by: SHA2.SHA512(), first, second, into: digest)
    }
  }

  private static func hash(
    by function: some SHA2Function, _ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer,
    into digest: UnsafeMutableRawBufferPointer
  ) {
    var hash = function
    hash.update(first)
    hash.update(second)
    hash.finalize().withUnsafeBytes { digest.copyMemory(from: $0) }
    wipe(&hash)
  }

  /// bytes ← bytes ⊕ MGF1(seed).
  func mask(_ bytes: UnsafeMutableRawBufferPointer, seed: UnsafeRawBufferPointer) {
    MGF1.mask(bytes, digestByteCount: digestByteCount) { counter, digest in
      withUnsafeBytes(of: counter.bigEndian) { hash(seed, $0, into: digest) }
    }
  }
}
