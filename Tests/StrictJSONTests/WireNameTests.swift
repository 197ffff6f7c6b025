import StrictJSON
import Testing

@Suite("Names on the wire")
struct WireNameTests {
  private static let composed = "\u{E9}"
  private static let decomposed = "e\u{301}"

  @Test("Names are equal where their bytes are")
  func equality() {
    let name = WireName(Self.composed)
    #expect(Self.composed == Self.decomposed)
    #expect(name == WireName(Self.composed) && name != WireName(Self.decomposed))
    #expect(name == Self.composed && Self.composed == name)
    #expect(name != Self.decomposed && Self.decomposed != name)
    #expect(!(name == Self.decomposed) && !(Self.decomposed == name))
    #expect(!(name != Self.composed) && !(Self.composed != name))
    #expect(WireName?.some(name) != WireName(Self.decomposed))
    #expect(WireName("\u{212A}") != "K" && WireName("K") != "\u{212A}")
    #expect(WireName("") == "" && WireName("") != "\u{0}")
  }

  @Test("Every byte counts, wherever it is", arguments: [1, 3, 4, 7, 8, 9, 15, 16, 17, 40])
  func everyByte(count: Int) {
    let text = String(repeating: "a", count: count)
    #expect(WireName(text) == String(decoding: [UInt8](repeating: 0x61, count: count), as: UTF8.self))
    #expect(WireName(text) != text + "a" && WireName(text + "a") != text)
    for place in 0..<count {
      var bytes = [UInt8](text.utf8)
      bytes[place] = 0x62
      #expect(WireName(text) != String(decoding: bytes, as: UTF8.self))
    }
  }

  @Test("Lists, sets, dictionaries and patterns tell the two forms apart")
  func collections() {
    let (one, two) = (WireName(Self.composed), WireName(Self.decomposed))
    #expect(Set([one, two, WireName(Self.composed)]).count == 2)
    #expect([one: 1, two: 2][two] == 2)
    #expect([one].contains(one) && ![one].contains(two))
    #expect([one].contains(Self.composed) && ![one].contains(Self.decomposed))
    #expect(Set([one]).contains(Self.composed) && !Set([one]).contains(Self.decomposed))
    #expect([Self.composed].contains(one) && ![Self.composed].contains(two))
    #expect([Self.composed, Self.decomposed].wireNames == [one, two])
    #expect([Self.composed].wireNames != [two])
    let matched =
      switch two {
      case "\u{E9}": "composed"
      case "e\u{301}": "decomposed"
      default: "neither"
      }
    #expect(matched == "decomposed")
  }

  @Test("A name keeps its text byte for byte")
  func text() {
    for text in [Self.composed, Self.decomposed, "", "a\u{0}b"] {
      #expect(WireName(text).text.utf8.elementsEqual(text.utf8))
      #expect("\(WireName(text))".utf8.elementsEqual(text.utf8))
      #expect(("\(text)!" as WireName).text.utf8.elementsEqual("\(text)!".utf8))
      #expect(JSONValue.string(text).nameValue == WireName(text))
    }
    #expect((1 as JSONValue).nameValue == nil)
  }
}
