/// A `kty` of a JWK.
///
/// Source: RFC 7518 §6.1.
public struct KeyType: Hashable, Sendable, CustomStringConvertible {
  private enum Identifier: UInt8, Sendable { case ec, rsa, okp, oct }

  private let identifier: Identifier

  /// Elliptic curve.
  public static let ec = KeyType(identifier: .ec)
  /// RSA.
  public static let rsa = KeyType(identifier: .rsa)
  /// Octet key pair: Ed25519. Source: RFC 8037 §2.
  public static let okp = KeyType(identifier: .okp)
  /// Octet sequence: a symmetric key.
  public static let oct = KeyType(identifier: .oct)

  /// The registered name.
  public var description: String {
    switch identifier {
    case .ec: "EC"
    case .rsa: "RSA"
    case .okp: "OKP"
    case .oct: "oct"
    }
  }
}

/// A `crv` of a JWK.
///
/// Source: RFC 7518 §6.2.1.1.
public struct Curve: Hashable, Sendable, CustomStringConvertible {
  private enum Identifier: UInt8, Sendable { case p256, ed25519 }

  private let identifier: Identifier

  /// NIST P-256, also called secp256r1.
  public static let p256 = Curve(identifier: .p256)
  /// Ed25519. Source: RFC 8037 §3.1.
  public static let ed25519 = Curve(identifier: .ed25519)

  /// The registered name.
  public var description: String {
    switch identifier {
    case .p256: "P-256"
    case .ed25519: "Ed25519"
    }
  }
}
