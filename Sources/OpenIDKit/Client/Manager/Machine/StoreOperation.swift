import StrictJSON

/// One operation on the store, of a few reads and writes, as a state machine: an answer goes in, the next request or
/// the outcome comes out.
struct StoreOperation: Sendable {
  enum Kind: Sendable {
    /// Reads the record.
    case read
    /// Replaces a version, and nothing else.
    case swap([UInt8], TokenRecord)
    /// Stores a record unless another login, or a later generation than this, is there.
    case write(TokenRecord, expecting: [UInt8], over: UInt64)
    /// Stores a record in the place of whatever is there.
    case overwrite(TokenRecord)
    /// Removes a login, up to a generation if one is given; without a name, whatever is there.
    case remove(loginID: WireName?, upTo: UInt64?)
  }

  enum Request: Sendable {
    case load
    case replace([UInt8]?, with: TokenRecord?)
  }

  enum Answer: Sendable {
    case loaded(VersionedRecord?)
    /// What the store holds can't be read, and won't be.
    case damaged([UInt8])
    /// The new version; nil if another writer was there first.
    case replaced([UInt8]?)
    /// It may answer later.
    case failed
  }

  enum Outcome: Sendable {
    case found(VersionedRecord?)
    /// What the store holds can't be read.
    case damaged
    /// The new version; nil if another writer was there first.
    case swapped([UInt8]?)
    case stored(VersionedRecord)
    /// The record that was there, if it can be read.
    case removed(TokenRecord?)
    /// The store has another login or a later generation.
    case superseded(VersionedRecord)
    /// The store is empty: another process logged out.
    case empty
    case failed
  }

  enum Step: Sendable {
    case ask(Request)
    case done(Outcome)
  }

  private let kind: Kind
  /// What is to be written; of a removal, what is to be removed.
  private var record: TokenRecord?
  /// Writes that are left: each that fails saw another process write, so a handful is plenty.
  private var rounds = 8
  /// A write failed, so that the old record or the new one may be there.
  private var isInDoubt = false
  private var isWriting = false

  init(_ kind: Kind) {
    self.kind = kind
    switch kind {
    case .write(let record, _, _), .overwrite(let record), .swap(_, let record): self.record = record
    case .read, .remove: break
    }
  }

  var first: Request {
    switch kind {
    case .read, .overwrite, .remove: .load
    case .swap(let expected, let record), .write(let record, let expected, _): .replace(expected, with: record)
    }
  }

  mutating func next(_ answer: Answer) -> Step {
    switch (kind, answer) {
    case (.read, .loaded(let stored)): return .done(.found(stored))
    case (.read, .damaged): return .done(.damaged)
    case (.swap, .replaced(let version)): return .done(.swapped(version))
    case (.write, .replaced(let version?)), (.overwrite, .replaced(let version?)):
      return .done(record.map { .stored(VersionedRecord(record: $0, version: version)) } ?? .empty)
    case (.remove, .replaced(_?)): return .done(.removed(record))
    case (_, .replaced):
      isWriting = false
      return .ask(.load)
    case (.write(_, _, let generation), .loaded(let stored)): return afterLoading(stored, over: generation)
    case (.overwrite(let new), .loaded(let stored)):
      guard isInDoubt else { return write(over: stored?.version, new) }
      // What failed may have been written.
      guard let stored, stored.record.loginID == new.loginID, stored.record.revision == new.revision
      else { return .done(.failed) }
      return .done(.stored(stored))
    case (.remove(let loginID, let generation), .loaded(let stored)):
      guard let stored, loginID ?? stored.record.loginID == stored.record.loginID else { return .done(.removed(nil)) }
      if let generation, stored.record.generation > generation { return .done(.superseded(stored)) }
      record = stored.record
      return write(over: stored.version, nil)
    case (.write, .damaged(let version)), (.overwrite, .damaged(let version)): return write(over: version, record)
    case (.remove, .damaged(let version)): return write(over: version, nil)
    case (.overwrite, .failed) where isWriting && !isInDoubt:
      isInDoubt = true
      isWriting = false
      return .ask(.load)
    case (_, .failed): return .done(.failed)
    case (.swap, .loaded(let stored)): return .done(.found(stored))
    case (.swap, .damaged): return .done(.damaged)
    }
  }

  private mutating func afterLoading(_ stored: VersionedRecord?, over generation: UInt64) -> Step {
    guard let stored, var record else { return .done(.empty) }
    guard stored.record.loginID == record.loginID, stored.record.generation <= generation else {
      return .done(.superseded(stored))
    }
    record.revision = stored.record.revision + 1
    self.record = record
    return write(over: stored.version, record)
  }

  private mutating func write(over expected: [UInt8]?, _ record: TokenRecord?) -> Step {
    guard rounds > 0 else { return .done(.failed) }
    rounds -= 1
    isWriting = true
    return .ask(.replace(expected, with: record))
  }
}
