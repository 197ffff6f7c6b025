import JOSE

/// Answers requests of Macs with what the app has for them: ``IdentityProvider/response(to:with:)``.
struct CheckedRequestAnswering<Answers: IdentityProviderAnswers> {
  let provider: IdentityProvider
  let answers: Answers

  /// The answer to a request as it came.
  ///
  /// - Throws: each fault with a code of its own, and what the answers throw.
  func response(to request: HTTPRequestValue) async throws(JOSEError) -> HTTPResponseValue {
    switch try await provider.checkedRequest(request) {
    case .preauthentication(let asked):
      let answer = try await JOSEError.asking { try await answers.preauthenticationAnswer(to: asked, by: provider) }
      return try provider.preauthenticationResponse(to: asked, answer)
    case .serverNonce(let answer):
      return answer
    case .tokenEndpoint(let asked):
      // Before the tokens, which would be good however the key is refused.
      let key = try await unlockKey(for: asked.unlock)
      guard let tokens = try await JOSEError.asking({ try await answers.tokens(for: asked, by: provider) }) else {
        throw JOSEError(.accountLocked, "the account or the device no longer exists", name: "sub")
      }
      let context = try key.flatMap { key throws(JOSEError) in
        try answers.keyContexts?.seal(
          key, userName: asked.userName, deviceID: asked.request.device.id, tenant: asked.request.device.tenant)
      }
      return try provider.loginResponse(to: asked, tokens, unlockKey: key, keyContext: context)
    case .keyEndpoint(let asked):
      return try await keyEndpointResponse(to: asked)
    case .authorization(let asked):
      guard let page = try await JOSEError.asking({ try await answers.loginPage(for: asked) }) else {
        throw JOSEError(.grantUnsupported, "no page for logins by a browser is configured", name: "request")
      }
      return page
    }
  }

  /// The key that a login asks for besides; nil if it asks for none, the user has none on this device, or the Mac has a
  /// context that is no longer good. It gets another one by a key request, for which it needs the tokens.
  private func unlockKey(for asked: KeyEndpointRequest?) async throws(JOSEError) -> UnlockKey? {
    guard let asked, let key = try await JOSEError.asking({ try await answers.unlockKey(for: asked, by: provider) })
    else {
      return nil
    }
    // A Mac that has been given no context sends none.
    guard asked.keyContext != nil else { return key }
    do throws(JOSEError) {
      try requireContext(of: key, in: asked)
      return key
    } catch {
      guard error.code == .keyContextInvalid else { throw error }
      return nil
    }
  }

  /// Requires that the key context of a request, where contexts carry keys, is that of the key.
  private func requireContext(of key: UnlockKey, in asked: KeyEndpointRequest) throws(JOSEError) {
    guard let contexts = answers.keyContexts else { return }
    let device = asked.request.device
    let opened = try contexts.open(
      asked.keyContext ?? "", userName: asked.userName, deviceID: device.id, tenant: device.tenant)
    // A context from before the Mac was registered anew opens, and holds another key.
    guard opened.x963Representation == key.x963Representation else {
      throw JOSEError(.keyContextInvalid, "the key context is of a former registration", name: "key_context")
    }
  }

  private func keyEndpointResponse(to asked: KeyEndpointRequest) async throws(JOSEError) -> HTTPResponseValue {
    guard let key = try await JOSEError.asking({ try await answers.unlockKey(for: asked, by: provider) }) else {
      throw JOSEError(.keyNotFound, "there is no unlock key of this user on this device", name: "sub")
    }
    let device = asked.request.device
    guard asked.otherPublicKey != nil else {
      let context = try answers.keyContexts?.seal(
        key, userName: asked.userName, deviceID: device.id, tenant: device.tenant)
      let certificate = key.selfSignedCertificate(commonName: "Unlock key", notBefore: provider.clock.now)
      return try provider.keyResponse(to: asked, certificate: certificate, keyContext: context)
    }
    try requireContext(of: key, in: asked)
    return try provider.keyExchangeResponse(to: asked, unlockKey: key)
  }
}
