import PureJOSEBenchmarking
import JOSE

enum Base64URLWorkloads {
  static func all() -> [Workload] {
    let bytes = SampleBytes.make(count: 1024)
    let text = Base64URL.encode(bytes)
    return [
      Workload("base64url.encode.1k", byteCount: bytes.count) { Base64URL.encode(bytes) },
      Workload("base64url.decode.1k", byteCount: bytes.count) { try Base64URL.decode(text) },
    ]
  }
}
