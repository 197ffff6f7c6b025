import PureCrypto

/// From the shared secret Z to the content encryption key.
///
/// Source: RFC 7518 §4.6.2, NIST SP 800-56A §5.8.1.
package enum KeyAgreement {
  /// `OtherInfo = lp(AlgorithmID) ‖ lp(PartyUInfo) ‖ lp(PartyVInfo) ‖ SuppPubInfo`, where lp puts a 32-bit length before its argument,
  /// SuppPubInfo is the key's length in bits, and SuppPrivInfo is empty without a length.
  package static func otherInfo(
    algorithmID: String, partyUInfo: [UInt8], partyVInfo: [UInt8], keyBitCount: Int
  ) -> [UInt8] {
    var info: [UInt8] = []
    for field in [Array(algorithmID.utf8), partyUInfo, partyVInfo] {
      append(bigEndian: UInt32(truncatingIfNeeded: field.count), to: &info)
      info += field
    }
    append(bigEndian: UInt32(truncatingIfNeeded: keyBitCount), to: &info)
    return info
  }

  private static func append(bigEndian value: UInt32, to octets: inout [UInt8]) {
    for shift: UInt32 in [24, 16, 8, 0] { octets.append(UInt8(truncatingIfNeeded: value &>> shift)) }
  }

  /// The content encryption key of direct key agreement: AlgorithmID is the name of the content encryption algorithm.
  static func contentEncryptionKey(
    sharedSecret: SecretBytes, contentEncryption: ContentEncryptionAlgorithm, partyUInfo: [UInt8], partyVInfo: [UInt8]
  ) throws(JOSEError) -> SecretBytes {
    let bitCount = contentEncryption.row.keyByteCount * 8
    let info = otherInfo(
      algorithmID: contentEncryption.name, partyUInfo: partyUInfo, partyVInfo: partyVInfo, keyBitCount: bitCount)
    guard let key = try? ConcatKDF.deriveKey(sharedSecret: sharedSecret, otherInfo: info, bitCount: bitCount) else {
      throw JOSEError(.decryptionFailed, "the message could not be opened")
    }
    return key
  }
}
