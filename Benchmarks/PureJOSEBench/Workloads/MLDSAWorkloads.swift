import PureCrypto
import PureJOSEBenchmarking

/// ML-DSA-65 on a message of 300 bytes, with keys that are kept.
enum MLDSAWorkloads {
  /// Signing tries until a candidate is accepted, 5 times on average: one call signs often enough to come near it.
  private static let signaturesPerCall = 64

  static func all() throws -> [Workload] {
    let message = SampleBytes.make(count: 300)
    let key = try MLDSASigningKey(.mlDSA65, seed: SecretBytes(copying: SampleBytes.make(count: 32)))
    let publicKey = key.publicKey
    let encodedKey = publicKey.rawRepresentation
    let signature = try key.signature(for: message)
    return [
      Workload("mldsa65.keygen") { MLDSASigningKey(.mlDSA65).publicKey.rawRepresentation },
      Workload("mldsa65.decode-key") { try MLDSAVerificationKey(.mlDSA65, rawRepresentation: encodedKey) },
      Workload("mldsa65.sign", operationsPerCall: signaturesPerCall) {
        for _ in 0..<signaturesPerCall { blackHole(try key.signature(for: message)) }
      },
      Workload("mldsa65.verify") { publicKey.isValidSignature(signature, for: message) },
    ]
  }
}
