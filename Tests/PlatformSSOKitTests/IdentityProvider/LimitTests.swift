import JOSE
import PlatformSSOKit
import PureCrypto
import Testing

/// What LIMITS.md says of Platform SSO.
@Suite("Platform SSO: limits, at the edge and one past it")
struct LimitTests {
  private func error(_ fixture: Fixture, _ request: HTTPRequestValue) async -> JOSEError? {
    do throws(JOSEError) {
      _ = try await fixture.provider.refreshRequest(from: request)
      return nil
    } catch {
      return error
    }
  }

  @Test("a request's body", arguments: [0, 1])
  func body(excess: Int) async throws {
    let fixture = try Fixture()
    var request = try fixture.refreshRequest().httpRequest
    request.body += Array("&pad=".utf8)
    request.body += [UInt8](repeating: 0x61, count: 64 * 1024 + excess - request.body.count)
    let expected = excess == 0 ? nil : JOSEError(.limitExceeded, "", name: "body")
    #expect(await error(fixture, request) == expected)
  }

  @Test("client-request-id", arguments: [1, 128, 129])
  func clientRequestID(count: Int) async throws {
    let fixture = try Fixture()
    let identifier = String(repeating: "i", count: count)
    var nonceRequest = fixture.device.serverNonceRequest()
    try nonceRequest.headers.set("client-request-id", identifier)
    guard count <= 128 else {
      #expect(throws: JOSEError(.fieldInvalid, "", name: "client-request-id")) {
        try fixture.provider.serverNonceResponse(to: nonceRequest)
      }
      return
    }
    let answer = try fixture.provider.serverNonceResponse(to: nonceRequest)
    let nonce = try #require(JSONObject(parsing: answer.body)["Nonce"]?.stringValue)
    let request = try fixture.device.refreshRequest(
      refreshToken: "rt-000001", nonces: RequestNonces(serverNonce: nonce, clientRequestID: identifier))
    #expect(await error(fixture, request.httpRequest) == nil)
  }

  @Test(
    "the time between issue and expiry of a request",
    arguments: [(600, nil), (601, ErrorCode.lifetimeTooLong)])
  func lifetime(seconds: Int, code: ErrorCode?) async throws {
    let fixture = try Fixture()
    let request = try fixture.request(like: fixture.refreshRequest()) {
      $0["exp"] = .number(JSONNumber(Fixture.now.wholeSeconds + seconds))
    }
    #expect(await error(fixture, request)?.code == code)
  }

  @Test(
    "the provider's clock skew",
    arguments: [(0.0, nil), (600, nil), (600.5, ErrorCode.callerMisuse), (-1, .callerMisuse)])
  func clockSkew(seconds: Double, code: ErrorCode?) async throws {
    var fixture = try Fixture()
    fixture.provider.configuration.clockSkew = .seconds(seconds)
    #expect(await error(fixture, try fixture.refreshRequest().httpRequest)?.code == code)
  }

  @Test("the life of a server nonce", arguments: [(1.0, true), (3600, true), (0.5, false), (3600.5, false)])
  func nonceLifetime(seconds: Double, isAccepted: Bool) {
    let nonces = try? ServerNonces(
      secret: SecretBytes(copying: [UInt8](repeating: 1, count: 32)), lifetime: .seconds(seconds))
    #expect((nonces != nil) == isAccepted)
  }

  @Test("the age of a server nonce", arguments: [(299.0, nil), (300, ErrorCode.serverNonceExpired)])
  func nonceAge(seconds: Double, code: ErrorCode?) async throws {
    let fixture = try Fixture()
    let nonces = try fixture.nonces()
    fixture.clock.advance(by: seconds)
    let request = try fixture.device.refreshRequest(refreshToken: "rt-000001", nonces: nonces)
    #expect(await error(fixture, request.httpRequest)?.code == code)
  }

  @Test("groups that a login request asks for", arguments: [(100, nil), (101, ErrorCode.callerMisuse)])
  func groups(count: Int, code: ErrorCode?) throws {
    let fixture = try Fixture()
    var found: ErrorCode?
    do throws(JOSEError) {
      _ = try fixture.device.loginRequest(
        of: UserLoginConfiguration(loginUserName: Fixture.user), by: .password("p"),
        nonces: RequestNonces(serverNonce: "n"), groups: (0..<count).map { "g\($0)" })
    } catch {
      found = error.code
    }
    #expect(found == code)
  }

  @Test("an encrypted response", arguments: [0, 1])
  func response(excess: Int) throws {
    var fixture = try Fixture()
    let request = try fixture.device.refreshRequest(
      refreshToken: "rt-000001", nonces: RequestNonces(serverNonce: "n"))
    fixture.device.limits.tokenByteCount = 100
    let response = HTTPResponseValue(status: 200, body: [UInt8](repeating: 0x61, count: 100 + excess))
    let expected = JOSEError(excess == 0 ? .malformed : .limitExceeded, "", name: excess == 0 ? nil : "body")
    #expect(throws: expected) {
      try fixture.device.openLoginResponse(response, to: request, idTokenKeys: fixture.idTokenKeys)
    }
  }
}
