import Crypto
import PureCrypto
import PureJOSEBenchmarking

enum SHA2Comparisons {
  static func all() throws -> [Comparison] {
    try [sha256("sha256.64", 64), sha256("sha256.1k", 1024), sha256("sha256.16k", 16 * 1024)]
  }

  private static func sha256(_ name: String, _ byteCount: Int) throws -> Comparison {
    let message = SampleBytes.make(count: byteCount)
    guard SHA2.SHA256.hash(message).elementsEqual(Crypto.SHA256.hash(data: message)) else { throw Disagreement(name) }
    return Comparison(name, ours: { SHA2.SHA256.hash(message) }, theirs: { Crypto.SHA256.hash(data: message) })
  }
}
