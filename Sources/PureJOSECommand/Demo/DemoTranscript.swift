import JOSE
import StrictJSON
import Synchronization

/// What a demonstration shows: messages decoded, checks made, and at the end a table of the messages.
final class DemoTranscript: Sendable {
  /// Something turned out otherwise than it must.
  struct Unexpected: Error {}

  private struct Message {
    var name: String
    var byteCount: Int
    var microseconds: Int
    var checkCount: Int
  }

  private struct State {
    var lines: [String] = []
    var messages: [Message] = []
    var failure: String?
    var last = ContinuousClock.now
  }

  private let state = Mutex(State())

  /// Begins a scene.
  func scene(_ title: String) { state.withLock { $0.lines += ["", "== \(title)"] } }

  /// Shows a line.
  func show(_ line: String) { state.withLock { $0.lines.append("   " + line) } }

  /// Shows a message, and counts the time since the one before.
  func message(_ name: String, _ lines: [String], byteCount: Int) {
    state.withLock { state in
      let now = ContinuousClock.now
      let passed = state.last.duration(to: now).components
      state.last = now
      let microseconds = Int(passed.seconds * 1_000_000 + passed.attoseconds / 1_000_000_000_000)
      state.messages.append(
        Message(name: name, byteCount: byteCount, microseconds: microseconds, checkCount: 0))
      state.lines += ["-- \(name), \(byteCount) bytes"] + lines.map { "   " + $0 }
    }
  }

  /// Shows a request and its form fields, tokens in it decoded.
  func message(_ name: String, _ request: HTTPRequestValue) {
    var lines = ["\(request.method) \(request.url)"]
    if let fields = try? request.form().fields {
      for field in fields { lines += Self.decoded(field.name, field.value) }
    } else if let object = try? JSONObject(parsing: request.body) {
      lines += Self.decoded(object)
    }
    message(name, lines, byteCount: request.url.utf8.count + request.body.count)
  }

  /// Shows a response and its members, tokens in it decoded.
  func message(_ name: String, _ response: HTTPResponseValue) {
    var lines = ["status \(response.status)"]
    if let object = try? JSONObject(parsing: response.body) { lines += Self.decoded(object) }
    message(name, lines, byteCount: response.body.count)
  }

  /// Shows a token with selective disclosure: what is signed, each disclosure, and the holder's proof.
  func message(_ name: String, disclosing text: String) {
    let parts = text.split(separator: "~").map(String.init)
    let lines = parts.enumerated().flatMap { place, part in
      guard let json = try? Base64URL.decode(part) else { return Self.decoded(place == 0 ? "issued" : "proof", part) }
      return ["disclosure: " + String(decoding: json, as: UTF8.self)]
    }
    message(name, lines, byteCount: text.utf8.count)
  }

  /// Shows a check of the last message. One that fails ends the demonstration.
  func check(_ text: String, _ holds: Bool) throws {
    try state.withLock { state in
      state.lines.append("   \(holds ? "✓" : "✗") \(text)")
      guard holds else {
        state.failure = text
        throw Unexpected()
      }
      if !state.messages.isEmpty { state.messages[state.messages.count - 1].checkCount += 1 }
    }
  }

  /// Plays a demonstration to its end and writes what it showed.
  ///
  /// - Throws: ``CommandFailure/invalid(_:)`` if a check failed or anything was thrown.
  static func play(
    on console: Console, _ body: @Sendable (DemoTranscript) async throws -> Void
  ) async throws(CommandFailure) {
    let transcript = DemoTranscript()
    do {
      try await body(transcript)
    } catch {
      transcript.state.withLock { $0.failure = $0.failure ?? "\(error)" }
    }
    let (text, failure) = transcript.state.withLock { ($0.lines + [""] + table($0.messages), $0.failure) }
    console.write(text.joined(separator: "\n") + "\n")
    if let failure { throw .invalid("the demonstration failed: \(failure)") }
  }

  private static func table(_ messages: [Message]) -> [String] {
    let rows =
      [("message", "bytes", "time", "checks passed")]
      + messages.map { ($0.name, "\($0.byteCount)", "\($0.microseconds) µs", "\($0.checkCount)") }
    let width = rows.map(\.0.count).max() ?? 0
    func padded(_ text: String, _ width: Int) -> String {
      String(repeating: " ", count: max(0, width - text.count)) + text
    }
    return rows.map { row in
      let name = row.0 + String(repeating: " ", count: width - row.0.count)
      return "\(name)  \(padded(row.1, 7))  \(padded(row.2, 12))  \(padded(row.3, 13))"
    }
  }

  private static func decoded(_ object: JSONObject) -> [String] {
    object.members.flatMap { name, value -> [String] in
      if case .string(let text) = value { return decoded(name, text) }
      return ["\(name): \(text(value))"]
    }
  }

  /// A named value; a signed token also with what is in it.
  private static func decoded(_ name: String, _ value: String) -> [String] {
    guard let token = try? UnverifiedJWS(parsing: value), let claims = try? JSONValue(parsing: token.unverifiedPayload)
    else { return ["\(name): \(value)"] }
    let header = token.unverifiedHeader.parameters
    return ["\(name): a signed token", "  header \(text(.object(header)))", "  claims \(text(claims))"]
  }

  private static func text(_ value: JSONValue) -> String { String(decoding: value.serialized(), as: UTF8.self) }
}
