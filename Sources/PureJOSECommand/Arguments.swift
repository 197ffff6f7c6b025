import JOSE

/// The arguments of one verb: options with values, and operands.
struct Arguments {
  private var options: [(name: String, value: String)] = []
  private(set) var flags: [String] = []
  private(set) var operands: [String] = []

  /// Sorts arguments into options with a value, flags without one, and operands.
  ///
  /// - Parameter repeatable: the options that may be given several times.
  /// - Throws: ``CommandFailure/usage(_:)`` for an unknown, repeated or valueless option.
  init(
    _ arguments: [String], options known: [String], repeatable: [String] = [], flags knownFlags: [String] = []
  ) throws(CommandFailure) {
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
      guard known.contains(name) || repeatable.contains(name) else { throw .usage("unknown option \(argument)") }
      guard repeatable.contains(name) || self[name] == nil else { throw .usage("\(argument) is given twice") }
      guard let value = rest.popFirst() else { throw .usage("\(argument) needs a value") }
      options.append((name, value))
    }
  }

  /// An option's value, or nil.
  subscript(_ name: String) -> String? { options.first { $0.name == name }?.value }

  /// The values of an option that may be given several times, in their order.
  func values(_ name: String) -> [String] { options.filter { $0.name == name }.map(\.value) }

  /// Whether a flag is given.
  func has(_ flag: String) -> Bool { flags.contains(flag) }

  /// The octets of an option's base64url text, or nil.
  func octets(_ name: String) throws(CommandFailure) -> [UInt8]? {
    guard let text = self[name] else { return nil }
    guard let octets = try? Base64URL.decode(text) else { throw .usage("--\(name) is not base64url") }
    return octets
  }

  /// The number of an option, or nil.
  func number(_ name: String) throws(CommandFailure) -> Int? {
    guard let text = self[name] else { return nil }
    guard let number = Int(text), number > 0 else { throw .usage("--\(name) is no positive number") }
    return number
  }

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
