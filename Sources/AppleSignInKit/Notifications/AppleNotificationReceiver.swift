import JOSE

/// Receives server-to-server notifications: verifies them, drops what was seen before, and answers.
public struct AppleNotificationReceiver: Sendable {
  private let verifier: AppleNotificationVerifier
  private let keyStore: AppleKeyStore
  private let noted: NotedNotifications
  private let inHand = TokensInHand()

  /// A receiver.
  ///
  /// - Parameters:
  ///   - verifier: judges notifications; its clock serves here too.
  ///   - keyStore: Apple's keys.
  ///   - records: where it is noted which notifications have been acted on, shared by all machines that answer for one
  ///     app. The default serves one process.
  public init(
    verifier: AppleNotificationVerifier, keyStore: AppleKeyStore, records: any RecordStore = MemoryRecordStore()
  ) {
    self.verifier = verifier
    self.keyStore = keyStore
    noted = NotedNotifications(records, clock: verifier.clock)
  }

  /// Handles a notification and returns the response to send: 200 if it is authentic, be it new or not; 400 if it is
  /// not; 503 with `Retry-After` if keys, store or action failed, or if it names a key that may be too new to be known,
  /// so that Apple may try again.
  ///
  /// An event is recorded after it has been acted on. If two machines get deliveries at once, or one dies in between,
  /// it is acted on twice: the action must stand that. In one process the second delivery is answered with 503: Apple
  /// sends it again.
  ///
  /// An event that ends the use of an account (``AppleNotification/Event/consentRevoked``,
  /// ``AppleNotification/Event/accountDeleted``) is not acted on if it happened before the account was linked again:
  /// Apple delivers late, and the user has agreed since.
  /// - Parameters:
  ///   - request: Apple's POST as it came. Nothing in it is trusted before its signature is verified.
  ///   - linkTime: when Apple last vouched for the user whom the event is about: ``AppleIdentity/issuedAt`` of the last
  ///     sign-in, kept with the account. Nil if no account is linked. If it throws, the answer is 503.
  ///   - act: called for each event that is new. If it throws, the answer is 503, and the event stays new.
  public func receive(
    _ request: HTTPRequestValue, linkedAt linkTime: (AppleNotification) async throws -> NumericDate?,
    act: (AppleNotification) async throws -> Void
  ) async -> HTTPResponseValue {
    do throws(JOSEError) {
      for notification in try await notifications(in: request) {
        do {
          try await inHand.taking(notification.identity) {
            guard try await noted.verdict(on: notification) == .new else { return }
            if try await !notification.precedes(linkTime) { try await act(notification) }
            _ = try await noted.record(notification, expiration: expiration)
          }
        } catch {
          throw JOSEError(
            .storeUnavailable, "the event could not be applied or recorded, or is being applied")
        }
      }
      return HTTPResponseValue(status: 200)
    } catch {
      // A lack of keys says nothing about the notification.
      return error.fault == .unavailable ? .temporarilyUnavailable : HTTPResponseValue(status: 400)
    }
  }

  /// The events of a notification that are to be acted on: none if it was delivered before or is older than what was
  /// applied, or than the account's link. They count as acted on from here on: an action that may fail belongs into
  /// ``receive(_:linkedAt:act:)``.
  ///
  /// - Parameters:
  ///   - request: Apple's POST as it came.
  ///   - linkTime: as in ``receive(_:linkedAt:act:)``.
  /// - Throws: `JOSEError`. If its fault is `ErrorCode.Fault.unavailable`, the notification was not judged: answer 503,
  ///   never 200 or 400.
  public func newNotifications(
    in request: HTTPRequestValue, linkedAt linkTime: (AppleNotification) async throws -> NumericDate?
  ) async throws(JOSEError) -> [AppleNotification] {
    var new: [AppleNotification] = []
    for notification in try await notifications(in: request) {
      let isLate = try await JOSEError.askingStore { try await notification.precedes(linkTime) }
      let verdict = try await JOSEError.askingStore {
        try await noted.record(notification, expiration: expiration)
      }
      if verdict == .new, !isLate { new.append(notification) }
    }
    return new
  }

  private func notifications(in request: HTTPRequestValue) async throws(JOSEError) -> [AppleNotification] {
    let payload = try SignedByApple.parsed(verifier.unverifiedPayload(of: request))
    return try verifier.verify(parsed: payload, keys: try await keyStore.keys(for: payload))
  }

  /// Until when names must be remembered: longer than a notification counts, with twice a leeway of 600 s at most.
  private var expiration: NumericDate {
    verifier.clock.now.advanced(by: AppleNotificationVerifier.maximumAge + .seconds(3600))
  }
}

extension AppleNotification {
  /// Whether the event ends a use of the account that was over when the account was linked again.
  fileprivate func precedes(_ linkTime: (AppleNotification) async throws -> NumericDate?) async throws -> Bool {
    guard event == .consentRevoked || event == .accountDeleted, let linked = try await linkTime(self) else {
      return false
    }
    return happened(before: linked)
  }
}
