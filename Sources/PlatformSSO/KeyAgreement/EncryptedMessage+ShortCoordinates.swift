import JOSE
import PureCrypto

extension EncryptedMessage {
  /// Opens a message whose sender dropped leading zeros of the ephemeral key, under the rule ``ShortCoordinates/leftPadded``.
  ///
  /// The point has been filled up and checked. PartyUInfo enters the key derivation as received, because the sender's did.
  func openShort(with key: DecryptionKey, agreementPartyVInfo: [UInt8]) throws(PlatformSSOError) -> [UInt8] {
    let malformed = PlatformSSOError(.malformed, "not a compact JWE of this kind")
    let segments = token.utf8.split(separator: 0x2E, omittingEmptySubsequences: false).map(Array.init)
    guard segments.count == 5, segments[1].isEmpty,
      let initializationVector = try? Base64URL.decode(utf8: segments[2]), initializationVector.count == 12,
      let ciphertext = try? Base64URL.decode(utf8: segments[3]),
      let authenticationTag = try? Base64URL.decode(utf8: segments[4]), authenticationTag.count == 16,
      let ephemeralKey = try? P256PublicKey(x963Representation: ephemeralKeyX963Representation)
    else { throw malformed }
    let sharedSecret = try reportingJOSE { () throws(JOSEError) in try key.sharedSecret(with: ephemeralKey) }
    let otherInfo = KeyAgreement.otherInfo(
      algorithmID: ContentEncryptionAlgorithm.a256gcm.name, partyUInfo: agreementPartyUInfo,
      partyVInfo: agreementPartyVInfo, keyBitCount: 256)
    guard
      let contentEncryptionKey = try? ConcatKDF.deriveKey(
        sharedSecret: sharedSecret, otherInfo: otherInfo, bitCount: 256),
      let plaintext = try? AESGCM(key: contentEncryptionKey).open(
        ciphertext: ciphertext, authenticationTag: authenticationTag, initializationVector: initializationVector,
        authenticating: segments[0])
    else { throw PlatformSSOError(.decryptionFailed, "the message could not be opened") }
    return plaintext
  }
}
