import PureCrypto
import PureJOSEBenchmarking

enum SHA3Workloads {
  static func all() -> [Workload] {
    let message = SampleBytes.make(count: 16 * 1024)
    return [Workload("sha3-256.16k", byteCount: message.count) { SHA3.hash(message, .bits256) }]
  }
}
