/// The arguments of one verb: options with values, and operands.
struct Arguments {
  private var options: [(name: String, value: String)] = []
  private(set) var flags: [String] = []
  private(set) var operands: [String] = []

  /// Sorts arguments into options with a value, flags without one, and operands.
  ///
  /// - Throws: ``CommandFailure/usage(_:)`` for an unknown, repeated or valueless option.
  init(_ arguments: [String], options known: [String], flags knownFlags: [String] = []) throws(CommandFailure) {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      if argument == "--" {
        operands += rest
        break
      }
      guard argument.hasPrefix("--") else {
        operands.append(argument)
        continue
      }
      let name = String(argument.dropFirst(2))
      if knownFlags.contains(name) {
        flags.append(name)
        continue
      }
      guard known.contains(name) else { throw .usage("unknown option \(argument)") }
      guard !options.contains(where: { $0.name == name }) else { throw .usage("\(argument) is given twice") }
      guard let value = rest.popFirst() else { throw .usage("\(argument) needs a value") }
      options.append((name, value))
    }
  }

  /// An option's value, or nil.
  subscript(_ name: String) -> String? { options.first { $0.name == name }?.value }

  /// The value of an option that must be there.
  func required(_ name: String) throws(CommandFailure) -> String {
    guard let value = self[name] else { throw .usage("--\(name) is required") }
    return value
  }

  /// Refuses operands where a verb takes none.
  func requireNoOperands() throws(CommandFailure) {
    guard operands.isEmpty else { throw .usage("unexpected argument; input comes on standard input") }
  }
}
