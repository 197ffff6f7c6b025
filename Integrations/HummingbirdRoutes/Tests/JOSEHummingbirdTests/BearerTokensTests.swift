import HTTPTypes
import Hummingbird
import HummingbirdTesting
import InMemoryLogging
import JOSE
import JOSEHummingbird
import Logging
import MetricsTestKit
import OpenIDKit
import Synchronization
import Testing

/// Middleware for access tokens, over HTTP, with an issuer of its own.
@Suite(.timeLimit(.minutes(60))) struct BearerTokensTests {
  private let world = Issuer()

  // MARK: Bearer tokens

  @Test func `a good token passes, and the route sees whose it is`() async throws {
    try await application().test(.live) { http in
      let answer = try await http.get("/me", "Bearer " + world.token())
      #expect(answer.status == .ok && answer.text == "jane orders.read")
      // The scheme's letters may be of any case, and more than one space may follow.
      #expect(try await http.get("/me", "bEARER  " + world.token()).status == .ok)
    }
    #expect(world.events.names == ["accepted", "accepted"])
    // Both tokens cost one discovery and one key set.
    #expect(world.requests.withLock { $0 } == 2)
  }

  @Test func `a request without a token is told how to ask, and no error`() async throws {
    try await application().test(.live) { http in
      for field in [nil, "Basic dXNlcjpwYXNz", "DPoP " + world.token(), "Bearer", "Digest", ""] {
        let answer = try await http.get("/me", field)
        if field == "Bearer" {
          #expect(answer.status == .badRequest)
        } else {
          #expect(answer.status == .unauthorized && answer.challenges == [#"Bearer realm="https://api.example.com""#])
        }
      }
    }
  }

  @Test func `two Authorization fields are one too many`() async throws {
    try await application().test(.live) { http in
      let good = "Bearer " + world.token()
      for pair in [[good, good], ["Basic eA==", good], [good, "Basic eA=="]] {
        let answer = try await http.send("/me", pair.map { (.authorization, $0) })
        #expect(answer.status == .badRequest && answer.error == "invalid_request")
      }
    }
    #expect(world.events.names == ["requestInvalid", "requestInvalid", "requestInvalid"])
  }

  @Test func `what is no token is a bad request`() async throws {
    try await application().test(.live) { http in
      for text in ["", "=", "a b", "a,b", "\"a\"", world.token() + " " + world.token(), "a;b", "é"] {
        let answer = try await http.get("/me", "Bearer " + text)
        #expect(answer.status == .badRequest && answer.error == "invalid_request", "\(text)")
      }
    }
  }

  /// Without a connection, whose parser takes spaces from a field's ends.
  @Test func `spaces follow the scheme, and stand nowhere else`() async throws {
    let good = world.token()
    let (start, end) = (good.prefix(9), good.dropFirst(9))
    try await application().test(.router) { http in
      for spaces in [" ", "  ", "     "] { #expect(try await http.raw("Bearer\(spaces)\(good)").status == .ok) }
      for text in [
        start + " " + end, good + " ", good + " x", "\t" + good, " \t" + good, good + "\t", start + "\t" + end,
      ] {
        let answer = try await http.raw("Bearer " + text)
        #expect(answer.status == .badRequest && answer.error == "invalid_request", "\(text.debugDescription)")
      }
      for field in ["Bearer\t" + good, " Bearer " + good, "\tBearer " + good] {
        let answer = try await http.raw(field)
        #expect(answer.status == .unauthorized && answer.error == nil, "\(field.debugDescription)")
      }
    }
  }

  /// U+212A, the sign of kelvin, is `k` to `lowercased()`, and equals `K`.
  @Test func `a scheme with letters that only look right is another scheme`() async throws {
    let key = try SigningKey.generate(.es256)
    try await application(dpop: .accepted(proofs(), baseURL: Issuer.api)).test(.router) { http in
      for scheme in [
        "to\u{212A}en", "token", "\u{FF22}earer", "Be\u{430}rer", "Bearer\u{301}", "Bearer\u{200B}", "\u{FF24}PoP",
        "DP\u{43E}P", "DPoP\u{301}",
      ] {
        let answer = try await http.raw(scheme + " " + world.token())
        #expect(answer.status == .unauthorized && answer.error == nil, "\(scheme)")
      }
      let token = try world.token(boundTo: key)
      let proof = try DPoP.proof(
        method: "GET", url: Issuer.api + "/me", key: key, accessToken: token, clock: world.clock.wall)
      #expect(try await http.raw("dpop  " + token, proof: proof).status == .ok)
    }
  }

  @Test func `hostile tokens are refused, each in the same words`() async throws {
    let good = world.token()
    let parts = good.split(separator: ".").map(String.init)
    let stranger = try SigningKey.generate(.es256, keyID: "k1")
    let none = Base64URL.encode(#"{"alg":"none","typ":"at+jwt"}"#.utf8)
    // The public key, as it is published, as an HMAC secret.
    let confused = Base64URL.encode(#"{"alg":"HS256","typ":"at+jwt","kid":"k1"}"#.utf8)
    let hostile: [String] = [
      "a", "a.b.c", "..", "e30.e30.", parts[0] + "." + parts[1] + ".", none + "." + parts[1] + ".",
      confused + "." + parts[1] + "." + parts[2], parts[0] + "." + Base64URL.encode("{}".utf8) + "." + parts[2],
      world.token(key: stranger), world.token(issuer: "https://evil.example.com"),
      world.token(audience: "https://other.example.com"), world.token(type: "JWT"), world.token { $0["exp"] = 1 },
      world.token { $0["nbf"] = 9_999_999_999 }, world.token { $0["sub"] = nil }, world.token { $0["scope"] = 7 },
      world.token { $0["cnf"] = ["jkt": "abc"] }, String(repeating: "A", count: 20_000),
    ]
    try await application().test(.live) { http in
      for text in hostile {
        let answer = try await http.get("/me", "Bearer " + text)
        #expect(answer.status == .unauthorized, "\(text.prefix(40))")
        #expect(answer.challenges == [#"Bearer realm="https://api.example.com", error="invalid_token""#])
        #expect(answer.text.isEmpty && answer.headers[.cacheControl] == "no-store")
      }
      // Neither a query nor a form is looked at.
      #expect(try await http.get("/me?access_token=" + good, nil).status == .unauthorized)
    }
    #expect(world.events.names == Array(repeating: "tokenRefused", count: hostile.count) + ["noToken"])
  }

  @Test func `a token that lacks a scope is forbidden, and told which`() async throws {
    try await application().test(.live) { http in
      #expect(try await http.get("/orders", "Bearer " + world.token()).status == .ok)
      for scope in [nil, "", "orders", "orders.read2", "ORDERS.READ", "orders.write orders_read"] {
        let answer = try await http.get("/orders", "Bearer " + world.token { $0["scope"] = scope.map { .string($0) } })
        #expect(answer.status == .forbidden)
        #expect(
          answer.challenges == [
            #"Bearer realm="https://api.example.com", error="insufficient_scope", scope="orders.read""#
          ])
      }
    }
  }

  @Test func `decisions stand in a log and in metrics, and no token does`() async throws {
    var handler = InMemoryLogHandler()
    handler.logLevel = .trace
    let (log, metrics) = (handler, TestMetrics())
    let recorder = BearerTokenRecorder(logger: Logger(label: "api", factory: { _ in log }), factory: metrics)
    let router = Router(context: AccessTokenRequestContext.self)
    router.add(
      middleware: BearerTokens(
        issuer: Issuer.name, audience: Issuer.api, clock: world.clock.wall, onEvent: recorder.record,
        transport: world.send))
    router.get("/me") { _, context in try context.requireAccessToken().subject }
    let (good, foreign) = (world.token(), world.token(audience: "https://other.example.com"))
    try await Application(router: router).test(.live) { http in
      _ = try await http.get("/me", "Bearer " + good)
      _ = try await http.get("/me", nil)
      _ = try await http.get("/me", "Bearer " + foreign)
    }
    #expect(
      log.entries.map { "\($0.level) \($0.message)" } == [
        "debug accessToken.accepted", "debug accessToken.noToken", "notice accessToken.tokenRefused",
      ])
    let details = log.entries.map { "\($0.metadata)" }
    #expect(details.last?.contains("aud") == true)
    #expect(!details.contains { $0.contains(good) || $0.contains(foreign) || $0.contains("other.example.com") })
    for kind in ["accepted", "noToken", "tokenRefused"] {
      let counted = metrics.counterTotal(
        label: "purejose_access_token_events_total", dimensions: [("kind", kind)])
      let timer = try metrics.expectTimer("purejose_access_token_duration", [("kind", kind)])
      #expect(counted == 1 && timer.values.count == 1, "\(kind)")
    }
  }

  @Test func `an issuer that is down is nobody's fault`() async throws {
    world.isDown.withLock { $0 = true }
    try await application().test(.live) { http in
      let answer = try await http.get("/me", "Bearer " + world.token())
      #expect(answer.status == .serviceUnavailable && answer.headers[.retryAfter] == "5" && answer.challenges.isEmpty)
      // What no key can make right asks nobody.
      #expect(try await http.get("/me", "Bearer a.b.c").status == .unauthorized)
    }
    #expect(world.events.names == ["unavailable", "tokenRefused"])
    #expect(world.keyEvents.names == ["requested", "failed"])
  }

  @Test func `a route without the middleware answers nobody`() async throws {
    let router = Router(context: AccessTokenRequestContext.self)
    router.get("/me") { _, context in try context.requireAccessToken().subject }
    try await Application(router: router).test(.live) { http in
      let answer = try await http.get("/me", "Bearer " + world.token())
      #expect(answer.status == .internalServerError)
    }
  }

  @Test func `a realm can't break out of its quotes`() async throws {
    let router = Router(context: AccessTokenRequestContext.self)
    router.add(
      middleware: BearerTokens(
        keys: world.keys(), algorithms: [.es256], policy: world.policy, realm: "a\"b\\c\r\nSet-Cookie: x\u{E9}"))
    router.get("/me") { _, _ in "" }
    try await Application(router: router).test(.live) { http in
      let answer = try await http.get("/me", nil)
      #expect(answer.challenges == [#"Bearer realm="a\"b\\cSet-Cookie: x""#])
    }
  }

  // MARK: Proof of possession

  @Test func `a bound token passes with its proof, once`() async throws {
    let key = try SigningKey.generate(.es256)
    try await application(dpop: .accepted(proofs(), baseURL: Issuer.api)).test(.live) { http in
      let token = try world.token(boundTo: key)
      let proof = try DPoP.proof(
        method: "GET", url: Issuer.api + "/me?a=b", key: key, accessToken: token, clock: world.clock.wall)
      #expect(try await http.send("/me?a=b", [(.authorization, "DPoP " + token), (.dpop, proof)]).status == .ok)
      let again = try await http.send("/me?a=b", [(.authorization, "DPoP " + token), (.dpop, proof)])
      #expect(again.status == .unauthorized && again.error == "invalid_dpop_proof")
      // Without its proof it is no bearer token, and a bearer token is no bound one.
      let bare = try await http.get("/me", "Bearer " + token)
      #expect(bare.challenges.count == 2 && bare.error == "invalid_token")
      #expect(bare.challenges[1] == #"DPoP algs="ES256""#)
      #expect(try await http.get("/me", "Bearer " + world.token()).status == .ok)
    }
  }

  @Test func `each wrong proof is refused as one`() async throws {
    let (key, other) = (try SigningKey.generate(.es256), try SigningKey.generate(.es256))
    try await application(dpop: .required(proofs(), baseURL: Issuer.api)).test(.live) { http in
      let token = try world.token(boundTo: key)
      func proof(
        _ key: SigningKey, _ token: String?, method: String = "GET", url: String = Issuer.api + "/me"
      ) throws -> String {
        try DPoP.proof(method: method, url: url, key: key, accessToken: token, clock: world.clock.wall)
      }
      let wrong: [[String]] = [
        [], ["x"], [try proof(key, token), try proof(key, token)], [try proof(key, token, method: "POST")],
        [try proof(key, token, url: "https://api.example.com/you")],
        [try proof(key, token, url: "https://evil.example.com/me")], [try proof(key, nil)],
        [try proof(key, token + "x")], [token],
      ]
      for proofs in wrong {
        let answer = try await http.send("/me", [(.authorization, "DPoP " + token)] + proofs.map { (.dpop, $0) })
        #expect(answer.status == .unauthorized && answer.error == "invalid_dpop_proof")
      }
      // The token is another key's, no key's, or forged: then it is the token that is wrong.
      let stolen = try await http.send("/me", [(.authorization, "DPoP " + token), (.dpop, try proof(other, token))])
      #expect(stolen.error == "invalid_token")
      let free = world.token()
      #expect(
        try await http.send("/me", [(.authorization, "DPoP " + free), (.dpop, try proof(key, free))]).error
          == "invalid_token")
      #expect(
        try await http.send("/me", [(.authorization, "DPoP a.b.c"), (.dpop, try proof(key, "a.b.c"))]).error
          == "invalid_token")
      // Where a proof is required, the scheme Bearer is an unknown one.
      let bearer = try await http.get("/me", "Bearer " + free)
      #expect(bearer.status == .unauthorized && bearer.challenges == [#"DPoP algs="ES256""#])
    }
  }

  @Test func `a client without a nonce gets one, and comes again with it`() async throws {
    let key = try SigningKey.generate(.es256)
    var proofs = proofs()
    proofs.nonces = .required(DPoPNonces())
    try await application(dpop: .required(proofs, baseURL: Issuer.api)).test(.live) { http in
      let token = try world.token(boundTo: key)
      func send(_ nonce: String?) async throws -> TestResponse {
        let proof = try DPoP.proof(
          method: "GET", url: Issuer.api + "/me", key: key, accessToken: token, nonce: nonce, clock: world.clock.wall)
        return try await http.send("/me", [(.authorization, "DPoP " + token), (.dpop, proof)])
      }
      let first = try await send(nil)
      #expect(first.status == .unauthorized && first.error == "use_dpop_nonce")
      let second = try await send(first.headers[.dpopNonce])
      #expect(second.status == .ok && second.headers[.dpopNonce] != nil)
    }
  }

  // MARK: A protected resource

  @Test func `refusals of a resource say where its metadata are, and what is needed`() async throws {
    let resource = try ProtectedResource(
      Issuer.api + "/mcp", authorizationServers: [Issuer.name], scopes: ["notes.read", "notes.write"])
    let place = #"resource_metadata="https://api.example.com/.well-known/oauth-protected-resource/mcp""#
    let router = Router(context: AccessTokenRequestContext.self)
    let tokens = BearerTokens<AccessTokenRequestContext>(
      protecting: resource, clock: world.clock.wall, transport: world.send)
    router.add(middleware: tokens)
    router.post("/mcp") { _, context in "\(try context.requireAccessToken().subject)" }
    router.group("/mcp").add(middleware: tokens.requiring("notes.read", "notes.write")).get { _, _ in "notes" }
    let realm = #"Bearer realm="https://api.example.com/mcp", "#
    try await Application(router: router).test(.router) { http in
      let path = "/.well-known/oauth-protected-resource/mcp"
      let metadata = try await http.get(path, nil)
      #expect(metadata.status == .ok && metadata.headers[.contentType] == "application/json")
      #expect(try JSONObject(parsing: Array(buffer: metadata.body)) == resource.members)
      #expect(try await http.get("/.well-known/oauth-protected-resource", nil).status == .unauthorized)
      let preflight: HTTPFields = [.accessControlRequestMethod: "GET", .origin: "https://page.example"]
      let options = try await http.executeRequest(uri: path, method: .options, headers: preflight, body: nil)
      #expect(options.status == .noContent && options.headers[.accessControlAllowOrigin] == "*")

      #expect(try await http.get("/mcp", nil).challenges == [realm + place])
      let token = world.token(audience: Issuer.api + "/mcp") { $0["scope"] = "notes.read" }
      let narrow = try await http.get("/mcp", "Bearer " + token)
      #expect(narrow.status == .forbidden)
      #expect(
        narrow.challenges == [realm + #"error="insufficient_scope", scope="notes.read notes.write", "# + place])
      // One that was issued for somebody else.
      let foreign = try await http.get("/mcp", "Bearer " + world.token { $0["scope"] = "notes.read notes.write" })
      #expect(foreign.challenges == [realm + #"error="invalid_token", "# + place])
      let wide = world.token(audience: Issuer.api + "/mcp") { $0["scope"] = "notes.read notes.write" }
      #expect(try await http.get("/mcp", "Bearer " + wide).text == "notes")
    }
  }

  @Test func `tokens of each of a resource's issuers are taken`() async throws {
    for servers in [["https://other.example", Issuer.name], [Issuer.name, "https://other.example"]] {
      let router = Router(context: AccessTokenRequestContext.self)
      router.add(
        middleware: BearerTokens(
          protecting: try ProtectedResource(Issuer.api, authorizationServers: servers), clock: world.clock.wall,
          transport: world.send))
      router.get("/me") { _, context in try context.requireAccessToken().subject }
      try await Application(router: router).test(.router) { http in
        let known = try await http.get("/me", "Bearer " + world.token())
        #expect(known.status == .ok)
        let foreign = try await http.get("/me", "Bearer " + world.token(issuer: "https://evil.example"))
        #expect(foreign.status != .ok)
      }
    }
  }

  @Test func `an issuer on this machine is asked without TLS by what sends requests unless told otherwise`()
    async throws
  {
    let issuing = Router()
    let keys = JWKSet([world.key.verificationKey.publicJWK].compactMap(\.self)).serialized()
    let port = Mutex(0)
    for path in ["openid-configuration", "oauth-authorization-server"] {
      issuing.get("/.well-known/\(path)") { _, _ in
        let name = "http://127.0.0.1:\(port.withLock { $0 })"
        return "{\"issuer\":\"\(name)\",\"jwks_uri\":\"\(name)/jwks\"}"
      }
    }
    issuing.get("/jwks") { _, _ in String(decoding: keys, as: UTF8.self) }
    try await Application(router: issuing).test(.live) { http in
      port.withLock { $0 = http.port ?? 0 }
      let issuer = "http://127.0.0.1:\(http.port ?? 0)"
      let resource = try ProtectedResource(Issuer.api, authorizationServers: [issuer], plainHTTP: .loopback)
      for tokens: BearerTokens<AccessTokenRequestContext> in [
        BearerTokens(issuer: issuer, audience: Issuer.api, plainHTTP: .loopback, clock: world.clock.wall),
        BearerTokens(protecting: resource, plainHTTP: .loopback, clock: world.clock.wall),
      ] {
        let router = Router(context: AccessTokenRequestContext.self)
        router.add(middleware: tokens)
        router.get("/me") { _, context in try context.requireAccessToken().subject }
        try await Application(router: router).test(.router) { http in
          let answer = try await http.get("/me", "Bearer " + world.token(issuer: issuer))
          #expect(answer.status == .ok)
        }
      }
    }
  }

  @Test func `a request without a token is told which scopes it needs`() async throws {
    try await application().test(.router) { http in
      let answer = try await http.get("/orders", nil)
      #expect(answer.challenges == [#"Bearer realm="https://api.example.com", scope="orders.read""#])
    }
  }

  // MARK: Setting

  private func proofs() -> DPoPVerifier { DPoPVerifier(clock: world.clock.wall, records: MemoryRecordStore()) }

  private func application(dpop: ProofOfPossession = .refused) -> some ApplicationProtocol {
    let router = Router(context: AccessTokenRequestContext.self)
    let tokens = BearerTokens<AccessTokenRequestContext>(
      issuer: Issuer.name, audience: Issuer.api, dpop: dpop, clock: world.clock.wall,
      onEvent: { [events = world.events] in events.note("\($0.kind)") },
      onKeys: { [events = world.keyEvents] in events.note("\($0.kind)") }, transport: world.send)
    router.group().add(middleware: tokens).get("/me") { _, context in
      let token = try context.requireAccessToken()
      return token.subject + " " + token.scopes.joined(separator: ",")
    }
    router.group().add(middleware: tokens.requiring("orders.read")).get("/orders") { _, _ in "tea" }
    return Application(router: router)
  }
}

/// What happened, by the names of the cases.
private final class Notes: Sendable {
  private let list = Mutex<[String]>([])
  var names: [String] { list.withLock { $0 } }
  func note(_ text: String) { list.withLock { $0.append(String(text.prefix { $0 != "(" })) } }
}

/// An authorization server in front of `BearerTokens`.
private final class Issuer: Sendable {
  static let name = "https://idp.example.com"
  static let api = "https://api.example.com"
  let clock = TestClock()
  let key = try! SigningKey.generate(.es256, keyID: "k1")
  let isDown = Mutex(false)
  let requests = Mutex(0)
  let (events, keyEvents) = (Notes(), Notes())

  var policy: JWTPolicy { .accessToken(issuer: Self.name, audience: Self.api, clock: clock.wall) }

  @Sendable func send(_ request: HTTPRequestValue) async throws -> HTTPResponseValue {
    if isDown.withLock({ $0 }) { throw RequestNotSent() }
    requests.withLock { $0 += 1 }
    if request.url == Self.name + "/jwks" {
      return HTTPResponseValue(
        status: 200, body: JWKSet([key.verificationKey.publicJWK].compactMap(\.self)).serialized())
    }
    let metadata: JSONObject = ["issuer": .string(Self.name), "jwks_uri": .string(Self.name + "/jwks")]
    return HTTPResponseValue(status: 200, body: metadata.serialized())
  }

  func keys() -> RemoteKeySet { RemoteKeySet(issuer: Self.name, clock: clock.wall, transport: send) }

  func token(
    issuer: String = Issuer.name, audience: String = Issuer.api, type: String = "at+jwt", key: SigningKey? = nil,
    _ change: (inout JSONObject) -> Void = { _ in }
  ) -> String {
    let now = clock.wall.now.wholeSeconds
    var claims: JSONObject = [
      "iss": .string(issuer), "aud": .string(audience), "sub": "jane", "client_id": "app", "jti": "1",
      "iat": .number(JSONNumber(now)), "exp": .number(JSONNumber(now + 300)), "scope": "orders.read",
    ]
    change(&claims)
    return try! JWT.sign(claims, with: key ?? self.key, type: type)
  }

  func token(boundTo key: SigningKey) throws -> String {
    let thumbprint = try #require(try key.verificationKey.publicJWK?.thumbprint())
    return token { $0["cnf"] = ["jkt": .string(thumbprint)] }
  }
}

extension HTTPField.Name {
  fileprivate static let dpop = HTTPField.Name("DPoP")!
  fileprivate static let dpopNonce = HTTPField.Name("DPoP-Nonce")!
}

extension TestClientProtocol {
  fileprivate func get(_ path: String, _ authorization: String?) async throws -> TestResponse {
    try await send(path, authorization.map { [(.authorization, $0)] } ?? [])
  }

  /// Spaces and tabs at the ends of the field `Authorization` stay.
  fileprivate func raw(_ authorization: String, proof: String? = nil) async throws -> TestResponse {
    var headers = HTTPFields()
    headers.append(HTTPField(name: .authorization, lenientValue: Array(authorization.utf8)))
    headers[.dpop] = proof
    return try await executeRequest(uri: "/me", method: .get, headers: headers, body: nil)
  }

  fileprivate func send(_ path: String, _ fields: [(HTTPField.Name, String)]) async throws -> TestResponse {
    var headers = HTTPFields()
    for (name, value) in fields { headers.append(HTTPField(name: name, value: value)) }
    return try await executeRequest(uri: path, method: .get, headers: headers, body: nil)
  }
}

extension TestResponse {
  fileprivate var text: String { String(buffer: body) }
  fileprivate var challenges: [String] { headers[values: .wwwAuthenticate] }

  /// The error code of whichever challenge has one.
  fileprivate var error: String? {
    challenges.compactMap { challenge in
      let parts = challenge.split(separator: "error=\"", maxSplits: 1, omittingEmptySubsequences: false)
      return parts.count == 2 ? String(parts[1].prefix { $0 != "\"" }) : nil
    }.first
  }
}
