import PureJOSEBenchmarking
import PureCrypto

/// On digests, so that RSA alone is measured.
enum RSAWorkloads {
  static func all() throws -> [Workload] {
    let key = try RSASigningKey(bitCount: 2048)
    let publicKey = key.publicKey
    let der = publicKey.derRepresentation
    let digest = SHA2.SHA256.hash(SampleBytes.make(count: 300))
    let pkcs1 = try key.signature(forDigest: digest, padding: .pkcs1v15, function: SHA2.SHA256.self)
    let pss = try key.signature(forDigest: digest, padding: .pss, function: SHA2.SHA256.self)
    return [
      Workload("rsa2048.decode-key") { try RSAVerificationKey(derRepresentation: der) },
      Workload("rsa2048.verify.pkcs1") {
        publicKey.isValidSignature(pkcs1, forDigest: digest, padding: .pkcs1v15, function: SHA2.SHA256.self)
      },
      Workload("rsa2048.verify.pss") {
        publicKey.isValidSignature(pss, forDigest: digest, padding: .pss, function: SHA2.SHA256.self)
      },
      Workload("rsa2048.sign.pkcs1") {
        try key.signature(forDigest: digest, padding: .pkcs1v15, function: SHA2.SHA256.self)
      },
    ]
  }
}
