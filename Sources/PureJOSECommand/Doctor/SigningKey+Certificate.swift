import JOSE
import PureCrypto

/// What certificates need of a key.
extension SigningKey {
  /// The public key, as certificates have it; empty for a key that has none.
  var subjectPublicKeyInfo: [UInt8] {
    verificationKey.publicJWK?.material.publicKey?.derRepresentation ?? []
  }

  /// A signature by ES256 in DER; empty where the key makes none.
  func derSignature(for octets: [UInt8]) -> [UInt8] {
    let signature = (try? signature(for: octets)).flatMap { try? P256Signature(rawRepresentation: $0) }
    return signature?.derRepresentation ?? []
  }
}
