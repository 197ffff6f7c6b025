import JOSE
import PureCrypto

extension Operations {
  /// A private operation has some ten million instructions, so its traces are long.
  static var rsa: [Operation] {
    [
      Operation(
        "rsa.oaep-sha1 decoding, valid or not", secrets: { Secrets.oaepEncodings(count: $0, padding: .oaepSHA1) }
      ) {
        secret in
        decoding(of: secret, padding: .oaepSHA1)
      },
      Operation(
        "rsa.oaep-sha256 decoding, valid or not", secrets: { Secrets.oaepEncodings(count: $0, padding: .oaepSHA256) }
      ) {
        secret in
        decoding(of: secret, padding: .oaepSHA256)
      },
      // What a private operation spends its time on, short enough for every run.
      Operation("rsa.power with any exponent", secrets: { Secrets.octets(count: $0, length: 64) }) { secret in
        let exponent = Secrets.limbs(secret)
        let base = [UInt64](repeating: 0x1234_5678_9abc_def1, count: 8)
        let modulus = [UInt64](repeating: ~0, count: 8)
        return { consume(MontgomeryModulus.power(base, exponent, modulus: modulus)) }
      },
      Operation("rsa.power of any base", secrets: { Secrets.octets(count: $0, length: 64) }) { secret in
        let base = [0] + Secrets.limbs(secret).dropFirst()
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
}
