import StrictJSON

/// One test of a file, and what came of it.
struct Outcome {
  let identifier: Int
  private let test: MemberReader
  private let expected: ExpectedResult
  /// The error that a refusal must come with, if the test names one.
  private let expectedError: String?
  private var failure: String?
  private var reasonToSkip: String?
  private var remarks: [String] = []

  /// - Parameter isTerse: whether the test may lack a comment and flags without a remark, as some of Wycheproof's do.
  init(
    reading test: MemberReader, isTerse: Bool, explainedFlags: [String], overrides: [Int: VectorOverrides.Override]
  ) {
    self.test = test
    do throws(VectorFault) {
      identifier = try test.integer("tcId")
    } catch {
      identifier = 0
      failure = "\(error)"
    }
    var expected = ExpectedResult.acceptable
    var expectedError: String?
    do throws(VectorFault) {
      let comment = isTerse ? try test.string(ifPresent: "comment") ?? "" : try test.string("comment")
      expected = try test.result("result")
      expectedError = try test.string(ifPresent: "error")
      // Flags explain a test and decide nothing, so what is wrong with them fails nothing.
      let flags = try test.strings(ifPresent: "flags")
      if flags == nil, !isTerse { remarks.append("a test has no flags") }
      for flag in flags ?? [] where !explainedFlags.contains(where: { $0.utf8.elementsEqual(flag.utf8) }) {
        remarks.append("flag \(flag) is not explained")
      }
      if expectedError != nil, expected != .invalid {
        throw .malformed("an error is named, but the test is not invalid")
      }
      if let override = overrides[identifier] {
        guard override.comment.utf8.elementsEqual(comment.utf8), override.upstreamResult == expected else {
          throw .malformed("is not the test that the override was written for")
        }
        expected = override.result
      }
    } catch {
      failure = failure ?? "\(error)"
    }
    self.expected = expected
    self.expectedError = expectedError
  }

  /// A test of a file without an envelope.
  init(reading test: MemberReader, number: Int, expected: ExpectedResult) {
    identifier = number
    self.test = test
    self.expected = expected
    expectedError = nil
  }

  /// A test that is a whole file, and valid.
  init(ofWholeFile file: MemberReader) {
    identifier = 1
    test = file
    expected = .valid
    expectedError = nil
  }

  /// Runs the test, unless something is wrong with its members already.
  mutating func judge(running run: (MemberReader) throws -> Verdict) {
    guard failure == nil else { return }
    do {
      failure = expected.objection(to: try verdict { try run(test) }, error: expectedError)
    } catch let fault as VectorFault where fault.isReasonToSkip {
      reasonToSkip = "\(fault)"
    } catch {
      failure = "\(error)"
    }
  }

  /// Doesn't run the test, whatever its members are: the package can't run any of its kind.
  mutating func skip(_ reason: String) { (failure, reasonToSkip) = (nil, reason) }

  /// Fails the test if a member of it, or of its group, was not read; not strictly, skips it if the member may decide
  /// what the test means, and else remarks on it. A test that wasn't run need not be read.
  mutating func requireEverythingRead(group: MemberReader? = nil, isStrict: Bool = true) {
    guard failure == nil, reasonToSkip == nil else { return }
    let ofGroup = group?.unread.map { "\($0) in the group" } ?? []
    guard let first = (test.unread + ofGroup).first else { return }
    guard !isStrict else {
      failure = "unread field \(first)"
      return
    }
    let names = test.unread + (group?.unread ?? [])
    if let deciding = names.first(where: UnreadMember.decides) {
      reasonToSkip = "member \(deciding) is not known"
    } else {
      remarks.append("member \(first) is not read")
    }
  }

  func add(to report: inout VectorReport) {
    for remark in remarks { report.remark(remark) }
    if let failure {
      report.fail(identifier, failure)
    } else if let reasonToSkip {
      report.skip(reasonToSkip)
    } else {
      report.passed += 1
    }
  }
}

extension VectorReport {
  /// Runs each element of an array as a valid test with its place for a number. Every member of it must be read.
  mutating func judge(_ elements: [JSONValue], by judge: (MemberReader) throws -> Verdict) {
    for (index, element) in elements.enumerated() {
      var outcome = Outcome(
        reading: MemberReader(element.objectValue ?? [:]), number: index + 1, expected: .valid)
      outcome.judge(running: judge)
      outcome.requireEverythingRead(isStrict: isStrict)
      outcome.add(to: &self)
    }
  }
}
