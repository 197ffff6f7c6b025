import IdentityProvider
import Testing

/// Names that devices chose, in a list.
@Suite struct VisibleTextTests {
  @Test(arguments: [
    ("mac-1", "mac-1"),
    ("mac\u{200B}-1", #"mac\u{200B}-1"#), ("mac\u{AD}-1", #"mac\u{AD}-1"#), ("mac-1\u{E0061}", #"mac-1\u{E0061}"#),
    ("mac\u{A0}1", #"mac\u{A0}1"#), ("mac\u{2800}1", #"mac\u{2800}1"#), ("mac\u{202E}1", #"mac\u{202E}1"#),
    ("mac\n1", #"mac\u{A}1"#), ("mac\u{FE0F}1", #"mac\u{FE0F}1"#), ("mac\u{3164}1", #"mac\u{3164}1"#),
    ("a mac", "a mac"), ("  mac ", #"\u{20}\u{20}mac\u{20}"#), ("a  mac", #"a \u{20}mac"#), (" ", #"\u{20}"#), ("", ""),
    (#"mac\u{200B}-1"#, #"mac\\u{200B}-1"#), (#"\"#, #"\\"#),
  ])
  func `what can't be seen is escaped, everywhere`(name: String, shown: String) {
    #expect(name.visible().utf8.elementsEqual(shown.utf8), "\(name.visible())")
    #expect(name.visible(asASCII: true).utf8.elementsEqual(shown.utf8), "\(name.visible(asASCII: true))")
  }

  @Test(arguments: [
    ("caf\u{E9}", #"caf\u{E9}"#), ("cafe\u{301}", #"cafe\u{301}"#), ("\u{1F34E}", #"\u{1F34E}"#),
    ("m\u{430}c", #"m\u{430}c"#),
  ])
  func `what can be seen is escaped in a terminal alone`(name: String, escaped: String) {
    #expect(name.visible().utf8.elementsEqual(name.utf8), "\(name.visible())")
    #expect(name.visible(asASCII: true).utf8.elementsEqual(escaped.utf8), "\(name.visible(asASCII: true))")
  }

  @Test func `a name is cut off after 200 characters`() {
    let long = String(repeating: "a", count: 200)
    #expect(long.visible() == long && (long + "b").visible() == long + "…")
    let blank = String(repeating: "a", count: 199) + " "
    #expect((blank + "b").visible() == blank + "…")
  }
}
