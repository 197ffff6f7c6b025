import JOSE
import Testing

@testable import IdentityProvider

@Suite struct OneTimePasswordTests {
  @Test(arguments: [
    (59.0, "94287082"), (1_111_111_109, "07081804"), (1_111_111_111, "14050471"), (1_234_567_890, "89005924"),
    (2_000_000_000, "69279037"), (20_000_000_000, "65353130"),
  ])
  func `codes are those of RFC 6238, appendix B`(time: Double, code: String) {
    let step = OneTimePassword.step(at: NumericDate(saturating: time))
    #expect(OneTimePassword.code(seed: Array("12345678901234567890".utf8), step: step, digitCount: 8) == code)
  }

  @Test func `seeds are written in base 32`() {
    #expect(OneTimePassword.text(of: Array("foobar".utf8)) == "MZXW6YTBOI")
    #expect(OneTimePassword.text(of: Array("fooba".utf8)) == "MZXW6YTB")
    #expect(OneTimePassword.text(of: []) == "")
  }

  @Test func `SHA-1 of abc is the digest that the standard prints`() {
    let digest = SHA1.hash(Array("abc".utf8)).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    #expect(digest == "a9993e364706816aba3e25717850c26c9cd0d89d")
  }
}
