import JOSE
import PlatformSSOKit
import PureCrypto
import PureJOSETestSupport
import Testing

@Suite("Login response")
struct LoginResponseTests {
  /// The request that vector S4 answers: same device, same nonce.
  private func request(_ fixture: Fixture) throws -> DeviceRequest {
    try fixture.device.refreshRequest(
      refreshToken: "rt",
      nonces: RequestNonces(serverNonce: "n", clientNonce: "0F3A5C7E-1B2D-4E6F-8A9B-0C1D2E3F4A5B"))
  }

  private func open(
    _ token: String, status: Int = 200, changing change: (inout Fixture) throws -> Void = { _ in }
  ) throws -> JOSEError? {
    var fixture = try Fixture()
    let request = try request(fixture)
    try change(&fixture)
    do throws(JOSEError) {
      _ = try fixture.device.openLoginResponse(
        HTTPResponseValue(status: status, body: Array(token.utf8)), to: request, idTokenKeys: fixture.idTokenKeys)
      return nil
    } catch {
      return error
    }
  }

  @Test("Vector S4, whose header has no apv, opens with the request's own")
  func vectorS4() throws {
    let fixture = try Fixture()
    let request = try request(fixture)
    #expect(Base64URL.encode(request.agreementPartyVInfo.octets) == KeyAgreementTests.vInfoOfS1)
    let login = try fixture.device.openLoginResponse(
      HTTPResponseValue(status: 200, body: Array(MessageVectors.s4.utf8)), to: request, idTokenKeys: fixture.idTokenKeys
    )
    #expect(login.response.idToken == MessageVectors.s4i)
    #expect(login.response.refreshToken == "rt-000001")
    #expect(login.response.refreshTokenExpiresIn == .seconds(28_800))
    #expect(login.response.expiresIn == .seconds(28_800))
    #expect(login.response.tokenType == "Bearer")
    #expect(login.uniqueIdentifier == "5b1f8c3e-jane")
    #expect(login.groups == ["staff"])
    #expect(login.idToken.claims["preferred_username"] == "jane@example.com")
  }

  @Test("The ephemeral keys of the leading-zero vectors open", arguments: 0..<3)
  func leadingZeros(_ index: Int) throws {
    let fixture = try Fixture()
    let request = try request(fixture)
    let vector = KeyAgreementTests.leadingZeros[index]
    let body: JSONObject = [
      "id_token": .string(MessageVectors.s4i), "refresh_token": "r", "refresh_token_expires_in": 1,
    ]
    let token = try sealed(body, ephemeralKey: VectorKeys.privateKey(vector.label), request: request)
    let response = HTTPResponseValue(status: 200, body: Array(token.utf8))
    let login = try fixture.device.openLoginResponse(response, to: request, idTokenKeys: fixture.idTokenKeys)
    #expect(login.header["apu"] == .string(vector.derivation.agreementPartyUInfo))
  }

  /// A response by this ephemeral key.
  private func sealed(
    _ body: JSONObject, ephemeralKey: P256PrivateKey = P256PrivateKey(), request: DeviceRequest
  ) throws -> String {
    try Fixture.response(
      body, ephemeralKey: ephemeralKey, x: ephemeralKey.publicKey.x, y: ephemeralKey.publicKey.y, request: request)
  }

  @Test("A flipped bit in any segment is refused, and so are apu and epk.x on their own")
  func flippedBits() throws {
    #expect(try open(MessageVectors.s4) == nil)
    let segments = MessageVectors.s4.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    func flipped(_ segment: Int) throws -> String {
      var octets = try Base64URL.decode(segments[segment])
      octets[octets.count / 2] ^= 1
      return joined(segment, Base64URL.encode(octets))
    }
    func joined(_ segment: Int, _ text: String) -> String {
      var changed = segments
      changed[segment] = text
      return changed.joined(separator: ".")
    }
    for segment in 2...4 { #expect(try open(flipped(segment)) == JOSEError(.decryptionFailed, "")) }
    var header = try JSONObject(parsing: Base64URL.decode(segments[0]))
    // White space alone changes what the tag covers.
    let spaced = header.serialized(options: .pretty)
    #expect(try open(joined(0, Base64URL.encode(spaced))) == JOSEError(.decryptionFailed, ""))
    func withHeader(_ change: (inout JSONObject) -> Void) throws -> JOSEError? {
      var changed = header
      change(&changed)
      return try open(joined(0, Base64URL.encode(changed.serialized())))
    }
    #expect(try withHeader { _ in } == nil)
    let partyU = try Base64URL.decode(header["apu"]?.stringValue ?? "")
    func withPartyU(_ octets: [UInt8]) throws -> ErrorCode? {
      try withHeader { $0["apu"] = .string(Base64URL.encode(octets)) }?.code
    }
    var bit = partyU
    bit[77] ^= 1
    #expect(try withPartyU(bit) == .partyInfoKeyMismatch)
    var mixedCase = partyU
    mixedCase.replaceSubrange(4..<9, with: Array("Apple".utf8))
    #expect(try withPartyU(mixedCase) == .partyInfoPrefixInvalid)
    #expect(try withPartyU(Array(partyU.dropFirst(4))) == .partyInfoMalformed)
    #expect(try withPartyU([0, 0, 0, 78] + partyU) == .partyInfoMalformed)
    #expect(try withPartyU(Base64URL.decode(KeyAgreementTests.vInfoOfS1)) == .partyInfoMalformed)
    #expect(try withHeader { $0["apu"] = nil }?.code == .headerInvalid)
    #expect(try withHeader { $0["apv"] = .string(Base64URL.encode(partyU)) }?.code == .partyInfoMismatch)
    #expect(try withHeader { $0["apv"] = .string(KeyAgreementTests.vInfoOfS1) }?.code == .decryptionFailed)
    #expect(try withHeader { $0["enc"] = "A128GCM" }?.code == .encryptionUnsupported)
    #expect(try withHeader { $0["alg"] = "dir" }?.code == .encryptionUnsupported)
    #expect(try withHeader { $0["alg"] = "none" }?.code == .encryptionUnsupported)
    #expect(try withHeader { $0["alg"] = "HPKE-P256-SHA256-A256GCM" }?.code == .hpkeUnsupported)
    #expect(try withHeader { $0["zip"] = "DEF" }?.code == .encryptionUnsupported)
    #expect(
      try withHeader {
        $0["crit"] = ["exp"]; $0["exp"] = 1
      }?.code == .criticalHeaderUnsupported)
    #expect(try withHeader { $0["typ"] = "platformsso-key-response+jwt" }?.code == .typeMismatch)
    #expect(try withHeader { $0["epk"] = nil }?.code == .headerInvalid)
    guard case .object(let ephemeralKey)? = header["epk"] else { return }
    for (name, value) in [
      ("crv", "P-384"), ("kty", "OKP"), ("x", "AAAA"), ("d", "AQ"),
      ("x", Base64URL.encode([UInt8](repeating: 1, count: 32))),
    ] {
      var changed = ephemeralKey
      changed[name] = .string(value)
      #expect(try withHeader { $0["epk"] = .object(changed) }?.code == .keyInvalid)
    }
    header["kid"] = "x"
    #expect(try open(joined(1, "AA")) == JOSEError(.malformed, ""))
    #expect(try open(joined(2, Base64URL.encode([UInt8](repeating: 0, count: 11)))) == JOSEError(.malformed, ""))
    #expect(try open(joined(4, Base64URL.encode([UInt8](repeating: 0, count: 15)))) == JOSEError(.malformed, ""))
    #expect(try open(segments[0...3].joined(separator: ".")) == JOSEError(.malformed, ""))
  }

  @Test("Statuses and bodies map to what the device does next")
  func statuses() throws {
    #expect(try open("", status: 401) == JOSEError(.credentialRejected, ""))
    for status in [201, 302, 400, 403, 500] {
      #expect(try open("", status: status) == JOSEError(.serverUnavailable, ""))
    }
    #expect(try open("") == JOSEError(.malformed, ""))
    let body = #"{"error":"invalid_grant","suberror":"invalid_password"}"#
    func configure(_ fixture: inout Fixture) {
      fixture.device.configuration.isInvalidCredential = { $0["error"] == "invalid_grant" }
    }
    #expect(try open(body, status: 400, changing: configure) == JOSEError(.credentialRejected, ""))
    #expect(try open("{}", status: 401, changing: configure) == JOSEError(.serverUnavailable, ""))
    let refused = JOSEError(.serverRefused, "", name: "invalid_grant")
    #expect(try open(body, status: 403, changing: configure) == refused)
  }

  @Test("A refusal says the status and the server's own words, escaped and cut off, and nothing of the request")
  func refusals() throws {
    let refused = JOSEError(.serverRefused, "", name: "invalid_request")
    let body = #"{"error":"invalid_request","error_description":"aud is\u001b[1m \u00e9 wrong"}"#
    let error = try #require(try open(body, status: 400))
    #expect(error == refused)
    #expect("\(error)".contains("status 400") && "\(error)".contains("200"))
    #expect("\(error)".contains(#"aud is\u{1B}[1m \u{00E9} wrong"#), "\(error)")
    // A code that is none of OAuth's is said, and is no name to decide by.
    let own = try #require(try open(#"{"error":"device_unknown"}"#, status: 403))
    #expect(own == JOSEError(.serverRefused, "") && "\(own)".contains("device_unknown"))
    let long = #"{"error":"invalid_request","error_description":"\#(String(repeating: "x", count: 9000))"}"#
    #expect("\(try #require(try open(long, status: 400)))".utf8.count < 600)
    // What the provider says when the credential is refused is carried too.
    let credential = try #require(
      try open(#"{"error":"invalid_grant","error_description":"expired yesterday"}"#, status: 401))
    #expect(credential == JOSEError(.credentialRejected, "") && "\(credential)".contains("expired yesterday"))
    // Servers are known to echo what they were sent.
    let secrets = #"{"error":"invalid_grant","error_description":"no token rt here"}"#
    #expect(!"\(try #require(try open(secrets, status: 400)))".contains("no token"))
    // A fault of the server's is no refusal, and a page is a proxy's.
    for (status, body) in [
      (500, #"{"error":"server_error"}"#), (503, #"{"error":"temporarily_unavailable"}"#),
      (429, #"{"error":"slow_down"}"#), (400, "<html>busy</html>"), (400, #"{"error":"Bad Request"}"#),
    ] {
      let error = try #require(try open(body, status: status))
      #expect(error.code == .serverUnavailable && "\(error)".contains("status \(status)"), "\(error)")
      #expect(!"\(error)".contains("busy"))
    }
    let page = try #require(try open("<html>sign in</html>"))
    #expect(page.code == .malformed && "\(page)".contains("HTML"), "\(page)")
  }

  /// What is thrown for a refusal whose text is given.
  private func refusal(
    _ text: String, code: String = "invalid_grant", status: Int = 400, by device: PlatformSSODevice,
    to request: DeviceRequest
  ) throws -> JOSEError {
    let body: JSONObject = ["error": .string(code), "error_description": .string(text)]
    do throws(JOSEError) {
      _ = try device.openLoginResponse(
        HTTPResponseValue(status: status, body: body.serialized()), to: request, idTokenKeys: JWKSet([]))
    } catch {
      return error
    }
    throw JOSEError(.malformed, "the refusal was taken")
  }

  @Test("No error repeats a credential that the server sends back, whether the request shows it or not")
  func echoes() throws {
    let fixture = try Fixture()
    var device = fixture.device
    device.configuration.loginRequestEncryptionPublicKey = try VectorKeys.point("idp-login-encryption")
    device.configuration.additionalHTTPHeaders = try AdditionalHTTPHeaders(["X-API-Key": "header-key-1"])
    device.configuration.customLoginRequestValues = ["client_info": "1", "api_key": "form-key-1"]
    device.configuration.customLoginRequestClaims = CustomClaims(
      header: ["x-key": "protected-key-1"], body: ["extra": ["keys": ["device-claim-1"]], "tgt": "true"])
    device.configuration.customAssertionRequestClaims = CustomClaims(body: ["inner": "assertion-claim-1"])
    var user = LoginRequestTests.user
    user.customLoginRequestClaims = CustomClaims(body: ["own": "user-claim-1"])
    user.customAssertionRequestClaims = CustomClaims(body: ["own": "user-assertion-1"])
    let callback = try AuthorizationCallback(
      url: "com.apple.platformsso://callback?code=callback-code&state=s", expectedState: "s")
    let nonces = try fixture.nonces()
    let password = "hunter2-long"
    let made = try device.encryptedEmbeddedAssertion(of: user, password: password, nonces: nonces)
    device.configuration.includePreviousRefreshTokenInLoginRequest = true
    func login(_ method: LoginMethod) throws -> DeviceRequest {
      try device.loginRequest(of: user, by: method, nonces: nonces, previousRefreshToken: "refresh-1")
    }
    let configured = [
      "header-key-1", "form-key-1", "protected-key-1", "device-claim-1", "user-claim-1", "assertion-claim-1",
    ]
    for (method, secrets) in [
      (LoginMethod.password(password), [password, "user-assertion-1", "refresh-1"]),
      (.embeddedAssertion(made), [password, "user-assertion-1"]),
      (.webAuthorization(callback), [callback.url, callback.code, "refresh-1"]),
    ] {
      let request = try login(method)
      for secret in secrets + configured {
        let error = try refusal("value \(secret) is wrong", by: device, to: request)
        #expect(error == JOSEError(.serverRefused, "", name: "invalid_grant"))
        #expect(!"\(error)".contains(secret) && !"\(error)".contains("is wrong"), "\(error)")
        #expect(!"\(request)".contains(secret))
      }
      // What is as short as "1" and "true" is no credential.
      let said = try refusal("AADSTS1001: true or false?", by: device, to: request)
      #expect("\(said)".contains("AADSTS1001: true or false?"), "\(said)")
    }
    device.configuration.loginRequestEncryptionPublicKey = nil
    let plain = try refusal("password \(password) is wrong", by: device, to: login(.password(password)))
    #expect(!"\(plain)".contains("is wrong"))
  }

  @Test("A request that was read back does not show an encrypted password, so no text of the server's is repeated")
  func echoesToRestoredRequests() throws {
    let fixture = try Fixture()
    var device = fixture.device
    func restored() throws -> DeviceRequest {
      try device.sentRequest(
        device.loginRequest(of: LoginRequestTests.user, by: .password("hunter2-long"), nonces: fixture.nonces())
          .httpRequest)
    }
    #expect(!"\(try refusal("hunter2-long is wrong", by: device, to: restored()))".contains("is wrong"))
    #expect("\(try refusal("aud is wrong", by: device, to: restored()))".contains("aud is wrong"))
    device.configuration.loginRequestEncryptionPublicKey = try VectorKeys.point("idp-login-encryption")
    for text in ["hunter2-long is wrong", "aud is wrong"] {
      let error = try refusal(text, by: device, to: restored())
      #expect(error == JOSEError(.serverRefused, "", name: "invalid_grant") && !"\(error)".contains("is wrong"))
    }
  }

  @Test("A code in which a credential occurs is the code of the error all the same")
  func echoedCodes() throws {
    let fixture = try Fixture()
    let user = LoginRequestTests.user
    let request = try fixture.device.loginRequest(of: user, by: .password("grant"), nonces: fixture.nonces())
    let error = try refusal("no grant", by: fixture.device, to: request)
    #expect(error == JOSEError(.serverRefused, "", name: "invalid_grant"))
    #expect(!"\(error)".contains("no grant"))
    let own = try refusal("", code: "no_grant_here", by: fixture.device, to: request)
    #expect(own == JOSEError(.serverRefused, "") && !"\(own)".contains("no_grant_here"))
  }

  @Test("A response's members are required and typed; numbers may be strings of digits")
  func members() throws {
    let fixture = try Fixture()
    let request = try request(fixture)
    func error(_ change: (inout JSONObject) -> Void) throws -> JOSEError? {
      var body: JSONObject = [
        "id_token": .string(MessageVectors.s4i), "refresh_token": "r", "refresh_token_expires_in": 28_800,
      ]
      change(&body)
      return try open(sealed(body, request: request))
    }
    #expect(try error { _ in } == nil)
    #expect(try error { $0["refresh_token_expires_in"] = "28800" } == nil)
    #expect(try error { $0["session_key"] = "x" } == nil)
    #expect(
      try error {
        $0["refresh_token_expires_in"] = nil; $0["expires_in"] = 1
      } == nil)
    #expect(try error { $0["id_token"] = nil } == JOSEError(.claimMissing, "", name: "id_token"))
    #expect(try error { $0["refresh_token"] = nil } == JOSEError(.claimMissing, "", name: "refresh_token"))
    #expect(try error { $0["refresh_token"] = 1 } == JOSEError(.claimInvalid, "", name: "refresh_token"))
    let lifetime = "refresh_token_expires_in"
    #expect(try error { $0[lifetime] = nil } == JOSEError(.claimMissing, "", name: lifetime))
    for value: JSONValue in ["", "+1", "-1", " 1", "1e9", "1.0", "١٢", "1234567890123456", -1, 1.5, true, nil, []] {
      #expect(try error { $0[lifetime] = value } == JOSEError(.claimInvalid, "", name: lifetime))
    }
    // What answers a key request has no tokens in it.
    #expect(try open(sealed(["certificate": "AA", "iat": 1, "exp": 2], request: request))?.code == .claimMissing)
  }

  @Test("The id_token's rules")
  func idToken() throws {
    let fixture = try Fixture()
    let request = try request(fixture)
    let key = fixture.provider.idTokenKey
    func open(idToken: String) throws -> JOSEError? {
      try self.open(
        sealed(
          ["id_token": .string(idToken), "refresh_token": "r", "refresh_token_expires_in": 1], request: request))
    }
    func error(
      key signingKey: SigningKey? = nil, _ change: (inout JSONObject) -> Void
    ) throws -> JOSEError? {
      var claims: JSONObject = [
        "iss": "https://idp.example.com", "aud": "psso-client", "sub": "s", "iat": 1_767_225_600, "exp": 1_767_225_601,
        "nonce": "0F3A5C7E-1B2D-4E6F-8A9B-0C1D2E3F4A5B",
      ]
      change(&claims)
      let payload = claims
      return try open(idToken: JWT.sign(payload, with: signingKey ?? key))
    }
    func claim(_ code: ErrorCode, _ name: String) -> JOSEError {
      JOSEError(code, "", name: name)
    }
    #expect(try error { _ in } == nil)
    #expect(try error { $0["nonce"] = "x" } == claim(.claimMismatch, "nonce"))
    #expect(try error { $0["nonce"] = nil } == claim(.claimMissing, "nonce"))
    #expect(try error { $0["iss"] = "https://idp.example.com/" } == claim(.claimMismatch, "iss"))
    #expect(try error { $0["aud"] = "other" } == claim(.claimMismatch, "aud"))
    #expect(try error { $0["aud"] = nil } == claim(.claimMissing, "aud"))
    #expect(try error { $0["aud"] = [] } == claim(.claimInvalid, "aud"))
    #expect(
      try error {
        $0["aud"] = ["other"]; $0["azp"] = "psso-client"
      } == claim(.claimMismatch, "aud"))
    #expect(try error { $0["aud"] = ["psso-client"] } == nil)
    #expect(try error { $0["aud"] = ["other", "psso-client"] } == nil)
    #expect(
      try error {
        $0["aud"] = ["psso-client"]; $0["azp"] = "other"
      } == claim(.claimMismatch, "azp"))
    #expect(
      try error {
        $0["aud"] = ["psso-client"]; $0["azp"] = "psso-client"
      } == nil)
    #expect(
      try error {
        $0["aud"] = ["other", "psso-client"]; $0["azp"] = "psso-client"
      } == nil)
    #expect(try error { $0["azp"] = "other" } == claim(.claimMismatch, "azp"))
    #expect(try error { $0["iat"] = 1_767_225_660 } == nil)
    #expect(try error { $0["iat"] = 1_767_225_661 } == claim(.claimNotYetValid, "iat"))
    #expect(try error { $0["nbf"] = 1_767_225_661 } == claim(.claimNotYetValid, "nbf"))
    #expect(try error { $0["exp"] = 1_767_225_600 } == claim(.claimExpired, "exp"))
    #expect(try error { $0["iat"] = nil } == claim(.claimMissing, "iat"))
    #expect(try error { $0["sub"] = nil } == claim(.claimMissing, "sub"))
    #expect(try error { $0["sub"] = "é" } == nil)
    #expect(try error { $0["events"] = [:] } == claim(.claimMismatch, "events"))
    #expect(try error { $0["groups"] = "staff" } == claim(.claimInvalid, "groups"))
    // Times as strings of digits are Platform SSO's alone; generic JWTs refuse them.
    #expect(
      try error {
        $0["iat"] = "1767225600"; $0["exp"] = "1767225601"
      } == nil)
    for value: JSONValue in ["+1", " 1", "1e9", "١٢", .string(String(repeating: "1", count: 400)), true] {
      #expect(try error { $0["iat"] = value } == claim(.claimInvalid, "iat"))
    }
    #expect(try error { $0["iat"] = .null } == claim(.claimMissing, "iat"))
    let stranger = try SigningKey.generate(.es256)
    let namesake = try SigningKey.generate(.es256, keyID: "idp-es256-1")
    #expect(try error(key: namesake) { _ in }?.code == .signatureInvalid)
    #expect(try error(key: SigningKey.generate(.es256, keyID: "unknown")) { _ in }?.code == .keyNotFound)
    #expect(try error(key: stranger) { _ in }?.code == .signatureInvalid)
    #expect(try error(key: SigningKey.generate(.hs256)) { _ in }?.code == .algorithmNotAllowed)
    func token(_ header: String) -> String { Base64URL.encode(Array(header.utf8)) + ".e30.AAAA" }
    #expect(try open(idToken: token(#"{"alg":"RS256"}"#))?.code == .keyNotFound)
    #expect(try open(idToken: token(#"{"alg":"none"}"#))?.code == .algorithmNotAllowed)
    #expect(try open(idToken: "x")?.code == .malformed)
  }
}
