import Foundation
import JOSE

/// A password as the database has it: what it cost, a salt, and the key.
///
/// Of Argon2id, the form is the one that other implementations write: `$argon2id$v=19$m=64,t=3,p=2$<salt>$<key>`, in
/// base64 without padding. Of PBKDF2 it is `pbkdf2-sha256$<rounds>$<salt>$<key>` in base64url, where a salt that begins
/// with `opaque` says that the password was mapped by ``OpaqueString``. Older versions hashed it as it was typed, with
/// salts of 16 octets. They read the marked form too.
///
/// Source: RFC 9106, RFC 8018 §5.2.
struct StoredPassword {
  let cost: PasswordCost
  let salt: [UInt8]
  let key: [UInt8]

  private static let mark = Array("opaque".utf8)
  /// A form from a database costs no more than this: 256 MiB of memory.
  private static let (kibibyteCounts, passCounts, laneCounts) = (8...262_144, 1...64, 1...16)

  /// Makes a new form of a mapped password. It takes as long as its cost says.
  init(mapped password: String, cost: PasswordCost) throws {
    let salt = RandomText.octets(16)
    self.cost = cost
    self.salt = if case .pbkdf2 = cost { Self.mark + salt } else { salt }
    key = try cost.key(of: password, salt: self.salt)
  }

  /// Nil for any other text, and for costs that no password should have.
  init?(_ text: String) {
    let parts = text.split(separator: "$", omittingEmptySubsequences: false).map(String.init)
    if parts.count == 4, parts[0] == "pbkdf2-sha256" {
      guard let count = Int(parts[1]), (1...10_000_000).contains(count),
        let salt = try? Base64URL.decode(parts[2]), let key = try? Base64URL.decode(parts[3])
      else { return nil }
      (cost, self.salt, self.key) = (.pbkdf2(iterationCount: count), salt, key)
    } else if parts.count == 6, parts[0].isEmpty, parts[1] == "argon2id" {
      let costs = parts[3].split(separator: ",").map { Int($0.dropFirst(2)) }
      guard costs.count == 3, let memory = costs[0], let passes = costs[1], let lanes = costs[2],
        Self.kibibyteCounts.contains(memory), Self.passCounts.contains(passes), Self.laneCounts.contains(lanes),
        memory >= 8 * lanes, let salt = Self.decoded(parts[4]), let key = Self.decoded(parts[5]), salt.count >= 8
      else { return nil }
      (cost, self.salt, self.key) = (.argon2id(kibibyteCount: memory, passCount: passes, laneCount: lanes), salt, key)
    } else {
      return nil
    }
    // Each form has one spelling.
    guard key.count == PasswordCost.keyByteCount, self.text.utf8.elementsEqual(text.utf8) else { return nil }
  }

  /// The form as text.
  var text: String {
    switch cost {
    case .argon2id(let memory, let passes, let lanes):
      "$argon2id$v=19$m=\(memory),t=\(passes),p=\(lanes)$\(Self.encoded(salt))$\(Self.encoded(key))"
    case .pbkdf2(let count):
      "pbkdf2-sha256$\(count)$\(Base64URL.encode(salt))$\(Base64URL.encode(key))"
    }
  }

  /// Whether the password was mapped before it was hashed.
  var isMapped: Bool {
    if case .pbkdf2 = cost { salt.count > 16 && salt.starts(with: Self.mark) } else { true }
  }

  private static func encoded(_ octets: [UInt8]) -> String {
    Data(octets).base64EncodedString().replacing("=", with: "")
  }

  private static func decoded(_ text: String) -> [UInt8]? {
    Data(base64Encoded: text + String(repeating: "=", count: -text.utf8.count & 3)).map { Array($0) }
  }
}
