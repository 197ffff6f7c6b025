import PureCrypto
import PureJOSEBenchmarking

/// Ed25519 on a message of 300 bytes, and X25519.
enum Curve25519Workloads {
  static func all() throws -> [Workload] {
    let message = SampleBytes.make(count: 300)
    let signingKey = try Ed25519PrivateKey(rawRepresentation: SampleBytes.make(count: 32))
    let publicKey = signingKey.publicKey
    let encodedKey = publicKey.rawRepresentation
    let signature = signingKey.signature(for: message)
    let agreementKey = try X25519PrivateKey(rawRepresentation: SampleBytes.make(count: 32))
    let other = X25519PrivateKey().publicKey
    return [
      Workload("ed25519.keygen") { Ed25519PrivateKey() },
      Workload("ed25519.decode-key") { try Ed25519PublicKey(rawRepresentation: encodedKey) },
      Workload("ed25519.sign") { signingKey.signature(for: message) },
      Workload("ed25519.verify") { publicKey.isValidSignature(signature, for: message) },
      Workload("x25519.keygen") { X25519PrivateKey() },
      Workload("x25519") { try agreementKey.sharedSecret(with: other) },
    ]
  }
}
