import JOSE

/// Runs a shared store through what the client relies on.
public struct SSOPairStoreConformance: Sendable {
  /// Checks a store.
  ///
  /// - Parameters:
  ///   - first: any pair.
  ///   - second: another one.
  ///   - makeStore: a store with nothing in it.
  /// - Returns: a sentence for each rule that was broken. Empty if the store conforms.
  /// - Throws: what the store throws.
  public static func check(
    _ first: SSOPair, _ second: SSOPair, makeStore: @Sendable () async throws -> any SSOPairStore
  ) async throws -> [String] {
    var findings: [String] = []
    func require(_ holds: Bool, _ rule: String) {
      if !holds { findings.append(rule) }
    }
    let store = try await makeStore()
    let issuer = first.issuer
    let empty = try await store.read(issuer: issuer)
    require(empty.generation == 0 && empty.pair == nil, "an unknown issuer has an empty entry of generation 0")
    let written = try await store.replace(issuer: issuer, expecting: 0, with: first)
    let late = try await store.replace(issuer: issuer, expecting: 0, with: second)
    require(written && !late, "only the writer who knows the generation writes")
    let read = try await store.read(issuer: issuer)
    require(
      read.generation == 1 && read.pair.map { same($0, first) } == true, "what was written is read, one generation on")
    let other = try await store.read(issuer: issuer + "/other")
    require(other.pair == nil, "issuers have entries of their own")
    let deleted = try await store.replace(issuer: issuer, expecting: 1, with: nil)
    let gone = try await store.read(issuer: issuer)
    require(deleted && gone.pair == nil && gone.generation == 2, "deletion counts as a generation")
    let won = try await withThrowingTaskGroup(of: Bool.self) { group in
      for index in 0..<16 {
        let pair = index.isMultiple(of: 2) ? first : second
        group.addTask { try await store.replace(issuer: issuer, expecting: 2, with: pair) }
      }
      return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }
    require(won == 1, "of simultaneous writers one wins")
    let last = try await store.read(issuer: issuer)
    let isWhole = last.pair.map { same($0, first) || same($0, second) } ?? false
    require(isWhole, "an entry is one writer's, never a mix")
    return findings
  }

  private static func same(_ lhs: SSOPair, _ rhs: SSOPair) -> Bool {
    SSOPairEntry(generation: 0, pair: lhs).serialized == SSOPairEntry(generation: 0, pair: rhs).serialized
  }
}
