import JOSE
import StrictJSON
import Synchronization
import Testing

/// Servers that answer by URL, with a clock.
private final class Web: Sendable {
  struct State: Sendable {
    var now = 1_700_000_000.0
    var pages: [String: HTTPResponseValue] = [:]
    var requests: [String] = []
    /// The URLs of requests that had an `If-None-Match`.
    var conditional: [String] = []
    var events: [String] = []
  }

  struct Unreachable: Error {}

  static let issuer = "https://idp.example.com/tenant"
  static let place = "https://idp.example.com/tenant/.well-known/openid-configuration"

  let state = Mutex(State())

  var clock: WallClock { WallClock { NumericDate(saturating: self.state.withLock { $0.now }) } }
  var requests: [String] { state.withLock { $0.requests } }
  var events: [String] { state.withLock { $0.events } }

  func put(_ url: String, status: Int = 200, headers: [(String, String)] = [], _ body: [UInt8]) {
    guard let headers = try? HTTPHeaderFields(headers) else { return }
    state.withLock { $0.pages[url] = HTTPResponseValue(status: status, headers: headers, body: body) }
  }

  func put(_ url: String, status: Int = 200, headers: [(String, String)] = [], _ body: String) {
    put(url, status: status, headers: headers, Array(body.utf8))
  }

  func remove(_ url: String) { state.withLock { $0.pages[url] = nil } }

  func advance(_ seconds: Double) { state.withLock { $0.now += seconds } }

  func send(_ request: HTTPRequestValue) throws -> HTTPResponseValue {
    let tag = try request.headers.uniqueValue("If-None-Match")
    let page = state.withLock { state in
      state.requests.append(request.url)
      if tag != nil { state.conditional.append(request.url) }
      return state.pages[request.url]
    }
    guard let page else { throw Unreachable() }
    if let tag, try page.headers.uniqueValue("ETag") == tag {
      return HTTPResponseValue(status: 304, headers: page.headers)
    }
    return page
  }

  func set(
    _ kind: IssuerMetadata.Kind = .openID, issuer: String = Web.issuer, plainHTTP: PlainHTTP = .refused
  ) -> RemoteKeySet {
    RemoteKeySet(
      issuer: issuer, metadata: kind, policy: .patient, plainHTTP: plainHTTP, clock: clock,
      onEvent: { event in
        let text =
          switch event.kind {
          case .requested: "requested"
          case .renewed(let count, _): "renewed \(count)"
          case .confirmed(let count): "confirmed \(count)"
          case .failed(.metadata(let error)): "metadata \(error.code)(\(error.name ?? ""))"
          case .failed(.status(let status)): "status \(status)"
          case .failed(.unreachable): "unreachable"
          case .failed: "failed"
          }
        self.state.withLock { $0.events.append(text) }
      }
    ) { try self.send($0) }
  }
}

@Suite("Issuers' metadata")
struct IssuerMetadataTests {
  private static func metadata(_ issuer: String = Web.issuer, keys: String = "https://keys.example.com/1") -> String {
    "{\"issuer\":\"\(issuer)\",\"jwks_uri\":\"\(keys)\",\"other\":1}"
  }

  @Test(
    "where metadata lie",
    arguments: [
      (
        "https://a.example", "https://a.example/.well-known/openid-configuration",
        "https://a.example/.well-known/oauth-authorization-server"
      ),
      (
        "https://a.example/", "https://a.example/.well-known/openid-configuration",
        "https://a.example/.well-known/oauth-authorization-server"
      ),
      (
        "https://a.example/b/c", "https://a.example/b/c/.well-known/openid-configuration",
        "https://a.example/.well-known/oauth-authorization-server/b/c"
      ),
      (
        "https://a.example:8443/b/", "https://a.example:8443/b/.well-known/openid-configuration",
        "https://a.example:8443/.well-known/oauth-authorization-server/b"
      ),
    ])
  func places(_ issuer: String, _ openID: String, _ oauth: String) throws {
    #expect(try IssuerMetadata.url(of: issuer, kind: .openID) == openID)
    #expect(try IssuerMetadata.url(of: issuer, kind: .oauth) == oauth)
  }

  @Test(
    "an invalid issuer identifier is refused as callerMisuse",
    arguments: [
      "", "https://", "https:///a", "http://a.example", "a.example", "https://a.example?x", "https://a.example#x",
      "https://a b.example", "https://user@a.example", "https://é.example", "https://:443/", "https://a\\b.example",
      "https://a.example\n",
    ])
  func noIssuers(_ issuer: String) {
    #expect(refusal { _ = try IssuerMetadata.url(of: issuer, kind: .openID) } == "callerMisuse(issuer)")
  }

  @Test("metadata must name their issuer and an https jwks_uri")
  func parsing() throws {
    let metadata = try IssuerMetadata(parsing: Self.metadata().utf8, issuer: Web.issuer)
    #expect(metadata.keySetURL == "https://keys.example.com/1" && metadata.members["other"] == 1)
    func verdict(_ json: String) -> String {
      refusal { _ = try IssuerMetadata(parsing: json.utf8, issuer: Web.issuer) }
    }
    #expect(verdict(Self.metadata(Web.issuer + "/")) == "claimMismatch(issuer)")
    #expect(verdict(Self.metadata("https://login.example.com/{tenantid}")) == "claimMismatch(issuer)")
    #expect(verdict(#"{"jwks_uri":"https://a.example"}"#) == "claimMissing(issuer)")
    #expect(verdict(#"{"issuer":5,"jwks_uri":"https://a.example"}"#) == "claimInvalid(issuer)")
    #expect(verdict("{\"issuer\":\"\(Web.issuer)\"}") == "claimMissing(jwks_uri)")
    for url in ["http://a.example/", "file:///etc/passwd", "/keys", "https://user@a.example/", ""] {
      #expect(verdict(Self.metadata(keys: url)) == "claimInvalid(jwks_uri)")
    }
    #expect(verdict("[]") == "malformed" && verdict("<html>") == "malformed")
    #expect(verdict(#"{"issuer":"a","issuer":"b"}"#) == "malformed")
  }

  @Test("keys are found by the metadata, which are asked for once", arguments: [IssuerMetadata.Kind.openID, .oauth])
  func discovery(_ kind: IssuerMetadata.Kind) async throws {
    let web = Web()
    let place = try IssuerMetadata.url(of: Web.issuer, kind: kind)
    web.put(place, Self.metadata())
    let key = JWK.generate(.es256, keyID: "a")
    web.put("https://keys.example.com/1", JWKSet([key]).serialized())
    let set = web.set(kind)
    let policy = JWTPolicy(issuer: .anyOf([Web.issuer]), audience: .anyOf(["api"]), clock: web.clock)
    let claims: JSONObject = ["iss": .string(Web.issuer), "aud": "api", "exp": 1_700_000_060]
    let token = try JWT.sign(claims, with: SigningKey(key))
    let verifier = RemoteJWTVerifier(keys: set, algorithms: [.es256], policy: policy)
    #expect(try await verifier.verify(token).registeredClaims.issuer == Web.issuer)
    #expect(web.requests == [place, "https://keys.example.com/1"])
    // An unknown kid renews the keys, not the metadata.
    web.advance(31)
    _ = try await set.keys(for: "b")
    #expect(web.requests.count == 3 && web.events == ["requested", "renewed 1", "requested", "renewed 1"])
    // A day later the metadata are asked for again.
    web.advance(90_000)
    _ = try await set.keys()
    #expect(web.requests.count == 5)
  }

  @Test("metadata are kept as long as their answer says, and confirmed")
  func freshness() async throws {
    let keys = "https://keys.example.com/1"
    let body = JWKSet([JWK.generate(.es256, keyID: "a")]).serialized()
    for (cacheControl, wait, expected) in [
      ("max-age=300", 299.0, [Web.place, keys, keys]), ("max-age=300", 300, [Web.place, keys, Web.place, keys]),
      ("no-store", 31, [Web.place, keys, Web.place, keys]), ("public", 86_399, [Web.place, keys, keys]),
      ("max-age=999999", 86_400, [Web.place, keys, Web.place, keys]),
    ] {
      let web = Web()
      web.put(
        Web.place, headers: [("Cache-Control", "public"), ("Cache-Control", cacheControl), ("ETag", "\"m\"")],
        Self.metadata())
      web.put(keys, headers: [("ETag", "\"k\"")], body)
      let set = web.set()
      _ = try await set.keys()
      web.advance(wait)
      _ = try await set.keys(for: "b")
      #expect(web.requests == expected)
      let isKept = cacheControl != "no-store"
      #expect(web.state.withLock { $0.conditional } == expected.dropFirst(2).filter { isKept || $0 == keys })
      #expect(web.events == ["requested", "renewed 1", "requested", "confirmed 1"])
    }
  }

  @Test("an entity tag is told to the place that it came from, and to no other")
  func tagOfAnotherPlace() async throws {
    let web = Web()
    let (first, second) = ("https://keys.example.com/1", "https://keys.example.com/2")
    web.put(Web.place, headers: [("Cache-Control", "max-age=60")], Self.metadata())
    web.put(first, headers: [("ETag", "\"1\"")], JWKSet([JWK.generate(.es256, keyID: "a")]).serialized())
    web.put(second, headers: [("ETag", "\"1\"")], JWKSet([JWK.generate(.es256, keyID: "b")]).serialized())
    let set = web.set()
    _ = try await set.keys()
    web.put(Web.place, Self.metadata(keys: second))
    web.advance(1000)
    #expect(try await set.keys().keys.map(\.keyID) == ["b"])
    #expect(web.state.withLock { $0.conditional }.isEmpty)
  }

  @Test("an issuer on this machine is taken where that is allowed")
  func loopback() async throws {
    let (issuer, keys) = ("http://127.0.0.1:8080", "http://127.0.0.1:8080/jwks")
    let web = Web()
    web.put(issuer + "/.well-known/openid-configuration", Self.metadata(issuer, keys: keys))
    web.put(keys, JWKSet([JWK.generate(.es256, keyID: "a")]).serialized())
    #expect(try await web.set(issuer: issuer, plainHTTP: .loopback).keys().keys.count == 1)
    let error = await #expect(throws: JOSEError.self) { try await web.set(issuer: issuer).keys() }
    #expect(error?.code == .callerMisuse && error?.name == "issuer")
    // What the metadata name is judged alike.
    web.put(issuer + "/.well-known/openid-configuration", Self.metadata(issuer, keys: "http://keys.example.com/"))
    let refused = await #expect(throws: JOSEError.self) {
      try await web.set(issuer: issuer, plainHTTP: .loopback).keys()
    }
    #expect(refused?.code == .claimInvalid && refused?.name == "jwks_uri")
  }

  @Test("keys that moved are found again, and those that are known serve meanwhile")
  func movedKeys() async throws {
    let web = Web()
    web.put(Web.place, Self.metadata())
    web.put("https://keys.example.com/1", JWKSet([JWK.generate(.es256, keyID: "a")]).serialized())
    let set = web.set()
    #expect(try await set.keys().keys.map(\.keyID) == ["a"])
    web.put("https://keys.example.com/1", status: 404, "")
    web.put(Web.place, Self.metadata(keys: "https://keys.example.com/2"))
    web.put("https://keys.example.com/2", JWKSet([JWK.generate(.es256, keyID: "b")]).serialized())
    web.advance(31)
    #expect(try await set.keys(for: "b").keys.map(\.keyID) == ["a"])
    web.advance(31)
    #expect(try await set.keys(for: "b").keys.map(\.keyID) == ["b"])
    #expect(web.events.contains("status 404"))
  }

  @Test("what is wrong with the metadata is in the error and in the event")
  func failures() async throws {
    let web = Web()
    func verdict(_ set: RemoteKeySet) async -> String {
      do {
        _ = try await set.keys()
        return "accepted"
      } catch {
        return error.name.map { "\(error.code)(\($0))" } ?? "\(error.code)"
      }
    }
    #expect(await verdict(web.set()) == "externalKeyFailed(keys)" && web.events.last == "unreachable")
    web.put(Web.place, Self.metadata("https://evil.example"))
    #expect(await verdict(web.set()) == "claimMismatch(issuer)")
    #expect(web.events.last == "metadata claimMismatch(issuer)")
    web.put(Web.place, status: 302, "")
    #expect(await verdict(web.set()) == "externalKeyFailed(metadata)")
    #expect(await verdict(web.set(issuer: "http://idp.example.com")) == "callerMisuse(issuer)")
    // A failure is repeated to callers without a request until the pause is over, and the pause grows.
    let set = web.set()
    _ = await verdict(set)
    let count = web.requests.count
    #expect(await verdict(set) == "externalKeyFailed(metadata)" && web.requests.count == count)
    web.advance(1)
    #expect(await verdict(set) == "externalKeyFailed(metadata)" && web.requests.count == count + 1)
    web.advance(1)
    #expect(await verdict(set) == "externalKeyFailed(metadata)" && web.requests.count == count + 1)
    web.put(Web.place, Self.metadata())
    web.put("https://keys.example.com/1", JWKSet([JWK.generate(.es256)]).serialized())
    web.advance(1)
    #expect(await verdict(set) == "accepted")
  }
}
