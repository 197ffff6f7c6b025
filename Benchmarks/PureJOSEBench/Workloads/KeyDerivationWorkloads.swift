import PureJOSEBenchmarking
import PureCrypto

/// Keys from shared secrets and from passwords.
enum KeyDerivationWorkloads {
  static func all() throws -> [Workload] {
    let secret = SecretBytes(copying: SampleBytes.make(count: 32))
    let (salt, info) = (SampleBytes.make(count: 16), Array("key".utf8))
    return [
      Workload("hkdf-sha256") {
        try HKDFSHA2<SHA2.SHA256>.deriveKey(inputKeyMaterial: secret, salt: salt, info: info, byteCount: 32)
      },
      Workload("hkdf-sha512") {
        try HKDFSHA2<SHA2.SHA512>.deriveKey(inputKeyMaterial: secret, salt: salt, info: info, byteCount: 64)
      },
      Workload("pbkdf2-sha256.1000") {
        try PBKDF2<SHA2.SHA256>.deriveKey(password: secret, salt: salt, iterationCount: 1000, byteCount: 32)
      },
      Workload("pbkdf2-sha512.1000") {
        try PBKDF2<SHA2.SHA512>.deriveKey(password: secret, salt: salt, iterationCount: 1000, byteCount: 64)
      },
      Workload("argon2id.19m") { try Argon2id.deriveKey(password: secret, salt: salt) },
    ]
  }
}
