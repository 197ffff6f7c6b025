import PureCrypto

/// Stores passwords so that an attacker who reads the database must guess each for a long time: a ``StoredPassword``.
///
/// As many are computed at a time as the machine has processors, so that these bound the memory that they take.
package struct PasswordHasher: Sendable {
  /// What a new password costs.
  package let cost: PasswordCost
  let queue = PasswordQueue()
  /// For users who are known: an attacker who floods the other queue doesn't keep them out.
  private let knownQueue = PasswordQueue(threadCount: 1)

  /// The result of a comparison.
  enum Verdict: Sendable {
    case wrong
    case right
    /// The stored form is not mapped, or has another cost than new ones: store a new one.
    case outdated
  }

  package init(_ cost: PasswordCost) { self.cost = cost }

  /// The stored form of a password.
  package func hash(_ password: String) async throws -> String {
    let (mapped, cost) = (OpaqueString.mapped(password), cost)
    return try await run(for: "new") { try StoredPassword(mapped: mapped, cost: cost).text }
  }

  /// Whether a password belongs to a stored form. Without one, it takes as much time as with a new one, so that a
  /// client can't learn which names exist.
  ///
  /// - Parameters:
  ///   - source: identifies the sender; each source gets its turn.
  ///   - isStranger: whether nothing is known about the sender.
  /// - Throws: `PageRefusal` if too many wait, `CancellationError`.
  func check(
    _ password: String, for stored: String?, from source: String = "", isStranger: Bool = false
  ) async throws -> Verdict {
    guard let stored = stored.flatMap(StoredPassword.init) else {
      let (mapped, cost) = (OpaqueString.mapped(password), cost)
      _ = try await run(for: source, isStranger) { try StoredPassword(mapped: mapped, cost: cost) }
      return .wrong
    }
    for spelling in Self.spellings(of: password, isMapped: stored.isMapped) {
      // Each one waits for its turn.
      let key = try await run(for: source, isStranger) { try stored.cost.key(of: spelling, salt: stored.salt) }
      if ConstantTime.equal(key, stored.key) { return stored.isMapped && stored.cost == cost ? .right : .outdated }
    }
    return .wrong
  }

  /// What may have been hashed when this was typed, each once. A password that was not mapped may come from another
  /// keyboard than the one that is used now.
  static func spellings(of typed: String, isMapped: Bool) -> [String] {
    var spellings = [OpaqueString.mapped(typed)]
    guard !isMapped else { return spellings }
    // Swift's == takes all of them for the same.
    for other in [typed, OpaqueString.decomposed(typed)]
    where !spellings.contains(where: { $0.utf8.elementsEqual(other.utf8) }) {
      spellings.append(other)
    }
    return spellings
  }

  private func run<Value: Sendable>(
    for source: String, _ isStranger: Bool = false, _ body: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    try await (isStranger ? queue : knownQueue).run(for: source, body)
  }
}

/// The rules for a new password.
///
/// Source: NIST SP 800-63B-4 §3.1.1: length counts, composition doesn't; common passwords are refused.
package enum PasswordRules {
  package enum Refusal: String, Error, Sendable, CustomStringConvertible {
    case tooShort = "The password must have at least 15 characters. A few words are easy to remember."
    case tooLong = "The password must have at most 1024 characters."
    case tooCommon =
      "An attacker would try this password early. Choose one that has nothing to do with your name."

    package var description: String { rawValue }
  }

  package static func check(_ password: String, username: String, email: String) throws(Refusal) {
    guard password.count <= 1024, OpaqueString.isShort(password) else { throw .tooLong }
    let password = OpaqueString.mapped(password)
    guard password.count >= 15 else { throw .tooShort }
    let folded = password.lowercased()
    let context = [username, email].map { $0.lowercased() }.filter { $0.count >= 4 }
    let isRepetition = Set(folded).count < 5
    guard !isRepetition, !context.contains(where: { folded.contains($0) && folded.count < $0.count + 8 }) else {
      throw .tooCommon
    }
  }
}
