/// Runs the tests of one group type. A conforming type reads the group's members once and then one test after another.
protocol VectorGroup {
  /// Reads the members of the group that are not common to all.
  /// - Throws: ``VectorFault/notImplemented(_:)`` when no test of the group can be run.
  init(reading group: MemberReader, in file: FileContext) throws(VectorFault)

  /// Reads and runs a test. Tests come in the order of the file.
  mutating func run(_ test: MemberReader) throws(VectorFault) -> Verdict
}

/// What a group may need to know of the file it stands in.
struct FileContext {
  /// The file's member `algorithm`; empty in files that have none.
  let algorithm: String
  let backend: VectorBackend
}
