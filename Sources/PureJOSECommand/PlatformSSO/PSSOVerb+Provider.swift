import JOSE
import PlatformSSOKit

extension PSSOVerb {
  func checkRequest(_ arguments: [String]) throws(CommandFailure) {
    let (file, request) = try providerInput(arguments)
    let output = console
    try waiting { () async throws(CommandFailure) in
      do throws(JOSEError) {
        let checked = try await file.recollect(request).checkedRequest(request)
        output.write(Visible.lines(checked.summary))
      } catch {
        throw .invalid("\(error)")
      }
    }
  }

  /// Answers a request. A refusal is an answer too: its status says so, and standard error why.
  func respond(_ arguments: [String]) throws(CommandFailure) {
    let (file, request) = try providerInput(arguments)
    let output = console
    try waiting { () async throws(CommandFailure) in
      let response: HTTPResponseValue
      do throws(JOSEError) {
        response = try await file.response(to: file.recollect(request).checkedRequest(request))
      } catch {
        response = file.provider.errorResponse(for: error)
        output.writeError("jose: refused: \(error)")
      }
      output.write(HTTPRecord.write(response))
    }
  }

  private func providerInput(_ arguments: [String]) throws(CommandFailure) -> (ProviderFile, HTTPRequestValue) {
    let arguments = try options(arguments, ["config"])
    let file = try ProviderFile(arguments, console: console)
    return (file, try HTTPRecord.request(try console.input(of: arguments)))
  }
}

extension CheckedRequest {
  /// What was found, without passwords and tokens.
  fileprivate var summary: JSONObject {
    switch self {
    case .serverNonce:
      ["message": "serverNonce"]
    case .preauthentication(let request):
      ["message": "preauthentication", "user": .string(request.userName)]
    case .authorization(let request):
      [
        "message": "authorization", "device": .string(request.device.id),
        "header": .object(request.header.parameters), "scope": .string(request.parameters.scope),
        "redirect_uri": .string(request.parameters.redirectURI),
        "login_hint": request.loginHint.map { .string($0) } ?? .null,
      ]
    case .tokenEndpoint(let asked):
      if let credential = asked.credential.name {
        Self.summary(
          "login", asked.request, userName: asked.userName,
          [
            "credential": .string(credential),
            "requested_groups": .array(asked.requestedGroups.map { .string($0) }),
          ])
      } else {
        Self.summary("refresh", asked.request, userName: asked.userName, [:])
      }
    case .keyEndpoint(let asked):
      if let other = asked.otherPublicKeyX963Representation {
        Self.summary(
          "keyExchange", asked.request, userName: asked.userName,
          ["other_publickey": .string(Base64.encode(other))])
      } else {
        Self.summary("key", asked.request, userName: asked.userName, [:])
      }
    }
  }

  private static func summary(
    _ message: JSONValue, _ request: VerifiedRequest, userName: String, _ more: JSONObject
  ) -> JSONObject {
    var summary: JSONObject = [
      "message": message, "device": .string(request.device.id), "user": .string(userName),
      "client_request_id": .string(request.clientRequestID), "header": .object(request.header.parameters),
    ]
    for (name, value) in more.members { summary[name] = value }
    // Custom claims are the extension's; what proves something stays hidden.
    let secrets = ["password", "assertion", "refresh_token", "subject_token", "key_context", "previous_refresh_token"]
    var claims = request.claims
    for name in secrets where claims[name] != nil { claims[name] = "(hidden)" }
    summary["claims"] = .object(claims)
    return summary
  }
}

extension LoginCredential {
  /// Nil for a refresh.
  fileprivate var name: String? {
    switch self {
    case .password: "password"
    case .encryptedPassword: "encryptedPassword"
    case .userKey: "userSecureEnclaveKey"
    case .smartCard: "smartCard"
    case .webAuthorization: "webAuthorization"
    case .refreshToken: nil
    }
  }
}

extension ProviderFile {
  /// The answer to a checked request.
  func response(to request: CheckedRequest) throws(JOSEError) -> HTTPResponseValue {
    switch request {
    case .serverNonce(let answer):
      return answer
    case .preauthentication(let request):
      return try provider.preauthenticationResponse(to: request, preauthentication(request))
    case .authorization(let request):
      return try callback(request)
    case .tokenEndpoint(let asked):
      let user = try user(asked.userName, asked.request.device.tenant)
      let token = try provider.idToken(for: asked, subject: user.subject, additional: user.claims)
      let (key, context) = try unlockKey(for: asked.unlock)
      return try provider.loginResponse(
        to: asked, try tokens(token, asked.request, user), unlockKey: key, keyContext: context)
    case .keyEndpoint(let asked):
      let (userName, device) = (asked.userName, asked.request.device)
      var unlockKey = try secrets.unlockKey(userName: userName, device: device)
      let contexts = try KeyContexts(secret: secrets.keyContexts)
      guard asked.otherPublicKeyX963Representation != nil else {
        let context = try contexts.seal(
          unlockKey, userName: userName, deviceID: device.id, tenant: device.tenant)
        let certificate = unlockKey.selfSignedCertificate(commonName: "Unlock key", notBefore: provider.clock.now)
        return try provider.keyResponse(to: asked, certificate: certificate, keyContext: context)
      }
      if let context = asked.keyContext {
        unlockKey = try contexts.open(context, userName: userName, deviceID: device.id, tenant: device.tenant)
      }
      return try provider.keyExchangeResponse(to: asked, unlockKey: unlockKey)
    }
  }

  /// The key that a login asks for besides, and its context. None for a context that isn't this user's on this device:
  /// the Mac gets another one by a key request, for which it needs the tokens.
  private func unlockKey(for asked: KeyEndpointRequest?) throws(JOSEError) -> (UnlockKey?, String?) {
    guard let asked else { return (nil, nil) }
    let (userName, device) = (asked.userName, asked.request.device)
    let contexts = try KeyContexts(secret: secrets.keyContexts)
    var key = try secrets.unlockKey(userName: userName, device: device)
    if let context = asked.keyContext {
      guard let known = try? contexts.open(context, userName: userName, deviceID: device.id, tenant: device.tenant)
      else {
        return (nil, nil)
      }
      key = known
    }
    return (key, try contexts.seal(key, userName: userName, deviceID: device.id, tenant: device.tenant))
  }

  /// Who has codes logs in by a browser, if the file says where.
  private func preauthentication(_ request: PreauthenticationRequest) -> PreauthenticationAnswer {
    guard let authorizationURL, let user = users.first(where: { $0.isCalled(request.userName) }), !user.codes.isEmpty,
      let clientID = provider.configuration.clientIDs.first
    else { return .managed }
    return .webAuthorization(at: authorizationURL, request: provider.authorizationParameters(clientID: clientID))
  }

  /// Sends the browser back with the user's first code, in place of a login page.
  private func callback(_ request: AuthorizationRequest) throws(JOSEError) -> HTTPResponseValue {
    let name =
      request.loginHint ?? users.first { !$0.codes.isEmpty && $0.isKnown(to: request.device.tenant) }?.name ?? ""
    let tenant = request.device.tenant
    guard let code = try user(name, tenant).codes.first else {
      throw JOSEError(.grantUnsupported, "the user has no code", name: "login_hint")
    }
    var response = HTTPResponseValue(status: 303)
    do throws(JOSEError) {
      try response.headers.append("Location", request.callbackURL(code: secrets.code(code, tenant: tenant)))
      try response.headers.append("Cache-Control", "no-store")
    } catch {
      throw JOSEError(.callerMisuse, "the code or the state can't stand in an address", name: "codes")
    }
    return response
  }

  private func user(_ name: String, _ tenant: String?) throws(JOSEError) -> ProviderUser {
    guard let user = directory.user(name, of: tenant) else {
      throw JOSEError(.credentialRejected, "no such user is configured", name: "sub")
    }
    return user
  }

  private func tokens(
    _ idToken: String, _ request: VerifiedRequest, _ user: ProviderUser
  ) throws(JOSEError) -> LoginResponse {
    let expiration = provider.clock.now.advanced(by: Double(refreshTokenLifetime))
    guard
      let refreshToken = secrets.refreshToken(
        userName: user.name, device: request.device, expiration: expiration)
    else { throw JOSEError(.storeUnavailable, "no refresh token could be made") }
    return LoginResponse(
      idToken: idToken, refreshToken: refreshToken, refreshTokenExpiresIn: .seconds(refreshTokenLifetime),
      expiresIn: provider.configuration.idTokenLifetime)
  }
}
