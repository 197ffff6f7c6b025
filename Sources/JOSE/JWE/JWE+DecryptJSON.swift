import PureCrypto
import StrictJSON

extension JWE {
  /// Opens a JWE in flattened or general JSON serialization with one key, which fixes the one key management algorithm accepted.
  ///
  /// The recipient is chosen by the key: by its algorithm, and by its name if it has one. A foreign recipient can't change the outcome.
  /// - Parameters:
  ///   - text: the JSON text, flattened or general. Nothing in it is trusted before the message has opened.
  ///   - key: the receiver's. If it has a name, recipients with another `kid` are passed over.
  ///   - contentEncryption: the content encryption algorithms accepted.
  ///   - agreedParties: party infos known without the header.
  ///   - acceptsUnprotectedEncryption: whether `enc` may stand in the unprotected header.
  ///   - understood: extensions that `crit` may name because the caller processes them. None by default.
  ///   - limits: bounds on the message's size, on its recipients and on `p2c`, and whether `zip` is accepted.
  ///
  /// Timing: as ``decrypt(_:with:contentEncryption:agreedParties:understanding:limits:)`` for each recipient tried.
  /// - Throws: as ``decrypt(_:with:contentEncryption:agreedParties:understanding:limits:)``, and ``JOSEError/Code/keyNotFound`` if no
  ///   recipient fits the key.
  public static func decryptJSON(
    _ text: String, with key: DecryptionKey, contentEncryption: [ContentEncryptionAlgorithm],
    agreedParties: AgreedParties = AgreedParties(), acceptsUnprotectedEncryption: Bool = false,
    understanding understood: [String] = [], limits: Limits = .default
  ) throws(JOSEError) -> DecryptedJWE {
    let parsed = try ParsedJWE(
      json: text, contentEncryption: contentEncryption, acceptsUnprotectedEncryption: acceptsUnprotectedEncryption,
      understanding: understood, limits: limits)
    return try parsed.open(with: key, agreedParties: agreedParties, limits: limits)
  }

  /// Opens a JWE in flattened or general JSON serialization with a set of private or symmetric keys.
  ///
  /// Each recipient's `kid` chooses its key, as in
  /// ``decrypt(_:with:keyManagement:contentEncryption:agreedParties:understanding:limits:)``; the first that opens decides.
  /// - Throws: as that method.
  public static func decryptJSON(
    _ text: String, with keys: JWKSet, keyManagement: [KeyManagementAlgorithm],
    contentEncryption: [ContentEncryptionAlgorithm], agreedParties: AgreedParties = AgreedParties(),
    acceptsUnprotectedEncryption: Bool = false, understanding understood: [String] = [], limits: Limits = .default
  ) throws(JOSEError) -> DecryptedJWE {
    let parsed = try ParsedJWE(
      json: text, contentEncryption: contentEncryption, acceptsUnprotectedEncryption: acceptsUnprotectedEncryption,
      understanding: understood, limits: limits)
    return try parsed.open(with: keys, keyManagement: keyManagement, agreedParties: agreedParties, limits: limits)
  }
}

extension ParsedJWE {
  /// Takes a JSON serialization apart.
  init(
    json text: String, contentEncryption allowed: [ContentEncryptionAlgorithm], acceptsUnprotectedEncryption: Bool,
    understanding understood: [String], limits: Limits
  ) throws(JOSEError) {
    let object = try JSONObject(parsing: text.utf8, within: limits.messageJSON)
    let (protectedText, protected) = try object.protectedHeader(limits: limits)
    let shared = try object.serializationObject("unprotected")
    var recipients: [Recipient] = []
    for part in try Self.recipientObjects(object, limits: limits) {
      let union = try HeaderUnion(protected: protected, unprotected: [shared, part.serializationObject("header")])
      let encryptedKey = try part.serializationOctets(
        "encrypted_key", byteLimit: limits.encryptedKeyByteCount, limitName: "encryptedKeyByteCount")
      guard encryptedKey?.octets.isEmpty != true else {
        throw JOSEError(.malformed, "an empty encrypted key must be absent", name: "encrypted_key")
      }
      recipients.append(
        Recipient(
          header: try ProtectedHeader(
            protected, unprotectedAlgorithm: union.unprotected.headerString("alg"), understanding: understood,
            limits: limits),
          parameters: union.merged, unprotectedHeader: union.unprotected, keyID: try union.keyID(limits: limits),
          encryptedKey: encryptedKey?.octets ?? []))
    }
    guard recipients.allSatisfy({ $0.parameters["enc"] == recipients[0].parameters["enc"] }) else {
      throw JOSEError(.headerInvalid, "the recipients disagree on the content encryption", name: "enc")
    }
    // A direct algorithm yields the content encryption key itself, which no second recipient can have (RFC 7518 §4.5, §4.6).
    let isDirect = recipients.contains { KeyManagementAlgorithm(name: $0.header.algorithm)?.row.isDirect ?? false }
    guard recipients.count == 1 || !isDirect else {
      throw JOSEError(.headerInvalid, "a direct algorithm serves a single recipient", name: "alg")
    }
    var authenticatedText = protectedText
    if let data = try object.serializationOctets(
      "aad", byteLimit: limits.messageByteCount, limitName: "messageByteCount")
    {
      authenticatedText.append(0x2E)
      authenticatedText += data.text
    }
    var decisive = protected
    if acceptsUnprotectedEncryption, let enc = recipients[0].parameters["enc"] { decisive["enc"] = enc }
    try self.init(
      protectedParameters: decisive, recipients: recipients, authenticatedText: authenticatedText,
      content: try Self.content(object, limits: limits), contentEncryption: allowed, limits: limits)
  }

  private static func content(_ object: JSONObject, limits: Limits) throws(JOSEError) -> ContentCipher.Sealed {
    guard
      let vector = try object.serializationOctets("iv", byteLimit: 64, limitName: "initializationVector"),
      let ciphertext = try object.serializationOctets(
        "ciphertext", byteLimit: limits.messageByteCount, limitName: "messageByteCount"),
      let tag = try object.serializationOctets("tag", byteLimit: 64, limitName: "authenticationTag")
    else { throw JOSEError(.malformed, "a member of the message is absent", name: "ciphertext") }
    return ContentCipher.Sealed(
      initializationVector: vector.octets, ciphertext: ciphertext.octets, authenticationTag: tag.octets)
  }

  /// The objects that stand for recipients: the message itself if it is flattened.
  private static func recipientObjects(_ object: JSONObject, limits: Limits) throws(JOSEError) -> [JSONObject] {
    guard let value = object["recipients"] else { return [object] }
    for name in ["encrypted_key", "header"] where object[name] != nil {
      throw JOSEError(.malformed, "the message is both flattened and general", name: name)
    }
    guard case .array(let elements) = value, !elements.isEmpty else {
      throw JOSEError(.malformed, "the recipients are no array, or an empty one", name: "recipients")
    }
    guard elements.count <= limits.recipientCount else {
      throw JOSEError(.limitExceeded, "the message has too many recipients", name: "recipientCount")
    }
    var objects: [JSONObject] = []
    for element in elements {
      guard case .object(let object) = element else {
        throw JOSEError(.malformed, "a recipient is no object", name: "recipients")
      }
      objects.append(object)
    }
    return objects
  }

  /// Opens the message with one key, for the recipients that it may be: of its algorithm, and of its name if both have one.
  func open(
    with key: DecryptionKey, agreedParties: AgreedParties, limits: Limits
  ) throws(JOSEError) -> DecryptedJWE {
    let fitting = recipients.filter { $0.header.algorithm.hasSameBytes(as: key.algorithm.name) }
    guard !fitting.isEmpty else { throw Self.notAllowed }
    let named = fitting.filter { recipient in
      guard let keyID = key.keyID, let name = recipient.keyID else { return true }
      return name.hasSameBytes(as: keyID)
    }
    guard !named.isEmpty, named.count <= limits.candidateKeyCount else {
      throw JOSEError(.keyNotFound, "no recipient fits the key, or too many do", name: "kid")
    }
    var failure = Self.decryptionFailed
    for recipient in named {
      do throws(JOSEError) {
        return try open(with: key, for: recipient, agreedParties: agreedParties, limits: limits)
      } catch {
        failure = error
      }
    }
    throw named.count == 1 ? failure : Self.decryptionFailed
  }

  /// Opens the message with a set of keys.
  func open(
    with keys: JWKSet, keyManagement: [KeyManagementAlgorithm], agreedParties: AgreedParties, limits: Limits
  ) throws(JOSEError) -> DecryptedJWE {
    guard !keyManagement.isEmpty else {
      throw JOSEError(.callerMisuse, "the list of accepted algorithms is empty", name: "keyManagement")
    }
    var failure: JOSEError?
    for recipient in recipients {
      do throws(JOSEError) {
        return try open(
          with: keys, keyManagement: keyManagement, for: recipient, agreedParties: agreedParties, limits: limits)
      } catch {
        failure = error
      }
    }
    throw recipients.count == 1 ? failure ?? Self.decryptionFailed : Self.decryptionFailed
  }

  /// Opens the message for one recipient, whose `kid` chooses the key.
  func open(
    with keys: JWKSet, keyManagement: [KeyManagementAlgorithm], for recipient: Recipient, agreedParties: AgreedParties,
    limits: Limits
  ) throws(JOSEError) -> DecryptedJWE {
    guard let algorithm = KeyManagementAlgorithm(name: recipient.header.algorithm), keyManagement.contains(algorithm)
    else { throw Self.notAllowed }
    let candidates = try keys.candidates(keyID: recipient.keyID, limits: limits) { _, jwk throws(JOSEError) in
      try DecryptionKey(jwk, algorithm: algorithm)
    }
    var failure = Self.decryptionFailed
    for key in candidates {
      do throws(JOSEError) {
        return try open(with: key, for: recipient, agreedParties: agreedParties, limits: limits)
      } catch {
        failure = error
      }
    }
    throw failure
  }
}
