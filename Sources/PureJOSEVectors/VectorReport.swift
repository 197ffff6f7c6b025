/// What came of the tests of one file.
package struct VectorReport: Sendable {
  /// A test that failed.
  package struct Failure: Hashable, Sendable {
    /// The test's number in its file; 0 for what is wrong with the file as a whole.
    package let testIdentifier: Int
    /// What was wrong, in a few words.
    package let reason: String
  }

  /// The file's name, without its folder.
  package let fileName: String
  /// How many tests came out as the file says.
  package internal(set) var passed = 0
  /// Every test that didn't, in the order of the file.
  package internal(set) var failures: [Failure] = []
  /// How many tests were not run, by reason.
  package internal(set) var skippedByReason: [String: Int] = [:]

  /// What is odd about the file and fails nothing: how many times, by remark.
  package internal(set) var remarks: [String: Int] = [:]

  /// How many tests were not run.
  package var skipped: Int { skippedByReason.values.reduce(0, +) }
  /// How many tests were run, whatever came of them.
  package var executed: Int { passed + failures.filter { $0.testIdentifier != 0 }.count }

  /// Whether a member that isn't read, and a type of groups that isn't known, fail the file.
  let isStrict: Bool

  init(fileName: String, isStrict: Bool = true) {
    self.fileName = fileName
    self.isStrict = isStrict
  }

  /// Records a member of the file, beside its groups, that isn't read.
  mutating func noteUnread(_ name: String?) {
    guard let name else { return }
    if isStrict { fail(0, "unread field \(name)") } else { remark("member \(name) is not read") }
  }

  /// Records a failed test, or with 0 a fault of the file as a whole.
  mutating func fail(_ testIdentifier: Int, _ reason: String) {
    failures.append(Failure(testIdentifier: testIdentifier, reason: reason))
  }

  /// Records tests that are not run.
  mutating func skip(_ reason: String, count: Int = 1) {
    if count > 0 { skippedByReason[reason, default: 0] += count }
  }

  mutating func remark(_ text: String, count: Int = 1) {
    remarks[text, default: 0] += count
  }
}
