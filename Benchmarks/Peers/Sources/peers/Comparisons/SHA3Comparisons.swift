import Crypto
import PureCrypto
import PureJOSEBenchmarking

enum SHA3Comparisons {
  static func all() throws -> [Comparison] {
    guard #available(macOS 26, *) else { return [] }
    return [try sha3("sha3-256.16k", 16 * 1024)]
  }

  @available(macOS 26, *)
  private static func sha3(_ name: String, _ byteCount: Int) throws -> Comparison {
    let message = SampleBytes.make(count: byteCount)
    guard SHA3.hash(message, .bits256).elementsEqual(SHA3_256.hash(data: message)) else { throw Disagreement(name) }
    return Comparison(name, ours: { SHA3.hash(message, .bits256) }, theirs: { SHA3_256.hash(data: message) })
  }
}
