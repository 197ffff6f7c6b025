import Foundation
import HTTPValues
import JOSE
import NativeSSO
import StrictJSON
import Synchronization

/// Plays Native SSO in one process: two apps of a vendor, a stranger's app, and a provider. Every token is signed and verified.
struct NativeSSODemo {
  let console: Console

  /// Plays all scenes and shows what went over the wire.
  ///
  /// - Throws: ``CommandFailure/invalid(_:)`` if anything turns out otherwise than the specification says.
  func run() throws(CommandFailure) {
    let outcome = Self.waiting {
      do {
        let script = try await NativeSSODemoScript()
        let failure = await script.play()
        return (await script.transcript, failure)
      } catch {
        return ("", CommandFailure.invalid("the demonstration could not be set up"))
      }
    }
    console.write(outcome.0)
    if let failure = outcome.1 { throw failure }
  }

  /// Runs asynchronous code to its end on other threads; the command itself is synchronous.
  private static func waiting<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) -> Value {
    let result = DemoResult<Value>()
    let isDone = DispatchSemaphore(value: 0)
    Task.detached {
      result.set(await body())
      isDone.signal()
    }
    while true {
      isDone.wait()
      if let value = result.value { return value }
    }
  }
}

/// Carries one value from a task to the thread that waits for it.
private final class DemoResult<Value: Sendable>: Sendable {
  private let storage = Mutex<Value?>(nil)

  var value: Value? { storage.withLock { $0 } }

  func set(_ value: Value) { storage.withLock { $0 = value } }
}
