import JOSE
import PlatformSSOKit
import PureCrypto
import Testing

/// The mutations that every validator must refuse, one test for each of the list, with the very error.
@Suite("Mutations that must be refused")
struct MutationTests {
  private func named(_ code: ErrorCode, _ name: String? = nil) -> JOSEError {
    JOSEError(code, "", name: name)
  }

  /// The segments of a token with one of them changed.
  private func changed(_ token: String, _ segment: Int, _ change: (inout [UInt8]) -> Void) throws -> String {
    var segments = token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    var octets = try Base64URL.decode(segments[segment])
    change(&octets)
    segments[segment] = Base64URL.encode(octets)
    return segments.joined(separator: ".")
  }

  private func request(_ change: (inout JSONObject) -> Void) async throws -> JOSEError? {
    let fixture = try Fixture()
    return await fixture.refusal(of: try fixture.request(like: fixture.refreshRequest(), changing: change))
  }

  private func response(
    _ body: JSONObject = Fixture.tokens, _ change: (inout CraftedResponse) -> Void = { _ in }
  ) throws -> JOSEError? {
    let fixture = try Fixture()
    let request = try fixture.vectorRequest()
    var crafted = CraftedResponse(to: request)
    change(&crafted)
    return fixture.refusal(of: try crafted.sealed(body), to: request)
  }

  private func idToken(_ change: (inout JSONObject) -> Void) throws -> JOSEError? {
    let fixture = try Fixture()
    var claims = try JSONObject(parsing: UnverifiedJWS(parsing: MessageVectors.s4i).unverifiedPayload)
    change(&claims)
    let payload = claims
    var tokens = Fixture.tokens
    tokens["id_token"] = .string(try JWT.sign(payload, with: fixture.provider.idTokenKey))
    return try response(tokens)
  }

  @Test("One bit in header, payload or signature of a request")
  func requestBits() async throws {
    let fixture = try Fixture()
    let request = try fixture.refreshRequest()
    for (segment, codes) in [
      (0, [ErrorCode.signatureInvalid, .malformed, .headerInvalid, .typeMismatch, .algorithmNotAllowed]),
      (1, [.signatureInvalid]), (2, [.signatureInvalid]),
    ] {
      let count = try Base64URL.decode(String(request.assertion.split(separator: ".")[segment])).count
      for bit in stride(from: 0, to: count * 8, by: segment == 0 ? 5 : 61) {
        let token = try changed(request.assertion, segment) { $0[bit / 8] ^= 1 << UInt8(bit % 8) }
        let changed = try fixture.request(like: request, assertion: token)
        do throws(JOSEError) {
          _ = try await fixture.provider.refreshRequest(from: changed)
          Issue.record("bit \(bit) of segment \(segment)")
        } catch {
          let headerCodes: [ErrorCode] = [.keyIdentifierInvalid, .deviceUnknown]
          #expect((codes + (segment == 0 ? headerCodes : [])).contains(error.code), "bit \(bit): \(error)")
        }
      }
    }
    // Nothing of all this used up the nonce.
    #expect(await fixture.refusal(of: request.httpRequest) == nil)
  }

  @Test("One bit in initialization vector, ciphertext or tag of a response")
  func responseBits() throws {
    let fixture = try Fixture()
    let request = try fixture.vectorRequest()
    #expect(fixture.refusal(of: MessageVectors.s4, to: request) == nil)
    for (segment, step) in [(2, 7), (3, 403), (4, 11)] {
      let octets = try Base64URL.decode(
        String(MessageVectors.s4.split(separator: ".", omittingEmptySubsequences: false)[segment]))
      for bit in stride(from: 0, to: octets.count * 8, by: step) {
        let token = try changed(MessageVectors.s4, segment) { $0[bit / 8] ^= 1 << UInt8(bit % 8) }
        #expect(fixture.refusal(of: token, to: request) == named(.decryptionFailed))
      }
    }
  }

  @Test("One bit in apu or epk.x of a response")
  func headerBits() throws {
    #expect(try response() == nil)
    for bit in [0, 31, 32, 71, 72, 103, 104, 111, 112, 623] {
      let error = try response {
        var octets = $0.partyUInfo
        octets[bit / 8] ^= 1 << UInt8(bit % 8)
        $0.header["apu"] = .string(Base64URL.encode(octets))
      }
      #expect(
        [.partyInfoMalformed, .partyInfoPrefixInvalid, .partyInfoKeyMismatch].contains(error?.code), "\(bit)")
      #expect(error?.name == "apu")
    }
    var offCurve = 0
    for bit in stride(from: 0, to: 256, by: 17) {
      let error = try response { crafted in
        var x = crafted.ephemeralKey.publicKey.x
        x[bit / 8] ^= 1 << UInt8(bit % 8)
        var epk = crafted.header["epk"]?.objectValue ?? [:]
        epk["x"] = .string(Base64URL.encode(x))
        crafted.header["epk"] = .object(epk)
      }
      // With the old y hardly any x is on the curve.
      #expect(error == named(.keyInvalid, "epk") || error == named(.partyInfoKeyMismatch, "apu"))
      if error?.code == .keyInvalid { offCurve += 1 }
    }
    #expect(offCurve > 10)
  }

  @Test("apu with the prefix of apv, apv with that of apu, and each in the other's place")
  func prefixes() async throws {
    #expect(
      try response { $0.header["apu"] = .string(Base64URL.encode(Self.replacingPrefix($0.partyUInfo, "Apple"))) }
        == named(.partyInfoPrefixInvalid, "apu"))
    #expect(
      try response { $0.header["apu"] = .string(Base64URL.encode($0.partyVInfo)) } == named(.partyInfoMalformed, "apu"))
    #expect(
      try response { $0.header["apv"] = .string(Base64URL.encode($0.partyUInfo)) } == named(.partyInfoMismatch, "apv"))
    #expect(
      try response {
        $0.header["apu"] = .string(Base64URL.encode($0.partyVInfo))
        $0.header["apv"] = .string(Base64URL.encode($0.partyUInfo))
        swap(&$0.partyUInfo, &$0.partyVInfo)
      } == named(.partyInfoMalformed, "apu"))
    #expect(
      try await partyV { Self.replacingPrefix($0, "APPLE") } == named(.partyInfoPrefixInvalid, "apv"))
    #expect(
      try await partyV { _ in
        PartyUInfo.octets(ephemeralKeyX963Representation: (try? VectorKeys.point("device-encryption")) ?? [])
      } == named(.partyInfoMalformed, "apv"))
  }

  private static func replacingPrefix(_ octets: [UInt8], _ prefix: String) -> [UInt8] {
    octets[..<4] + Array(prefix.utf8) + octets[9...]
  }

  /// A request with another `jwe_crypto.apv`.
  private func partyV(_ change: @escaping ([UInt8]) -> [UInt8]) async throws -> JOSEError? {
    try await request { claims in
      var crypto = claims["jwe_crypto"]?.objectValue ?? [:]
      let octets = (try? Base64URL.decode(crypto["apv"]?.stringValue ?? "")) ?? []
      crypto["apv"] = .string(Base64URL.encode(change(octets)))
      claims["jwe_crypto"] = .object(crypto)
    }
  }

  @Test("Party infos without their inner lengths, and a key derived without the outer ones")
  func lengthPrefixes() async throws {
    #expect(
      try response {
        $0.partyUInfo = Array($0.partyUInfo[4..<9] + $0.partyUInfo[13...])
        $0.header["apu"] = .string(Base64URL.encode($0.partyUInfo))
      } == named(.partyInfoMalformed, "apu"))
    #expect(
      try await partyV { Array($0[4..<9] + $0[13..<78] + $0[82...]) } == named(.partyInfoMalformed, "apv"))
    #expect(
      try response { crafted in
        let (partyU, partyV) = (crafted.partyUInfo, crafted.partyVInfo)
        crafted.derive = { secret in
          let fixed: [UInt8] = [0, 0, 0, 7] + Array("A256GCM".utf8)
          let input = [0, 0, 0, 1] + secret.withUnsafeBytes { Array($0) } + fixed + partyU + partyV + [0, 0, 1, 0]
          return Array(SHA2.SHA256.hash(input))
        }
      } == named(.decryptionFailed))
  }

  @Test("The client's nonce in the party info of an encrypted password")
  func nonceOfEmbeddedAssertion() async throws {
    let point = try VectorKeys.point("idp-login-encryption")
    func refusal(_ nonce: (RequestNonces) -> String) async throws -> JOSEError? {
      var fixture = try Fixture()
      fixture.provider.configuration.loginRequestDecryptionKeys = [try VectorKeys.agreement("idp-login-encryption")]
      let nonces = try fixture.nonces()
      let claims: JSONObject = [
        "iss": .string(Fixture.user), "sub": .string(Fixture.user), "aud": "https://idp.example.com",
        "iat": 1_767_225_600, "exp": 1_767_225_900, "nonce": .string(nonces.clientNonce),
        "request_nonce": .string(nonces.serverNonce), "scope": "openid offline_access urn:apple:platformsso",
        "password": "correct horse",
      ]
      let partyVInfo = EmbeddedAssertionPartyVInfo.octets(
        prefix: nil, recipientX963Representation: point, serverNonce: nonce(nonces))
      let assertion = try JWE.encrypt(
        claims.serialized(), to: EncryptionKey(ecdhESX963Representation: point),
        header: HeaderParameters(type: "platformsso-encrypted-login-assertion+jwt"),
        agreementPartyUInfo: .madeFromEphemeralKey { PartyUInfo.octets(ephemeralKeyX963Representation: $0) },
        agreementPartyVInfo: .octets(partyVInfo))
      let login = try fixture.device.loginRequest(of: LoginRequestTests.user, by: .password(""), nonces: nonces)
      return await fixture.refusal(
        of: try fixture.request(like: login) {
          $0["grant_type"] = "urn:ietf:params:oauth:grant-type:jwt-bearer"
          $0["password"] = nil
          $0["assertion"] = .string(assertion)
        })
    }
    #expect(try await refusal(\.serverNonce) == nil)
    #expect(try await refusal(\.clientNonce) == named(.partyInfoNonceMismatch, "apv"))
  }

  @Test("Another device's encryption key in apv")
  func foreignEncryptionKey() async throws {
    let stranger = try VectorKeys.point("peer-exchange")
    #expect(
      try await request {
        let partyV = PartyVInfo(encryptionKeyX963Representation: stranger, nonce: $0["nonce"]?.stringValue ?? "")
        $0["jwe_crypto"] = [
          "alg": "ECDH-ES", "enc": "A256GCM", "apv": .string(Base64URL.encode(partyV.octets)),
        ]
      } == named(.partyInfoKeyMismatch, "apv"))
  }

  @Test("alg none, enc A128GCM, zip, an encrypted key")
  func headers() async throws {
    #expect(try response { $0.header["alg"] = "none" } == named(.encryptionUnsupported, "alg"))
    #expect(try response { $0.header["enc"] = "A128GCM" } == named(.encryptionUnsupported, "enc"))
    #expect(try response { $0.header["zip"] = "DEF" } == named(.encryptionUnsupported, "zip"))
    #expect(try response { $0.encryptedKey = "AA" } == named(.malformed))
    let fixture = try Fixture()
    let request = try fixture.refreshRequest()
    let segments = request.assertion.split(separator: ".")
    let kid = fixture.device.keys.signingKeyID.text
    for (header, error) in [
      (#"{"alg":"none","typ":"platformsso-refresh-request+jwt","kid":"\#(kid)"}"#, named(.algorithmNotAllowed, "alg")),
      (
        #"{"alg":"ES256","zip":"DEF","typ":"platformsso-refresh-request+jwt","kid":"\#(kid)"}"#,
        named(.headerInvalid, "zip")
      ),
    ] {
      for signature in [String(segments[2]), ""] {
        let token = "\(Base64URL.encode(Array(header.utf8))).\(segments[1]).\(signature)"
        #expect(await fixture.refusal(of: try fixture.request(like: request, assertion: token)) == error)
      }
    }
    #expect(
      try await self.request {
        var crypto = $0["jwe_crypto"]?.objectValue ?? [:]
        crypto["enc"] = "A128GCM"
        $0["jwe_crypto"] = .object(crypto)
      } == named(.encryptionUnsupported, "enc"))
  }

  @Test("exp that has passed, iat ten minutes ahead, another aud, another iss, a used server nonce")
  func claims() async throws {
    #expect(try await request { _ in } == nil)
    #expect(try await request { $0["exp"] = 1_767_225_599 } == named(.claimExpired, "exp"))
    #expect(try await request { $0["iat"] = 1_767_226_200 } == named(.claimNotYetValid, "iat"))
    #expect(try await request { $0["aud"] = "https://other.example/psso/token" } == named(.claimMismatch, "aud"))
    #expect(try await request { $0["iss"] = "other-client" } == named(.claimMismatch, "iss"))
    let fixture = try Fixture()
    let nonces = try fixture.nonces()
    for error in [nil, named(.serverNonceReplayed, "request_nonce")] {
      let request = try fixture.device.refreshRequest(
        refreshToken: "rt-000001", nonces: RequestNonces(serverNonce: nonces.serverNonce))
      #expect(await fixture.refusal(of: request.httpRequest) == error)
    }
  }

  @Test("id_token: exp, iat, aud, iss, another nonce, an array aud with another azp")
  func idToken() throws {
    #expect(try idToken { _ in } == nil)
    #expect(try idToken { $0["exp"] = 1_767_225_599 } == named(.claimExpired, "exp"))
    #expect(try idToken { $0["iat"] = 1_767_226_200 } == named(.claimNotYetValid, "iat"))
    #expect(try idToken { $0["aud"] = "other" } == named(.claimMismatch, "aud"))
    #expect(try idToken { $0["iss"] = "https://other.example" } == named(.claimMismatch, "iss"))
    #expect(try idToken { $0["nonce"] = "other" } == named(.claimMismatch, "nonce"))
    #expect(
      try idToken {
        $0["aud"] = ["psso-client", "other"]; $0["azp"] = "other"
      } == named(.claimMismatch, "azp"))
  }

  @Test("An inner sub other than the outer")
  func innerSubject() async throws {
    let fixture = try Fixture()
    try await fixture.store.enroll(RegisteredKey(x963Representation: VectorKeys.point("user-secure-enclave")))
    let userKey = try VectorKeys.signing("user-secure-enclave")
    let nonces = try fixture.nonces()
    let john = try fixture.device.embeddedAssertion(
      of: UserLoginConfiguration(loginUserName: "john@example.com"), signedWith: userKey, nonces: nonces)
    let login = try fixture.device.loginRequest(
      of: LoginRequestTests.user, by: .embeddedAssertion(john), nonces: nonces)
    #expect(await fixture.refusal(of: login.httpRequest) == named(.claimMismatch, "iss"))
  }

  @Test("A key response in place of a login response, and the reverse")
  func exchangedResponses() throws {
    let body: JSONObject = ["certificate": "MAA", "iat": 1_767_225_600, "exp": 1_767_225_900]
    #expect(try response(body) == named(.claimMissing, "id_token"))
    #expect(
      try response(body) { $0.header["typ"] = "platformsso-key-response+jwt" } == named(.typeMismatch, "typ"))
    let fixture = try Fixture()
    let request = try fixture.device.keyRequest(
      of: LoginRequestTests.user, refreshToken: "r", nonces: RequestNonces(serverNonce: "n"))
    func key(_ type: String) throws -> JOSEError? {
      let token = try CraftedResponse(to: request, type: type).sealed(Fixture.tokens)
      do throws(JOSEError) {
        _ = try fixture.device.openKeyResponse(HTTPResponseValue(status: 200, body: Array(token.utf8)), to: request)
        return nil
      } catch { return error }
    }
    #expect(try key("platformsso-login-response+jwt") == named(.typeMismatch, "typ"))
    #expect(try key("platformsso-key-response+jwt") == named(.claimMissing, "iat"))
  }

  @Test("other_publickey off the curve, of 64 octets, or compressed")
  func otherPublicKey() async throws {
    let fixture = try Fixture()
    let point = try VectorKeys.point("peer-exchange")
    var offCurve = point
    offCurve[40] ^= 1
    for octets in [offCurve, Array(point.dropFirst()), [0x02] + point[1..<33], [0x03] + point[1..<33]] {
      let request = try fixture.device.keyRequest(
        of: LoginRequestTests.user, refreshToken: "rt-000001", otherPublicKey: point, keyContext: nil,
        nonces: fixture.nonces())
      let changed = try fixture.request(like: request) { $0["other_publickey"] = .string(Base64.encode(octets)) }
      #expect(await fixture.refusal(of: changed) == named(.keyInvalid, "other_publickey"))
    }
  }

  @Test("A shared key of 31 octets")
  func trimmedKey() throws {
    let fixture = try Fixture()
    let request = try fixture.device.keyRequest(
      of: LoginRequestTests.user, refreshToken: "r", otherPublicKey: VectorKeys.point("peer-exchange"),
      keyContext: nil, nonces: RequestNonces(serverNonce: "n"))
    for count in [0, 31, 33] {
      let body: JSONObject = [
        "key": .string(Base64.encode([UInt8](repeating: 1, count: count))), "iat": 1_767_225_600,
        "exp": 1_767_225_900,
      ]
      let token = try CraftedResponse(to: request, type: "platformsso-key-response+jwt").sealed(body)
      #expect(throws: named(.claimInvalid, "key")) {
        try fixture.device.openKeyExchangeResponse(
          HTTPResponseValue(status: 200, body: Array(token.utf8)), to: request)
      }
    }
  }
}
