import JOSE
import PlatformSSOKit
import PureCrypto
import Synchronization
import Testing

@Suite("Refresh request")
struct RefreshRequestTests {
  private func parts(_ token: String) throws -> (header: JSONObject, claims: JSONObject) {
    let token = try UnverifiedJWS(parsing: token)
    return (token.unverifiedHeader.parameters, try JSONObject(parsing: token.unverifiedPayload))
  }

  @Test("Vectors are as published")
  func digests() {
    for (name, token, count, digest) in MessageVectors.digests {
      #expect(token.utf8.count == count, "\(name)")
      let actual = SHA2.SHA256.hash(Array(token.utf8)).map { String($0, radix: 16) }.map {
        $0.count == 1 ? "0" + $0 : $0
      }
      #expect(actual.joined() == digest, "\(name)")
    }
    #expect(MessageVectors.digests.count == 12)
  }

  @Test("The request of vector S5 has these members and values")
  func vectorS5() throws {
    let fixture = try Fixture()
    fixture.clock.now = NumericDate(1_767_240_000)
    let nonces = RequestNonces(
      serverNonce: "3q2-7wAAexampleServerNonce02", clientNonce: "1A2B3C4D-5E6F-4A1B-9C2D-3E4F5A6B7C8D")
    let request = try fixture.device.refreshRequest(refreshToken: "rt-000001", nonces: nonces)
    let (made, vector) = (try parts(request.assertion), try parts(MessageVectors.s5))
    #expect(made.header == vector.header)
    #expect(made.claims == vector.claims)
    // The vector's signature is one of the device's key.
    let key = fixture.device.keys.signingVerificationKey
    _ = try JWS.verify(MessageVectors.s5, with: key)
    _ = try JWS.verify(request.assertion, with: key)
  }

  @Test("The HTTP request is as documented")
  func httpRequest() throws {
    var fixture = try Fixture()
    fixture.device.configuration.customRefreshRequestValues = ["tid": "1"]
    fixture.device.configuration.refreshEndpointURL = "https://idp.example.com/refresh"
    let request = try fixture.refreshRequest()
    let http = request.httpRequest
    #expect(http.url == "https://idp.example.com/refresh")
    #expect(http.headers.values("Accept") == ["application/platformsso-login-response+jwt"])
    #expect(http.headers.values("Content-Type") == ["application/x-www-form-urlencoded"])
    #expect(http.headers.values("client-request-id") == [request.nonces.clientRequestID])
    #expect(
      String(decoding: http.body, as: UTF8.self)
        == "platform_sso_version=1.0&grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer"
        + "&assertion=\(request.assertion)&tid=1")
    // Wherever it goes, the token endpoint is who it is for.
    #expect(try parts(request.assertion).claims["aud"] == "https://idp.example.com/psso/token")
  }

  @Test("The header carries x5c as a string or as an array")
  func certificate() async throws {
    for isArray in [false, true] {
      var fixture = try Fixture()
      fixture.device.keys.signingCertificate = [0x30, 0x03, 0x02, 0x01, 0x01]
      fixture.device.configuration.writesCertificateArray = isArray
      let request = try fixture.refreshRequest()
      let x5c = try parts(request.assertion).header["x5c"]
      #expect(x5c == (isArray ? ["MAMCAQE="] : "MAMCAQE="))
      let refresh = try await fixture.provider.refreshRequest(from: request.httpRequest)
      #expect(try refresh.request.header.platformSSOCertificates(limits: .default) == [[0x30, 0x03, 0x02, 0x01, 0x01]])
    }
  }

  @Test("Custom claims are added, and replace nothing")
  func customClaims() throws {
    var fixture = try Fixture()
    let nonces = RequestNonces(serverNonce: "n")
    func request(_ claims: CustomClaims) throws -> (header: JSONObject, claims: JSONObject) {
      fixture.device.configuration.customRefreshRequestClaims = claims
      return try parts(fixture.device.refreshRequest(refreshToken: "t", nonces: nonces).assertion)
    }
    let made = try request(CustomClaims(header: ["tenant": "t"], body: ["signKeyId": ["a": 1]], type: "JWT"))
    #expect(made.header["tenant"] == "t")
    #expect(made.header["typ"] == "JWT")
    #expect(made.claims["signKeyId"] == ["a": 1])
    for name in [
      "client_id", "iss", "exp", "scope", "nonce", "aud", "iat", "request_nonce", "grant_type", "refresh_token",
      "jwe_crypto",
    ] {
      #expect(throws: JOSEError(.customClaimReserved, "", name: name)) {
        try request(CustomClaims(body: JSONObject([(name, JSONValue.string("x"))])))
      }
    }
    for name in ["typ", "alg", "kid", "x5c", "crit", "b64", "enc", "epk", "apv", "jwk", "zip"] {
      #expect(throws: JOSEError(.customClaimReserved, "", name: name)) {
        try request(CustomClaims(header: JSONObject([(name, JSONValue.string("x"))])))
      }
    }
    fixture.device.configuration.customRefreshRequestClaims = CustomClaims()
    fixture.device.configuration.serverNonceClaimName = "iss"
    #expect(throws: JOSEError(.customClaimReserved, "", name: "serverNonceClaimName")) {
      try fixture.device.refreshRequest(refreshToken: "t", nonces: nonces)
    }
  }

  @Test("Without a refresh endpoint there are no requests, or by choice they go to the token endpoint")
  func withoutEndpoint() throws {
    var fixture = try Fixture()
    let session = PlatformSSOSession(
      received: Fixture.now, expiration: Fixture.now.advanced(by: 60), lastFullLogin: Fixture.now)
    #expect(fixture.device.canRefresh(session, method: .password))
    fixture.device.configuration.refreshEndpointURL = nil
    #expect(!fixture.device.canRefresh(session, method: .password))
    #expect(throws: JOSEError(.callerMisuse, "", name: "refreshEndpointURL")) { try fixture.refreshRequest() }
    fixture.device.configuration.refreshesAtTokenEndpoint = true
    #expect(fixture.device.canRefresh(session, method: .password))
    #expect(try fixture.refreshRequest().httpRequest.url == "https://idp.example.com/psso/token")
  }

  @Test("Apple's audience or the refresh endpoint's by choice: a provider accepts both", arguments: [true, false])
  func audience(namesTokenEndpoint: Bool) async throws {
    var fixture = try Fixture()
    fixture.device.configuration.refreshEndpointURL = "https://idp.example.com/refresh"
    fixture.provider.configuration.refreshEndpointURL = "https://idp.example.com/refresh"
    fixture.device.configuration.namesTokenEndpointInRefreshRequests = namesTokenEndpoint
    let request = try fixture.refreshRequest()
    let expected = namesTokenEndpoint ? "https://idp.example.com/psso/token" : "https://idp.example.com/refresh"
    #expect(try parts(request.assertion).claims["aud"] == .string(expected))
    #expect(try await fixture.provider.refreshRequest(from: request.httpRequest).userName == Fixture.user)
  }

  @Test("Nonce, request and response complete between device and provider", arguments: [true, false])
  func roundTrip(repeatsPartyVInfo: Bool) async throws {
    var fixture = try Fixture()
    fixture.provider.configuration.repeatsPartyVInfo = repeatsPartyVInfo
    let request = try fixture.refreshRequest()
    let refresh = try await fixture.provider.refreshRequest(from: request.httpRequest)
    #expect(refresh.userName == Fixture.user)
    #expect(refresh.request.device.id == "mac-1")
    #expect(refresh.scope == "openid offline_access urn:apple:platformsso")
    let token = try fixture.provider.idToken(
      for: refresh, subject: "5b1f8c3e-jane", additional: ["groups": ["staff"]])
    let response = try fixture.provider.loginResponse(
      to: refresh, LoginResponse(idToken: token, refreshToken: "rt-000002", refreshTokenExpiresIn: .seconds(28_800)))
    #expect(response.headers.values("Content-Type") == ["application/platformsso-login-response+jwt"])
    let header = try UnverifiedJWE(parsing: String(decoding: response.body, as: UTF8.self)).unverifiedHeader
    #expect((header["apv"] != nil) == repeatsPartyVInfo)
    let login = try fixture.device.openLoginResponse(response, to: request, idTokenKeys: fixture.idTokenKeys)
    #expect(login.response.refreshToken == "rt-000002")
    #expect(login.response.sessionLifetime == .seconds(28_800))
    #expect(login.response.tokenType == "Bearer")
    #expect(login.uniqueIdentifier == "5b1f8c3e-jane")
    #expect(login.groups == ["staff"])
  }

  @Test("Keys that live elsewhere sign and agree, each once")
  func externalKeys() async throws {
    var fixture = try Fixture()
    let signer = try CountingSigner(VectorKeys.privateKey("psso-vector/device-signing"))
    let agreement = CountingAgreement(try VectorKeys.privateKey("psso-vector/device-encryption"))
    fixture.device.keys = try DeviceKeys(signingKey: SigningKey(signer), encryptionKey: DecryptionKey(agreement))
    let request = try fixture.refreshRequest()
    #expect(signer.uses == 1)
    let response = try await fixture.refreshResponse(to: request)
    _ = try fixture.device.openLoginResponse(response, to: request, idTokenKeys: fixture.idTokenKeys)
    #expect(agreement.uses == 1)
  }

  @Test("Keys that answer later go through the two-step forms")
  func asynchronousKeys() async throws {
    var fixture = try Fixture()
    let signing = try VectorKeys.privateKey("psso-vector/device-signing")
    let agreement = try VectorKeys.privateKey("psso-vector/device-encryption")
    let keys = fixture.device.keys
    fixture.device.keys = try DeviceKeys(
      publicSigningKey: keys.signingVerificationKey,
      publicEncryptionKey: EncryptionKey(ecdhESX963Representation: keys.encryptionKeyX963Representation))
    #expect(throws: JOSEError(.callerMisuse, "", name: "keys")) { try fixture.refreshRequest() }
    let prepared = try fixture.device.prepareRefreshRequest(refreshToken: "rt-000001", nonces: fixture.nonces())
    let signature = signing.signature(for: prepared.signingInput).rawRepresentation
    #expect(throws: JOSEError(.externalKeyFailed, "")) {
      try prepared.finish(signature: signature.reversed())
    }
    let request = try prepared.finish(signature: signature)
    let response = try await fixture.refreshResponse(to: request)
    #expect(throws: JOSEError(.callerMisuse, "", name: "keys")) {
      try fixture.device.openLoginResponse(response, to: request, idTokenKeys: fixture.idTokenKeys)
    }
    let opening = try fixture.device.prepareLoginResponse(response, to: request, idTokenKeys: fixture.idTokenKeys)
    let ephemeralKey = try P256PublicKey(x963Representation: opening.ephemeralPublicKey)
    let sharedSecret = try agreement.sharedSecret(with: ephemeralKey).withUnsafeBytes { Array($0) }
    #expect(throws: JOSEError(.externalKeyFailed, "")) { try opening.finish(sharedSecret: [1]) }
    #expect(throws: JOSEError(.decryptionFailed, "")) {
      try opening.finish(sharedSecret: sharedSecret.reversed())
    }
    let login = try opening.finish(sharedSecret: sharedSecret)
    #expect(login.response.refreshToken == "rt-000002")
  }
}

extension Fixture {
  /// The provider's whole answer to a refresh request.
  func refreshResponse(to request: DeviceRequest) async throws -> HTTPResponseValue {
    let refresh = try await provider.refreshRequest(from: request.httpRequest)
    let token = try provider.idToken(for: refresh, subject: "5b1f8c3e-jane")
    return try provider.loginResponse(
      to: refresh, LoginResponse(idToken: token, refreshToken: "rt-000002", refreshTokenExpiresIn: .seconds(28_800)))
  }
}

/// A signing key elsewhere that counts its uses.
final class CountingSigner: ExternalSigner {
  private let key: P256PrivateKey
  private let count = Mutex(0)
  let verificationKey: VerificationKey

  init(_ key: P256PrivateKey) throws {
    self.key = key
    verificationKey = try VerificationKey(es256X963Representation: key.publicKey.x963Representation)
  }

  var uses: Int { count.withLock { $0 } }

  func signature(for signingInput: [UInt8]) -> [UInt8] {
    count.withLock { $0 += 1 }
    return key.signature(for: signingInput).rawRepresentation
  }
}

/// A key agreement key elsewhere that counts its uses.
final class CountingAgreement: ExternalKeyAgreement {
  private let key: P256PrivateKey
  private let count = Mutex(0)

  init(_ key: P256PrivateKey) { self.key = key }

  var uses: Int { count.withLock { $0 } }
  var publicKeyX963Representation: [UInt8] { key.publicKey.x963Representation }

  func sharedSecret(withPublicKeyX963Representation publicKey: [UInt8]) throws -> [UInt8] {
    count.withLock { $0 += 1 }
    return try key.sharedSecret(with: P256PublicKey(x963Representation: publicKey)).withUnsafeBytes { Array($0) }
  }
}
