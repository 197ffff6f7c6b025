import PureCrypto

/// What makes a password slow to guess.
package enum PasswordCost: Sendable, Equatable {
  /// Memory of `kibibyteCount` KiB that is filled `passCount` times.
  case argon2id(kibibyteCount: Int, passCount: Int, laneCount: Int)
  case pbkdf2(iterationCount: Int)

  /// What a new password costs, unless a setting says otherwise. OWASP asks for no less.
  package static let standard = PasswordCost.argon2id(kibibyteCount: 19_456, passCount: 2, laneCount: 1)

  /// What it may cost, by the names of the setting `IDP_PASSWORD_HASH`.
  static let named = ["argon2id": standard, "pbkdf2-sha256": .pbkdf2(iterationCount: 600_000)]

  /// The octets of a key.
  static let keyByteCount = 32

  /// The key of a password. Takes the memory of Argon2id while it computes.
  func key(of password: String, salt: [UInt8]) throws -> [UInt8] {
    let password = SecretBytes(copying: password.utf8)
    let key =
      switch self {
      case .argon2id(let kibibyteCount, let passCount, let laneCount):
        try Argon2id.deriveKey(
          password: password, salt: salt, kibibyteCount: kibibyteCount, passCount: passCount, laneCount: laneCount,
          byteCount: Self.keyByteCount)
      case .pbkdf2(let iterationCount):
        try PBKDF2<SHA2.SHA256>.deriveKey(
          password: password, salt: salt, iterationCount: iterationCount, byteCount: Self.keyByteCount)
      }
    return key.withBytes { $0.withUnsafeBytes { Array($0) } }
  }
}
