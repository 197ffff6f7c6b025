import JOSE
import PlatformSSOKit
import PureCrypto
import Synchronization
import Testing

@Suite("Server nonce")
struct ServerNonceTests {
  @Test("The request is that of Apple's article")
  func request() throws {
    let request = try Fixture().device.serverNonceRequest()
    #expect(request.method == "POST")
    #expect(request.url == "https://idp.example.com/psso/token")
    #expect(String(decoding: request.body, as: UTF8.self) == "grant_type=srv_challenge")
    #expect(request.headers.values("Accept") == ["application/json"])
    #expect(request.headers.values("Content-Type") == ["application/x-www-form-urlencoded"])
    let identifiers = request.headers.values("client-request-id")
    #expect(identifiers.map(\.utf8.count) == [36] && identifiers == identifiers.map { $0.uppercased() })
  }

  @Test("Endpoint and custom values are configurable")
  func configured() throws {
    var device = try Fixture().device
    device.configuration.nonceEndpointURL = "https://idp.example.com/nonce"
    device.configuration.customNonceRequestValues = ["tenant": "a b&c"]
    let request = device.serverNonceRequest()
    #expect(request.url == "https://idp.example.com/nonce")
    #expect(String(decoding: request.body, as: UTF8.self) == "grant_type=srv_challenge&tenant=a+b%26c")
  }

  @Test("The nonce is found at the configured key path")
  func keypath() throws {
    var device = try Fixture().device
    let request = device.serverNonceRequest()
    func nonce(_ json: String, at path: String, status: Int = 200) throws -> String {
      device.configuration.nonceResponseKeypath = path
      let response = HTTPResponseValue(status: status, body: Array(json.utf8))
      let nonces = try device.requestNonces(from: response, to: request)
      #expect([nonces.clientRequestID] == request.headers.values("client-request-id"))
      #expect(nonces.clientNonce.utf8.count == 36)
      return nonces.serverNonce
    }
    #expect(try nonce(#"{"Nonce":"3q2-7wAAexampleServerNonce01"}"#, at: "Nonce") == "3q2-7wAAexampleServerNonce01")
    #expect(try nonce(#"{"nonce":"é\u0000\"x"}"#, at: "nonce") == "é\u{0}\"x")
    #expect(try nonce(#"{"data":{"srv":{"nonce":"n"}},"Nonce":"x"}"#, at: "data.srv.nonce") == "n")
    #expect(try nonce(#"{"a.b":"n","a":{"b":"x"}}"#, at: "a.b") == "n")
    let missing = JOSEError(.claimMissing, "", name: "nonce")
    let invalid = JOSEError(.claimInvalid, "", name: "nonce")
    #expect(throws: missing) { try nonce(#"{"nonce":"n"}"#, at: "Nonce") }
    #expect(throws: missing) { try nonce(#"{"a":"n"}"#, at: "a.b") }
    #expect(throws: missing) { try nonce(#"{"a":{"":"n"}}"#, at: "a..b") }
    #expect(throws: invalid) { try nonce(#"{"Nonce":""}"#, at: "Nonce") }
    #expect(throws: invalid) { try nonce(#"{"Nonce":1}"#, at: "Nonce") }
    #expect(throws: invalid) { try nonce(#"{"Nonce":null}"#, at: "Nonce") }
    #expect(throws: JOSEError(.malformed, "")) { try nonce(#"{"Nonce":"a","Nonce":"b"}"#, at: "Nonce") }
    #expect(throws: JOSEError(.malformed, "")) { try nonce("[]", at: "Nonce") }
    #expect(throws: JOSEError(.malformed, "")) { try nonce("", at: "Nonce") }
    #expect(throws: JOSEError(.serverUnavailable, "")) { try nonce(#"{"Nonce":"n"}"#, at: "Nonce", status: 201) }
  }

  @Test("An error says what came in place of a nonce, and what was expected")
  func whatCame() throws {
    var device = try Fixture().device
    device.configuration.customNonceRequestValues = ["x-device-token": "device-token-1", "client_info": "1"]
    device.configuration.additionalHTTPHeaders = try AdditionalHTTPHeaders(["X-API-Key": "header-key-1"])
    let request = device.serverNonceRequest()
    func error(_ body: String, status: Int = 200) -> JOSEError? {
      do throws(JOSEError) {
        _ = try device.requestNonces(from: HTTPResponseValue(status: status, body: Array(body.utf8)), to: request)
        return nil
      } catch {
        return error
      }
    }
    let page = try #require(error("\n<!DOCTYPE html><title>Sign in</title>"))
    #expect(page.code == .malformed && "\(page)".contains("HTML") && "\(page)".contains("JSON object"), "\(page)")
    #expect(!"\(page)".contains("Sign in"))
    #expect("\(try #require(error("")))".contains("no body"))
    #expect("\(try #require(error("[]")))".contains("2 octets"))
    let other = try #require(error(#"{"nonce":"n"}"#))
    #expect(other == JOSEError(.claimMissing, "", name: "nonce") && "\(other)".contains("Nonce"), "\(other)")
    let refused = try #require(
      error(#"{"error":"invalid_request","error_description":"no client-request-id"}"#, status: 400))
    #expect(refused == JOSEError(.serverRefused, "", name: "invalid_request"))
    #expect("\(refused)".contains("status 400") && "\(refused)".contains("no client-request-id"))
    let echo = try #require(
      error(#"{"error":"invalid_grant","error_description":"device-token-1 is unknown"}"#, status: 400))
    #expect(echo.code == .serverRefused && !"\(echo)".contains("device-token-1"))
    let header = try #require(
      error(#"{"error":"invalid_grant","error_description":"header-key-1 is unknown"}"#, status: 400))
    #expect(header.code == .serverRefused && !"\(header)".contains("header-key-1"))
    let numbered = try #require(
      error(#"{"error":"invalid_grant","error_description":"AADSTS1001"}"#, status: 400))
    #expect("\(numbered)".contains("AADSTS1001"))
    let busy = try #require(error("<html>", status: 502))
    #expect(busy.code == .serverUnavailable && "\(busy)".contains("status 502"))
  }

  @Test("The provider answers as Apple's article shows")
  func response() throws {
    let fixture = try Fixture()
    let response = try fixture.provider.serverNonceResponse(to: fixture.device.serverNonceRequest())
    #expect(response.status == 200)
    #expect(response.headers.values("Content-Type") == ["application/json"])
    #expect(response.headers.values("Cache-Control") == ["no-store"])
    #expect(try JSONObject(parsing: response.body).names == ["Nonce"])
  }

  @Test("A nonce request of another form is refused")
  func refusals() throws {
    let fixture = try Fixture()
    func error(_ change: (inout HTTPRequestValue) throws -> Void) throws -> JOSEError? {
      var request = fixture.device.serverNonceRequest()
      try change(&request)
      do throws(JOSEError) {
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
    one.serverNonces = try ServerNonces(secret: .init(copying: first))
    func refresh() async throws {
      var client = fixture
      client.provider = one
      _ = try await other.refreshRequest(from: client.refreshRequest().httpRequest)
    }
    other.serverNonces = try ServerNonces(secret: .init(copying: first))
    try await refresh()
    other.serverNonces = try ServerNonces(secret: .init(copying: second), previousSecrets: [.init(copying: first)])
    try await refresh()
    other.serverNonces = try ServerNonces(secret: .init(copying: second))
    await #expect(throws: JOSEError(.serverNonceInvalid, "", name: "request_nonce")) { try await refresh() }
    #expect(throws: JOSEError(.callerMisuse, "", name: "secret")) {
      try ServerNonces(secret: .init(copying: first.dropLast()))
    }
    #expect(throws: JOSEError(.callerMisuse, "", name: "lifetime")) {
      try ServerNonces(secret: .init(copying: first), lifetime: .zero)
    }
  }

  @Test("Both nonces of a request are noted in one commit, whichever of them is bad")
  func commits() async throws {
    var fixture = try Fixture()
    let store = fixture.store
    // Each is one that a store on disk writes through.
    let commits = Mutex(0)
    fixture.provider.records = DivertedCommits(base: store) { changes in
      commits.withLock { $0 += 1 }
      return try await store.commit(changes)
    }
    func refusal(_ request: HTTPRequestValue) async -> (JOSEError?, Int) {
      let before = commits.withLock { $0 }
      let refusal = await fixture.refusal(of: request)
      return (refusal, commits.withLock { $0 } - before)
    }
    func login(_ nonces: RequestNonces) throws -> HTTPRequestValue {
      try fixture.device.loginRequest(
        of: LoginRequestTests.user, by: .password("correct horse"), nonces: nonces
      ).httpRequest
    }
    let nonces = try fixture.nonces()
    #expect(await refusal(try login(nonces)) == (nil, 1))
    let serverNonceUsed = JOSEError(.serverNonceReplayed, "", name: "request_nonce")
    let clientNonceUsed = JOSEError(.clientNonceReplayed, "", name: "nonce")
    #expect(await refusal(try login(nonces)).0 == serverNonceUsed)
    // Another nonce of the server's is used up by a request whose own nonce is old, and by one whose own is too long.
    let second = try fixture.nonces().serverNonce
    let old = RequestNonces(serverNonce: second, clientNonce: nonces.clientNonce)
    #expect(await refusal(try login(old)).0 == clientNonceUsed)
    #expect(await refusal(try login(RequestNonces(serverNonce: second))).0 == serverNonceUsed)
    let third = try fixture.nonces().serverNonce
    let long = RequestNonces(serverNonce: third, clientNonce: String(repeating: "n", count: 129))
    #expect(await refusal(try login(long)) == (JOSEError(.claimInvalid, "", name: "nonce"), 1))
    #expect(await refusal(try login(RequestNonces(serverNonce: third))).0 == serverNonceUsed)
    // The client's nonce of a request that was refused for the server's is still good.
    let fresh = RequestNonces(serverNonce: third)
    #expect(await refusal(try login(fresh)).0 == serverNonceUsed)
    let good = RequestNonces(serverNonce: try fixture.nonces().serverNonce, clientNonce: fresh.clientNonce)
    #expect(await refusal(try login(good)) == (nil, 1))
    fixture.provider.configuration.refusesReusedClientNonces = false
    let again = RequestNonces(serverNonce: try fixture.nonces().serverNonce, clientNonce: fresh.clientNonce)
    #expect(await refusal(try login(again)) == (nil, 1))
  }

  @Test("A full store accepts nothing until something has expired for a minute")
  func boundedStore() async throws {
    var fixture = try Fixture()
    // Those of nonces are few.
    let nonces = MemoryRecordStore(byteLimit: 300)
    fixture.provider.records = DivertedCommits(base: fixture.store) { try await nonces.commit($0) }
    _ = try await fixture.provider.refreshRequest(from: fixture.refreshRequest().httpRequest)
    await #expect(throws: JOSEError(.storeUnavailable, "")) {
      try await fixture.provider.refreshRequest(from: fixture.refreshRequest().httpRequest)
    }
    fixture.clock.advance(by: 301)
    await #expect(throws: JOSEError(.storeUnavailable, "")) {
      try await fixture.provider.refreshRequest(from: fixture.refreshRequest().httpRequest)
    }
    fixture.clock.advance(by: 60)
    _ = try await fixture.provider.refreshRequest(from: fixture.refreshRequest().httpRequest)
  }
}

/// The fixture's records, with something else done about commits.
private struct DivertedCommits: RecordStore {
  let base: TestStore
  let divert: @Sendable ([RecordChange]) async throws -> RecordCommit

  func record(_ kind: StoredRecord.Kind, key: [UInt8]) async throws -> StoredRecord? {
    try await base.record(kind, key: key)
  }

  func records(_ kind: StoredRecord.Kind, where index: StoredRecord.Index, limit: Int) async throws -> [StoredRecord] {
    try await base.records(kind, where: index, limit: limit)
  }

  func commit(_ changes: [RecordChange]) async throws -> RecordCommit { try await divert(changes) }

  func removeExpired(before date: NumericDate, limit: Int) -> Int { 0 }
}
