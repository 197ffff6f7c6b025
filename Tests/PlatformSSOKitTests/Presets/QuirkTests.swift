import JOSE
import PlatformSSOKit
import PureCrypto
import PureJOSETestSupport
import Testing

/// What Apple's pages, Macs and servers are known to do otherwise than expected: each is accepted or refused by a rule
/// with a name.
@Suite("Quirks of pages, Macs and servers")
struct QuirkTests {
  static let user = LoginRequestTests.user

  private func named(_ code: ErrorCode, _ name: String? = nil) -> JOSEError {
    JOSEError(code, "", name: name)
  }

  private func parts(_ token: String) throws -> (header: JSONObject, claims: JSONObject) {
    let token = try UnverifiedJWS(parsing: token)
    return (token.unverifiedHeader.parameters, try JSONObject(parsing: token.unverifiedPayload))
  }

  private func response(
    _ fixture: Fixture, _ body: JSONObject = Fixture.tokens, _ change: (inout CraftedResponse) -> Void = { _ in }
  ) throws -> JOSEError? {
    let request = try fixture.vectorRequest()
    var crafted = CraftedResponse(to: request)
    change(&crafted)
    return fixture.refusal(of: try crafted.sealed(body), to: request)
  }

  private func encrypting() throws -> Fixture {
    var fixture = try Fixture()
    fixture.device.configuration.loginRequestEncryptionPublicKey = try VectorKeys.point("idp-login-encryption")
    fixture.provider.configuration.loginRequestDecryptionKeys = [try VectorKeys.agreement("idp-login-encryption")]
    return fixture
  }

  // MARK: Slips in Apple's pages

  @Test("1: the apu that a page prints beside another epk is refused, since it names another key")
  func printedPartyUInfo() throws {
    let printed =
      "AAAABUFQUExFAAAAQQSf34Uch3TYF27T8SpbtNWCjpKUSjHGDwoiUz8Yoh1nrQidjfO6iMRZIqrsNERt8JnlI2aUwAlZktJ8DZFGWKaB"
    #expect(
      try response(Fixture()) { $0.header["apu"] = .string(printed) } == named(.partyInfoKeyMismatch, "apu"))
  }

  @Test("2: the length before PartyVInfo is 118, four octets, where a page prints nine digits")
  func partyVInfoLength() throws {
    let request = try Fixture().vectorRequest()
    let info = KeyAgreement.otherInfo(
      algorithmID: "A256GCM", partyUInfo: [], partyVInfo: request.agreementPartyVInfo.octets, keyBitCount: 256)
    #expect(Array(info[11..<20]) == [0, 0, 0, 0, 0, 0, 0, 0x76, 0])
  }

  @Test("3: a ciphertext without its beginning does not open")
  func truncatedCiphertext() throws {
    let fixture = try Fixture()
    let segments = MessageVectors.s4.split(separator: ".", omittingEmptySubsequences: false)
    let token = "\(segments[0]).\(segments[1]).\(segments[2]).\(segments[3].dropFirst(28)).\(segments[4])"
    #expect(fixture.refusal(of: token, to: try fixture.vectorRequest()) == named(.decryptionFailed))
  }

  @Test("4: the apv of an encrypted password is its own, and jwe_crypto.apv in its place is refused")
  func embeddedPartyVInfo() async throws {
    let fixture = try encrypting()
    let nonces = try fixture.nonces()
    let request = try fixture.device.loginRequest(of: Self.user, by: .password("correct horse"), nonces: nonces)
    let inner = try UnverifiedJWE(parsing: parts(request.assertion).claims["assertion"]?.stringValue ?? "")
    let point = try VectorKeys.point("idp-login-encryption")
    #expect(
      inner.unverifiedHeader["apv"]
        == .string(
          Base64URL.encode(
            EmbeddedAssertionPartyVInfo.octets(
              prefix: nil, recipientX963Representation: point, serverNonce: nonces.serverNonce))))
    let wrong = try JWE.encrypt(
      [0x7B, 0x7D], to: EncryptionKey(ecdhESX963Representation: point),
      header: HeaderParameters(type: "platformsso-encrypted-login-assertion+jwt"),
      agreementPartyUInfo: .madeFromEphemeralKey { PartyUInfo.octets(ephemeralKeyX963Representation: $0) },
      agreementPartyVInfo: .octets(request.agreementPartyVInfo.octets))
    #expect(
      await fixture.refusal(of: try fixture.request(like: request) { $0["assertion"] = .string(wrong) })
        == named(.partyInfoKeyMismatch, "apv"))
  }

  @Test("5: kid of a JWE is information only; ours names the recipient's key")
  func keyIDOfEncryption() async throws {
    let fixture = try encrypting()
    for kid in ["ephemeralKey", "/TYD1ZmShqPwzL5wq5CwfphZq5FhuEUnWVTV4rLn9xA=", ""] {
      #expect(try response(fixture) { $0.header["kid"] = .string(kid) } == nil)
    }
    let request = try fixture.device.loginRequest(
      of: Self.user, by: .password("correct horse"), nonces: fixture.nonces())
    let inner = try UnverifiedJWE(parsing: parts(request.assertion).claims["assertion"]?.stringValue ?? "")
    let recipient = try KeyIdentifier(ofX963Representation: VectorKeys.point("idp-login-encryption"))
    #expect(inner.unverifiedHeader.keyID == recipient.text)
  }

  @Test("6: a login request with the assertion's typ, as a sample shows, is refused; JWT is an option")
  func typeOfLoginRequest() async throws {
    var fixture = try Fixture()
    func refusal(_ type: MessageType) async throws -> JOSEError? {
      fixture.device.configuration.customLoginRequestClaims.type = type.name
      return await fixture.refusal(
        of: try fixture.device.loginRequest(
          of: Self.user, by: .password("correct horse"), nonces: fixture.nonces()
        ).httpRequest)
    }
    #expect(try await refusal(.loginAssertion) == named(.typeMismatch, "typ"))
    #expect(try await refusal(.jwt) == named(.typeMismatch, "typ"))
    fixture.provider.configuration.acceptsJWTType = true
    #expect(try await refusal(.jwt) == nil)
    #expect(try await refusal(.loginAssertion) == named(.typeMismatch, "typ"))
  }

  @Test("7: platform_sso_version of a token request is 1.0 or 1, and nothing else")
  func formVersion() async throws {
    let fixture = try Fixture()
    for (version, error) in [
      ("1.0", nil), ("1", nil), ("1.00", named(.fieldInvalid, "platform_sso_version")),
      ("2.0", named(.fieldInvalid, "platform_sso_version")), ("", named(.fieldInvalid, "platform_sso_version")),
    ] {
      let request = try fixture.request(like: fixture.refreshRequest()) { name, value in
        name == "platform_sso_version" ? version : value
      }
      #expect(await fixture.refusal(of: request) == error)
    }
  }

  @Test("8: a key request without aud is accepted unless the provider demands it; jwe_crypto it must have")
  func keyRequestClaims() async throws {
    var fixture = try Fixture()
    func refusal(without name: String) async throws -> JOSEError? {
      let request = try fixture.device.keyRequest(of: Self.user, refreshToken: "rt-000001", nonces: fixture.nonces())
      return await fixture.refusal(of: try fixture.request(like: request) { $0[name] = nil })
    }
    #expect(try await refusal(without: "aud") == nil)
    #expect(try await refusal(without: "jwe_crypto") == named(.claimMissing, "jwe_crypto"))
    fixture.provider.configuration.requiresAudienceInKeyRequests = true
    #expect(try await refusal(without: "aud") == named(.claimMissing, "aud"))
    #expect(try await refusal(without: "x") == nil)
  }

  @Test("9: platform_sso_version2.0 without an equals sign, as a sample prints it, is no form")
  func missingEqualsSign() async throws {
    let fixture = try Fixture()
    var request = try fixture.device.keyRequest(
      of: Self.user, refreshToken: "rt-000001", nonces: fixture.nonces()
    ).httpRequest
    let body = String(decoding: request.body, as: UTF8.self)
    #expect(body.hasPrefix("platform_sso_version=2.0&"))
    request.body = Array(body.replacing("version=", with: "version").utf8)
    #expect(await fixture.refusal(of: request) == named(.malformed, "body"))
  }

  @Test("10: aud of a refresh request is the refresh or the token endpoint, and not the key endpoint")
  func refreshAudience() async throws {
    var fixture = try Fixture()
    fixture.device.configuration.refreshEndpointURL = "https://idp.example.com/refresh"
    fixture.provider.configuration.refreshEndpointURL = "https://idp.example.com/refresh"
    fixture.device.configuration.namesTokenEndpointInRefreshRequests = false
    let request = try fixture.refreshRequest()
    #expect(try parts(request.assertion).claims["aud"] == "https://idp.example.com/refresh")
    #expect(await fixture.refusal(of: request.httpRequest) == nil)
    fixture.device.configuration.namesTokenEndpointInRefreshRequests = true
    let toToken = try fixture.refreshRequest()
    #expect(toToken.httpRequest.url == "https://idp.example.com/refresh")
    #expect(try parts(toToken.assertion).claims["aud"] == "https://idp.example.com/psso/token")
    #expect(await fixture.refusal(of: toToken.httpRequest) == nil)
    let toKeys = try fixture.request(like: fixture.refreshRequest()) { $0["aud"] = "https://idp.example.com/keys" }
    #expect(await fixture.refusal(of: toKeys) == named(.claimMismatch, "aud"))
  }

  @Test("The version of a refresh request's form is 1.0, or another one by choice")
  func refreshVersion() async throws {
    var fixture = try Fixture()
    fixture.device.configuration.refreshRequestVersion = "2.0"
    let request = try fixture.refreshRequest()
    #expect(try request.httpRequest.form().values("platform_sso_version") == ["2.0"])
    #expect(await fixture.refusal(of: request.httpRequest) == named(.fieldInvalid, "platform_sso_version"))
    fixture.provider.configuration.refreshRequestVersions = ["2.0"]
    #expect(await fixture.refusal(of: request.httpRequest) == nil)
  }

  @Test("11: grant_type of a nonce request stands in the body; in a header it says nothing")
  func nonceGrantType() throws {
    let fixture = try Fixture()
    var request = fixture.device.serverNonceRequest()
    #expect(request.headers.values("grant_type").isEmpty)
    request.body = []
    try request.headers.set("grant_type", "srv_challenge")
    #expect(throws: named(.fieldMissing, "grant_type")) { try fixture.provider.serverNonceResponse(to: request) }
  }

  // MARK: Traps

  @Test("APPLE stands in apu and Apple in apv: neither is taken for the other")
  func prefixes() throws {
    let request = try Fixture().vectorRequest()
    #expect(Array(request.agreementPartyVInfo.octets[4..<9]) == Array("Apple".utf8))
    let partyU = PartyUInfo.octets(ephemeralKeyX963Representation: try VectorKeys.point("peer-exchange"))
    #expect(Array(partyU[4..<9]) == Array("APPLE".utf8))
    #expect(throws: named(.partyInfoPrefixInvalid, "apv")) {
      try PartyVInfo(parsing: [0, 0, 0, 5] + Array("APPLE".utf8) + request.agreementPartyVInfo.octets[9...])
    }
  }

  @Test("kid in either base64 alphabet, padded or not")
  func keyIDs() async throws {
    let fixture = try Fixture()
    let octets = fixture.device.keys.signingKeyID.octets
    let standard = Base64.encode(octets)
    for text in [standard, String(standard.dropLast()), Base64URL.encode(octets), Base64URL.encode(octets) + "="] {
      let request = try fixture.request(like: fixture.refreshRequest(), keyID: text)
      #expect(await fixture.refusal(of: request) == nil, "\(text)")
    }
    let hexadecimal = octets.map { String($0, radix: 16) }.joined()
    let request = try fixture.request(like: fixture.refreshRequest(), keyID: hexadecimal)
    #expect(await fixture.refusal(of: request) == named(.keyIdentifierInvalid, "kid"))
  }

  @Test("A response with apv and one without open alike, and another apv does not")
  func responseWithoutPartyVInfo() throws {
    let fixture = try Fixture()
    #expect(try response(fixture) == nil)
    #expect(try response(fixture) { $0.header["apv"] = .string(Base64URL.encode($0.partyVInfo)) } == nil)
    #expect(
      try response(fixture) { $0.header["apv"] = .string(Base64URL.encode($0.partyVInfo + [0])) }
        == named(.partyInfoMismatch, "apv"))
    // A general library that takes an absent apv for an empty one.
    #expect(try response(fixture) { $0.partyVInfo = [] } == named(.decryptionFailed))
  }

  @Test("Times and lifetimes as numbers or strings of digits")
  func times() async throws {
    let fixture = try Fixture()
    let request = try fixture.request(like: fixture.refreshRequest()) {
      $0["iat"] = "1767225600"
      $0["exp"] = "1767225900"
    }
    #expect(await fixture.refusal(of: request) == nil)
    for time in ["1767225600.0", "+1767225600", " 1767225600", "0x69", ""] {
      let wrong = try fixture.request(like: fixture.refreshRequest()) { $0["iat"] = .string(time) }
      #expect(await fixture.refusal(of: wrong) == named(.claimInvalid, "iat"))
    }
    var tokens = Fixture.tokens
    tokens["refresh_token_expires_in"] = "28800"
    #expect(try response(fixture, tokens) == nil)
  }

  @Test("x5c as a string or an array, on both sides, and neither is trusted")
  func certificates() async throws {
    let fixture = try Fixture()
    for x5c: JSONValue in ["MAMCAQE=", ["MAMCAQE="], ["MAMCAQE=", "MAA="]] {
      let request = try fixture.request(like: fixture.refreshRequest(), header: ["x5c": x5c])
      #expect(await fixture.refusal(of: request) == nil)
    }
    // One string may be base64url.
    let texts: [(String, [UInt8])] = [
      ("MAMCAf8=", [0x30, 3, 2, 1, 0xFF]), ("MAMCAf8", [0x30, 3, 2, 1, 0xFF]), ("-_8", [0xFB, 0xFF]),
    ]
    for (text, octets) in texts {
      let request = try fixture.request(like: fixture.refreshRequest(), header: ["x5c": .string(text)])
      #expect(
        try await fixture.provider.refreshRequest(from: request).request.header.platformSSOCertificates(
          limits: .default) == [octets])
    }
  }

  @Test("The form says jwt-bearer whatever the claim says, and its version is not the claim's")
  func formAndClaims() async throws {
    let fixture = try Fixture()
    let refresh = try fixture.refreshRequest()
    #expect(
      try refresh.httpRequest.form().values("grant_type") == ["urn:ietf:params:oauth:grant-type:jwt-bearer"])
    #expect(try parts(refresh.assertion).claims["grant_type"] == "refresh_token")
    let key = try fixture.device.keyRequest(of: Self.user, refreshToken: "rt-000001", nonces: fixture.nonces())
    #expect(try key.httpRequest.form().values("platform_sso_version") == ["2.0"])
    #expect(try parts(key.assertion).claims["version"] == "1.0")
    let wrong = try fixture.request(like: refresh) { $0 == "grant_type" ? "refresh_token" : $1 }
    #expect(await fixture.refusal(of: wrong) == named(.fieldInvalid, "grant_type"))
  }

  @Test("Inside, iss is the user and aud the audience; outside, the client and the token endpoint")
  func insideAndOutside() async throws {
    var fixture = try Fixture()
    fixture.device.configuration.audience = "psso"
    fixture.provider.configuration.audience = "psso"
    try await fixture.store.enroll(RegisteredKey(x963Representation: VectorKeys.point("user-secure-enclave")))
    let userKey = try VectorKeys.signing("user-secure-enclave")
    let request = try fixture.device.loginRequest(
      of: Self.user, by: .userSecureEnclaveKey(userKey), nonces: fixture.nonces())
    let outer = try parts(request.assertion).claims
    let inner = try parts(outer["assertion"]?.stringValue ?? "").claims
    #expect(outer["iss"] == "psso-client" && outer["aud"] == "https://idp.example.com/psso/token")
    #expect(inner["iss"] == "jane@example.com" && inner["aud"] == "psso")
    #expect(await fixture.refusal(of: request.httpRequest) == nil)
    fixture.device.configuration.audience = fixture.device.configuration.tokenEndpointURL
    let wrong = try fixture.device.loginRequest(
      of: Self.user, by: .userSecureEnclaveKey(userKey), nonces: fixture.nonces())
    #expect(await fixture.refusal(of: wrong.httpRequest) == named(.claimMismatch, "aud"))
  }

  @Test("A refresh names no user; one that an extension adds must be the token's")
  func refreshUser() async throws {
    var fixture = try Fixture()
    let claims = try parts(fixture.refreshRequest().assertion).claims
    #expect(claims["sub"] == nil && claims["username"] == nil)
    for (user, error) in [(Fixture.user, nil), ("john@example.com", named(.claimMismatch, "sub"))] {
      fixture.device.configuration.customRefreshRequestClaims.body = ["sub": .string(user)]
      #expect(await fixture.refusal(of: try fixture.refreshRequest().httpRequest) == error)
    }
  }

  @Test("The key derivation of ANSI X9.63, which hashes Z first, gives another key")
  func otherDerivation() throws {
    #expect(
      try response(Fixture()) { crafted in
        let info = KeyAgreement.otherInfo(
          algorithmID: "A256GCM", partyUInfo: crafted.partyUInfo, partyVInfo: crafted.partyVInfo, keyBitCount: 256)
        crafted.derive = { secret in
          Array(SHA2.SHA256.hash(secret.withUnsafeBytes { Array($0) } + [0, 0, 0, 1] + info))
        }
      } == named(.decryptionFailed))
  }

  // MARK: What Apple leaves open

  @Test("An RSA smart card has no kid: what would be hashed is not documented, so its certificate names it")
  func smartCardKeyID() throws {
    let fixture = try Fixture()
    let card = try SigningKey.generate(.rs256)
    let assertion = try fixture.device.embeddedAssertion(
      of: Self.user, signedWith: card, certificate: [0x30, 0x00], nonces: RequestNonces(serverNonce: "n"))
    let header = try parts(assertion.assertion).header
    #expect(header["kid"] == nil && header["x5c"] == "MAA=" && header["alg"] == "RS256")
  }

  @Test("Without a prefix, the first field of an encrypted password's party info is empty, or left out by choice")
  func unsetPrefix() async throws {
    var fixture = try encrypting()
    for (omits, start) in [(false, [0, 0, 0, 0, 0, 0, 0, 65]), (true, [0, 0, 0, 65] as [UInt8])] {
      fixture.device.configuration.omitsUnsetAPVPrefix = omits
      let request = try fixture.device.loginRequest(
        of: Self.user, by: .password("correct horse"), nonces: fixture.nonces())
      let inner = try UnverifiedJWE(parsing: parts(request.assertion).claims["assertion"]?.stringValue ?? "")
      #expect(try Base64URL.decode(inner.unverifiedHeader["apv"]?.stringValue ?? "").starts(with: start))
      #expect(await fixture.refusal(of: request.httpRequest) == nil)
    }
  }

  @Test("Of two custom claims of one name the user's counts, or the device's by choice")
  func customClaimPrecedence() throws {
    var fixture = try Fixture()
    var user = Self.user
    fixture.device.configuration.customLoginRequestClaims = CustomClaims(
      header: ["h": "device"], body: ["b": "device"], type: "device")
    user.customLoginRequestClaims = CustomClaims(
      header: ["h": "user"], body: ["b": "user", "u": 1], type: "user")
    for (prefersDevice, expected) in [(false, JSONValue("user")), (true, "device")] {
      fixture.device.configuration.prefersDeviceClaims = prefersDevice
      let request = try fixture.device.loginRequest(
        of: user, by: .password("p"), nonces: RequestNonces(serverNonce: "n"))
      let (header, claims) = try parts(request.assertion)
      #expect(header["h"] == expected && claims["b"] == expected && header["typ"] == expected && claims["u"] == 1)
    }
  }

  @Test("The dates of an unlock key's certificate are checked by choice")
  func certificateValidity() async throws {
    var fixture = try Fixture()
    func refusal(from start: Double, for lifetime: Double) async throws -> JOSEError? {
      let request = try fixture.device.keyRequest(of: Self.user, refreshToken: "rt-000001", nonces: fixture.nonces())
      let received = try await fixture.provider.keyEndpointRequest(from: request.httpRequest)
      let certificate = UnlockKey.generate().selfSignedCertificate(
        commonName: "k", notBefore: Fixture.now.advanced(by: start), lifetime: .seconds(lifetime), backdating: .zero)
      let response = try fixture.provider.keyResponse(to: received, certificate: certificate)
      do throws(JOSEError) {
        _ = try fixture.device.openKeyResponse(response, to: request)
        return nil
      } catch { return error }
    }
    #expect(!fixture.device.configuration.checksCertificateValidity)
    #expect(try await refusal(from: -86_400, for: 10) == nil)
    fixture.device.configuration.checksCertificateValidity = true
    let invalid = named(.certificateInvalid, "certificate")
    #expect(try await refusal(from: -86_400, for: 10) == invalid)
    #expect(try await refusal(from: -10, for: 9) == invalid)
    #expect(try await refusal(from: -10, for: 10) == nil)
    #expect(try await refusal(from: 0, for: 0) == nil)
    #expect(try await refusal(from: 1, for: 10) == invalid)
    // Beyond 2049, where the form of a date changes, and in the last century.
    #expect(try await refusal(from: -10, for: 86_400 * 365 * 30) == nil)
    #expect(try await refusal(from: -86_400 * 365 * 30, for: 86_400 * 365 * 70) == nil)
    // The vector's certificate, made with another implementation.
    let request = try fixture.device.keyRequest(
      of: Self.user, refreshToken: "r",
      nonces: RequestNonces(
        serverNonce: "3q2-7wAAexampleServerNonce03", clientNonce: "2B3C4D5E-6F70-4B2C-8D3E-4F5A6B7C8D9E"))
    let vector = HTTPResponseValue(status: 200, body: Array(MessageVectors.s6r.utf8))
    _ = try fixture.device.openKeyResponse(vector, to: request)
  }

  @Test("A login response's typ on a key response is refused, or accepted by choice")
  func keyResponseType() throws {
    var fixture = try Fixture()
    let request = try fixture.device.keyRequest(
      of: Self.user, refreshToken: "r", otherPublicKey: VectorKeys.point("peer-exchange"), keyContext: nil,
      nonces: RequestNonces(serverNonce: "n"))
    let body: JSONObject = [
      "key": .string(Base64.encode([UInt8](repeating: 1, count: 32))), "iat": 1_767_225_600, "exp": 1_767_225_900,
    ]
    let token = try CraftedResponse(to: request).sealed(body)
    let response = HTTPResponseValue(status: 200, body: Array(token.utf8))
    #expect(throws: named(.typeMismatch, "typ")) {
      try fixture.device.openKeyExchangeResponse(response, to: request)
    }
    fixture.device.configuration.acceptsLoginResponseTypeInKeyResponses = true
    _ = try fixture.device.openKeyExchangeResponse(response, to: request)
  }

  @Test("Algorithms whose names on the wire Apple does not give are refused by name")
  func undocumentedAlgorithms() async throws {
    let fixture = try Fixture()
    let request = try fixture.refreshRequest()
    let segments = request.assertion.split(separator: ".")
    let kid = fixture.device.keys.signingKeyID.text
    for name in ["ES384", "EdDSA", "Ed25519"] {
      let header = #"{"alg":"\#(name)","typ":"platformsso-refresh-request+jwt","kid":"\#(kid)"}"#
      let token = "\(Base64URL.encode(Array(header.utf8))).\(segments[1]).\(segments[2])"
      #expect(
        await fixture.refusal(of: try fixture.request(like: request, assertion: token))
          == named(.algorithmNotAllowed, "alg"))
    }
    let hpke = try response(fixture) {
      $0.header["alg"] = "HPKE-P256-SHA256-A256GCM"
      $0.header["enc"] = "dir"
    }
    #expect(hpke == named(.hpkeUnsupported, "alg"))
    #expect(throws: named(.keyMismatch, "signingKey")) {
      try DeviceKeys(
        signingKey: .generate(.ed25519), encryptionKey: .generateForKeyAgreement())
    }
  }

  @Test("SAML assertions of WS-Trust are refused by name")
  func saml() async throws {
    let fixture = try Fixture()
    for grant in ["saml1_1-bearer", "saml2-bearer"] {
      let login = try fixture.device.loginRequest(
        of: Self.user, by: .password("correct horse"), nonces: fixture.nonces())
      let request = try fixture.request(like: login) {
        $0["grant_type"] = .string("urn:ietf:params:oauth:grant-type:" + grant)
        $0["assertion"] = "PHNhbWw+"
      }
      #expect(await fixture.refusal(of: request) == named(.grantUnsupported, "grant_type"))
    }
  }
}
