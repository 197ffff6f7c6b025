import PureJOSEBenchmarking
import PureCrypto

enum HMACWorkloads {
  /// The key is prepared anew for each message, then once for all of them.
  static func all() throws -> [Workload] {
    let key = SecretBytes(copying: SampleBytes.make(count: 32))
    let message = SampleBytes.make(count: 300)
    let prepared = try HMACSHA256(key: key)
    return [
      Workload("hmac-sha256.300", byteCount: message.count) { try HMACSHA256.authenticate(message, key: key) },
      Workload("hmac-sha256.300.prepared", byteCount: message.count) {
        var code = prepared
        code.update(message)
        return code.finalize()
      },
    ]
  }
}
