import Foundation
import JOSE
import Testing

@Suite("base64url and base64")
struct Base64URLTests {
  @Test("every length agrees with Foundation, both ways")
  func roundTrip() throws {
    for count in 0...130 {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 73 &+ count) }
      let standard = Data(bytes).base64EncodedString()
      let url = standard.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
      #expect(Base64.encode(bytes) == standard)
      #expect(Base64URL.encode(bytes) == url)
      #expect(try Base64.decode(standard) == bytes)
      #expect(try Base64URL.decode(url) == bytes)
    }
  }

  @Test("every six bits survive at every place of a word")
  func allValues() throws {
    for place in 0..<24 {
      for value in UInt8.min...UInt8.max {
        var bytes = [UInt8](repeating: 0x5A, count: 24)
        bytes[place] = value
        #expect(Base64.encode(bytes) == Data(bytes).base64EncodedString())
        #expect(try Base64.decode(Base64.encode(bytes)) == bytes)
        #expect(try Base64URL.decode(Base64URL.encode(bytes)) == bytes)
      }
    }
  }

  @Test("every two-octet value survives")
  func allPairs() throws {
    for high in UInt8.min...UInt8.max {
      for low in stride(from: UInt8.min, through: 250, by: 5) {
        #expect(try Base64URL.decode(Base64URL.encode([high, low])) == [high, low])
      }
    }
  }

  @Test("each character outside the alphabet is refused, at each place of words and groups")
  func foreignCharacters() {
    let alphabet = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    for place in 0..<28 {
      for character in UInt8.min...UInt8.max {
        var text = Array(repeating: UInt8(ascii: "A"), count: 28)
        text[place] = character
        let decoded = try? Base64URL.decode(utf8: text)
        #expect((decoded != nil) == alphabet.contains(character))
      }
    }
  }

  @Test(
    "padding, white space, stray bits and impossible lengths are refused",
    arguments: [
      "YQ==", "YR", "Y", "Y Q", "YQ\n", "+/", "YWI=", "YWJ", "A", "AAAAA", "=", "\u{FEFF}YQ", "YQ\0", "YQ.", "é",
    ])
  func strictness(_ text: String) {
    #expect(code { _ = try Base64URL.decode(text) } == .malformed)
  }

  @Test(
    "padded base64 is as strict",
    arguments: [
      "YQ", "YQ=", "YR==", "YQ===", "=", "====", "Y===", "YWI", "YWJ=", "YQ==\n", "YQ= =", "-_==", "YQ==YQ==",
    ])
  func strictPadding(_ text: String) {
    #expect(code { _ = try Base64.decode(text) } == .malformed)
  }

  @Test("the empty text is no octets")
  func empty() throws {
    #expect(try Base64URL.decode("") == [])
    #expect(try Base64.decode("") == [])
    #expect(Base64URL.encode([]) == "")
  }
}
