/// An `alg` of a JWS.
///
/// There is no value for `none`, and none can be made.
/// Source: RFC 7518 §3.1.
public struct SignatureAlgorithm: Hashable, Sendable, CustomStringConvertible {
  package enum Identifier: UInt8, CaseIterable, Sendable {
    case es256, es384, es512, es256k
    case hs256, hs384, hs512
    case rs256, rs384, rs512, ps256, ps384, ps512
    case eddsa, ed25519
    case mlDSA44, mlDSA65, mlDSA87
  }

  package let identifier: Identifier

  /// ECDSA on P-256 with SHA-256.
  public static let es256 = SignatureAlgorithm(identifier: .es256)
  /// ECDSA on P-384 with SHA-384.
  public static let es384 = SignatureAlgorithm(identifier: .es384)
  /// ECDSA on P-521 with SHA-512.
  public static let es512 = SignatureAlgorithm(identifier: .es512)
  /// ECDSA on secp256k1 with SHA-256.
  ///
  /// Source: RFC 8812 §3.2.
  public static let es256k = SignatureAlgorithm(identifier: .es256k)

  /// HMAC with SHA-256.
  public static let hs256 = SignatureAlgorithm(identifier: .hs256)
  /// HMAC with SHA-384.
  public static let hs384 = SignatureAlgorithm(identifier: .hs384)
  /// HMAC with SHA-512.
  public static let hs512 = SignatureAlgorithm(identifier: .hs512)

  /// RSASSA-PKCS1-v1_5 with SHA-256.
  public static let rs256 = SignatureAlgorithm(identifier: .rs256)
  /// RSASSA-PKCS1-v1_5 with SHA-384.
  public static let rs384 = SignatureAlgorithm(identifier: .rs384)
  /// RSASSA-PKCS1-v1_5 with SHA-512.
  public static let rs512 = SignatureAlgorithm(identifier: .rs512)
  /// RSASSA-PSS with SHA-256, MGF1 with SHA-256 and a salt of 32 octets.
  public static let ps256 = SignatureAlgorithm(identifier: .ps256)
  /// RSASSA-PSS with SHA-384, MGF1 with SHA-384 and a salt of 48 octets.
  public static let ps384 = SignatureAlgorithm(identifier: .ps384)
  /// RSASSA-PSS with SHA-512, MGF1 with SHA-512 and a salt of 64 octets.
  public static let ps512 = SignatureAlgorithm(identifier: .ps512)

  /// EdDSA with the older, polymorphic name. Only Ed25519 is implemented. Another algorithm than ``ed25519``.
  ///
  /// Source: RFC 8037 §3.1.
  public static let eddsa = SignatureAlgorithm(identifier: .eddsa)
  /// Ed25519 with its fully specified name. Another algorithm than ``eddsa``: a key or token for the one is refused by
  /// the other.
  ///
  /// Source: RFC 9864 §2.2.
  public static let ed25519 = SignatureAlgorithm(identifier: .ed25519)

  /// ML-DSA-44, which no quantum computer is known to break: signatures of 2420 octets.
  ///
  /// Source: RFC 9964 §4, FIPS 204.
  public static let mlDSA44 = SignatureAlgorithm(identifier: .mlDSA44)
  /// ML-DSA-65: signatures of 3309 octets.
  ///
  /// Source: RFC 9964 §4, FIPS 204.
  public static let mlDSA65 = SignatureAlgorithm(identifier: .mlDSA65)
  /// ML-DSA-87: signatures of 4627 octets.
  ///
  /// Source: RFC 9964 §4, FIPS 204.
  public static let mlDSA87 = SignatureAlgorithm(identifier: .mlDSA87)

  /// Every algorithm that is implemented.
  public static var allCases: [SignatureAlgorithm] { Identifier.allCases.map(SignatureAlgorithm.init) }

  /// Every implemented algorithm whose verification key is public. With an HMAC, each verifier could also sign.
  package static var asymmetric: [SignatureAlgorithm] { allCases.filter { $0.row.keyType != .oct } }

  private init(identifier: Identifier) {
    self.identifier = identifier
  }

  /// The algorithm of that registered name, or nil if it is not implemented. Names are compared as bytes.
  public init?(name: String) {
    let all = Identifier.allCases.lazy.map(SignatureAlgorithm.init)
    let name = WireName(name)
    guard let match = all.first(where: { $0.name == name }) else { return nil }
    self = match
  }

  /// The registered name.
  public var name: String { "\(row.name)" }

  /// The registered name.
  public var description: String { name }
}
