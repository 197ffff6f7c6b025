import PureCrypto

/// Every entry point that takes a secret.
enum TaintedOperations {
  static let message = [UInt8](repeating: 0x61, count: 100)

  /// Messages that enter every loop of the kernels, which take eight blocks at a time: none, less than half a block and
  /// more, eight blocks, twice as many, and what is left behind them: a rest, or seven blocks and one.
  static let messages = [0, 4, 12, 100, 128, 256, 300, 375, 500].map { [UInt8](repeating: 0x62, count: $0) }

  static func octets(_ length: Int) -> [[UInt8]] { Secrets.octets(count: 6, length: length) }

  /// Octets to change a right value by: nothing, and a bit at several places.
  static func changes(_ length: Int) -> [[UInt8]] {
    let none = [UInt8](repeating: 0, count: length)
    return [none]
      + [0, length / 2, length - 1].map { place in
        var change = none
        change[place] = 0x10
        return change
      }
  }

  static func changed(_ octets: some Collection<UInt8>, by change: [UInt8]) -> [UInt8] {
    zip(octets, change).map { $0 ^ $1 }
  }

  // MARK: AES

  static let vector = AESGCM.InitializationVector(fixedField: 7, invocationField: 7)

  static var encryption: [TaintedOperation] {
    [16, 24, 32].map { length in
      TaintedOperation("aes\(length * 8)gcm.seal with any key", octets(length)) { secret in
        let cipher = try AESGCM(key: secret)
        let hashed = try cipher.seal(message, anyInitializationVector: [UInt8](repeating: 7, count: 140))
        return try messages.flatMap { message in
          let sealed = try cipher.seal(message, authenticating: message, uniqueInitializationVector: vector)
          return sealed.ciphertext + sealed.authenticationTag
        } + hashed.ciphertext + hashed.authenticationTag
      }
    }
      + [16, 24, 32].map { length in
        TaintedOperation("aes\(length * 8)gcm.open with any key", octets(length)) { secret in
          let cipher = try AESGCM(key: secret)
          return try messages.flatMap { message in
            let sealed = try cipher.seal(message, authenticating: message, uniqueInitializationVector: vector)
            return try cipher.open(
              ciphertext: sealed.ciphertext, authenticationTag: sealed.authenticationTag, initializationVector: vector,
              authenticating: message)
          }
        }
      } + [
        TaintedOperation("aes256gcm.seal with a key in secret storage", octets(32)) { secret in
          let key = SecretBytes(copying: secret)
          let sealed = try AESGCM(key: key).seal(message, authenticating: [], uniqueInitializationVector: vector)
          return sealed.ciphertext + sealed.authenticationTag
        },
        TaintedOperation("aes256gcm.seal of any plaintext", octets(500) + octets(300) + octets(5)) { secret in
          let cipher = try AESGCM(key: [UInt8](repeating: 9, count: 32))
          let sealed = try cipher.seal(secret, authenticating: message, uniqueInitializationVector: vector)
          return sealed.ciphertext + sealed.authenticationTag
        },
        TaintedOperation("aes256gcm.seal under a random initialization vector", octets(32)) { secret in
          let sealed = try AESGCM(key: secret).seal(secret, authenticating: secret)
          return sealed.initializationVector + sealed.ciphertext + sealed.authenticationTag
        },
        TaintedOperation("aes256gcm.seal in place", octets(64)) { secret in
          var bytes = secret
          let tag = try AESGCM(key: secret[..<32]).sealInPlace(
            &bytes, authenticating: message, uniqueInitializationVector: vector)
          return bytes + tag
        },
        TaintedOperation("aes128gcm.open, right or wrong tag", decides: true, changes(16)) { secret in
          let cipher = try AESGCM(key: [UInt8](repeating: 9, count: 16))
          let sealed = try cipher.seal(message, authenticating: message, uniqueInitializationVector: vector)
          return try cipher.open(
            ciphertext: sealed.ciphertext, authenticationTag: changed(sealed.authenticationTag, by: secret),
            initializationVector: vector, authenticating: message)
        },
        TaintedOperation("aes128gcm.open in place, right or wrong tag", decides: true, changes(16)) { secret in
          let cipher = try AESGCM(key: [UInt8](repeating: 9, count: 16))
          var bytes = secret + message
          let tag = try cipher.sealInPlace(&bytes, authenticating: message, uniqueInitializationVector: vector)
          try bytes.withUnsafeMutableBytes {
            try cipher.openInPlace(
              $0, authenticationTag: changed(Array(tag), by: secret), initializationVector: vector,
              authenticating: message)
          }
          return bytes
        },
      ] + composite + wrapping
  }

  private static let blockVector = [UInt8](repeating: 8, count: 16)

  private static var composite: [TaintedOperation] {
    [32, 48, 64].map { length in
      TaintedOperation("aes\(length * 4)cbc-hs\(length * 8).seal, open with any key", octets(length)) { secret in
        let cipher = try AESCBCHMAC(key: SecretBytes(copying: secret))
        // Nine blocks or more: four at a time twice when it is opened, and what is left one by one.
        let sealed = try cipher.seal(secret + message, authenticating: message, initializationVector: blockVector)
        let opened = try cipher.open(
          ciphertext: sealed.ciphertext, authenticationTag: sealed.authenticationTag, initializationVector: blockVector,
          authenticating: message)
        return sealed.ciphertext + sealed.authenticationTag + opened
      }
    } + [
      TaintedOperation("aes128cbc-hs256.open, right or wrong tag", decides: true, changes(16)) { secret in
        let cipher = try AESCBCHMAC(key: SecretBytes(copying: [UInt8](repeating: 9, count: 32)))
        let sealed = try cipher.seal(message, authenticating: message, initializationVector: blockVector)
        return try cipher.open(
          ciphertext: sealed.ciphertext, authenticationTag: changed(sealed.authenticationTag, by: secret),
          initializationVector: blockVector, authenticating: message)
      }
    ]
  }

  private static var wrapping: [TaintedOperation] {
    [16, 24, 32].map { length in
      TaintedOperation("aes\(length * 8)kw.wrap, unwrap with any key", octets(length)) { secret in
        let wrap = try AESKeyWrap(key: SecretBytes(copying: secret))
        let wrapped = try wrap.wrap(SecretBytes(copying: secret + secret))
        return try wrapped + wrap.unwrap(wrapped).withUnsafeBytes { Array($0) }
      }
    } + [
      TaintedOperation("aes256kw.unwrap, intact or not", decides: true, changes(40)) { secret in
        let wrap = try AESKeyWrap(key: SecretBytes(copying: [UInt8](repeating: 5, count: 32)))
        let wrapped = try wrap.wrap(SecretBytes(copying: [UInt8](repeating: 6, count: 32)))
        return try wrap.unwrap(changed(wrapped, by: secret)).withUnsafeBytes { Array($0) }
      },
      // The caller must not learn which it was, so there is a result either way.
      TaintedOperation("aes256kw.unwrap or random, intact or not", changes(40)) { secret in
        let wrap = try AESKeyWrap(key: SecretBytes(copying: [UInt8](repeating: 5, count: 32)))
        let wrapped = try wrap.wrap(SecretBytes(copying: [UInt8](repeating: 6, count: 32)))
        return wrap.unwrapOrRandom(changed(wrapped, by: secret), byteCount: 32).withUnsafeBytes { Array($0) }
      },
    ]
  }
}
