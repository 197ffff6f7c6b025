import JOSE
import StrictJSON

/// The lists of a million entries that the draft of status lists prints, with the statuses that are not 0.
enum StatusListExampleFile {
  static func recognizes(_ document: JSONObject) -> Bool {
    guard let first = document["lists"]?.arrayValue?.first?.objectValue else { return false }
    return ["bits", "lst", "statuses"].allSatisfy(first.contains)
  }

  static func run(_ document: JSONObject, into report: inout VectorReport) {
    report.judge(document["lists"]?.arrayValue ?? [], by: judge)
  }

  private static func judge(_ test: MemberReader) throws -> Verdict {
    _ = try test.string("name")
    let (bits, text, size) = (try test.integer("bits"), try test.string("lst"), try test.integer("size"))
    let statuses = test.value(ifPresent: "statuses")?.arrayValue ?? []
    let list = try StatusList(["bits": .number(JSONNumber(Int64(bits))), "lst": .string(text)])
    guard list.bits == bits, list.count == size, !statuses.isEmpty else { return .wrong("the size differs") }
    // The rest is 0: a list with these statuses alone is the same.
    var expected = try StatusList(bits: bits, count: size)
    let lookups = try StatusListLookups(statuses, [])
    for (index, status) in lookups.statuses {
      guard let status = UInt8(exactly: status) else { throw VectorFault.malformed("a status has 8 bits at most") }
      try expected.set(TokenStatus(rawValue: status), at: index)
    }
    guard list == expected else { return .wrong("a status differs") }
    // What this package makes of them is read again as the same, and is not longer.
    let written = expected.claim
    guard try StatusList(written) == expected else { return .wrong("the list that is written differs") }
    return .accepted(
      if: (written["lst"]?.stringValue?.utf8.count ?? .max) <= text.utf8.count + text.utf8.count / 50,
      otherwise: "the list that is written is longer")
  }
}
