import PureCrypto

/// From the shared secret Z to the agreed key.
///
/// Source: RFC 7518 §4.6.2, NIST SP 800-56A §5.8.1.
package enum KeyAgreement {
  /// `OtherInfo = lp(AlgorithmID) ‖ lp(PartyUInfo) ‖ lp(PartyVInfo) ‖ SuppPubInfo`, where lp puts a 32-bit length
  /// before its argument, SuppPubInfo is the key's length in bits, and SuppPrivInfo is empty without a length.
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

  /// The agreed key. With direct agreement it is the content encryption key and AlgorithmID the name of that algorithm;
  /// otherwise it is the wrapping key and AlgorithmID the name of the key management algorithm.
  static func agreedKey(
    sharedSecret: SharedSecret, algorithm: KeyManagementAlgorithm, contentEncryption: ContentEncryptionAlgorithm,
    partyUInfo: [UInt8], partyVInfo: [UInt8]
  ) throws(JOSEError) -> SecretBytes {
    let wrappingKeyByteCount = algorithm.row.wrappingKeyByteCount
    let bitCount = 8 * (wrappingKeyByteCount ?? contentEncryption.row.keyByteCount)
    let info = otherInfo(
      algorithmID: wrappingKeyByteCount == nil ? contentEncryption.name : algorithm.name, partyUInfo: partyUInfo,
      partyVInfo: partyVInfo, keyBitCount: bitCount)
    guard let key = try? sharedSecret.concatKDFDerivedKey(otherInfo: info, bitCount: bitCount) else {
      throw JOSEError.messageNotOpened
    }
    return key
  }
}

extension PublicKey {
  /// The form in which keys for agreement travel to a key that lives elsewhere: `04 ‖ X ‖ Y`; of X25519, whose keys
  /// are not points with two coordinates, the 32 octets of u. Nothing for a key that is not for agreement.
  package var agreementOctets: [UInt8] {
    switch self {
    case .ec(let key): key.curve.isForAgreement ? key.x963Representation : []
    case .x25519(let key): key.rawRepresentation
    case .rsa, .ed25519, .mlDSA, .lattice: []
    }
  }

  /// Reads ``agreementOctets``, whose length tells the curve. Nil if they are not a key.
  package init?(agreementOctets octets: [UInt8]) {
    if let key = try? X25519PublicKey(rawRepresentation: octets) {
      self = .x25519(key)
    } else if let key = AnyECPublicKey(agreementX963Representation: octets) {
      self = .ec(key)
    } else {
      return nil
    }
  }

  /// The length of the shared secret Z.
  var sharedSecretByteCount: Int {
    switch self {
    case .ec(let key): key.curve.coordinateByteCount
    case .x25519: 32
    case .rsa, .ed25519, .mlDSA, .lattice: 0
    }
  }
}
