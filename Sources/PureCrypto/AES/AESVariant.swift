/// The three key lengths of AES.
/// Source: FIPS 197 §5, table 3.
package enum AESVariant: Sendable {
  case aes128, aes192, aes256

  /// The variant for a key of `byteCount` bytes: 16, 24 or 32.
  package init(keyByteCount byteCount: Int) throws(CryptoError) {
    switch byteCount {
    case 16: self = .aes128
    case 24: self = .aes192
    case 32: self = .aes256
    default: throw CryptoError(.invalidKeyLength, "an AES key has 16, 24 or 32 bytes")
    }
  }

  /// Nk: the length of the key in 32-bit words.
  package var keyWordCount: Int {
    switch self {
    case .aes128: 4
    case .aes192: 6
    case .aes256: 8
    }
  }

  /// Nr: the number of rounds, six more than key words.
  package var roundCount: Int { keyWordCount &+ 6 }
}
