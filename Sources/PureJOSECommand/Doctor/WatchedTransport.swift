import JOSE
import StrictJSON
import Synchronization

/// A transport that reads along what refusals say: nothing of the server's inside, and nothing secret.
struct WatchedTransport: DoctorTransport {
  private let base: any DoctorTransport
  private let secrets: [String]
  private let log = Log()

  private final class Log: Sendable {
    let found = Mutex<(traces: [String], secrets: [String])>(([], []))
  }

  init(_ base: any DoctorTransport, secrets: [String]) {
    // A short one is in many a text by chance.
    (self.base, self.secrets) = (base, secrets.filter { $0.utf8.count >= 8 })
  }

  /// What was found in refusals, each once.
  var traces: [String] { log.found.withLock { $0.traces.firstOfEach } }
  var toldSecrets: [String] { log.found.withLock { $0.secrets.firstOfEach } }

  func send(_ request: HTTPRequestValue) async throws(CommandFailure) -> HTTPResponseValue {
    let response = try await base.send(request)
    read(response)
    return response
  }

  func timed(
    _ requests: [HTTPRequestValue]
  ) async -> [(answer: Result<HTTPResponseValue, CommandFailure>, took: Duration)] {
    let answers = await base.timed(requests)
    for case .success(let response) in answers.map(\.answer) { read(response) }
    return answers
  }

  func agrees(to offer: TLSOffer) async -> Bool? { await base.agrees(to: offer) }

  private func read(_ response: HTTPResponseValue) {
    guard response.status >= 400, !response.body.isEmpty else { return }
    let text = String(decoding: response.body.prefix(65_536), as: UTF8.self)
    let lowercase = text.lowercased()
    let trace = Self.traces.first { lowercase.contains($0) } ?? Self.line(in: lowercase)
    let isTold = secrets.contains { text.contains($0) }
    guard trace != nil || isTold else { return }
    log.found.withLock { found in
      if let trace { found.traces.append("\(response.status) with \"\(trace.trimmed)\"") }
      if isTold { found.secrets.append("\(response.status) with what the request kept secret") }
    }
  }

  /// What programs in the usual languages and databases leave in a page about an exception.
  private static let traces = [
    "traceback (most recent call last)", "file \"/", ".py\", line", "\n\tat ", "\n    at ", "\n   at ", "java.lang.",
    "javax.", "nullpointerexception", "nullreferenceexception", "goroutine ", "panic: ", "node_modules",
    "fatal error: ",
    "stack trace:", "stacktrace", "\"stack\":", "sqlstate", "sqlite3.", "psycopg", "ora-0", "/usr/lib", "/usr/local/",
    "/usr/src/", "/home/", "/var/lib/", "/var/www/", "c:\\",
  ]

  /// A source file with a line's number behind it.
  private static func line(in text: String) -> String? {
    let endings = [".go:", ".js:", ".ts:", ".rb:", ".php:", ".swift:", ".rs:", ".java:", ".cs:", ".py:", ".kt:"]
    return endings.first { ending in
      text.ranges(of: ending).contains { text[$0.upperBound...].first?.isNumber == true }
    }
  }
}

extension String {
  fileprivate var trimmed: String { split { $0.isWhitespace || $0.isNewline }.joined(separator: " ") }
}

extension DoctorSubject {
  /// What no refusal may repeat.
  var secrets: [String] {
    if case .password(let password) = method { return [password] }
    return []
  }
}
