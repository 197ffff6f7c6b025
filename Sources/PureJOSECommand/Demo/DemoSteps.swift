import JOSE
import StrictJSON

/// What a demonstration shows: each message decoded, each check as it is made, and a table at the end.
struct DemoSteps {
  private struct Row {
    let message: String
    let byteCount: Int
    let microseconds: Int
    var checks = 0
  }

  private let console: Console
  private var rows: [Row] = []

  init(console: Console, title: String) {
    self.console = console
    console.write("\(title)\n\(String(repeating: "=", count: title.count))\n")
  }

  /// Does one step and takes its time. What it makes is shown by the calls that follow.
  mutating func step<Value>(
    _ message: String, byteCount: (Value) -> Int, _ body: () async throws -> Value
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
    rows.append(Row(message: message, byteCount: byteCount(value), microseconds: microseconds))
    console.write("\n\(rows.count). \(message)\n")
    return value
  }

  /// Shows a line of a message.
  func show(_ line: String) { console.write("   \(line)\n") }

  /// Shows a JSON object of a message.
  func show(_ name: String, _ object: JSONObject) {
    let text = String(decoding: object.serialized(options: .pretty), as: UTF8.self)
    console.write("   \(name) \(text.replacing("\n", with: "\n   "))\n")
  }

  /// Shows header and claims of a compact token.
  func show(token: String) {
    guard let parsed = try? UnverifiedCompact(parsing: token) else { return }
    show("header", parsed.header.parameters)
    if let claims = parsed.signed?.unverifiedClaims { show("claims", claims) }
  }

  /// A check of the last step, which must hold.
  mutating func check(_ what: String, _ holds: Bool) throws(CommandFailure) {
    guard holds else { throw .invalid("a check failed: \(what)") }
    rows[rows.count - 1].checks += 1
    console.write("   ✓ \(what)\n")
  }

  /// Writes the table.
  func finish() {
    let width = rows.map(\.message.count).max() ?? 0
    func row(_ message: String, _ bytes: String, _ time: String, _ checks: String) -> String {
      let padding = String(repeating: " ", count: max(0, width - message.count))
      return message + padding
        + [bytes, time, checks].map { field in
          "  " + String(repeating: " ", count: max(0, 8 - field.count)) + field
        }.joined() + "\n"
    }
    var table = "\n" + row("message", "bytes", "µs", "checks")
    for step in rows {
      table += row(step.message, "\(step.byteCount)", "\(step.microseconds)", "\(step.checks)")
    }
    console.write(table)
  }
}
