import JOSE
import StrictJSON

/// What a demonstration shows. In short, a line for each message with what was checked, and a table of the exchanges;
/// in full, each message decoded, each check as it is made, and a table of the messages.
struct DemoSteps {
  private struct Row {
    let message: String
    let byteCount: Int
    let microseconds: Int
    var checks = 0
  }

  /// A line of the short form: a message, and what both sides check of it.
  private struct Line {
    let name: String
    var byteCount = 0
    var checks = 0
    var labels: [String] = []
  }

  private let console: Console
  private let isVerbose: Bool
  private let hasColors: Bool
  private var rows: [Row] = []
  private var line: Line?
  /// The exchanges so far, for the table of the short form.
  private var exchanges: [Row] = []

  init(console: Console, title: String, isVerbose: Bool) {
    (self.console, self.isVerbose, hasColors) = (console, isVerbose, console.outputHasColors())
    console.write(bold(title) + "\n")
    if isVerbose { console.write(String(repeating: "=", count: title.count) + "\n") }
  }

  /// Begins an exchange: several messages that belong together.
  mutating func exchange(_ name: String) {
    endLine()
    exchanges.append(Row(message: name, byteCount: 0, microseconds: 0))
    if !isVerbose { console.write("\(bold(name))\n") }
  }

  /// Does one step and takes its time. What it makes is shown by the calls that follow.
  ///
  /// - Parameters:
  ///   - message: what is made or read.
  ///   - line: the line of the short form that it belongs to, one with the step before if that has the same.
  ///   - isReceived: whether the other side made the message, so that its octets are counted already.
  ///   - byteCount: its size.
  ///   - body: the step.
  mutating func step<Value>(
    _ message: String, of line: String, isReceived: Bool = false, byteCount: (Value) -> Int,
    _ body: () async throws -> Value
  ) async throws(CommandFailure) -> Value {
    let clock = ContinuousClock()
    let start = clock.now
    let value: Value
    do {
      value = try await body()
    } catch {
      throw .invalid("\(message) failed: \(error)")
    }
    let (seconds, attoseconds) = (clock.now - start).components
    let microseconds = Int(seconds) * 1_000_000 + Int(attoseconds / 1_000_000_000_000)
    let count = byteCount(value)
    rows.append(Row(message: message, byteCount: count, microseconds: microseconds))
    if self.line?.name != line { endLine() }
    self.line = self.line ?? Line(name: line)
    self.line?.byteCount += isReceived ? 0 : count
    if let exchange = exchanges.popLast() {
      exchanges.append(
        Row(
          message: exchange.message, byteCount: exchange.byteCount + (isReceived ? 0 : count),
          microseconds: exchange.microseconds + microseconds, checks: exchange.checks))
    }
    if isVerbose { console.write("\n\(rows.count). \(message)\n") }
    return value
  }

  /// Shows a line of a message.
  func show(_ line: String) { if isVerbose { console.write("   \(line)\n") } }

  /// Shows a JSON object of a message.
  func show(_ name: String, _ object: JSONObject) {
    let text = String(decoding: object.serialized(options: .pretty), as: UTF8.self)
    show("\(name) \(text.replacing("\n", with: "\n   "))")
  }

  /// Shows header and claims of a compact token.
  func show(token: String) {
    guard let parsed = try? UnverifiedCompact(parsing: token) else { return }
    show("header", parsed.header.parameters)
    if let claims = parsed.signed?.unverifiedClaims { show("claims", claims) }
  }

  /// A check of the last step, which must hold.
  ///
  /// - Parameters:
  ///   - what: the check.
  ///   - label: what the short form calls it; nil for one that it only counts.
  ///   - holds: its result.
  mutating func check(_ what: String, as label: String? = nil, _ holds: Bool) throws(CommandFailure) {
    guard holds else { throw .invalid("a check failed: \(what)") }
    rows[rows.count - 1].checks += 1
    if !exchanges.isEmpty { exchanges[exchanges.count - 1].checks += 1 }
    line?.checks += 1
    if let label { line?.labels.append(label) }
    if isVerbose { console.write("   \(checkMark) \(what)\n") }
  }

  /// Writes the table.
  mutating func finish() {
    endLine()
    let (title, shown) = isVerbose ? ("message", rows) : ("exchange", exchanges)
    let width = shown.map(\.message.count).max() ?? 0
    func row(_ message: String, _ fields: [String]) -> String {
      let padding = String(repeating: " ", count: max(0, width - message.count))
      return message + padding
        + fields.map { field in "  " + String(repeating: " ", count: max(0, 8 - field.count)) + field }.joined() + "\n"
    }
    var table = "\n" + row(title, ["bytes", "µs", "checks"])
    for step in shown {
      table += row(step.message, ["\(step.byteCount)", "\(step.microseconds)", "\(step.checks)"])
    }
    console.write(table)
  }

  /// Writes the line of the short form that has been collected.
  private mutating func endLine() {
    defer { line = nil }
    guard let line, !isVerbose else { return }
    let name = line.name + String(repeating: " ", count: max(0, 22 - line.name.count))
    let size = String(repeating: " ", count: max(0, 5 - "\(line.byteCount)".count)) + "\(line.byteCount)"
    let mark = line.checks == 0 ? " " : checkMark
    console.write("  \(mark) \(name) \(size) B  \(line.labels.joined(separator: ", "))\n")
  }

  private var checkMark: String { hasColors ? "\u{1b}[32m✓\u{1b}[0m" : "✓" }

  private func bold(_ text: String) -> String { hasColors ? "\u{1b}[1m\(text)\u{1b}[0m" : text }
}
