import JOSE
import PlatformSSOKit
import PureCrypto
import Testing

@Suite("Login request")
struct LoginRequestTests {
  static let user = UserLoginConfiguration(loginUserName: Fixture.user)
  static let nonces = RequestNonces(
    serverNonce: "3q2-7wAAexampleServerNonce01", clientNonce: "0F3A5C7E-1B2D-4E6F-8A9B-0C1D2E3F4A5B")

  private func parts(_ token: String) throws -> (header: JSONObject, claims: JSONObject) {
    let token = try UnverifiedJWS(parsing: token)
    return (token.unverifiedHeader.parameters, try JSONObject(parsing: token.unverifiedPayload))
  }

  private func named(_ code: ErrorCode, _ name: String? = nil) -> JOSEError {
    JOSEError(code, "", name: name)
  }

  static func encrypting(_ fixture: Fixture) throws -> Fixture {
    var fixture = fixture
    let prefix = Array("EXAMPLE".utf8)
    fixture.device.configuration.loginRequestEncryptionPublicKey = try VectorKeys.point("idp-login-encryption")
    fixture.device.configuration.loginRequestEncryptionAPVPrefix = prefix
    fixture.provider.configuration.loginRequestDecryptionKeys = [try VectorKeys.agreement("idp-login-encryption")]
    fixture.provider.configuration.loginRequestEncryptionAPVPrefix = prefix
    return fixture
  }

  private func error(_ fixture: Fixture, _ request: HTTPRequestValue) async -> JOSEError? {
    do throws(JOSEError) {
      _ = try await fixture.provider.loginRequest(from: request)
      return nil
    } catch {
      return error
    }
  }

  @Test("The requests of vectors S1, S2 and S3 have these members and values")
  func vectors() throws {
    let fixture = try Fixture()
    let key = fixture.device.keys.signingVerificationKey
    for vector in [MessageVectors.s1, MessageVectors.s2, MessageVectors.s3] {
      _ = try JWS.verify(vector, with: key)
    }
    let s1 = try fixture.device.loginRequest(of: Self.user, by: .password("correct horse"), nonces: Self.nonces)
    let (made, vector) = (try parts(s1.assertion), try parts(MessageVectors.s1))
    #expect(made.header == vector.header)
    #expect(made.claims == vector.claims)
    #expect(s1.httpRequest.url == "https://idp.example.com/psso/token")

    let userKey = try VectorKeys.signing("user-secure-enclave")
    let s2 = try fixture.device.loginRequest(of: Self.user, by: .userSecureEnclaveKey(userKey), nonces: Self.nonces)
    var (outer, outerVector) = (try parts(s2.assertion), try parts(MessageVectors.s2))
    let (inner, innerVector) = (
      try parts(outer.claims["assertion"]?.stringValue ?? ""), try parts(MessageVectors.s2i)
    )
    #expect(inner.header == innerVector.header)
    #expect(inner.claims == innerVector.claims)
    #expect(outerVector.claims["assertion"] == .string(MessageVectors.s2i))
    outer.claims["assertion"] = nil
    outerVector.claims["assertion"] = nil
    #expect(outer.header == outerVector.header)
    #expect(outer.claims == outerVector.claims)
  }

  @Test("The encrypted assertion of vector S3 opens, and ours has the same members")
  func encryptedAssertion() throws {
    let fixture = try Self.encrypting(Fixture())
    let key = try VectorKeys.agreement("idp-login-encryption")
    let s3 = try fixture.device.loginRequest(of: Self.user, by: .password("correct horse"), nonces: Self.nonces)
    let claims = try parts(s3.assertion).claims
    #expect(claims["password"] == nil)
    #expect(claims["grant_type"] == "urn:ietf:params:oauth:grant-type:jwt-bearer")
    let vector = try JWE.decrypt(MessageVectors.s3i, with: key, contentEncryption: [.a256gcm])
    let made = try JWE.decrypt(claims["assertion"]?.stringValue ?? "", with: key, contentEncryption: [.a256gcm])
    #expect(try JSONObject(parsing: made.plaintext) == JSONObject(parsing: vector.plaintext))
    for name in ["alg", "enc", "typ", "apv", "kid"] {
      #expect(made.header[name] == vector.header[name], "\(name)")
    }
    #expect(Set(made.header.parameters.names) == Set(vector.header.parameters.names))
  }

  @Test("Every method completes between device and provider")
  func roundTrips() async throws {
    let fixture = try Self.encrypting(Fixture())
    let userKey = try VectorKeys.signing("user-secure-enclave")
    let card = try SigningKey.generate(.es256)
    try await fixture.store.enroll(RegisteredKey(x963Representation: VectorKeys.point("user-secure-enclave")))
    await fixture.store.enroll(certificate: [0x30, 0x00], card.verificationKey)
    var plain = fixture
    plain.device.configuration.loginRequestEncryptionPublicKey = nil
    let callback = try AuthorizationCallback(
      url: "com.apple.platformsso://callback?code=c&state=s", expectedState: "s")
    try await fixture.store.issue(code: "c", state: "s")
    let methods: [(Fixture, LoginMethod, String)] = [
      (plain, .password("correct horse"), "password"), (fixture, .password("correct horse"), "encryptedPassword"),
      (fixture, .userSecureEnclaveKey(userKey), "userKey"),
      (fixture, .smartCard(card, certificate: [0x30, 0x00]), "smartCard"),
      (fixture, .webAuthorization(callback), "webAuthorization"),
    ]
    for (fixture, method, name) in methods {
      let request = try fixture.device.loginRequest(
        of: Self.user, by: method, nonces: fixture.nonces(), groups: ["staff", "admin"])
      let login = try await fixture.provider.loginRequest(from: request.httpRequest)
      #expect("\(login.credential)".hasPrefix(name))
      #expect(login.userName == Fixture.user)
      #expect(login.requestedGroups == ["staff", "admin"])
      let token = try fixture.provider.idToken(for: login, subject: "jane")
      let response = try fixture.provider.loginResponse(
        to: login, LoginResponse(idToken: token, refreshToken: "r", refreshTokenExpiresIn: .seconds(1)))
      let opened = try fixture.device.openLoginResponse(response, to: request, idTokenKeys: fixture.idTokenKeys)
      #expect(opened.uniqueIdentifier == "jane")
    }
  }

  @Test("A user's key that answers later signs in two steps")
  func preparedAssertion() async throws {
    let fixture = try Fixture()
    let userKey = try VectorKeys.privateKey("psso-vector/user-secure-enclave")
    let point = userKey.publicKey.x963Representation
    try await fixture.store.enroll(RegisteredKey(x963Representation: point))
    let nonces = try fixture.nonces()
    let prepared = try fixture.device.prepareEmbeddedAssertion(
      of: Self.user, signedWith: VerificationKey(es256X963Representation: point), nonces: nonces)
    let assertion = try prepared.finish(
      signature: userKey.signature(for: prepared.signingInput).rawRepresentation)
    let request = try fixture.device.loginRequest(of: Self.user, by: .embeddedAssertion(assertion), nonces: nonces)
    #expect(await error(fixture, request.httpRequest) == nil)
    #expect(throws: named(.callerMisuse, "nonces")) {
      try fixture.device.loginRequest(of: Self.user, by: .embeddedAssertion(assertion), nonces: fixture.nonces())
    }
  }

  @Test("What the provider refuses of passwords and grants")
  func passwordRefusals() async throws {
    let fixture = try Fixture()
    func refusal(_ change: (inout JSONObject) -> Void) async throws -> JOSEError? {
      let request = try fixture.device.loginRequest(
        of: Self.user, by: .password("correct horse"), nonces: fixture.nonces())
      return await error(fixture, try fixture.request(like: request, changing: change))
    }
    #expect(try await refusal { _ in } == nil)
    #expect(try await refusal { $0["password"] = "wrong" } == named(.passwordRejected, "password"))
    #expect(try await refusal { $0["password"] = nil } == named(.claimMissing, "password"))
    #expect(try await refusal { $0["sub"] = "john@example.com" } == named(.claimMismatch, "username"))
    let john = try await refusal { claims in for name in ["sub", "username"] { claims[name] = "john@example.com" } }
    #expect(john == named(.passwordRejected, "password"))
    for name in ["sub", "username", "scope", "grant_type"] {
      #expect(try await refusal { $0[name] = nil } == named(.claimMissing, name))
    }
    for grant in ["saml1_1-bearer", "saml2-bearer"] {
      #expect(
        try await refusal { $0["grant_type"] = .string("urn:ietf:params:oauth:grant-type:" + grant) }
          == named(.grantUnsupported, "grant_type"))
    }
    #expect(try await refusal { $0["grant_type"] = "refresh_token" } == named(.grantUnsupported, "grant_type"))
    #expect(try await refusal { $0["claims"] = ["id_token": ["groups": ["values": "x"]]] }?.code == .claimInvalid)
    let exchange = "urn:ietf:params:oauth:grant-type:token-exchange"
    #expect(
      try await refusal { $0["grant_type"] = .string(exchange) } == named(.claimMissing, "subject_token_type"))
    #expect(
      try await refusal {
        $0["grant_type"] = .string(exchange); $0["subject_token_type"] = "x"
      }
        == named(.claimMismatch, "subject_token_type"))
    let refresh = try fixture.refreshRequest()
    #expect(await error(fixture, refresh.httpRequest) == named(.typeMismatch, "typ"))
  }

  @Test("What the provider refuses of signed assertions")
  func assertionRefusals() async throws {
    let fixture = try Fixture()
    let userKey = try VectorKeys.signing("user-secure-enclave")
    try await fixture.store.enroll(RegisteredKey(x963Representation: VectorKeys.point("user-secure-enclave")))
    func refusal(
      key: SigningKey? = nil, type: String = "platformsso-login-assertion+jwt", keyID: String? = nil,
      header: JSONObject = [:], _ change: (inout JSONObject) -> Void = { _ in },
      outer: (inout JSONObject) -> Void = { _ in }
    ) async throws -> JOSEError? {
      let request = try fixture.device.loginRequest(
        of: Self.user, by: .userSecureEnclaveKey(userKey), nonces: fixture.nonces())
      var claims = try parts(request.assertion).claims
      let inner = try parts(claims["assertion"]?.stringValue ?? "")
      var innerClaims = inner.claims
      change(&innerClaims)
      let assertion = try JWS.sign(
        innerClaims.serialized(), with: key ?? userKey,
        header: HeaderParameters(type: type, keyID: keyID ?? inner.header["kid"]?.stringValue, additional: header))
      claims["assertion"] = .string(assertion)
      outer(&claims)
      let changed = claims
      return await error(fixture, try fixture.request(like: request, changing: { $0 = changed }))
    }
    #expect(try await refusal() == nil)
    for name in ["iss", "aud", "sub", "nonce", "request_nonce", "scope"] {
      #expect(try await refusal { $0[name] = "other" } == named(.claimMismatch, name))
      #expect(try await refusal { $0[name] = nil } == named(.claimMissing, name))
    }
    #expect(try await refusal { $0["iat"] = 1_767_226_200 } == named(.claimNotYetValid, "iat"))
    #expect(try await refusal { $0["exp"] = 1_767_225_600 } == named(.claimExpired, "exp"))
    #expect(try await refusal { $0["iat"] = "1767225600" } == nil)
    #expect(try await refusal(key: SigningKey.generate(.es256)) == named(.signatureInvalid))
    #expect(try await refusal(type: "JWT") == named(.typeMismatch, "typ"))
    #expect(try await refusal(keyID: fixture.device.keys.signingKeyID.text) == named(.userKeyUnknown, "kid"))
    #expect(try await refusal(keyID: "x") == named(.keyIdentifierInvalid, "kid"))
    // A certificate in the header is the store's to judge, never trusted by itself.
    #expect(try await refusal(header: ["x5c": "MAA="]) == named(.userKeyUnknown, "x5c"))
    #expect(try await refusal(header: ["x5c": "?"]) == named(.headerInvalid, "x5c"))
    #expect(try await refusal(header: ["x5c": []]) == named(.headerInvalid, "x5c"))
    #expect(try await refusal(outer: { $0["sub"] = "john@example.com" }) == named(.claimMismatch, "username"))
    let john: (inout JSONObject) -> Void = { claims in
      for name in ["sub", "username"] { claims[name] = "john@example.com" }
    }
    #expect(try await refusal(outer: john)?.code == .userKeyUnknown)
    #expect(try await refusal(outer: { $0["assertion"] = "x" }) == named(.malformed))
    #expect(try await refusal(outer: { $0["assertion"] = nil }) == named(.claimMissing, "assertion"))
  }

  @Test("What the provider refuses of encrypted assertions")
  func encryptedAssertionRefusals() async throws {
    let fixture = try Self.encrypting(Fixture())
    let recipient = try VectorKeys.point("idp-login-encryption")
    let prefix = Array("EXAMPLE".utf8)
    func refusal(
      to point: [UInt8]? = nil, type: String? = "platformsso-encrypted-login-assertion+jwt",
      partyU: AgreementPartyInfo = .madeFromEphemeralKey { PartyUInfo.octets(ephemeralKeyX963Representation: $0) },
      changing change: (inout JSONObject) -> Void = { _ in },
      partyV: ((_ server: String, _ client: String) -> [UInt8])? = nil
    ) async throws -> JOSEError? {
      let nonces = try fixture.nonces()
      let request = try fixture.device.loginRequest(of: Self.user, by: .password("correct horse"), nonces: nonces)
      var claims: JSONObject = [
        "iss": .string(Fixture.user), "sub": .string(Fixture.user), "aud": "https://idp.example.com",
        "iat": 1_767_225_600, "exp": 1_767_225_900, "nonce": .string(nonces.clientNonce),
        "request_nonce": .string(nonces.serverNonce), "scope": "openid offline_access urn:apple:platformsso",
        "password": "correct horse",
      ]
      change(&claims)
      let partyVInfo =
        partyV?(nonces.serverNonce, nonces.clientNonce)
        ?? EmbeddedAssertionPartyVInfo.octets(
          prefix: prefix, recipientX963Representation: recipient, serverNonce: nonces.serverNonce)
      let assertion = try JWE.encrypt(
        claims.serialized(), to: EncryptionKey(ecdhESX963Representation: point ?? recipient),
        header: HeaderParameters(type: type), agreementPartyUInfo: partyU, agreementPartyVInfo: .octets(partyVInfo))
      return await error(
        fixture, try fixture.request(like: request, changing: { $0["assertion"] = .string(assertion) }))
    }
    #expect(try await refusal() == nil)
    for name in ["iss", "aud", "sub", "nonce", "request_nonce", "scope"] {
      #expect(try await refusal(changing: { $0[name] = "other" }) == named(.claimMismatch, name))
    }
    #expect(try await refusal(changing: { $0["password"] = "wrong" }) == named(.passwordRejected, "password"))
    #expect(try await refusal(changing: { $0["password"] = nil }) == named(.claimMissing, "password"))
    #expect(try await refusal(changing: { $0["exp"] = 1 }) == named(.claimExpired, "exp"))
    #expect(try await refusal(type: nil) == named(.typeMismatch, "typ"))
    #expect(try await refusal(type: "platformsso-login-response+jwt") == named(.typeMismatch, "typ"))
    #expect(try await refusal(to: VectorKeys.point("peer-exchange")) == named(.decryptionFailed))
    func partyV(
      prefix: [UInt8]?, omits: Bool = false, key: [UInt8]? = nil, nonce: String
    ) -> [UInt8] {
      EmbeddedAssertionPartyVInfo.octets(
        prefix: prefix, omitsUnsetPrefix: omits, recipientX963Representation: key ?? recipient, serverNonce: nonce)
    }
    #expect(try await refusal(partyV: { server, _ in partyV(prefix: nil, nonce: server) }) == nil)
    #expect(try await refusal(partyV: { server, _ in partyV(prefix: nil, omits: true, nonce: server) }) == nil)
    #expect(
      try await refusal(partyV: { server, _ in partyV(prefix: [1], nonce: server) })
        == named(.partyInfoPrefixInvalid, "apv"))
    #expect(
      try await refusal(partyV: { _, client in partyV(prefix: prefix, nonce: client) })
        == named(.partyInfoNonceMismatch, "apv"))
    let stranger = try VectorKeys.point("peer-exchange")
    #expect(
      try await refusal(partyV: { server, _ in partyV(prefix: prefix, key: stranger, nonce: server) })
        == named(.partyInfoKeyMismatch, "apv"))
    #expect(try await refusal(partyV: { _, _ in [0, 0, 0, 9] }) == named(.partyInfoMalformed, "apv"))
    #expect(try await refusal(partyU: .octets([0, 0])) == named(.partyInfoMalformed, "apu"))
    #expect(try await refusal(partyU: .absent) == named(.headerInvalid, "apu"))
  }

  @Test("Options of the request")
  func options() throws {
    var fixture = try Fixture()
    fixture.device.configuration.isBuiltForMacOS13 = true
    fixture.device.configuration.includePreviousRefreshTokenInLoginRequest = true
    fixture.device.configuration.groupRequestClaimName = "groups"
    var user = Self.user
    user.customLoginRequestClaims = CustomClaims(body: ["a": "user"])
    fixture.device.configuration.customLoginRequestClaims = CustomClaims(body: ["a": "device", "b": "device"])
    let request = try fixture.device.loginRequest(
      of: user, by: .password("p"), nonces: Self.nonces, previousRefreshToken: "old", groups: ["g"])
    let (header, claims) = try parts(request.assertion)
    #expect(header["typ"] == "JWT")
    #expect(claims["previous_refresh_token"] == "old")
    #expect(claims["groups"] == ["g"])
    #expect(claims["a"] == "user")
    #expect(claims["b"] == "device")
    #expect(try request.httpRequest.form().uniqueValue("request") == request.assertion)
    fixture.device.configuration.customRequestJWTParameterName = "jwt"
    let named = try fixture.device.loginRequest(of: user, by: .password("p"), nonces: Self.nonces)
    #expect(try named.httpRequest.form().uniqueValue("jwt") == named.assertion)
    #expect(throws: self.named(.callerMisuse, "groups")) {
      try fixture.device.loginRequest(
        of: user, by: .password("p"), nonces: Self.nonces, groups: [String](repeating: "g", count: 101))
    }
    for name in ["password", "assertion", "grant_type", "sub"] {
      user.customLoginRequestClaims = CustomClaims(body: JSONObject([(name, JSONValue.null)]))
      #expect(throws: self.named(.customClaimReserved, name)) {
        let callback = try AuthorizationCallback(
          url: "com.apple.platformsso://callback?code=c", expectedState: nil)
        return try Fixture().device.loginRequest(of: user, by: .webAuthorization(callback), nonces: Self.nonces)
      }
    }
  }
}
