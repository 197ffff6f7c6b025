import JOSE
import PlatformSSOKit
import PureCrypto
import Testing

@Suite("What the provider refuses of a refresh request")
struct ProviderRefusalTests {
  private func error(
    _ fixture: Fixture, _ request: HTTPRequestValue
  ) async -> JOSEError? {
    do throws(JOSEError) {
      _ = try await fixture.provider.refreshRequest(from: request)
      return nil
    } catch {
      return error
    }
  }

  private func named(_ code: ErrorCode, _ name: String? = nil) -> JOSEError {
    JOSEError(code, "", name: name)
  }

  /// The error of a request whose claims or header were changed before it was signed.
  private func error(
    key: SigningKey? = nil, type: String? = nil, keyID: String? = nil, header: JSONObject = [:],
    _ change: (inout JSONObject) -> Void = { _ in }
  ) async throws -> JOSEError? {
    let fixture = try Fixture()
    let request = try fixture.request(
      like: fixture.refreshRequest(), key: key, type: type, keyID: keyID, header: header, changing: change)
    return await error(fixture, request)
  }

  @Test("A missing, mistyped, wrong or expired claim is refused by its name")
  func claims() async throws {
    #expect(try await error() == nil)
    for name in [
      "iss", "client_id", "aud", "iat", "exp", "nonce", "request_nonce", "jwe_crypto", "grant_type", "scope",
      "refresh_token",
    ] {
      #expect(try await error { $0[name] = nil } == named(.claimMissing, name))
      #expect(try await error { $0[name] = true } == named(.claimInvalid, name))
      #expect(try await error { $0[name] = .null } == named(.claimInvalid, name))
    }
    for name in ["iss", "client_id", "aud", "grant_type"] {
      #expect(try await error { $0[name] = "other" } == named(.claimMismatch, name))
    }
    #expect(try await error { $0["aud"] = "https://idp.example.com/psso/token/" } == named(.claimMismatch, "aud"))
    #expect(try await error { $0["aud"] = ["https://idp.example.com/psso/token"] } == nil)
    #expect(try await error { $0["grant_type"] = "password" } == named(.claimMismatch, "grant_type"))
    #expect(try await error { $0["exp"] = 1_767_225_600 } == named(.claimExpired, "exp"))
    #expect(try await error { $0["iat"] = 1_767_225_660 } == nil)
    #expect(try await error { $0["iat"] = 1_767_226_200 } == named(.claimNotYetValid, "iat"))
    #expect(try await error { $0["exp"] = 1_767_226_201 } == named(.lifetimeTooLong, "exp"))
    #expect(
      try await error {
        $0["iat"] = "1767225600"; $0["exp"] = "1767225900"
      } == nil)
    #expect(try await error { $0["iat"] = "1e9" } == named(.claimInvalid, "iat"))
    #expect(try await error { $0["nonce"] = "" } == named(.claimInvalid, "nonce"))
    #expect(
      try await error { $0["nonce"] = .string(String(repeating: "a", count: 129)) } == named(.claimInvalid, "nonce"))
    #expect(try await error { $0["unknown"] = ["x": 1] } == nil)
  }

  @Test("A wrong signature, typ or kid is refused by its name")
  func header() async throws {
    let stranger = try SigningKey.generate(.es256)
    #expect(try await error(key: stranger) == named(.signatureInvalid))
    #expect(try await error(type: "platformsso-login-request+jwt") == named(.typeMismatch, "typ"))
    #expect(try await error(type: "JWT") == named(.typeMismatch, "typ"))
    #expect(try await error(type: "application/platformsso-refresh-request+jwt") == nil)
    #expect(try await error(type: "PlatformSSO-Refresh-Request+JWT") == nil)
    #expect(try await error(keyID: "x") == named(.keyIdentifierInvalid, "kid"))
    #expect(try await error(keyID: "xn+koRKA6QjRHUV646Ekc7/aWZW+DFiZmyvmJYbPgg8=") == named(.deviceUnknown, "kid"))
    #expect(try await error(keyID: "RNSAAz30Eh9REKwpQ21OfBmxo5jsJS7FhPNKnEJsdqA") == nil)
    let fixture = try Fixture()
    let request = try fixture.refreshRequest()
    let segments = request.assertion.split(separator: ".").map(String.init)
    func refusal(header: String, signature: String? = nil) async throws -> JOSEError? {
      let token = [Base64URL.encode(Array(header.utf8)), segments[1], signature ?? segments[2]].joined(separator: ".")
      return await error(fixture, try fixture.request(like: request, assertion: token))
    }
    let kid = fixture.device.keys.signingKeyID.text
    let type = "platformsso-refresh-request+jwt"
    #expect(
      try await refusal(header: #"{"alg":"none","typ":"\#(type)","kid":"\#(kid)"}"#)
        == named(.algorithmNotAllowed, "alg"))
    #expect(
      try await refusal(header: #"{"alg":"HS256","typ":"\#(type)","kid":"\#(kid)"}"#)
        == named(.algorithmNotAllowed, "alg"))
    #expect(try await refusal(header: #"{"alg":"ES256","typ":"\#(type)"}"#) == named(.headerInvalid, "kid"))
    #expect(try await refusal(header: #"{"alg":"ES256","kid":"\#(kid)"}"#) == named(.typeMismatch, "typ"))
    #expect(try await refusal(header: #"{"alg":"ES256","typ":5,"kid":"\#(kid)"}"#) == named(.headerInvalid, "typ"))
    #expect(try await refusal(header: #"{"typ":"\#(type)","kid":"\#(kid)"}"#) == named(.headerInvalid, "alg"))
    #expect(
      try await refusal(header: #"{"alg":"ES256","alg":"ES256","typ":"\#(type)","kid":"\#(kid)"}"#) == named(.malformed)
    )
    #expect(
      try await refusal(header: #"{"alg":"ES256","typ":"\#(type)","kid":"\#(kid)","zip":"DEF"}"#)
        == named(.headerInvalid, "zip"))
    #expect(
      try await refusal(header: #"{"alg":"ES256","typ":"\#(type)","kid":"\#(kid)","b64":true}"#)
        == named(.headerInvalid, "b64"))
    #expect(
      try await refusal(header: #"{"alg":"ES256","typ":"\#(type)","kid":"\#(kid)","crit":["x"],"x":1}"#)
        == named(.criticalHeaderUnsupported, "crit"))
    // The same header with a space is another signing input.
    #expect(
      try await refusal(header: #"{"alg":"ES256", "typ":"\#(type)","kid":"\#(kid)"}"#) == named(.signatureInvalid))
    for end in [0, 1, 40, 85] {
      let code = await error(
        fixture,
        try fixture.request(like: request, assertion: "\(segments[0]).\(segments[1]).\(segments[2].prefix(end))"))?.code
      #expect(code == .signatureInvalid || code == .malformed)
    }
    for index in 0..<3 {
      var octets = try Base64URL.decode(segments[index])
      octets[octets.count / 2] ^= 1
      var changed = segments
      changed[index] = Base64URL.encode(octets)
      #expect(
        await error(fixture, try fixture.request(like: request, assertion: changed.joined(separator: "."))) != nil)
    }
    for token in ["", "..", "a.b", "a.b.c.d.e", "....", MessageVectors.s4, MessageVectors.s6] {
      #expect(await error(fixture, try fixture.request(like: request, assertion: token)) != nil)
    }
    // None of all this used up the nonces.
    #expect(await error(fixture, request.httpRequest) == nil)
  }

  @Test("A body in which a member is there twice, or that is no object, is refused behind a right signature")
  func malformedBodies() async throws {
    let fixture = try Fixture()
    let request = try fixture.refreshRequest()
    let payload = String(
      decoding: try UnverifiedJWS(parsing: request.assertion).unverifiedPayload, as: UTF8.self)
    let key = try VectorKeys.signing("device-signing")
    let header = HeaderParameters(
      type: "platformsso-refresh-request+jwt", keyID: fixture.device.keys.signingKeyID.text)
    for body in [
      #"{"iss":"other","# + payload.dropFirst(), #"{"\u0069ss":"other","# + payload.dropFirst(), "[\(payload)]",
      payload + " x", String(payload.dropLast()), "", "null", "\u{FEFF}" + payload,
    ] {
      let token = try JWS.sign(Array(body.utf8), with: key, header: header)
      #expect(await error(fixture, try fixture.request(like: request, assertion: token)) == named(.malformed))
    }
    let whole = try JWS.sign(Array(payload.utf8), with: key, header: header)
    #expect(await error(fixture, try fixture.request(like: request, assertion: whole)) == nil)
  }

  @Test("The JWT type is accepted on request")
  func legacyType() async throws {
    var fixture = try Fixture()
    fixture.provider.configuration.acceptsJWTType = true
    fixture.device.configuration.customRefreshRequestClaims.type = "JWT"
    #expect(await error(fixture, try fixture.refreshRequest().httpRequest) == nil)
  }

  @Test("A used, expired or foreign nonce is refused by its claim's name")
  func nonces() async throws {
    let fixture = try Fixture()
    let request = try fixture.refreshRequest()
    #expect(await error(fixture, request.httpRequest) == nil)
    #expect(await error(fixture, request.httpRequest) == named(.serverNonceReplayed, "request_nonce"))
    // A fresh server nonce does not make the device's own fresh.
    let fresh = try fixture.nonces()
    let again = try fixture.device.refreshRequest(
      refreshToken: "rt-000001",
      nonces: RequestNonces(serverNonce: fresh.serverNonce, clientNonce: request.nonces.clientNonce))
    #expect(await error(fixture, again.httpRequest) == named(.clientNonceReplayed, "nonce"))
    // The server nonce is used up although the request failed.
    let third = try fixture.device.refreshRequest(
      refreshToken: "rt-000001", nonces: RequestNonces(serverNonce: fresh.serverNonce))
    #expect(await error(fixture, third.httpRequest) == named(.serverNonceReplayed, "request_nonce"))

    let old = try fixture.nonces()
    fixture.clock.advance(by: 300)
    let late = try fixture.device.refreshRequest(refreshToken: "rt-000001", nonces: old)
    #expect(await error(fixture, late.httpRequest) == named(.serverNonceExpired, "request_nonce"))
    let invalid = named(.serverNonceInvalid, "request_nonce")
    #expect(try await self.error { $0["request_nonce"] = "3q2-7wAAexampleServerNonce02" } == invalid)
    #expect(try await self.error { $0["request_nonce"] = .string(MessageVectors.s4) } == invalid)
    #expect(try await self.error { $0["request_nonce"] = "" } == named(.claimInvalid, "request_nonce"))
    #expect(
      try await self.error {
        var octets = (try? Base64URL.decode($0["request_nonce"]?.stringValue ?? "")) ?? []
        octets[8] ^= 1
        $0["request_nonce"] = .string(Base64URL.encode(octets))
      } == invalid)
    // All of vector S5 is right except that its server nonce is another provider's.
    fixture.clock.now = NumericDate(1_767_240_000)
    let s5 = try fixture.request(like: request, assertion: MessageVectors.s5)
    #expect(await error(fixture, s5) == invalid)
  }

  @Test("client-request-id")
  func clientRequestID() async throws {
    var fixture = try Fixture()
    var request = try fixture.refreshRequest().httpRequest
    request.headers.remove("client-request-id")
    #expect(await error(fixture, request) == named(.fieldMissing, "client-request-id"))
    try request.headers.append("client-request-id", "A")
    try request.headers.append("Client-Request-ID", "A")
    #expect(await error(fixture, request) == named(.fieldInvalid, "client-request-id"))
    try request.headers.set("client-request-id", "A")
    fixture.provider.configuration.bindsServerNonces = true
    #expect(await error(fixture, request) == named(.serverNonceInvalid, "request_nonce"))
    var bound = try fixture.refreshRequest().httpRequest
    try bound.headers.set("client-request-id", bound.headers.values("client-request-id")[0].lowercased())
    #expect(await error(fixture, bound) == nil)
    fixture.provider.configuration.clientRequestID = .notChecked
    var unchecked = try fixture.refreshRequest().httpRequest
    unchecked.headers.remove("client-request-id")
    #expect(await error(fixture, unchecked) == nil)
  }

  @Test("HTTP form")
  func httpForm() async throws {
    let fixture = try Fixture()
    let request = try fixture.refreshRequest()
    func refusal(_ change: (inout HTTPRequestValue) throws -> Void) async throws -> JOSEError? {
      var changed = request.httpRequest
      try change(&changed)
      return await error(fixture, changed)
    }
    func fields(_ field: (String, String) -> String?) async throws -> JOSEError? {
      await error(fixture, try fixture.request(like: request, field: field))
    }
    #expect(try await refusal { $0.method = "GET" } == named(.methodNotAllowed))
    #expect(try await refusal { $0.headers.remove("Content-Type") } == named(.contentTypeInvalid))
    #expect(try await refusal { try $0.headers.set("Content-Type", "text/plain") } == named(.contentTypeInvalid))
    #expect(try await refusal { $0.body += [UInt8](repeating: 0x61, count: 65_536) } == named(.limitExceeded, "body"))
    #expect(try await refusal { $0.body = Array("%".utf8) } == named(.malformed, "body"))
    #expect(try await refusal { $0.body = [] } == named(.fieldMissing, "assertion"))
    for name in ["assertion", "grant_type", "platform_sso_version"] {
      #expect(try await fields { $0 == name ? nil : $1 } == named(.fieldMissing, name))
      #expect(try await refusal { $0.body += Array("&\(name)=x".utf8) } == named(.fieldDuplicated, name))
    }
    #expect(try await refusal { $0.body += Array("&request=x".utf8) } == named(.fieldDuplicated, "assertion"))
    #expect(try await fields { $0 == "grant_type" ? "refresh_token" : $1 } == named(.fieldInvalid, "grant_type"))
    #expect(
      try await fields { $0 == "platform_sso_version" ? "2.0" : $1 } == named(.fieldInvalid, "platform_sso_version"))
    #expect(try await refusal { $0.body += Array("&custom=1&custom=2".utf8) } == nil)
    let other = try fixture.refreshRequest()
    #expect(await error(fixture, try fixture.request(like: other) { $0 == "platform_sso_version" ? "1" : $1 }) == nil)
  }

  @Test("jwe_crypto")
  func responseEncryption() async throws {
    func crypto(_ change: @escaping (inout JSONObject) -> Void) async throws -> JOSEError? {
      try await error { claims in
        guard case .object(var object)? = claims["jwe_crypto"] else { return }
        change(&object)
        claims["jwe_crypto"] = .object(object)
      }
    }
    #expect(try await crypto { $0["alg"] = "ECDH-ES+A128KW" } == named(.encryptionUnsupported, "alg"))
    #expect(try await crypto { $0["alg"] = "HPKE-P256-SHA256-A256GCM" } == named(.hpkeUnsupported, "alg"))
    #expect(try await crypto { $0["enc"] = "A128GCM" } == named(.encryptionUnsupported, "enc"))
    for name in ["alg", "enc", "apv"] {
      #expect(try await crypto { $0[name] = nil } == named(.claimMissing, name))
      #expect(try await crypto { $0[name] = 1 } == named(.claimInvalid, name))
    }
    #expect(try await crypto { $0["apv"] = "A" } == named(.claimInvalid, "apv"))
    #expect(try await crypto { $0["apv"] = "" } == named(.partyInfoMalformed, "apv"))

    let device = try VectorKeys.point("device-encryption")
    func partyV(_ make: @escaping (String) -> [UInt8]) async throws -> JOSEError? {
      try await error { claims in
        let octets = make(claims["nonce"]?.stringValue ?? "")
        claims["jwe_crypto"] = ["alg": "ECDH-ES", "enc": "A256GCM", "apv": .string(Base64URL.encode(octets))]
      }
    }
    func good(_ nonce: String) -> [UInt8] { PartyVInfo(encryptionKeyX963Representation: device, nonce: nonce).octets }
    #expect(try await partyV(good) == nil)
    #expect(try await partyV { good($0.lowercased()) } == named(.partyInfoNonceMismatch, "apv"))
    #expect(try await partyV { _ in good("other") } == named(.partyInfoNonceMismatch, "apv"))
    let stranger = try VectorKeys.point("peer-exchange")
    #expect(
      try await partyV { PartyVInfo(encryptionKeyX963Representation: stranger, nonce: $0).octets }
        == named(.partyInfoKeyMismatch, "apv"))
    #expect(try await partyV { Array(good($0).dropFirst(9)) } == named(.partyInfoMalformed, "apv"))
    #expect(try await partyV { [0, 0, 0, 118] + good($0) } == named(.partyInfoMalformed, "apv"))
    #expect(try await partyV { Array(good($0).dropLast()) } == named(.partyInfoMalformed, "apv"))
    #expect(
      try await partyV { _ in PartyUInfo.octets(ephemeralKeyX963Representation: device) }
        == named(.partyInfoMalformed, "apv"))
    #expect(
      try await partyV { nonce in
        var octets = good(nonce)
        octets.replaceSubrange(4..<9, with: Array("APPLE".utf8))
        return octets
      } == named(.partyInfoPrefixInvalid, "apv"))
  }

  @Test("Refresh tokens")
  func refreshTokens() async throws {
    let fixture = try Fixture()
    let rejected = named(.refreshTokenRejected, "refresh_token")
    #expect(await error(fixture, try fixture.refreshRequest("unknown").httpRequest) == rejected)
    try await fixture.store.give("replaced", at: Fixture.now.advanced(by: -100))
    try await fixture.store.give("good", at: Fixture.now.advanced(by: -60))
    #expect(await error(fixture, try fixture.refreshRequest("good").httpRequest) == nil)
    let keys = try DeviceKeys.generate()
    _ = try await fixture.provider.devices.register(DeviceRegistration(deviceID: "mac-2", keys: keys))
    try await fixture.store.give("foreign", on: "mac-2")
    try await fixture.store.give("expired", expiration: Fixture.now)
    for token in ["replaced", "foreign", "expired"] {
      #expect(await error(fixture, try fixture.refreshRequest(token).httpRequest) == rejected)
    }
  }

  @Test("S-N13: a refresh with a revoked token ends with an error, and no token is in the response")
  func revokedToken() async throws {
    let fixture = try Fixture()
    try await fixture.store.give("revoked")
    #expect(try await fixture.provider.logins.endLogins(of: Fixture.user) == 2)
    for token in ["revoked", "never-given"] {
      let request = try fixture.refreshRequest(token)
      // There is no checked request to make tokens for: the check either returns one or throws.
      let refusal = await error(fixture, request.httpRequest)
      #expect(refusal == named(.refreshTokenRejected, "refresh_token"))
      let response = fixture.provider.errorResponse(for: refusal ?? named(.malformed))
      #expect(response.status == 401)
      #expect(try JSONObject(parsing: response.body) == ["error": "invalid_grant"])
      #expect(response.headers.values("Content-Type") == ["application/json"])
      #expect(response.headers.values("Cache-Control") == ["no-store"])
      // A Mac asks the user again by its status; a challenge would be for OAuth's client authentication.
      #expect(response.headers.values("WWW-Authenticate").isEmpty)
      #expect(throws: named(.credentialRejected)) {
        try fixture.device.openLoginResponse(response, to: request, idTokenKeys: fixture.idTokenKeys)
      }
    }
  }

  @Test("S-N14: exp that has passed, a used server nonce, ES384, another kid and another aud are refused")
  func numberedRefusals() async throws {
    #expect(try await error { $0["exp"] = 1_767_225_599 } == named(.claimExpired, "exp"))
    let fixture = try Fixture()
    let request = try fixture.refreshRequest()
    #expect(await error(fixture, request.httpRequest) == nil)
    #expect(await error(fixture, request.httpRequest) == named(.serverNonceReplayed, "request_nonce"))
    let segments = try fixture.refreshRequest().assertion.split(separator: ".")
    let header =
      #"{"alg":"ES384","typ":"platformsso-refresh-request+jwt","kid":"\#(fixture.device.keys.signingKeyID)"}"#
    let es384 = "\(Base64URL.encode(Array(header.utf8))).\(segments[1]).\(segments[2])"
    #expect(
      await error(fixture, try fixture.request(like: request, assertion: es384)) == named(.algorithmNotAllowed, "alg"))
    let otherKeyID = KeyIdentifierTests.identifiers[1].1
    #expect(try await error(keyID: otherKeyID) == named(.deviceUnknown, "kid"))
    #expect(try await error { $0["aud"] = "https://elsewhere.example/token" } == named(.claimMismatch, "aud"))
  }

  @Test("A failing store is not the device's fault, and every error has its status")
  func statuses() async throws {
    let fixture = try Fixture()
    func status(_ code: ErrorCode, _ name: String? = nil) -> Int {
      fixture.provider.errorResponse(for: named(code, name)).status
    }
    #expect(status(.refreshTokenRejected) == 401)
    #expect(status(.passwordRejected) == 401)
    // No other credential of the user's would help: the key must be enrolled.
    #expect(status(.userKeyUnknown) == 400)
    #expect(status(.userKeyUnknown, "kid") == 400)
    // Another card would.
    #expect(status(.userKeyUnknown, "x5c") == 401)
    let unknown = fixture.provider.errorResponse(for: named(.userKeyUnknown)).body
    #expect(String(decoding: unknown, as: UTF8.self) == #"{"error":"invalid_grant"}"#)
    #expect(status(.signatureInvalid) == 400)
    #expect(status(.serverNonceReplayed) == 400)
    #expect(status(.claimMissing) == 400)
    #expect(status(.contentTypeInvalid) == 415)
    #expect(status(.methodNotAllowed) == 405)
    #expect(status(.limitExceeded, "body") == 413)
    #expect(status(.storeUnavailable) == 503)
    #expect(status(.callerMisuse) == 500)
    let body = fixture.provider.errorResponse(for: named(.refreshTokenRejected)).body
    #expect(String(decoding: body, as: UTF8.self) == #"{"error":"invalid_grant"}"#)
    await fixture.store.fail(named(.callerMisuse))
    #expect(await error(fixture, try fixture.refreshRequest().httpRequest) == named(.storeUnavailable))
  }

  @Test("While keys are being replaced, both serve")
  func rotation() async throws {
    var fixture = try Fixture()
    let old = fixture.device.keys
    let new = try DeviceKeys.generate()
    func key(_ point: [UInt8]) throws -> RegisteredKey { try RegisteredKey(x963Representation: point) }
    try await fixture.store.register(
      RegisteredDevice(
        id: "mac-1", signingKey: key(new.signingKeyX963Representation),
        encryptionKey: key(new.encryptionKeyX963Representation),
        otherSigningKey: key(old.signingKeyX963Representation),
        otherEncryptionKey: key(old.encryptionKeyX963Representation)))
    for keys in [old, new] {
      fixture.device.keys = keys
      let request = try fixture.refreshRequest()
      let response = try await fixture.refreshResponse(to: request)
      _ = try fixture.device.openLoginResponse(response, to: request, idTokenKeys: fixture.idTokenKeys)
    }
  }

  @Test("A key that was prepared serves its own device, and no device that was removed")
  func preparedKeys() async throws {
    let fixture = try Fixture()
    var macs: [Fixture] = []
    for number in 0..<18 {
      var mac = fixture
      mac.device.keys = try DeviceKeys.generate()
      let registration = try DeviceRegistration(deviceID: "mac-\(number + 2)", keys: mac.device.keys)
      _ = try await fixture.provider.devices.register(registration)
      macs.append(mac)
    }
    func refusal(_ mac: Fixture) async throws -> JOSEError? {
      let request = try mac.device.loginRequest(
        of: LoginRequestTests.user, by: .password("correct horse"), nonces: mac.nonces())
      return await mac.refusal(of: request.httpRequest)
    }
    for mac in macs + macs.reversed() { #expect(try await refusal(mac) == nil) }
    #expect(try await fixture.provider.devices.remove(id: "mac-2", tenant: nil))
    #expect(try await refusal(macs[0])?.code == .deviceUnknown)
    #expect(try await refusal(macs[1]) == nil)
  }
}
