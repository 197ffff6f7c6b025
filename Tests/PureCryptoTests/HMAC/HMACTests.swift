import PureCrypto
import PureJOSETestSupport
import Testing

@Suite("HMAC")
struct HMACTests {
  struct Example: Sendable {
    let number: Int
    let key: String
    let message: String
    let sha256: String
    let sha384: String
    let sha512: String
  }

  /// Source: RFC 4231 §4.2–4.4, 4.7, 4.8 (test case 5, of truncated output, is in the vector files).
  static let examples = [
    Example(
      number: 1, key: String(repeating: "0b", count: 20), message: "4869205468657265",
      sha256: "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
      sha384: "afd03944d84895626b0825f4ab46907f15f9dadbe4101ec682aa034c7cebc59cfaea9ea9076ede7f4af152e8b2fa9cb6",
      sha512: "87aa7cdea5ef619d4ff0b4241a1d6cb02379f4e2ce4ec2787ad0b30545e17cde"
        + "daa833b7d6b8a702038b274eaea3f4e4be9d914eeb61f1702e696c203a126854"),
    Example(
      number: 2, key: "4a656665", message: "7768617420646f2079612077616e7420666f72206e6f7468696e673f",
      sha256: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
      sha384: "af45d2e376484031617f78d2b58a6b1b9c7ef464f5a01b47e42ec3736322445e8e2240ca5e69e2c78b3239ecfab21649",
      sha512: "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554"
        + "9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737"),
    Example(
      number: 3, key: String(repeating: "aa", count: 20), message: String(repeating: "dd", count: 50),
      sha256: "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe",
      sha384: "88062608d3e6ad8a0aa2ace014c8a86f0aa635d947ac9febe83ef4e55966144b2a5ab39dc13814b94e3ab6e101a34f27",
      sha512: "fa73b0089d56a284efb0f0756c890be9b1b5dbdd8ee81a3655f83e33b2279d39"
        + "bf3e848279a722c806b485a47e67c807b946a337bee8942674278859e13292fb"),
    Example(
      number: 6, key: String(repeating: "aa", count: 131),
      message: Hex.encode("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
      sha256: "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
      sha384: "4ece084485813e9088d2c63a041bc5b44f9ef1012a2b588f3cd11f05033ac4c60c2ef6ab4030fe8296248df163f44952",
      sha512: "80b24263c7c1a3ebb71493c1dd7be8b49b46d1f41b4aeec1121b013783f8f352"
        + "6b56d037e05f2598bd0fd2215d6a1e5295e64f73f63f0aec8b915a985d786598"),
  ]

  @Test("test cases of RFC 4231", arguments: examples)
  func standardExamples(example: Example) throws {
    let key = try hex(example.key)
    let message = try hex(example.message)
    #expect(HMACSHA256.authenticate(message, anyKey: key).description == example.sha256)
    #expect(HMACSHA384.authenticate(message, anyKey: key).description == example.sha384)
    #expect(HMACSHA512.authenticate(message, anyKey: key).description == example.sha512)
    let secret = SecretBytes(copying: key)
    #expect(HMACSHA256.authenticate(message, anyKey: secret).description == example.sha256)
    #expect(HMACSHA384.authenticate(message, anyKey: secret).description == example.sha384)
    #expect(HMACSHA512.authenticate(message, anyKey: secret).description == example.sha512)
  }

  @Test("every key length to 200 agrees with the definition", arguments: 0...200)
  func keyLengths(count: Int) {
    let key = testBytes(count: count, seed: 7)
    let message = testBytes(count: 77)
    #expect(
      Array(HMACSHA256.authenticate(message, anyKey: key))
        == slowHMAC(message, key: key, blockByteCount: 64, SlowSHA2.sha256))
    #expect(
      Array(HMACSHA512.authenticate(message, anyKey: key))
        == slowHMAC(message, key: key, blockByteCount: 128, SlowSHA2.sha512))
  }

  /// H((K₀ ⊕ opad) ‖ H((K₀ ⊕ ipad) ‖ text)).
  /// Source: FIPS 198-1 §4.
  private func slowHMAC(
    _ message: [UInt8], key: [UInt8], blockByteCount: Int, _ hash: ([UInt8]) -> [UInt8]
  ) -> [UInt8] {
    var block = key.count > blockByteCount ? hash(key) : key
    block += [UInt8](repeating: 0, count: blockByteCount - block.count)
    return hash(block.map { $0 ^ 0x5c } + hash(block.map { $0 ^ 0x36 } + message))
  }

  @Test("a message may be split anywhere, and a prepared key serves many messages")
  func splits() {
    let prepared = HMACSHA256(anyKey: testBytes(count: 32, seed: 3))
    let message = testBytes(count: 200)
    let whole = HMACSHA256.authenticate(message, anyKey: testBytes(count: 32, seed: 3))
    for first in 0...message.count {
      var code = prepared
      code.update(message[..<first])
      code.update(message[first...])
      #expect(code.finalize() == whole, "split at \(first)")
    }
  }

  @Test("every flipped bit and every other length of a tag is refused")
  func tampering() {
    var code = HMACSHA256(anyKey: testBytes(count: 32, seed: 3))
    code.update("message".utf8)
    let tag = Array(code.finalize())
    #expect(code.isValid(tag))
    for bit in 0..<256 {
      var damaged = tag
      damaged[bit / 8] ^= 1 << (bit % 8)
      #expect(!code.isValid(damaged), "bit \(bit)")
    }
    for count in 0..<32 { #expect(!code.isValid(tag.prefix(count)), "\(count) bytes") }
    #expect(!code.isValid(tag + [0]))
  }

  @Test("a description shows no key")
  func redaction() {
    let code = HMACSHA256(anyKey: testBytes(count: 32))
    #expect("\(code)" == "HMACSHA2(redacted)")
    var dumped = ""
    dump(code, to: &dumped)
    #expect(dumped == "▿ HMACSHA2(redacted)\n  - description: \"HMACSHA2(redacted)\"\n")
  }
}
