import StrictJSON
import Testing

extension JSONValue {
  /// Changes the members of an object.
  mutating func changeObject(_ change: (inout JSONObject) throws -> Void) throws {
    var object = try #require(objectValue)
    try change(&object)
    self = .object(object)
  }

  /// Changes the first group of a vector file.
  mutating func changeGroup(_ change: (inout JSONObject) throws -> Void) throws {
    try changeObject { file in
      var groups = try #require(file["testGroups"]?.arrayValue)
      try groups[0].changeObject(change)
      file["testGroups"] = .array(groups)
    }
  }

  /// Changes the first test of a vector file that fulfils a condition.
  /// - Returns: its number in the unchanged file.
  mutating func changeTest(
    where condition: (JSONObject) -> Bool = { _ in true }, _ change: (inout JSONObject) throws -> Void
  ) throws -> Int {
    var changed: Int?
    try changeObject { file in
      var groups = try #require(file["testGroups"]?.arrayValue)
      search: for group in groups.indices {
        var tests = try #require(groups[group].objectValue?["tests"]?.arrayValue)
        for test in tests.indices where condition(try #require(tests[test].objectValue)) {
          changed = tests[test].objectValue?["tcId"]?.int64Value.map { Int($0) }
          try tests[test].changeObject(change)
          try groups[group].changeObject { $0["tests"] = .array(tests) }
          break search
        }
      }
      file["testGroups"] = .array(groups)
    }
    return try #require(changed)
  }
}
