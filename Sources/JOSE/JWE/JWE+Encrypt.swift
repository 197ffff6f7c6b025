import PureCrypto
import StrictJSON

extension JWE {
  /// Encrypts a plaintext and returns a compact token.
  ///
  /// Initialization vector and ephemeral key are fresh for each message and can't be set.
  /// - Parameters:
  ///   - contentEncryption: nil takes the key's own algorithm for a direct key, and A256GCM otherwise.
  ///   - header: further header parameters. `alg`, `enc` and `epk` follow from key and algorithm.
  ///   - agreementPartyUInfo: for ECDH-ES, usually about the sender.
  ///   - agreementPartyVInfo: for ECDH-ES, usually about the receiver.
  /// - Throws: ``JOSEError/Code/callerMisuse`` if `header` would replace a parameter or party info is given without an agreement,
  ///   ``JOSEError/Code/keyMismatch`` if a direct key has another length, or has encrypted as often as it may.
  public static func encrypt(
    _ plaintext: some Collection<UInt8>, to key: EncryptionKey, contentEncryption: ContentEncryptionAlgorithm? = nil,
    header: HeaderParameters = HeaderParameters(), agreementPartyUInfo: AgreementPartyInfo = .absent,
    agreementPartyVInfo: AgreementPartyInfo = .absent
  ) throws(JOSEError) -> String {
    switch key.material {
    case .direct(let direct):
      guard agreementPartyUInfo.isAbsent, agreementPartyVInfo.isAbsent else {
        throw JOSEError(.callerMisuse, "party info belongs to a key agreement", name: "apu")
      }
      let contentEncryption = contentEncryption ?? direct.contentEncryption
      guard direct.contentEncryption == contentEncryption else {
        throw JOSEError(.keyMismatch, "the key has not the length of this content encryption algorithm", name: "enc")
      }
      let parameters: JSONObject = ["alg": .string(key.algorithm.name), "enc": .string(contentEncryption.name)]
      return try seal(plaintext, with: direct.cipher, parameters: parameters, header: header, keyID: key.keyID)
    case .p256(let publicKey):
      return try encrypt(
        plaintext, to: publicKey, of: key, contentEncryption: contentEncryption ?? .a256gcm, header: header,
        partyUInfo: agreementPartyUInfo, partyVInfo: agreementPartyVInfo, ephemeralKey: P256PrivateKey())
    }
  }

  /// Encrypts by ECDH-ES. Only tests choose the ephemeral key.
  package static func encrypt(
    _ plaintext: some Collection<UInt8>, to publicKey: P256PublicKey, of key: EncryptionKey,
    contentEncryption: ContentEncryptionAlgorithm, header: HeaderParameters, partyUInfo: AgreementPartyInfo,
    partyVInfo: AgreementPartyInfo, ephemeralKey: P256PrivateKey
  ) throws(JOSEError) -> String {
    let ephemeralPoint = ephemeralKey.publicKey.x963Representation
    let apu = partyUInfo.octets(ephemeralKey: ephemeralPoint)
    let apv = partyVInfo.octets(ephemeralKey: ephemeralPoint)
    guard let sharedSecret = try? ephemeralKey.sharedSecret(with: publicKey) else {
      throw JOSEError(.keyInvalid, "no secret can be shared with this key")
    }
    let contentEncryptionKey = try KeyAgreement.contentEncryptionKey(
      sharedSecret: sharedSecret, contentEncryption: contentEncryption, partyUInfo: apu, partyVInfo: apv)
    guard let cipher = try? AESGCM(key: contentEncryptionKey) else {
      throw JOSEError(.keyInvalid, "the derived key has no length of AES")
    }
    var parameters: JSONObject = [
      "alg": .string(key.algorithm.name), "enc": .string(contentEncryption.name),
      "epk": .object(try JWK(.p256Public(ephemeralKey.publicKey)).publicJSONObject()),
    ]
    if partyUInfo.isInHeader { parameters["apu"] = .string(Base64URL.encode(apu)) }
    if partyVInfo.isInHeader { parameters["apv"] = .string(Base64URL.encode(apv)) }
    return try seal(plaintext, with: cipher, parameters: parameters, header: header, keyID: key.keyID)
  }

  /// Completes the header, encrypts, and joins the five segments. Both implemented algorithms are direct: the second one is empty.
  private static func seal(
    _ plaintext: some Collection<UInt8>, with cipher: AESGCM, parameters: JSONObject, header: HeaderParameters,
    keyID: String?
  ) throws(JOSEError) -> String {
    var parameters = parameters
    try header.append(to: &parameters, keyID: keyID)
    var token: [UInt8] = []
    Base64URL.append(parameters.serialized(), to: &token)
    // The additional authenticated data is the header's text (RFC 7516 §5.1 step 14).
    guard let sealed = try? cipher.seal(plaintext, authenticating: token) else {
      throw JOSEError(.keyMismatch, "the key has encrypted as often as it may, or the plaintext is too long")
    }
    token.append(0x2E)
    for segment in [sealed.initializationVector, sealed.ciphertext, sealed.authenticationTag] {
      token.append(0x2E)
      Base64URL.append(segment, to: &token)
    }
    return String(decoding: token, as: UTF8.self)
  }
}
