/// The curves of ECDSA and ECDH that are implemented, by name.
package enum NamedCurve: CaseIterable, Sendable {
  /// NIST P-256, also called secp256r1 and prime256v1.
  case p256
  /// NIST P-384, also called secp384r1.
  case p384
  /// NIST P-521, also called secp521r1.
  case p521
  /// secp256k1.
  case secp256k1

  /// The length of a coordinate, of a private key, and of r and s, in bytes.
  package var coordinateByteCount: Int {
    switch self {
    case .p256, .secp256k1: 32
    case .p384: 48
    case .p521: 66
    }
  }

  /// What the names of its key types begin with.
  var typeName: StaticString {
    switch self {
    case .p256: "P256"
    case .p384: "P384"
    case .p521: "P521"
    case .secp256k1: "Secp256k1"
    }
  }

  /// Whether JOSE agrees on secrets on the curve. RFC 8812 §3.1 registers secp256k1 for signatures alone.
  package var isForAgreement: Bool { self != .secp256k1 }

  /// Source: RFC 5480 §2.1.1.1, RFC 8812 §3 for secp256k1.
  var objectIdentifier: DERObjectIdentifier {
    switch self {
    case .p256: .p256
    case .p384: .p384
    case .p521: .p521
    case .secp256k1: .secp256k1
    }
  }
}
