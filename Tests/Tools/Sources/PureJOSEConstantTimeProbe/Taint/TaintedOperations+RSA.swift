import PureCrypto

extension TaintedOperations {
  static var rsa: [TaintedOperation] { rsaKeys + rsaUses + rsaEncryption + rsaSteps }

  /// A key of which everything but n and e is tainted: d, p, q, dp, dq and qi behind each other.
  struct RSAParts {
    let publicKey: AnyRSAPublicKey
    let secret: [UInt8]

    init(_ key: AnyRSAPrivateKey) {
      publicKey = key.publicKey
      let numbers = key.numbers
      secret = ([numbers.d] + numbers.factors).flatMap { $0.withUnsafeBytes { Array($0) } }
    }

    func key(_ secret: [UInt8]) throws -> AnyRSAPrivateKey {
      let parts = rsaParts(secret).map { SecretBytes(copying: $0) }
      return try AnyRSAPrivateKey(
        publicKey: publicKey, d: parts[0], p: parts[1], q: parts[2], dp: parts[3], dq: parts[4], qi: parts[5])
    }

    func keyWithoutFactors(_ secret: [UInt8]) throws -> AnyRSAPrivateKey {
      try AnyRSAPrivateKey(publicKey: publicKey, d: SecretBytes(copying: secret[..<256]))
    }
  }

  static let rsaTestKeys = RSATestKeys.all.map { RSAParts($0) }
  private static let longerTestKeys = RSATestKeys.longer.map { RSAParts($0) }
  private static var rsaSecrets: [[UInt8]] { rsaTestKeys.map(\.secret) }

  /// Of the same key: as it is, and with one bit of each part changed.
  private static var rsaChanges: [[UInt8]] {
    let secret = rsaTestKeys[0].secret
    return [secret]
      + [255, 300, 383, 511, 639, 767, 895].map { place in
        var changed = secret
        changed[place] ^= 4
        return changed
      }
  }

  private static var rsaKeys: [TaintedOperation] {
    [
      TaintedOperation("rsa2048.import of any key", numbered: rsaSecrets) { secret, number in
        try rsaTestKeys[number].key(secret).numbers.d.withUnsafeBytes { Array($0) }
      },
      TaintedOperation("rsa2048.import, consistent or not", decides: true, rsaChanges) { secret in
        try rsaTestKeys[0].key(secret).numbers.d.withUnsafeBytes { Array($0) }
      },
      TaintedOperation(
        "rsa2048.import without factors, right or wrong", decides: true, [rsaChanges[0], rsaChanges[1]]
      ) { secret in
        try rsaTestKeys[0].keyWithoutFactors(secret).numbers.d.withUnsafeBytes { Array($0) }
      },
      TaintedOperation("rsa2048.generate", [[0]]) { _ in
        let numbers = try AnyRSAPrivateKey(bitCount: 2048).numbers
        return numbers.factors.flatMap { $0.withUnsafeBytes { Array($0) } }
      },
      TaintedOperation("rsa2048.der and pem, written and read", [rsaSecrets[0]]) { secret in
        guard let der = try rsaTestKeys[0].key(secret).derRepresentation else { return nil }
        let key = try AnyRSAPrivateKey(derRepresentation: der.withUnsafeBytes { Array($0) })
        guard let pem = key.pemRepresentation else { return nil }
        let again = try AnyRSAPrivateKey(pemRepresentation: Taint.pem(pem, around: rsaParts(secret)))
        return again.derRepresentation?.withUnsafeBytes { Array($0) }
      },
    ]
  }

  /// d, p, q, dp, dq and qi.
  static func rsaParts(_ secret: [UInt8]) -> [ArraySlice<UInt8>] {
    // The others are half as long as d.
    let starts = (2...7).reduce(into: [0]) { starts, end in starts.append(secret.count / 7 * end) }
    return zip(starts, starts.dropFirst()).map { secret[$0..<$1] }
  }

  private static var rsaUses: [TaintedOperation] {
    let paddings: [(String, RSASignaturePadding)] = [("pkcs1", .pkcs1v15), ("pss", .pss)]
    return paddings.map { name, padding in
      TaintedOperation("rsa2048.sign, \(name)", numbered: rsaSecrets) { secret, number in
        try rsaTestKeys[number].key(secret).signature(for: message, padding: padding, function: SHA2.SHA256.self)
      }
    }
      + zip(["rsa3072", "rsa4096"], 0...).map { name, number in
        // Kernels have other loops for them.
        TaintedOperation("\(name).sign, pkcs1", [longerTestKeys[number].secret]) { secret in
          try longerTestKeys[number].key(secret).signature(for: message, padding: .pkcs1v15, function: SHA2.SHA256.self)
        }
      } + [
        TaintedOperation("rsa2048.sign without factors", [rsaSecrets[0]]) { secret in
          try rsaTestKeys[0].keyWithoutFactors(secret).signature(
            for: message, padding: .pkcs1v15, function: SHA2.SHA256.self)
        },
        TaintedOperation(
          "rsa2048.oaep decryption, valid or not", decides: true, numbered: Array(repeating: rsaSecrets[0], count: 6)
        ) { secret, number in
          let message = try rsaTestKeys[0].key(secret).decrypt(ciphertexts[number], padding: .oaepSHA256)
          return message.withUnsafeBytes { Array($0) }
        },
        // The caller must not learn which it was, so there is a result either way.
        TaintedOperation(
          "rsa2048.oaep decryption of a key, valid or not", numbered: Array(repeating: rsaSecrets[0], count: 6)
        ) { secret, number in
          let key = try rsaTestKeys[0].key(secret).decryptKey(ciphertexts[number], padding: .oaepSHA256, byteCount: 32)
          return key.withUnsafeBytes { Array($0) }
        },
      ]
  }

  private static var rsaEncryption: [TaintedOperation] {
    [
      TaintedOperation("rsa2048.encrypt any secret", octets(32)) { secret in
        try rsaTestKeys[0].publicKey.encrypt(SecretBytes(copying: secret), padding: .oaepSHA256)
      }
    ]
  }

  /// Of an encoded message, and of five numbers that decrypt to something that is none.
  private static let ciphertexts: [[UInt8]] = {
    let secret = SecretBytes(copying: message[..<32])
    let encrypted = (try? rsaTestKeys[0].publicKey.encrypt(secret, padding: .oaepSHA256)) ?? []
    return (0..<6).map { number in
      var changed = encrypted
      if number > 0 { changed[255 - number] ^= 1 }
      return changed
    }
  }()

  /// What a private operation is made of, with more secrets than a whole one has time for.
  private static var rsaSteps: [TaintedOperation] {
    let paddings: [(String, RSAEncryptionPadding)] = [
      ("sha1", .oaepSHA1), ("sha256", .oaepSHA256), ("sha384", .oaepSHA384), ("sha512", .oaepSHA512),
    ]
    return paddings.map { name, padding in
      TaintedOperation("rsa.oaep-\(name) decoding, valid or not", Secrets.oaepEncodings(count: 8, padding: padding)) {
        secret in
        var encoded = secret
        return encoded.withUnsafeMutableBytes { encoded in
          let start = OAEPEncoding(padding: padding).decode(encoded).messageStart
          return Array(encoded) + [UInt8(truncatingIfNeeded: start)]
        }
      }
    } + [
      TaintedOperation("rsa.power with any exponent", octets(64)) { secret in
        let base = [UInt64](repeating: 0x1234_5678_9abc_def1, count: 8)
        let modulus = [UInt64](repeating: ~0, count: 8)
        return MontgomeryModulus.power(base, Secrets.limbs(secret), modulus: modulus).flatMap { word in
          (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) }
        }
      },
      TaintedOperation("rsa.power of any base", octets(64)) { secret in
        let base = [0] + Secrets.limbs(secret).dropFirst()
        let exponent = [UInt64](repeating: 0xfedc_ba98_7654_3210, count: 2)
        let modulus = [UInt64](repeating: ~0, count: 8)
        return MontgomeryModulus.power(base, exponent, modulus: modulus).flatMap { word in
          (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) }
        }
      },
    ]
  }
}
