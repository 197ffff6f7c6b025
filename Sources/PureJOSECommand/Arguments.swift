import JOSE

/// The arguments of one verb: options with values, and operands.
struct Arguments {
  private var options: [(name: String, value: String)] = []
  private(set) var flags: [String] = []
  private(set) var operands: [String] = []

  /// Sorts arguments into options with a value, as `--name value` or `--name=value`, flags without one, and operands.
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
      let parts = argument.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = String(parts[0])
      if knownFlags.contains(name) {
        guard parts.count == 1 else { throw .usage("--\(name) takes no value") }
        flags.append(name)
        continue
      }
      guard known.contains(name) || repeatable.contains(name) else {
        let suggestion = Suggestion.of(name, among: known + repeatable + knownFlags)
        throw .usage(
          "unknown option --\(Suggestion.shown(name))\(suggestion.replacing("mean ", with: "mean --"))")
      }
      guard repeatable.contains(name) || self[name] == nil else { throw .usage("--\(name) is given twice") }
      guard let value = parts.count == 2 ? String(parts[1]) : rest.popFirst() else {
        throw .usage("--\(name) needs a value")
      }
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
    guard let number = Int(text), number > 0 else { throw .usage("--\(name) is not a positive number") }
    return number
  }

  /// The seconds of an option whose value has a unit, `s`, `m`, `h` or `d`, or is in seconds; or nil.
  func seconds(_ name: String) throws(CommandFailure) -> Int? {
    try number(name, units: ["s": 1, "m": 60, "h": 3600, "d": 86_400], meaning: "a time such as 90, 90s, 5m, 1h or 2d")
  }

  /// The octets of an option whose value has a unit, `K`, `M` or `G`, or is in octets; or nil.
  func octetCount(_ name: String) throws(CommandFailure) -> Int? {
    try number(
      name, units: ["K": 1 << 10, "M": 1 << 20, "G": 1 << 30], meaning: "a size such as 65536, 64K, 16M or 1G")
  }

  private func number(
    _ name: String, units: [Character: Int], meaning: String
  ) throws(CommandFailure) -> Int? {
    guard var text = self[name] else { return nil }
    // 100MB says the same as 100M.
    if units["M"] != nil, text.hasSuffix("B"), text.dropLast().last.map({ units[$0] != nil }) ?? false {
      text.removeLast()
    }
    let unit = text.last.flatMap { units[$0] }
    let digits = unit == nil ? text[...] : text.dropLast()
    guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let count = Int(digits), count > 0,
      case let (number, overflow) = count.multipliedReportingOverflow(by: unit ?? 1), !overflow
    else { throw .usage("--\(name) is \(meaning)") }
    return number
  }

  /// The value of an option that must be there.
  func required(_ name: String) throws(CommandFailure) -> String {
    guard let value = self[name] else { throw .usage("--\(name) is required") }
    return value
  }

  /// Refuses operands where a verb takes none.
  func requireNoOperands() throws(CommandFailure) {
    guard operands.isEmpty else { throw .usage("unexpected argument: nothing is read here but options") }
  }

  /// Refuses more operands than the one that may be a file or a token.
  func requireAtMostOneOperand() throws(CommandFailure) {
    guard operands.count <= 1 else { throw .usage("one file or token is an argument, not several") }
  }
}
