import Synchronization

/// The tokens that a process is acting on, so that of copies that come at once one is acted on.
package final class TokensInHand: Sendable {
  /// A copy is being acted on: its sender comes again, and learns what became of it.
  package struct Taken: Error {}

  private let names = Mutex<Set<[UInt8]>>([])

  /// Nothing is in hand.
  package init() {}

  /// Runs a body for a token, unless one of its name is in hand.
  ///
  /// - Throws: ``Taken``, and what the body throws.
  package func taking<Value>(_ name: [UInt8], _ body: () async throws -> Value) async throws -> Value {
    guard names.withLock({ $0.insert(name).inserted }) else { throw Taken() }
    defer { names.withLock { _ = $0.remove(name) } }
    return try await body()
  }
}
