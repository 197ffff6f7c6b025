extension RecordStore {
  /// Reads a record, and commits what is made of it. Begins anew if another writer was faster.
  ///
  /// - Parameter changes: what is to be done about the record that is stored, or about none; without a change nothing
  ///   is written. It is asked again in each round.
  /// - Returns: `done`, or a refusal for a quota or a taken unique index. Version conflicts are retried.
  /// - Throws: ``ErrorCode/storeUnavailable`` after 1024 rounds, each of which saw another writer succeed; what
  ///   `changes` and the store throw.
  package func update(
    _ kind: StoredRecord.Kind, key: [UInt8], _ changes: (StoredRecord?) async throws -> [RecordChange]
  ) async throws -> RecordCommit {
    for _ in 0..<1024 {
      let wanted = try await changes(try await record(kind, key: key))
      if wanted.isEmpty { return .done }
      let outcome = try await settle(wanted)
      switch outcome {
      case .refused(change: _, .keyTaken), .refused(change: _, .versionChanged), .refused(change: _, .absent): continue
      default: return outcome
      }
    }
    throw JOSEError(.storeUnavailable, "the record keeps changing: try again later")
  }

  /// Writes a record, whatever is there.
  ///
  /// - Throws: ``ErrorCode/storeUnavailable`` as there; what the store throws.
  package func put(_ record: StoredRecord) async throws {
    _ = try await update(record.kind, key: record.key) { known in
      var next = record
      next.version = known?.version ?? 0
      return [known == nil ? .insert(next) : .replace(next)]
    }
  }

  /// Removes a record, if it is there.
  ///
  /// - Throws: ``ErrorCode/storeUnavailable`` as there; what the store throws.
  package func remove(_ kind: StoredRecord.Kind, key: [UInt8]) async throws {
    _ = try await update(kind, key: key) { known in
      known.map { [.remove(kind, key: key, version: $0.version)] } ?? []
    }
  }
}
