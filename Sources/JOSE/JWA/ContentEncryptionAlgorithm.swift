/// An `enc` of a JWE: how the plaintext is encrypted and authenticated.
///
/// Source: RFC 7518 §5.1.
public struct ContentEncryptionAlgorithm: Hashable, Sendable, CustomStringConvertible {
  package enum Identifier: UInt8, CaseIterable, Sendable {
    case a128gcm, a192gcm, a256gcm, a128cbcHS256, a192cbcHS384, a256cbcHS512
  }

  package let identifier: Identifier

  /// AES-GCM with a 128-bit key.
  public static let a128gcm = ContentEncryptionAlgorithm(identifier: .a128gcm)
  /// AES-GCM with a 192-bit key.
  public static let a192gcm = ContentEncryptionAlgorithm(identifier: .a192gcm)
  /// AES-GCM with a 256-bit key.
  public static let a256gcm = ContentEncryptionAlgorithm(identifier: .a256gcm)
  /// AES-CBC with a 128-bit key, then HMAC with SHA-256.
  public static let a128cbcHS256 = ContentEncryptionAlgorithm(identifier: .a128cbcHS256)
  /// AES-CBC with a 192-bit key, then HMAC with SHA-384.
  public static let a192cbcHS384 = ContentEncryptionAlgorithm(identifier: .a192cbcHS384)
  /// AES-CBC with a 256-bit key, then HMAC with SHA-512.
  public static let a256cbcHS512 = ContentEncryptionAlgorithm(identifier: .a256cbcHS512)

  /// Every algorithm that is implemented.
  public static var allCases: [ContentEncryptionAlgorithm] { Identifier.allCases.map(ContentEncryptionAlgorithm.init) }

  private init(identifier: Identifier) {
    self.identifier = identifier
  }

  /// The algorithm of that registered name, or nil if it is not implemented. Names are compared as bytes.
  public init?(name: String) {
    let all = Identifier.allCases.lazy.map(ContentEncryptionAlgorithm.init)
    let name = WireName(name)
    guard let match = all.first(where: { $0.name == name }) else { return nil }
    self = match
  }

  /// The registered name.
  public var name: String { "\(row.name)" }

  /// The registered name.
  public var description: String { name }
}
