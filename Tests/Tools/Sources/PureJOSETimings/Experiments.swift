import PureCrypto

/// The entry points that take a secret, on the backend that the process prefers; AES-GCM on all that there are.
enum Experiments {
  static var all: [Experiment] {
    twins + codes + gcm + otherCiphers + derivation + encoding + curves + rsa
  }

  static let message = [UInt8](repeating: 0x61, count: 100)

  static func random(_ count: Int) -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    return (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
  }

  /// A fixed secret or a random one for each place, each in memory of its own.
  static func secrets(_ classes: [SecretClass], _ count: Int) -> [[UInt8]] {
    classes.map { $0 == .fixed ? (0..<count).map { UInt8(truncatingIfNeeded: 7 &* $0 &+ 3) } : random(count) }
  }

  /// A secret as it is most often special: zeros.
  static func zerosOrRandom(_ classes: [SecretClass], _ count: Int) -> [[UInt8]] {
    classes.map { $0 == .fixed ? [UInt8](repeating: 0, count: count) : random(count) }
  }

  private static var twins: [Experiment] {
    [
      Experiment("twin: stop at the first difference", isTwin: true) { classes in
        let guesses = secrets(classes, 32)
        let expected = secrets([.fixed], 32)[0]
        return { place in consume(firstDifference(guesses[place], expected)) }
      }
    ]
  }

  @inline(never)
  private static func firstDifference(_ lhs: [UInt8], _ rhs: [UInt8]) -> Int {
    var index = 0
    while index < lhs.count, lhs[index] == rhs[index] { index += 1 }
    return index
  }

  private static var codes: [Experiment] {
    [
      Experiment("HMAC-SHA-256 key set-up") { classes in
        let keys = zerosOrRandom(classes, 32)
        return { place in consume(HMACSHA256(anyKey: keys[place])) }
      },
      Experiment("HMAC-SHA-256 of 100 octets") { classes in
        let prepared = zerosOrRandom(classes, 32).map { HMACSHA256(anyKey: $0) }
        return { place in
          var code = prepared[place]
          code.update(message)
          consume(code.finalize())
        }
      },
      Experiment("HMAC-SHA-512 of 100 octets", slowness: 1) { classes in
        let prepared = zerosOrRandom(classes, 64).map { HMACSHA512(anyKey: $0) }
        return { place in
          var code = prepared[place]
          code.update(message)
          consume(code.finalize())
        }
      },
      Experiment("ConstantTime.equal: how much is equal") { classes in
        // The fixed class differs in the last octet only.
        let values = secrets(classes, 32)
        let fixed = secrets([.fixed], 32)[0]
        let expected = Array(fixed.dropLast() + [fixed[31] ^ 1])
        return { place in consume(ConstantTime.equal(values[place], expected)) }
      },
    ]
  }

  /// A thousand octets in place, each time the same memory for both classes.
  private static var gcm: [Experiment] {
    Backend.available.reversed().flatMap { backend in
      [
        Experiment("AES-256-GCM key set-up, \(backend)") { classes in
          let keys = zerosOrRandom(classes, 32)
          return { place in consume(try? AESGCM(key: keys[place], backend: backend)) }
        },
        Experiment("AES-256-GCM seal, \(backend)", slowness: backend == .portable ? 2 : 1) { classes in
          let ciphers = try zerosOrRandom(classes, 32).map { try AESGCM(key: $0, backend: backend) }
          let vector = try AESGCM.InitializationVector([UInt8](repeating: 7, count: 12))
          let plaintext = random(1000)
          let text = UnsafeMutableRawBufferPointer.allocate(byteCount: 1000, alignment: 64)
          return { place in
            text.copyBytes(from: plaintext)
            consume(
              try? ciphers[place].sealInPlace(text, authenticating: message, uniqueInitializationVector: vector))
          }
        },
        Experiment("AES-256-GCM open, \(backend)", slowness: backend == .portable ? 2 : 1) { classes in
          let vector = try AESGCM.InitializationVector([UInt8](repeating: 7, count: 12))
          let plaintext = random(1000)
          let sealed = try zerosOrRandom(classes, 32).map { key in
            let cipher = try AESGCM(key: key, backend: backend)
            var text = plaintext
            let tag = try cipher.sealInPlace(&text, authenticating: message, uniqueInitializationVector: vector)
            return (cipher: cipher, text: text, tag: Array(tag))
          }
          let text = UnsafeMutableRawBufferPointer.allocate(byteCount: 1000, alignment: 64)
          return { place in
            text.copyBytes(from: sealed[place].text)
            consume(
              try? sealed[place].cipher.openInPlace(
                text, authenticationTag: sealed[place].tag, initializationVector: vector, authenticating: message))
          }
        },
      ]
    }
  }

  private static var otherCiphers: [Experiment] {
    [
      Experiment("AES-CBC with HMAC: how much of a tag is right") { classes in
        let cipher = try AESCBCHMAC(key: SecretBytes(copying: random(32)))
        let vector = [UInt8](repeating: 7, count: 16)
        let box = try cipher.seal(message, authenticating: message, initializationVector: vector)
        // The fixed class differs in the last octet only.
        let almost = Array(box.authenticationTag.dropLast() + [box.authenticationTag[15] ^ 1])
        let tags = classes.map { $0 == .fixed ? almost.map { $0 } : random(16) }
        return { place in
          consume(
            try? cipher.open(
              ciphertext: box.ciphertext, authenticationTag: tags[place], initializationVector: vector,
              authenticating: message))
        }
      },
      Experiment("AES key wrap: whether a key is intact") { classes in
        let cipher = try AESKeyWrap(key: SecretBytes(copying: random(16)))
        let wrapped = try cipher.wrap(SecretBytes(copying: random(32)))
        let values = classes.map { $0 == .fixed ? wrapped.map { $0 } : random(40) }
        return { place in consume(cipher.unwrapOrRandom(values[place], byteCount: 32)) }
      },
      Experiment("AES key wrap: wrap any key") { classes in
        let cipher = try AESKeyWrap(key: SecretBytes(copying: random(16)))
        let keys = zerosOrRandom(classes, 32).map { SecretBytes(copying: $0) }
        return { place in consume(try? cipher.wrap(keys[place])) }
      },
    ]
  }

  private static var derivation: [Experiment] {
    [
      Experiment("Concat KDF") { classes in
        let secrets = zerosOrRandom(classes, 32).map { SecretBytes(copying: $0) }
        return { place in
          consume(try? SharedSecret(secrets[place]).concatKDFDerivedKey(otherInfo: message, bitCount: 256))
        }
      },
      Experiment("PBKDF2, 10 iterations") { classes in
        let passwords = zerosOrRandom(classes, 20).map { SecretBytes(copying: $0) }
        return { place in
          consume(
            try? PBKDF2<SHA2.SHA256>.deriveKey(
              password: passwords[place], salt: message, iterationCount: 10, byteCount: 32))
        }
      },
    ]
  }

  private static var encoding: [Experiment] {
    [
      Experiment("base64url encode") { classes in
        let values = zerosOrRandom(classes, 64)
        return { place in consume(encoded(values[place])) }
      },
      Experiment("base64url decode") { classes in
        let texts = zerosOrRandom(classes, 64).map { encoded($0) }
        return { place in
          let text = texts[place]
          consume(
            [UInt8](unsafeUninitializedCapacity: 64) { output, count in
              text.withUnsafeBytes { text in
                _ = Base64Alphabet.url.decode(
                  text, into: UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(output)[..<64]))
              }
              count = 64
            })
        }
      },
    ]
  }

  private static func encoded(_ octets: [UInt8]) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: 86) { output, count in
      octets.withUnsafeBytes {
        Base64Alphabet.url.encode($0, into: UnsafeMutableBufferPointer(rebasing: output[..<86]))
      }
      count = 86
    }
  }
}

/// Takes a value so that computing it can't be dropped.
@inline(never)
func consume<Value>(_ value: borrowing Value) { withExtendedLifetime(value) {} }
