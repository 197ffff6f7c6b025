import PureCrypto
import PureJOSEBenchmarking

/// One message of a kilobyte to a key, in the mode base: a key for one use is made each time.
enum HPKEWorkloads {
  static func all() throws -> [Workload] {
    let message = SampleBytes.make(count: 1024)
    let key = P256AgreementPrivateKey()
    let publicKey = key.publicKey
    let sealed = try HPKE.seal(message, to: publicKey, suite: .p256SHA256AES256GCM)
    let montgomery = X25519PrivateKey()
    let montgomeryPublic = montgomery.publicKey
    let small = try HPKE.seal(message, to: montgomeryPublic, suite: .x25519SHA256ChaChaPoly)
    return [
      Workload("hpke.p256.seal.1k") { try HPKE.seal(message, to: publicKey, suite: .p256SHA256AES256GCM) },
      Workload("hpke.p256.open.1k") {
        try HPKE.open(
          sealed.ciphertext, with: key, encapsulatedKey: sealed.encapsulatedKey, suite: .p256SHA256AES256GCM)
      },
      Workload("hpke.x25519.seal.1k") { try HPKE.seal(message, to: montgomeryPublic, suite: .x25519SHA256ChaChaPoly) },
      Workload("hpke.x25519.open.1k") {
        try HPKE.open(
          small.ciphertext, with: montgomery, encapsulatedKey: small.encapsulatedKey, suite: .x25519SHA256ChaChaPoly)
      },
    ]
  }
}
