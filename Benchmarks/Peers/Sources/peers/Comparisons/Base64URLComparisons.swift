import Foundation
import JOSE
import PureJOSEBenchmarking

/// Beside Foundation's Base64, whose alphabet and padding are exchanged as everybody does who has nothing else.
enum Base64URLComparisons {
  static func all() throws -> [Comparison] {
    try [(1024, "1k"), (64 * 1024, "64k")].flatMap { count, name in
      let bytes = SampleBytes.make(count: count)
      let data = Data(bytes)
      let text = Base64URL.encode(bytes)
      guard ComposedJWE.base64URL(data) == text, try ComposedJWE.bytes(text.utf8[...]) == data,
        try Base64URL.decode(text) == bytes
      else { throw Disagreement("base64url") }
      return [
        Comparison(
          "base64url.encode.\(name)", peer: "Foundation", byteCount: count, ours: { Base64URL.encode(bytes) },
          theirs: { ComposedJWE.base64URL(data) }),
        Comparison(
          "base64url.decode.\(name)", peer: "Foundation", byteCount: count, ours: { try Base64URL.decode(text) },
          theirs: { try ComposedJWE.bytes(text.utf8[...]) }),
      ]
    }
  }
}
