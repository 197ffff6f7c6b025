import PureJOSEBenchmarking
import PureCrypto

/// With a key prepared once and a given initialization vector, into fresh storage unless the name says in place.
enum AESGCMWorkloads {
  static func all() throws -> [Workload] {
    let key = SampleBytes.make(count: 32)
    let aes256 = try AESGCM(key: key)
    let aes128 = try AESGCM(key: key.prefix(16))
    return try [
      Workload("aes256gcm.prepare-key") { try AESGCM(key: key) },
      seal("aes256gcm.seal.64", 64, aes256), seal("aes256gcm.seal.1k", 1024, aes256),
      seal("aes256gcm.seal.16k", 16 * 1024, aes256), seal("aes256gcm.seal.1m", 1024 * 1024, aes256),
      sealInPlace("aes256gcm.seal-in-place.1k", 1024, aes256), open("aes256gcm.open.1k", 1024, aes256),
      open("aes256gcm.open.16k", 16 * 1024, aes256), seal("aes128gcm.seal.16k", 16 * 1024, aes128),
    ] + otherBackends(key)
  }

  /// The paths of other processors.
  private static func otherBackends(_ key: [UInt8]) throws -> [Workload] {
    try Backend.available.filter { $0 != .preferred }.map { backend in
      // The cipher expands the key before the closure returns.
      let key = try unsafe key.withUnsafeBytes { (key) throws(CryptoError) in
        try unsafe AESGCM(key: key, backend: backend)
      }
      return seal("aes256gcm.seal.16k.\(backend)", 16 * 1024, key)
    }
  }

  private static func seal(_ name: String, _ byteCount: Int, _ key: AESGCM) -> Workload {
    let plaintext = SampleBytes.make(count: byteCount)
    let vector = AESGCM.InitializationVector(fixedField: 1, invocationField: 1)
    return Workload(name, byteCount: byteCount) { try key.seal(plaintext, uniqueInitializationVector: vector) }
  }

  private static func sealInPlace(_ name: String, _ byteCount: Int, _ key: AESGCM) -> Workload {
    var buffer = SampleBytes.make(count: byteCount)
    let vector = AESGCM.InitializationVector(fixedField: 1, invocationField: 1)
    return Workload(name, byteCount: byteCount) { try key.sealInPlace(&buffer, uniqueInitializationVector: vector) }
  }

  private static func open(_ name: String, _ byteCount: Int, _ key: AESGCM) throws -> Workload {
    let box = try key.seal(
      SampleBytes.make(count: byteCount),
      uniqueInitializationVector: AESGCM.InitializationVector(fixedField: 1, invocationField: 1))
    return Workload(name, byteCount: byteCount) {
      try key.open(
        ciphertext: box.ciphertext, authenticationTag: box.authenticationTag,
        initializationVector: box.initializationVector)
    }
  }
}
