import JOSE
import PlatformSSOKit
import PureCrypto
import PureJOSETestSupport
import Testing

@Suite("Key request and key exchange request")
struct KeyRequestTests {
  static let user = LoginRequestTests.user
  static let keyContext = "b3BhcXVlLWtleS1jb250ZXh0LTE"

  private func parts(_ token: String) throws -> (header: JSONObject, claims: JSONObject) {
    let token = try UnverifiedJWS(parsing: token)
    return (token.unverifiedHeader.parameters, try JSONObject(parsing: token.unverifiedPayload))
  }

  private func named(_ code: ErrorCode, _ name: String? = nil) -> JOSEError {
    JOSEError(code, "", name: name)
  }

  private func keyRequest(_ fixture: Fixture, _ nonces: RequestNonces) throws -> DeviceRequest {
    try fixture.device.keyRequest(of: Self.user, refreshToken: "rt-000001", nonces: nonces)
  }

  private func exchangeRequest(
    _ fixture: Fixture, _ nonces: RequestNonces, keyContext: String? = keyContext
  ) throws -> DeviceRequest {
    try fixture.device.keyRequest(
      of: Self.user, refreshToken: "rt-000001", otherPublicKey: VectorKeys.point("peer-exchange"),
      keyContext: keyContext, nonces: nonces)
  }

  private static let s6Nonces = RequestNonces(
    serverNonce: "3q2-7wAAexampleServerNonce03", clientNonce: "2B3C4D5E-6F70-4B2C-8D3E-4F5A6B7C8D9E")
  private static let s7Nonces = RequestNonces(
    serverNonce: "3q2-7wAAexampleServerNonce04", clientNonce: "3C4D5E6F-7081-4C3D-9E4F-5A6B7C8D9EAF")

  @Test("The requests of vectors S6 and S7 have these members and values")
  func requests() throws {
    let fixture = try Fixture()
    for (request, vector) in [
      (try keyRequest(fixture, Self.s6Nonces), MessageVectors.s6),
      (try exchangeRequest(fixture, Self.s7Nonces), MessageVectors.s7),
    ] {
      let (made, expected) = (try parts(request.assertion), try parts(vector))
      #expect(made.header == expected.header)
      #expect(made.claims == expected.claims)
      _ = try JWS.verify(vector, with: fixture.device.keys.signingVerificationKey)
      #expect(request.httpRequest.headers.values("Accept") == ["application/platformsso-key-response+jwt"])
      #expect(try request.httpRequest.form().uniqueValue("platform_sso_version") == "2.0")
    }
    var silent = fixture
    silent.device.configuration.includesAudienceInKeyRequests = false
    #expect(try parts(keyRequest(silent, Self.s6Nonces).assertion).claims["aud"] == nil)
  }

  @Test("The responses of vectors S6r and S7r open")
  func responses() throws {
    let fixture = try Fixture()
    let keyRequest = try keyRequest(fixture, Self.s6Nonces)
    let exchangeRequest = try exchangeRequest(fixture, Self.s7Nonces)
    func response(_ token: String) -> HTTPResponseValue { HTTPResponseValue(status: 200, body: Array(token.utf8)) }
    let key = try fixture.device.openKeyResponse(response(MessageVectors.s6r), to: keyRequest)
    #expect(key.certificate.count == 352)
    #expect(key.publicKeyX963Representation == (try VectorKeys.point("idp-unlock")))
    #expect(key.keyContext == Self.keyContext)
    let exchange = try fixture.device.openKeyExchangeResponse(response(MessageVectors.s7r), to: exchangeRequest)
    #expect(
      exchange.key.withUnsafeBytes { Array($0) }
        == (try hex("9a15df644b3beb4eaf108fe11633e1637711d8a0ce3a635757613090931dde8a")))
    #expect(exchange.keyContext == Self.keyContext)
    // Another request's answer does not open, whichever way it is taken.
    #expect(throws: named(.decryptionFailed)) {
      try fixture.device.openKeyResponse(response(MessageVectors.s7r), to: keyRequest)
    }
    #expect(throws: named(.callerMisuse, "request")) {
      try fixture.device.openKeyResponse(response(MessageVectors.s6r), to: exchangeRequest)
    }
    #expect(throws: named(.callerMisuse, "request")) {
      try fixture.device.openLoginResponse(
        response(MessageVectors.s6r), to: keyRequest, idTokenKeys: fixture.idTokenKeys)
    }
    fixture.clock.advance(by: 300)
    #expect(throws: named(.claimExpired, "exp")) {
      try fixture.device.openKeyResponse(response(MessageVectors.s6r), to: keyRequest)
    }
    fixture.clock.advance(by: -361)
    #expect(throws: named(.claimNotYetValid, "iat")) {
      try fixture.device.openKeyResponse(response(MessageVectors.s6r), to: keyRequest)
    }
  }

  @Test("A key is provisioned, and exchanged through its context, between device and provider")
  func roundTrip() async throws {
    let fixture = try Fixture()
    let contexts = try KeyContexts(secret: .random(count: 32))
    let unlockKey = UnlockKey.generate()
    let request = try keyRequest(fixture, fixture.nonces())
    let received = try await fixture.provider.keyEndpointRequest(from: request.httpRequest)
    let context = try contexts.seal(unlockKey, userName: received.userName, deviceID: received.request.device.id)
    let certificate = unlockKey.selfSignedCertificate(commonName: "Unlock key", notBefore: Fixture.now)
    let response = try fixture.provider.keyResponse(to: received, certificate: certificate, keyContext: context)
    let key = try fixture.device.openKeyResponse(response, to: request)
    #expect(key.certificate == certificate)
    #expect(key.publicKeyX963Representation == unlockKey.x963Representation)

    let exchange = try exchangeRequest(fixture, fixture.nonces(), keyContext: key.keyContext)
    let asked = try await fixture.provider.keyEndpointRequest(from: exchange.httpRequest)
    let misuse = JOSEError(.callerMisuse, "", name: "request")
    #expect(throws: misuse) { try fixture.provider.keyResponse(to: asked, certificate: certificate) }
    #expect(throws: misuse) { try fixture.provider.keyExchangeResponse(to: received, unlockKey: unlockKey) }
    let opened = try contexts.open(
      asked.keyContext ?? "", userName: asked.userName, deviceID: asked.request.device.id)
    let answer = try fixture.device.openKeyExchangeResponse(
      fixture.provider.keyExchangeResponse(to: asked, unlockKey: opened), to: exchange)
    let peer = try VectorKeys.privateKey("psso-vector/peer-exchange")
    let expected = try peer.sharedSecret(with: P256PublicKey(x963Representation: key.publicKeyX963Representation))
    #expect(answer.key.withUnsafeBytes { Array($0) } == expected.withUnsafeBytes { Array($0) })
  }

  @Test("What the provider refuses of key requests")
  func refusals() async throws {
    let fixture = try Fixture()
    func refusal(_ change: (inout JSONObject) -> Void) async throws -> JOSEError? {
      let request = try exchangeRequest(fixture, fixture.nonces())
      do throws(JOSEError) {
        _ = try await fixture.provider.keyEndpointRequest(
          from: (try? fixture.request(like: request, changing: change)) ?? request.httpRequest)
        return nil
      } catch {
        return error
      }
    }
    #expect(try await refusal { _ in } == nil)
    #expect(try await refusal { $0["aud"] = nil } == nil)
    #expect(try await refusal { $0["aud"] = "other" } == named(.claimMismatch, "aud"))
    #expect(try await refusal { $0["version"] = "2.0" } == named(.claimMismatch, "version"))
    #expect(try await refusal { $0["request_type"] = "key_rotation" } == named(.claimMismatch, "request_type"))
    #expect(try await refusal { $0["key_purpose"] = "other" } == named(.claimMismatch, "key_purpose"))
    #expect(try await refusal { $0["sub"] = "john@example.com" } == named(.claimMismatch, "username"))
    let john = try await refusal { claims in for name in ["sub", "username"] { claims[name] = "john@example.com" } }
    #expect(john == named(.refreshTokenRejected, "refresh_token"))
    #expect(try await refusal { $0["refresh_token"] = "x" } == named(.refreshTokenRejected, "refresh_token"))
    for name in [
      "version", "request_type", "key_purpose", "sub", "username", "refresh_token", "other_publickey", "jwe_crypto",
    ] {
      #expect(try await refusal { $0[name] = nil } == named(.claimMissing, name))
    }
    let point = try VectorKeys.point("peer-exchange")
    func otherKey(_ octets: [UInt8]) async throws -> JOSEError? {
      try await refusal { $0["other_publickey"] = .string(Base64.encode(octets)) }
    }
    var offCurve = point
    offCurve[64] ^= 1
    let wrong: [[UInt8]] = [
      offCurve, Array(point.dropLast()), Array(point.dropFirst()), [0x02] + point[1...], [0x03] + point[1...],
      [0x02] + point[1..<33], [0x00], [0x04] + [UInt8](repeating: 0, count: 64),
      [0x04] + [UInt8](repeating: 0xFF, count: 64),
    ]
    for octets in wrong {
      #expect(try await otherKey(octets) == named(.keyInvalid, "other_publickey"))
    }
    #expect(try await refusal { $0["other_publickey"] = .string(Base64URL.encode(point)) }?.code == .claimInvalid)
    var strict = fixture
    strict.provider.configuration.requiresAudienceInKeyRequests = true
    strict.device.configuration.includesAudienceInKeyRequests = false
    let silent = try keyRequest(strict, strict.nonces())
    await #expect(throws: named(.claimMissing, "aud")) {
      try await strict.provider.keyEndpointRequest(from: silent.httpRequest)
    }
    #expect(throws: named(.keyInvalid)) {
      try fixture.device.keyRequest(
        of: Self.user, refreshToken: "r", otherPublicKey: offCurve, keyContext: nil, nonces: fixture.nonces())
    }
  }

  @Test("A key context opens for its user and device only")
  func contexts() throws {
    let contexts = try KeyContexts(secret: .random(count: 32))
    let key = UnlockKey.generate()
    let context = try contexts.seal(key, userName: "jane", deviceID: "mac-1")
    let opened = try contexts.open(context, userName: "jane", deviceID: "mac-1")
    #expect(opened.x963Representation == key.x963Representation)
    let invalid = named(.keyContextInvalid, "key_context")
    for (user, device) in [("john", "mac-1"), ("jane", "mac-2"), ("jan", "emac-1"), ("", "")] {
      #expect(throws: invalid) { try contexts.open(context, userName: user, deviceID: device) }
    }
    #expect(throws: invalid) {
      try KeyContexts(secret: .random(count: 32)).open(context, userName: "jane", deviceID: "mac-1")
    }
    var octets = try Base64URL.decode(context)
    for index in octets.indices {
      octets[index] ^= 0x10
      #expect(throws: invalid) {
        try contexts.open(Base64URL.encode(octets), userName: "jane", deviceID: "mac-1")
      }
      octets[index] ^= 0x10
    }
    for text in ["", "A", Self.keyContext, context + "AAAA"] {
      #expect(throws: invalid) { try contexts.open(text, userName: "jane", deviceID: "mac-1") }
    }
  }

  @Test("A certificate with another key, or none, is refused")
  func certificates() async throws {
    let fixture = try Fixture()
    let request = try keyRequest(fixture, fixture.nonces())
    let received = try await fixture.provider.keyEndpointRequest(from: request.httpRequest)
    let good = UnlockKey.generate().selfSignedCertificate(commonName: "k", notBefore: NumericDate(2_524_607_999))
    _ = try fixture.provider.keyResponse(to: received, certificate: good)
    for end in stride(from: 0, to: good.count, by: 7) {
      #expect(throws: named(.certificateInvalid, "certificate")) {
        try fixture.provider.keyResponse(to: received, certificate: Array(good[..<end]))
      }
    }
    #expect(throws: named(.certificateInvalid, "certificate")) {
      try fixture.provider.keyResponse(to: received, certificate: good + [0])
    }
  }

  @Test("Responses of senders that drop leading zeros open under the named rule only", arguments: 0..<2)
  func shortCoordinates(_ index: Int) throws {
    var fixture = try Fixture()
    let request = try exchangeRequest(fixture, Self.s7Nonces)
    let ephemeral = try VectorKeys.privateKey(KeyAgreementTests.leadingZeros[index].label)
    func stripped(_ octets: [UInt8]) -> [UInt8] { Array(octets.drop { $0 == 0 }) }
    let (x, y) = (stripped(ephemeral.publicKey.x), stripped(ephemeral.publicKey.y))
    #expect(x.count + y.count == 63)
    let body: JSONObject = [
      "key": .string(Base64.encode([UInt8](repeating: 7, count: 31))), "iat": 1_767_225_600, "exp": 1_767_225_900,
    ]
    let token = try Fixture.response(body, ephemeralKey: ephemeral, x: x, y: y, request: request)
    let response = HTTPResponseValue(status: 200, body: Array(token.utf8))
    #expect(throws: named(.keyInvalid, "epk")) {
      try fixture.device.openKeyExchangeResponse(response, to: request)
    }
    fixture.device.configuration.acceptsShortCoordinates = true
    let opened = try fixture.device.openKeyExchangeResponse(response, to: request)
    #expect(opened.key.withUnsafeBytes { Array($0) } == [0] + [UInt8](repeating: 7, count: 31))
    // A whole key of 31 octets in an otherwise sound response is refused without the rule.
    fixture.device.configuration.acceptsShortCoordinates = false
    let whole = try JWE.encrypt(
      body.serialized(), to: EncryptionKey(ecdhESX963Representation: VectorKeys.point("device-encryption")),
      agreementPartyUInfo: .madeFromEphemeralKey { PartyUInfo.octets(ephemeralKeyX963Representation: $0) },
      agreementPartyVInfo: .agreed(request.agreementPartyVInfo.octets))
    #expect(throws: named(.claimInvalid, "key")) {
      try fixture.device.openKeyExchangeResponse(
        HTTPResponseValue(status: 200, body: Array(whole.utf8)), to: request)
    }
  }
}
