import PureCrypto

/// Keys made of other secrets, and keys that encrypt other keys.
extension Operations {
  static var derivation: [Operation] {
    [
      Operation("hkdf.extract", secrets: { Secrets.octets(count: $0, length: 32) }) { secret in
        let key = SecretBytes(copying: secret)
        return { consume(HKDFSHA2<SHA2.SHA256>.extract(inputKeyMaterial: key, salt: message)) }
      },
      Operation("hkdf.expand", secrets: { Secrets.octets(count: $0, length: 32) }) { secret in
        let key = SecretBytes(copying: secret)
        return { consume(try? HKDFSHA2<SHA2.SHA256>.expand(pseudorandomKey: key, info: message, byteCount: 80)) }
      },
      Operation("pbkdf2.sha256", secrets: { Secrets.octets(count: $0, length: 20) }) { secret in
        let password = SecretBytes(copying: secret)
        return {
          consume(
            try? PBKDF2<SHA2.SHA256>.deriveKey(password: password, salt: message, iterationCount: 3, byteCount: 40))
        }
      },
      Operation("pbkdf2.sha512", secrets: { Secrets.octets(count: $0, length: 20) }) { secret in
        let password = SecretBytes(copying: secret)
        return {
          consume(
            try? PBKDF2<SHA2.SHA512>.deriveKey(password: password, salt: message, iterationCount: 3, byteCount: 80))
        }
      },
    ]
  }

  private static let blockVector = [UInt8](repeating: 8, count: 16)

  /// AES-CBC with HMAC.
  static var composite: [Operation] {
    [
      Operation("aes128cbc-hs256.key", secrets: { Secrets.octets(count: $0, length: 32) }) { secret in
        let key = SecretBytes(copying: secret)
        return { consume(try? AESCBCHMAC(key: key)) }
      },
      Operation("aes256cbc-hs512.seal with any key", secrets: { Secrets.octets(count: $0, length: 64) }) { secret in
        let cipher = try AESCBCHMAC(key: SecretBytes(copying: secret))
        return { consume(try? cipher.seal(message, authenticating: message, initializationVector: blockVector)) }
      },
      Operation("aes128cbc-hs256.seal of any plaintext", secrets: { Secrets.octets(count: $0, length: 300) }) {
        secret in
        let cipher = try AESCBCHMAC(key: SecretBytes(copying: [UInt8](repeating: 9, count: 32)))
        return { consume(try? cipher.seal(secret, authenticating: message, initializationVector: blockVector)) }
      },
      Operation("aes128cbc-hs256.open with any key", secrets: { Secrets.octets(count: $0, length: 32) }) { secret in
        let cipher = try AESCBCHMAC(key: SecretBytes(copying: secret))
        let sealed = try cipher.seal(message, authenticating: message, initializationVector: blockVector)
        return { consume(opened(sealed.ciphertext, sealed.authenticationTag, cipher)) }
      },
      // The secret is what a forger wants to learn: how much of the tag is right.
      Operation(
        "aes128cbc-hs256.open with any wrong tag",
        secrets: { count in differences(count: count, length: 16) }
      ) { secret in
        let cipher = try AESCBCHMAC(key: SecretBytes(copying: [UInt8](repeating: 9, count: 32)))
        let sealed = try cipher.seal(message, authenticating: message, initializationVector: blockVector)
        let tag = zip(sealed.authenticationTag, secret).map { $0 ^ $1 }
        return { consume(opened(sealed.ciphertext, tag, cipher)) }
      },
    ]
  }

  private static func opened(_ ciphertext: [UInt8], _ tag: [UInt8], _ cipher: AESCBCHMAC) -> [UInt8]? {
    try? cipher.open(
      ciphertext: ciphertext, authenticationTag: tag, initializationVector: blockVector, authenticating: message)
  }

  /// AES Key Wrap.
  static var wrapping: [Operation] {
    [
      Operation("aes256kw.key", secrets: { Secrets.octets(count: $0, length: 32) }) { secret in
        let key = SecretBytes(copying: secret)
        return { consume(try? AESKeyWrap(key: key)) }
      },
      Operation("aes256kw.wrap with any key", secrets: { Secrets.octets(count: $0, length: 32) }) { secret in
        let wrap = try AESKeyWrap(key: SecretBytes(copying: secret))
        let key = SecretBytes(copying: [UInt8](repeating: 5, count: 32))
        return { consume(try? wrap.wrap(key)) }
      },
      Operation("aes256kw.wrap of any key", secrets: { Secrets.octets(count: $0, length: 32) }) { secret in
        let wrap = try AESKeyWrap(key: SecretBytes(copying: [UInt8](repeating: 5, count: 32)))
        let key = SecretBytes(copying: secret)
        return { consume(try? wrap.wrap(key)) }
      },
      Operation("aes256kw.unwrap with any key", secrets: { Secrets.octets(count: $0, length: 32) }) { secret in
        let wrap = try AESKeyWrap(key: SecretBytes(copying: secret))
        let wrapped = try wrap.wrap(SecretBytes(copying: [UInt8](repeating: 5, count: 32)))
        return { consume(try? wrap.unwrap(wrapped)) }
      },
      // The first is intact, the others are not: which is which must not show.
      Operation(
        "aes256kw.unwrap, intact or not",
        secrets: { count in [[UInt8](repeating: 0, count: 40)] + differences(count: count - 1, length: 40) }
      ) { secret in
        let wrap = try AESKeyWrap(key: SecretBytes(copying: [UInt8](repeating: 5, count: 32)))
        let wrapped = try wrap.wrap(SecretBytes(copying: [UInt8](repeating: 6, count: 32)))
        let received = zip(wrapped, secret).map { $0 ^ $1 }
        return { consume(wrap.unwrapOrRandom(received, byteCount: 32)) }
      },
    ]
  }

  /// Strings to add to a right value, each of which makes it wrong at another place.
  static func differences(count: Int, length: Int) -> [[UInt8]] {
    (0..<count).map { index in
      var difference = [UInt8](repeating: 0, count: length)
      difference[index * 7 % length] = UInt8(truncatingIfNeeded: 1 &<< (index & 7))
      return difference
    }
  }
}
