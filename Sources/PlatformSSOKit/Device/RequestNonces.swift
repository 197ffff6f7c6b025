import JOSE

/// The values that make one request unique. Use them for one request only.
public struct RequestNonces: Sendable, Hashable {
  /// What the server gave: `request_nonce`. Opaque text.
  public let serverNonce: String

  /// The request's own nonce: an uppercase UUID.
  public let clientNonce: String

  /// The value of `client-request-id`: an uppercase UUID, the same as in the nonce request.
  public let clientRequestID: String

  /// The nonces of one request.
  ///
  /// - Parameters:
  ///   - serverNonce: what the server gave.
  ///   - clientNonce: fresh for each request. A new one if nil.
  ///   - clientRequestID: the one of the nonce request. A new one if nil.
  public init(serverNonce: String, clientNonce: String? = nil, clientRequestID: String? = nil) {
    self.serverNonce = serverNonce
    self.clientNonce = clientNonce ?? UUIDText.random()
    self.clientRequestID = clientRequestID ?? UUIDText.random()
  }
}
