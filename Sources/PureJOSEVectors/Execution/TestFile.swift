import StrictJSON

/// The envelope that files of `jose_vectors_v1` and of Wycheproof share, with its groups.
struct TestFile {
  private let algorithm: String
  private let schema: VectorSchema
  private let numberOfTests: Int
  private let explainedFlags: [String]
  private let groups: [MemberReader]
  /// The first member beside the groups that isn't read.
  private let unread: String?
  private let overrides: [Int: VectorOverrides.Override]

  init(reading file: MemberReader, overrides: [Int: VectorOverrides.Override]) throws(VectorFault) {
    schema = try VectorSchema(name: try file.string("schema"))
    // Wycheproof's key sets have no algorithm of their own.
    algorithm = schema == .own ? try file.string("algorithm") : try file.string(ifPresent: "algorithm") ?? ""
    numberOfTests = try file.integer("numberOfTests")
    let notes = schema == .own ? try file.jsonObject("notes") : try file.jsonObject(ifPresent: "notes") ?? [:]
    explainedFlags = notes.names
    try schema.readPreamble(of: file, notes: notes)
    groups = try file.objects("testGroups")
    self.overrides = overrides
    unread = file.unread.first
  }

  func run(into report: inout VectorReport) {
    report.noteUnread(unread)
    var identifiers: Set<Int> = []
    var count = 0
    for group in groups {
      do throws(VectorFault) {
        let type = try group.string("type")
        let tests = try group.objects("tests")
        guard !tests.isEmpty else { throw .malformed("a group has no tests") }
        try schema.readGroupPreamble(group)
        count += tests.count
        var outcomes = tests.map {
          Outcome(
            reading: $0, isTerse: schema == .wycheproof, explainedFlags: explainedFlags, overrides: overrides)
        }
        for outcome in outcomes where !identifiers.insert(outcome.identifier).inserted {
          report.fail(outcome.identifier, "another test has the same number")
        }
        run(&outcomes, ofType: type, reading: group, isStrict: report.isStrict)
        for index in outcomes.indices {
          outcomes[index].requireEverythingRead(group: group, isStrict: report.isStrict)
          outcomes[index].add(to: &report)
        }
      } catch {
        report.fail(0, "\(error)")
      }
    }
    if count != numberOfTests { report.fail(0, "\(count) tests where numberOfTests says \(numberOfTests)") }
    for stale in overrides.keys.filter({ !identifiers.contains($0) }).sorted() {
      report.fail(stale, "is overridden but not in the file")
    }
  }

  private func run(_ outcomes: inout [Outcome], ofType type: String, reading group: MemberReader, isStrict: Bool) {
    do throws(VectorFault) {
      var runner = try schema.group(ofType: type, reading: group, in: FileContext(algorithm: algorithm))
      for index in outcomes.indices {
        outcomes[index].judge { try runner.run($0) }
      }
    } catch {
      for index in outcomes.indices {
        let isNewer = if case .unknown = error { !isStrict } else { false }
        if error.isReasonToSkip || isNewer {
          outcomes[index].skip("\(error)")
        } else {
          outcomes[index].judge { _ in throw error }
        }
      }
    }
  }
}
