import PureCrypto
import StrictJSON

extension ParsedJWE {
  /// What both sides of a key agreement put into it.
  struct Agreement: Sendable {
    let ephemeralKey: PublicKey
    let partyUInfo: [UInt8]
    let partyVInfo: [UInt8]
  }

  /// The checked ephemeral public key and both party infos.
  /// - Parameter curve: the recipient's, or nil if it is not known yet.
  /// - Parameter ephemeralKey: what takes the place of the header's.
  func agreement(
    _ agreed: AgreedParties, on curve: Curve?, ephemeralKey: PublicKey? = nil, for recipient: Recipient
  ) throws(JOSEError) -> Agreement {
    Agreement(
      ephemeralKey: try Self.ephemeralPublicKey(recipient.parameters, on: curve, unless: ephemeralKey),
      partyUInfo: try Self.partyInfo("apu", recipient.parameters, agreed: agreed.partyUInfo),
      partyVInfo: try Self.partyInfo("apv", recipient.parameters, agreed: agreed.partyVInfo))
  }

  private static func ephemeralPublicKey(
    _ parameters: JSONObject, on curve: Curve?, unless given: PublicKey?
  ) throws(JOSEError) -> PublicKey {
    if let given { return given }
    guard case .object(let members)? = parameters["epk"] else {
      throw JOSEError(.headerInvalid, "the ephemeral public key is absent or no object", name: "epk")
    }
    for name in JWK.privateMembers where members[name] != nil {
      throw JOSEError(.keyInvalid, "the ephemeral public key has a private member", name: "epk")
    }
    let mismatch = JOSEError(.keyMismatch, "the ephemeral public key is not on the recipient's curve", name: "epk")
    if let curve, case .string(let name)? = members["crv"], !name.hasSameBytes(as: curve.description) { throw mismatch }
    let key: JWK
    do throws(JOSEError) {
      key = try JWK(members)
    } catch {
      // Another curve or type is a sound key that may not be used here.
      let code: JOSEError.Code = error.code == .algorithmUnsupported ? .keyMismatch : .keyInvalid
      throw JOSEError(code, "the ephemeral public key is wrong or not on the recipient's curve", name: "epk")
    }
    guard let publicKey = key.material.publicKey, let own = publicKey.curve, own.isForAgreement, own == curve ?? own
    else {
      throw mismatch
    }
    return publicKey
  }

  /// The octets of the header as received, or those agreed on. If both exist they must be the same.
  private static func partyInfo(
    _ name: String, _ parameters: JSONObject, agreed: [UInt8]?
  ) throws(JOSEError) -> [UInt8] {
    let received = try parameters.octets(ifPresent: name, orThrow: .headerInvalid)
    if let received, let agreed, received != agreed {
      throw JOSEError(.headerInvalid, "the party info is not the one agreed on", name: name)
    }
    return received ?? agreed ?? []
  }

  /// Opens the message with the shared secret. Whatever fails from here on looks the same.
  func open(
    sharedSecret: SecretBytes, agreement: Agreement, algorithm: KeyManagementAlgorithm, for recipient: Recipient
  ) throws(JOSEError) -> DecryptedJWE {
    let agreedKey = try KeyAgreement.agreedKey(
      sharedSecret: sharedSecret, algorithm: algorithm, contentEncryption: contentEncryption,
      partyUInfo: agreement.partyUInfo, partyVInfo: agreement.partyVInfo)
    guard !algorithm.row.isDirect else {
      return try open(with: ContentCipher(key: agreedKey, for: contentEncryption), for: recipient)
    }
    // A random key takes the place of one that can't be unwrapped: the tag will tell (RFC 7516 §11.5).
    let contentKey = try AESKeyWrap(keyOrRefusal: agreedKey)
      .unwrapOrRandom(recipient.encryptedKey, byteCount: contentEncryption.row.keyByteCount)
    return try open(with: ContentCipher(key: contentKey, for: contentEncryption), for: recipient)
  }
}
