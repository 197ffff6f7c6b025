/// Why a test, a group or a file could not be run.
package enum VectorFault: Error, CustomStringConvertible {
  /// The file is not what its format says, or says something that is not read.
  case malformed(String)
  /// The file is sound but asks for something that the package doesn't have. The text names it.
  case notImplemented(String)

  /// What is malformed, or what is not implemented.
  package var description: String {
    switch self {
    case .malformed(let reason): reason
    case .notImplemented(let name): "\(name) is not implemented"
    }
  }
}
