import JOSE
import OpenIDKit

/// A request of a test, as a line of JSON. The answer is a line with its number.
struct Request: Codable {
  var number: Int
  let schema: String
  let call: Call
}

/// An answer, as a line of JSON.
struct Reply: Codable {
  let number: Int
  let answer: Answer
}

/// A call of a store. Octets are base64url here, and a kind is its name.
enum Call: Codable {
  case record(kind: String, key: String)
  case records(kind: String, index: IndexLine, limit: Int)
  case commit([ChangeLine])
  case removeExpired(before: Double, limit: Int)
  case attempt(AttemptLine)
}

/// What a call returned.
enum Answer: Codable {
  case records([RecordLine])
  case done
  case refused(change: Int, why: String)
  case indexTaken(change: Int, name: String)
  case removed(Int)
  case allowed
  case blocked(seconds: Int64)
  case threw(String)
}

extension Answer {
  init(_ outcome: RecordCommit) {
    switch outcome {
    case .done: self = .done
    case .refused(let change, .indexTaken(let name)): self = .indexTaken(change: change, name: name)
    case .refused(let change, let why): self = .refused(change: change, why: "\(why)")
    }
  }

  init(_ decision: RateLimitDecision) {
    switch decision {
    case .allowed: self = .allowed
    case .blocked(let retryAfter): self = .blocked(seconds: retryAfter.components.seconds)
    }
  }

  /// The records that were found, of the kind that the caller asked for.
  func records(_ kind: StoredRecord.Kind) throws -> [StoredRecord] {
    guard case .records(let lines) = self else { throw UnexpectedLine(self) }
    return try lines.map { line in
      guard line.kind == (try StoredRecord.Kind.named(kind.name)).name else { throw UnexpectedLine(self) }
      return try line.record(kind)
    }
  }

  func outcome() throws -> RecordCommit {
    switch self {
    case .done: return .done
    case .indexTaken(let change, let name): return .refused(change: change, .indexTaken(name))
    case .refused(let change, let name):
      let reasons: [RecordCommit.Refusal] = [.keyTaken, .versionChanged, .absent, .quotaReached]
      guard let why = reasons.first(where: { "\($0)" == name }) else { throw UnexpectedLine(self) }
      return .refused(change: change, why)
    default: throw UnexpectedLine(self)
    }
  }

  func decision() throws -> RateLimitDecision {
    switch self {
    case .allowed: .allowed
    case .blocked(let seconds): .blocked(retryAfter: .seconds(seconds))
    default: throw UnexpectedLine(self)
    }
  }
}

/// An index of a record.
struct IndexLine: Codable {
  let name: String
  let value: String
  let isUnique: Bool

  init(_ index: StoredRecord.Index) {
    (name, value, isUnique) = (index.name, Base64URL.encode(index.value), index.isUnique)
  }

  func index() throws -> StoredRecord.Index { .init(name, try Base64URL.decode(value), isUnique: isUnique) }
}

/// A record.
struct RecordLine: Codable {
  let kind: String
  let key: String
  let version: UInt64
  let indexes: [IndexLine]
  let createdAt: Double
  let expiresAt: Double?
  let document: String
  let attempt: String

  init(_ record: StoredRecord) {
    (kind, key, version) = (record.kind.name, Base64URL.encode(record.key), record.version)
    indexes = record.indexes.map { IndexLine($0) }
    (createdAt, expiresAt) = (record.createdAt.secondsSince1970, record.expiresAt?.secondsSince1970)
    (document, attempt) = (Base64URL.encode(record.document), Base64URL.encode(record.attempt))
  }

  /// The record, of the kind that the reader has for the name.
  func record(_ kind: StoredRecord.Kind) throws -> StoredRecord {
    StoredRecord(
      kind: kind, key: try Base64URL.decode(key), version: version, indexes: try indexes.map { try $0.index() },
      createdAt: NumericDate(saturating: createdAt), expiresAt: expiresAt.map { NumericDate(saturating: $0) },
      document: try Base64URL.decode(document), attempt: try Base64URL.decode(attempt))
  }
}

/// A change of a commit.
enum ChangeLine: Codable {
  case insert(RecordLine, quota: QuotaLine?)
  case replace(RecordLine)
  case remove(kind: String, key: String, version: UInt64)

  init(_ change: RecordChange) {
    switch change {
    case .insert(let record, let quota): self = .insert(RecordLine(record), quota: quota.map { QuotaLine($0) })
    case .replace(let record): self = .replace(RecordLine(record))
    case .remove(let kind, let key, let version):
      self = .remove(kind: kind.name, key: Base64URL.encode(key), version: version)
    }
  }

  func change() throws -> RecordChange {
    switch self {
    case .insert(let record, let quota):
      .insert(try record.record(.named(record.kind)), atMost: try quota.map { try $0.quota() })
    case .replace(let record): .replace(try record.record(.named(record.kind)))
    case .remove(let kind, let key, let version):
      .remove(try .named(kind), key: try Base64URL.decode(key), version: version)
    }
  }
}

/// How many records of an index there may be.
struct QuotaLine: Codable {
  let index: IndexLine
  let limit: Int
  let now: Double

  init(_ quota: RecordQuota) {
    (index, limit, now) = (IndexLine(quota.index), quota.limit, quota.now.secondsSince1970)
  }

  func quota() throws -> RecordQuota {
    RecordQuota(try index.index(), limit: limit, now: NumericDate(saturating: now))
  }
}

/// An attempt that a rate limiter counts.
struct AttemptLine: Codable {
  let keys: [String]
  let limit: Int
  let blockSeconds: Double
  let now: Double

  /// The text that stands for a key's parts, and for no others, is a key here.
  func made(in limiter: some RateLimiter) async throws -> RateLimitDecision {
    try await limiter.attempt(
      keys.map { RateLimitKey($0) }, limit: limit, blockDuration: .seconds(blockSeconds),
      now: NumericDate(saturating: now))
  }
}

/// A line was not what its reader expects.
struct UnexpectedLine: Error, CustomStringConvertible {
  let description: String

  init(_ value: some Sendable) { description = "\(value)" }
}

extension StoredRecord.Kind {
  /// A kind for a name. Only the library itself makes kinds of its own names, so a worker's begin with `app.`.
  static func named(_ name: String) throws -> StoredRecord.Kind {
    guard let kind = StoredRecord.Kind(application: name) else { throw UnexpectedLine(name) }
    return kind
  }
}
