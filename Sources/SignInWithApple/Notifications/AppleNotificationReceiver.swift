import JOSEHTTP
import JOSE

/// Receives server-to-server notifications: verifies them, drops what was seen before, and answers.
public struct AppleNotificationReceiver: Sendable {
  private let verifier: AppleNotificationVerifier
  private let keyStore: AppleKeyStore
  private let store: any AppleNotificationStore

  /// A receiver.
  public init(
    verifier: AppleNotificationVerifier, keyStore: AppleKeyStore,
    store: any AppleNotificationStore = InMemoryAppleNotificationStore()
  ) {
    self.verifier = verifier
    self.keyStore = keyStore
    self.store = store
  }

  /// Handles a notification and returns the response to send: 200 if it is authentic, be it new or not; 400 if it is
  /// not; 503 if keys or store
  /// failed, so that Apple may try again.
  ///
  /// - Parameters:
  ///   - request: Apple's POST as it came. Nothing in it is trusted before its signature is verified.
  ///   - act: called for each event that is new. If it throws, the answer is 503; the event counts as seen,
  ///     so keep what is left to do.
  public func receive(
    _ request: HTTPRequestValue, act: (AppleNotification) async throws -> Void
  ) async -> HTTPResponseValue {
    do throws(SignInWithAppleError) {
      for notification in try await newNotifications(in: request) {
        do {
          try await act(notification)
        } catch {
          throw SignInWithAppleError(.storeUnavailable, "the event could not be applied")
        }
      }
      return HTTPResponseValue(status: 200)
    } catch {
      return HTTPResponseValue(status: error.fault == .unavailable ? 503 : 400)
    }
  }

  /// The events of a notification that are to be acted on: none if it was delivered before or is older than what was
  /// applied.
  ///
  /// - Throws: ``SignInWithAppleError``.
  public func newNotifications(in request: HTTPRequestValue) async throws(SignInWithAppleError) -> [AppleNotification] {
    let payload = try verifier.unverifiedPayload(of: request)
    let keys = try await keyStore.keys(for: payload)
    let notifications = try verifier.verify(payload, keys: keys)
    var new: [AppleNotification] = []
    let expiration = verifier.clock.now.advanced(by: 48 * 3600)
    for notification in notifications {
      let verdict = try await askingStore { try await store.record(notification, expiration: expiration) }
      if verdict == .new { new.append(notification) }
    }
    return new
  }
}
