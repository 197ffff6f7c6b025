import JOSE
import PureCrypto

extension Operations {
  /// A private operation has some ten million instructions, so its traces are long.
  static var rsa: [Operation] {
    [
      Operation("rsa.oaep-sha1 decoding, valid or not", secrets: { encodings(count: $0, padding: .oaepSHA1) }) {
        secret in
        decoding(of: secret, padding: .oaepSHA1)
      },
      Operation("rsa.oaep-sha256 decoding, valid or not", secrets: { encodings(count: $0, padding: .oaepSHA256) }) {
        secret in
        decoding(of: secret, padding: .oaepSHA256)
      },
      // What a private operation spends its time on, short enough for every run.
      Operation("rsa.power with any exponent", secrets: { Secrets.octets(count: $0, length: 64) }) { secret in
        let exponent = limbs(secret)
        let base = [UInt64](repeating: 0x1234_5678_9abc_def1, count: 8)
        let modulus = [UInt64](repeating: ~0, count: 8)
        return { consume(MontgomeryModulus.power(base, exponent, modulus: modulus)) }
      },
      Operation("rsa.power of any base", secrets: { Secrets.octets(count: $0, length: 64) }) { secret in
        let base = [0] + limbs(secret).dropFirst()
        let exponent = [UInt64](repeating: 0xfedc_ba98_7654_3210, count: 2)
        let modulus = [UInt64](repeating: ~0, count: 8)
        return { consume(MontgomeryModulus.power(base, exponent, modulus: modulus)) }
      },
      Operation("rsa2048.sign with any key", isLong: true, secrets: { numbers(count: $0) }) { secret in
        let key = privateKey(Int(secret[0]))
        return { consume(try? key.signature(for: message, padding: .pkcs1v15, function: SHA2.SHA256.self)) }
      },
      Operation("rsa2048.sign any message", isLong: true, secrets: { Secrets.octets(count: $0, length: 100) }) {
        secret in
        let key = privateKey(0)
        return { consume(try? key.signature(for: secret, padding: .pss, function: SHA2.SHA256.self)) }
      },
      Operation("rsa2048.oaep decryption, valid or not", isLong: true, secrets: { numbers(count: $0) }) { secret in
        let key = privateKey(0)
        let padding = RSAEncryptionPadding.oaepSHA256
        // The first is intact; the others decrypt to something that is no encoding.
        var encrypted = try key.publicKey.encrypt(SecretBytes(copying: message[..<32]), padding: padding)
        for index in 0..<Int(secret[0]) { encrypted[255 - index] ^= 1 }
        return { consume(key.decryptKey(encrypted, padding: padding, byteCount: 32)) }
      },
    ]
  }

  /// Eight octets to a limb.
  private static func limbs(_ octets: [UInt8]) -> [UInt64] {
    stride(from: 0, to: octets.count, by: 8).map { start in
      octets[start..<start + 8].reduce(0) { $0 << 8 | UInt64($1) }
    }
  }

  private static func numbers(count: Int) -> [[UInt8]] { (0..<count).map { [UInt8(truncatingIfNeeded: $0)] } }

  /// One of three keys of 2048 bits.
  private static func privateKey(_ number: Int) -> AnyRSAPrivateKey {
    RSATestKeys.all[number % RSATestKeys.all.count]
  }

  private static func decoding(of secret: [UInt8], padding: RSAEncryptionPadding) -> () -> Void {
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: secret.count, alignment: 16)
    copy.copyBytes(from: secret)
    // Never freed: the heap must look the same for each secret.
    return { consume(OAEPEncoding(padding: padding).decode(copy).messageStart) }
  }

  /// Encodings of 256 octets: of messages of several lengths, and of each kind that is not valid.
  private static func encodings(count: Int, padding: RSAEncryptionPadding) -> [[UInt8]] {
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
