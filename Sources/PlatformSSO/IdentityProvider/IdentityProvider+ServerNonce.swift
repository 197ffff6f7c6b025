import JOSEHTTP
import JOSE
import StrictJSON

extension IdentityProvider {
  /// Answers a request for a server nonce.
  ///
  /// Source: Apple, Obtaining a server nonce.
  /// - Throws: ``PlatformSSOError`` for a request of another form.
  public func serverNonceResponse(to request: HTTPRequestValue) throws(PlatformSSOError) -> HTTPResponseValue {
    let form = try PostedForm(request, configuration: configuration)
    try form.require("grant_type", oneOf: [GrantType.serverChallenge])
    let nonce = serverNonces.make(at: clock.now, boundTo: nonceBinding(form))
    let body: JSONObject = [configuration.nonceResponseMember: .string(nonce)]
    return .success(mediaType: MediaType.json, body: body.serialized())
  }

  /// What a server nonce is bound to: nothing, or the client request.
  func nonceBinding(_ form: PostedForm) -> String {
    configuration.clientRequestID == .boundToServerNonce ? form.clientRequestID : ""
  }

  /// Requires that the server nonce is this provider's, fresh and unused, and uses it up.
  func consumeServerNonce(_ nonce: String, form: PostedForm) async throws(PlatformSSOError) {
    let expiration = try serverNonces.check(nonce, at: clock.now, boundTo: nonceBinding(form))
    try await consumeServerNonce(nonce, expiration: expiration)
  }

  /// Uses up a nonce that is this provider's and fresh.
  func consumeServerNonce(_ nonce: String, expiration: NumericDate) async throws(PlatformSSOError) {
    let entry = ReplayEntry(kind: "server-nonce", [Array(nonce.utf8)], expiration: expiration)
    guard try await insert(entry) else {
      throw PlatformSSOError(.serverNonceReplayed, "the server nonce was used before", name: "request_nonce")
    }
  }

  /// Requires that the device has not used its own nonce before, as long as the request could still be accepted.
  func consumeClientNonce(
    _ nonce: String, of key: RegisteredKey, expiration: NumericDate
  ) async throws(PlatformSSOError) {
    let entry = ReplayEntry(
      kind: "client-nonce", [key.keyID.octets, Array(nonce.utf8)], expiration: expiration)
    guard try await insert(entry) else {
      throw PlatformSSOError(.clientNonceReplayed, "the device used the nonce before", name: "nonce")
    }
  }

  private func insert(_ entry: ReplayEntry) async throws(PlatformSSOError) -> Bool {
    try await askingStore { try await replayStore.insert(entry) }
  }
}
