import JOSE

/// What a server keeps between the authorization request and its response.
public struct ApplePendingSignIn: Sendable {
  /// `client_id` of the request.
  public var clientID: String
  /// `redirect_uri` of the request.
  public var redirectURI: AppleRedirectURI
  /// `response_type` of the request.
  public var responseType: AppleResponseType
  /// `response_mode` of the request.
  public var responseMode: AppleResponseMode
  /// `scope` of the request.
  public var scopes: Set<AppleScope>
  /// `state` of the request.
  public var state: String
  /// The nonce, if one was sent.
  public var nonce: AppleNonce?
  /// When the browser was sent away.
  public var startedAt: NumericDate

  /// The record of a sign-in that a store gives back.
  public init(
    clientID: String, redirectURI: AppleRedirectURI, responseType: AppleResponseType,
    responseMode: AppleResponseMode, scopes: Set<AppleScope>, state: String, nonce: AppleNonce?,
    startedAt: NumericDate
  ) {
    self.clientID = clientID
    self.redirectURI = redirectURI
    self.responseType = responseType
    self.responseMode = responseMode
    self.scopes = scopes
    self.state = state
    self.nonce = nonce
    self.startedAt = startedAt
  }

  init(request: AppleAuthorizationRequest, startedAt: NumericDate) {
    self.init(
      clientID: request.clientID, redirectURI: request.redirectURI, responseType: request.responseType,
      responseMode: request.responseMode, scopes: request.scopes, state: request.state, nonce: request.nonce,
      startedAt: startedAt)
  }
}

extension ApplePendingSignIn: CustomStringConvertible, CustomReflectable {
  /// The client. Neither state nor nonce.
  public var description: String { "ApplePendingSignIn(\(clientID))" }

  /// Shows neither state nor nonce to `dump` and to test failures.
  public var customMirror: Mirror { Mirror(self, children: ["clientID": clientID]) }
}
