import JOSE
import PureCrypto

/// Stores passwords so that an attacker who reads the database must guess each for a long time.
///
/// The form is `pbkdf2-sha256$<rounds>$<salt>$<key>`. A salt that begins with `opaque` says that the password was
/// mapped by ``OpaqueString``. Forms of older versions have salts of 16 octets without that mark, and hold the password
/// as it was typed. Those versions read the new form too, so that they may run beside this one.
///
/// Source: RFC 8018 §5.2; OWASP asks for 600 000 rounds.
package struct PasswordHasher: Sendable {
  package let iterationCount: Int
  let queue = PasswordQueue()
  /// For users who are known: an attacker who floods the other queue doesn't keep them out.
  private let knownQueue = PasswordQueue(threadCount: 1)

  /// The result of a comparison.
  enum Verdict: Sendable {
    case wrong
    case right
    /// The stored form is without the mark: store a new one.
    case outdated
  }

  private static let mark = Array("opaque".utf8)

  package init(iterationCount: Int) { self.iterationCount = iterationCount }

  /// The stored form of a password.
  package func hash(_ password: String) async throws -> String {
    let salt = Self.mark + RandomText.octets(16)
    let (mapped, rounds) = (OpaqueString.mapped(password), iterationCount)
    let key = try await run(for: "new") { try Self.derive(mapped, salt, rounds) }
    return "pbkdf2-sha256$\(rounds)$\(Base64URL.encode(salt))$\(Base64URL.encode(key))"
  }

  /// Whether a password belongs to a stored form. Without one, it takes as much time as with a marked one, so that a
  /// client can't learn which names exist.
  ///
  /// - Parameters:
  ///   - source: identifies the sender; each source gets its turn.
  ///   - isStranger: whether nothing is known about the sender.
  /// - Throws: `PageRefusal` if too many wait, `CancellationError`.
  func check(
    _ password: String, for stored: String?, from source: String = "", isStranger: Bool = false
  ) async throws -> Verdict {
    let parts = (stored ?? "").split(separator: "$")
    guard parts.count == 4, parts[0] == "pbkdf2-sha256", let rounds = Int(parts[1]), (1...10_000_000).contains(rounds),
      let salt = try? Base64URL.decode(String(parts[2])), let key = try? Base64URL.decode(String(parts[3]))
    else {
      let (mapped, salt, rounds) = (OpaqueString.mapped(password), RandomText.octets(16), iterationCount)
      _ = try await run(for: source, isStranger) { try Self.derive(mapped, salt, rounds) }
      return .wrong
    }
    let isMarked = salt.count > 16 && salt.starts(with: Self.mark)
    for spelling in Self.spellings(of: password, isMarked: isMarked) {
      // Each one waits for its turn.
      let derived = try await run(for: source, isStranger) { try Self.derive(spelling, salt, rounds) }
      if ConstantTime.equal(derived, key) { return isMarked ? .right : .outdated }
    }
    return .wrong
  }

  /// What may have been hashed when this was typed, each once. A form without the mark may come from another keyboard
  /// than the one that is used now.
  static func spellings(of typed: String, isMarked: Bool) -> [String] {
    var spellings = [OpaqueString.mapped(typed)]
    guard !isMarked else { return spellings }
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

  private static func derive(_ password: String, _ salt: [UInt8], _ rounds: Int) throws -> [UInt8] {
    try PBKDF2<SHA2.SHA256>.deriveKey(
      password: SecretBytes(copying: password.utf8), salt: salt, iterationCount: rounds, byteCount: 32
    ).withBytes { $0.withUnsafeBytes { Array($0) } }
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
