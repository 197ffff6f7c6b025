import JOSE
import PlatformSSOKit
import PureCrypto
import Testing

/// Each product's preset against messages in the form that the product sends and expects.
@Suite("Presets of products")
struct PresetTests {
  static let user = LoginRequestTests.user

  private func named(_ code: ErrorCode, _ name: String? = nil) -> JOSEError {
    JOSEError(code, "", name: name)
  }

  private func claims(_ token: String) throws -> JSONObject {
    try JSONObject(parsing: UnverifiedJWS(parsing: token).unverifiedPayload)
  }

  /// The login configuration that a product's extension makes, with the keys of the fixture.
  private func configuration(_ preset: PlatformSSOPreset, keys: DeviceKeys) throws -> LoginConfiguration {
    switch preset {
    case .macOS, .macOS13:
      var configuration = Fixture.configuration
      configuration.apply(preset)
      return configuration
    case .entra: return .entra(tenant: "contoso.example")
    case .keycloak: return .keycloak(realmURL: "https://kc.example.com/realms/staff", keys: keys)
    case .authentik:
      return .authentik(
        baseURL: "https://ak.example.com", connectorID: "5F0C1A52-0000-4000-8000-000000000001", deviceID: "mac-1",
        deviceToken: "dt+/=")
    case .fleet:
      return .fleet(
        host: "fleet.example.com", bundleIdentifier: "com.example.ssoe",
        loginKey: try VectorKeys.point("idp-login-encryption"))
    case .twocanoes: return .twocanoes(baseURL: "https://tc.example.com", host: "tc.example.com")
    }
  }

  /// A provider and a Mac of one product.
  func fixture(_ preset: PlatformSSOPreset) async throws -> Fixture {
    var fixture = try Fixture()
    let device = try configuration(preset, keys: fixture.device.keys)
    var provider = IdentityProviderConfiguration(
      issuer: device.issuer, clientIDs: [device.clientID], audience: device.audience,
      tokenEndpointURL: device.tokenEndpointURL)
    provider.refreshEndpointURL = device.refreshEndpointURL
    provider.loginRequestDecryptionKeys = [try VectorKeys.agreement("idp-login-encryption")]
    provider.apply(preset)
    fixture.device.configuration = device
    fixture.provider.configuration = provider
    try await fixture.store.enroll(RegisteredKey(x963Representation: VectorKeys.point("user-secure-enclave")))
    return fixture
  }

  @Test(
    "A Mac of a product and a provider of the same product understand each other", arguments: PlatformSSOPreset.allCases
  )
  func roundTrip(_ preset: PlatformSSOPreset) async throws {
    let fixture = try await fixture(preset)
    let (device, provider) = (fixture.device, fixture.provider)
    #expect(device.configuration.findings(for: provider.configuration).isEmpty)
    for method in [
      LoginMethod.password("correct horse"), .userSecureEnclaveKey(try VectorKeys.signing("user-secure-enclave")),
    ] {
      let request = try device.loginRequest(
        of: Self.user, by: method, nonces: fixture.nonces(), previousRefreshToken: "rt-000001")
      let login = try await provider.loginRequest(from: request.httpRequest)
      var idTokenClaims: JSONObject = ["groups": ["staff"]]
      if preset == .entra { idTokenClaims["oid"] = "object-1" }
      let response = try provider.loginResponse(
        to: login,
        LoginResponse(
          idToken: provider.idToken(for: login, subject: "jane", additional: idTokenClaims),
          refreshToken: "rt-000001",
          refreshTokenExpiresIn: .seconds(60)))
      let opened = try device.openLoginResponse(response, to: request, idTokenKeys: fixture.idTokenKeys)
      #expect(opened.uniqueIdentifier == (preset == .entra ? "object-1" : "jane"))
    }
    if device.canRefresh(
      PlatformSSOSession(
        received: Fixture.now, expiration: Fixture.now.advanced(by: 60), lastFullLogin: Fixture.now),
      method: .password)
    {
      #expect(await fixture.refusal(of: try fixture.refreshRequest().httpRequest) == nil)
    } else {
      // None of these has a refresh endpoint.
      #expect([.entra, .authentik, .fleet, .twocanoes].contains(preset))
    }
    let key = try device.keyRequest(of: Self.user, refreshToken: "rt-000001", nonces: fixture.nonces())
    let asked = try await provider.keyEndpointRequest(from: key.httpRequest)
    let certificate = UnlockKey.generate().selfSignedCertificate(commonName: "k", notBefore: Fixture.now)
    let answer = try provider.keyResponse(to: asked, certificate: certificate)
    #expect(try device.openKeyResponse(answer, to: key).certificate == certificate)
  }

  @Test("macOS: the requests of captures, verified at their own time")
  func captures() async throws {
    var fixture = try Fixture()
    fixture.provider.configuration.clientRequestID = .notChecked
    let provider = fixture.provider
    // In the form of macOS 14.4: pretty-printed, amr, nested claims, no aud in key requests.
    let header =
      "{\n  \"alg\" : \"ES256\",\n  \"kid\" : \"\(fixture.device.keys.signingKeyID.text)\",\n  \"typ\" : \"%\"\n}"
    func partyVInfo(_ nonce: String) throws -> String {
      Base64URL.encode(
        PartyVInfo(
          encryptionKeyX963Representation: try VectorKeys.point("device-encryption"), nonce: nonce
        ).octets)
    }
    func signed(_ type: String, _ body: String) throws -> String {
      let input = [header.replacing("%", with: type), body].map { Base64URL.encode(Array($0.utf8)) }
        .joined(separator: ".")
      let signature = try VectorKeys.signing("device-signing").signature(for: Array(input.utf8))
      return input + "." + Base64URL.encode(signature)
    }
    // The nonces of captures were made by others; each message has one of its own.
    func common() -> String {
      """
      "iss" : "psso-client",
        "iat" : 1767225600,
        "exp" : 1767225900,
        "request_nonce" : "\(provider.serverNonces.make(at: provider.clock.now, boundTo: ""))",
        "username" : "jane@example.com",
        "sub" : "jane@example.com",
      """
    }
    let login = try signed(
      "platformsso-login-request+jwt",
      """
      {
        \(common())
        "amr" : [
          "pwd"
        ],
        "aud" : "https://idp.example.com/psso/token",
        "claims" : {
          "id_token" : {
            "groups" : {
              "values" : [
                "admins"
              ]
            }
          }
        },
        "client_id" : "psso-client",
        "grant_type" : "password",
        "jwe_crypto" : {
          "alg" : "ECDH-ES",
          "apv" : "\(partyVInfo("5B0F3DF4-6E64-4F4E-9A0C-0F8B1C2D3E4F"))",
          "enc" : "A256GCM"
        },
        "nonce" : "5B0F3DF4-6E64-4F4E-9A0C-0F8B1C2D3E4F",
        "password" : "correct horse",
        "scope" : "openid offline_access urn:apple:platformsso"
      }
      """)
    func key(_ kind: String, _ more: String, nonce: String) throws -> String {
      try signed(
        "platformsso-key-request+jwt",
        """
        {
          \(common())
          "jwe_crypto" : {
            "alg" : "ECDH-ES",
            "apv" : "\(partyVInfo(nonce))",
            "enc" : "A256GCM"
          },
          "key_purpose" : "user_unlock",\(more)
          "nonce" : "\(nonce)",
          "refresh_token" : "rt-000001",
          "request_type" : "\(kind)",
          "version" : "1.0"
        }
        """)
    }
    let other = Base64.encode(try VectorKeys.point("peer-exchange"))
    let messages = [
      ("1.0", login), ("2.0", try key("key_request", "", nonce: "6B0F3DF4-6E64-4F4E-9A0C-0F8B1C2D3E4F")),
      (
        "2.0",
        try key(
          "key_exchange", "\n    \"other_publickey\" : \"\(other)\",", nonce: "7B0F3DF4-6E64-4F4E-9A0C-0F8B1C2D3E4F")
      ),
    ]
    for (version, token) in messages {
      let request = HTTPRequestValue.post(
        FormFields([
          ("platform_sso_version", version), ("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"),
          ("assertion", token),
        ]), to: "https://idp.example.com/psso/token")
      #expect(await fixture.refusal(of: request) == nil)
    }
  }

  @Test("entra: fields, types, audience and field name of its extension; its tickets and its error are read")
  func entra() async throws {
    let fixture = try await fixture(.entra)
    let device = fixture.device
    let login = try device.loginRequest(
      of: Self.user, by: .password("correct horse"), nonces: fixture.nonces(), previousRefreshToken: "old")
    let form = try login.httpRequest.form()
    #expect(try form.requiredValue("request") == login.assertion)
    #expect(form.values("client_info") == ["1"] && form.values("prt_protocol_version") == ["4.0"])
    #expect(form.values("x-client-SKU") == ["MSAL.OSX"] && form.values("tgt") == ["true"])
    #expect(try UnverifiedJWS(parsing: login.assertion).unverifiedHeader.type == "JWT")
    #expect(try claims(login.assertion)["previous_refresh_token"] == "old")
    let versions = LoginConfiguration.entra(
      tenant: "t", clientVersions: ["x-client-OS": "15.6", "x-client-Ver": "1.8"])
    for values in [
      versions.customNonceRequestValues, versions.customLoginRequestValues, versions.customKeyRequestValues,
      versions.customKeyExchangeRequestValues,
    ] {
      #expect(values.fields.suffix(3).map(\.name) == ["x-client-SKU", "x-client-OS", "x-client-Ver"])
    }
    let key = try device.keyRequest(of: Self.user, refreshToken: "rt-000001", nonces: fixture.nonces())
    #expect(key.httpRequest.url == "https://login.microsoftonline.com/contoso.example/getkeydata")
    #expect(try claims(key.assertion)["aud"] == "getkeydata")
    for (body, code) in [
      (#"{"error":"invalid_grant"}"#, ErrorCode.credentialRejected),
      (#"{"error":"invalid_grant","suberror":"device_authentication_failed"}"#, .serverRefused),
      (#"{"error":"server_error"}"#, .serverUnavailable),
    ] {
      #expect(throws: named(code, code == .serverRefused ? "invalid_grant" : nil)) {
        try device.openLoginResponse(
          HTTPResponseValue(status: 400, body: Array(body.utf8)), to: login, idTokenKeys: fixture.idTokenKeys)
      }
    }
    var tokens = try idToken(fixture, for: login, ["oid": "o"])
    tokens["tgt_cloud"] = [
      "messageBuffer": "AAEC", "realm": "KERBEROS.MICROSOFTONLINE.COM", "sn": "krbtgt/KERBEROS.MICROSOFTONLINE.COM",
      "cn": "jane", "keyType": "18", "clientKey": "a2V5",
    ]
    let opened = try device.openLoginResponse(
      response(CraftedResponse(to: login).sealed(tokens)), to: login, idTokenKeys: fixture.idTokenKeys)
    #expect(opened.kerberosTickets.map(\.encryptionKeyType) == [18])
  }

  private func response(_ token: String) -> HTTPResponseValue {
    HTTPResponseValue(status: 200, body: Array(token.utf8))
  }

  /// The members of a login response with an `id_token` of the test's making.
  private func idToken(
    _ fixture: Fixture, for request: DeviceRequest, _ more: JSONObject = [:], nullNames: [String] = []
  ) throws -> JSONObject {
    var body: JSONObject = [
      "iss": .string(fixture.device.configuration.issuer), "aud": .string(fixture.device.configuration.clientID),
      "sub": "s", "iat": 1_767_225_600, "exp": 1_767_225_660, "nonce": .string(request.nonces.clientNonce),
    ]
    for (name, value) in more.members { body[name] = value == .null ? Optional.none : value }
    for name in nullNames { body[name] = .null }
    let token = try JWT.sign(body, with: VectorKeys.signing("idp-token-signing", keyID: "idp-es256-1"))
    return ["id_token": .string(token), "refresh_token": "r", "expires_in": "28800"]
  }

  @Test("keycloak: both key identifiers and its scopes are demanded; numbers as text and members in epk are read")
  func keycloak() async throws {
    let fixture = try await fixture(.keycloak)
    let login = try fixture.device.loginRequest(
      of: Self.user, by: .password("correct horse"), nonces: fixture.nonces())
    #expect(try claims(login.assertion)["scope"] == "openid offline_access urn:apple:platformsso groups")
    for name in ["signKeyId", "encKeyId"] {
      let fresh = try fixture.device.loginRequest(
        of: Self.user, by: .password("correct horse"), nonces: fixture.nonces())
      let without = try fixture.request(like: fresh) { $0[name] = nil }
      #expect(await fixture.refusal(of: without) == named(.claimMissing, name))
      let again = try fixture.device.loginRequest(
        of: Self.user, by: .password("correct horse"), nonces: fixture.nonces())
      let wrong = try fixture.request(like: again) {
        $0[name] = .string(Base64.encode([UInt8](repeating: 1, count: 32)))
      }
      #expect(await fixture.refusal(of: wrong) == named(.claimMismatch, name))
    }
    // Its newest extension asks before each login whether the user logs in by a browser.
    let asked = try fixture.device.preauthenticationRequest(of: Self.user)
    #expect(asked.url == "https://kc.example.com/realms/staff/psso/authurl?user=jane%40example.com")
    let body = """
      {"account_type":"Federated","federation_protocol":"OIDC","authorizationURL":"https://kc.example.com/a?state=s",\
      "authorizationRequest":{"client_id":"psso-oidc","redirect_uri":"com.apple.platformsso://callback",\
      "response_type":"code","scope":"openid","state":"s","nonce":"n"}}
      """
    guard
      let endpoint = try fixture.device.preauthentication(
        from: HTTPResponseValue(status: 200, body: Array(body.utf8)))
    else {
      Issue.record("not federated")
      return
    }
    let authorization = try fixture.device.webAuthorizationRequest(of: Self.user, at: endpoint).httpRequest
    // Its server cuts the field's name off and does not decode the rest.
    #expect(String(decoding: authorization.body, as: UTF8.self).hasPrefix("request=ey"))
    #expect(!authorization.body.contains(0x25))
    let scopeless = try fixture.request(
      like: fixture.device.loginRequest(of: Self.user, by: .password("correct horse"), nonces: fixture.nonces())
    ) { $0["scope"] = "openid offline_access" }
    #expect(await fixture.refusal(of: scopeless) == named(.claimMismatch, "scope"))
    // Its nonce belongs to the client-request-id that it was given to.
    var elsewhere = try fixture.device.loginRequest(
      of: Self.user, by: .password("correct horse"), nonces: fixture.nonces()
    ).httpRequest
    try elsewhere.headers.set("client-request-id", "another")
    #expect(await fixture.refusal(of: elsewhere) == named(.serverNonceInvalid, "request_nonce"))
    var crafted = CraftedResponse(to: login)
    var epk = crafted.header["epk"]?.objectValue ?? [:]
    for (name, value) in [("use", "enc"), ("kid", "k")] { epk[name] = .string(value) }
    epk["iat"] = 1_767_225_600
    crafted.header["epk"] = .object(epk)
    crafted.header["kid"] = "0c8a6f7e-0000-4000-8000-000000000000"
    var tokens = try idToken(fixture, for: login)
    tokens["login_tgt"] = [
      "messageBuffer": "AAEC", "realm": "EXAMPLE.COM", "serviceName": "krbtgt/EXAMPLE.COM", "clientName": "jane",
      "encryptionKeyType": 18, "sessionKey": "a2V5",
    ]
    let opened = try fixture.device.openLoginResponse(
      response(crafted.sealed(tokens)), to: login, idTokenKeys: fixture.idTokenKeys)
    #expect(opened.response.expiresIn == .seconds(28_800) && opened.kerberosTickets.count == 1)
  }

  @Test(
    "authentik: the device token, the device as audience, 96-octet vectors, no nonce in id_token, a signed authorization"
  )
  func authentik() async throws {
    let fixture = try await fixture(.authentik)
    let device = fixture.device
    let asked = device.serverNonceRequest()
    #expect(asked.url == "https://ak.example.com/endpoints/agent/psso/nonce/")
    #expect(try asked.form().values("x-ak-device-token") == ["dt+/="])
    let login = try device.loginRequest(
      of: Self.user, by: .userSecureEnclaveKey(VectorKeys.signing("user-secure-enclave")), nonces: fixture.nonces())
    let inner = try claims(claims(login.assertion)["assertion"]?.stringValue ?? "")
    #expect(inner["aud"] == "mac-1")
    var crafted = CraftedResponse(to: login)
    crafted.header["kid"] = "ephemeralKey"
    crafted.initializationVector = [UInt8](repeating: 3, count: 96)
    var tokens = try idToken(fixture, for: login, ["nonce": .null])
    tokens["session_key"] = "sk"
    let opened = try device.openLoginResponse(
      response(crafted.sealed(tokens)), to: login, idTokenKeys: fixture.idTokenKeys)
    #expect(opened.response.additional["session_key"] == "sk")
    // An early revision answers key requests as logins, until the end of the session, with the same vectors.
    let key = try device.keyRequest(of: Self.user, refreshToken: "rt-000001", nonces: fixture.nonces())
    var early = CraftedResponse(to: key, type: "platformsso-login-response+jwt")
    early.initializationVector = [UInt8](repeating: 4, count: 96)
    let certificate = UnlockKey.generate().selfSignedCertificate(commonName: "jane", notBefore: Fixture.now)
    let answered = try device.openKeyResponse(
      response(
        early.sealed([
          "certificate": .string(Base64URL.encode(certificate)), "iat": 1_767_225_600, "exp": 1_767_312_000,
          "key_context": "5F0C1A52-0000-4000-8000-000000000009",
        ])), to: key)
    #expect(answered.certificate == certificate && answered.keyContext?.hasPrefix("5F0C1A52") == true)
    let url = "https://ak.example.com/authorize/?state=s-1&login_hint=jane"
    let answer = HTTPResponseValue(status: 200, body: Array(#"{"authorization_url":"\#(url)"}"#.utf8))
    guard let endpoint = try device.preauthentication(from: answer) else {
      Issue.record("not federated")
      return
    }
    let authorization = try device.webAuthorizationRequest(of: Self.user, at: endpoint)
    let posted = try claims(authorization.httpRequest.form().requiredValue("request"))
    #expect(posted["redirect_uri"] == "com.apple.PlatformSSO://callback" && posted["state"] == "s-1")
    #expect(!device.canRefresh(nil, method: .password))
  }

  @Test("fleet: its extension's own login, with fewer members and a party info of its own, is accepted")
  func fleet() async throws {
    let fixture = try await fixture(.fleet)
    let nonces = try fixture.nonces()
    let point = try VectorKeys.point("idp-login-encryption")
    func login(
      changing change: (inout JSONObject) -> Void = { _ in }, _ plaintext: (JSONObject) throws -> [UInt8]
    ) throws -> HTTPRequestValue {
      let nonces = try fixture.nonces()
      let base: JSONObject = [
        "iat": 1_767_225_600, "nonce": .string(nonces.clientNonce), "request_nonce": .string(nonces.serverNonce),
        "username": .string(Fixture.user),
      ]
      var inner = base
      inner["sub"] = .string(Fixture.user)
      inner["username"] = nil
      inner["password"] = "correct horse"
      let partyV: [UInt8] =
        [0, 0, 0, 5] + Array("Apple".utf8) + [0, 0, 0, 65] + point + [0, 0, 0, 36] + Array(nonces.clientNonce.utf8)
      let assertion = try JWE.encrypt(
        plaintext(inner), to: EncryptionKey(ecdhESX963Representation: point),
        header: HeaderParameters(type: "platformsso-encrypted-login-assertion+jwt"),
        agreementPartyUInfo: .madeFromEphemeralKey { PartyUInfo.octets(ephemeralKeyX963Representation: $0) },
        agreementPartyVInfo: .octets(partyV))
      var outer = base
      outer["version"] = "1.0"
      outer["grant_type"] = "urn:ietf:params:oauth:grant-type:jwt-bearer"
      outer["assertion"] = .string(assertion)
      outer["jwe_crypto"] = [
        "alg": "ECDH-ES", "enc": "A256GCM",
        "apv": .string(
          Base64URL.encode(
            PartyVInfo(
              encryptionKeyX963Representation: fixture.device.keys.encryptionKeyX963Representation,
              nonce: nonces.clientNonce
            ).octets)),
      ]
      change(&outer)
      let token = try JWS.sign(
        outer.serialized(), with: VectorKeys.signing("device-signing"),
        header: HeaderParameters(type: "JWT", keyID: Base64URL.encode(fixture.device.keys.signingKeyID.octets)))
      return .post(FormFields([("assertion", token)]), to: fixture.device.configuration.tokenEndpointURL)
    }
    #expect(await fixture.refusal(of: try login { $0.serialized() }) == nil)
    let signed = try login { claims in
      Array(try JWS.sign(claims.serialized(), with: VectorKeys.signing("device-signing")).utf8)
    }
    #expect(await fixture.refusal(of: signed) == nil)
    // In the extension's assertion is the password and nothing else; the signed request names client, user and end.
    let own: (inout JSONObject) -> Void = {
      $0["iss"] = "com.example.ssoe"
      $0["sub"] = .string(Fixture.user)
      $0["exp"] = 1_767_225_900
    }
    func bare(_ password: String) -> (JSONObject) -> [UInt8] {
      { _ in (["password": .string(password)] as JSONObject).serialized() }
    }
    #expect(await fixture.refusal(of: try login(changing: own, bare("correct horse"))) == nil)
    #expect(await fixture.refusal(of: try login(changing: own, bare("guess")))?.code == .passwordRejected)
    // The user may stand in one of the two claims alone.
    let subject = try login(
      changing: {
        own(&$0); $0["username"] = nil
      }, bare("correct horse"))
    #expect(await fixture.refusal(of: subject) == nil)
    // What the assertion does say must be so.
    let foreign = try login(changing: own) { _ in
      (["password": "correct horse", "sub": "john@example.com"] as JSONObject).serialized()
    }
    #expect(await fixture.refusal(of: foreign) == named(.claimMismatch, "sub"))
    // Another provider takes none of it.
    var strict = fixture
    strict.provider.configuration.apply(.macOS)
    strict.provider.configuration.requiresFormFields = true
    #expect(await strict.refusal(of: try login { $0.serialized() }) != nil)
    // What macOS itself sends to Fleet.
    let request = try fixture.device.loginRequest(of: Self.user, by: .password("correct horse"), nonces: nonces)
    #expect(try claims(request.assertion)["password"] == nil)
    #expect(await fixture.refusal(of: request.httpRequest) == nil)
    #expect(throws: JOSEError.self) { try fixture.device.refreshRequest(refreshToken: "r", nonces: nonces) }
  }

  /// What Fleet's extension encrypts: the password and nothing else, for the server's key and a nonce of its own.
  private func fleetAssertion(clientNonce: String) throws -> String {
    let point = try VectorKeys.point("idp-login-encryption")
    let fields: [[UInt8]] = [Array("Apple".utf8), point, Array(clientNonce.utf8)]
    let partyVInfo = fields.flatMap { field -> [UInt8] in [0, 0, 0, UInt8(field.count)] + field }
    return try JWE.encrypt(
      (["password": "correct horse"] as JSONObject).serialized(), to: EncryptionKey(ecdhESX963Representation: point),
      header: HeaderParameters(type: "platformsso-encrypted-login-assertion+jwt"),
      agreementPartyUInfo: .madeFromEphemeralKey { PartyUInfo.octets(ephemeralKeyX963Representation: $0) },
      agreementPartyVInfo: .octets(partyVInfo))
  }

  /// A login as Fleet's extension makes it on the Mac whose keys begin with a name.
  private func fleetLogin(
    _ fixture: Fixture, mac: String, assertion: String, nonces: RequestNonces
  ) throws -> HTTPRequestValue {
    let partyVInfo = PartyVInfo(
      encryptionKeyX963Representation: try VectorKeys.point(mac + "-encryption"), nonce: nonces.clientNonce)
    let claims: JSONObject = [
      "iat": .number(JSONNumber(fixture.clock.now.wholeSeconds)), "nonce": .string(nonces.clientNonce),
      "request_nonce": .string(nonces.serverNonce), "username": .string(Fixture.user), "version": "1.0",
      "grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer", "assertion": .string(assertion),
      "jwe_crypto": ["alg": "ECDH-ES", "enc": "A256GCM", "apv": .string(Base64URL.encode(partyVInfo.octets))],
    ]
    let key = try RegisteredKey(x963Representation: VectorKeys.point(mac + "-signing"))
    let token = try JWS.sign(
      claims.serialized(), with: VectorKeys.signing(mac + "-signing"),
      header: HeaderParameters(type: "JWT", keyID: Base64URL.encode(key.keyID.octets)))
    return .post(FormFields([("assertion", token)]), to: fixture.device.configuration.tokenEndpointURL)
  }

  /// Where a second Mac is registered, whose keys begin with "peer".
  private func fleetWithPeer() async throws -> Fixture {
    let fixture = try await fixture(.fleet)
    let peer = try DeviceKeys(
      signingKey: VectorKeys.signing("peer-signing"), encryptionKey: VectorKeys.agreement("peer-encryption"))
    _ = try await fixture.provider.devices.register(DeviceRegistration(deviceID: "mac-2", keys: peer))
    return fixture
  }

  @Test("fleet: an encrypted password is good for the request that it was made for, on no Mac for another one")
  func fleetReplay() async throws {
    let fixture = try await fleetWithPeer()
    func refusal(_ mac: String, _ assertion: String, clientNonce: String? = nil) async throws -> JOSEError? {
      let nonces = RequestNonces(serverNonce: try fixture.nonces().serverNonce, clientNonce: clientNonce)
      return await fixture.refusal(
        of: try fleetLogin(fixture, mac: mac, assertion: assertion, nonces: nonces))
    }
    let nonce = "0F3A5C7E-1B2D-4E6F-8A9B-0C1D2E3F4A5B"
    let captured = try fleetAssertion(clientNonce: nonce)
    #expect(try await refusal("device", captured, clientNonce: nonce) == nil)
    for mac in ["device", "peer"] {
      let error = try #require(try await refusal(mac, captured))
      #expect(error == named(.partyInfoNonceMismatch, "apv"))
      #expect(fixture.provider.errorResponse(for: error).status == 400)
      // Who captured the assertion has its nonce, too.
      let again = try #require(try await refusal(mac, captured, clientNonce: nonce))
      #expect(again == named(.clientNonceReplayed, "nonce"))
      #expect(fixture.provider.errorResponse(for: again).status == 400)
    }
    // Also once the Mac's own nonces of then are forgotten.
    fixture.clock.advance(by: 86_400)
    #expect(try await refusal("device", captured, clientNonce: nonce) == named(.clientNonceReplayed, "nonce"))
    #expect(try await refusal("peer", try fleetAssertion(clientNonce: "n-2"), clientNonce: "n-2") == nil)
    // What macOS encrypts has the server's nonce, which is good once.
    let device = fixture.device
    let login = try device.loginRequest(of: Self.user, by: .password("correct horse"), nonces: fixture.nonces())
    #expect(await fixture.refusal(of: login.httpRequest) == nil)
    let sent = try #require(try claims(login.assertion)["assertion"]?.stringValue)
    for mac in ["device", "peer"] {
      #expect(try await refusal(mac, sent) == named(.partyInfoNonceMismatch, "apv"))
    }
    // Nor can a nonce of the server's that was overheard become another Mac's own.
    let nonces = RequestNonces(serverNonce: try fixture.nonces().serverNonce)
    let overheard = try fleetAssertion(clientNonce: nonces.serverNonce)
    let first = try fleetLogin(fixture, mac: "device", assertion: overheard, nonces: nonces)
    #expect(await fixture.refusal(of: first) == nil)
    for mac in ["peer", "device"] {
      #expect(
        try await refusal(mac, overheard, clientNonce: nonces.serverNonce) == named(.clientNonceReplayed, "nonce"))
    }
  }

  @Test("fleet: what says that a password was used lasts, and each Mac has a quota")
  func fleetRecords() async throws {
    let fixture = try await fleetWithPeer()
    func refusal(_ mac: String) async throws -> JOSEError? {
      let nonces = try fixture.nonces()
      let assertion = try fleetAssertion(clientNonce: nonces.clientNonce)
      return await fixture.refusal(of: try fleetLogin(fixture, mac: mac, assertion: assertion, nonces: nonces))
    }
    #expect(try await refusal("device") == nil)
    let maker = Base64URL.encode(fixture.device.keys.signingKeyID.octets)
    let kept = try await fixture.store.records(
      StoredRecord.Kind(library: "used-assertion"), where: StoredRecord.Index("maker", Array(maker.utf8)), limit: 2)
    #expect(kept.count == 1)
    let expiry = try #require(kept.first?.expiresAt)
    #expect(expiry > Fixture.now.advanced(by: 300_000_000))
    let used = UsedOnce(fixture.store, kind: "used-assertion")
    for number in 1..<used.quota {
      _ = try await used.note(UsedOnce.Name(["\(number)"], maker: maker, expiry: expiry), now: Fixture.now)
    }
    let error = try #require(try await refusal("device"))
    #expect(error == named(.replayQuotaReached, "assertion"))
    #expect(fixture.provider.errorResponse(for: error).status == 503)
    #expect(try await refusal("peer") == nil)
  }

  @Test("macOS13: requests of the type JWT in the field request, which may lack iss, exp and sub, are taken")
  func firstRelease() async throws {
    var fixture = try await fixture(.macOS13)
    func login(_ fixture: Fixture) throws -> DeviceRequest {
      try fixture.device.loginRequest(of: Self.user, by: .password("correct horse"), nonces: fixture.nonces())
    }
    let request = try login(fixture)
    #expect(try request.httpRequest.form().requiredValue("request") == request.assertion)
    #expect(try UnverifiedJWS(parsing: request.assertion).unverifiedHeader.type == "JWT")
    fixture.device.configuration = Fixture.configuration
    func short(_ fixture: Fixture) throws -> HTTPRequestValue {
      try fixture.request(like: login(fixture), type: "JWT") {
        for name in ["iss", "exp", "sub"] { $0[name] = nil }
      }
    }
    #expect(await fixture.refusal(of: try short(fixture)) == nil)
    let scopeless = try fixture.request(like: login(fixture)) { $0["scope"] = nil }
    #expect(await fixture.refusal(of: scopeless) == named(.claimMissing, "scope"))
    fixture.provider.configuration = Fixture.providerConfiguration
    #expect(await fixture.refusal(of: try short(fixture)) != nil)
  }

  @Test("twocanoes: short coordinates and a login's type on key answers are read")
  func twocanoes() async throws {
    let fixture = try await fixture(.twocanoes)
    let request = try fixture.device.keyRequest(
      of: Self.user, refreshToken: "refresh", otherPublicKey: VectorKeys.point("peer-exchange"), keyContext: "c",
      nonces: fixture.nonces())
    let body: JSONObject = [
      "key": .string(Base64.encode([UInt8](repeating: 1, count: 31))), "iat": 1_767_225_600, "exp": 1_767_225_900,
    ]
    // Its first coordinate begins with a zero, which is dropped in epk and in apu.
    let ephemeralKey = try VectorKeys.privateKey("psso-vector/edge-epk-372")
    let point = ephemeralKey.publicKey.x963Representation
    #expect(point[1] == 0)
    let token = try Fixture.response(
      body, ephemeralKey: ephemeralKey, x: Array(point[2..<33]), y: Array(point[33...]), request: request)
    let opened = try fixture.device.openKeyExchangeResponse(response(token), to: request)
    #expect(opened.key.count == 32)
    // Its key set lacks the zero too.
    func jwks(_ x: ArraySlice<UInt8>) -> [UInt8] {
      let key: JSONObject = [
        "kty": "EC", "crv": "P-256", "kid": "k", "x": .string(Base64URL.encode(x)),
        "y": .string(Base64URL.encode(point[33...])),
      ]
      return (["keys": [.object(key)]] as JSONObject).serialized()
    }
    let configuration = fixture.device.configuration
    let short = try configuration.idTokenKeys(parsing: jwks(point[2..<33]))
    #expect(short.keys.map(\.x963Representation) == [point])
    #expect(try configuration.idTokenKeys(parsing: jwks(point[1..<33])) == short)
    #expect(try Fixture.configuration.idTokenKeys(parsing: jwks(point[2..<33])).unsupportedKeys.count == 1)
    #expect(throws: named(.malformed, "keys")) { try configuration.idTokenKeys(parsing: Array("{}".utf8)) }
    // A list that a server in Go does not have is null.
    let login = try fixture.device.loginRequest(
      of: Self.user, by: .password("correct horse"), nonces: fixture.nonces())
    let tokens = try idToken(fixture, for: login, ["groups": .array([])])
    let groupless = try idToken(fixture, for: login, nullNames: ["groups"])
    for (members, groups) in [(tokens, [String]?.some([])), (groupless, nil)] {
      let answer = response(try CraftedResponse(to: login).sealed(members))
      let opened = try fixture.device.openLoginResponse(answer, to: login, idTokenKeys: fixture.idTokenKeys)
      #expect(opened.groups == groups)
    }
    let typed = try CraftedResponse(to: request, type: "platformsso-login-response+jwt").sealed(body)
    #expect(try fixture.device.openKeyExchangeResponse(response(typed), to: request).keyContext == nil)
  }
}
