/// Where a provider keeps its records: the one thing that a database has to implement.
///
/// Two tables are enough: records by kind and key, and their indexes by kind, name and value. `RecordStoreCases` of the
/// product `IdentityTesting` check an implementation, concurrency included.
///
/// Keys, and names and values of indexes, are compared octet by octet. An index that a record has twice counts once: a
/// store keeps ``StoredRecord/distinctIndexes``.
///
/// A method that throws has changed nothing, unless it throws ``RecordOutcomeUnknown``.
public protocol RecordStore: Sendable {
  /// The record of this kind and key, expired or not.
  ///
  /// - Throws: anything, if the store doesn't answer.
  func record(_ kind: StoredRecord.Kind, key: [UInt8]) async throws -> StoredRecord?

  /// The records of this kind with this index, expired or not: the oldest first, and of one date the one inserted
  /// first.
  ///
  /// - Parameters:
  ///   - kind: what sort of thing the records are about.
  ///   - index: name and value. Whether it is unique doesn't matter.
  ///   - limit: how many records are returned at most.
  /// - Throws: anything, if the store doesn't answer.
  func records(
    _ kind: StoredRecord.Kind, where index: StoredRecord.Index, limit: Int
  ) async throws -> [StoredRecord]

  /// Makes all changes in one atomic step, or none. Each change sees those before it.
  ///
  /// The first change of the list that can't be made refuses the commit. If there are several reasons why it can't, the
  /// first of these is given: the record is absent, it has another version, the key is taken; a unique index is taken,
  /// the first such in the order of ``StoredRecord/distinctIndexes``; the quota is used up.
  ///
  /// - Returns: whether they were made; if not, the first change that couldn't be, and why.
  /// - Throws: ``RecordStoreFull`` if there is no room; ``RecordOutcomeUnknown`` if the answer got lost on its way;
  ///   anything else if nothing was changed.
  func commit(_ changes: [RecordChange]) async throws -> RecordCommit

  /// Removes records that expired before a date.
  ///
  /// - Parameters:
  ///   - date: what expired before it goes.
  ///   - limit: how many are removed at most, so that no call holds others up for long.
  /// - Returns: how many were removed.
  /// - Throws: anything, if the store doesn't answer.
  func removeExpired(before date: NumericDate, limit: Int) async throws -> Int
}

/// One change of a commit.
public enum RecordChange: Sendable, Hashable {
  /// Adds a record as version 1.
  ///
  /// Refused if the key or a unique index is taken, by an expired record too, or if the quota is used up: the first of
  /// these is the answer.
  case insert(StoredRecord, atMost: RecordQuota? = nil)
  /// Puts a record in the place of the stored one, as the next version, with these indexes and no others. The date of
  /// creation stays.
  ///
  /// Refused if the stored record is absent or has another version, or if a unique index is taken by another record:
  /// the first of these is the answer.
  case replace(StoredRecord)
  /// Removes a record with its indexes. Refused if it is absent or has another version.
  case remove(StoredRecord.Kind, key: [UInt8], version: UInt64)
}

/// How many records with one index value there may be.
public struct RecordQuota: Sendable, Hashable {
  /// Records of the inserted kind with this index are counted, the new one not among them.
  public let index: StoredRecord.Index
  /// How many there may be before the insertion is refused: with 0 none is inserted.
  public let limit: Int
  /// Those that expire at this moment or before don't count.
  public let now: NumericDate

  /// At most this many live records under an index.
  public init(_ index: StoredRecord.Index, limit: Int, now: NumericDate) {
    (self.index, self.limit, self.now) = (index, limit, now)
  }
}

/// What became of a commit.
public enum RecordCommit: Sendable, Hashable {
  /// All changes were made.
  case done
  /// None was made, because of this change, counted from 0.
  case refused(change: Int, Refusal)

  /// Why a change can't be made.
  public enum Refusal: Sendable, Hashable {
    /// A record of this kind has the key already.
    case keyTaken
    /// Another record of this kind has the value of this unique index.
    case indexTaken(String)
    /// The stored record has another version.
    case versionChanged
    /// There is no such record.
    case absent
    /// As many records as allowed have the index of the quota.
    case quotaReached
  }
}

/// The store has no room for another record, and must not forget one.
public struct RecordStoreFull: Error {
  /// A store that is full.
  public init() {}
}

extension RecordStoreFull: CustomStringConvertible {
  /// The cause, and what to do.
  public var description: String {
    "the store of records is full, and must not forget one: answer 503, and raise its limit or keep records shorter"
  }
}

/// The connection to the store ended after a commit was sent and before its answer came: it was made, or not.
public struct RecordOutcomeUnknown: Error {
  /// A lost answer.
  public init() {}
}
