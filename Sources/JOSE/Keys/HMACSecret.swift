import PureCrypto

/// A symmetric key made ready for HMAC, with the secret itself for export and comparison. A class, so that to hand one
/// on costs one reference.
package final class HMACSecret: Sendable {
  package let octets: SecretBytes
  private let prepared: Prepared

  private enum Prepared: Sendable {
    case sha256(HMACSHA256)
    case sha384(HMACSHA384)
    case sha512(HMACSHA512)
  }

  /// Checks a secret's length and that it is not a public key in disguise.
  init(_ octets: SecretBytes, algorithm: SignatureAlgorithm) throws(JOSEError) {
    guard octets.count >= algorithm.row.minimumKeyByteCount else {
      throw JOSEError(
        .keyTooWeak, "HS256 needs a secret of 32 octets or more, HS384 of 48, HS512 of 64: make it of random octets")
    }
    guard unsafe !octets.withUnsafeBytes(Self.looksLikePublicKey) else {
      throw JOSEError(
        .keyMismatch, "the secret is a key or certificate file; a public key must not become an HMAC secret")
    }
    self.octets = octets
    switch algorithm.identifier {
    case .hs384: prepared = .sha384(HMACSHA384(anyKey: octets))
    case .hs512: prepared = .sha512(HMACSHA512(anyKey: octets))
    default: prepared = .sha256(HMACSHA256(anyKey: octets))
    }
  }

  func authenticationCode(for signingInput: UnsafeRawBufferPointer) -> [UInt8] {
    unsafe withAuthenticationCode(for: signingInput) { unsafe Array($0) }
  }

  /// Calls `body` with the authentication code, without an array.
  func withAuthenticationCode<Result>(
    for signingInput: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Result
  ) -> Result {
    switch prepared {
    case .sha256(let hmac): unsafe Self.finalized(hmac, signingInput).withBytes { unsafe $0.withUnsafeBytes(body) }
    case .sha384(let hmac): unsafe Self.finalized(hmac, signingInput).withBytes { unsafe $0.withUnsafeBytes(body) }
    case .sha512(let hmac): unsafe Self.finalized(hmac, signingInput).withBytes { unsafe $0.withUnsafeBytes(body) }
    }
  }

  /// Timing: depends on lengths only.
  func isValid(_ code: UnsafeRawBufferPointer, for signingInput: UnsafeRawBufferPointer) -> Bool {
    switch prepared {
    case .sha256(let hmac): unsafe ConstantTime.equal(Self.finalized(hmac, signingInput), code)
    case .sha384(let hmac): unsafe ConstantTime.equal(Self.finalized(hmac, signingInput), code)
    case .sha512(let hmac): unsafe ConstantTime.equal(Self.finalized(hmac, signingInput), code)
    }
  }

  private static func finalized<Function>(
    _ prepared: HMACSHA2<Function>, _ signingInput: UnsafeRawBufferPointer
  ) -> Function.Digest {
    var hmac = prepared
    unsafe hmac.update(signingInput)
    return hmac.finalize()
  }

  /// Whether the octets are a key or certificate file: such files are often public, and then make a secret that
  /// everybody knows.
  ///
  /// Timing: depends on their number; on whether they may be such a file, by ``KeyFileLikeness``; and if so, on how far
  /// they look like one.
  private static func looksLikePublicKey(_ octets: UnsafeRawBufferPointer) -> Bool {
    unsafe KeyFileLikeness.mayBeKeyFile(octets).declassified && isKeyFileVariableTime(octets)
  }

  private static func isKeyFileVariableTime(_ octets: UnsafeRawBufferPointer) -> Bool {
    unsafe KeyFileLikeness.isKeyFileVariableTime(octets)
  }

  /// Random octets that the check above lets pass, as it does all but one of eight million.
  static func random(count: Int) -> SecretBytes {
    var octets = SecretBytes.random(count: count)
    while unsafe octets.withUnsafeBytes(looksLikePublicKey) { octets = .random(count: count) }
    return octets
  }
}
