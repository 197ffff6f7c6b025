import JOSE

/// Logouts that clients ask for, and what clients are told.
extension OpenIDProvider {
  /// Judges a logout that a client asks for, by the login of the browser that brought it.
  ///
  /// - Parameters:
  ///   - request: the request, which `LogoutRequest.init(_:)` reads. A form that another site posts comes without the
  ///     cookie of your login: redirect the browser to an address of yours first.
  ///   - session: the browser's; nil for none.
  /// - Throws: `ErrorCode.invalidRequest`: show a page, redirect nowhere; `ErrorCode.storeUnavailable`.
  public func decide(
    _ request: LogoutRequest, session: AuthenticationSession?
  ) async throws(OpenIDError) -> LogoutPolicy.Decision {
    let policy = LogoutPolicy(issuer: issuer, keys: keys.verification, algorithms: keys.algorithms, clock: clock) {
      try await clients.client(id: $0)?.postLogoutRedirectURIs
    }
    // The hint was given to its own client, which may know the user by another subject than others do.
    let subject = try await OpenIDError.askingStore { () async throws -> String? in
      guard let session else { return nil }
      let hinted = request.idTokenHint.flatMap { UnverifiedHint($0) }
      // A subject may be made when it is asked for: not for a client that isn't registered.
      guard let clientID = request.clientID ?? hinted?.clientID, try await clients.client(id: clientID) != nil else {
        return session.userID
      }
      return try await sessions.subject(userID: session.userID, clientID: clientID)
    }
    return try await policy.decide(
      request, session: session.map { .init(subject: subject ?? $0.userID, sessionID: $0.id) })
  }

  /// What clients are told of a session that has ended, each at its `backchannel_logout_uri`: send it by a
  /// ``BackChannelLogoutSender``. Ask before ``endSession(_:reason:)``, which forgets them.
  ///
  /// - Throws: what stores throw.
  public func logoutMessages(
    of session: AuthenticationSession
  ) async throws -> [BackChannelLogoutSender.Message] {
    var messages: [BackChannelLogoutSender.Message] = []
    for id in try await SessionClients(records: records, clock: clock).clients(of: session.id) {
      guard let address = try await clients.client(id: id)?.backChannelLogoutURI else { continue }
      let subject = try await sessions.subject(userID: session.userID, clientID: id)
      messages.append(.init(to: id, at: address, about: BackChannelLogout(subject: subject, sessionID: session.id)))
    }
    return messages
  }

  /// The key of a client's ID tokens, which signs what it is told of logouts too.
  ///
  /// - Throws: `ErrorCode.settingInvalid` if there is none; what the directory of clients throws.
  public func signingKey(for clientID: String) async throws -> SigningKey {
    let algorithm = try await clients.client(id: clientID)?.idTokenAlgorithm
    guard let key = keys.signing(by: algorithm) else {
      throw OpenIDError(.settingInvalid, "there is no signing key for this algorithm", name: "keys")
    }
    return key
  }
}

/// Whom an ID token says that it is for, which nothing but a lookup rests on.
private struct UnverifiedHint {
  let clientID: String

  init?(_ token: String) {
    guard let claims = (try? UnverifiedJWS(parsing: token))?.unverifiedClaims else { return nil }
    guard
      let name = claims["azp"]?.stringValue ?? claims["aud"]?.stringValue
        ?? claims["aud"]?.arrayValue?.first?.stringValue
    else { return nil }
    clientID = name
  }
}
