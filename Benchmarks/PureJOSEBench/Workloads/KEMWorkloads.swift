import PureCrypto
import PureJOSEBenchmarking

/// ML-KEM-768, X-Wing, and the hybrids of HPKE with curves of NIST, with keys that are kept.
enum KEMWorkloads {
  static func all() throws -> [Workload] {
    try mlKEM768() + xWing() + hybrid(.mlKEM768P256, "mlkem768p256") + hybrid(.mlKEM1024P384, "mlkem1024p384")
  }

  private static func mlKEM768() throws -> [Workload] {
    let key = try MLKEMPrivateKey(.mlKEM768, seed: SecretBytes(copying: SampleBytes.make(count: 64)))
    let publicKey = key.publicKey
    let encodedKey = publicKey.rawRepresentation
    let ciphertext = publicKey.encapsulate().ciphertext
    return [
      Workload("mlkem768.keygen") { MLKEMPrivateKey(.mlKEM768).publicKey.rawRepresentation },
      Workload("mlkem768.decode-key") { try MLKEMPublicKey(.mlKEM768, rawRepresentation: encodedKey) },
      Workload("mlkem768.encapsulate") { publicKey.encapsulate() },
      Workload("mlkem768.decapsulate") { try key.decapsulate(ciphertext) },
    ]
  }

  private static func xWing() throws -> [Workload] {
    let key = try XWingPrivateKey(seed: SecretBytes(copying: SampleBytes.make(count: 32)))
    let publicKey = key.publicKey
    let ciphertext = try publicKey.encapsulate().ciphertext
    return [
      Workload("xwing.keygen") { XWingPrivateKey().publicKey.rawRepresentation },
      Workload("xwing.encapsulate") { try publicKey.encapsulate() },
      Workload("xwing.decapsulate") { try key.decapsulate(ciphertext) },
    ]
  }

  private static func hybrid(_ kem: LatticeKEM, _ name: String) throws -> [Workload] {
    let key = try LatticeKEMPrivateKey(kem, seed: SecretBytes(copying: SampleBytes.make(count: 32)))
    let publicKey = key.publicKey
    let ciphertext = try publicKey.encapsulate().ciphertext
    return [
      Workload("\(name).keygen") { LatticeKEMPrivateKey(kem).publicKey.rawRepresentation },
      Workload("\(name).encapsulate") { try publicKey.encapsulate() },
      Workload("\(name).decapsulate") { try key.decapsulate(ciphertext) },
    ]
  }
}
