/// A command line that can't be followed: one line, exit code 2.
public struct UsageError: Error, Equatable, CustomStringConvertible {
  /// What is wrong, for the user to read.
  public let description: String

  /// An error of one line.
  public init(_ description: String) {
    self.description = description
  }
}
