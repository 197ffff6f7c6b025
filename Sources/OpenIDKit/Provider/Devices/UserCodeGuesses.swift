import JOSE
import PureCrypto
import StrictJSON

/// Counts the codes that users type and no device shows: by user, by network and in all, on all machines of a provider
/// together. A code that is right counts for nothing, and takes nothing back.
///
/// Of 20⁸ codes one is hit by chance with 2⁻³² if a user guesses five times while it lives.
///
/// Source: RFC 8628 §5.1.
struct UserCodeGuesses: Sendable {
  static let kind = StoredRecord.Kind(library: "user-code-guess")

  let records: any RecordStore
  let clock: WallClock
  /// What is counted, and how often it may be in ``window``.
  private let limits: KeyValuePairs<String, Int>
  /// From the first guess that counts: as long as a code lives.
  private let window: Duration

  init(by userID: String, from source: String, window: Duration, records: any RecordStore, clock: WallClock) {
    (self.records, self.clock, self.window) = (records, clock, window)
    limits = ["user " + userID: 5, "source " + source: 30, "all": 1000]
  }

  /// Counts a guess before it is looked at: of many at once none goes past the limit.
  ///
  /// - Throws: `ErrorCode.tooManyRequests`, with the time until the next one may be made.
  func count() async throws(OpenIDError) {
    for (name, limit) in limits {
      var end: NumericDate?
      try await change(name) { count, expiration in
        end = count < limit ? nil : expiration
        return count < limit ? count + 1 : nil
      }
      guard let end, case .blocked(let pause) = RateLimitDecision.blocked(until: end, at: clock.now) else { continue }
      throw OpenIDError(.tooManyRequests, "too many codes were typed that no device shows", retryAfter: pause)
    }
  }

  /// Takes back what ``count()`` has counted, since the code was right.
  func takeBack() async throws(OpenIDError) {
    for (name, _) in limits { try await change(name) { count, _ in count > 0 ? count - 1 : nil } }
  }

  /// - Parameter next: the count that is to be written, by the count that is there; nil if it stays.
  private func change(_ name: String, _ next: (Int, NumericDate) -> Int?) async throws(OpenIDError) {
    let key = Array(SHA2.SHA256.hash(name.utf8))
    _ = try await OpenIDError.askingStore {
      try await records.update(Self.kind, key: key) { known in
        let now = clock.now
        var (count, record) = (
          0,
          StoredRecord(
            kind: Self.kind, key: key, createdAt: now, expiresAt: now.advanced(by: window.inSeconds), document: [],
            attempt: [])
        )
        if let known, let end = known.expiresAt, now < end {
          guard let stored = try JSONObject(parsing: known.document)["count"]?.int64Value else {
            throw OpenIDError(.recordMalformed, "the stored count can't be read")
          }
          (count, record) = (Int(clamping: stored), known)
        }
        guard let next = next(count, record.expiresAt ?? now) else { return [] }
        record.document = (["count": .number(JSONNumber(next))] as JSONObject).serialized()
        record.attempt = SystemRandom.bytes(count: 16)
        guard let known else { return [.insert(record)] }
        record.version = known.version
        return [.replace(record)]
      }
    }
  }
}
