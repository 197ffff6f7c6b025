import StrictJSON
import Testing

/// Texts of errors that name a usual mistake, and only where it was made.
@Suite struct UsualMistakeTests {
  private func reason(_ text: String) -> String {
    do throws(JSONError) {
      _ = try JSONValue(parsing: Array(text.utf8))
      return ""
    } catch {
      return error.reason
    }
  }

  @Test(arguments: ["[1,]", "[1 , \n\t]", #"{"a":1,}"#, #"{"a":[1,}"#])
  func `a comma before a bracket is named`(text: String) {
    #expect(reason(text).contains("comma stands before the closing bracket"))
  }

  @Test(arguments: [#"{"a":}"#, #"{"a": ]"#, "[}", "{]", "}", "]", #"{"a":"1,"]"#])
  func `a bracket without a comma before it is not`(text: String) {
    #expect(!reason(text).isEmpty && !reason(text).contains("comma stands before"))
  }
}
