import JOSE
import PlatformSSOKit
import Testing

/// Rules of a provider that a peer's form, a tenant's naming or a release of macOS asks to be other than the default.
@Suite("A provider's rules")
struct ProviderRuleTests {
  static let user = LoginRequestTests.user

  private func named(_ code: ErrorCode, _ name: String? = nil) -> JOSEError {
    JOSEError(code, "", name: name)
  }

  private func login(_ fixture: Fixture) throws -> DeviceRequest {
    try fixture.device.loginRequest(of: Self.user, by: .password("correct horse"), nonces: fixture.nonces())
  }

  private func key(_ fixture: Fixture) throws -> DeviceRequest {
    try fixture.device.keyRequest(of: Self.user, refreshToken: "rt-000001", nonces: fixture.nonces())
  }

  @Test("An id_token key of an algorithm that no Mac takes is refused when the provider is made, and when it signs")
  func idTokenAlgorithms() async throws {
    let fixture = try Fixture()
    let login = try await fixture.provider.loginRequest(from: self.login(fixture).httpRequest)
    for algorithm in [SignatureAlgorithm.es384, .ed25519, .ps256, .rs512] {
      let key = try SigningKey.generate(algorithm, keyID: "k")
      #expect(throws: named(.keyMismatch, "idTokenKey")) {
        _ = try IdentityProvider(
          configuration: Fixture.providerConfiguration, serverNonces: ServerNonces(), users: fixture.store,
          idTokenKey: key, records: fixture.store)
      }
      var provider = fixture.provider
      provider.idTokenKey = key
      #expect(throws: named(.keyMismatch, "idTokenKey")) { try provider.idToken(for: login, subject: "jane") }
    }
    for algorithm in [SignatureAlgorithm.es256, .rs256] {
      _ = try IdentityProvider(
        configuration: Fixture.providerConfiguration, users: fixture.store, idTokenKey: .generate(algorithm),
        records: fixture.store)
    }
  }

  @Test("An id_token that OpenID Connect forbids is not issued, though Macs would take it")
  func forbiddenIDTokens() async throws {
    let fixture = try Fixture()
    let login = try await fixture.provider.loginRequest(from: self.login(fixture).httpRequest)
    for subject in ["", "josé", "\u{1}", "a\u{7F}", "   ", String(repeating: "x", count: 256)] {
      #expect(throws: named(.callerMisuse, "sub")) { try fixture.provider.idToken(for: login, subject: subject) }
    }
    _ = try fixture.provider.idToken(for: login, subject: String(repeating: "x", count: 255))
    for (name, value) in [("amr", "pwd"), ("amr", ["pwd", 1]), ("acr", 1), ("sid", 1), ("auth_time", "1")]
      as [(
        String, JSONValue
      )]
    {
      #expect(throws: named(.callerMisuse, name)) {
        try fixture.provider.idToken(for: login, subject: "jane", additional: JSONObject([(name, value)]))
      }
    }
    for name in [
      "iss", "sub", "aud", "nonce", "exp", "iat", "nbf", "jti", "azp", "events", "at_hash", "ds_hash", "cnf",
    ] {
      #expect(throws: named(.customClaimReserved, name)) {
        try fixture.provider.idToken(for: login, subject: "jane", additional: JSONObject([(name, .string("x"))]))
      }
    }
    _ = try fixture.provider.idToken(
      for: login, subject: "jane", additional: ["amr": ["pwd"], "acr": "1", "auth_time": 1, "sid": "s"])
  }

  @Test("Audience and client may be each device's own, and key requests have a list of theirs")
  func deviceNames() async throws {
    var fixture = try Fixture()
    fixture.provider.configuration.assertionAudiences = { [$0.id] }
    fixture.provider.configuration.keyRequestAudiences = { _ in ["getkeydata", "https://idp.example.com/keys"] }
    try await fixture.store.enroll(RegisteredKey(x963Representation: VectorKeys.point("user-secure-enclave")))
    let userKey = try VectorKeys.signing("user-secure-enclave")
    for (audience, error) in [
      ("mac-1", nil), ("https://idp.example.com", named(.claimMismatch, "aud")),
      ("mac-2", named(.claimMismatch, "aud")),
    ] {
      fixture.device.configuration.audience = audience
      let request = try fixture.device.loginRequest(
        of: Self.user, by: .userSecureEnclaveKey(userKey), nonces: fixture.nonces())
      #expect(await fixture.refusal(of: request.httpRequest) == error)
    }
    for (audience, error) in [
      ("getkeydata", nil), ("https://idp.example.com/keys", nil), ("mac-1", named(.claimMismatch, "aud")),
    ] {
      fixture.device.configuration.keyRequestAudience = audience
      #expect(await fixture.refusal(of: try key(fixture).httpRequest) == error)
    }
    // A Mac that is named by its serial number, as client and as audience.
    var device = try RegisteredDevice(
      id: "mac-1", signingKey: RegisteredKey(x963Representation: fixture.device.keys.signingKeyX963Representation),
      encryptionKey: RegisteredKey(x963Representation: fixture.device.keys.encryptionKeyX963Representation))
    fixture.provider.configuration.deviceClientIDs = { $0.serialNumber.map { [$0] } ?? [] }
    fixture.device.configuration.clientID = "C02ABC123"
    try await fixture.store.register(device)
    #expect(await fixture.refusal(of: try login(fixture).httpRequest) == named(.claimMismatch, "iss"))
    device.serialNumber = "C02ABC123"
    try await fixture.store.register(device)
    let request = try login(fixture)
    let checked = try await fixture.provider.loginRequest(from: request.httpRequest)
    #expect(checked.request.clientID == "C02ABC123")
  }

  @Test("The token endpoint may have several addresses, and aud may be an array of one of them")
  func tokenEndpoints() async throws {
    var fixture = try Fixture()
    let other = "https://login.example.com/token"
    fixture.device.configuration.tokenEndpointURL = other
    #expect(await fixture.refusal(of: try login(fixture).httpRequest) == named(.claimMismatch, "aud"))
    fixture.provider.configuration.tokenEndpointURLs.append(other)
    #expect(fixture.provider.configuration.tokenEndpointURL == "https://idp.example.com/psso/token")
    #expect(await fixture.refusal(of: try login(fixture).httpRequest) == nil)
    let cases: [(JSONValue, JOSEError?)] = [
      (.array([.string(other)]), nil), (["https://evil.example"], named(.claimMismatch, "aud")),
      (.array([.string(other), "https://evil.example"]), named(.claimInvalid, "aud")),
      ([], named(.claimInvalid, "aud")), ([1], named(.claimInvalid, "aud")),
    ]
    for (audience, error) in cases {
      let request = try fixture.request(like: login(fixture)) { $0["aud"] = audience }
      #expect(await fixture.refusal(of: request) == error)
    }
  }

  @Test("username and sub name one user")
  func userNames() async throws {
    let fixture = try Fixture()
    for request in [try login(fixture), try key(fixture)] {
      let wrong = try fixture.request(like: request) { $0["username"] = "john@example.com" }
      #expect(await fixture.refusal(of: wrong) == named(.claimMismatch, "username"))
    }
  }

  @Test(
    "Claims that the first release of Platform SSO lacks may be absent by choice, and are checked where they are there")
  func optionalClaims() async throws {
    var fixture = try Fixture()
    let names = ["iss", "exp", "sub", "aud", "client_id", "username", "scope"]
    for name in names {
      let request = try fixture.request(like: login(fixture)) { $0[name] = nil }
      #expect(await fixture.refusal(of: request) == named(.claimMissing, name))
    }
    fixture.provider.configuration.optionalRequestClaims = names
    for name in names {
      let request = try fixture.request(like: login(fixture)) { $0[name] = nil }
      #expect(await fixture.refusal(of: request) == nil, "\(name)")
      let wrong = try fixture.request(like: login(fixture)) { $0[name] = 5 }
      #expect(
        await fixture.refusal(of: wrong) == (name == "exp" ? named(.claimExpired, name) : named(.claimInvalid, name)))
    }
    let nameless = try fixture.request(like: login(fixture)) {
      $0["sub"] = nil
      $0["username"] = nil
    }
    #expect(await fixture.refusal(of: nameless) == named(.claimMissing, "sub"))
    // Without an end a request lives five minutes.
    let endless = try fixture.request(like: login(fixture)) {
      $0["exp"] = nil
      $0["iat"] = 1_767_225_300
    }
    #expect(await fixture.refusal(of: endless) == named(.claimExpired, "exp"))
  }

  @Test("A form that an extension makes itself may hold the request alone, by choice")
  func bareForm() async throws {
    var fixture = try Fixture()
    let bare: (String, String) -> String? = { $0 == "assertion" ? $1 : nil }
    #expect(
      await fixture.refusal(of: try fixture.request(like: login(fixture), field: bare))
        == named(.fieldMissing, "grant_type"))
    fixture.provider.configuration.requiresFormFields = false
    #expect(await fixture.refusal(of: try fixture.request(like: login(fixture), field: bare)) == nil)
    let wrong = try fixture.request(like: login(fixture)) { $0 == "grant_type" ? "password" : $1 }
    #expect(await fixture.refusal(of: wrong) == named(.fieldInvalid, "grant_type"))
  }

  // MARK: Encrypted passwords

  private func encrypting() throws -> Fixture {
    var fixture = try Fixture()
    fixture.device.configuration.loginRequestEncryptionPublicKey = try VectorKeys.point("idp-login-encryption")
    fixture.provider.configuration.loginRequestDecryptionKeys = [
      try VectorKeys.agreement("peer-exchange"), try VectorKeys.agreement("idp-login-encryption"),
    ]
    return fixture
  }

  /// A login whose encrypted assertion has a party info and a plaintext of the test's making.
  private func login(
    _ fixture: Fixture, type: String = "platformsso-encrypted-login-assertion+jwt",
    partyVInfo: (DeviceRequest) -> [UInt8], plaintext: (JSONObject) throws -> [UInt8] = { $0.serialized() }
  ) throws -> HTTPRequestValue {
    let request = try login(fixture)
    return try fixture.request(like: request) { claims in
      var inner: JSONObject = [
        "iss": .string(Fixture.user), "aud": .string(fixture.device.configuration.audience),
        "password": "correct horse",
      ]
      for name in ["sub", "iat", "exp", "nonce", "request_nonce", "scope"] { inner[name] = claims[name] }
      let point = (try? VectorKeys.point("idp-login-encryption")) ?? []
      claims["assertion"] =
        (try? JWE.encrypt(
          plaintext(inner), to: EncryptionKey(ecdhESX963Representation: point), header: HeaderParameters(type: type),
          agreementPartyUInfo: .madeFromEphemeralKey { PartyUInfo.octets(ephemeralKeyX963Representation: $0) },
          agreementPartyVInfo: .octets(partyVInfo(request)))).map { .string($0) }
    }
  }

  @Test("The apv of an encrypted password may be the table's form, or have the device's nonce, by choice")
  func assertionPartyVInfo() async throws {
    var fixture = try encrypting()
    let table: (DeviceRequest) -> [UInt8] = { $0.agreementPartyVInfo.octets }
    let other: (DeviceRequest) -> [UInt8] = { _ in Array("whatever".utf8) }
    func refusal(_ partyVInfo: (DeviceRequest) -> [UInt8]) async throws -> JOSEError? {
      await fixture.refusal(of: try login(fixture, partyVInfo: partyVInfo))
    }
    #expect(fixture.provider.configuration.assertionPartyVInfo == .sample)
    #expect(try await refusal(table) == named(.partyInfoKeyMismatch, "apv"))
    fixture.provider.configuration.assertionPartyVInfo = .sampleOrTable
    #expect(try await refusal(table) == nil)
    #expect(try await refusal(other) == named(.partyInfoMalformed, "apv"))
    fixture.provider.configuration.assertionPartyVInfo = .eitherNonce
    #expect(try await refusal(table) == nil)
    #expect(try await refusal(other) == named(.partyInfoMalformed, "apv"))
    let point = try VectorKeys.point("idp-login-encryption")
    func party(_ nonce: @escaping (DeviceRequest) -> String) -> (DeviceRequest) -> [UInt8] {
      { request in
        EmbeddedAssertionPartyVInfo.octets(
          prefix: Array("Apple".utf8), recipientX963Representation: point, serverNonce: nonce(request))
      }
    }
    #expect(try await refusal(party { $0.nonces.clientNonce }) == nil)
    #expect(try await refusal(party { $0.nonces.serverNonce }) == nil)
    #expect(try await refusal(party { _ in "another" }) == named(.partyInfoNonceMismatch, "apv"))
    #expect(try await refusal(party { _ in "" }) == named(.partyInfoNonceMismatch, "apv"))
    let foreign = EmbeddedAssertionPartyVInfo.octets(
      prefix: nil, recipientX963Representation: try VectorKeys.point("user-secure-enclave"), serverNonce: "n")
    #expect(try await refusal { _ in foreign } == named(.partyInfoKeyMismatch, "apv"))
    fixture.provider.configuration.loginRequestDecryptionKeys = []
    #expect(try await refusal(table) == named(.keyNotFound, "assertion"))
  }

  @Test(
    "An encrypted password that has the apv of its request is good for that request alone, whatever apv may be",
    arguments: [IdentityProviderConfiguration.AssertionPartyVInfoRule.sampleOrTable, .eitherNonce])
  func tableReplay(_ rule: IdentityProviderConfiguration.AssertionPartyVInfoRule) async throws {
    var fixture = try encrypting()
    fixture.provider.configuration.assertionPartyVInfo = rule
    fixture.provider.configuration.acceptsOpaquePartyVInfo = true
    // The Mac that replays is another one, whose own nonces are new.
    fixture.provider.configuration.refusesReusedClientNonces = false
    fixture.provider.configuration.optionalAssertionClaims = [
      "iss", "sub", "aud", "iat", "exp", "nonce", "request_nonce", "scope",
    ]
    let first = try login(fixture, partyVInfo: { $0.agreementPartyVInfo.octets }) { _ in
      (["password": "correct horse"] as JSONObject).serialized()
    }
    let claims = try UnverifiedJWS(parsing: first.form().uniqueValue("assertion") ?? "").claimsObject()
    #expect(await fixture.refusal(of: first) == nil)
    func replay(naming nonce: JSONValue?) throws -> HTTPRequestValue {
      try fixture.request(like: login(fixture)) {
        for name in ["grant_type", "assertion", "jwe_crypto"] { $0[name] = claims[name] }
        if let nonce { $0["nonce"] = nonce }
      }
    }
    #expect(await fixture.refusal(of: try replay(naming: nil)) == named(.partyInfoKeyMismatch, "apv"))
    #expect(await fixture.refusal(of: try replay(naming: claims["nonce"])) == named(.clientNonceReplayed, "nonce"))
  }

  @Test("A signed request counts in the fields for its kind alone, and once")
  func parameterNames() async throws {
    var fixture = try Fixture()
    let request = try fixture.device.loginRequest(
      of: LoginRequestTests.user, by: .password("correct horse"), nonces: fixture.nonces())
    func refusal(_ names: [String], _ fields: [String]) async throws -> JOSEError? {
      fixture.provider.configuration.requestParameterNames = names
      let token = request.assertion
      var form = try request.httpRequest.form().fields.filter { $0.name != "assertion" }.map { ($0.name, $0.value) }
      form += fields.map { ($0, token) }
      var posted = request.httpRequest
      posted.body = FormFields(form).encoded()
      return await fixture.refusal(of: posted)
    }
    // In `request` an authorization request is looked for in any case, and nothing else counts there.
    #expect(try await refusal(["assertion"], ["request"]) == named(.fieldMissing, "assertion"))
    #expect(try await refusal(["jwt", "assertion"], ["request"]) == named(.fieldMissing, "jwt"))
    #expect(try await refusal(["assertion"], ["assertion", "request"]) == named(.fieldDuplicated, "assertion"))
    #expect(try await refusal(["assertion"], []) == named(.fieldMissing, "assertion"))
    #expect(try await refusal(["jwt", "assertion"], ["jwt", "assertion"]) == named(.fieldDuplicated, "jwt"))
    #expect(try await refusal(["jwt"], ["jwt"]) == nil)
  }

  @Test("An encrypted assertion of the type JWT is refused as any message is, and accepted by choice")
  func typeOfEncryptedAssertion() async throws {
    var fixture = try encrypting()
    fixture.provider.configuration.assertionPartyVInfo = .sampleOrTable
    func refusal() async throws -> JOSEError? {
      await fixture.refusal(of: try login(fixture, type: "JWT", partyVInfo: { $0.agreementPartyVInfo.octets }))
    }
    #expect(try await refusal() == named(.typeMismatch, "typ"))
    fixture.provider.configuration.acceptsJWTType = true
    #expect(try await refusal() == nil)
  }

  @Test("A signed JWT inside an encrypted assertion is accepted by choice, if the device signed it")
  func signedClaims() async throws {
    var fixture = try encrypting()
    fixture.provider.configuration.assertionPartyVInfo = .sampleOrTable
    func refusal(_ key: SigningKey) async throws -> JOSEError? {
      await fixture.refusal(
        of: try login(fixture, partyVInfo: { $0.agreementPartyVInfo.octets }) { claims in
          Array(try JWS.sign(claims.serialized(), with: key).utf8)
        })
    }
    let deviceKey = try VectorKeys.signing("device-signing")
    #expect(try await refusal(deviceKey) == named(.malformed))
    fixture.provider.configuration.acceptsSignedClaimsInAssertions = true
    #expect(try await refusal(deviceKey) == nil)
    #expect(try await refusal(VectorKeys.signing("peer-exchange")) == named(.signatureInvalid))
  }

  @Test("Claims of an embedded assertion may be absent by choice")
  func optionalAssertionClaims() async throws {
    var fixture = try encrypting()
    fixture.provider.configuration.assertionPartyVInfo = .sampleOrTable
    for name in ["iss", "sub", "aud", "nonce", "request_nonce", "scope", "iat", "exp"] {
      func refusal() async throws -> JOSEError? {
        await fixture.refusal(
          of: try login(fixture, partyVInfo: { $0.agreementPartyVInfo.octets }) { claims in
            var changed = claims
            changed[name] = nil
            return changed.serialized()
          })
      }
      fixture.provider.configuration.optionalAssertionClaims = []
      #expect(try await refusal() == named(.claimMissing, name))
      fixture.provider.configuration.optionalAssertionClaims = [name]
      #expect(try await refusal() == nil, "\(name)")
    }
  }

  @Test("A signed assertion has one of the nonces, whatever may be absent: else it would be good for every request")
  func signedAssertionWithoutNonces() async throws {
    var fixture = try Fixture()
    try await fixture.store.enroll(RegisteredKey(x963Representation: VectorKeys.point("user-secure-enclave")))
    let userKey = try VectorKeys.signing("user-secure-enclave")
    fixture.provider.configuration.optionalAssertionClaims = ["iat", "nonce", "request_nonce"]
    func refusal(without names: [String]) async throws -> JOSEError? {
      let request = try fixture.device.loginRequest(
        of: Self.user, by: .userSecureEnclaveKey(userKey), nonces: fixture.nonces())
      let changed = try fixture.request(like: request) { outer in
        guard let inner = try? UnverifiedJWS(parsing: outer["assertion"]?.stringValue ?? ""),
          var claims = try? JSONObject(parsing: inner.unverifiedPayload)
        else { return }
        for name in names { claims[name] = nil }
        let header = HeaderParameters(type: inner.unverifiedHeader.type, keyID: inner.unverifiedHeader.keyID)
        outer["assertion"] = (try? JWS.sign(claims.serialized(), with: userKey, header: header)).map { .string($0) }
      }
      return await fixture.refusal(of: changed)
    }
    #expect(try await refusal(without: []) == nil)
    #expect(try await refusal(without: ["iat", "nonce"]) == nil)
    #expect(try await refusal(without: ["iat", "request_nonce"]) == nil)
    #expect(try await refusal(without: ["nonce", "request_nonce"]) == named(.claimMissing, "request_nonce"))
  }

  // MARK: Party info, nonces, keys

  @Test("The apv of the answer may be anything by choice; the answer is for the registered key all the same")
  func opaquePartyVInfo() async throws {
    var fixture = try Fixture()
    func request() throws -> HTTPRequestValue {
      try fixture.request(like: self.login(fixture)) {
        $0["jwe_crypto"] = ["alg": "ECDH-ES", "enc": "A256GCM", "apv": .string(Base64URL.encode([1, 2, 3]))]
      }
    }
    #expect(await fixture.refusal(of: try request()) == named(.partyInfoMalformed, "apv"))
    fixture.provider.configuration.acceptsOpaquePartyVInfo = true
    let received = try request()
    let login = try await fixture.provider.loginRequest(from: received)
    #expect(login.request.agreementPartyVInfo.octets == [1, 2, 3])
    #expect(login.request.encryptionKey.x963Representation == fixture.device.keys.encryptionKeyX963Representation)
    let response = try fixture.provider.loginResponse(
      to: login, LoginResponse(idToken: "i", refreshToken: "r", refreshTokenExpiresIn: .seconds(1)))
    let opened = try JWE.decrypt(
      String(decoding: response.body, as: UTF8.self), with: VectorKeys.agreement("device-encryption"),
      contentEncryption: [.a256gcm])
    #expect(opened.header["apv"] == .string(Base64URL.encode([1, 2, 3])))
  }

  @Test("A device's own nonce may come twice by choice")
  func clientNonces() async throws {
    var fixture = try Fixture()
    func again() throws -> HTTPRequestValue {
      let nonces = try fixture.nonces()
      return try fixture.device.loginRequest(
        of: Self.user, by: .password("correct horse"),
        nonces: RequestNonces(
          serverNonce: nonces.serverNonce, clientNonce: "0F3A5C7E-1B2D-4E6F-8A9B-0C1D2E3F4A5B",
          clientRequestID: nonces.clientRequestID)
      ).httpRequest
    }
    #expect(await fixture.refusal(of: try again()) == nil)
    #expect(await fixture.refusal(of: try again()) == named(.clientNonceReplayed, "nonce"))
    fixture.provider.configuration.refusesReusedClientNonces = false
    #expect(await fixture.refusal(of: try again()) == nil)
  }

  @Test("other_publickey in whatever base64 by choice")
  func otherPublicKey() async throws {
    var fixture = try Fixture()
    let point = try VectorKeys.point("peer-exchange")
    func refusal(_ text: String) async throws -> JOSEError? {
      let request = try fixture.device.keyRequest(
        of: Self.user, refreshToken: "rt-000001", otherPublicKey: point, keyContext: nil, nonces: fixture.nonces())
      return await fixture.refusal(
        of: try fixture.request(like: request) { $0["other_publickey"] = .string(text) })
    }
    let forms = [Base64URL.encode(point), String(Base64.encode(point).prefix { $0 != "=" })]
    for form in forms { #expect(try await refusal(form) == named(.claimInvalid, "other_publickey")) }
    fixture.provider.configuration.acceptsAnyBase64InKeyExchange = true
    for form in forms + [Base64.encode(point)] { #expect(try await refusal(form) == nil) }
    #expect(try await refusal("!" + Base64.encode(point)) == named(.claimInvalid, "other_publickey"))
  }

  @Test("A refresh token that was replaced a moment ago is still good, and no longer")
  func grace() async throws {
    let fixture = try Fixture()
    func refusal(replacedBefore seconds: Double) async throws -> JOSEError? {
      let replacedAt = Fixture.now.advanced(by: -seconds)
      try await fixture.store.give("rt-old \(seconds)", at: replacedAt)
      try await fixture.store.give("rt-new \(seconds)", at: replacedAt)
      return await fixture.refusal(of: try fixture.refreshRequest("rt-old \(seconds)").httpRequest)
    }
    #expect(try await refusal(replacedBefore: 0) == nil)
    #expect(try await refusal(replacedBefore: 59) == nil)
    #expect(try await refusal(replacedBefore: 60) == named(.refreshTokenRejected, "refresh_token"))
  }

  @Test("A certificate of an unlock key has the key's identifier, and begins a day earlier")
  func unlockCertificate() throws {
    let key = UnlockKey.generate()
    let certificate = key.selfSignedCertificate(commonName: "k", notBefore: Fixture.now)
    // subjectKeyIdentifier, 20 octets.
    let pattern: [UInt8] = [0x06, 0x03, 0x55, 0x1D, 0x0E, 0x04, 0x16, 0x04, 0x14]
    #expect(certificate.indices.contains { certificate[$0...].starts(with: pattern) })
    // Both extensions stand in one list, which any parser of certificates reads.
    let list: [UInt8] = [
      0xA3, 0x31, 0x30, 0x2F, 0x30, 0x0E, 0x06, 0x03, 0x55, 0x1D, 0x0F, 0x01, 0x01, 0xFF, 0x04, 0x04,
    ]
    #expect(certificate.indices.contains { certificate[$0...].starts(with: list) })
    #expect(String(decoding: certificate, as: UTF8.self).contains("251231000000Z"))
    let exact = key.selfSignedCertificate(commonName: "k", notBefore: Fixture.now, backdating: .zero)
    #expect(String(decoding: exact, as: UTF8.self).contains("260101000000Z"))
  }
}
