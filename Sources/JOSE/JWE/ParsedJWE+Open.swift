import PureCrypto

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
      return try DecryptionKey(jwk, algorithm: algorithm)
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
      throw recipients.count == 1 || error == WorkBudget.exhausted ? error : Self.decryptionFailed
    }
  }

  /// The message as the first of some attempts opens it. Once it has cost enough, whatever is left is not tried.
  private func firstOpened<Attempt>(
    _ attempts: [Attempt], _ open: (Attempt) throws(JOSEError) -> DecryptedJWE
  ) throws(JOSEError) -> DecryptedJWE {
    var failure = Self.decryptionFailed
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
