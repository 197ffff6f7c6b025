import PureCrypto

extension JWE {
  /// Opens a compact JWE with one key, which fixes the one key management algorithm accepted.
  ///
  /// - Parameters:
  ///   - contentEncryption: the content encryption algorithms accepted.
  ///   - agreedParties: party infos known without the header, as Platform SSO allows.
  ///   - understood: extensions that `crit` may name because the caller processes them. None by default.
  /// - Throws: ``JOSEError``. Everything that depends on a secret is ``JOSEError/Code/decryptionFailed``.
  public static func decrypt(
    _ token: String, with key: DecryptionKey, contentEncryption: [ContentEncryptionAlgorithm],
    agreedParties: AgreedParties = AgreedParties(), understanding understood: [String] = [],
    limits: Limits = .default
  ) throws(JOSEError) -> DecryptedJWE {
    let parsed = try parse(token, contentEncryption: contentEncryption, understanding: understood, limits: limits)
    return try open(parsed, with: key, agreedParties: agreedParties)
  }

  /// Opens a compact JWE with a set of private or symmetric keys and the algorithms that the caller accepts.
  ///
  /// The key is chosen by `kid`, compared as bytes; an unknown `kid` finds no key.
  /// - Throws: as ``decrypt(_:with:contentEncryption:agreedParties:understanding:limits:)``, and
  ///   ``JOSEError/Code/keyNotFound``, ``JOSEError/Code/keyMismatch``.
  public static func decrypt(
    _ token: String, with keys: JWKSet, keyManagement: [KeyManagementAlgorithm],
    contentEncryption: [ContentEncryptionAlgorithm], agreedParties: AgreedParties = AgreedParties(),
    understanding understood: [String] = [], limits: Limits = .default
  ) throws(JOSEError) -> DecryptedJWE {
    guard !keyManagement.isEmpty else {
      throw JOSEError(.callerMisuse, "the list of accepted algorithms is empty", name: "keyManagement")
    }
    let parsed = try parse(token, contentEncryption: contentEncryption, understanding: understood, limits: limits)
    guard let algorithm = KeyManagementAlgorithm(name: parsed.header.algorithm), keyManagement.contains(algorithm)
    else {
      throw ParsedJWE.notAllowed
    }
    let candidates = try keys.candidates(keyID: parsed.header.keyID, limits: limits) { _, jwk throws(JOSEError) in
      try DecryptionKey(jwk, algorithm: algorithm)
    }
    var failure = ParsedJWE.decryptionFailed
    for key in candidates {
      do throws(JOSEError) {
        return try open(parsed, with: key, agreedParties: agreedParties)
      } catch {
        failure = error
      }
    }
    throw failure
  }

  /// Begins opening with a key that somebody else holds and that answers later: compute the shared secret with
  /// ``PreparedDecryption/ephemeralPublicKey``, then call ``PreparedDecryption/finish(sharedSecret:)``.
  ///
  /// - Throws: ``JOSEError``, if the token is not one for ECDH-ES that the caller accepts.
  public static func prepareDecryption(
    _ token: String, contentEncryption: [ContentEncryptionAlgorithm], agreedParties: AgreedParties = AgreedParties(),
    understanding understood: [String] = [], limits: Limits = .default
  ) throws(JOSEError) -> PreparedDecryption {
    let parsed = try parse(token, contentEncryption: contentEncryption, understanding: understood, limits: limits)
    try parsed.requireForm(of: .ecdhES)
    return PreparedDecryption(parsed: parsed, agreement: try parsed.agreement(agreedParties))
  }

  private static func parse(
    _ token: String, contentEncryption: [ContentEncryptionAlgorithm], understanding understood: [String], limits: Limits
  ) throws(JOSEError) -> ParsedJWE {
    try withContiguousBytes(token.utf8) { token throws(JOSEError) in
      try ParsedJWE(token, contentEncryption: contentEncryption, understanding: understood, limits: limits)
    }
  }

  private static func open(
    _ parsed: ParsedJWE, with key: DecryptionKey, agreedParties: AgreedParties
  ) throws(JOSEError) -> DecryptedJWE {
    try parsed.requireForm(of: key.algorithm)
    if case .direct(let direct) = key.material {
      guard direct.contentEncryption == parsed.contentEncryption else {
        throw JOSEError(.keyMismatch, "the key has not the length of this content encryption algorithm", name: "enc")
      }
      return try parsed.open(with: direct.cipher)
    }
    let agreement = try parsed.agreement(agreedParties)
    return try parsed.open(sharedSecret: key.sharedSecret(with: agreement.ephemeralKey), agreement: agreement)
  }
}

/// A JWE for ECDH-ES that waits for its shared secret.
public struct PreparedDecryption: Sendable {
  private let parsed: ParsedJWE
  private let agreement: ParsedJWE.Agreement

  init(parsed: ParsedJWE, agreement: ParsedJWE.Agreement) {
    self.parsed = parsed
    self.agreement = agreement
  }

  /// The header, whose `kid` may say which key is meant. Not authenticated yet.
  public var unverifiedHeader: ProtectedHeader { parsed.header }

  /// The sender's ephemeral public key, as 65 octets `04 ‖ X ‖ Y`. It has been checked to be on the curve.
  public var ephemeralPublicKey: [UInt8] { agreement.ephemeralKey.x963Representation }

  /// Opens the message.
  ///
  /// - Parameter sharedSecret: Z, the x-coordinate of the product of private key and ``ephemeralPublicKey``: 32 octets, big-endian.
  /// - Throws: ``JOSEError/Code/externalKeyFailed`` if the secret is not 32 octets, ``JOSEError/Code/decryptionFailed``.
  public func finish(sharedSecret: [UInt8]) throws(JOSEError) -> DecryptedJWE {
    try parsed.open(sharedSecret: SecretBytes(externalSharedSecret: sharedSecret), agreement: agreement)
  }
}
