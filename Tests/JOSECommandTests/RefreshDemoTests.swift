import Foundation
import Synchronization
import Testing

@testable import JOSECommand

/// The demonstrations of Sign in with Apple and of token refresh, played in process.
@Suite struct RefreshDemoTests {
  /// Plays a demonstration on a thread of its own: it blocks its thread, and the test runner has few.
  private func output(of play: @escaping @Sendable (Console) throws(CommandFailure) -> Void) async -> (
    text: String, failed: Bool
  ) {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        let text = Mutex("")
        let console = Console(
          readInput: { () throws(CommandFailure) in [] }, readFile: { _ throws(CommandFailure) in [] },
          write: { bytes in text.withLock { $0 += String(decoding: bytes, as: UTF8.self) } }, writeError: { _ in })
        let failed = (try? play(console)) == nil
        continuation.resume(returning: (text.withLock { $0 }, failed))
      }
    }
  }

  @Test func `sign-in-with-apple`() async {
    let (text, failed) = await output { console throws(CommandFailure) in
      try SignInWithAppleDemo(console: console).run()
    }
    #expect(!failed && text.contains("checks passed") && !text.contains("✗"), "\(text.suffix(1500))")
    #expect(text.count { $0 == "✓" } >= 30)
  }

  @Test func `token-refresh`() async {
    let (text, failed) = await output { console throws(CommandFailure) in try TokenRefreshDemo(console: console).run() }
    #expect(!failed && text.contains("checks passed") && !text.contains("✗"), "\(text.suffix(1500))")
    #expect(text.count { $0 == "✓" } >= 15)
  }
}
