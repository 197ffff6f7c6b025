import Synchronization
import Testing

@testable import PureJOSECommand

@Suite("jose demo native-sso")
struct NativeSSODemoTests {
  @Test("Every scene ends as the specification says, and the table lists every message")
  func plays() async throws {
    let output = Mutex("")
    let console = Console(
      readInput: { () throws(CommandFailure) in [] }, readFile: { _ throws(CommandFailure) in [] },
      write: { bytes in output.withLock { $0 += String(decoding: bytes, as: UTF8.self) } }, writeError: { _ in })
    try await NativeSSODemo(console: console).run()
    let text = output.withLock { $0 }
    for scene in 1...8 { #expect(text.contains("\n\(scene). ")) }
    for error in ["access_denied", "invalid_grant", "slow_down"] { #expect(text.contains("error = \(error)")) }
    #expect(text.split(separator: "\n").count { $0.hasPrefix("  \u{2713}") } == 22)
    #expect(text.contains("fallback login, stranger"))
  }
}
