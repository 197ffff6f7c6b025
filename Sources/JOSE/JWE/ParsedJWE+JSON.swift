import StrictJSON

extension ParsedJWE {
  /// Takes a JSON serialization apart.
  ///
  /// Both algorithms are judged first: a message that won't be opened costs no more than its parsing.
  /// - Parameter keyManagement: what some recipient's `alg` must be one of.
  init(
    json text: String, keyManagement: [KeyManagementAlgorithm], contentEncryption allowed: [ContentEncryptionAlgorithm],
    acceptsUnprotectedEncryption: Bool, understanding understood: [String], limits: Limits
  ) throws(JOSEError) {
    let document = try JSONDocument(parsingMessage: text.utf8, limits: limits)
    let message = document.root
    var budget = HeaderBudget(limits)
    let (protectedText, protected) = try message.protectedHeader(limits: limits, budget: &budget)
    let parts = try Self.recipientParts(message, limits: limits)
    let unprotected = try message.serializationObject("unprotected")
    let outside = [unprotected] + parts.own
    var decisive = protected
    if acceptsUnprotectedEncryption, protected["enc"] == nil,
      let enc = outside.prefix(2).lazy.compactMap({ $0?["enc"] }).first
    {
      decisive["enc"] = enc.value
    }
    let contentEncryption = try Self.accepted(decisive, among: allowed)
    try Self.requireAccepted(keyManagement, protected: protected, outside: outside)

    let shared = try SharedHeaders(
      protected: protected, unprotected: message.unprotectedHeader("unprotected", budget: &budget))
    let common = try ProtectedHeader(protected, unprotectedAlgorithm: "", understanding: understood, limits: limits)
    var recipients: [Recipient] = []
    for part in parts.objects {
      let union = try HeaderUnion(shared, own: part.unprotectedHeader("header", budget: &budget))
      let holder = protected["alg"] == nil ? union.unprotected : protected
      guard let algorithm = try holder.string(ifPresent: "alg", orThrow: .headerInvalid) else {
        throw JOSEError(.headerInvalid, "the parameter is absent", name: "alg")
      }
      // Where there is none, latchset's jose writes an empty one.
      let encryptedKey = try part.serializationOctets(
        "encrypted_key", byteLimit: limits.encryptedKeyByteCount, limitName: "encryptedKeyByteCount",
        isOptional: !Self.hasNoEncryptedKey(algorithm))
      recipients.append(
        Recipient(
          header: ProtectedHeader(common, algorithm: algorithm), parameters: union.merged,
          unprotectedHeader: union.unprotected, keyID: try union.keyID(limits: limits),
          encryptedKey: encryptedKey?.octets ?? []))
    }
    guard recipients.allSatisfy({ $0.parameters["enc"] == recipients[0].parameters["enc"] }) else {
      throw JOSEError(.headerInvalid, "the recipients disagree on the content encryption", name: "enc")
    }
    // A direct algorithm yields the content encryption key itself, which no second recipient can have (RFC 7518 §4.5,
    // §4.6); integrated encryption has none.
    guard recipients.count == 1 || !recipients.contains(where: { Self.isForOneRecipient($0.header.algorithm) }) else {
      throw JOSEError(.headerInvalid, "a direct algorithm serves a single recipient", name: "alg")
    }
    var authenticatedText = protectedText
    if let data = try message.serializationOctets(
      "aad", byteLimit: limits.messageByteCount, limitName: "messageByteCount", isOptional: true)
    {
      authenticatedText.append(0x2E)
      authenticatedText += data.text
    }
    try self.init(
      contentEncryption, protectedParameters: decisive, recipients: recipients, authenticatedText: authenticatedText,
      content: try Self.content(message, isWhole: contentEncryption == nil, limits: limits), limits: limits)
  }

  private static func hasNoEncryptedKey(_ algorithm: String) -> Bool {
    KeyManagementAlgorithm(name: algorithm)?.row.hasNoEncryptedKey ?? false
  }

  private static func isForOneRecipient(_ algorithm: String) -> Bool {
    KeyManagementAlgorithm(name: algorithm)?.row.isForOneRecipient ?? false
  }

  /// Requires that some recipient's algorithm is one that is accepted, wherever it stands.
  private static func requireAccepted(
    _ accepted: [KeyManagementAlgorithm], protected: JSONObject, outside: [JSONView?]
  ) throws(JOSEError) {
    let inside = try protected.string(ifPresent: "alg", orThrow: .headerInvalid)
    let present = ([inside] + outside.map { $0?.headerText("alg") }).compactMap { $0 }
    guard !present.isEmpty else { throw JOSEError(.headerInvalid, "the parameter is absent", name: "alg") }
    guard accepted.contains(where: { present.contains(WireName($0.name)) }) else {
      throw notAllowed
    }
  }

  /// - Parameter isWhole: whether the ciphertext is all of it, and vector and tag must be absent.
  private static func content(
    _ message: JSONView, isWhole: Bool, limits: Limits
  ) throws(JOSEError) -> ContentCipher.Sealed {
    let vector = try message.serializationOctets(
      "iv", byteLimit: 64, limitName: "initializationVector", isOptional: isWhole)
    let ciphertext = try message.serializationOctets(
      "ciphertext", byteLimit: limits.messageByteCount, limitName: "messageByteCount")
    let tag = try message.serializationOctets("tag", byteLimit: 64, limitName: "authenticationTag", isOptional: isWhole)
    guard let ciphertext, isWhole || (vector != nil && tag != nil) else {
      throw JOSEError(.malformed, "a member of the message is absent", name: "ciphertext")
    }
    return ContentCipher.Sealed(
      initializationVector: vector?.octets ?? [], ciphertext: ciphertext.octets, authenticationTag: tag?.octets ?? [])
  }

  /// The objects that stand for recipients, which are the message itself if it is flattened, and the header that each
  /// has of its own.
  private static func recipientParts(
    _ message: JSONView, limits: Limits
  ) throws(JOSEError) -> (objects: [JSONView], own: [JSONView?]) {
    var objects = [message]
    if message["recipients"] != nil {
      guard message["header"] == nil else { throw flattenedAndGeneral("header") }
      guard repeatsFirstEncryptedKey(message) else { throw flattenedAndGeneral("encrypted_key") }
      objects =
        try message.serializationObjects("recipients", countLimit: limits.recipientCount, limitName: "recipientCount")
        ?? []
    }
    var own: [JSONView?] = []
    for object in objects { own.append(try object.serializationObject("header")) }
    return (objects, own)
  }

  /// Whether a general message has no `encrypted_key` of its own, or its first recipient's once more, as go-jose writes
  /// it.
  private static func repeatsFirstEncryptedKey(_ message: JSONView) -> Bool {
    guard let own = message["encrypted_key"] else { return true }
    guard own.kind == .string, let recipients = message["recipients"], recipients.kind == .array,
      let first = recipients.elements.first(where: { _ in true }), first.kind == .object,
      let key = first["encrypted_key"], key.kind == .string
    else { return false }
    return own.text == key.text
  }

  private static func flattenedAndGeneral(_ name: String) -> JOSEError {
    JOSEError(.malformed, "the message is both flattened and general", name: name)
  }
}
