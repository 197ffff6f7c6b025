import PureCrypto
import StrictJSON

/// What key management yields for one recipient: the content encryption key in some form, and what the recipient needs
/// to find it.
struct ManagedKey {
  /// The content encryption key, made ready.
  let cipher: ContentCipher
  /// Empty with direct algorithms.
  let encryptedKey: [UInt8]
  /// Header parameters beside `alg` and `enc`, in the order to be written.
  let parameters: JSONObject
}

/// Both party infos of an encryption.
struct PartyInfos {
  var partyUInfo = AgreementPartyInfo.absent
  var partyVInfo = AgreementPartyInfo.absent

  var areAbsent: Bool { partyUInfo.isAbsent && partyVInfo.isAbsent }
}

extension EncryptionKey {
  /// The content encryption algorithm unless the caller names one.
  var defaultContentEncryption: ContentEncryptionAlgorithm {
    if case .direct(let key) = material { return key.defaultContentEncryption }
    return .a256gcm
  }

  /// The key for one recipient alone.
  ///
  /// - Throws: ``ErrorCode/callerMisuse`` if party info is given without an agreement,
  ///   ``ErrorCode/keyMismatch``.
  func managedKey(
    for contentEncryption: ContentEncryptionAlgorithm, parties: PartyInfos
  ) throws(JOSEError) -> ManagedKey {
    guard parties.areAbsent || algorithm.row.usesEphemeralKey else {
      throw JOSEError(.callerMisuse, "party info belongs to a key agreement", name: "apu")
    }
    if case .direct(let direct) = material {
      return ManagedKey(cipher: try direct.cipher(for: contentEncryption), encryptedKey: [], parameters: [:])
    }
    if algorithm.row.isDirect {
      let (agreedKey, parameters) = try agree(for: contentEncryption, parties: parties)
      return ManagedKey(
        cipher: try ContentCipher(key: agreedKey, for: contentEncryption), encryptedKey: [], parameters: parameters)
    }
    let key = SecretBytes.random(count: contentEncryption.row.keyByteCount)
    let wrapped = try wrap(key, for: contentEncryption, parties: parties)
    return ManagedKey(
      cipher: try ContentCipher(key: key, for: contentEncryption), encryptedKey: wrapped.encryptedKey,
      parameters: wrapped.parameters)
  }

  /// Encrypts a content encryption key that several recipients share.
  ///
  /// - Throws: ``ErrorCode/callerMisuse`` for a direct algorithm, which has a content encryption key of its own.
  func wrap(
    _ key: SecretBytes, for contentEncryption: ContentEncryptionAlgorithm, parties: PartyInfos
  ) throws(JOSEError) -> KeyEncryptionKey.Wrapped {
    switch material {
    case .wrapping(let wrappingKey):
      return try wrappingKey.wrap(key)
    case .publicKey(.rsa(let publicKey)):
      return KeyEncryptionKey.Wrapped(encryptedKey: try publicKey.wrapped(key, algorithm: algorithm), parameters: [:])
    case .publicKey where !algorithm.row.isDirect:
      let (agreedKey, parameters) = try agree(for: contentEncryption, parties: parties)
      return KeyEncryptionKey.Wrapped(
        encryptedKey: try AESKeyWrap(keyOrRefusal: agreedKey).wrapped(key), parameters: parameters)
    case .publicKey, .direct:
      throw JOSEError(.callerMisuse, "a direct algorithm serves a single recipient", name: "alg")
    }
  }

  /// Agrees on a key under an ephemeral key, which is fresh unless a test chooses it.
  func agree(
    for contentEncryption: ContentEncryptionAlgorithm, parties: PartyInfos,
    ephemeralKey chosen: PrivateKey? = nil
  ) throws(JOSEError) -> (SecretBytes, JSONObject) {
    guard case .publicKey(let publicKey) = material, let curve = publicKey.curve, curve.isForAgreement else {
      throw JOSEError(.keyMismatch, "the key is not one for agreement", name: "kty")
    }
    let ephemeralKey = chosen ?? PrivateKey(on: curve)
    let ephemeralPoint = ephemeralKey.publicKey.agreementOctets
    let apu = parties.partyUInfo.octets(ephemeralKey: ephemeralPoint)
    let apv = parties.partyVInfo.octets(ephemeralKey: ephemeralPoint)
    guard let sharedSecret = ephemeralKey.sharedSecret(with: publicKey) else {
      throw JOSEError(.keyInvalid, "the keys have no shared secret")
    }
    let agreedKey = try KeyAgreement.agreedKey(
      sharedSecret: sharedSecret, algorithm: algorithm, contentEncryption: contentEncryption, partyUInfo: apu,
      partyVInfo: apv)
    var parameters: JSONObject = ["epk": .object(try JWK(.publicKey(ephemeralKey.publicKey)).publicJSONObject())]
    if parties.partyUInfo.isInHeader { parameters["apu"] = .string(Base64URL.encode(apu)) }
    if parties.partyVInfo.isInHeader { parameters["apv"] = .string(Base64URL.encode(apv)) }
    return (agreedKey, parameters)
  }
}
