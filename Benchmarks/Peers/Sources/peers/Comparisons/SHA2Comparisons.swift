import Crypto
import PureCrypto
import PureJOSEBenchmarking

enum SHA2Comparisons {
  static func all() throws -> [Comparison] {
    try [
      sha256("sha256.64", 64), sha256("sha256.1k", 1024), sha256("sha256.16k", 16 * 1024),
      sha384("sha384.16k", 16 * 1024),
      sha512("sha512.64", 64), sha512("sha512.1k", 1024), sha512("sha512.16k", 16 * 1024),
    ]
  }

  private static func sha256(_ name: String, _ byteCount: Int) throws -> Comparison {
    let message = SampleBytes.make(count: byteCount)
    guard SHA2.SHA256.hash(message).elementsEqual(Crypto.SHA256.hash(data: message)) else { throw Disagreement(name) }
    return Comparison(name, ours: { SHA2.SHA256.hash(message) }, theirs: { Crypto.SHA256.hash(data: message) })
  }

  private static func sha384(_ name: String, _ byteCount: Int) throws -> Comparison {
    let message = SampleBytes.make(count: byteCount)
    guard SHA2.SHA384.hash(message).elementsEqual(Crypto.SHA384.hash(data: message)) else { throw Disagreement(name) }
    return Comparison(name, ours: { SHA2.SHA384.hash(message) }, theirs: { Crypto.SHA384.hash(data: message) })
  }

  private static func sha512(_ name: String, _ byteCount: Int) throws -> Comparison {
    let message = SampleBytes.make(count: byteCount)
    guard SHA2.SHA512.hash(message).elementsEqual(Crypto.SHA512.hash(data: message)) else { throw Disagreement(name) }
    return Comparison(name, ours: { SHA2.SHA512.hash(message) }, theirs: { Crypto.SHA512.hash(data: message) })
  }
}
