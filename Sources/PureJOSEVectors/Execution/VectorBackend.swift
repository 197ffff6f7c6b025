/// One of the ways in which the package can compute: portable code, or kernels for instructions that this machine has.
package struct VectorBackend: Hashable, Sendable {
  /// The name that a failure is reported with.
  package let name: String

  /// The code that runs everywhere.
  package static let portable = VectorBackend(name: "portable")

  /// Every backend that this machine has.
  package static let available: [VectorBackend] = [.portable]
}
