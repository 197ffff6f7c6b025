/// Why a test, a group or a file could not be run.
package enum VectorFault: Error, CustomStringConvertible {
  /// The file is not what its format says, or says something that is not read.
  case malformed(String)
  /// The file is sound but asks for something that the package doesn't have. The text names it.
  case notImplemented(String)
  /// The file names a schema, a type of groups or of tests that isn't known: a slip of the pen, or something newer.
  case unknown(String)
  /// The file is sound but says too little to be run. The text says what is missing.
  case incomplete(String)

  /// Whether the test is skipped rather than failed.
  var isReasonToSkip: Bool {
    switch self {
    case .malformed, .unknown: false
    case .notImplemented, .incomplete: true
    }
  }

  /// What is malformed, not implemented or missing.
  package var description: String {
    switch self {
    case .malformed(let reason), .incomplete(let reason): reason
    case .unknown(let name): "unknown \(name)"
    case .notImplemented(let name): "\(name) is not implemented"
    }
  }
}
