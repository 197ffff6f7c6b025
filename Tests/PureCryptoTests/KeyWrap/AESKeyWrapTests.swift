import PureCrypto
import PureJOSETestSupport
import Testing

@Suite("AES Key Wrap")
struct AESKeyWrapTests {
  /// Source: RFC 3394 §4.6.
  @Test("the longest example of RFC 3394", arguments: Backend.available)
  func standardExample(backend: Backend) throws {
    let wrap = try AESKeyWrap(
      key: SecretBytes(copying: hex("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f")),
      backend: backend)
    let key = try hex("00112233445566778899aabbccddeeff000102030405060708090a0b0c0d0e0f")
    let wrapped = "28c9f404c4b810f4cbccb35cfb87f8263f5786e2d80ed326cbc7f0e71a99f43bfb988b9b7a02dd21"
    #expect(Hex.encode(try wrap.wrap(SecretBytes(copying: key))) == wrapped)
    #expect(try wrap.unwrap(hex(wrapped)).withUnsafeBytes { Array($0) } == key)
  }

  @Test("keys of every length come back, with and without an answer", arguments: [16, 24, 32])
  func lengths(keyByteCount: Int) throws {
    let wrap = try AESKeyWrap(key: .random(count: keyByteCount))
    for count in stride(from: 16, through: 128, by: 8) {
      let key = testBytes(count: count, seed: UInt64(count))
      let wrapped = try wrap.wrap(SecretBytes(copying: key))
      #expect(wrapped.count == count + 8)
      #expect(try wrap.unwrap(wrapped).withUnsafeBytes { Array($0) } == key)
      #expect(wrap.unwrapOrRandom(wrapped, byteCount: count).withUnsafeBytes { Array($0) } == key)
    }
  }

  @Test("a flipped bit is refused, or gives a fresh random key each time")
  func tampering() throws {
    let wrap = try AESKeyWrap(key: .random(count: 16))
    let key = testBytes(count: 32)
    let wrapped = try wrap.wrap(SecretBytes(copying: key))
    for bit in 0..<(8 * wrapped.count) {
      var damaged = wrapped
      damaged[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(throws: CryptoError(.authenticationFailed, "")) { try wrap.unwrap(damaged) }
      let first = wrap.unwrapOrRandom(damaged, byteCount: 32).withUnsafeBytes { Array($0) }
      let second = wrap.unwrapOrRandom(damaged, byteCount: 32).withUnsafeBytes { Array($0) }
      #expect(first != key && second != key && first != second)
    }
  }

  @Test("the longest key is wrapped and unwrapped, and one that is longer is refused by both")
  func longestKey() throws {
    let wrap = try AESKeyWrap(key: .random(count: 16))
    let longest = SecretBytes(copying: [UInt8](repeating: 0x5a, count: AESKeyWrap.maximumByteCount))
    let wrapped = try wrap.wrap(longest)
    let unwrapped = try wrap.unwrap(wrapped)
    #expect(unwrapped.withUnsafeBytes { unwrapped in longest.withUnsafeBytes { ConstantTime.equal(unwrapped, $0) } })
    #expect(throws: CryptoError(.invalidKeyLength, "")) {
      try wrap.wrap(SecretBytes(copying: [UInt8](repeating: 0x5a, count: AESKeyWrap.maximumByteCount + 8)))
    }
    #expect(throws: CryptoError(.authenticationFailed, "")) {
      try wrap.unwrap([UInt8](repeating: 0x5a, count: AESKeyWrap.maximumByteCount + 16))
    }
  }

  @Test("other lengths are refused without a trap")
  func refusedLengths() throws {
    let wrap = try AESKeyWrap(key: .random(count: 16))
    for count in 0...80 where count < 24 || count % 8 != 0 {
      #expect(throws: CryptoError(.authenticationFailed, "")) { try wrap.unwrap(testBytes(count: count)) }
      #expect(wrap.unwrapOrRandom(testBytes(count: count), byteCount: 16).count == 16)
    }
    for count in 0...80 where count < 16 || count % 8 != 0 {
      #expect(throws: CryptoError(.invalidKeyLength, "")) { try wrap.wrap(.random(count: count)) }
    }
    for count in 0...40 where ![16, 24, 32].contains(count) {
      #expect(throws: CryptoError(.invalidKeyLength, "")) { try AESKeyWrap(key: .random(count: count)) }
    }
  }
}
