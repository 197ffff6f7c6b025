import PureCrypto

/// A `kty` of a JWK.
///
/// Source: RFC 7518 §6.1.
public struct KeyType: Hashable, Sendable, CustomStringConvertible {
  private enum Identifier: UInt8, Sendable { case ec, rsa, okp, oct, akp }

  private let identifier: Identifier

  /// Keys on P-256, P-384, P-521 or secp256k1 (`EC`).
  public static let ec = KeyType(identifier: .ec)
  /// RSA keys of 2048 to 8192 bits.
  public static let rsa = KeyType(identifier: .rsa)
  /// Octet key pair: Ed25519 and X25519.
  /// Source: RFC 8037 §2.
  public static let okp = KeyType(identifier: .okp)
  /// Algorithm key pair: ML-DSA. Such a key always names its algorithm.
  /// Source: RFC 9964 §3.
  public static let akp = KeyType(identifier: .akp)
  /// Octet sequence: a symmetric key.
  public static let oct = KeyType(identifier: .oct)

  /// The registered name.
  public var description: String {
    switch identifier {
    case .ec: "EC"
    case .rsa: "RSA"
    case .okp: "OKP"
    case .oct: "oct"
    case .akp: "AKP"
    }
  }
}

/// A `crv` of a JWK.
///
/// Source: RFC 7518 §6.2.1.1.
public struct Curve: Hashable, Sendable, CustomStringConvertible {
  enum Identifier: Hashable, Sendable {
    case named(NamedCurve)
    case ed25519, x25519
  }

  let identifier: Identifier

  /// NIST P-256, also called secp256r1.
  public static let p256 = Curve(identifier: .named(.p256))
  /// NIST P-384, also called secp384r1.
  public static let p384 = Curve(identifier: .named(.p384))
  /// NIST P-521, also called secp521r1.
  public static let p521 = Curve(identifier: .named(.p521))
  /// secp256k1, for signatures.
  /// Source: RFC 8812 §3.1.
  public static let secp256k1 = Curve(identifier: .named(.secp256k1))
  /// Ed25519.
  /// Source: RFC 8037 §3.1.
  public static let ed25519 = Curve(identifier: .ed25519)
  /// X25519, for key agreement.
  /// Source: RFC 8037 §3.2.
  public static let x25519 = Curve(identifier: .x25519)

  /// The curve of that registered name, or nil if it is not implemented. Names are compared as bytes.
  public init?(name: String) {
    let curves = NamedCurve.allCases.map { Curve(identifier: .named($0)) } + [.ed25519, .x25519]
    let name = WireName(name)
    guard let match = curves.first(where: { $0.description == name }) else { return nil }
    self = match
  }

  init(identifier: Identifier) {
    self.identifier = identifier
  }

  /// Whether keys on the curve agree on secrets (ECDH-ES).
  package var isForAgreement: Bool {
    switch identifier {
    case .named(let curve): curve.isForAgreement
    case .ed25519: false
    case .x25519: true
    }
  }

  /// The registered name.
  public var description: String { row.name }
}

extension PublicKey {
  /// `kty` of a JWK with this key.
  var keyType: KeyType {
    switch self {
    case .ec: .ec
    case .rsa: .rsa
    case .ed25519, .x25519: .okp
    case .mlDSA, .lattice: .akp
    }
  }

  /// `crv`, or nil for RSA and lattices.
  package var curve: Curve? {
    switch self {
    case .ec(let key): Curve(identifier: .named(key.curve))
    case .rsa, .mlDSA, .lattice: nil
    case .ed25519: .ed25519
    case .x25519: .x25519
    }
  }

  /// The parameter set of a key of ML-DSA: what `alg` says of it.
  package var parameterSet: MLDSAParameterSet? {
    guard case .mlDSA(let key) = self else { return nil }
    return key.parameterSet
  }
}

extension PrivateKey {
  /// A fresh key on a curve.
  init(on curve: Curve) {
    switch curve.identifier {
    case .named(let curve): self = .ec(AnyECPrivateKey(curve))
    case .ed25519: self = .ed25519(Ed25519PrivateKey())
    case .x25519: self = .x25519(X25519PrivateKey())
    }
  }
}
