import PureCrypto

extension TaintedOperations {
  static var derivation: [TaintedOperation] {
    authentication("hmac-sha256", SHA2.SHA256.self) + authentication("hmac-sha384", SHA2.SHA384.self)
      + authentication("hmac-sha512", SHA2.SHA512.self) + [
        TaintedOperation("hmac.is-valid, right or wrong", decides: true, changes(32)) { secret in
          let key = [UInt8](repeating: 9, count: 32)
          var hmac = try HMACSHA256(key: key)
          hmac.update(message)
          return hmac.isValid(changed(try HMACSHA256.authenticate(message, key: key), by: secret)) ? [1] : nil
        },
        TaintedOperation("hmac.equal digests, right or wrong", decides: true, changes(32)) { secret in
          SHA2.SHA256.hash(secret) == SHA2.SHA256.hash([UInt8](repeating: 0, count: 32)) ? [1] : nil
        },
        TaintedOperation("concat-kdf", octets(32)) { secret in
          try SharedSecret(SecretBytes(copying: secret)).concatKDFDerivedKey(otherInfo: message, bitCount: 384)
            .withUnsafeBytes { Array($0) }
        },
        TaintedOperation("shared-secret.is-same, right or wrong", decides: true, changes(32)) { secret in
          let own = [UInt8](repeating: 9, count: 32)
          return SharedSecret(SecretBytes(copying: own)).isSame(as: SecretBytes(copying: changed(own, by: secret)))
            ? [1] : nil
        },
        TaintedOperation("hkdf.sha256", octets(32)) { secret in
          try extractedAndExpanded(secret, SHA2.SHA256.self)
        },
        TaintedOperation("hkdf.sha512", octets(32)) { secret in
          try extractedAndExpanded(secret, SHA2.SHA512.self)
        },
        TaintedOperation("pbkdf2.sha256", octets(20) + octets(70)) { secret in
          try PBKDF2<SHA2.SHA256>.deriveKey(
            password: SecretBytes(copying: secret), salt: message, iterationCount: 3, byteCount: 40
          ).withUnsafeBytes { Array($0) }
        },
        // The password alone: with several lanes, and addresses that depend on it from the middle of the first pass on.
        TaintedOperation("argon2id", octets(20) + octets(130)) { secret in
          try Argon2id.deriveKey(
            password: SecretBytes(copying: secret), salt: message, kibibyteCount: 32, passCount: 2, laneCount: 2,
            byteCount: 80
          ).withUnsafeBytes { Array($0) }
        },
        TaintedOperation("pbkdf2.sha1", octets(20) + octets(70)) { secret in
          try PBKDF2SHA1.deriveKey(
            password: SecretBytes(copying: secret), salt: message, iterationCount: 3, byteCount: 32
          ).withUnsafeBytes { Array($0) }
        },
        TaintedOperation("pbkdf2.sha512", octets(20) + octets(130)) { secret in
          try PBKDF2<SHA2.SHA512>.deriveKey(
            password: SecretBytes(copying: secret), salt: message, iterationCount: 3, byteCount: 80
          ).withUnsafeBytes { Array($0) }
        },
      ]
  }

  private static func extractedAndExpanded<Function: SHA2Function>(
    _ secret: [UInt8], _: Function.Type
  ) throws -> [UInt8] {
    try SharedSecret(SecretBytes(copying: secret))
      .hkdfDerivedKey(Function.self, salt: message, info: message, byteCount: 80).withUnsafeBytes { Array($0) }
  }

  private static func authentication<Function: SHA2Function>(
    _ name: String, _: Function.Type
  ) -> [TaintedOperation] {
    [
      // Shorter than a block, and longer, which is hashed first.
      TaintedOperation("\(name).key", octets(32) + octets(150)) { secret in
        Array(HMACSHA2<Function>.authenticate(message, anyKey: secret))
      },
      TaintedOperation("\(name).key in secret storage", octets(32)) { secret in
        var hmac = HMACSHA2<Function>(anyKey: SecretBytes(copying: secret))
        hmac.update(message[..<7])
        hmac.update(message[7...])
        return Array(hmac.finalize())
      },
      // Three whole blocks of SHA-512, of which kernels take two at once.
      TaintedOperation("\(name).message", octets(400)) { secret in
        Array(HMACSHA2<Function>.authenticate(secret, anyKey: SecretBytes(copying: message)))
      },
    ]
  }
}
