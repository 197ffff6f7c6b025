import PureCrypto
import PureJOSETestSupport
import Testing

struct HMACKeyLengthTests {
  @Test("a key shorter than the digest is refused, and one as long as it is taken", arguments: [0, 1, 16, 31, 32, 48])
  func shortest(count: Int) throws {
    let key = testBytes(count: count, seed: 1)
    let isLongEnough = count >= 32
    #expect(((try? HMACSHA256(key: key)) != nil) == isLongEnough)
    #expect(((try? HMACSHA256(key: SecretBytes(copying: key))) != nil) == isLongEnough)
    #expect(((try? HMACSHA256.authenticate([1], key: key)) != nil) == isLongEnough)
    #expect(((try? HMACSHA256.authenticate([1], key: SecretBytes(copying: key))) != nil) == isLongEnough)
    #expect(((try? HMACSHA384(key: key)) != nil) == (count >= 48))
    #expect((try? HMACSHA512(key: key)) == nil)
  }

  @Test("the refusal names the length that is asked for")
  func reason() {
    #expect(throws: CryptoError(.invalidKeyLength, "")) { try HMACSHA512(key: SecretBytes.random(count: 63)) }
  }
}
