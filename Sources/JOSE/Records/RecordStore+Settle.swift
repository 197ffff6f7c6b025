extension RecordStore {
  /// Commits, and finds out what became of a commit whose answer got lost.
  ///
  /// The record that the first insertion or replacement writes tells: it bears this attempt if the commit was made, and
  /// has the former version if it wasn't; then the commit is sent again. Each attempt therefore has random octets of
  /// its own.
  ///
  /// - Throws: ``RecordOutcomeUnknown`` if the records can't tell, because others wrote since, nothing was written but
  ///   removals, or the store has stopped answering; what the store throws before an answer got lost.
  package func settle(_ changes: [RecordChange]) async throws -> RecordCommit {
    var mayBePending = false
    // A store whose answers get lost each time is as good as none.
    for _ in 0..<3 {
      do {
        let answer = try await commit(changes)
        guard mayBePending, case .refused = answer else { return answer }
        // What stands in the way may be the first commit, which was made after the records had been asked.
        return try await outcome(of: changes) ?? answer
      } catch {
        guard mayBePending || error is RecordOutcomeUnknown else { throw error }
        // The first commit may be made yet, whatever the store says of another one.
        mayBePending = true
        do {
          if let outcome = try await outcome(of: changes) { return outcome }
        } catch {
          throw RecordOutcomeUnknown()
        }
      }
    }
    throw RecordOutcomeUnknown()
  }

  /// What became of a commit; nil if it was not made.
  private func outcome(of changes: [RecordChange]) async throws -> RecordCommit? {
    let written = changes.enumerated().first { _, change in
      if case .remove = change { false } else { true }
    }
    guard let (number, change) = written else { return try await outcome(ofRemovals: changes) }
    let stored = try await record(change.kind, key: change.key)
    switch change {
    case .insert(let record, _):
      guard let stored else { return nil }
      return stored.attempt == record.attempt ? .done : .refused(change: number, .keyTaken)
    case .replace(let record):
      guard let stored else { return .refused(change: number, .absent) }
      if stored.version == record.version { return nil }
      if stored.attempt == record.attempt { return .done }
      // Another writer's version may stand in the place of this one's, or have come of it.
      guard stored.version == record.version &+ 1 else { throw RecordOutcomeUnknown() }
      return .refused(change: number, .versionChanged)
    case .remove:
      return nil
    }
  }

  /// A removal leaves nothing that says whose it was: only what is still there shows that it wasn't made.
  private func outcome(ofRemovals changes: [RecordChange]) async throws -> RecordCommit? {
    for change in changes {
      guard case .remove(let kind, let key, let version) = change else { continue }
      guard try await record(kind, key: key)?.version == version else { throw RecordOutcomeUnknown() }
    }
    return nil
  }
}
