/// One named piece of work, which can be run any number of times.
package struct Workload {
  /// Lower case, from the general to the particular: `aes256gcm.seal.1k`.
  package let name: String
  /// The bytes that one operation handles, where a rate in bytes makes sense.
  package let byteCount: Int?
  /// How many operations one call of the body makes: above 1 where a single one is too short to call alone.
  package let operationsPerCall: Int
  /// Calls the body this often.
  package let run: (_ callCount: Int) async throws -> Void

  @usableFromInline
  package init(
    name: String, byteCount: Int?, operationsPerCall: Int, run: @escaping (_ callCount: Int) async throws -> Void
  ) {
    self.name = name
    self.byteCount = byteCount
    self.operationsPerCall = operationsPerCall
    self.run = run
  }

  /// Synchronous work. The loop over it never suspends.
  @inlinable
  package init<Result>(
    _ name: String, byteCount: Int? = nil, operationsPerCall: Int = 1, _ body: @escaping () throws -> Result
  ) {
    self.init(name: name, byteCount: byteCount, operationsPerCall: operationsPerCall) { callCount in
      for _ in 0..<callCount { blackHole(try body()) }
    }
  }

  /// Work that has to be awaited.
  @inlinable
  package init<Result>(asynchronous name: String, byteCount: Int? = nil, _ body: @escaping () async throws -> Result) {
    self.init(name: name, byteCount: byteCount, operationsPerCall: 1) { callCount in
      for _ in 0..<callCount { blackHole(try await body()) }
    }
  }
}
