import JOSE
import PureCrypto

/// What device and provider both know of signatures.
enum SigningRules {
  /// What macOS 15 lets an extension choose for a device. ES256 is what everybody has.
  static let device: [SignatureAlgorithm] = [.es256, .es384, .ed25519]
  /// What signs `id_token`.
  static let idToken: [SignatureAlgorithm] = [.es256, .rs256]
  /// What signs embedded assertions: a Secure Enclave ES256, a smart card one of these.
  static let assertion: [SignatureAlgorithm] = [.es256, .rs256, .rs384, .rs512]
}

extension VerificationKey {
  /// The octets that name a device's signing key: the point of an elliptic curve, or the 32 octets of Ed25519.
  var deviceKeyOctets: [UInt8]? {
    if let x963Representation { return x963Representation }
    guard case .publicKey(let key) = material else { return nil }
    switch key {
    case .ec(.p384(let key)): return key.x963Representation
    case .ed25519(let key): return Array(key.rawRepresentation)
    default: return nil
    }
  }
}
