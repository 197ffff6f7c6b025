import PureCrypto
import StrictJSON

/// Which keys are tried for which recipients.
extension ParsedJWE {
  /// Opens a compact message with one key, whatever the message calls it.
  func open(
    compactWith key: DecryptionKey, agreedParties: AgreedParties, ephemeralKey: PublicKey? = nil, limits: Limits
  ) throws(JOSEError) -> DecryptedJWE {
    var work = WorkBudget(limits)
    return try open(
      with: key, for: recipients[0], agreedParties: agreedParties, ephemeralKey: ephemeralKey, limits: limits,
      work: &work)
  }

  /// Opens the message with one key, for the recipients that it may be: of its algorithm, and of its name if both have
  /// one.
  func open(
    with key: DecryptionKey, agreedParties: AgreedParties, limits: Limits
  ) throws(JOSEError) -> DecryptedJWE {
    let fitting = recipients.filter { $0.header.algorithmName == key.algorithm.name }
    guard !fitting.isEmpty else { throw Self.notAllowed }
    let named = fitting.filter { recipient in
      guard let keyID = key.keyID, let name = recipient.keyID else { return true }
      return WireName(name) == keyID
    }
    guard !named.isEmpty else {
      throw JOSEError(.keyNotFound, "no recipient fits the key", name: "kid")
    }
    var work = WorkBudget(limits)
    return try firstOpened(recipients: named) { recipient throws(JOSEError) in
      try open(with: key, for: recipient, agreedParties: agreedParties, limits: limits, work: &work)
    }
  }

  /// Opens the message with a set of keys.
  func open(
    with keys: JWKSet, keyManagement: [KeyManagementAlgorithm], agreedParties: AgreedParties, limits: Limits
  ) throws(JOSEError) -> DecryptedJWE {
    guard !keyManagement.isEmpty else {
      throw JOSEError(.callerMisuse, "the list of accepted algorithms is empty", name: "keyManagement")
    }
    var work = WorkBudget(limits)
    return try firstOpened(recipients: recipients) { recipient throws(JOSEError) in
      try open(
        with: keys, keyManagement: keyManagement, for: recipient, agreedParties: agreedParties, limits: limits,
        work: &work)
    }
  }

  /// Opens the message for one recipient, whose `kid` chooses the key.
  private func open(
    with keys: JWKSet, keyManagement: [KeyManagementAlgorithm], for recipient: Recipient, agreedParties: AgreedParties,
    limits: Limits, work: inout WorkBudget
  ) throws(JOSEError) -> DecryptedJWE {
    guard let algorithm = KeyManagementAlgorithm(name: recipient.header.algorithm), keyManagement.contains(algorithm)
    else { throw Self.notAllowed }
    let candidates = try keys.candidates(keyID: recipient.keyID, limits: limits) { _, jwk throws(JOSEError) in
      try jwk.requireBound(to: algorithm, among: keyManagement)
      return try DecryptionKey(ofSet: jwk, algorithm: algorithm)
    }
    return try firstOpened(candidates) { key throws(JOSEError) in
      try open(with: key, for: recipient, agreedParties: agreedParties, limits: limits, work: &work)
    }
  }

  /// Where several recipients were tried, no failure tells which.
  private func firstOpened(
    recipients: [Recipient], _ open: (Recipient) throws(JOSEError) -> DecryptedJWE
  ) throws(JOSEError) -> DecryptedJWE {
    do throws(JOSEError) {
      return try firstOpened(recipients, open)
    } catch {
      throw recipients.count == 1 || error == WorkBudget.exhausted ? error : JOSEError.messageNotOpened
    }
  }

  /// The message as the first of some attempts opens it. Once it has cost enough, whatever is left is not tried.
  private func firstOpened<Attempt>(
    _ attempts: [Attempt], _ open: (Attempt) throws(JOSEError) -> DecryptedJWE
  ) throws(JOSEError) -> DecryptedJWE {
    var failure = JOSEError.messageNotOpened
    for attempt in attempts {
      do throws(JOSEError) {
        return try open(attempt)
      } catch {
        guard error != WorkBudget.exhausted else { throw error }
        failure = error
      }
    }
    throw failure
  }
}

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
      throw JOSEError(.headerInvalid, "the ephemeral public key is absent or not an object", name: "epk")
    }
    for name in JWK.privateMembers where members[name] != nil {
      throw JOSEError(.keyInvalid, "the ephemeral public key has a private member", name: "epk")
    }
    let mismatch = JOSEError(.keyMismatch, "the ephemeral public key is not on the recipient's curve", name: "epk")
    if let curve, let name = members["crv"]?.nameValue, name != curve.description { throw mismatch }
    let key: JWK
    do throws(JOSEError) {
      key = try JWK(members)
    } catch {
      // Another curve or type is a sound key that may not be used here.
      let code: ErrorCode = error.code == .algorithmUnsupported ? .keyMismatch : .keyInvalid
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
    sharedSecret: SharedSecret, agreement: Agreement, algorithm: KeyManagementAlgorithm, for recipient: Recipient
  ) throws(JOSEError) -> DecryptedJWE {
    guard let contentEncryption else { throw Self.notAllowed }
    let agreedKey = try KeyAgreement.agreedKey(
      sharedSecret: sharedSecret, algorithm: algorithm, contentEncryption: contentEncryption,
      partyUInfo: agreement.partyUInfo, partyVInfo: agreement.partyVInfo)
    guard algorithm.row.wrappingKeyByteCount != nil else {
      return try open(with: ContentCipher(key: agreedKey, for: contentEncryption), for: recipient)
    }
    // A random key takes the place of one that can't be unwrapped: the tag will tell (RFC 7516 §11.5).
    let contentKey = try AESKeyWrap(keyOrRefusal: agreedKey)
      .unwrapOrRandom(recipient.encryptedKey, byteCount: contentEncryption.row.keyByteCount)
    return try open(with: ContentCipher(key: contentKey, for: contentEncryption), for: recipient)
  }
}
