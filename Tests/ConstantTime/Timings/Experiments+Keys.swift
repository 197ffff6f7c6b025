import PureCrypto

extension Experiments {
  /// Scalars: one with a long run of zeros, or random ones.
  private static func scalars(_ number: Int, _ count: Int) -> [[UInt8]] {
    let small = [UInt8](repeating: 0, count: count - 1) + [1]
    return (0..<number).map { _ in small.map { $0 } }
      + (0..<number).map { _ in [0] + random(count - 1) }
  }

  static var curves: [Experiment] {
    primeCurve("P-256", P256PrivateKey.self, 32, slowness: 1)
      + primeCurve("P-384", P384PrivateKey.self, 48, slowness: 20)
      + primeCurve("P-521", P521PrivateKey.self, 66, slowness: 20) + [
        Experiment("Ed25519 import") { number in
          let seeds = zerosOrRandom(number, 32)
          return { place in consume(try? Ed25519PrivateKey(rawRepresentation: seeds[place])) }
        },
        Experiment("Ed25519 sign") { number in
          let keys = try zerosOrRandom(number, 32).map { try Ed25519PrivateKey(rawRepresentation: $0) }
          return { place in consume(keys[place].signature(for: message)) }
        },
        Experiment("X25519 shared secret") { number in
          let keys = try zerosOrRandom(number, 32).map { try X25519PrivateKey(rawRepresentation: $0) }
          let other = try X25519PrivateKey(rawRepresentation: random(32)).publicKey
          return { place in consume(try? keys[place].sharedSecret(with: other)) }
        },
      ]
  }

  private static func primeCurve<Curve: EllipticCurve>(
    _ name: String, _: ECPrivateKey<Curve>.Type, _ count: Int, slowness: Int
  ) -> [Experiment] {
    typealias Key = ECPrivateKey<Curve>
    return [
      Experiment("\(name) import", slowness: slowness) { number in
        let scalars = scalars(number, count)
        return { place in consume(try? Key(rawRepresentation: scalars[place])) }
      },
      Experiment("\(name) sign", slowness: slowness) { number in
        let keys = try scalars(number, count).map { try Key(rawRepresentation: $0) }
        return { place in consume(keys[place].signature(for: message, nonce: .deterministic)) }
      },
      Experiment("\(name) sign, nonce", slowness: slowness) { number in
        let key = try Key(rawRepresentation: [0] + random(count - 1))
        let nonces = scalars(number, count)
        let digest = SHA2.SHA256.hash(message)
        return { place in
          consume(try? key.signature(forDigest: digest, givenNonce: nonces[place]))
        }
      },
      Experiment("\(name) shared secret", slowness: slowness) { number in
        let keys = try scalars(number, count).map { try Key(rawRepresentation: $0) }
        let other = try Key(rawRepresentation: [0] + random(count - 1)).publicKey
        return { place in consume(try? keys[place].sharedSecret(with: other)) }
      },
    ]
  }

  static var rsa: [Experiment] {
    [
      Experiment("RSA-2048 decrypt, ciphertext", slowness: 20) { number in
        let key = try RSAPrivateKey(bitCount: 2048)
        let fixed = try key.publicKey.encrypt(message, padding: .oaepSHA256)
        let ciphertexts =
          (0..<number).map { _ in fixed.map { $0 } }
          + (try (0..<number).map { _ in try key.publicKey.encrypt(message, padding: .oaepSHA256) })
        return { place in consume(try? key.decrypt(ciphertexts[place], padding: .oaepSHA256)) }
      },
      Experiment("RSA-2048 decrypt a key, validity", slowness: 20) { number in
        let key = try RSAPrivateKey(bitCount: 2048)
        let fixed = try key.publicKey.encrypt(random(32), padding: .oaepSHA256)
        let ciphertexts = (0..<number).map { _ in fixed.map { $0 } } + (0..<number).map { _ in [0] + random(255) }
        return { place in consume(key.decryptKey(ciphertexts[place], padding: .oaepSHA256, byteCount: 32)) }
      },
      Experiment("RSA-2048 sign", slowness: 20) { number in
        let key = try RSAPrivateKey(bitCount: 2048)
        let messages = secrets(number, 32)
        return { place in
          consume(try? key.signature(for: messages[place], padding: .pkcs1v15, function: SHA2.SHA256.self))
        }
      },
    ]
  }
}
