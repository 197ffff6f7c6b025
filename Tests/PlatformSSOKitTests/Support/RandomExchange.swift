import JOSE
@testable import PlatformSSOKit
import PureCrypto
import PureJOSETestSupport
import Testing

/// One exchange between a device and a provider, each message checked against what the other side meant.
struct RandomExchange {
  /// What is exchanged.
  enum Kind: CaseIterable {
    case password, userKey, smartCard, web, refresh, key, keyExchange
  }

  let kind: Kind
  private let configuration: RandomConfiguration
  private let keys: RandomExchangeKeys
  private var generator: SeededGenerator
  private var fixture: Fixture { configuration.fixture }

  init(_ kind: Kind, using generator: inout SeededGenerator, keys: RandomExchangeKeys) throws {
    self.kind = kind
    self.keys = keys
    configuration = try RandomConfiguration(using: &generator, keys: keys)
    self.generator = generator
  }

  /// Plays the exchange.
  mutating func play() async throws {
    let store = fixture.store
    try await store.enroll(RegisteredKey(x963Representation: VectorKeys.point("user-secure-enclave")))
    for (index, card) in keys.cards.enumerated() {
      await store.enroll(certificate: [0x30, UInt8(index)], card.verificationKey)
    }
    let scope = generator.pick([AuthorizationScope.login, .unlock, .setupAssistant])
    switch kind {
    case .password: try await logIn(by: .password("correct horse"), for: scope)
    case .userKey:
      try await logIn(by: .userSecureEnclaveKey(VectorKeys.signing("user-secure-enclave")), for: scope)
    case .smartCard:
      // RSA signatures take the most time of all.
      let index = generator.bool() ? 0 : Int.random(in: keys.cards.indices, using: &generator)
      try await logIn(by: .smartCard(keys.cards[index], certificate: [0x30, UInt8(index)]), for: scope)
    case .web: try await logIn(by: .webAuthorization(authorize(for: scope)), for: scope)
    case .refresh: try await refresh()
    case .key: _ = try await provisionKey()
    case .keyExchange: try await exchangeKey()
    }
  }

  /// A nonce from the provider, which recognises the request for it.
  private func nonces() throws -> RequestNonces {
    let request = fixture.device.serverNonceRequest()
    #expect(try fixture.provider.kind(of: request) == nil)
    return try fixture.device.requestNonces(
      from: fixture.provider.serverNonceResponse(to: request), to: request)
  }

  /// What holds of every signed request, whatever is in it.
  private func checkCommon(
    _ request: DeviceRequest, _ kind: IdentityProvider.FormKind, _ verified: VerifiedRequest, values: FormFields
  ) throws {
    #expect(try fixture.provider.kind(of: request.httpRequest) == kind)
    #expect(verified.device.id == "mac-1")
    #expect(verified.clientNonce == request.nonces.clientNonce)
    #expect(verified.serverNonce == request.nonces.serverNonce)
    #expect(verified.agreementPartyVInfo == request.agreementPartyVInfo)
    #expect(verified.expiration == verified.issuedAt.advanced(by: 300))
    for value in values.fields {
      #expect(verified.formFields.values(value.name).contains { $0.utf8.elementsEqual(value.value.utf8) })
    }
    #expect(
      try verified.header.platformSSOCertificates(limits: .default).isEmpty
        == (fixture.device.keys.signingCertificate == nil))
    // Another process of the device knows the request again.
    let restored = try fixture.device.sentRequest(request.httpRequest)
    #expect(restored.message == request.message && restored.nonces == request.nonces)
    #expect(restored.agreementPartyVInfo == request.agreementPartyVInfo)
  }

  /// Every member given is among the claims, as it was given.
  private func checkCustom(_ body: JSONObject, _ header: JSONObject, _ verified: VerifiedRequest) {
    for (name, value) in body.members { #expect(verified.claims[name] == value) }
    for (name, value) in header.members { #expect(verified.header.parameters[name] == value) }
  }

  private mutating func logIn(by method: LoginMethod, for scope: AuthorizationScope) async throws {
    let (device, provider, login) = (fixture.device, fixture.provider, fixture.device.configuration)
    let previous = generator.bool() ? generator.text() : nil
    let request: DeviceRequest
    if generator.bool() {
      request = try device.loginRequest(
        of: configuration.user, by: method, nonces: nonces(), previousRefreshToken: previous,
        groups: configuration.groups, authorizationScope: scope)
    } else {
      let prepared = try device.prepareLoginRequest(
        of: configuration.user, by: method, nonces: nonces(), previousRefreshToken: previous,
        groups: configuration.groups, authorizationScope: scope)
      request = try prepared.finish(signature: sign(prepared.signingInput))
    }
    let received = try await provider.loginRequest(from: request.httpRequest)
    try checkCommon(request, .login, received.request, values: login.customLoginRequestValues)
    checkCustom(configuration.user.customLoginRequestClaims.body, [:], received.request)
    checkCustom([:], login.customLoginRequestClaims.header, received.request)
    #expect(received.userName == configuration.user.loginUserName)
    #expect(received.requestedGroups.elementsEqual(configuration.groups) { $0.utf8.elementsEqual($1.utf8) })
    #expect(
      received.previousRefreshToken == (login.includePreviousRefreshTokenInLoginRequest ? previous : nil))
    let isWeb = if case .webAuthorization = method { true } else { false }
    #expect(received.authorizationScope == (isWeb || login.includePlatformSSOAuthorizationScopes ? scope : nil))
    #expect(Self.name(received.credential) == expectedCredential(method))
    try answer(request, received)
  }

  private func expectedCredential(_ method: LoginMethod) -> String {
    switch method {
    case .password:
      fixture.device.configuration.loginRequestEncryptionPublicKey == nil ? "password" : "encryptedPassword"
    case .userSecureEnclaveKey, .embeddedAssertion: "userKey"
    case .smartCard: "smartCard"
    case .webAuthorization: "webAuthorization"
    }
  }

  private static func name(_ credential: LoginCredential) -> String {
    switch credential {
    case .password: "password"
    case .encryptedPassword: "encryptedPassword"
    case .userKey: "userKey"
    case .smartCard: "smartCard"
    case .webAuthorization: "webAuthorization"
    case .refreshToken: "refreshToken"
    }
  }

  private func sharedSecret(_ ephemeralPublicKey: [UInt8]) throws -> [UInt8] {
    try VectorKeys.privateKey("psso-vector/device-encryption")
      .sharedSecret(with: P256PublicKey(x963Representation: ephemeralPublicKey)).withUnsafeBytes { Array($0) }
  }

  private func sign(_ signingInput: [UInt8]) throws -> [UInt8] {
    try VectorKeys.privateKey("psso-vector/device-signing").signature(for: signingInput).rawRepresentation
  }

  private mutating func answer(_ request: DeviceRequest, _ received: TokenEndpointRequest) throws {
    let provider = fixture.provider
    let tokens = try randomTokens { additional throws(JOSEError) in
      try provider.idToken(for: received, subject: "jane", additional: additional)
    }
    try open(provider.loginResponse(to: received, tokens), request, tokens)
  }

  private mutating func refresh() async throws {
    let (device, provider) = (fixture.device, fixture.provider)
    let request: DeviceRequest
    if generator.bool() {
      request = try device.refreshRequest(refreshToken: "rt-000001", nonces: nonces())
    } else {
      let prepared = try device.prepareRefreshRequest(refreshToken: "rt-000001", nonces: nonces())
      request = try prepared.finish(signature: sign(prepared.signingInput))
    }
    let received = try await provider.refreshRequest(from: request.httpRequest)
    try checkCommon(request, .refresh, received.request, values: device.configuration.customRefreshRequestValues)
    let custom = device.configuration.customRefreshRequestClaims
    checkCustom(custom.body, custom.header, received.request)
    #expect(received.request.claims["refresh_token"] == "rt-000001" && received.userName == Fixture.user)
    let tokens = try randomTokens { additional throws(JOSEError) in
      try provider.idToken(for: received, subject: "jane", additional: additional)
    }
    try open(provider.loginResponse(to: received, tokens), request, tokens)
  }

  private mutating func randomTokens(
    _ idToken: (JSONObject) throws(JOSEError) -> String
  ) throws -> LoginResponse {
    var claims = generator.claims()
    claims["upn"] = "jane@upn"
    claims[fixture.device.configuration.groupResponseClaimName] = ["g1", "g2"]
    return LoginResponse(
      idToken: try idToken(claims), refreshToken: generator.text(),
      refreshTokenExpiresIn: .seconds(Int.random(in: 0...100_000, using: &generator)),
      expiresIn: generator.bool() ? .seconds(Int.random(in: 0...100_000, using: &generator)) : nil,
      tokenType: generator.bool() ? "Bearer" : nil, additional: generator.claims())
  }

  private mutating func open(
    _ response: HTTPResponseValue, _ request: DeviceRequest, _ tokens: LoginResponse
  ) throws {
    let device = fixture.device
    let opened: OpenedLoginResponse
    if generator.bool() {
      opened = try device.openLoginResponse(response, to: request, idTokenKeys: keys.idTokenKeys)
    } else {
      let prepared = try device.prepareLoginResponse(response, to: request, idTokenKeys: keys.idTokenKeys)
      opened = try prepared.finish(sharedSecret: sharedSecret(prepared.ephemeralPublicKey))
    }
    #expect(opened.response.idToken == tokens.idToken)
    #expect(opened.response.refreshToken.utf8.elementsEqual(tokens.refreshToken.utf8))
    #expect(opened.response.refreshTokenExpiresIn == tokens.refreshTokenExpiresIn)
    #expect(opened.response.expiresIn == tokens.expiresIn && opened.response.tokenType == tokens.tokenType)
    #expect(opened.response.additional == tokens.additional)
    #expect(
      opened.uniqueIdentifier
        == (device.configuration.uniqueIdentifierClaimName == "sub" ? "jane" : "jane@upn"))
    #expect(opened.groups == ["g1", "g2"])
  }

  /// Preauthentication where the configuration has it, and the browser's way.
  private mutating func authorize(for scope: AuthorizationScope) async throws -> AuthorizationCallback {
    let (device, provider, store) = (fixture.device, fixture.provider, fixture.store)
    let code = "code \(generator.next())"
    guard device.configuration.federationUserPreauthenticationURL != nil else {
      let opened = try device.webAuthorizationRequest(of: configuration.user, scope: scope)
      let answer = FormFields([("state", opened.state ?? ""), ("code", code)]).encodedAsQuery()
      try await store.issue(code: code, state: opened.state ?? "", scope: scope)
      return try AuthorizationCallback(url: "com.apple.platformsso://callback?" + answer, answering: opened)
    }
    let asked = try device.preauthenticationRequest(of: configuration.user)
    let read = try provider.preauthenticationRequest(from: asked)
    #expect(read.userName == configuration.user.loginUserName)
    let parameters = provider.authorizationParameters(
      clientID: device.configuration.clientID, scope: generator.pick(["openid", "openid profile"]))
    let answer = try provider.preauthenticationResponse(
      to: read, .webAuthorization(at: "https://idp.example.com/login", request: parameters))
    guard let endpoint = try device.preauthentication(from: answer) else {
      throw JOSEError(.malformed, "not federated")
    }
    let opened = try device.webAuthorizationRequest(of: configuration.user, at: endpoint, scope: scope)
    #expect(try provider.kind(of: opened.httpRequest) == .authorization)
    let checked = try await provider.authorizationRequest(from: opened.httpRequest)
    #expect(checked.parameters.nonce == parameters.nonce && checked.parameters.state == parameters.state)
    try await store.issue(code: code, state: checked.parameters.state, scope: checked.authorizationScope)
    return try AuthorizationCallback(url: checked.callbackURL(code: code), answering: opened)
  }

  private mutating func provisionKey() async throws -> (KeyResponse, UnlockKey, KeyContexts) {
    let (device, provider) = (fixture.device, fixture.provider)
    let request: DeviceRequest
    if generator.bool() {
      request = try device.keyRequest(of: configuration.user, refreshToken: "rt-000001", nonces: nonces())
    } else {
      let prepared = try device.prepareKeyRequest(
        of: configuration.user, refreshToken: "rt-000001", nonces: nonces())
      request = try prepared.finish(signature: sign(prepared.signingInput))
    }
    let received = try await provider.keyEndpointRequest(from: request.httpRequest)
    try checkCommon(request, .keyEndpoint, received.request, values: device.configuration.customKeyRequestValues)
    let custom = device.configuration.customKeyRequestClaims
    checkCustom(custom.body, custom.header, received.request)
    #expect(received.userName == Fixture.user && received.refreshToken == "rt-000001")
    let (unlockKey, contexts) = (UnlockKey.generate(), try KeyContexts(secret: .random(count: 32)))
    let context = try contexts.seal(unlockKey, userName: received.userName, deviceID: received.request.device.id)
    let certificate = unlockKey.selfSignedCertificate(commonName: generator.text(), notBefore: Fixture.now)
    let response = try provider.keyResponse(
      to: received, certificate: certificate, keyContext: generator.bool() ? context : nil)
    let opened: KeyResponse
    if generator.bool() {
      opened = try device.openKeyResponse(response, to: request)
    } else {
      let prepared = try device.prepareKeyResponse(response, to: request)
      opened = try prepared.finish(sharedSecret: sharedSecret(prepared.ephemeralPublicKey))
    }
    #expect(opened.certificate == certificate)
    #expect(opened.publicKeyX963Representation == unlockKey.x963Representation)
    return (opened, unlockKey, contexts)
  }

  private mutating func exchangeKey() async throws {
    let (device, provider) = (fixture.device, fixture.provider)
    let (key, unlockKey, contexts) = try await provisionKey()
    let other = P256PrivateKey()
    let request = try device.keyRequest(
      of: configuration.user, refreshToken: "rt-000001", otherPublicKey: other.publicKey.x963Representation,
      keyContext: key.keyContext, nonces: nonces())
    let received = try await provider.keyEndpointRequest(from: request.httpRequest)
    try checkCommon(
      request, .keyEndpoint, received.request, values: device.configuration.customKeyExchangeRequestValues)
    let custom = device.configuration.customKeyExchangeRequestClaims
    checkCustom(custom.body, custom.header, received.request)
    #expect(received.keyContext == key.keyContext)
    let opened =
      try received.keyContext.map { context throws(JOSEError) in
        try contexts.open(context, userName: received.userName, deviceID: received.request.device.id)
      } ?? unlockKey
    let response = try provider.keyExchangeResponse(to: received, unlockKey: opened, keyContext: key.keyContext)
    let shared: KeyExchangeResponse
    if generator.bool() {
      shared = try device.openKeyExchangeResponse(response, to: request)
    } else {
      let prepared = try device.prepareKeyExchangeResponse(response, to: request)
      shared = try prepared.finish(sharedSecret: sharedSecret(prepared.ephemeralPublicKey))
    }
    let expected = try other.sharedSecret(with: P256PublicKey(x963Representation: key.publicKeyX963Representation))
    #expect(shared.key.withUnsafeBytes { Array($0) } == expected.withUnsafeBytes { Array($0) })
  }
}
