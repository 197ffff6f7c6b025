import PureCrypto
import PureJOSETestSupport
import Testing

@Suite("AES")
struct AESTests {
  /// Source: FIPS 197 appendix C.
  @Test(
    "examples of FIPS 197",
    arguments: [
      ("000102030405060708090a0b0c0d0e0f", "69c4e0d86a7b0430d8cdb78070b4c55a"),
      ("000102030405060708090a0b0c0d0e0f1011121314151617", "dda97ca4864cdfe06eaf70a0ec0d7191"),
      ("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f", "8ea2b7ca516745bfeafc49904b496089"),
    ])
  func standardExamples(key: String, ciphertext: String) throws {
    let plaintext = "00112233445566778899aabbccddeeff"
    let cipher = try AES(key: hex(key))
    #expect(Hex.encode(try cipher.encryptBlocks(hex(plaintext))) == ciphertext)
    #expect(Hex.encode(try cipher.decryptBlocks(hex(ciphertext))) == plaintext)
    let secret = try AES(key: SecretBytes(copying: hex(key)))
    #expect(Hex.encode(try secret.encryptBlocks(hex(plaintext))) == ciphertext)
  }

  /// Every S-box input meets every byte position. With the round keys known, the first AddRoundKey can bring any state
  /// into the first SubBytes, so agreement over all x at all positions is agreement of the circuit with S.
  @Test("the S-box circuit is the algebraic S-box", arguments: [16, 24, 32])
  func sBox(keyByteCount: Int) throws {
    let key = testBytes(count: keyByteCount)
    let cipher = try AES(key: key)
    let reference = SlowAES(key: key)
    for x in 0...255 {
      let block = (0..<16).map { UInt8(truncatingIfNeeded: x &+ 17 * $0) }
      #expect(try cipher.encryptBlocks(block) == reference.encrypt(block))
    }
  }

  @Test("one to forty blocks agree with the standard written out, and come back", arguments: [16, 24, 32])
  func blockCounts(keyByteCount: Int) throws {
    for count in 0...40 {
      let key = testBytes(count: keyByteCount, seed: UInt64(count) + 1)
      let cipher = try AES(key: key)
      let reference = SlowAES(key: key)
      let plaintext = testBytes(count: 16 * count, seed: 99)
      let expected = (0..<count).flatMap { reference.encrypt(Array(plaintext[(16 * $0)..<(16 * $0 + 16)])) }
      let ciphertext = try cipher.encryptBlocks(plaintext)
      #expect(ciphertext == expected)
      #expect(try cipher.decryptBlocks(ciphertext) == plaintext)
    }
  }

  @Test("other key lengths and broken blocks are refused")
  func lengths() throws {
    for count in 0...40 where ![16, 24, 32].contains(count) {
      #expect(throws: CryptoError(.invalidKeyLength, "")) { try AES(key: testBytes(count: count)) }
    }
    let cipher = try AES(key: testBytes(count: 16))
    for count in 1...33 where count % 16 != 0 {
      #expect(throws: CryptoError(.invalidBlockLength, "")) { try cipher.encryptBlocks(testBytes(count: count)) }
      #expect(throws: CryptoError(.invalidBlockLength, "")) { try cipher.decryptBlocks(testBytes(count: count)) }
    }
  }

  @Test("a description shows no key")
  func redaction() throws {
    #expect("\(try AES(key: testBytes(count: 24)))" == "AES(aes192, redacted)")
  }
}
