import JOSE
import PureCrypto
import StrictJSON

/// Logins of devices that have no browser: the device shows a code, its user types it on another one and agrees there,
/// and the device asks for its tokens until then.
///
/// Source: RFC 8628.
extension OpenIDProvider {
  // MARK: The device

  /// The codes for a device that asks.
  func deviceCodes(for request: HTTPRequestValue, from source: String) async -> HTTPResponseValue {
    do throws(OAuthErrorResponse) {
      let form = try OAuthEndpoint.form(of: request, OAuthEndpoint.clientNames + ["scope", "resource"])
      guard form.hasUniqueNames(except: ["resource"]) else { throw .malformed }
      guard let (client, proof) = try await proven(request, form, from: source) else {
        throw OAuthErrorResponse(.invalidClient, "Client authentication failed", status: 401)
      }
      guard client.isDevice else {
        throw OAuthErrorResponse(.unauthorizedClient, "The client's users log in in a browser")
      }
      // A request with a proof is counted with that.
      if client.isAnybody, proof == nil { try await requireMayKeep(from: source) }
      return .json(200, try await codes(for: client, form, proof, source))
    } catch {
      return error.response(to: request)
    }
  }

  private func codes(
    for client: RegisteredClient, _ form: FormFields, _ proof: VerifiedDPoPProof?, _ source: String
  ) async throws(OAuthErrorResponse) -> JSONObject {
    let asked = form.values("scope").first?.words.distinct ?? []
    let scopes = asked.filter(client.askableScopes.contains)
    guard !scopes.isEmpty, policy.accepts(scopes) else {
      throw OAuthErrorResponse(.invalidScope, "None of the scopes may be had")
    }
    let resources = form.values("resource").filter { !$0.isEmpty }.distinct
    guard resources.allSatisfy(client.mayAsk(forResource:)) else {
      throw OAuthErrorResponse(.invalidTarget, "A resource is asked for that the client may not have")
    }
    let (now, lifetime) = (clock.now, policy.deviceCodeLifetime)
    let device = WaitingDevice(
      of: client, scopes: scopes, resources: resources, keyThumbprint: proof?.thumbprint, source: source,
      startedAt: now, expiration: now.advanced(by: lifetime.inSeconds))
    let (deviceCode, userCode) = try await OAuthErrorResponse.askingStore {
      try await WaitingDevices(records: records, clock: clock).add(device)
    }
    let page = policy.devicePage ?? ""
    let complete = (try? URIComponents(parsing: page))?.appendingQuery(["user_code": userCode.text])
    return [
      "device_code": .string(deviceCode), "user_code": .string(userCode.text), "verification_uri": .string(page),
      "verification_uri_complete": .string(complete ?? page),
      "expires_in": .number(JSONNumber(lifetime.wholeSeconds)),
      "interval": .number(JSONNumber(WaitingDevice.firstInterval)),
    ]
  }

  /// The grant of a device code, where it is offered.
  var deviceGrant: [TokenEndpoint.Grant] {
    guard offers(.deviceAuthorization) else { return [] }
    return [TokenEndpoint.Grant(GrantType.deviceCode) { try await deviceTokens($0) }]
  }

  private func deviceTokens(_ request: TokenEndpoint.Request) async throws -> TokenAnswer {
    guard let code = request.form.values("device_code").first, !code.isEmpty else {
      throw OpenIDError(.invalidRequest, "the request has no device code", name: "device_code")
    }
    guard code.utf8.count <= AuthorizationCodeText.maximumByteCount else {
      throw OpenIDError(.invalidGrant, "the device code is not valid")
    }
    let client = try await OAuthErrorResponse.askingStore { try await clients.client(id: request.client.id) }
    guard client?.isDevice ?? false else {
      throw OAuthErrorResponse(.unauthorizedClient, "The client's users log in in a browser")
    }
    try await WaitingDevices(records: records, clock: clock).requireAgreement(code, by: request.client)
    // Empty where no browser was redirected: a form can't send that, so that it can't be redeemed as another grant.
    let redemption = AuthorizationCodeRedemption(
      code: code, clientID: request.client.id, redirectURI: "", keyThumbprint: request.client.confirmation,
      resources: request.form.values("resource").filter { !$0.isEmpty })
    return try await codes.tokens(of: redemption) { try await tokens(of: $0, request) }
  }

  // MARK: Its user

  /// The device that shows a code which a user has typed, for a page that asks about it; nil if none does, and when
  /// too much time has passed, or it was answered before.
  ///
  /// Codes that no device shows are counted: five of a user, thirty of a network, while a code lives. Ask for the login
  /// before the code. A link that brings the code (`user_code` in the page's query) is a code typed: it saves the user
  /// from typing, and not from the page.
  /// - Parameters:
  ///   - userCode: in upper or lower case, with or without a hyphen.
  ///   - login: of the browser.
  ///   - source: where the browser's request comes from. Take it from the connection, or from a header that your own
  ///     proxy sets.
  /// - Throws: `ErrorCode.tooManyRequests`, with the time to wait: answer 429; `ErrorCode.storeUnavailable`: answer
  ///   503.
  public func device(
    showing userCode: String, login: BrowserLogin, from source: String
  ) async throws(OpenIDError) -> PendingDevice? {
    let userID = login.session.userID
    let guesses = UserCodeGuesses(
      by: userID, from: source, window: policy.deviceCodeLifetime, records: records, clock: clock)
    try await guesses.count()
    if let code = UserCode(typed: userCode), let found = try await pendingDevice(code, login) {
      try await guesses.takeBack()
      return found
    }
    await onEvent(.unknownUserCode(userID: userID, source: source))
    return nil
  }

  private func pendingDevice(_ code: UserCode, _ login: BrowserLogin) async throws(OpenIDError) -> PendingDevice? {
    try await OpenIDError.asking {
      guard let (key, device) = try await WaitingDevices(records: records, clock: clock).device(showing: code),
        let pending = try await pending(device, key, login, after: .none)
      else { return nil }
      return PendingDevice(
        pending: pending, userCode: code.text, source: device.source, startedAt: device.startedAt)
    }
  }

  /// Notes what a user has answered about a device. Keep ``PendingAuthorization/agreement`` first, if the answer is
  /// yes.
  ///
  /// - Parameters:
  ///   - id: ``PendingAuthorization/id``. The form's own token against other sites is your server's.
  ///   - login: the login that the browser has now.
  ///   - page: what the user has done: agreed or refused.
  /// - Returns: whether it counts. False if the device waits no more, another user has logged in since the page was
  ///   shown, the agreement was not kept, or the client needs a stronger login.
  /// - Throws: `ErrorCode.storeUnavailable`: answer 503; the device waits on.
  public func answerDevice(
    _ id: String, login: BrowserLogin, after page: AnsweredPage
  ) async throws(OpenIDError) -> Bool {
    guard let key = try? Base64URL.decode(id) else { return false }
    let devices = WaitingDevices(records: records, clock: clock)
    var userID: String?
    var clientID = ""
    let isNoted = try await OpenIDError.asking {
      try await devices.answer(key) { device in
        guard let pending = try await pending(device, key, login, after: page) else { return nil }
        (userID, clientID) = (nil, pending.client.id)
        if case .denial = page { return (.refused, []) }
        guard pending.decision == .answer else { return nil }
        let grant = try await grant(of: pending.request, to: pending.client, login.session)
        userID = login.session.userID
        return (.agreed, [codes.insertion(of: key, grant, until: device.expiration)])
      }
    }
    if isNoted, let userID { await onEvent(.codeIssued(clientID: clientID, userID: userID)) }
    return isNoted
  }

  /// What a device asks for, judged by the login that is there; nil if its client may not ask so any more, or has
  /// changed.
  private func pending(
    _ device: WaitingDevice, _ key: [UInt8], _ login: BrowserLogin, after page: AnsweredPage
  ) async throws -> PendingAuthorization? {
    guard let client = try await clients.client(id: device.clientID.text), client.isDevice,
      client.snapshotName == device.snapshot
    else { return nil }
    var waiting = PendingRequest([:], isPushed: false, visit: nil)
    if page.isConsent(of: login) { waiting.consented = Self.party(login) }
    return try await judged(
      OAuthAuthorizationRequest(of: device, client), of: client, waiting, login, id: Base64URL.encode(key))
  }
}
