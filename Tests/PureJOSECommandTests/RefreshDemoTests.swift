import Synchronization
import Testing

@testable import PureJOSECommand

/// The demonstrations of Sign in with Apple and of token refresh, played in process.
@Suite struct RefreshDemoTests {
  private func output(of play: (Console) async throws(CommandFailure) -> Void) async -> (text: String, failed: Bool) {
    let text = Mutex("")
    let console = Console(
      readInput: { () throws(CommandFailure) in [] }, readFile: { _ throws(CommandFailure) in [] },
      write: { bytes in text.withLock { $0 += String(decoding: bytes, as: UTF8.self) } }, writeError: { _ in })
    let failed = (try? await play(console)) == nil
    return (text.withLock { $0 }, failed)
  }

  @Test func `sign-in-with-apple`() async {
    let (text, failed) = await output { console async throws(CommandFailure) in
      try await SignInWithAppleDemo(console: console).run()
    }
    #expect(!failed && text.contains("checks passed") && !text.contains("✗"), "\(text.suffix(1500))")
    #expect(text.count { $0 == "✓" } >= 30)
  }

  @Test func `credentials`() async {
    let (text, failed) = await output { console async throws(CommandFailure) in
      try await CredentialDemo(console: console).run()
    }
    #expect(!failed && text.contains("checks passed") && !text.contains("✗"), "\(text.suffix(1500))")
    #expect(text.count { $0 == "✓" } >= 14)
    // Keys and list are asked for once, the list again when its time is over.
    #expect(text.split(separator: "\n").count { $0.hasPrefix("-- request to the employer") } == 3)
  }

  @Test func `token-refresh`() async {
    let (text, failed) = await output { console async throws(CommandFailure) in
      try await TokenRefreshDemo(console: console).run()
    }
    #expect(!failed && text.contains("checks passed") && !text.contains("✗"), "\(text.suffix(1500))")
    #expect(text.count { $0 == "✓" } >= 15)
  }
}
