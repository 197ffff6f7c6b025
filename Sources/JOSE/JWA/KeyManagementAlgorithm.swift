/// An `alg` of a JWE: how the content encryption key comes about.
///
/// Source: RFC 7518 §4.1.
public struct KeyManagementAlgorithm: Hashable, Sendable, CustomStringConvertible {
  package enum Identifier: UInt8, CaseIterable, Sendable {
    case ecdhES, dir
  }

  package let identifier: Identifier

  /// ECDH with an ephemeral key; the agreed key is the content encryption key.
  public static let ecdhES = KeyManagementAlgorithm(identifier: .ecdhES)
  /// The shared symmetric key is the content encryption key.
  public static let dir = KeyManagementAlgorithm(identifier: .dir)

  /// Every algorithm that is implemented.
  public static var allCases: [KeyManagementAlgorithm] { Identifier.allCases.map(KeyManagementAlgorithm.init) }

  private init(identifier: Identifier) {
    self.identifier = identifier
  }

  /// The algorithm of that registered name, or nil if it is not implemented. Names are compared as bytes.
  public init?(name: String) {
    guard
      let match = Identifier.allCases.first(where: {
        KeyManagementAlgorithm(identifier: $0).name.hasSameBytes(as: name)
      })
    else { return nil }
    self.init(identifier: match)
  }

  /// The registered name.
  public var name: String { "\(row.name)" }

  /// The registered name.
  public var description: String { name }
}
