import PureCrypto
import Testing

@Suite("ML-KEM")
struct MLKEMTests {
  private static let sets: [MLKEMParameterSet] = [.mlKEM768, .mlKEM1024]

  private func octets(_ secret: SecretBytes) -> [UInt8] { secret.withUnsafeBytes { Array($0) } }

  @Test("both sides learn the same secret, which is another one each time", arguments: sets)
  func roundTrip(set: MLKEMParameterSet) throws {
    let key = MLKEMPrivateKey(set)
    #expect(key.publicKey != MLKEMPrivateKey(set).publicKey)
    var secrets: Set<[UInt8]> = []
    for _ in 0..<50 {
      let (secret, ciphertext) = key.publicKey.encapsulate()
      #expect(secret.count == 32 && ciphertext.count == set.ciphertextByteCount)
      #expect(octets(try key.decapsulate(ciphertext)) == octets(secret))
      secrets.insert(octets(secret))
    }
    #expect(secrets.count == 50)
  }

  @Test("a changed ciphertext gives J(z ‖ c), wherever the change is", arguments: sets)
  func implicitRejection(set: MLKEMParameterSet) throws {
    let seed = testBytes(count: 64)
    let key = try MLKEMPrivateKey(set, seed: SecretBytes(copying: seed))
    let (secret, ciphertext) = key.publicKey.encapsulate()
    for place in Array(stride(from: 0, to: ciphertext.count, by: 13)) + [ciphertext.count - 1] {
      var changed = ciphertext
      changed[place] ^= 1 << UInt8(place & 7)
      var shake = SHAKE.shake256
      shake.update(seed[32...])
      shake.update(changed)
      let own = octets(try key.decapsulate(changed))
      #expect(own == shake.output(byteCount: 32) && own != octets(secret), "octet \(place)")
    }
  }

  @Test("a public key with a coefficient of 3329 or more is refused, wherever it is", arguments: sets)
  func modulusCheck(set: MLKEMParameterSet) throws {
    let bytes = MLKEMPrivateKey(set).publicKey.rawRepresentation
    for place in 0..<(set.rank * 256) {
      for value in [3328, 3329, 4095] {
        var changed = bytes
        // Two coefficients in three bytes.
        let start = place / 2 * 3
        if place & 1 == 0 {
          changed[start] = UInt8(value & 0xff)
          changed[start + 1] = changed[start + 1] & 0xf0 | UInt8(value >> 8)
        } else {
          changed[start + 1] = changed[start + 1] & 0x0f | UInt8(value & 15) << 4
          changed[start + 2] = UInt8(value >> 4)
        }
        let key = try? MLKEMPublicKey(set, rawRepresentation: changed)
        #expect((key != nil) == (value == 3328), "\(value) at \(place)")
      }
    }
  }

  @Test("any other length is refused", arguments: sets)
  func lengths(set: MLKEMParameterSet) throws {
    let key = MLKEMPrivateKey(set)
    let (publicKey, ciphertext) = (key.publicKey.rawRepresentation, key.publicKey.encapsulate().ciphertext)
    for change in [-1, 1] {
      let (short, long) = (publicKey.dropLast(), publicKey + [0])
      #expect(throws: CryptoError(.invalidPublicKey)) {
        _ = try MLKEMPublicKey(set, rawRepresentation: change < 0 ? Array(short) : long)
      }
      let other = change < 0 ? Array(ciphertext.dropLast()) : ciphertext + [0]
      #expect(throws: CryptoError(.decryptionFailed)) { _ = try key.decapsulate(other) }
      #expect(throws: CryptoError(.invalidPrivateKey)) {
        _ = try MLKEMPrivateKey(set, seed: SecretBytes(copying: testBytes(count: 64 + change)))
      }
    }
    #expect(throws: CryptoError(.invalidPublicKey)) { _ = try MLKEMPublicKey(set, rawRepresentation: []) }
    #expect(throws: CryptoError(.decryptionFailed)) { _ = try key.decapsulate([]) }
  }

  @Test("an expanded key comes back, and a damaged one is refused", arguments: sets)
  func expandedKeys(set: MLKEMParameterSet) throws {
    let key = MLKEMPrivateKey(set)
    let expanded = octets(key.expanded.expandedRepresentation)
    let again = try MLKEMDecapsulationKey(set, expandedRepresentation: expanded)
    #expect(again.publicKey == key.publicKey && octets(again.expandedRepresentation) == expanded)
    let (secret, ciphertext) = key.publicKey.encapsulate()
    #expect(octets(try ciphertext.withUnsafeBytes { try again.decapsulate(bytes: $0) }) == octets(secret))
    // ŝ's first coefficient, and H(ek).
    for (place, value) in [(0, UInt8(0xff)), (1, 0xff), (expanded.count - 40, expanded[expanded.count - 40] ^ 1)] {
      var changed = expanded
      changed[place] = value
      if place == 0 { changed[1] |= 0x0f }
      #expect(throws: CryptoError(.invalidPrivateKey)) {
        _ = try MLKEMDecapsulationKey(set, expandedRepresentation: changed)
      }
    }
  }

  @Test("a description shows no seed")
  func descriptions() {
    let key = MLKEMPrivateKey(.mlKEM768)
    for text in ["\(key)", String(reflecting: key)] { #expect(text == "MLKEMPrivateKey(redacted)") }
    #expect(octets(key.seed).count == 64)
  }
}

extension CryptoError {
  /// An error of which only the code counts.
  fileprivate init(_ code: Code) { self.init(code, "") }
}
