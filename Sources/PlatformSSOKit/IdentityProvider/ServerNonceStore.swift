import JOSE

/// Makes server nonces and uses them up, in place of ``ServerNonces`` and a ``ReplayStore``: for providers that keep nonces in a database.
public protocol ServerNonceStore: Sendable {
  /// A new nonce: unguessable, and good for one request.
  ///
  /// - Parameters:
  ///   - binding: what the nonce is given to; empty for nothing. It must be handed in again when the nonce is used.
  ///   - now: by the provider's clock.
  /// - Throws: anything, if no nonce can be made: ``PlatformSSOErrorCode/storeUnavailable``.
  func makeServerNonce(boundTo binding: String, at now: NumericDate) async throws -> String

  /// Uses up a nonce, in one atomic step, and says whether it was good.
  ///
  /// - Parameters:
  ///   - nonce: as it came from the device.
  ///   - binding: what the request says that the nonce was given to; empty for nothing.
  ///   - now: by the provider's clock.
  /// - Throws: anything, if the store can't say: ``PlatformSSOErrorCode/storeUnavailable``.
  func useServerNonce(_ nonce: String, boundTo binding: String, at now: NumericDate) async throws -> ServerNonceVerdict
}

/// What a ``ServerNonceStore`` says of a nonce.
public enum ServerNonceVerdict: Sendable, Hashable, CaseIterable {
  /// It was good, and has been used up.
  case accepted
  /// It was not made here, or for something else: ``PlatformSSOErrorCode/serverNonceInvalid``.
  case unknown
  /// It is too old: ``PlatformSSOErrorCode/serverNonceExpired``.
  case expired
  /// It was used before: ``PlatformSSOErrorCode/serverNonceReplayed``.
  case used
}
