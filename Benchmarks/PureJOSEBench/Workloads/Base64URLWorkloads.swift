import PureJOSEBenchmarking
import JOSE

enum Base64URLWorkloads {
  static func all() -> [Workload] {
    [(1024, "1k"), (64 * 1024, "64k")].flatMap { count, name in
      let bytes = SampleBytes.make(count: count)
      let text = Base64URL.encode(bytes)
      return [
        Workload("base64url.encode.\(name)", byteCount: bytes.count) { Base64URL.encode(bytes) },
        Workload("base64url.decode.\(name)", byteCount: bytes.count) { try Base64URL.decode(text) },
      ]
    }
  }
}
