import JOSE
import Testing

/// Forms and queries that browsers and OAuth clients bring: what is no parameter and can't be read is no reason to
/// refuse the rest.
@Suite struct ParameterFieldsTests {
  private func read(_ text: String, limits: Limits = .default) throws(JOSEError) -> [String] {
    try FormFields(parameters: ["state", "code", "error"], in: text.utf8, limits: limits).fields.map {
      "\($0.name)=\($0.value)"
    }
  }

  @Test(
    arguments: [
      ("", []), ("&", []), ("&&", []), ("flag", []), ("=", []), ("=x", []), ("x=", []), ("%", []), ("%E4", []),
      ("%E4=1", []), ("x=%E4", []), ("x=%zz", []), ("x=ä", []), ("\u{0}", []),
      ("state=1&code=2", ["state=1", "code=2"]), ("state=1&", ["state=1"]),
      ("&state=1&&code=2&&", ["state=1", "code=2"]),
      ("flag&state=1", ["state=1"]), ("state=1&flag", ["state=1"]), ("%E4&state=1&x=%&code=2", ["state=1", "code=2"]),
      ("st%61te=1", ["state=1"]), ("x=1&state=2&x=3", ["x=1", "state=2", "x=3"]),
      ("state=1&state=2", ["state=1", "state=2"]),
      // Names of parameters stay, with or without a value.
      ("state", ["state="]), ("state=", ["state="]), ("code&error", ["code=", "error="]),
      // Names that begin like one, and go on in another way, are others.
      ("state%20%E4=1", []), ("states%E4=1", []), ("%E4state=1", []), ("State=%E4", []),
    ] as [(String, [String])])
  func `an unknown field is dropped if it can't be decoded or has no value`(
    _ text: String, _ fields: [String]
  ) throws {
    #expect(try read(text) == fields)
  }

  @Test(arguments: ["state=%", "state=%E4", "code=%zz&state=1", "x=1&error=ä", "state%zz=1", "state%E4", "sta%74e=%"])
  func `a parameter that can't be decoded is refused`(_ text: String) {
    #expect(throws: JOSEError(.malformed, "")) { try read(text) }
  }

  @Test func `dropped fields count towards the limits`() throws {
    let limits = Limits(formFieldCount: 3)
    #expect(try read("a&b&state=1", limits: limits) == ["state=1"])
    #expect(try read("&&state=1&", limits: limits) == ["state=1"])
    for text in ["a&b&c&state=1", "&&&state=1", "state=1&&&x"] {
      #expect(throws: JOSEError(.limitExceeded, "")) { try read(text, limits: limits) }
    }
    #expect(throws: JOSEError(.limitExceeded, "")) { try read("state=1", limits: Limits(formFieldCount: 0)) }
    #expect(throws: JOSEError(.limitExceeded, "")) { try read("x&y", limits: Limits(formByteCount: 2)) }
  }

  @Test func `withValues leaves out empty fields, and strict decoding refuses malformed ones`() throws {
    let form = try FormFields(decoding: "a=&b=1&a=2&c=".utf8, acceptsDuplicates: true)
    #expect(form.withValues == ["b": "1", "a": "2"])
    for text in ["flag&state=1", "state=1&&code=2", "%E4=1"] {
      #expect(throws: JOSEError(.malformed, "")) { try FormFields(decoding: text.utf8) }
    }
  }
}
