import JOSE
import PureCrypto

/// Every entry point that takes a secret, and the twins that leak.
enum Operations {
  static var all: [Operation] {
    hashing + derivation + encryption + composite + wrapping + curve + primeCurves + curve25519 + rsa + tokens
      + encoding + leakyTwins
  }

  static let message = [UInt8](repeating: 0x61, count: 100)

  /// Eight blocks three times, as kernels take them, then seven blocks and four octets.
  static let longMessage = [UInt8](repeating: 0x62, count: 500)

  private static var hashing: [Operation] {
    [
      Operation("hmac.key", secrets: { Secrets.octets(count: $0, length: 32) }) { secret in
        { consume(HMACSHA256(anyKey: secret)) }
      },
      Operation("hmac.authenticate", secrets: { Secrets.octets(count: $0, length: 32) }) { secret in
        let prepared = HMACSHA256(anyKey: secret)
        return {
          var hmac = prepared
          hmac.update(message)
          consume(hmac.finalize())
        }
      },
      Operation("constant-time.equal", secrets: { Secrets.octets(count: $0, length: 32) }) { secret in
        // No secret is this: whether two values are the same is told, and may be seen.
        let expected = [UInt8](repeating: 0x5A, count: 32)
        return { consume(ConstantTime.equal(secret, expected)) }
      },
      Operation("concat-kdf", secrets: { Secrets.octets(count: $0, length: 32) }) { secret in
        let sharedSecret = SharedSecret(SecretBytes(copying: secret))
        return { consume(try? sharedSecret.concatKDFDerivedKey(otherInfo: message, bitCount: 256)) }
      },
    ]
  }

  static let vector = AESGCM.InitializationVector(fixedField: 7, invocationField: 7)

  private static var encryption: [Operation] {
    [16, 24, 32].map { length in
      Operation("aes\(length * 8)gcm.key", secrets: { Secrets.octets(count: $0, length: length) }) { secret in
        { consume(try? AESGCM(key: secret)) }
      }
    } + [
      Operation("aes256gcm.seal with any key", secrets: { Secrets.octets(count: $0, length: 32) }) { secret in
        let cipher = try AESGCM(key: secret)
        return {
          consume(try? cipher.seal(longMessage, authenticating: longMessage, uniqueInitializationVector: vector))
        }
      },
      Operation("aes256gcm.seal of any plaintext", secrets: { Secrets.octets(count: $0, length: 500) }) { secret in
        let cipher = try AESGCM(key: [UInt8](repeating: 9, count: 32))
        return { consume(try? cipher.seal(secret, authenticating: message, uniqueInitializationVector: vector)) }
      },
      Operation("aes128gcm.open with any key", secrets: { Secrets.octets(count: $0, length: 16) }) { secret in
        let cipher = try AESGCM(key: secret)
        let sealed = try cipher.seal(longMessage, authenticating: longMessage, uniqueInitializationVector: vector)
        return {
          consume(
            try? cipher.open(
              ciphertext: sealed.ciphertext, authenticationTag: sealed.authenticationTag, initializationVector: vector,
              authenticating: longMessage))
        }
      },
    ]
  }

  private static var curve: [Operation] {
    [
      Operation("p256.import", secrets: Secrets.scalars) { secret in
        { consume(try? P256PrivateKey(rawRepresentation: secret)) }
      },
      Operation("p256.generate", secrets: { Secrets.octets(count: $0, length: 8).map { $0.map { $0 & 0x7F } } }) {
        secret in
        var generator = Sequence64(state: secret.reduce(0) { $0 &<< 8 | UInt64($1) })
        return { consume(P256PrivateKey(using: &generator)) }
      },
      Operation("p256.sign with any key", secrets: Secrets.scalars) { secret in
        let key = try P256PrivateKey(rawRepresentation: secret)
        return { consume(key.signature(for: message, nonce: .deterministic)) }
      },
      Operation("p256.sign with any nonce", secrets: Secrets.scalars) { secret in
        let key = try P256PrivateKey(rawRepresentation: [UInt8](repeating: 3, count: 32))
        let digest = SHA2.SHA256.hash(message)
        return { consume(try? key.signature(forDigest: digest, givenNonce: secret)) }
      },
      Operation("p256.shared-secret", secrets: Secrets.scalars) { secret in
        let key = try P256PrivateKey(rawRepresentation: secret)
        let other = try P256PrivateKey(rawRepresentation: [UInt8](repeating: 5, count: 32)).publicKey
        return { consume(try? key.sharedSecret(with: other)) }
      },
    ]
  }

  private static var primeCurves: [Operation] {
    operations("p384", P384Curve.self, length: 48)
      + operations("p521", P521Curve.self, length: 66)
      + operations("secp256k1", Secp256k1Curve.self, length: 32) + [
        Operation("p384.generate", isLong: true, secrets: generatorStates) { secret in
          var generator = Sequence64(state: secret.reduce(0) { $0 &<< 8 | UInt64($1) })
          return { consume(P384PrivateKey(using: &generator)) }
        },
        Operation("p521.generate", isLong: true, secrets: generatorStates) { secret in
          var generator = Sequence64(state: secret.reduce(0) { $0 &<< 8 | UInt64($1) })
          return { consume(P521PrivateKey(using: &generator)) }
        },
        Operation("secp256k1.generate", isLong: true, secrets: generatorStates) { secret in
          var generator = Sequence64(state: secret.reduce(0) { $0 &<< 8 | UInt64($1) })
          return { consume(Secp256k1PrivateKey(using: &generator)) }
        },
      ]
  }

  private static func generatorStates(count: Int) -> [[UInt8]] { Secrets.octets(count: count, length: 8) }

  private static func operations<Curve: EllipticCurve>(
    _ name: String, _: Curve.Type, length: Int
  ) -> [Operation] {
    let scalars = { (count: Int) in Secrets.scalars(count: count, length: length) }
    let three = Array(repeating: 0, count: length - 32) + [UInt8](repeating: 3, count: 32)
    return [
      Operation("\(name).import", isLong: true, secrets: scalars) { secret in
        { consume(try? ECPrivateKey<Curve, KeyUse.All>(rawRepresentation: secret)) }
      },
      Operation("\(name).sign with any key", isLong: true, secrets: scalars) { secret in
        let key = try ECPrivateKey<Curve, KeyUse.All>(rawRepresentation: secret)
        return { consume(key.signature(for: message, nonce: .deterministic)) }
      },
      Operation("\(name).sign with any nonce", isLong: true, secrets: scalars) { secret in
        let key = try ECPrivateKey<Curve, KeyUse.All>(rawRepresentation: three)
        let digest = SHA2.SHA512.hash(message)
        return { consume(try? key.signature(forDigest: digest, givenNonce: secret)) }
      },
      Operation("\(name).shared-secret", isLong: true, secrets: scalars) { secret in
        let key = try ECPrivateKey<Curve, KeyUse.All>(rawRepresentation: secret)
        let other = try ECPrivateKey<Curve, KeyUse.All>(rawRepresentation: three).publicKey
        return { consume(try? key.sharedSecret(with: other)) }
      },
    ]
  }

  private static var curve25519: [Operation] {
    [
      Operation("x25519.import", secrets: { Secrets.octets(count: $0, length: 32) }) { secret in
        { consume(try? X25519PrivateKey(rawRepresentation: secret)) }
      },
      Operation("x25519.shared-secret", secrets: { Secrets.octets(count: $0, length: 32) }) { secret in
        let key = try X25519PrivateKey(rawRepresentation: secret)
        let other = try X25519PrivateKey(rawRepresentation: [UInt8](repeating: 5, count: 32)).publicKey
        return { consume(try? key.sharedSecret(with: other)) }
      },
      Operation("ed25519.import", secrets: { Secrets.octets(count: $0, length: 32) }) { secret in
        { consume(try? Ed25519PrivateKey(rawRepresentation: secret)) }
      },
      Operation("ed25519.sign", secrets: { Secrets.octets(count: $0, length: 32) }) { secret in
        let key = try Ed25519PrivateKey(rawRepresentation: secret)
        return { consume(key.signature(for: message)) }
      },
    ]
  }

  private static var encoding: [Operation] {
    [
      // On AVX2 two vectors, and then what is shorter by a vector, by half of one, and octet by octet.
      Operation("base64url.encode", secrets: { Secrets.octets(count: $0, length: 124) }) { secret in
        { consume(Base64URL.encode(secret)) }
      },
      Operation("base64url.decode", secrets: { Secrets.octets(count: $0, length: 124) }) { secret in
        let text = Base64URL.encode(secret)
        return { consume(try? Base64URL.decode(text)) }
      },
    ]
  }

  private static var leakyTwins: [Operation] {
    [
      Operation("leaky: branch", mustBeConstant: false, secrets: { Secrets.octets(count: $0, length: 32) }) { secret in
        { consume(LeakyTwins.firstDifference(secret, [UInt8](repeating: 0, count: 32))) }
      },
      Operation("leaky: index", mustBeConstant: false, secrets: { Secrets.octets(count: $0, length: 32) }) { secret in
        { consume(LeakyTwins.substituted(secret)) }
      },
    ]
  }
}
