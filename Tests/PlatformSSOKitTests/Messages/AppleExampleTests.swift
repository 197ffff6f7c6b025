import JOSE
import PlatformSSOKit
import PureCrypto
import Testing

/// Messages with the names and the forms of values that Apple's pages show, and the figures of the example with private
/// keys.
@Suite("The shapes of Apple's examples")
struct AppleExampleTests {
  /// The device of the page Performing encryption verification.
  private func exampleDevice() throws -> PlatformSSODevice {
    func key(_ x: String, _ y: String, _ d: String) throws -> JWK {
      try JWK(["kty": "EC", "crv": "P-256", "x": .string(x), "y": .string(y), "d": .string(d)])
    }
    let signing = try key(
      "gK60EgxT-EipyAgSlrHG0LgFVrgnd8UXAvLOgykJtms", "PAIz7YrH4Rxz1rlfn6JcnwSmFDVGY1ISlGnmK1NX5vs",
      "vXZoCHYVxEJVcCcQN50ZKEBwhlQYO6g3KaUIufh3vXw")
    let encryption = try key(
      "TvkPOH4yscrSC1rFYvnBVPYMqzR1vKck9ht4D7K_gAQ", "4MlSuUf_7J6Ljv0FBT1jK0_sKGB4WYwdKCOtnTEAwz4",
      "1bqqmpoFEtzSnQMqp9N9ZRybnP8vjFUiZyGaSgKVGMw")
    var configuration = LoginConfiguration(
      clientID: "aaff1524-fa35-40c5-94e3-2b233c5f2965", issuer: "https://localhost.apple.com:8888",
      audience: "E1E8D2C5-7E5E-4C3B-9F59-1B1B9C0D4A6E",
      tokenEndpointURL: "https://localhost.apple.com:8888/auth/token",
      jwksEndpointURL: "https://localhost.apple.com:8888/auth/jwks")
    configuration.isBuiltForMacOS13 = true
    configuration.refreshEndpointURL = configuration.tokenEndpointURL
    return PlatformSSODevice(
      configuration: configuration,
      keys: try DeviceKeys(
        signingKey: SigningKey(signing, algorithm: .es256), encryptionKey: DecryptionKey(encryption, algorithm: .ecdhES)
      ),
      clock: .fixed(at: NumericDate(1_656_005_132)))
  }

  private let nonces = RequestNonces(
    serverNonce: "AwABAAEAAAACAOz_BAD0_8vU8eH9", clientNonce: "DDF68171-409D-4E2C-91F0-9E42D7745365")

  private func parts(_ token: String) throws -> (header: JSONObject, claims: JSONObject) {
    let token = try UnverifiedJWS(parsing: token)
    return (token.unverifiedHeader.parameters, try JSONObject(parsing: token.unverifiedPayload))
  }

  @Test("The login request of the encryption example: typ, kid, client, audience, user, nonce and apv")
  func loginRequest() throws {
    let request = try exampleDevice().loginRequest(
      of: UserLoginConfiguration(loginUserName: "foo"), by: .password("bar"), nonces: nonces)
    let (header, claims) = try parts(request.assertion)
    #expect(
      header == ["typ": "JWT", "alg": "ES256", "kid": "Ws9mKynZxyUSNXYtMGAjjLO+Jg16HCa/5pJO0udNWJ4="])
    #expect(claims["client_id"] == "aaff1524-fa35-40c5-94e3-2b233c5f2965" && claims["grant_type"] == "password")
    #expect(claims["username"] == "foo" && claims["password"] == "bar" && claims["iat"] == 1_656_005_132)
    #expect(claims["aud"] == "https://localhost.apple.com:8888/auth/token")
    #expect(claims["nonce"] == "DDF68171-409D-4E2C-91F0-9E42D7745365")
    #expect(
      claims["jwe_crypto"] == [
        "alg": "ECDH-ES", "enc": "A256GCM",
        "apv":
          "AAAABUFwcGxlAAAAQQRO-Q84fjKxytILWsVi-cFU9gyrNHW8pyT2G3gPsr-ABODJUrlH_-yei479BQU9YytP7ChgeFmMHSgjrZ0xAMM-AAAAJERERjY4MTcxLTQwOUQtNEUyQy05MUYwLTlFNDJENzc0NTM2NQ",
      ])
    #expect(try request.httpRequest.form().fields.map(\.name) == ["platform_sso_version", "grant_type", "request"])
  }

  @Test("A response by the example's ephemeral key has the example's apu, Z and key, and opens")
  func response() throws {
    let device = try exampleDevice()
    let ephemeral = try P256PrivateKey(
      rawRepresentation: Base64URL.decode("okDfU7IYlFXoEKgqu-79iy-AR55omCKzVKlFCXy8z5c"))
    let partyU =
      "AAAABUFQUExFAAAAQQRUhd2C7fHR4uARW1E5nlhDgZRLxZlBP7cc-pfYU-hjgnq3_ZxJBAvEorsD_u3-7nQ-wp1-ShGrlSHwT6Kp5pWK"
    #expect(
      Base64URL.encode(PartyUInfo.octets(ephemeralKeyX963Representation: ephemeral.publicKey.x963Representation))
        == partyU)
    let recipient = try P256PublicKey(x963Representation: device.keys.encryptionKeyX963Representation)
    let secret = try ephemeral.sharedSecret(with: recipient)
    #expect(secret.withUnsafeBytes { Base64URL.encode($0) } == "L87ywmD3aLpVlXsqAvq7udyr4s6M0y9MjQCytE71epA")
    let request = try device.loginRequest(
      of: UserLoginConfiguration(loginUserName: "foo"), by: .password("bar"), nonces: nonces)
    let info = KeyAgreement.otherInfo(
      algorithmID: "A256GCM", partyUInfo: try Base64URL.decode(partyU),
      partyVInfo: request.agreementPartyVInfo.octets, keyBitCount: 256)
    let key = try secret.concatKDFDerivedKey(otherInfo: info, bitCount: 256)
      .withUnsafeBytes { Array($0) }
    #expect(Base64URL.encode(key) == "kh36uWSGH25r09lLf3m5l3TLS5xKAs-h3UCdbTKheCY")

    // The members of the example's response: no apv, typ JWT, the device's kid; times as strings, upn and no sub.
    let idTokenKey = try SigningKey.generate(.rs256, keyID: "k")
    let claims: JSONObject = [
      "nonce": .string(nonces.clientNonce), "iat": "1656005132", "nbf": "1656005132", "exp": "1656033932",
      "upn": "foo", "aud": "aaff1524-fa35-40c5-94e3-2b233c5f2965", "iss": "https://localhost.apple.com:8888",
    ]
    let body: JSONObject = [
      "refresh_token": "r", "id_token": .string(try JWT.sign(claims, with: idTokenKey)), "expires_on": "1656033932",
      "token_type": "Bearer", "expires_in": 28_800, "refresh_token_expires_in": 28_800,
    ]
    let header: JSONObject = [
      "enc": "A256GCM", "typ": "JWT", "alg": "ECDH-ES", "kid": "pScnuzx3x85Eyp6CtK9UQADxOsAGTP72y02Tg3m1sk8=",
      "apu": .string(partyU),
      "epk": [
        "kty": "EC", "crv": "P-256", "x": "VIXdgu3x0eLgEVtROZ5YQ4GUS8WZQT-3HPqX2FPoY4I",
        "y": "erf9nEkEC8SiuwP-7f7udD7CnX5KEauVIfBPoqnmlYo",
      ],
    ]
    let head = Base64URL.encode(header.serialized(options: .pretty))
    let box = try AESGCM(key: key).seal(body.serialized(options: .pretty), authenticating: Array(head.utf8))
    let token = [
      head, "", Base64URL.encode(box.initializationVector), Base64URL.encode(box.ciphertext),
      Base64URL.encode(box.authenticationTag),
    ].joined(separator: ".")
    var reader = device
    reader.configuration.uniqueIdentifierClaimName = "upn"
    let opened = try reader.openLoginResponse(
      HTTPResponseValue(status: 200, body: Array(token.utf8)), to: request,
      idTokenKeys: JWKSet([idTokenKey.verificationKey.publicJWK].compactMap { $0 }))
    #expect(opened.uniqueIdentifier == "foo" && opened.response.sessionLifetime == .seconds(28_800))
    #expect(opened.response.additional["expires_on"] == "1656033932")
  }

  @Test("The refresh request's header and body have the sample's members and forms of values")
  func refreshRequest() throws {
    var device = try exampleDevice()
    device.configuration.isBuiltForMacOS13 = false
    device.keys.signingCertificate = [0x30, 0x82, 0x01, 0x81]
    let request = try device.refreshRequest(refreshToken: "abcd1234", nonces: nonces)
    let (header, claims) = try parts(request.assertion)
    #expect(
      header == [
        "kid": "Ws9mKynZxyUSNXYtMGAjjLO+Jg16HCa/5pJO0udNWJ4=", "x5c": "MIIBgQ==",
        "typ": "platformsso-refresh-request+jwt", "alg": "ES256",
      ])
    #expect(
      claims == [
        "iat": 1_656_005_132, "exp": 1_656_005_432,
        "jwe_crypto": [
          "alg": "ECDH-ES", "enc": "A256GCM", "apv": .string(Base64URL.encode(request.agreementPartyVInfo.octets)),
        ],
        "nonce": "DDF68171-409D-4E2C-91F0-9E42D7745365", "request_nonce": "AwABAAEAAAACAOz_BAD0_8vU8eH9",
        "scope": "openid offline_access urn:apple:platformsso", "refresh_token": "abcd1234",
        "grant_type": "refresh_token", "aud": "https://localhost.apple.com:8888/auth/token",
        "client_id": "aaff1524-fa35-40c5-94e3-2b233c5f2965", "iss": "aaff1524-fa35-40c5-94e3-2b233c5f2965",
      ])
  }

  @Test("Embedded assertions: the members of both tables, kid, x5c as a string, and the assertion's audience")
  func embeddedAssertions() throws {
    var device = try exampleDevice()
    device.configuration.isBuiltForMacOS13 = false
    let card = try SigningKey.generate(.es256)
    let point = card.verificationKey.x963Representation ?? []
    let user = UserLoginConfiguration(loginUserName: "foo")
    let (header, claims) = try parts(
      device.embeddedAssertion(of: user, signedWith: card, certificate: [0x30, 0x00], nonces: nonces).assertion)
    #expect(
      header == [
        "typ": "platformsso-login-assertion+jwt", "alg": "ES256", "x5c": "MAA=",
        "kid": .string(Base64.encode(SHA2.SHA256.hash(point))),
      ])
    let expected: JSONObject = [
      "aud": "E1E8D2C5-7E5E-4C3B-9F59-1B1B9C0D4A6E", "iss": "foo", "sub": "foo", "iat": 1_656_005_132,
      "exp": 1_656_005_432, "nonce": "DDF68171-409D-4E2C-91F0-9E42D7745365",
      "request_nonce": "AwABAAEAAAACAOz_BAD0_8vU8eH9", "scope": "openid offline_access urn:apple:platformsso",
    ]
    #expect(claims == expected)

    device.configuration.loginRequestEncryptionPublicKey = try VectorKeys.point("idp-login-encryption")
    device.configuration.loginRequestEncryptionAPVPrefix = Array("APPLEEMBEDDED".utf8)
    let encrypted = try device.encryptedEmbeddedAssertion(of: user, password: "bar", nonces: nonces).assertion
    let opened = try JWE.decrypt(
      encrypted, with: VectorKeys.agreement("idp-login-encryption"), contentEncryption: [.a256gcm])
    var withPassword = expected
    withPassword["password"] = "bar"
    // The plaintext is the claims themselves, no token in a token.
    #expect(try JSONObject(parsing: opened.plaintext) == withPassword)
    #expect(Set(opened.header.parameters.names) == ["typ", "alg", "enc", "epk", "apu", "apv", "kid"])
    let apv = try Base64URL.decode(opened.header["apv"]?.stringValue ?? "")
    #expect(
      apv == [0, 0, 0, 13] + Array("APPLEEMBEDDED".utf8) + [0, 0, 0, 65]
        + (try VectorKeys.point("idp-login-encryption")) + [0, 0, 0, 28] + Array(nonces.serverNonce.utf8))
  }

  @Test("A login response as a device gets it: status, headers, five segments of which the second is empty")
  func responseHeaders() async throws {
    let fixture = try Fixture()
    let request = try fixture.refreshRequest()
    let response = try await fixture.refreshResponse(to: request)
    #expect(response.status == 200)
    #expect(response.headers.values("Content-Type") == ["application/platformsso-login-response+jwt"])
    #expect(response.headers.values("Cache-Control") == ["no-store"])
    #expect(response.headers.values("Pragma") == ["no-cache"])
    let segments = String(decoding: response.body, as: UTF8.self)
      .split(separator: ".", omittingEmptySubsequences: false)
    #expect(segments.count == 5 && segments[1].isEmpty)
    #expect(try Base64URL.decode(String(segments[2])).count == 12)
    #expect(try Base64URL.decode(String(segments[4])).count == 16)
    let header = try JSONObject(parsing: Base64URL.decode(String(segments[0])))
    #expect(header["alg"] == "ECDH-ES" && header["enc"] == "A256GCM")
    #expect(header["typ"] == "platformsso-login-response+jwt")
    #expect(Set(header["epk"]?.objectValue?.names ?? []) == ["kty", "crv", "x", "y"])
  }

  @Test("The error sample of 400 with errorCode and suberror means a wrong credential under its predicate")
  func errorSample() throws {
    var fixture = try Fixture()
    let request = try fixture.vectorRequest()
    let body: JSONObject = ["errorCode": "C0000006", "suberror": "invalid_password"]
    let response = HTTPResponseValue(status: 400, body: body.serialized())
    func code() -> ErrorCode? {
      do throws(JOSEError) {
        _ = try fixture.device.openLoginResponse(response, to: request, idTokenKeys: fixture.idTokenKeys)
        return nil
      } catch { return error.code }
    }
    #expect(code() == .serverUnavailable)
    fixture.device.configuration.isInvalidCredential = { $0["suberror"] == "invalid_password" }
    #expect(code() == .credentialRejected)
    fixture.device.configuration.isInvalidCredential = { $0["suberror"] == "other" }
    #expect(code() == .serverUnavailable)
  }
}
