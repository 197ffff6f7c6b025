import PureCrypto
import PureJOSEBenchmarking

/// With a key prepared once and a given nonce.
enum ChaChaPolyWorkloads {
  static func all() throws -> [Workload] {
    let key = try ChaCha20Poly1305(key: SampleBytes.make(count: 32))
    return try [
      seal("chacha20poly1305.seal.64", 64, key), seal("chacha20poly1305.seal.1k", 1024, key),
      seal("chacha20poly1305.seal.16k", 16 * 1024, key), open("chacha20poly1305.open.16k", 16 * 1024, key),
    ]
  }

  private static func seal(_ name: String, _ byteCount: Int, _ key: ChaCha20Poly1305) throws -> Workload {
    let plaintext = SampleBytes.make(count: byteCount)
    let nonce = try ChaCha20Poly1305.Nonce(SampleBytes.make(count: 12))
    return Workload(name, byteCount: byteCount) { try key.seal(plaintext, uniqueNonce: nonce) }
  }

  private static func open(_ name: String, _ byteCount: Int, _ key: ChaCha20Poly1305) throws -> Workload {
    let nonce = try ChaCha20Poly1305.Nonce(SampleBytes.make(count: 12))
    let box = try key.seal(SampleBytes.make(count: byteCount), uniqueNonce: nonce)
    return Workload(name, byteCount: byteCount) {
      try key.open(ciphertext: box.ciphertext, authenticationTag: box.authenticationTag, nonce: box.nonce)
    }
  }
}
