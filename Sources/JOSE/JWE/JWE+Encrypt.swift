import PureCrypto
import StrictJSON

extension JWE {
  /// Encrypts a plaintext and returns a compact token.
  ///
  /// Initialization vector and ephemeral key are fresh for each message and can't be set.
  /// - Parameters:
  ///   - plaintext: any octets. Their number can be told from the token.
  ///   - key: the receiver's. Its algorithm and its name are written as `alg` and `kid`.
  ///   - contentEncryption: nil takes the key's own algorithm for a direct key (AES-GCM where its length fits two), and A256GCM otherwise.
  ///   - header: further header parameters. `alg`, `enc` and what key management adds follow from key and algorithm.
  ///   - agreementPartyUInfo: for ECDH-ES, usually about the sender.
  ///   - agreementPartyVInfo: for ECDH-ES, usually about the receiver.
  /// - Throws: ``JOSEErrorCode/callerMisuse`` if `header` would replace a parameter or party info is given without an agreement,
  ///   ``JOSEErrorCode/keyMismatch`` if a direct key is not one of the algorithm, or a key has encrypted as often as it may.
  public static func encrypt(
    _ plaintext: some Collection<UInt8>, to key: EncryptionKey, contentEncryption: ContentEncryptionAlgorithm? = nil,
    header: HeaderParameters = HeaderParameters(), agreementPartyUInfo: AgreementPartyInfo = .absent,
    agreementPartyVInfo: AgreementPartyInfo = .absent
  ) throws(JOSEError) -> String {
    let contentEncryption = contentEncryption ?? key.defaultContentEncryption
    let managed = try key.managedKey(
      for: contentEncryption,
      parties: PartyInfos(partyUInfo: agreementPartyUInfo, partyVInfo: agreementPartyVInfo))
    return try seal(plaintext, with: managed, of: key, contentEncryption: contentEncryption, header: header)
  }

  /// Encrypts by ECDH-ES. Only tests choose the ephemeral key.
  package static func encrypt(
    _ plaintext: some Collection<UInt8>, to publicKey: P256PublicKey, of key: EncryptionKey,
    contentEncryption: ContentEncryptionAlgorithm, header: HeaderParameters, partyUInfo: AgreementPartyInfo,
    partyVInfo: AgreementPartyInfo, ephemeralKey: P256PrivateKey
  ) throws(JOSEError) -> String {
    let (agreedKey, parameters) = try EncryptionKey(
      .publicKey(.ec(.p256(publicKey))), algorithm: .ecdhES, keyID: nil
    ).agree(
      for: contentEncryption, parties: PartyInfos(partyUInfo: partyUInfo, partyVInfo: partyVInfo),
      ephemeralKey: .ec(.p256(ephemeralKey)))
    let managed = ManagedKey(
      cipher: try ContentCipher(key: agreedKey, for: contentEncryption), encryptedKey: [], parameters: parameters)
    return try seal(plaintext, with: managed, of: key, contentEncryption: contentEncryption, header: header)
  }

  /// Completes the header, encrypts, and joins the five segments.
  private static func seal(
    _ plaintext: some Collection<UInt8>, with managed: ManagedKey, of key: EncryptionKey,
    contentEncryption: ContentEncryptionAlgorithm, header: HeaderParameters
  ) throws(JOSEError) -> String {
    var parameters: JSONObject = ["alg": .string(key.algorithm.name), "enc": .string(contentEncryption.name)]
    for (name, value) in managed.parameters.members { parameters[name] = value }
    try header.append(to: &parameters, keyID: key.keyID)
    var token: [UInt8] = []
    Base64URL.append(parameters.serialized(), to: &token)
    // The additional authenticated data is the header's text (RFC 7516 §5.1 step 14).
    let sealed = try managed.cipher.seal(plaintext, authenticating: token)
    for segment in [
      managed.encryptedKey, sealed.initializationVector, sealed.ciphertext, sealed.authenticationTag,
    ] {
      token.append(0x2E)
      Base64URL.append(segment, to: &token)
    }
    return String(decoding: token, as: UTF8.self)
  }
}
