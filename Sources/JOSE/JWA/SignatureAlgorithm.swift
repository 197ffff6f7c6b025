/// An `alg` of a JWS.
///
/// There is no value for `none`, and none can be made.
/// Source: RFC 7518 §3.1.
public struct SignatureAlgorithm: Hashable, Sendable, CustomStringConvertible {
  package enum Identifier: UInt8, CaseIterable, Sendable {
    case es256, hs256
  }

  package let identifier: Identifier

  /// ECDSA on P-256 with SHA-256.
  public static let es256 = SignatureAlgorithm(identifier: .es256)
  /// HMAC with SHA-256.
  public static let hs256 = SignatureAlgorithm(identifier: .hs256)

  /// Every algorithm that is implemented.
  public static var allCases: [SignatureAlgorithm] { Identifier.allCases.map(SignatureAlgorithm.init) }

  private init(identifier: Identifier) {
    self.identifier = identifier
  }

  /// The algorithm of that registered name, or nil if it is not implemented. Names are compared as bytes.
  public init?(name: String) {
    guard
      let match = Identifier.allCases.first(where: { SignatureAlgorithm(identifier: $0).name.hasSameBytes(as: name) })
    else { return nil }
    self.init(identifier: match)
  }

  /// The registered name.
  public var name: String { "\(row.name)" }

  /// The registered name.
  public var description: String { name }
}
