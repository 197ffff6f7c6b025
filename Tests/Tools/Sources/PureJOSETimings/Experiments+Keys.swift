import PureCrypto

extension Experiments {
  /// Scalars: one with a long run of zeros, or random ones.
  private static func scalars(_ classes: [SecretClass], _ count: Int) -> [[UInt8]] {
    classes.map { [0] + ($0 == .fixed ? [UInt8](repeating: 0, count: count - 2) + [1] : random(count - 1)) }
  }

  static var curves: [Experiment] {
    primeCurve("P-256", P256PrivateKey.self, 32, slowness: 1)
      + primeCurve("P-384", P384PrivateKey.self, 48, slowness: 20)
      + primeCurve("P-521", P521PrivateKey.self, 66, slowness: 20)
      + primeCurve("secp256k1", Secp256k1PrivateKey.self, 32, slowness: 20) + [
        Experiment("Ed25519 import") { classes in
          let seeds = zerosOrRandom(classes, 32)
          return { place in consume(try? Ed25519PrivateKey(rawRepresentation: seeds[place])) }
        },
        Experiment("Ed25519 sign") { classes in
          let keys = try zerosOrRandom(classes, 32).map { try Ed25519PrivateKey(rawRepresentation: $0) }
          return { place in consume(keys[place].signature(for: message)) }
        },
        Experiment("X25519 shared secret") { classes in
          let keys = try zerosOrRandom(classes, 32).map { try X25519PrivateKey(rawRepresentation: $0) }
          let other = try X25519PrivateKey(rawRepresentation: random(32)).publicKey
          return { place in consume(try? keys[place].sharedSecret(with: other)) }
        },
      ]
  }

  private static func primeCurve<Curve: EllipticCurve>(
    _ name: String, _: ECPrivateKey<Curve, KeyUse.All>.Type, _ count: Int, slowness: Int
  ) -> [Experiment] {
    typealias Key = ECPrivateKey<Curve, KeyUse.All>
    return [
      Experiment("\(name) import", slowness: slowness) { classes in
        let scalars = scalars(classes, count)
        return { place in consume(try? Key(rawRepresentation: scalars[place])) }
      },
      Experiment("\(name) sign", slowness: slowness) { classes in
        let keys = try scalars(classes, count).map { try Key(rawRepresentation: $0) }
        return { place in consume(keys[place].signature(for: message, nonce: .deterministic)) }
      },
      Experiment("\(name) sign, nonce", slowness: slowness) { classes in
        let key = try Key(rawRepresentation: [0] + random(count - 1))
        let nonces = scalars(classes, count)
        let digest = SHA2.SHA256.hash(message)
        return { place in
          consume(try? key.signature(forDigest: digest, givenNonce: nonces[place]))
        }
      },
      Experiment("\(name) shared secret", slowness: slowness) { classes in
        let keys = try scalars(classes, count).map { try Key(rawRepresentation: $0) }
        let other = try Key(rawRepresentation: [0] + random(count - 1)).publicKey
        return { place in consume(try? keys[place].sharedSecret(with: other)) }
      },
    ]
  }

  static var rsa: [Experiment] {
    [
      Experiment("RSA-2048 decrypt, ciphertext", slowness: 20) { classes in
        let key = try AnyRSAPrivateKey(bitCount: 2048)
        let fixed = try key.publicKey.encrypt(message, padding: .oaepSHA256)
        let ciphertexts = try classes.map {
          $0 == .fixed ? fixed.map { $0 } : try key.publicKey.encrypt(message, padding: .oaepSHA256)
        }
        return { place in consume(try? key.decrypt(ciphertexts[place], padding: .oaepSHA256)) }
      },
      Experiment("RSA-2048 decrypt a key, validity", slowness: 20) { classes in
        let key = try AnyRSAPrivateKey(bitCount: 2048)
        let fixed = try key.publicKey.encrypt(random(32), padding: .oaepSHA256)
        let ciphertexts = classes.map { $0 == .fixed ? fixed.map { $0 } : [0] + random(255) }
        return { place in consume(key.decryptKey(ciphertexts[place], padding: .oaepSHA256, byteCount: 32)) }
      },
      Experiment("RSA-2048 sign", slowness: 20) { classes in
        let key = try AnyRSAPrivateKey(bitCount: 2048)
        let messages = secrets(classes, 32)
        return { place in
          consume(try? key.signature(for: messages[place], padding: .pkcs1v15, function: SHA2.SHA256.self))
        }
      },
    ]
  }
}
