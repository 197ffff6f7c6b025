import Crypto
import PureCrypto
import PureJOSEBenchmarking

/// The key is prepared anew for each message, then once for all of them: both sides can do that.
enum HMACComparisons {
  static func all() throws -> [Comparison] {
    let keyBytes = SampleBytes.make(count: 32)
    let message = SampleBytes.make(count: 300)
    let ourKey = SecretBytes(copying: keyBytes)
    let theirKey = SymmetricKey(data: keyBytes)
    let ourCode = try HMACSHA256.authenticate(message, key: ourKey)
    guard ourCode.elementsEqual(HMAC<SHA256>.authenticationCode(for: message, using: theirKey)) else {
      throw Disagreement("hmac-sha256")
    }
    let ourPrepared = try HMACSHA256(key: ourKey)
    let theirPrepared = HMAC<SHA256>(key: theirKey)
    return [
      Comparison(
        "hmac-sha256.300",
        ours: { try HMACSHA256.authenticate(message, key: ourKey) },
        theirs: { HMAC<SHA256>.authenticationCode(for: message, using: theirKey) }),
      Comparison(
        "hmac-sha256.300.prepared",
        ours: {
          var code = ourPrepared
          code.update(message)
          return code.finalize()
        },
        theirs: {
          var code = theirPrepared
          code.update(data: message)
          return code.finalize()
        }),
    ]
  }
}
