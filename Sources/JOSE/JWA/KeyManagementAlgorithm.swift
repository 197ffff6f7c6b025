import PureCrypto
import StrictJSON

/// An `alg` of a JWE: how the content encryption key comes about.
///
/// Source: RFC 7518 §4.1.
public struct KeyManagementAlgorithm: Hashable, Sendable, CustomStringConvertible {
  package enum Identifier: UInt8, CaseIterable, Sendable {
    case ecdhES, dir
    case rsaOAEP, rsaOAEP256, rsaOAEP384, rsaOAEP512
    case a128kw, a192kw, a256kw
    case a128gcmKW, a192gcmKW, a256gcmKW
    case ecdhESA128KW, ecdhESA192KW, ecdhESA256KW
    case pbes2HS256A128KW, pbes2HS384A192KW, pbes2HS512A256KW
    case hpke0, hpke1, hpke2, hpke3, hpke4, hpke7, hpke8, hpke9, hpke10, hpke12, hpke13
    case hpke0KE, hpke1KE, hpke2KE, hpke3KE, hpke4KE, hpke7KE, hpke8KE, hpke9KE, hpke10KE, hpke12KE, hpke13KE
  }

  package let identifier: Identifier

  /// ECDH with an ephemeral key; the agreed key is the content encryption key.
  public static let ecdhES = KeyManagementAlgorithm(identifier: .ecdhES)
  /// The shared symmetric key is the content encryption key.
  public static let dir = KeyManagementAlgorithm(identifier: .dir)
  /// AES Key Wrap with a 128-bit key.
  public static let a128kw = KeyManagementAlgorithm(identifier: .a128kw)
  /// AES Key Wrap with a 192-bit key.
  public static let a192kw = KeyManagementAlgorithm(identifier: .a192kw)
  /// AES Key Wrap with a 256-bit key.
  public static let a256kw = KeyManagementAlgorithm(identifier: .a256kw)
  /// AES-GCM with a 128-bit key encrypts the content encryption key.
  public static let a128gcmKW = KeyManagementAlgorithm(identifier: .a128gcmKW)
  /// AES-GCM with a 192-bit key encrypts the content encryption key.
  public static let a192gcmKW = KeyManagementAlgorithm(identifier: .a192gcmKW)
  /// AES-GCM with a 256-bit key encrypts the content encryption key.
  public static let a256gcmKW = KeyManagementAlgorithm(identifier: .a256gcmKW)
  /// ECDH with an ephemeral key; the agreed key wraps by AES Key Wrap with 128 bits.
  public static let ecdhESA128KW = KeyManagementAlgorithm(identifier: .ecdhESA128KW)
  /// ECDH with an ephemeral key; the agreed key wraps by AES Key Wrap with 192 bits.
  public static let ecdhESA192KW = KeyManagementAlgorithm(identifier: .ecdhESA192KW)
  /// ECDH with an ephemeral key; the agreed key wraps by AES Key Wrap with 256 bits.
  public static let ecdhESA256KW = KeyManagementAlgorithm(identifier: .ecdhESA256KW)
  /// A password makes the wrapping key: PBKDF2 with SHA-256, then AES Key Wrap with 128 bits. A key is bound to it by
  /// name only.
  public static let pbes2HS256A128KW = KeyManagementAlgorithm(identifier: .pbes2HS256A128KW)
  /// A password makes the wrapping key: PBKDF2 with SHA-384, then AES Key Wrap with 192 bits.
  public static let pbes2HS384A192KW = KeyManagementAlgorithm(identifier: .pbes2HS384A192KW)
  /// A password makes the wrapping key: PBKDF2 with SHA-512, then AES Key Wrap with 256 bits.
  public static let pbes2HS512A256KW = KeyManagementAlgorithm(identifier: .pbes2HS512A256KW)

  /// RSAES-OAEP with SHA-1 and MGF1 with SHA-1. RSAES-PKCS1-v1_5 (`RSA1_5`) is not implemented: it can't be opened
  /// safely.
  public static let rsaOAEP = KeyManagementAlgorithm(identifier: .rsaOAEP)
  /// RSAES-OAEP with SHA-256 and MGF1 with SHA-256.
  public static let rsaOAEP256 = KeyManagementAlgorithm(identifier: .rsaOAEP256)
  /// RSAES-OAEP with SHA-384 and MGF1 with SHA-384, a registered name of W3C's Web Cryptography.
  public static let rsaOAEP384 = KeyManagementAlgorithm(identifier: .rsaOAEP384)
  /// RSAES-OAEP with SHA-512 and MGF1 with SHA-512, alike.
  public static let rsaOAEP512 = KeyManagementAlgorithm(identifier: .rsaOAEP512)

  /// HPKE encrypts the content itself, for one recipient: `HPKE-0` to `HPKE-4` and `HPKE-7`; with ML-KEM `HPKE-8`,
  /// `-9`, `-10`, `-12` and `-13`.
  ///
  /// Such a message has no `enc`, no initialization vector and no tag of its own: the suite encrypts.
  /// Source: draft-ietf-jose-hpke-encrypt-22 §5, whose names and form are final; for the suites with ML-KEM
  /// draft-ietf-jose-hpke-pq-pqt-01, which may change.
  public static func hpke(_ suite: HPKE.Ciphersuite) -> KeyManagementAlgorithm {
    named(suite, isIntegrated: true)
  }

  /// HPKE encrypts the content encryption key, for any number of recipients: the same names with `-KE`.
  ///
  /// A recipient with ML-KEM stands beside none whose key a quantum computer finds: such messages are not made.
  /// Source: draft-ietf-jose-hpke-encrypt-22 §6, draft-ietf-jose-hpke-pq-pqt-01, which may change.
  public static func hpkeKeyEncryption(_ suite: HPKE.Ciphersuite) -> KeyManagementAlgorithm {
    named(suite, isIntegrated: false)
  }

  private static func named(_ suite: HPKE.Ciphersuite, isIntegrated: Bool) -> KeyManagementAlgorithm {
    let algorithm = allCases.first { $0.row.suite == suite && $0.row.isIntegrated == isIntegrated }
    // Each suite that is public has a row.
    guard let algorithm else { preconditionFailure("the suite has no name in JOSE") }
    return algorithm
  }

  /// Every algorithm that is implemented.
  public static var allCases: [KeyManagementAlgorithm] { Identifier.allCases.map(KeyManagementAlgorithm.init) }

  private init(identifier: Identifier) {
    self.identifier = identifier
  }

  private static let named = Dictionary(uniqueKeysWithValues: allCases.map { (WireName($0.name), $0) })

  /// The algorithm of that registered name, or nil if it is not implemented. Names are compared as bytes.
  public init?(name: String) {
    guard let match = Self.named[WireName(name)] else { return nil }
    self = match
  }

  /// Whether the key is made from a password (PBES2), so that a message decides how much work opening it takes.
  package var usesPassword: Bool { row.wrapping == .password }

  /// Whether only who has the key can encrypt: it is a secret, not the public half of a pair.
  var isUnderSharedSecret: Bool {
    switch row.mechanism {
    case .direct, .symmetric: true
    case .rsaOAEP, .agreement, .hpke, .hpkeKeyEncryption: false
    }
  }

  /// The registered name.
  public var name: String { "\(row.name)" }

  /// The registered name.
  public var description: String { name }
}
