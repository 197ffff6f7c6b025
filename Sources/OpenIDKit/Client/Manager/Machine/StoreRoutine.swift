import StrictJSON

/// Why a store gave no answer.
enum StoreFailure: Error, Hashable {
  /// It may give one later.
  case unavailable
  /// What it holds can't be read, and won't be.
  case damaged
}

/// One errand to the store, of a few reads and writes, as a state machine: an answer goes in, the next request or the
/// outcome comes out.
struct StoreRoutine: Sendable {
  enum Errand: Sendable {
    /// Reads the record.
    case read
    /// Replaces a version, and nothing else.
    case swap(TokenRecord.Version?, TokenRecord)
    /// Stores a record unless another login, or a later generation than this, is there.
    case write(TokenRecord, expecting: TokenRecord.Version?, over: UInt64)
    /// Stores a record in the place of whatever is there.
    case overwrite(TokenRecord)
    /// Removes a login, up to a generation if one is given; without a name, whatever is there.
    case remove(loginID: String?, upTo: UInt64?)
  }

  enum Request: Sendable {
    case load
    case replace(TokenRecord.Version?, with: TokenRecord?)
  }

  enum Answer: Sendable {
    case loaded(TokenRecord?)
    case replaced(Bool)
    case failed(StoreFailure)
  }

  enum Outcome: Sendable {
    case found(TokenRecord?)
    case swapped(Bool)
    case stored(TokenRecord)
    /// The record that was there, if it can be read.
    case removed(TokenRecord?)
    /// The store has another login or a later generation.
    case superseded(TokenRecord)
    /// The store is empty: another process logged out.
    case empty
    case failed(StoreFailure)
  }

  enum Step: Sendable {
    case ask(Request)
    case done(Outcome)
  }

  private let errand: Errand
  /// What is to be written; of a removal, what is to be removed.
  private var record: TokenRecord?
  /// Writes that are left: each that fails saw another process write, so a handful is plenty.
  private var rounds = 8
  /// A write failed, so that the old record or the new one may be there.
  private var isInDoubt = false
  private var isWriting = false

  init(_ errand: Errand) {
    self.errand = errand
    switch errand {
    case .write(let record, _, _), .overwrite(let record), .swap(_, let record): self.record = record
    case .read, .remove: break
    }
  }

  var first: Request {
    switch errand {
    case .read, .overwrite, .remove: .load
    case .swap(let expected, let record), .write(let record, let expected, _): .replace(expected, with: record)
    }
  }

  mutating func next(_ answer: Answer) -> Step {
    switch (errand, answer) {
    case (.read, .loaded(let stored)): return .done(.found(stored))
    case (.swap, .replaced(let isDone)): return .done(.swapped(isDone))
    case (.write, .replaced(true)), (.overwrite, .replaced(true)): return .done(record.map { .stored($0) } ?? .empty)
    case (.remove, .replaced(true)): return .done(.removed(record))
    case (_, .replaced):
      isWriting = false
      return .ask(.load)
    case (.write(_, _, let generation), .loaded(let stored)): return afterLoading(stored, over: generation)
    case (.overwrite(let new), .loaded(let stored)):
      // What failed may have been written.
      if isInDoubt, let stored, stored.version.isSame(as: new.version) { return .done(.stored(new)) }
      return isInDoubt ? .done(.failed(.unavailable)) : write(over: stored?.version, new)
    case (.remove(let loginID, let generation), .loaded(let stored)):
      guard let stored, loginID.map(stored.loginID.hasSameBytes) ?? true else { return .done(.removed(nil)) }
      if let generation, stored.generation > generation { return .done(.superseded(stored)) }
      record = stored
      return write(over: stored.version, nil)
    case (.write, .failed(.damaged)), (.overwrite, .failed(.damaged)): return write(over: nil, record)
    case (.remove, .failed(.damaged)): return write(over: nil, nil)
    case (.overwrite, .failed) where isWriting && !isInDoubt:
      isInDoubt = true
      isWriting = false
      return .ask(.load)
    case (_, .failed(let failure)): return .done(.failed(failure))
    case (.swap, .loaded(let stored)): return .done(.found(stored))
    }
  }

  private mutating func afterLoading(_ stored: TokenRecord?, over generation: UInt64) -> Step {
    guard let stored, var record else { return .done(.empty) }
    guard stored.loginID.hasSameBytes(as: record.loginID), stored.generation <= generation else {
      return .done(.superseded(stored))
    }
    record.revision = stored.revision + 1
    self.record = record
    return write(over: stored.version, record)
  }

  private mutating func write(over expected: TokenRecord.Version?, _ record: TokenRecord?) -> Step {
    guard rounds > 0 else { return .done(.failed(.unavailable)) }
    rounds -= 1
    isWriting = true
    return .ask(.replace(expected, with: record))
  }
}
