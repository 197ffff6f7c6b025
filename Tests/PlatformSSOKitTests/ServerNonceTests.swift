import JOSE
import PlatformSSOKit
import PureCrypto
import Testing

@Suite("Server nonce")
struct ServerNonceTests {
  @Test("The request is that of Apple's article")
  func request() throws {
    let request = try Fixture().device.serverNonceRequest()
    #expect(request.httpRequest.method == "POST")
    #expect(request.httpRequest.url == "https://idp.example.com/psso/token")
    #expect(String(decoding: request.httpRequest.body, as: UTF8.self) == "grant_type=srv_challenge")
    #expect(request.httpRequest.headers.values("Accept") == ["application/json"])
    #expect(request.httpRequest.headers.values("Content-Type") == ["application/x-www-form-urlencoded"])
    #expect(request.httpRequest.headers.values("client-request-id") == [request.clientRequestID])
    #expect(request.clientRequestID.utf8.count == 36)
    #expect(request.clientRequestID == request.clientRequestID.uppercased())
  }

  @Test("Endpoint and custom values are configurable")
  func configured() throws {
    var device = try Fixture().device
    device.configuration.nonceEndpointURL = "https://idp.example.com/nonce"
    device.configuration.customNonceRequestValues = [CustomValue("tenant", "a b&c")]
    let request = device.serverNonceRequest()
    #expect(request.httpRequest.url == "https://idp.example.com/nonce")
    #expect(String(decoding: request.httpRequest.body, as: UTF8.self) == "grant_type=srv_challenge&tenant=a+b%26c")
  }

  @Test("The nonce is found at the configured key path")
  func keypath() throws {
    var device = try Fixture().device
    let request = device.serverNonceRequest()
    func nonce(_ json: String, at path: String, status: Int = 200) throws -> String {
      device.configuration.nonceResponseKeypath = path
      let response = HTTPResponseValue(status: status, body: Array(json.utf8))
      let nonces = try device.requestNonces(from: response, to: request)
      #expect(nonces.clientRequestID == request.clientRequestID)
      #expect(nonces.clientNonce.utf8.count == 36)
      return nonces.serverNonce
    }
    #expect(try nonce(#"{"Nonce":"3q2-7wAAexampleServerNonce01"}"#, at: "Nonce") == "3q2-7wAAexampleServerNonce01")
    #expect(try nonce(#"{"nonce":"é\u0000\"x"}"#, at: "nonce") == "é\u{0}\"x")
    #expect(try nonce(#"{"data":{"srv":{"nonce":"n"}},"Nonce":"x"}"#, at: "data.srv.nonce") == "n")
    #expect(try nonce(#"{"a.b":"n","a":{"b":"x"}}"#, at: "a.b") == "n")
    let missing = PlatformSSOError(.claimMissing, "", name: "nonce")
    let invalid = PlatformSSOError(.claimInvalid, "", name: "nonce")
    #expect(throws: missing) { try nonce(#"{"nonce":"n"}"#, at: "Nonce") }
    #expect(throws: missing) { try nonce(#"{"a":"n"}"#, at: "a.b") }
    #expect(throws: missing) { try nonce(#"{"a":{"":"n"}}"#, at: "a..b") }
    #expect(throws: invalid) { try nonce(#"{"Nonce":""}"#, at: "Nonce") }
    #expect(throws: invalid) { try nonce(#"{"Nonce":1}"#, at: "Nonce") }
    #expect(throws: invalid) { try nonce(#"{"Nonce":null}"#, at: "Nonce") }
    #expect(throws: PlatformSSOError(.malformed, "")) { try nonce(#"{"Nonce":"a","Nonce":"b"}"#, at: "Nonce") }
    #expect(throws: PlatformSSOError(.malformed, "")) { try nonce("[]", at: "Nonce") }
    #expect(throws: PlatformSSOError(.malformed, "")) { try nonce("", at: "Nonce") }
    #expect(throws: PlatformSSOError(.serverUnavailable, "")) { try nonce(#"{"Nonce":"n"}"#, at: "Nonce", status: 201) }
  }

  @Test("The provider answers as Apple's article shows")
  func response() throws {
    let fixture = try Fixture()
    let response = try fixture.provider.serverNonceResponse(to: fixture.device.serverNonceRequest().httpRequest)
    #expect(response.status == 200)
    #expect(response.headers.values("Content-Type") == ["application/json"])
    #expect(response.headers.values("Cache-Control") == ["no-store, no-cache"])
    #expect(try JSONObject(parsing: response.body).names == ["Nonce"])
  }

  @Test("A nonce request of another form is refused")
  func refusals() throws {
    let fixture = try Fixture()
    func error(_ change: (inout HTTPRequestValue) throws -> Void) throws -> PlatformSSOError? {
      var request = fixture.device.serverNonceRequest().httpRequest
      try change(&request)
      do throws(PlatformSSOError) {
        _ = try fixture.provider.serverNonceResponse(to: request)
        return nil
      } catch {
        return error
      }
    }
    #expect(try error { _ in } == nil)
    #expect(try error { $0.method = "GET" }?.code == .methodNotAllowed)
    #expect(try error { try $0.headers.set("Content-Type", "application/json") }?.code == .contentTypeInvalid)
    #expect(try error { $0.headers.remove("client-request-id") }?.code == .fieldMissing)
    #expect(try error { $0.body = Array("grant_type=password".utf8) }?.code == .fieldInvalid)
    #expect(try error { $0.body = [] }?.code == .fieldMissing)
    #expect(
      try error { $0.body = Array("grant_type=srv_challenge&grant_type=srv_challenge".utf8) }?.code == .fieldDuplicated)
    #expect(try error { $0.body = Array("grant_type=%zz".utf8) }?.code == .malformed)
    #expect(try error { $0.body = [UInt8](repeating: 0x61, count: 65_537) }?.code == .limitExceeded)
  }

  @Test("Machines with one secret recognise each other's nonces; a replaced secret serves on; others don't")
  func secrets() async throws {
    let fixture = try Fixture()
    let (first, second) = ([UInt8](repeating: 1, count: 32), [UInt8](repeating: 2, count: 32))
    var one = fixture.provider
    var other = fixture.provider
    one.serverNonces = try ServerNonces(secret: first)
    func refresh() async throws {
      var client = fixture
      client.provider = one
      _ = try await other.refreshRequest(from: client.refreshRequest().httpRequest)
    }
    other.serverNonces = try ServerNonces(secret: first)
    try await refresh()
    other.serverNonces = try ServerNonces(secret: .init(copying: second), previousSecrets: [.init(copying: first)])
    try await refresh()
    other.serverNonces = try ServerNonces(secret: second)
    await #expect(throws: PlatformSSOError(.serverNonceInvalid, "", name: "request_nonce")) { try await refresh() }
    #expect(throws: PlatformSSOError(.callerMisuse, "", name: "secret")) { try ServerNonces(secret: first.dropLast()) }
    #expect(throws: PlatformSSOError(.callerMisuse, "", name: "lifetime")) {
      try ServerNonces(secret: first, lifetime: .nan)
    }
  }

  @Test("A full store accepts nothing until something has expired for a minute")
  func boundedStore() async throws {
    var fixture = try Fixture()
    fixture.provider.records = MemoryRecordStore(byteLimit: 300)
    _ = try await fixture.provider.refreshRequest(from: fixture.refreshRequest().httpRequest)
    await #expect(throws: PlatformSSOError(.storeUnavailable, "")) {
      try await fixture.provider.refreshRequest(from: fixture.refreshRequest().httpRequest)
    }
    fixture.clock.advance(by: 301)
    await #expect(throws: PlatformSSOError(.storeUnavailable, "")) {
      try await fixture.provider.refreshRequest(from: fixture.refreshRequest().httpRequest)
    }
    fixture.clock.advance(by: 60)
    _ = try await fixture.provider.refreshRequest(from: fixture.refreshRequest().httpRequest)
  }
}
