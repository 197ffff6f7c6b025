import PureCrypto

/// Runs the tests of one group type. A conforming type reads the group's members once and then one test after another.
protocol VectorGroup {
  /// Reads the members of the group that are not common to all.
  /// - Throws: ``VectorFault/notImplemented(_:)`` when no test of the group can be run.
  init(reading group: MemberReader, in file: FileContext) throws(VectorFault)

  /// Reads and runs a test. Tests come in the order of the file.
  /// - Throws: a ``VectorFault``, or the package's own error when it refuses the input, which is a verdict as well.
  mutating func run(_ test: MemberReader) throws -> Verdict
}

/// A group that says nothing: its tests say everything.
protocol BareGroup: VectorGroup {
  init()
}

extension BareGroup {
  init(reading group: MemberReader, in file: FileContext) { self.init() }
}

/// A group that says how many bits its keys have, and nothing else.
protocol KeySizeGroup: VectorGroup {
  var keySize: Int { get }

  init(keySize: Int)
}

extension KeySizeGroup {
  init(reading group: MemberReader, in file: FileContext) throws(VectorFault) {
    self.init(keySize: try group.integer("keySize"))
  }

  /// The test's key, which is as long as the group says.
  func key(of test: MemberReader) throws(VectorFault) -> [UInt8] {
    let key = try test.octets("key")
    guard key.count * 8 == keySize else { throw .malformed("the key is not \(keySize) bits long") }
    return key
  }
}

/// A group with nothing but its hash function.
protocol PlainHashGroup: VectorGroup {
  init(function: MessageHash)
}

extension PlainHashGroup {
  init(reading group: MemberReader, in file: FileContext) throws(VectorFault) {
    self.init(function: try MessageHash(named: group.string("sha")))
  }
}

/// A group with nothing but its parameter set of ML-KEM.
protocol PlainMLKEMGroup: VectorGroup {
  init(parameterSet: MLKEMParameterSet)
}

extension PlainMLKEMGroup {
  init(reading group: MemberReader, in file: FileContext) throws(VectorFault) {
    self.init(parameterSet: try group.mlKEMParameterSet())
  }
}

/// What a group may need to know of the file it stands in.
struct FileContext {
  /// The file's member `algorithm`; empty in files that have none.
  let algorithm: String
}
