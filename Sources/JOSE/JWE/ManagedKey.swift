import PureCrypto
import StrictJSON

/// What key management yields for one recipient: what encrypts the content, and what the recipient needs to find it.
struct ManagedKey: ~Copyable {
  /// What encrypts the content.
  enum Sealer: ~Copyable {
    /// The content encryption key, made ready.
    case cipher(ContentCipher)
    /// The secret that HPKE has made, for one message.
    case hpke(HPKE.Sender)
  }

  /// `enc`; nil where HPKE encrypts the content.
  let contentEncryption: ContentEncryptionAlgorithm?
  var sealer: Sealer
  /// Empty with direct algorithms.
  let encryptedKey: [UInt8]
  /// Header parameters beside `alg` and `enc`, in the order to be written.
  let parameters: JSONObject

  /// - Parameter key: the content encryption key.
  init(
    _ key: SecretBytes, for contentEncryption: ContentEncryptionAlgorithm, encryptedKey: [UInt8] = [],
    parameters: JSONObject
  ) throws(JOSEError) {
    self.init(
      try ContentCipher(key: key, for: contentEncryption), for: contentEncryption, encryptedKey: encryptedKey,
      parameters: parameters)
  }

  init(
    _ cipher: ContentCipher, for contentEncryption: ContentEncryptionAlgorithm, encryptedKey: [UInt8] = [],
    parameters: JSONObject = [:]
  ) {
    (self.contentEncryption, self.encryptedKey, self.parameters) = (contentEncryption, encryptedKey, parameters)
    sealer = .cipher(cipher)
  }

  init(_ sender: consuming HPKE.Sender, parameters: JSONObject) {
    (contentEncryption, encryptedKey, self.parameters) = (nil, sender.encapsulatedKey, parameters)
    sealer = .hpke(sender)
  }

  /// The first parameters of the header: `alg`, `enc` if there is one, and what key management adds.
  func header(_ algorithm: KeyManagementAlgorithm) -> JSONObject {
    var header: JSONObject = ["alg": .string(algorithm.name)]
    if let contentEncryption { header["enc"] = .string(contentEncryption.name) }
    for (name, value) in parameters.members { header[name] = value }
    return header
  }
}

extension ManagedKey.Sealer {
  /// Encrypts the content.
  ///
  /// - Throws: ``ErrorCode/keyMismatch`` if the key has encrypted as often as it may, or the plaintext is too long.
  mutating func seal(
    _ plaintext: some Collection<UInt8>, authenticating text: [UInt8]
  ) throws(JOSEError) -> ContentCipher.Sealed {
    switch consume self {
    case .cipher(let cipher):
      self = .cipher(cipher)
      return try cipher.seal(plaintext, authenticating: text)
    case .hpke(var sender):
      let sealed = try? sender.seal(plaintext, authenticating: text)
      self = .hpke(sender)
      guard let sealed else { throw ContentCipher.exhausted }
      // The tag is the ciphertext's end.
      return ContentCipher.Sealed(initializationVector: [], ciphertext: sealed, authenticationTag: [])
    }
  }
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
  /// - Parameter asked: `enc` if the caller names one.
  /// - Throws: ``ErrorCode/callerMisuse`` if party info is given without an agreement, or `enc` where HPKE encrypts the
  ///   content; ``ErrorCode/keyMismatch``.
  func managedKey(
    for asked: ContentEncryptionAlgorithm?, parties: PartyInfos
  ) throws(JOSEError) -> ManagedKey {
    guard parties.areAbsent || algorithm.row.isAgreement else {
      throw JOSEError(.callerMisuse, "party info belongs to a key agreement", name: "apu")
    }
    let contentEncryption = asked ?? defaultContentEncryption
    switch algorithm.row.mechanism {
    case .hpke(let suite):
      guard asked == nil else {
        throw JOSEError(
          .callerMisuse, "the algorithm encrypts the content itself, and takes no content encryption algorithm",
          name: "enc")
      }
      return ManagedKey(try sender(suite, agreement), parameters: agreement.parameters)
    case .direct:
      guard case .direct(let direct) = material else { throw Self.otherKind }
      return ManagedKey(try direct.cipher(for: contentEncryption), for: contentEncryption)
    case .agreement(wrappingKeyByteCount: nil):
      let (agreedKey, parameters) = try agree(for: contentEncryption, parties: parties)
      return try ManagedKey(agreedKey, for: contentEncryption, parameters: parameters)
    case .agreement, .symmetric, .rsaOAEP, .hpkeKeyEncryption:
      let key = SecretBytes.random(count: contentEncryption.row.keyByteCount)
      let wrapped = try wrap(key, for: contentEncryption, parties: parties)
      return try ManagedKey(
        key, for: contentEncryption, encryptedKey: wrapped.encryptedKey, parameters: wrapped.parameters)
    }
  }

  /// Encrypts a content encryption key that several recipients share.
  ///
  /// - Throws: ``ErrorCode/callerMisuse`` for an algorithm that serves one recipient, and has a content encryption key
  ///   of its own or none.
  func wrap(
    _ key: SecretBytes, for contentEncryption: ContentEncryptionAlgorithm, parties: PartyInfos
  ) throws(JOSEError) -> KeyEncryptionKey.Wrapped {
    switch (algorithm.row.mechanism, material) {
    case (.symmetric, .wrapping(let wrappingKey)):
      return try wrappingKey.wrap(key)
    case (.rsaOAEP, .publicKey(.rsa(let publicKey))):
      return KeyEncryptionKey.Wrapped(encryptedKey: try publicKey.wrapped(key, algorithm: algorithm), parameters: [:])
    case (.hpkeKeyEncryption(let suite), _):
      return try encapsulated(key, suite, for: contentEncryption)
    case (.agreement(wrappingKeyByteCount: .some), _):
      let (agreedKey, parameters) = try agree(for: contentEncryption, parties: parties)
      return KeyEncryptionKey.Wrapped(
        encryptedKey: try AESKeyWrap(keyOrRefusal: agreedKey).wrapped(key), parameters: parameters)
    case (.direct, _), (.agreement, _), (.hpke, _):
      throw JOSEError(
        .callerMisuse, "a direct algorithm, or one that encrypts the content itself, serves a single recipient",
        name: "alg")
    case (.symmetric, _), (.rsaOAEP, _):
      throw Self.otherKind
    }
  }

  private static var otherKind: JOSEError {
    JOSEError(.keyMismatch, "the key's type and curve must be the algorithm's", name: "kty")
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
