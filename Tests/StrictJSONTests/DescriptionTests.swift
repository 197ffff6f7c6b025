import StrictJSON
import Testing

@Suite("JSON values, printed")
struct DescriptionTests {
  static let text =
    #"{"iss":"https://idp.example.com","aud":["api","b"],"exp":1700000000.5,"x":{"a":null,"b":true},"q":"\"é","e":[]}"#

  @Test("print writes the JSON itself, alone, in arrays and in other types")
  func description() throws {
    let object = try JSONObject(parsing: Self.text.utf8)
    #expect("\(object)" == Self.text)
    #expect(String(reflecting: object) == Self.text)
    #expect("\(JSONValue.object(object))" == Self.text)
    #expect("\([JSONValue.string("a"), .null, .number(1)])" == #"["a", null, 1]"#)
    struct Holder { let claims: JSONObject }
    #expect("\(Holder(claims: object))" == "Holder(claims: \(Self.text))")
  }

  @Test("dump and debuggers see members and elements, and nothing of how they are kept")
  func mirror() throws {
    let object = try JSONObject(parsing: Self.text.utf8)
    #expect(Mirror(reflecting: object).children.map(\.label) == ["iss", "aud", "exp", "x", "q", "e"])
    var dumped = ""
    dump(object, to: &dumped)
    #expect(dumped.utf8.count < 4 * Self.text.utf8.count, "\(dumped)")
  }
}
