// Apple and the C libraries document these.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Foundation
import Synchronization

/// The data-protection keychain of one device, in memory, for generic passwords: what `SecItemAdd` and its like are
/// documented to do, and nothing else. What it doesn't know is an invalid parameter.
public final class StubKeychain: Sendable {
  /// A function of the keychain.
  public enum Call: Sendable { case add, copyMatching, update, delete }

  struct Interruption: Sendable {
    let call: Call
    var skippedCalls: Int
    let action: @Sendable () -> Void
  }

  struct State: Sendable {
    var items: [KeychainItem] = []
    var entitledGroups: Set<String> = []
    var isLocked = false
    var interruption: Interruption?
  }

  public static let device = StubKeychain()
  let state = Mutex(State())

  /// Forgets all, and gives the process access groups.
  public func reset(entitledGroups: Set<String>) {
    state.withLock { $0 = State(entitledGroups: entitledGroups) }
  }

  /// Whether the device is locked since it started. Nothing can be read or written then.
  public func setLocked(_ isLocked: Bool) {
    state.withLock { $0.isLocked = isLocked }
  }

  /// Does something once, just before the next call of a function, or a later one: what another process does between
  /// two calls of this one.
  public func interrupt(before call: Call, skipping count: Int = 0, _ action: @escaping @Sendable () -> Void) {
    state.withLock { $0.interruption = Interruption(call: call, skippedCalls: count, action: action) }
  }

  /// The attributes of all items, as texts.
  public var items: [[String: String]] {
    state.withLock { $0.items.map { item in item.attributes.mapValues { "\($0)" } } }
  }

  func call(_ call: Call, _ body: (inout State) -> OSStatus) -> OSStatus {
    let interruption = state.withLock { state -> Interruption? in
      guard let interruption = state.interruption, interruption.call == call else { return nil }
      guard interruption.skippedCalls == 0 else {
        state.interruption?.skippedCalls -= 1
        return nil
      }
      state.interruption = nil
      return interruption
    }
    interruption?.action()
    return state.withLock { state in
      if state.isLocked { return errSecInteractionNotAllowed }
      return body(&state)
    }
  }
}
