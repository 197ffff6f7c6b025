import JOSE
import StrictJSON

/// Remembers which notifications have been acted on. Machines that answer for one app must share one store.
public protocol AppleNotificationStore: Sendable {
  /// Says whether to act on a notification, and records nothing: an action that fails is tried again when Apple repeats
  /// the notification.
  ///
  /// - Parameters:
  ///   - notification: verified. Its ``AppleNotification/identity`` is the name to remember it by, and its
  ///     ``AppleNotification/topic`` is what a later event overrides.
  ///   - expiration: as in ``record(_:expiration:)``.
  /// - Throws: anything; Apple is then told to try again.
  func verdict(on notification: AppleNotification, expiration: NumericDate) async throws -> AppleNotificationVerdict

  /// Records a notification that has been acted on, in one atomic step, and says what it was before.
  ///
  /// - Parameters:
  ///   - notification: verified. Its ``AppleNotification/identity`` is the name to remember it by, and its
  ///     ``AppleNotification/topic`` is what a later event overrides.
  ///   - expiration: until then at least the notification's name must be remembered.
  /// - Throws: anything; Apple is then told to try again.
  func record(_ notification: AppleNotification, expiration: NumericDate) async throws -> AppleNotificationVerdict
}

/// Whether a notification is to be acted on.
public enum AppleNotificationVerdict: Sendable, Hashable {
  /// It is new.
  case new
  /// It was delivered before.
  case duplicate
  /// A later event of the same app, user and kind has been applied before.
  case outdated
}

/// Notifications in memory, for one process.
///
/// Names are forgotten after they expire, the times of users' last events are kept.
public actor InMemoryAppleNotificationStore: AppleNotificationStore {
  private let clock: WallClock
  private var expirations: [[UInt8]: NumericDate] = [:]
  private var lastEventTimes: [[UInt8]: NumericDate] = [:]
  private var nextCleaning: NumericDate

  /// An empty store.
  public init(clock: WallClock = .system) {
    self.clock = clock
    nextCleaning = clock.now.advanced(by: 3600)
  }

  /// Says whether to act on a notification.
  public func verdict(on notification: AppleNotification, expiration: NumericDate) async -> AppleNotificationVerdict {
    judge(notification)
  }

  private func judge(_ notification: AppleNotification) -> AppleNotificationVerdict {
    let now = clock.now
    if now >= nextCleaning {
      expirations = expirations.filter { $0.value > now }
      nextCleaning = now.advanced(by: 3600)
    }
    // Several events may share a token: the name of each is the token's and its own.
    guard expirations[notification.identity] == nil else { return .duplicate }
    if let topic = notification.topic, let last = lastEventTimes[topic], notification.eventTime < last {
      return .outdated
    }
    return .new
  }

  /// Records a notification.
  public func record(_ notification: AppleNotification, expiration: NumericDate) -> AppleNotificationVerdict {
    let verdict = judge(notification)
    guard verdict != .duplicate else { return verdict }
    expirations[notification.identity] = expiration
    if verdict == .new, let topic = notification.topic { lastEventTimes[topic] = notification.eventTime }
    return verdict
  }
}
