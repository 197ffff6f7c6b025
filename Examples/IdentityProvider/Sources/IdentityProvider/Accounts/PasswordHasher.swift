import JOSE
import PureCrypto

/// Stores passwords so that an attacker who reads the database must guess each for a long time.
///
/// The form is `pbkdf2-sha256$<rounds>$<salt>$<key>`.
///
/// Source: RFC 8018 §5.2; OWASP asks for 600 000 rounds.
package struct PasswordHasher: Sendable {
  package let iterationCount: Int
  let queue = PasswordQueue()
  /// For users who are known: an attacker who floods the other queue doesn't keep them out.
  private let knownQueue = PasswordQueue(threadCount: 1)

  package init(iterationCount: Int) { self.iterationCount = iterationCount }

  /// The stored form of a password.
  package func hash(_ password: String) async throws -> String {
    let salt = RandomText.octets(16)
    let key = try await derive(password, salt, iterationCount, for: "new")
    return "pbkdf2-sha256$\(iterationCount)$\(Base64URL.encode(salt))$\(Base64URL.encode(key))"
  }

  /// Whether a password belongs to a stored form. Without one, it takes as much time, so that a client can't learn
  /// which names exist.
  ///
  /// - Parameters:
  ///   - source: identifies the sender; each source gets its turn.
  ///   - isStranger: whether nothing is known about the sender.
  /// - Throws: `PageRefusal` if too many wait, `CancellationError`.
  package func isValid(_ password: String, for stored: String?, from source: String = "", isStranger: Bool = false)
    async throws -> Bool
  {
    let parts = (stored ?? "").split(separator: "$")
    guard parts.count == 4, parts[0] == "pbkdf2-sha256", let rounds = Int(parts[1]), (1...10_000_000).contains(rounds),
      let salt = try? Base64URL.decode(String(parts[2])), let key = try? Base64URL.decode(String(parts[3]))
    else {
      _ = try await derive(password, RandomText.octets(16), iterationCount, for: source, isStranger)
      return false
    }
    return ConstantTime.equal(try await derive(password, salt, rounds, for: source, isStranger), key)
  }

  private func derive(
    _ password: String, _ salt: [UInt8], _ rounds: Int, for source: String, _ isStranger: Bool = false
  ) async throws -> [UInt8] {
    try await (isStranger ? queue : knownQueue).run(for: source) {
      try PBKDF2<SHA2.SHA256>.deriveKey(
        password: SecretBytes(copying: password.utf8), salt: salt, iterationCount: rounds, byteCount: 32
      ).withBytes { $0.withUnsafeBytes { Array($0) } }
    }
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
    guard password.count >= 15 else { throw .tooShort }
    guard password.count <= 1024 else { throw .tooLong }
    let folded = password.lowercased()
    let context = [username, email].map { $0.lowercased() }.filter { $0.count >= 4 }
    let isRepetition = Set(folded).count < 5
    guard !isRepetition, !context.contains(where: { folded.contains($0) && folded.count < $0.count + 8 }) else {
      throw .tooCommon
    }
  }
}
