#if DEBUG
  import PureCrypto
  import Synchronization
  import Testing

  /// What no result shows: how much is drawn and used, and what is wiped.
  @Suite("Draws and wipes")
  struct SecretEventsTests {
    /// What was drawn and what was in memory that was wiped, in this order each.
    private final class Log: Sendable {
      let drawn = Mutex<[[UInt8]]>([])
      let wiped = Mutex<[[UInt8]]>([])

      var draws: [[UInt8]] { drawn.withLock { $0 } }
      var wipes: [[UInt8]] { wiped.withLock { $0 } }
    }

    /// Runs a closure, with one octet in place of all random ones if it is given.
    private func observed(octet: UInt8? = nil, _ body: () throws -> Void) rethrows -> Log {
      let log = Log()
      let observer = SecretEvents(
        drawing: { memory in
          if let octet {
            for place in memory.indices { memory[place] = octet }
          } else {
            var generator = SystemRandomNumberGenerator()
            SystemRandom.fill(memory, using: &generator)
          }
          log.drawn.withLock { $0.append(Array(memory)) }
          return true
        }, wiping: { memory in log.wiped.withLock { $0.append(Array(memory)) } })
      try SecretEvents.$observer.withValue(observer) { try body() }
      return log
    }

    private func key(hasFactors: Bool) throws -> AnyRSAPrivateKey {
      let key = try RSATests.key.get()
      return hasFactors ? key : try AnyRSAPrivateKey(publicKey: key.publicKey, d: key.numbers.d)
    }

    private func signature(_ key: AnyRSAPrivateKey, _ padding: RSASignaturePadding = .pkcs1v15) throws -> [UInt8] {
      try key.signature(for: [1, 2, 3], padding: padding, function: SHA2.SHA256.self)
    }

    @Test("every private operation of RSA is blinded by a value of its own", arguments: [true, false])
    func blindingIsFresh(hasFactors: Bool) throws {
      let key = try key(hasFactors: hasFactors)
      let message = SecretBytes(copying: Array(repeating: 7, count: 32))
      let ciphertext = try key.publicKey.encrypt(message, padding: .oaepSHA256)
      let operations: [(name: String, draws: [Int], body: () throws -> Void)] = [
        ("PKCS #1", [256], { _ = try signature(key) }),
        ("PSS", [32, 256], { _ = try signature(key, .pss) }),
        ("OAEP", [256], { _ = try key.decrypt(ciphertext, padding: .oaepSHA256) }),
        ("OAEP of a key", [32, 256], { _ = key.decryptKey(ciphertext, padding: .oaepSHA256, byteCount: 32) }),
      ]
      for (name, draws, body) in operations {
        let first = try observed { try body() }
        let second = try observed { try body() }
        #expect(first.draws.map(\.count) == draws, "\(name)")
        #expect(second.draws.map(\.count) == draws, "\(name)")
        #expect(first.draws.last != second.draws.last, "\(name)")
      }
    }

    @Test("the blinding value is used, and the result does not depend on it", arguments: [true, false])
    func blindingIsUsed(hasFactors: Bool) throws {
      let key = try key(hasFactors: hasFactors)
      let expected = try signature(key)
      for octet: UInt8 in [1, 0x5A, 0xFF] {
        var found: [UInt8] = []
        _ = try observed(octet: octet) { found = try signature(key) }
        #expect(found == expected)
      }
      // Zero has no inverse: whoever multiplies by it loses the result.
      #expect(throws: CryptoError.self) { _ = try observed(octet: 0) { _ = try signature(key) } }
    }

    @Test("a key without factors is tried under a blinding value as well")
    func importIsBlinded() throws {
      let key = try RSATests.key.get()
      let log = try observed { _ = try AnyRSAPrivateKey(publicKey: key.publicKey, d: key.numbers.d) }
      #expect(log.draws.map(\.count) == [256])
    }

    @Test("a hedged nonce takes fresh randomness once, a deterministic one takes none")
    func hedgedNonces() throws {
      let key = P256PrivateKey()
      let logs = (0..<2).map { _ in observed { _ = key.signature(for: [1], nonce: .hedged) } }
      #expect(logs.allSatisfy { $0.draws.count == 1 && $0.draws[0].count >= 16 })
      #expect(logs[0].draws != logs[1].draws)
      let signatures = ([1, 2] as [UInt8]).map { octet in
        var signature: [UInt8] = []
        _ = observed(octet: octet) { signature = key.signature(for: [1], nonce: .hedged).rawRepresentation }
        return signature
      }
      #expect(signatures[0] != signatures[1])
      #expect(observed { _ = key.signature(for: [1], nonce: .deterministic) }.draws.isEmpty)
    }

    /// What is wiped as the last owner of a value goes.
    private func wiped<Value>(_ make: () throws -> Value) rethrows -> [[UInt8]] {
      var value: Value? = try make()
      withExtendedLifetime(value) {}
      return observed { value = nil }.wipes
    }

    private func hasOctets(_ wipes: [[UInt8]], _ octets: [UInt8], count: Int = 1) -> Bool {
      wipes.count == count && wipes.contains { $0.starts(with: octets) || $0.starts(with: octets.reversed()) }
    }

    @Test("what lives long is wiped with its last owner, and whole")
    func longLivedSecrets() throws {
      let octets = (1...66).map { UInt8($0) }
      let (short, long) = (Array(octets.prefix(32)), Array(octets.prefix(48)))
      #expect(hasOctets(wiped { SecretBytes(copying: octets) }, octets))
      #expect(hasOctets(try wiped { try P256PrivateKey(rawRepresentation: short) }, short))
      #expect(hasOctets(try wiped { try P384PrivateKey(rawRepresentation: long) }, long))
      #expect(
        hasOctets(try wiped { try P521PrivateKey(rawRepresentation: [0] + octets.prefix(65)) }, [0] + octets.prefix(65))
      )
      #expect(hasOctets(try wiped { try Ed25519PrivateKey(rawRepresentation: short) }, short))
      #expect(hasOctets(try wiped { try X25519PrivateKey(rawRepresentation: short) }, short))
      // The key schedule, of which the key is a part on the processor's instructions.
      #expect(try wiped { try AESGCM(key: short) }.count == 1)
      #expect(try wiped { try AESKeyWrap(key: SecretBytes(copying: short)) }.count == 1)
      #expect(try wiped { try AESCBCHMAC(key: SecretBytes(copying: short)) }.count == 1)
    }

    @Test("both parts of an RSA key are wiped with its last owner")
    func longLivedRSA() throws {
      let key = try RSATests.key.get()
      let numbers = key.numbers
      func octets(_ number: SecretBytes) -> [UInt8] { number.withUnsafeBytes { Array($0) } }
      let copied = try wiped {
        try AnyRSAPrivateKey(
          publicKey: key.publicKey, d: numbers.d, p: numbers.factors[0], q: numbers.factors[1],
          dp: numbers.factors[2], dq: numbers.factors[3], qi: numbers.factors[4])
      }
      #expect(hasOctets(copied, octets(numbers.factors[0]), count: 2))
      #expect(copied.contains { $0.starts(with: octets(numbers.d).reversed()) })
      #expect(hasOctets(try wiped { try self.key(hasFactors: false) }, octets(numbers.d)))
    }

    @Test("what an operation works in is wiped at its end")
    func workingMemory() throws {
      let key = try RSATests.key.get()
      // Eight integers as long as the modulus; ten as long as a prime.
      let signing = try observed { _ = try signature(key) }
      #expect(signing.wipes.count { $0.count == 8 * 256 } == 1)
      let making = try observed { _ = try AnyRSAPrivateKey(bitCount: 2048) }
      #expect(making.wipes.count { $0.count == 10 * 128 } == 1)
    }
  }
#endif
