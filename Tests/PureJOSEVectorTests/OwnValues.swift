import PureJOSETestSupport
import StrictJSON
import Testing

/// Values of the package's own vectors, which tests put into files of other forms.
struct OwnValues {
  private let members: JSONObject

  /// Takes the first valid test of a group type that has certain members, and what its group says.
  init(_ file: String, type: String, parameterSet: String, with names: [String] = []) throws {
    let document = try JSONObject(
      parsing: try VectorFiles.own(file), limits: JSONLimits(maximumByteCount: 64 << 20, maximumElementCount: 4_000_000)
    )
    for group in try #require(document["testGroups"]?.arrayValue).compactMap(\.objectValue)
    where group["type"]?.stringValue == type && group["parameterSet"]?.stringValue == parameterSet {
      let tests = try #require(group["tests"]?.arrayValue).compactMap(\.objectValue)
      let found = tests.first { test in test["result"]?.stringValue == "valid" && names.allSatisfy { test.contains($0) }
      }
      if var found {
        for (name, value) in group.members where name != "tests" { found[name] = value }
        members = found
        return
      }
    }
    throw Missing(type: type)
  }

  private struct Missing: Error {
    let type: String
  }

  /// A member, which is a text.
  func text(_ name: String) throws -> String { try #require(members[name]?.stringValue) }

  func value(_ name: String) throws -> JSONValue { .string(try text(name)) }
}

extension JSONObject {
  /// The same with another first digit in a hexadecimal member.
  func withFault(in name: String) throws -> JSONObject {
    let text = try #require(self[name]?.stringValue)
    var changed = self
    changed[name] = .string((text.hasPrefix("0") ? "1" : "0") + text.dropFirst())
    return changed
  }

  /// The same without some members.
  func without(_ names: [String]) -> JSONObject {
    var changed = self
    for name in names { changed[name] = nil }
    return changed
  }
}

/// Octets as hexadecimal text.
func hexadecimal(_ octets: some Sequence<UInt8>) -> String {
  let digits = Array("0123456789abcdef")
  return octets.reduce(into: "") { text, octet in
    text.append(digits[Int(octet >> 4)])
    text.append(digits[Int(octet & 15)])
  }
}
