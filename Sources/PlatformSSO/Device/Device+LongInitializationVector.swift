import JOSE
import PureCrypto

extension PlatformSSODevice {
  /// Opens a response whose initialization vector has more than 12 octets, which JOSE does not know.
  ///
  /// The counter that such a vector is hashed to depends on the message's key. Each response has a key of its own, so that nobody can
  /// time two operations under one.
  /// Source: NIST SP 800-38D §7.1.
  func openLongVector(
    _ message: EncryptedMessage, partyVInfo: [UInt8], key: DecryptionKey
  ) throws(PlatformSSOError) -> [UInt8] {
    let segments = message.token.utf8.split(separator: 0x2E, omittingEmptySubsequences: false)
    let failed = PlatformSSOError(.decryptionFailed, "the message could not be opened")
    guard segments.count == 5, segments[1].isEmpty, let vector = try? Base64URL.decode(utf8: Array(segments[2])),
      let ciphertext = try? Base64URL.decode(utf8: Array(segments[3])),
      let tag = try? Base64URL.decode(utf8: Array(segments[4])), tag.count == 16,
      ciphertext.count <= limits.tokenByteCount
    else { throw PlatformSSOError(.malformed, "not a compact JWE of this protocol") }
    let secret = try reportingJOSE { () throws(JOSEError) in
      try key.sharedSecret(with: .ec(.p256(message.ephemeralKey)))
    }
    let info = KeyAgreement.otherInfo(
      algorithmID: "A256GCM", partyUInfo: message.agreementPartyUInfo, partyVInfo: partyVInfo, keyBitCount: 256)
    guard let derived = try? ConcatKDF.deriveKey(sharedSecret: secret, otherInfo: info, bitCount: 256),
      let cipher = try? AESGCM(key: derived),
      let plaintext = try? cipher.open(
        ciphertext: ciphertext, truncatedTag: tag, anyInitializationVector: vector,
        authenticating: Array(segments[0]))
    else { throw failed }
    return plaintext
  }
}
