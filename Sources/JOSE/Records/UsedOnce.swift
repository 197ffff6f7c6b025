import PureCrypto

/// Names that may be used once: `jti` of tokens and proofs, nonces.
///
/// A name is one record, which expires when whatever bears the name can't be accepted any more.
package struct UsedOnce: Sendable {
  /// A name that is used.
  package struct Name: Sendable {
    /// SHA-256 of its parts, each of which ends where it ends: what a peer chose takes no more room than this.
    package let digest: [UInt8]
    /// Who made it, where anybody can be a maker, so that each has a quota.
    let maker: [UInt8]?
    /// The last moment at which its bearer can be accepted.
    let expiry: NumericDate

    /// A name.
    ///
    /// - Parameters:
    ///   - parts: what tells it from others of its kind.
    ///   - maker: who made it; nil for makers without a quota.
    ///   - expiry: the last moment at which its bearer can be accepted; afterwards it may be forgotten.
    package init(_ parts: [String], maker: String? = nil, expiry: NumericDate) {
      digest = Array(SHA2.SHA256.hash(parts.flatMap { Array("\($0.utf8.count).".utf8) + Array($0.utf8) }))
      self.maker = maker.map { Array($0.utf8) }
      self.expiry = expiry
    }
  }

  /// What a name was.
  package enum Verdict: Sendable, Hashable {
    /// It was not seen before, and is noted now.
    case new
    /// It was seen before.
    case seen
    /// Its maker has as many noted as one may have.
    case quotaReached
  }

  /// How many names of one maker are noted at a time.
  package var quota = 10_000
  private let records: any RecordStore
  private let kind: StoredRecord.Kind

  /// Names of one kind.
  package init(_ records: any RecordStore, kind: StaticString) {
    (self.records, self.kind) = (records, StoredRecord.Kind(library: kind))
  }

  /// Notes a name.
  ///
  /// - Parameter now: the verifier's time.
  /// - Throws: what the store throws. Its bearer is then not to be accepted.
  package func note(_ name: Name, now: NumericDate) async throws -> Verdict {
    try await Self.note([(self, name)], now: now)?.verdict ?? .new
  }

  /// Notes names of several kinds in one commit: all of them, or none.
  ///
  /// - Parameters:
  ///   - uses: the names, each with the kind that it is of. All kinds have one store.
  ///   - now: the verifier's time.
  /// - Returns: the first name that could not be noted, by its number, and why; nil if all were noted.
  /// - Throws: what the store throws. Their bearer is then not to be accepted.
  package static func note(
    _ uses: [(kind: UsedOnce, name: Name)], now: NumericDate
  ) async throws -> (number: Int, verdict: Verdict)? {
    guard let records = uses.first?.kind.records else { return nil }
    var changes = uses.map { [$0.kind.insertion(of: $0.name, now: now)] }
    var refused = 0
    // Each round that goes on saw another writer's, or an expired one in the place of a name.
    for _ in 0..<(2 * uses.count + 1) {
      guard case .refused(let number, let refusal) = try await records.settle(Array(changes.joined())) else {
        return nil
      }
      refused = Self.owner(of: number, among: changes)
      guard refusal != .quotaReached else { return (refused, .quotaReached) }
      let (kind, name) = uses[refused]
      let insertion = changes[refused].suffix(1)
      guard let known = try await records.record(kind.kind, key: name.digest) else {
        changes[refused] = Array(insertion)
        continue
      }
      guard Self.isAnother(name, than: known, at: now) else { return (refused, .seen) }
      changes[refused] = [.remove(kind.kind, key: name.digest, version: known.version)] + insertion
    }
    return (refused, .seen)
  }

  /// Whose change has a number, where each name has some.
  private static func owner(of number: Int, among changes: [[RecordChange]]) -> Int {
    var end = 0
    for (index, own) in changes.enumerated() {
      end += own.count
      if number < end { return index }
    }
    return 0
  }

  private func insertion(of name: Name, now: NumericDate) -> RecordChange {
    let maker = name.maker.map { StoredRecord.Index("maker", $0) }
    return .insert(
      StoredRecord(
        kind: kind, key: name.digest, indexes: maker.map { [$0] } ?? [], createdAt: now, expiresAt: name.expiry,
        document: [], attempt: SystemRandom.bytes(count: 16)),
      atMost: maker.map { RecordQuota($0, limit: quota, now: now) })
  }

  /// Whether a name was noted.
  ///
  /// - Throws: what the store throws. Nothing is known then.
  package func isNoted(_ name: Name, now: NumericDate) async throws -> Bool {
    guard let known = try await records.record(kind, key: name.digest) else { return false }
    return !Self.isAnother(name, than: known, at: now)
  }

  /// Whether a bearer that expires at one time is not the one of its name that expires at another: that has expired by
  /// now.
  private static func isAnother(_ name: Name, than known: StoredRecord, at now: NumericDate) -> Bool {
    guard let expiry = known.expiresAt else { return false }
    return expiry < now && name.expiry > expiry
  }
}

extension UsedOnce {
  /// Notes a name that must be new.
  ///
  /// - Parameter member: the member that names who made the token or proof.
  /// - Throws: ``ErrorCode/claimMismatch``, ``ErrorCode/replayQuotaReached``,
  ///   ``ErrorCode/replayStoreFull``.
  func requireNew(_ name: Name, of member: WireName, now: NumericDate) async throws(JOSEError) {
    let verdict: Verdict
    do {
      verdict = try await note(name, now: now)
    } catch {
      throw JOSEError(.replayStoreFull, "the replay store could not be written: send a new token later", name: "jti")
    }
    switch verdict {
    case .new: return
    case .seen: throw member == "jkt" ? Self.proofUsedBefore : Self.tokenUsedBefore
    case .quotaReached:
      throw JOSEError(.replayQuotaReached, "its sender has reached the limit for this period", name: member.text)
    }
  }

  static let tokenUsedBefore = JOSEError(
    .claimMismatch, "the token was used before, and is good for one use: get a new one", name: "jti")
  private static let proofUsedBefore = JOSEError(
    .claimMismatch, "the proof was used before: a client makes a new one for each request", name: "jti")
}
