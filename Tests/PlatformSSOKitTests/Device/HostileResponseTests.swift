import JOSE
import PlatformSSOKit
import PureCrypto
import Testing

/// What attackers, proxies and odd servers answer a Mac, of every product.
@Suite("Hostile and odd responses under every preset")
struct HostileResponseTests {
  /// A request, its good answer, and how the Mac opens an answer.
  private struct Exchange {
    let name: String
    let response: HTTPResponseValue
    let open: (HTTPResponseValue) throws -> Void
  }

  private func exchanges(_ fixture: Fixture) async throws -> [Exchange] {
    let (device, provider, user) = (fixture.device, fixture.provider, PresetTests.user)
    let asked = device.serverNonceRequest()
    var found = [
      Exchange(name: "nonce", response: try provider.serverNonceResponse(to: asked)) {
        _ = try device.requestNonces(from: $0, to: asked)
      }
    ]
    let request = try device.loginRequest(of: user, by: .password("correct horse"), nonces: fixture.nonces())
    let login = try await provider.loginRequest(from: request.httpRequest)
    let idToken = try provider.idToken(for: login, subject: "jane", additional: ["oid": "o"])
    let response = try provider.loginResponse(
      to: login, LoginResponse(idToken: idToken, refreshToken: "rt-2", refreshTokenExpiresIn: .seconds(60)))
    found.append(
      Exchange(name: "login", response: response) {
        _ = try device.openLoginResponse($0, to: request, idTokenKeys: fixture.idTokenKeys)
      })
    let key = try device.keyRequest(of: user, refreshToken: "rt-000001", nonces: fixture.nonces())
    let unlockKey = UnlockKey.generate()
    let checkedKey = try await provider.keyEndpointRequest(from: key.httpRequest)
    let certificate = unlockKey.selfSignedCertificate(commonName: "k", notBefore: Fixture.now)
    found.append(
      Exchange(name: "key", response: try provider.keyResponse(to: checkedKey, certificate: certificate)) {
        _ = try device.openKeyResponse($0, to: key)
      })
    let exchange = try device.keyRequest(
      of: user, refreshToken: "rt-000001", otherPublicKey: VectorKeys.point("peer-exchange"), keyContext: nil,
      nonces: fixture.nonces())
    let checked = try await provider.keyEndpointRequest(from: exchange.httpRequest)
    found.append(
      Exchange(name: "exchange", response: try provider.keyExchangeResponse(to: checked, unlockKey: unlockKey)) {
        _ = try device.openKeyExchangeResponse($0, to: exchange)
      })
    return found
  }

  private func refusal(_ exchange: Exchange, _ response: HTTPResponseValue) throws -> JOSEError? {
    do {
      try exchange.open(response)
      return nil
    } catch let error as JOSEError {
      return error
    }
  }

  @Test("An error with the status of a success is no answer, and says what the server's error is")
  func errorsWithSuccess() async throws {
    let fixture = try await PresetTests().fixture(.macOS)
    for exchange in try await exchanges(fixture) where exchange.name != "nonce" {
      var response = exchange.response
      response.body = Array(#"{"error":"invalid_grant","error_description":"the token is over"}"#.utf8)
      let error = try refusal(exchange, response)
      #expect(error?.code == .malformed && error?.reason.contains("serialization") == false, "\(exchange.name)")
      #expect(error.map { "\($0)".hasSuffix("error: invalid_grant, error_description: the token is over") } == true)
    }
  }

  @Test("A malformed body and the response of another exchange are refused", arguments: PlatformSSOPreset.allCases)
  func bodies(_ preset: PlatformSSOPreset) async throws {
    let fixture = try await PresetTests().fixture(preset)
    let first = try await exchanges(fixture)
    let second = try await exchanges(fixture)
    #expect(first.map(\.name) == ["nonce", "login", "key", "exchange"])
    for (index, exchange) in second.enumerated() {
      #expect(try refusal(exchange, exchange.response) == nil, "\(exchange.name)")
      let good = exchange.response.body
      var others: [[UInt8]] = [
        [], Array("<html>Please log in to the network</html>".utf8), Array("null".utf8), Array("[]".utf8),
        Array("{}".utf8), Array("....".utf8), Array("e30..e30.e30.e30".utf8), [0xFF, 0xFE], good + good,
        Array(good.dropLast()),
        Array(good.dropFirst()), [0xEF, 0xBB, 0xBF] + good, [UInt8](repeating: 0x41, count: 2 << 20),
        [UInt8](repeating: 0x2E, count: 1 << 20), [UInt8](repeating: 0x5B, count: 1 << 20),
      ]
      // Answers to other requests, and the same request's of a former exchange; a nonce belongs to no request yet.
      if exchange.name != "nonce" {
        others += second.filter { $0.name != exchange.name }.map(\.response.body) + [first[index].response.body]
      }
      for body in others {
        var response = exchange.response
        response.body = body
        let error = try refusal(exchange, response)
        #expect(error != nil, "\(exchange.name), \(body.count) octets")
        #expect(error?.code != .credentialRejected && error?.fault != .callerMisuse, "\(exchange.name)")
      }
    }
  }

  @Test("A status that is not 200 is no answer, whatever the body", arguments: PlatformSSOPreset.allCases)
  func statuses(_ preset: PlatformSSOPreset) async throws {
    let fixture = try await PresetTests().fixture(preset)
    for exchange in try await exchanges(fixture) {
      for status in [-1, 0, 100, 201, 204, 206, 301, 302, 400, 403, 404, 429, 500, 503, 999, Int.max] {
        var response = exchange.response
        response.status = status
        #expect(try refusal(exchange, response)?.code == .serverUnavailable, "\(exchange.name), \(status)")
      }
    }
  }

  @Test("A nonce is one text at the key path", arguments: PlatformSSOPreset.allCases)
  func nonces(_ preset: PlatformSSOPreset) async throws {
    let fixture = try await PresetTests().fixture(preset)
    let name = fixture.device.configuration.nonceResponseKeypath
    let exchange = try await exchanges(fixture)[0]
    for value in [
      #""""#, "null", "1", "true", "[]", #"["n"]"#, #"{"Nonce":"n"}"#, #""a","\#(name)":"b""#, #""\ud800""#, "'n'",
      "\"n",
      "\"n\u{1}\"",
    ] {
      let response = HTTPResponseValue(status: 200, body: Array(#"{"\#(name)":\#(value)}"#.utf8))
      let fault = try #require(try refusal(exchange, response)?.fault)
      #expect(fault == .malformedMessage || fault == .rejected, "\(value)")
    }
    // It is free text, and comes back as it is.
    let nonce = "+/= :\u{1F4A5}\u{0301}\\\"" + String(repeating: "n", count: 4096)
    let body: JSONObject = [name: .string(nonce)]
    let asked = fixture.device.serverNonceRequest()
    let read = try fixture.device.requestNonces(
      from: HTTPResponseValue(status: 200, body: body.serialized()), to: asked)
    #expect(Array(read.serverNonce.utf8) == Array(nonce.utf8))
    let request = try fixture.device.loginRequest(of: PresetTests.user, by: .password("p"), nonces: read)
    let claims = try JSONObject(parsing: UnverifiedJWS(parsing: request.assertion).unverifiedPayload)
    let sent = claims[fixture.device.configuration.serverNonceClaimName]?.stringValue
    #expect(sent.map { Array($0.utf8) } == Array(nonce.utf8))
  }
}
