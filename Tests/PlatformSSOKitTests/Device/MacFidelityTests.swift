import JOSE
import PlatformSSOKit
import PureCrypto
import Testing

/// What a device sends unless it is told otherwise: what captured requests of Macs have, also where Apple's tables
/// differ.
@Suite("The device is like a Mac")
struct MacFidelityTests {
  static let user = LoginRequestTests.user

  private func device(_ change: (inout LoginConfiguration) -> Void = { _ in }) throws -> PlatformSSODevice {
    var configuration = LoginConfiguration(
      clientID: "psso-client", issuer: "https://idp.example.com", audience: "https://idp.example.com",
      tokenEndpointURL: "https://idp.example.com/psso/token", jwksEndpointURL: "https://idp.example.com/jwks")
    configuration.refreshEndpointURL = configuration.tokenEndpointURL
    change(&configuration)
    let fixture = try Fixture()
    return PlatformSSODevice(configuration: configuration, keys: fixture.device.keys, clock: fixture.clock.wallClock)
  }

  private func text(_ token: String, _ segment: Int) throws -> String {
    let segments = token.split(separator: ".", omittingEmptySubsequences: false)
    return String(decoding: try Base64URL.decode(String(segments[segment])), as: UTF8.self)
  }

  private func claims(_ token: String) throws -> JSONObject { try JSONObject(parsing: Array(text(token, 1).utf8)) }

  private static let nonces = RequestNonces(
    serverNonce: "3q2-7wAAexampleServerNonce01", clientNonce: "0F3A5C7E-1B2D-4E6F-8A9B-0C1D2E3F4A5B")

  @Test("The header begins with the type, then algorithm and key; a certificate and custom parameters follow")
  func header() throws {
    let device = try device { $0.customLoginRequestClaims.header = ["x": 1] }
    let request = try device.loginRequest(of: Self.user, by: .password("p"), nonces: Self.nonces)
    let keyID = device.keys.signingKeyID.text
    let expected = #"{"typ":"platformsso-login-request+jwt","alg":"ES256","kid":"\#(keyID)","x":1}"#
    #expect(try text(request.assertion, 0) == expected)
    #expect(
      try claims(request.assertion).names == [
        "client_id", "iss", "iat", "exp", "scope", "nonce", "request_nonce", "aud", "username", "sub", "grant_type",
        "password", "amr", "jwe_crypto",
      ])
  }

  @Test("The preset of macOS writes the claims in the order of captured requests, and changes none")
  func capturedOrder() throws {
    let mac = try device { $0.apply(.macOS) }
    let plain = try device { $0.indentsJSON = true }
    func names(_ request: (PlatformSSODevice) throws -> DeviceRequest) throws -> [String] {
      let (ordered, documented) = (try claims(request(mac).assertion), try claims(request(plain).assertion))
      #expect(ordered.count == documented.count)
      for (name, value) in documented.members where name != "jwe_crypto" { #expect(ordered[name] == value) }
      #expect(ordered["jwe_crypto"]?.objectValue?.names == ["alg", "enc", "apv"])
      #expect(try text(request(mac).assertion, 1).hasPrefix("{\n  \"jwe_crypto\" : {\n    \"alg\" : \"ECDH-ES\",\n"))
      return ordered.names
    }
    #expect(
      try names { try $0.loginRequest(of: Self.user, by: .password("p"), nonces: Self.nonces, groups: ["g"]) } == [
        "jwe_crypto", "exp", "nonce", "request_nonce", "scope", "grant_type", "iss", "password", "sub", "amr", "claims",
        "aud", "username", "client_id", "iat",
      ])
    #expect(
      try names { try $0.keyRequest(of: Self.user, refreshToken: "r", nonces: Self.nonces) } == [
        "jwe_crypto", "exp", "request_type", "nonce", "version", "request_nonce", "refresh_token", "iss", "key_purpose",
        "sub", "username", "iat",
      ])
    let point = try VectorKeys.point("peer-exchange")
    #expect(
      try names {
        try $0.keyRequest(
          of: Self.user, refreshToken: "r", otherPublicKey: point, keyContext: "c", nonces: Self.nonces)
      } == [
        "jwe_crypto", "exp", "request_type", "nonce", "version", "request_nonce", "other_publickey", "refresh_token",
        "key_context", "iss", "key_purpose", "sub", "username", "iat",
      ])
    // A claim of the extension's, and a nonce under another name.
    let custom = try device {
      $0.apply(.macOS)
      $0.serverNonceClaimName = "srv"
      $0.customRefreshRequestClaims.body = ["x": 1]
    }
    let refresh = try claims(custom.refreshRequest(refreshToken: "r", nonces: Self.nonces).assertion)
    #expect(
      refresh.names == [
        "jwe_crypto", "exp", "nonce", "srv", "scope", "grant_type", "refresh_token", "iss", "aud", "client_id", "iat",
        "x",
      ])
  }

  @Test("A login by a password has amr, unless it is told not to or a custom claim says otherwise")
  func authenticationMethods() throws {
    func amr(_ method: LoginMethod, _ change: (inout LoginConfiguration) -> Void = { _ in }) throws -> JSONValue? {
      try claims(device(change).loginRequest(of: Self.user, by: method, nonces: Self.nonces).assertion)["amr"]
    }
    #expect(try amr(.password("p")) == ["pwd"])
    let key = try VectorKeys.point("idp-login-encryption")
    #expect(try amr(.password("p")) { $0.loginRequestEncryptionPublicKey = key } == ["pwd"])
    #expect(try amr(.userSecureEnclaveKey(VectorKeys.signing("user-secure-enclave"))) == nil)
    #expect(try amr(.password("p")) { $0.includesAuthenticationMethods = false } == nil)
    #expect(try amr(.password("p")) { $0.customLoginRequestClaims.body = ["amr": ["mfa"]] } == ["mfa"])
  }

  @Test("A key request has no aud, unless it is told to, and then of the configured name")
  func keyRequestAudience() throws {
    func audience(_ change: (inout LoginConfiguration) -> Void = { _ in }) throws -> JSONValue? {
      try claims(device(change).keyRequest(of: Self.user, refreshToken: "r", nonces: Self.nonces).assertion)["aud"]
    }
    #expect(try audience() == nil)
    #expect(try audience { $0.includesAudienceInKeyRequests = true } == "https://idp.example.com")
    #expect(
      try audience {
        $0.includesAudienceInKeyRequests = true
        $0.keyRequestAudience = "getkeydata"
      } == "getkeydata")
    #expect(try audience { $0.customKeyRequestClaims.body = ["aud": "custom"] } == "custom")
  }

  @Test("JSON may be written as Foundation does, byte for byte")
  func foundationText() throws {
    let device = try device { $0.indentsJSON = true }
    let request = try device.loginRequest(
      of: Self.user, by: .password("p/\""), nonces: Self.nonces, groups: ["staff", "é"])
    let keyID = device.keys.signingKeyID.text
    #expect(
      try text(request.assertion, 0)
        == "{\n  \"typ\" : \"platformsso-login-request+jwt\",\n  \"alg\" : \"ES256\",\n  \"kid\" : \"\(keyID)\"\n}")
    let body = try text(request.assertion, 1)
    #expect(
      body.hasPrefix("{\n  \"client_id\" : \"psso-client\",\n  \"iss\" : \"psso-client\",\n  \"iat\" : 1767225600,\n"))
    #expect(body.contains("\n  \"password\" : \"p/\\\"\",\n"))
    #expect(
      body.contains(
        "\"groups\" : {\n        \"values\" : [\n          \"staff\",\n          \"é\"\n        ]\n      }\n    }\n  }")
    )
    #expect(body.hasSuffix("\n  }\n}"))
    _ = try JWS.verify(request.assertion, with: device.keys.signingVerificationKey)
  }

  // MARK: Answers

  private func named(_ code: ErrorCode, _ name: String? = nil) -> JOSEError {
    JOSEError(code, "", name: name)
  }

  @Test("An initialization vector of 96 octets is named for what it is, and opens by choice")
  func longInitializationVector() throws {
    var fixture = try Fixture()
    let request = try fixture.vectorRequest()
    var crafted = CraftedResponse(to: request)
    for count in [96, 13, 16] {
      crafted.initializationVector = [UInt8](repeating: 7, count: count)
      let token = try crafted.sealed(Fixture.tokens)
      fixture.device.configuration.acceptsLongInitializationVectors = false
      let refusal = try #require(fixture.refusal(of: token, to: request))
      #expect(refusal == named(.initializationVectorUnsupported, "iv"))
      #expect(refusal.reason.contains("initialization vector"))
      fixture.device.configuration.acceptsLongInitializationVectors = true
      #expect(fixture.refusal(of: token, to: request) == nil)
      let last = token.utf8.count - 3
      var changed = Array(token.utf8)
      changed[last] = changed[last] == 0x41 ? 0x42 : 0x41
      #expect(fixture.refusal(of: String(decoding: changed, as: UTF8.self), to: request) == named(.decryptionFailed))
    }
    for count in [0, 11] {
      crafted.initializationVector = [UInt8](repeating: 7, count: count)
      #expect(fixture.refusal(of: try crafted.sealed(Fixture.tokens), to: request) == named(.malformed))
    }
  }

  @Test("An id_token without nonce, key answers without times and of other types are accepted by choice")
  func lenientAnswers() throws {
    var fixture = try Fixture()
    let request = try fixture.device.keyRequest(of: Self.user, refreshToken: "r", nonces: Self.nonces)
    let certificate = UnlockKey.generate().selfSignedCertificate(commonName: "k", notBefore: Fixture.now)
    // base64url with padding, as a server writes it.
    let text = Base64.encode(certificate).replacing("+", with: "-").replacing("/", with: "_")
    func refusal(_ body: JSONObject, type: String) throws -> JOSEError? {
      let token = try CraftedResponse(to: request, type: type).sealed(body)
      do throws(JOSEError) {
        let opened = try fixture.device.openKeyResponse(
          HTTPResponseValue(status: 200, body: Array(token.utf8)), to: request)
        #expect(opened.certificate == certificate && opened.additional["more"] == 1)
        return nil
      } catch { return error }
    }
    let body: JSONObject = ["certificate": .string(text), "more": 1]
    #expect(try refusal(body, type: "platformsso-key-response+jwt") == named(.claimMissing, "iat"))
    fixture.device.configuration.requiresKeyResponseTimes = false
    #expect(try refusal(body, type: "platformsso-key-response+jwt") == nil)
    var late = body
    late["exp"] = 1_767_225_600
    #expect(try refusal(late, type: "platformsso-key-response+jwt") == named(.claimExpired, "exp"))
    let type = "platformsso-key-exchange-response+jwt"
    #expect(try refusal(body, type: type) == named(.typeMismatch, "typ"))
    fixture.device.configuration.acceptedKeyResponseTypes = [type]
    #expect(try refusal(body, type: type) == nil)
  }

  @Test("An id_token without the request's nonce is refused, or by choice one without any nonce accepted")
  func idTokenNonce() throws {
    var fixture = try Fixture()
    let request = try fixture.vectorRequest()
    func refusal(nonce: JSONValue?) throws -> JOSEError? {
      var claims = try JSONObject(parsing: UnverifiedJWS(parsing: MessageVectors.s4i).unverifiedPayload)
      claims["nonce"] = nonce
      let token = try JWT.sign(claims, with: VectorKeys.signing("idp-token-signing", keyID: "idp-es256-1"))
      var tokens = Fixture.tokens
      tokens["id_token"] = .string(token)
      return fixture.refusal(of: try CraftedResponse(to: request).sealed(tokens), to: request)
    }
    #expect(try refusal(nonce: nil) == named(.claimMissing, "nonce"))
    fixture.device.configuration.requiresIDTokenNonce = false
    #expect(try refusal(nonce: nil) == nil)
    #expect(try refusal(nonce: "other") == named(.claimMismatch, "nonce"))
  }
}
