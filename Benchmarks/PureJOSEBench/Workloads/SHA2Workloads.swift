import PureJOSEBenchmarking
import PureCrypto

enum SHA2Workloads {
  static func all() -> [Workload] {
    [
      sha256("sha256.64", byteCount: 64), sha256("sha256.300", byteCount: 300), sha256("sha256.1k", byteCount: 1024),
      sha256("sha256.16k", byteCount: 16 * 1024), sha256("sha256.1m", byteCount: 1024 * 1024),
      sha512("sha512.64", byteCount: 64), sha512("sha512.1k", byteCount: 1024),
      sha512("sha512.16k", byteCount: 16 * 1024),
    ] + portable("sha256.16k.portable", byteCount: 16 * 1024)
  }

  private static func sha256(_ name: String, byteCount: Int) -> Workload {
    let message = SampleBytes.make(count: byteCount)
    return Workload(name, byteCount: byteCount) { SHA2.SHA256.hash(message) }
  }

  /// The path of processors without SHA instructions, unless it is measured anyway.
  private static func portable(_ name: String, byteCount: Int) -> [Workload] {
    guard Backend.preferred != .portable else { return [] }
    let message = SampleBytes.make(count: byteCount)
    return [
      Workload(name, byteCount: byteCount) {
        var hash = SHA2.SHA256(backend: .portable)
        hash.update(message)
        return hash.finalize()
      }
    ]
  }

  private static func sha512(_ name: String, byteCount: Int) -> Workload {
    let message = SampleBytes.make(count: byteCount)
    return Workload(name, byteCount: byteCount) { SHA2.SHA512.hash(message) }
  }
}
