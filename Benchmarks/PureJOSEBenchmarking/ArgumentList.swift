/// The arguments of a command, taken one option at a time; what nobody took is an error.
public struct ArgumentList {
  private var arguments: [String]

  /// - Parameter arguments: without the command's own name.
  public init(_ arguments: some Sequence<String>) {
    self.arguments = Array(arguments)
  }

  /// Takes an option without a value. Whether it was there.
  public mutating func takeFlag(_ name: String) throws(UsageError) -> Bool {
    guard let index = arguments.firstIndex(of: name) else { return false }
    arguments.remove(at: index)
    if arguments.contains(name) { throw UsageError("\(name) is given twice") }
    return true
  }

  /// Takes an option with its value, or nothing if it isn't there.
  public mutating func takeValue(_ name: String) throws(UsageError) -> String? {
    guard let index = arguments.firstIndex(of: name) else { return nil }
    guard index + 1 < arguments.count, !arguments[index + 1].hasPrefix("--") else {
      throw UsageError("\(name) needs a value")
    }
    let value = arguments[index + 1]
    arguments.removeSubrange(index...(index + 1))
    if arguments.contains(name) { throw UsageError("\(name) is given twice") }
    return value
  }

  /// Takes what is left, if none of it is an option.
  public mutating func takeOperands() throws(UsageError) -> [String] {
    if let option = arguments.first(where: { $0.hasPrefix("-") }) { throw UsageError("unknown argument '\(option)'") }
    defer { arguments = [] }
    return arguments
  }

  /// Refuses what is left.
  public func finish() throws(UsageError) {
    if let left = arguments.first { throw UsageError("unknown argument '\(left)'") }
  }
}
