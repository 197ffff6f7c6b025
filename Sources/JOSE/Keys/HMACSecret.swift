import PureCrypto
import StrictJSON

/// A symmetric key made ready for HMAC, with the secret itself for export and comparison.
package struct HMACSecret: Sendable {
  package let octets: SecretBytes
  private let prepared: Prepared

  private enum Prepared: Sendable {
    case sha256(HMACSHA256)
    case sha384(HMACSHA384)
    case sha512(HMACSHA512)
  }

  /// Checks a secret's length and that it is no public key in disguise.
  init(_ octets: SecretBytes, algorithm: SignatureAlgorithm) throws(JOSEError) {
    guard octets.count >= algorithm.row.minimumKeyByteCount else {
      throw JOSEError(
        .keyTooWeak, "HS256 needs a secret of 32 octets or more, HS384 of 48, HS512 of 64 (RFC 7518 §3.2)")
    }
    guard !octets.withUnsafeBytes(Self.looksLikePublicKey) else {
      throw JOSEError(
        .keyMismatch, "the secret is a key or certificate file; a public key must not become an HMAC secret")
    }
    self.octets = octets
    switch algorithm.identifier {
    case .hs384: prepared = .sha384(HMACSHA384(key: octets))
    case .hs512: prepared = .sha512(HMACSHA512(key: octets))
    default: prepared = .sha256(HMACSHA256(key: octets))
    }
  }

  func authenticationCode(for signingInput: UnsafeRawBufferPointer) -> [UInt8] {
    switch prepared {
    case .sha256(let hmac): Array(Self.finalized(hmac, signingInput))
    case .sha384(let hmac): Array(Self.finalized(hmac, signingInput))
    case .sha512(let hmac): Array(Self.finalized(hmac, signingInput))
    }
  }

  /// Timing: depends on lengths only.
  func isValid(_ code: UnsafeRawBufferPointer, for signingInput: UnsafeRawBufferPointer) -> Bool {
    switch prepared {
    case .sha256(let hmac): ConstantTime.equal(Self.finalized(hmac, signingInput), code)
    case .sha384(let hmac): ConstantTime.equal(Self.finalized(hmac, signingInput), code)
    case .sha512(let hmac): ConstantTime.equal(Self.finalized(hmac, signingInput), code)
    }
  }

  private static func finalized<Function>(
    _ prepared: HMACSHA2<Function>, _ signingInput: UnsafeRawBufferPointer
  ) -> Function.Digest {
    var hmac = prepared
    hmac.update(signingInput)
    return hmac.finalize()
  }

  /// Whether the octets are PEM, a JWK or DER: files that are often public, and then make a secret that everybody knows.
  private static func looksLikePublicKey(_ octets: UnsafeRawBufferPointer) -> Bool {
    let marker = Array("-----BEGIN ".utf8)
    let whiteSpace: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D]
    let text = octets.drop { whiteSpace.contains($0) }
    if text.starts(with: marker) { return true }
    if text.first == 0x7B, let object = try? JSONObject(parsing: text, within: Limits.default.keySetJSON) {
      return object["kty"] != nil || object["keys"] != nil
    }
    return (try? P256PublicKey(derRepresentation: octets)) != nil || isCertificateOrKeyInDER(octets)
  }

  /// Random octets that the check above lets pass, as it does all but one of eight million.
  static func random(count: Int) -> SecretBytes {
    var octets = SecretBytes.random(count: count)
    while octets.withUnsafeBytes(looksLikePublicKey) { octets = .random(count: count) }
    return octets
  }

  /// A DER SEQUENCE that holds a SEQUENCE or INTEGER first and spans exactly the octets: SPKI, PKCS#1, PKCS#8 or a certificate.
  /// The smallest of them, an Ed25519 key in SPKI, has 44 octets; what is shorter, such as most secrets, is none.
  private static func isCertificateOrKeyInDER(_ octets: UnsafeRawBufferPointer) -> Bool {
    guard octets.count >= 44, octets[0] == 0x30 else { return false }
    let (headerCount, length): (Int, Int) =
      switch octets[1] {
      case 0x81: (3, Int(octets[2]))
      case 0x82: (4, Int(octets[2]) << 8 | Int(octets[3]))
      case 0..<0x80: (2, Int(octets[1]))
      default: (0, -1)
      }
    return length >= 0 && headerCount + length == octets.count
      && (octets[headerCount] == 0x30 || octets[headerCount] == 0x02)
  }
}
