import PureCrypto
import StrictJSON

extension ParsedJWE {
  /// Checks which parameters a message with HPKE has, and where.
  ///
  /// - Throws: ``ErrorCode/headerInvalid``.
  /// Source: draft-ietf-jose-hpke-encrypt-22 §5, §6.
  func requireForm(ofHPKE algorithm: KeyManagementAlgorithm, for recipient: Recipient) throws(JOSEError) {
    guard algorithm.row.isIntegrated else { return }
    for name in ["enc", "ek"] where recipient.parameters[name] != nil {
      throw JOSEError(.headerInvalid, "the algorithm encrypts the content itself, which leaves none", name: name)
    }
    for name in ["alg", "psk_id"] where recipient.unprotectedHeader[name] != nil {
      throw JOSEError(
        .headerInvalid, "the parameter must be protected where the algorithm encrypts the content", name: name)
    }
  }

  /// Opens a message that HPKE has encrypted itself.
  ///
  /// - Throws: ``ErrorCode/keyInvalid`` if the encapsulated key is none of the suite's,
  ///   ``ErrorCode/decryptionFailed``.
  func open(
    _ suite: HPKE.Ciphersuite, with key: DecryptionKey, for recipient: Recipient
  ) throws(JOSEError) -> DecryptedJWE {
    let agreement = key.encryptionKey.agreement
    var secret = try key.recipient(of: recipient.encryptedKey, suite, agreement)
    return try opened(for: recipient) { content, authenticatedText in
      try? secret.open(content.ciphertext, authenticating: authenticatedText)
    }
  }

  /// The content encryption key that HPKE has encrypted, or a random one if the encrypted key is not intact: the tag
  /// will tell (RFC 7516 §11.5).
  ///
  /// - Throws: ``ErrorCode/headerInvalid`` if `ek` is absent or no base64url, ``ErrorCode/keyInvalid`` if it is no
  ///   encapsulated key of the suite.
  func contentEncryptionKey(
    _ suite: HPKE.Ciphersuite, with key: DecryptionKey, for recipient: Recipient,
    contentEncryption: ContentEncryptionAlgorithm
  ) throws(JOSEError) -> SecretBytes {
    let agreement = key.encryptionKey.agreement.encryptingKey(for: contentEncryption)
    let encapsulatedKey = try recipient.parameters.octets("ek", orThrow: .headerInvalid)
    var secret = try key.recipient(of: encapsulatedKey, suite, agreement)
    let byteCount = contentEncryption.row.keyByteCount
    guard let opened = try? secret.openSecret(recipient.encryptedKey), opened.count == byteCount else {
      return .random(count: byteCount)
    }
    return opened
  }
}

extension DecryptionKey {
  fileprivate func recipient(
    of encapsulatedKey: [UInt8], _ suite: HPKE.Ciphersuite, _ agreement: HPKEAgreement
  ) throws(JOSEError) -> HPKE.Recipient {
    guard case .privateKey(let key) = material else { throw ParsedJWE.notAllowed }
    do throws(CryptoError) {
      return try key.recipient(of: encapsulatedKey, suite, agreement)
    } catch {
      throw JOSEError(.keyInvalid, "the encapsulated key is not one of the algorithm's", name: "ek")
    }
  }
}
