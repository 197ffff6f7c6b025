import JOSEHTTP
import JOSE
import StrictJSON

extension IdentityProvider {
  /// Answers a request for a server nonce, without a database.
  ///
  /// Source: Apple, Obtaining a server nonce.
  /// - Throws: ``PlatformSSOError`` for a request of another form, and ``PlatformSSOErrorCode/callerMisuse`` where a ``nonceStore`` makes
  ///   the nonces: then call ``nonceResponse(to:)``.
  public func serverNonceResponse(to request: HTTPRequestValue) throws(PlatformSSOError) -> HTTPResponseValue {
    guard nonceStore == nil else {
      throw PlatformSSOError(
        .callerMisuse, "the nonce store must be asked: call nonceResponse(to:)", name: "nonceStore")
    }
    let form = try serverNonceForm(request)
    return nonceResponse(serverNonces.make(at: clock.now, boundTo: nonceBinding(form)))
  }

  /// Answers a request for a server nonce, which ``nonceStore`` makes, or ``serverNonces`` without one.
  ///
  /// Source: Apple, Obtaining a server nonce.
  /// - Throws: ``PlatformSSOError`` for a request of another form, ``PlatformSSOErrorCode/storeUnavailable``.
  public func nonceResponse(to request: HTTPRequestValue) async throws(PlatformSSOError) -> HTTPResponseValue {
    let form = try serverNonceForm(request)
    return nonceResponse(try await makeServerNonce(boundTo: nonceBinding(form)))
  }

  private func serverNonceForm(_ request: HTTPRequestValue) throws(PlatformSSOError) -> PostedForm {
    let form = try PostedForm(request, configuration: configuration)
    try configuration.requiredHTTPHeaders.check(request)
    try form.require("grant_type", oneOf: [GrantType.serverChallenge])
    return form
  }

  private func nonceResponse(_ nonce: String) -> HTTPResponseValue {
    let body: JSONObject = [configuration.nonceResponseMember: .string(nonce)]
    return .success(mediaType: MediaType.json, body: body.serialized())
  }

  /// A nonce from the store, or one that needs no store.
  func makeServerNonce(boundTo binding: String) async throws(PlatformSSOError) -> String {
    guard let nonceStore else { return serverNonces.make(at: clock.now, boundTo: binding) }
    let now = clock.now
    return try await askingStore { try await nonceStore.makeServerNonce(boundTo: binding, at: now) }
  }

  /// What a server nonce is bound to: nothing, or the client request.
  func nonceBinding(_ form: PostedForm) -> String {
    configuration.clientRequestID == .boundToServerNonce ? form.clientRequestID : ""
  }

  /// Requires that a server nonce is this provider's, fresh, unused and given to what it comes from, and uses it up.
  func useServerNonce(_ nonce: String, boundTo binding: String) async throws(PlatformSSOError) {
    let now = clock.now
    let verdict: ServerNonceVerdict
    if let nonceStore {
      verdict = try await askingStore { try await nonceStore.useServerNonce(nonce, boundTo: binding, at: now) }
    } else {
      let expiration = try serverNonces.check(nonce, at: now, boundTo: binding)
      let entry = ReplayEntry(kind: "server-nonce", [Array(nonce.utf8)], expiration: expiration)
      verdict = try await insert(entry) ? .accepted : .used
    }
    switch verdict {
    case .accepted: return
    case .unknown:
      throw PlatformSSOError(.serverNonceInvalid, "the server nonce was not made here", name: "request_nonce")
    case .expired:
      throw PlatformSSOError(.serverNonceExpired, "the server nonce is too old", name: "request_nonce")
    case .used:
      throw PlatformSSOError(.serverNonceReplayed, "the server nonce was used before", name: "request_nonce")
    }
  }

  /// Requires that the device has not used its own nonce before, as long as the request could still be accepted.
  func consumeClientNonce(
    _ nonce: String, of key: RegisteredKey, expiration: NumericDate
  ) async throws(PlatformSSOError) {
    guard configuration.refusesReusedClientNonces else { return }
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
