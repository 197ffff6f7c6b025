import Testing

import PureCrypto

@Suite("Secrets")
struct SecretsTests {
  static let awkwardWords: [UInt64] = [
    0, 1, 2, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 0x1_0000_0000, 0x7fff_ffff_ffff_ffff, 0x8000_0000_0000_0000,
    0x8000_0000_0000_0001, .max - 1, .max,
  ]

  @Test("a mask is all ones or all zeros and says what the operators say", arguments: awkwardWords)
  func maskDecisions(x: UInt64) {
    #expect(Mask(isZero: x).word == (x == 0 ? .max : 0))
    #expect(Mask(bit: x).word == (x % 2 == 1 ? .max : 0))
    for y in Self.awkwardWords {
      #expect(Mask(x, equals: y).word == (x == y ? .max : 0))
      #expect(Mask(x, isLessThan: y).word == (x < y ? .max : 0))
      #expect(Mask.yes.select(x, y) == x)
      #expect(Mask.no.select(x, y) == y)
    }
    #expect(Mask.yes.keep(x) == x)
    #expect(Mask.no.keep(x) == 0)
    #expect(Mask.yes.select(UInt8(1), UInt8(2)) == 1)
    #expect(Mask.no.select(UInt8(1), UInt8(2)) == 2)
  }

  @Test("masks combine as truth values do")
  func maskAlgebra() {
    for (x, p) in [(Mask.yes, true), (Mask.no, false)] {
      #expect((~x).declassified == !p)
      #expect(x.bit == (p ? 1 : 0))
      for (y, q) in [(Mask.yes, true), (Mask.no, false)] {
        #expect((x & y).declassified == (p && q))
        #expect((x | y).declassified == (p || q))
        #expect((x ^ y).declassified == (p != q))
      }
    }
  }

  @Test("equality sees every bit at every length", arguments: 0...70)
  func equality(count: Int) {
    let bytes = testBytes(count: count)
    #expect(ConstantTime.equal(bytes, bytes))
    #expect(!ConstantTime.equal(bytes, bytes + [0]))
    #expect(!ConstantTime.equal(bytes + [0], bytes))
    for bit in 0..<(8 * count) {
      var other = bytes
      other[bit / 8] ^= 1 << (bit % 8)
      #expect(!ConstantTime.equal(bytes, other), "bit \(bit)")
    }
  }

  @Test("wiping clears exactly the buffer", arguments: 0...70)
  func wiping(count: Int) {
    var bytes = [UInt8](repeating: 0xa5, count: count + 2)
    bytes.withUnsafeMutableBytes { wipe(UnsafeMutableRawBufferPointer(rebasing: $0[1..<(1 + count)])) }
    #expect(bytes == [0xa5] + [UInt8](repeating: 0, count: count) + [0xa5])
  }

  @Test("a wiped value is zero")
  func wipingValue() {
    var words = SIMD4<UInt64>(repeating: .max)
    wipe(&words)
    #expect(words == .zero)
  }

  @Test("secret bytes keep what they were given", arguments: [0, 1, 15, 16, 17, 32, 255])
  func secretBytes(count: Int) {
    let bytes = testBytes(count: count)
    let secret = SecretBytes(copying: bytes)
    #expect(secret.count == count)
    #expect(secret.withUnsafeBytes { Array($0) } == bytes)
    let lent = secret.withBytes { $0.withUnsafeBytes { Array($0) } }
    #expect(lent == bytes)
    let copy = secret
    #expect(copy.withUnsafeBytes { Array($0) } == bytes)
  }

  @Test("an initialiser that gives up passes its error on")
  func secretBytesFailure() {
    #expect(throws: CryptoError.self) {
      try SecretBytes(count: 4) { (_: UnsafeMutableRawBufferPointer) throws(CryptoError) in
        throw CryptoError(.invalidKeyLength, "for the test")
      }
    }
  }

  @Test("description, debug description and reflection show no byte")
  func redaction() {
    let secret = SecretBytes(copying: [0x53, 0x45, 0x43])
    #expect("\(secret)" == "SecretBytes(3 bytes, redacted)")
    #expect(String(reflecting: secret) == "SecretBytes(3 bytes, redacted)")
    var dumped = ""
    dump(secret, to: &dumped)
    #expect(dumped == "▿ SecretBytes(3 bytes, redacted)\n  - count: 3\n")
  }

  @Test("random bytes fill the whole buffer, and differ")
  func randomBytes() {
    // Each of 64 positions is zero in all of 16 draws with probability 2⁻¹²⁸.
    let draws = (0..<16).map { _ in SystemRandom.bytes(count: 64) }
    for position in 0..<64 { #expect(draws.contains { $0[position] != 0 }) }
    #expect(Set(draws).count == 16)
    #expect(SystemRandom.bytes(count: 0).isEmpty)
    #expect(SecretBytes.random(count: 33).count == 33)
  }

  @Test("a generator of the caller's choice decides every byte", arguments: 0...20)
  func chosenGenerator(count: Int) {
    var first = TestGenerator(seed: 5)
    var second = TestGenerator(seed: 5)
    var bytes = [UInt8](repeating: 0, count: count)
    bytes.withUnsafeMutableBytes { SystemRandom.fill($0, using: &first) }
    var expected: [UInt8] = []
    while expected.count < count {
      let word = second.next()
      expected += (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64(8 * $0)) }
    }
    #expect(bytes == Array(expected.prefix(count)))
  }
}
