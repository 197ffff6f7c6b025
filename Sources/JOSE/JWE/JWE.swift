import PureCrypto
import StrictJSON

/// JSON Web Encryption.
///
/// - ``encrypt(_:to:contentEncryption:header:agreementPartyUInfo:agreementPartyVInfo:)`` makes a token.
/// - ``decrypt(_:with:contentEncryption:agreedParties:understanding:limits:)`` opens one.
/// - ``UnverifiedJWE/preparedDecryption(contentEncryption:agreedParties:understanding:)`` serves a key that answers
///   later.
///
/// Decrypting proves nothing about the sender: everybody who has the public key can encrypt. That is why opening yields
/// a ``DecryptedJWE``, which nothing here takes for something verified.
///
/// `RSA1_5` is neither made nor opened: every observable difference between good and bad PKCS#1 v1.5 padding lets a
/// stranger decrypt with about a million messages (Bleichenbacher 1998), and layers above the padding have undone each
/// defence below it (ROBOT 2017).
///
/// Source: RFC 7516.
public enum JWE {}

extension JWE {
  /// Encrypts a plaintext and returns a compact token.
  ///
  /// Initialization vector and ephemeral key are fresh for each message and can't be set.
  /// - Parameters:
  ///   - plaintext: any octets. Their number can be told from the token.
  ///   - key: the receiver's. Its algorithm and its name are written as `alg` and `kid`.
  ///   - contentEncryption: nil takes the key's own algorithm for a direct key (AES-GCM where its length fits two), and
  ///     A256GCM otherwise. Nil with integrated encryption by HPKE, which has none.
  ///   - header: further header parameters. `alg`, `enc` and what key management adds follow from key and algorithm.
  ///   - agreementPartyUInfo: for ECDH-ES, usually about the sender.
  ///   - agreementPartyVInfo: for ECDH-ES, usually about the receiver.
  /// - Throws: ``ErrorCode/callerMisuse`` if `header` would replace a parameter, or party info is given without an
  ///   agreement or `contentEncryption` with integrated encryption; ``ErrorCode/keyMismatch`` if a direct key is not
  ///   one of the algorithm, or a key has encrypted as often as it may.
  public static func encrypt(
    _ plaintext: some Collection<UInt8>, to key: EncryptionKey, contentEncryption: ContentEncryptionAlgorithm? = nil,
    header: HeaderParameters = HeaderParameters(), agreementPartyUInfo: AgreementPartyInfo = .absent,
    agreementPartyVInfo: AgreementPartyInfo = .absent
  ) throws(JOSEError) -> String {
    let managed = try key.managedKey(
      for: contentEncryption,
      parties: PartyInfos(partyUInfo: agreementPartyUInfo, partyVInfo: agreementPartyVInfo))
    return try seal(plaintext, with: managed, of: key, header: header)
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
    return try seal(
      plaintext, with: ManagedKey(agreedKey, for: contentEncryption, parameters: parameters), of: key, header: header)
  }

  /// Completes the header, encrypts, and joins the five segments.
  private static func seal(
    _ plaintext: some Collection<UInt8>, with managed: consuming ManagedKey, of key: EncryptionKey,
    header: HeaderParameters
  ) throws(JOSEError) -> String {
    var managed = managed
    var parameters = managed.header(key.algorithm)
    try header.append(to: &parameters, keyID: key.keyID)
    var token: [UInt8] = []
    Base64URL.append(try parameters.protectedHeaderText(), to: &token)
    // The additional authenticated data is the header's text (RFC 7516 §5.1 step 14).
    let sealed = try managed.sealer.seal(plaintext, authenticating: token)
    for segment in [
      managed.encryptedKey, sealed.initializationVector, sealed.ciphertext, sealed.authenticationTag,
    ] {
      token.append(0x2E)
      Base64URL.append(segment, to: &token)
    }
    return String(decoding: token, as: UTF8.self)
  }
}

/// One recipient of a JSON serialization.
public struct JWERecipient: Sendable {
  /// The recipient's key, with the algorithm that wraps or agrees.
  package var key: EncryptionKey
  /// Header parameters for this recipient, which nothing authenticates.
  package var unprotectedHeader: JSONObject

  /// A recipient with this header.
  public init(key: EncryptionKey, unprotectedHeader: JSONObject = [:]) {
    self.key = key
    self.unprotectedHeader = unprotectedHeader
  }
}

extension JWE {
  /// Encrypts a plaintext for one or several recipients and returns a JSON text.
  ///
  /// For a single recipient, `alg`, `kid` and what key management adds are protected; for several they stand in each
  /// recipient's own header.
  /// - Parameters:
  ///   - plaintext: any octets. Their number can be told from the message.
  ///   - recipients: one or more. A direct algorithm (`dir`, or ECDH-ES without key wrapping) and integrated encryption
  ///     by HPKE serve only a single one.
  ///     Give keys of RSA and passwords a name: a receiver tries few of those without, as far as
  ///     ``Limits/additionalWork`` reaches.
  ///   - contentEncryption: nil takes a direct key's own algorithm, and A256GCM otherwise. Nil with integrated
  ///     encryption, which has none.
  ///   - header: further protected header parameters.
  ///   - unprotectedHeader: header parameters for all recipients, which nothing authenticates.
  ///   - additionalAuthenticatedData: octets that travel in the clear and are authenticated. Empty is the same as nil.
  ///   - serialization: ``JOSESerialization/flattened`` takes exactly one recipient.
  /// - Throws: ``ErrorCode/callerMisuse`` for what has no form, among it a direct algorithm beside other
  ///   recipients, and for a recipient with ML-KEM beside one whose key a quantum computer finds;
  ///   ``ErrorCode/keyMismatch``.
  public static func encryptJSON(
    _ plaintext: some Collection<UInt8>, to recipients: [JWERecipient],
    contentEncryption: ContentEncryptionAlgorithm? = nil, header: HeaderParameters = HeaderParameters(),
    unprotectedHeader: JSONObject = [:], additionalAuthenticatedData: [UInt8]? = nil,
    serialization: JOSESerialization = .general
  ) throws(JOSEError) -> String {
    guard let first = recipients.first, serialization == .general || recipients.count == 1 else {
      throw JOSEError(
        .callerMisuse, "a message needs at least one recipient, a flattened one no more", name: "recipients")
    }
    guard recipients.count <= Limits.default.recipientCount else {
      throw JOSEError.notReadable("a message has more recipients than are read", "recipientCount")
    }
    let rows = recipients.map(\.key.algorithm.row)
    guard !rows.contains(where: \.hasLattice) || !rows.contains(where: \.yieldsToQuantumComputers) else {
      throw JOSEError(
        .callerMisuse,
        "a recipient with ML-KEM stands beside none whose key a quantum computer finds: send two messages",
        name: "alg")
    }
    // Without octets there is no member `aad` (RFC 7516 §7.2.1).
    let authenticatedData = additionalAuthenticatedData.flatMap { $0.isEmpty ? nil : $0 }
    var protected: JSONObject
    var parts: [JSONObject] = []
    var sealer: ManagedKey.Sealer
    if recipients.count == 1 {
      let managed = try first.key.managedKey(for: contentEncryption, parties: PartyInfos())
      protected = managed.header(first.key.algorithm)
      let isNamedOutside = first.unprotectedHeader["kid"] != nil || unprotectedHeader["kid"] != nil
      try header.append(to: &protected, keyID: isNamedOutside ? nil : first.key.keyID)
      parts = [recipientObject(header: first.unprotectedHeader, encryptedKey: managed.encryptedKey)]
      sealer = managed.sealer
    } else {
      let contentEncryption = contentEncryption ?? first.key.defaultContentEncryption
      let key = SecretBytes.random(count: contentEncryption.row.keyByteCount)
      sealer = .cipher(try ContentCipher(key: key, for: contentEncryption))
      protected = ["enc": .string(contentEncryption.name)]
      try header.append(to: &protected, keyID: nil)
      for recipient in recipients {
        let wrapped = try recipient.key.wrap(key, for: contentEncryption, parties: PartyInfos())
        var own: JSONObject = ["alg": .string(recipient.key.algorithm.name)]
        for (name, value) in wrapped.parameters.members { own[name] = value }
        if let keyID = recipient.key.keyID {
          try HeaderParameters.requireReadable(keyID: keyID)
          own["kid"] = .string(keyID)
        }
        try HeaderUnion.requireWritable(recipient.unprotectedHeader, beside: own)
        for (name, value) in recipient.unprotectedHeader.members { own[name] = value }
        parts.append(recipientObject(header: own, encryptedKey: wrapped.encryptedKey))
      }
    }
    try HeaderUnion.requireWritable(unprotectedHeader, beside: protected)
    for part in parts {
      let own = try part.object(ifPresent: "header", orThrow: .malformed) ?? [:]
      for name in own.names where protected[name] != nil || unprotectedHeader[name] != nil {
        throw JOSEError(.callerMisuse, "a header parameter would stand in two places", name: name)
      }
    }
    if recipients.count == 1 { try HeaderUnion.requireWritable(first.unprotectedHeader, beside: protected) }
    var budget = HeaderBudget(.default)
    let protectedHeader = protected.serialized()
    try budget.write(protectedHeader, memberCount: protected.count)
    try budget.write(unprotected: unprotectedHeader)
    for part in parts { try budget.write(unprotected: part["header"]?.objectValue ?? [:]) }
    var text: [UInt8] = []
    Base64URL.append(protectedHeader, to: &text)
    let protectedText = text
    if let authenticatedData {
      text.append(0x2E)
      Base64URL.append(authenticatedData, to: &text)
    }
    let sealed = try sealer.seal(plaintext, authenticating: text)
    var message: JSONObject = ["protected": .string(String(decoding: protectedText, as: UTF8.self))]
    if !unprotectedHeader.members.isEmpty { message["unprotected"] = .object(unprotectedHeader) }
    switch serialization {
    case .flattened: for (name, value) in parts[0].members { message[name] = value }
    case .general: message["recipients"] = .array(parts.map { .object($0) })
    }
    if let authenticatedData { message["aad"] = .string(Base64URL.encode(authenticatedData)) }
    // Of vector and tag the empty one is absent, which HPKE has; the ciphertext is present.
    if !sealed.initializationVector.isEmpty {
      message["iv"] = .string(Base64URL.encode(sealed.initializationVector))
    }
    message["ciphertext"] = .string(Base64URL.encode(sealed.ciphertext))
    if !sealed.authenticationTag.isEmpty { message["tag"] = .string(Base64URL.encode(sealed.authenticationTag)) }
    return String(decoding: message.serialized(), as: UTF8.self)
  }

  private static func recipientObject(header: JSONObject, encryptedKey: [UInt8]) -> JSONObject {
    var object: JSONObject = [:]
    if !header.members.isEmpty { object["header"] = .object(header) }
    if !encryptedKey.isEmpty { object["encrypted_key"] = .string(Base64URL.encode(encryptedKey)) }
    return object
  }
}
