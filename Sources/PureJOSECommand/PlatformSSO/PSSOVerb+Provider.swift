import JOSE
import PlatformSSOKit

extension PSSOVerb {
  func checkRequest(_ arguments: [String]) throws(CommandFailure) {
    let (file, request) = try providerInput(arguments)
    let output = console
    try waiting { () async throws(CommandFailure) in
      do throws(PlatformSSOError) {
        let checked = try await file.provider.checkedRequest(request)
        output.write(checked.summary.serialized(options: .pretty) + [0x0A])
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
      do throws(PlatformSSOError) {
        response = try await file.response(to: file.provider.checkedRequest(request))
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
    return (file, try HTTPRecord.request(try console.readInput()))
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
    case .login(let login):
      Self.summary(
        "login", login.request, userName: login.userName,
        [
          "credential": .string(login.credential.name),
          "requested_groups": .array(login.requestedGroups.map { .string($0) }),
        ])
    case .refresh(let refresh):
      Self.summary("refresh", refresh.request, userName: refresh.grant.userName, [:])
    case .keyEndpoint(.key(let key)):
      Self.summary("key", key.request, userName: key.userName, [:])
    case .keyEndpoint(.keyExchange(let exchange)):
      Self.summary(
        "keyExchange", exchange.request, userName: exchange.userName,
        ["other_publickey": .string(Base64.encode(exchange.otherPublicKeyX963Representation))])
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
  fileprivate var name: String {
    switch self {
    case .password: "password"
    case .encryptedPassword: "encryptedPassword"
    case .userKey: "userSecureEnclaveKey"
    case .smartCard: "smartCard"
    case .webAuthorization: "webAuthorization"
    }
  }
}

extension ProviderFile {
  /// The answer to a checked request.
  func response(to request: CheckedRequest) throws(PlatformSSOError) -> HTTPResponseValue {
    switch request {
    case .serverNonce(let answer):
      return answer
    case .preauthentication(let request):
      return try provider.preauthenticationResponse(to: request, preauthentication(request))
    case .authorization(let request):
      return try callback(request)
    case .login(let login):
      let user = try user(login.userName)
      let token = try provider.idToken(for: login, subject: user.subject, additional: user.claims)
      return try provider.loginResponse(to: login, try tokens(token, login.request, user))
    case .refresh(let refresh):
      let user = try user(refresh.grant.userName)
      let token = try provider.idToken(for: refresh, subject: user.subject, additional: user.claims)
      return try provider.loginResponse(to: refresh, try tokens(token, refresh.request, user))
    case .keyEndpoint(.key(let key)):
      let deviceID = key.request.device.id
      let unlockKey = try secrets.unlockKey(userName: key.userName, deviceID: deviceID)
      let context = try KeyContexts(secret: secrets.keyContexts).seal(
        unlockKey, userName: key.userName, deviceID: deviceID)
      let certificate = unlockKey.selfSignedCertificate(commonName: "Unlock key", notBefore: provider.clock.now)
      return try provider.keyResponse(to: key, certificate: certificate, keyContext: context)
    case .keyEndpoint(.keyExchange(let exchange)):
      let deviceID = exchange.request.device.id
      var unlockKey = try secrets.unlockKey(userName: exchange.userName, deviceID: deviceID)
      if let context = exchange.keyContext {
        unlockKey = try KeyContexts(secret: secrets.keyContexts).open(
          context, userName: exchange.userName, deviceID: deviceID)
      }
      return try provider.keyExchangeResponse(to: exchange, unlockKey: unlockKey)
    }
  }

  /// Who has codes logs in by a browser, if the file says where.
  private func preauthentication(_ request: PreauthenticationRequest) -> PreauthenticationAnswer {
    guard let authorizationURL, let user = try? user(request.userName), !user.codes.isEmpty,
      let clientID = provider.configuration.clientIDs.first
    else { return .managed }
    return .webAuthorization(at: authorizationURL, request: provider.authorizationParameters(clientID: clientID))
  }

  /// Sends the browser back with the user's first code, in place of a login page.
  private func callback(_ request: AuthorizationRequest) throws(PlatformSSOError) -> HTTPResponseValue {
    let name = request.loginHint ?? users.first { !$0.codes.isEmpty }?.name ?? ""
    guard let code = try user(name).codes.first else {
      throw PlatformSSOError(.grantUnsupported, "the user has no code", name: "login_hint")
    }
    var response = HTTPResponseValue(status: 303)
    do throws(JOSEError) {
      try response.headers.append("Location", request.callbackURL(code: code))
      try response.headers.append("Cache-Control", "no-store")
    } catch {
      throw PlatformSSOError(.callerMisuse, "the code or the state can't stand in an address", name: "codes")
    }
    return response
  }

  private func user(_ name: String) throws(PlatformSSOError) -> ProviderUser {
    guard let user = users.first(where: { $0.name.utf8.elementsEqual(name.utf8) }) else {
      throw PlatformSSOError(.credentialRejected, "no such user is configured", name: "sub")
    }
    return user
  }

  private func tokens(
    _ idToken: String, _ request: VerifiedRequest, _ user: ProviderUser
  ) throws(PlatformSSOError) -> LoginResponse {
    let expiration = provider.clock.now.advanced(by: Double(refreshTokenLifetime))
    guard
      let refreshToken = secrets.refreshToken(
        userName: user.name, deviceID: request.device.id, expiration: expiration)
    else { throw PlatformSSOError(.storeUnavailable, "no refresh token could be made") }
    return LoginResponse(
      idToken: idToken, refreshToken: refreshToken, refreshTokenExpiresIn: refreshTokenLifetime,
      expiresIn: provider.configuration.idTokenLifetime)
  }
}
