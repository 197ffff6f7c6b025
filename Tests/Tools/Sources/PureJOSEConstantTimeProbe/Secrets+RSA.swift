import PureCrypto

extension Secrets {
  /// Eight octets to a limb.
  static func limbs(_ octets: [UInt8]) -> [UInt64] {
    stride(from: 0, to: octets.count, by: 8).map { start in
      octets[start..<start + 8].reduce(0) { $0 << 8 | UInt64($1) }
    }
  }

  /// Encodings of 256 octets: of messages of several lengths, and of each kind that is not valid.
  static func oaepEncodings(count: Int, padding: RSAEncryptionPadding) -> [[UInt8]] {
    (0..<count).map { number in
      var encoded = [UInt8](repeating: 0, count: 256)
      let length = [32, 0, 64, 16, 190][number % 5]
      encoded.withUnsafeMutableBytes { encoded in
        [UInt8](repeating: 7, count: length).withUnsafeBytes {
          OAEPEncoding(padding: padding).encode($0, into: encoded)
        }
      }
      switch number % 4 {
      case 1: encoded[0] = 1
      case 2: encoded[1] ^= 1
      case 3: encoded[255] ^= 0x80
      default: break
      }
      return encoded
    }
  }
}
