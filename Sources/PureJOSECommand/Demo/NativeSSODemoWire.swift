import JOSE
import NativeSSOKit
import StrictJSON
import Synchronization

/// The network and the clock of the Native SSO demonstration: carries messages and remembers them.
final class NativeSSODemoWire: Sendable {
  typealias Handler = @Sendable (HTTPRequestValue) async -> HTTPResponseValue

  private struct Message {
    var name: String
    var request: HTTPRequestValue
    var response: HTTPResponseValue
    var duration: Duration
    var checks = 0
  }

  private struct State {
    var now: Int
    var handler: Handler?
    var names: [String] = []
    var messages: [Message] = []
  }

  private let state: Mutex<State>

  init(now: Int) { state = Mutex(State(now: now)) }

  /// The time that everybody in the demonstration sees, in seconds since 1970.
  var now: Int { state.withLock { $0.now } }

  func advance(_ seconds: Int) { state.withLock { $0.now += seconds } }

  func connect(_ handler: @escaping Handler) { state.withLock { $0.handler = handler } }

  /// Names the next message.
  func expect(_ name: String) { state.withLock { $0.names.append(name) } }

  /// Notes how many checks of the last message passed.
  func passed(_ count: Int) {
    state.withLock { state in
      guard let last = state.messages.indices.last else { return }
      state.messages[last].checks += count
    }
  }

  func send(_ request: HTTPRequestValue) async throws -> HTTPResponseValue {
    guard let handler = state.withLock({ $0.handler }) else { throw CommandFailure.invalid("no server is connected") }
    return await record(request, handler)
  }

  /// Lets a handler answer, and remembers both sides.
  func record(_ request: HTTPRequestValue, _ handler: Handler) async -> HTTPResponseValue {
    let clock = ContinuousClock()
    let start = clock.now
    let response = await handler(request)
    let duration = clock.now - start
    state.withLock { state in
      let name = state.names.isEmpty ? "token request" : state.names.removeFirst()
      state.messages.append(Message(name: name, request: request, response: response, duration: duration))
    }
    return response
  }

  /// The last message, decoded.
  func describeLast() -> [String] {
    guard let last = state.withLock({ $0.messages.last }) else { return [] }
    var lines = ["  \(last.request.method) \(last.request.url)"]
    if let form = try? last.request.form() {
      lines += form.fields.map { "    \($0.name) = \(Self.short(.string($0.value)))" }
    }
    lines.append("  answer \(last.response.status)")
    if let object = try? JSONObject(parsing: last.response.body) {
      lines += object.members.map { "    \($0.name) = \(Self.short($0.value))" }
    }
    return lines
  }

  /// A value, cut if it is long.
  static func short(_ value: JSONValue) -> String {
    let text = value.stringValue ?? String(decoding: value.serialized(), as: UTF8.self)
    return text.utf8.count <= 80 ? text : "\(text.prefix(40))… (\(text.utf8.count) bytes)"
  }

  /// Name, bytes there and back, time, and checks passed.
  var table: [String] {
    let messages = state.withLock { $0.messages }
    func row(_ name: String, _ request: String, _ response: String, _ time: String, _ checks: String) -> String {
      func padded(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
      }
      return name + String(repeating: " ", count: max(1, 36 - name.count)) + padded(request, 8) + padded(response, 10)
        + padded(time, 11) + padded(checks, 8)
    }
    let head = row("message", "request", "response", "time", "checks")
    return [head]
      + messages.map { message in
        let microseconds = message.duration / .microseconds(1)
        let tenths = Int((microseconds / 100).rounded())
        return row(
          message.name, "\(message.request.body.count)", "\(message.response.body.count)",
          "\(tenths / 10).\(tenths % 10) ms",
          "\(message.checks)")
      }
  }
}
