/// One named piece of work, which can be run any number of times.
///
/// Public, unlike the rest of the harness: the loop around the body is then specialised for it in the module that makes
/// the workload, and costs 2 ns instead of 5 for each call.
public struct Workload {
  @usableFromInline
  enum Loop {
    case synchronous((_ callCount: Int) throws -> Void)
    case asynchronous((_ callCount: Int) async throws -> Void)
  }

  /// Lower case, from the general to the particular: `aes256gcm.seal.1k`.
  public let name: String
  /// The bytes that one operation handles, where a rate in bytes makes sense.
  public let byteCount: Int?
  /// How many operations one call of the body makes: above 1 where a single one is too short to call alone.
  public let operationsPerCall: Int
  private let loop: Loop

  @usableFromInline
  init(name: String, byteCount: Int?, operationsPerCall: Int, loop: Loop) {
    self.name = name
    self.byteCount = byteCount
    self.operationsPerCall = operationsPerCall
    self.loop = loop
  }

  /// Synchronous work. The loop over it never suspends.
  @inlinable
  public init<Result>(
    _ name: String, byteCount: Int? = nil, operationsPerCall: Int = 1, _ body: @escaping () throws -> Result
  ) {
    let loop = Loop.synchronous { callCount in
      for _ in 0..<callCount { blackHole(try body()) }
    }
    self.init(name: name, byteCount: byteCount, operationsPerCall: operationsPerCall, loop: loop)
  }

  /// Work that has to be awaited.
  @inlinable
  public init<Result>(
    asynchronous name: String, byteCount: Int? = nil, operationsPerCall: Int = 1,
    _ body: @escaping () async throws -> Result
  ) {
    let loop = Loop.asynchronous { callCount in
      for _ in 0..<callCount { blackHole(try await body()) }
    }
    self.init(name: name, byteCount: byteCount, operationsPerCall: operationsPerCall, loop: loop)
  }

  /// Calls the body this often.
  public func run(callCount: Int) async throws {
    switch loop {
    case .synchronous(let loop): try loop(callCount)
    case .asynchronous(let loop): try await loop(callCount)
    }
  }
}
