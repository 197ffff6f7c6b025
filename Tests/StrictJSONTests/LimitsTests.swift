import StrictJSON
import Testing

@Suite("Limits, at the edge and one past it")
struct LimitsTests {
  @Test("Bytes")
  func byteCount() {
    #expect(parsingError("[10]", JSONLimits(maximumByteCount: 4)) == nil)
    #expect(parsingError("[100]", JSONLimits(maximumByteCount: 4)) == .limitExceeded)
    #expect(parsingError("[10] ", JSONLimits(maximumByteCount: 4)) == .limitExceeded)
    #expect(parsingError("\"é\"", JSONLimits(maximumByteCount: 4)) == nil)
    #expect(parsingError("\"éa\"", JSONLimits(maximumByteCount: 4)) == .limitExceeded)
    #expect(parsingError("1", JSONLimits(maximumByteCount: 0)) == .limitExceeded)
    #expect(parsingError("1", JSONLimits(maximumByteCount: -1)) == .limitExceeded)
    #expect(parsingError("1", JSONLimits(maximumByteCount: .max)) == nil)
    let text = "\"" + String(repeating: "a", count: (8 << 20) - 2) + "\""
    #expect(parsingError(text) == nil)
    #expect(parsingError(text + " ") == .limitExceeded)
  }

  @Test("Depth", arguments: [0, 1, 2, 8, 32, 64, 256])
  func depth(limit: Int) {
    let limits = JSONLimits(maximumDepth: limit)
    func arrays(_ depth: Int) -> String {
      String(repeating: "[", count: depth) + "1" + String(repeating: "]", count: depth)
    }
    func objects(_ depth: Int) -> String {
      String(repeating: "{\"a\":", count: depth) + "1" + String(repeating: "}", count: depth)
    }
    #expect(parsingError(arrays(limit), limits) == nil)
    #expect(parsingError(arrays(limit + 1), limits) == .limitExceeded)
    #expect(parsingError(objects(limit), limits) == nil)
    #expect(parsingError(objects(limit + 1), limits) == .limitExceeded)
    // Depth is what is open at one time, not how often something was opened.
    #expect(parsingError("1", limits) == nil)
    if limit > 1 { #expect(parsingError("[" + String(repeating: "[],", count: 999) + "1]", limits) == nil) }
  }

  @Test("Depth never goes beyond 256, whatever is asked for")
  func depthCeiling() {
    for limit in [257, 512, Int.max] {
      let limits = JSONLimits(maximumDepth: limit)
      #expect(parsingError(String(repeating: "[", count: 256) + String(repeating: "]", count: 256), limits) == nil)
      #expect(
        parsingError(String(repeating: "[", count: 257) + String(repeating: "]", count: 257), limits) == .limitExceeded)
    }
    #expect(parsingError("[]", JSONLimits(maximumDepth: -1)) == .limitExceeded)
    #expect(parsingError("1", JSONLimits(maximumDepth: -1)) == nil)
  }

  @Test("Members of one object", arguments: [0, 1, 2, 31, 32, 33, 512, 1024])
  func memberCount(limit: Int) {
    let limits = JSONLimits(maximumMemberCount: limit)
    func object(_ count: Int) -> String {
      "{" + (0..<count).map { "\"k\($0)\":\($0)" }.joined(separator: ",") + "}"
    }
    #expect(parsingError(object(limit), limits) == nil)
    #expect(parsingError(object(limit + 1), limits) == .limitExceeded)
    // Each object counts for itself.
    #expect(parsingError("[\(object(limit)),\(object(limit))]", limits) == nil)
    if limit > 0 { #expect(parsingError("{\"a\":\(object(limit))}", limits) == nil) }
  }

  @Test("Values in the whole text")
  func elementCount() {
    let limits = JSONLimits(maximumElementCount: 4)
    #expect(parsingError("[1,2,3]", limits) == nil)
    #expect(parsingError("[1,2,3,4]", limits) == .limitExceeded)
    #expect(parsingError("[[[[]]]]", limits) == nil)
    #expect(parsingError("[[[[[]]]]]", limits) == .limitExceeded)
    #expect(parsingError(#"{"a":1,"b":2,"c":3}"#, limits) == nil)
    #expect(parsingError(#"{"a":1,"b":2,"c":3,"d":4}"#, limits) == .limitExceeded)
    #expect(parsingError("1", JSONLimits(maximumElementCount: 0)) == .limitExceeded)
  }

  @Test("The defaults are the documented ones")
  func defaults() {
    #expect(JSONLimits.default.maximumByteCount == 8 << 20)
    #expect(JSONLimits.default.maximumDepth == 64)
    #expect(JSONLimits.default.maximumMemberCount == 1024)
    #expect(JSONLimits.default.maximumElementCount == 500_000)
  }

  @Test("The decoder applies its limits")
  func decoder() {
    let decoder = StrictJSONDecoder(limits: JSONLimits(maximumDepth: 1))
    #expect(throws: JSONError(.limitExceeded, "")) { try decoder.decode([[Int]].self, from: "[[1]]".utf8) }
    #expect(throws: Never.self) { try decoder.decode([Int].self, from: "[1]".utf8) }
  }
}
