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
      // A round makes one key, and takes as long as its primes take to be found: the median is over as many keys as
      // there are rounds, and below their mean. The minimum is a lucky key. Longer keys would take minutes.
      Workload("rsa2048.generate") { try RSASigningKey(bitCount: 2048) },
    ]
  }
}
