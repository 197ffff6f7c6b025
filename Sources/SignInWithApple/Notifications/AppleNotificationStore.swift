import JOSE
import StrictJSON

/// Remembers which notifications have been seen. Machines that answer for one app must share one store.
public protocol AppleNotificationStore: Sendable {
  /// Records a notification, in one atomic step, and says whether to act on it.
  ///
  /// - Parameters:
  ///   - notification: verified. Its ``AppleNotification/identity`` is the name to remember it by.
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
  /// A later event of the same user has been applied before.
  case outdated
}

/// Seen notifications in memory, for one process.
///
/// Names are forgotten after they expire, users' last event times are kept.
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

  /// Records a notification.
  public func record(_ notification: AppleNotification, expiration: NumericDate) -> AppleNotificationVerdict {
    let now = clock.now
    if now >= nextCleaning {
      expirations = expirations.filter { $0.value > now }
      nextCleaning = now.advanced(by: 3600)
    }
    // Several events may share a token: the name of each is the token's and its own.
    let name = notification.identity
    guard expirations[name] == nil else { return .duplicate }
    expirations[name] = expiration
    let user = Array(notification.subject.utf8)
    if let last = lastEventTimes[user], notification.eventTime < last { return .outdated }
    lastEventTimes[user] = notification.eventTime
    return .new
  }
}

extension AppleNotification {
  /// What makes it the same notification: its token's name, its user and its time. Lengths first, so that nothing can
  /// be shifted.
  public var identity: [UInt8] {
    let time = String(Int64(eventTime.secondsSince1970 * 1000))
    return Array("\(tokenID.utf8.count).\(tokenID).\(subject.utf8.count).\(subject).\(time).\(event)".utf8)
  }
}
