import JOSE
import StrictJSON
import Synchronization
import Testing

@testable import OpenIDKit

/// Requests to resource servers with a token.
@Suite struct RequestAuthorizerTests {
  /// A resource server that answers by the token, and remembers what it was sent.
  private final class Server: Sendable {
    let requests = Mutex<[HTTPRequestValue]>([])
    private let answer: @Sendable (_ token: String, _ number: Int) throws -> HTTPResponseValue

    init(_ answer: @escaping @Sendable (_ token: String, _ number: Int) throws -> HTTPResponseValue) {
      self.answer = answer
    }

    func respond(to request: HTTPRequestValue) throws -> HTTPResponseValue {
      let number = requests.withLock { requests in
        requests.append(request)
        return requests.count
      }
      let token = request.headers.values("Authorization").first.map { $0.split(separator: " ").dropFirst().joined() }
      return try answer(token ?? "", number)
    }

    var tokens: [String] { requests.withLock { $0.flatMap { $0.headers.values("Authorization") } } }
  }

  /// A login with the token `at-0`; each refresh gives the next number.
  private func authorizer(
    type: String = "Bearer", key: SigningKey? = nil, _ server: Server
  ) async throws -> (RequestAuthorizer, TokenManager) {
    let number = Counter()
    let refresher = OAuthTokenRefresher(
      tokenEndpoint: "https://op.example.com/token", clientID: "a", proofKey: key
    ) { _ in
      let body =
        #"{"access_token":"at-\#(number.next())","token_type":"\#(type)","expires_in":3600,"refresh_token":"rt"}"#
      return HTTPResponseValue(status: 200, body: Array(body.utf8))
    }
    let clock = VirtualClock()
    let manager = try TokenManager(
      store: MemorySecretStore(), refresher: refresher, settings: Client.settings, clock: clock.tokenClock)
    try await manager.logIn(
      TokenAnswer(accessToken: "at-0", tokenType: type, expiresIn: .seconds(3600), refreshToken: "rt"))
    let api = RequestAuthorizer(manager: manager, proofKey: key, clock: clock.wall) { try server.respond(to: $0) }
    return (api, manager)
  }

  private final class Counter: Sendable {
    private let count = Mutex(0)
    func next() -> Int {
      count.withLock {
        $0 += 1
        return $0
      }
    }
  }

  private static func refusal(_ challenges: String..., nonce: String? = nil) throws -> HTTPResponseValue {
    var headers = HTTPHeaderFields()
    for challenge in challenges { try headers.append("WWW-Authenticate", challenge) }
    if let nonce { try headers.append("DPoP-Nonce", nonce) }
    return HTTPResponseValue(status: 401, headers: headers)
  }

  private let request = HTTPRequestValue(method: "GET", url: "https://api.example/me?a=b")

  @Test func `a request gets the token in place of its own Authorization and DPoP fields`() async throws {
    let server = Server { _, _ in HTTPResponseValue(status: 200) }
    let (api, _) = try await authorizer(type: "bearer", server)
    var request = request
    try request.headers.append("authorization", "Basic stale")
    try request.headers.append("DPoP", "stale")
    try request.headers.append("X-Mine", "kept")
    #expect(try await api.send(request).status == 200)
    let sent = server.requests.withLock { $0 }
    #expect(sent.count == 1 && sent[0].headers.values("Authorization") == ["Bearer at-0"])
    #expect(sent[0].headers.values("DPoP").isEmpty && sent[0].headers.values("X-Mine") == ["kept"])
    #expect(sent[0].url == request.url && !"\(api)".contains("at-0"))
  }

  @Test(arguments: [
    [], [#"Bearer realm="x""#], [#"Bearer error="invalid_token", error_description="gone""#],
    [#"Basic realm="a, Bearer error=\"insufficient_scope\"", bearer  ERROR = invalid_token"#],
    ["Negotiate abc==, Bearer", "Digest x=1"],
  ]) func `a token that is refused is refreshed once, and the request sent once more`(challenges: [String]) async throws
  {
    let server = Server { token, _ in
      guard token == "at-0" else { return HTTPResponseValue(status: 200) }
      var headers = HTTPHeaderFields()
      for challenge in challenges { try headers.append("WWW-Authenticate", challenge) }
      return HTTPResponseValue(status: 401, headers: headers)
    }
    let (api, _) = try await authorizer(server)
    #expect(try await api.send(request).status == 200)
    #expect(server.tokens == ["Bearer at-0", "Bearer at-1"])
  }

  @Test(arguments: [
    [#"Bearer error="insufficient_scope""#], [#"Bearer error="invalid_request""#], [#"Basic realm="x""#],
    [#"Bearer error="insufficient_user_authentication""#],
  ]) func `a 401 that is not about the token is handed on`(challenges: [String]) async throws {
    let server = Server { _, _ in try Self.refusal(challenges[0]) }
    let (api, _) = try await authorizer(server)
    #expect(try await api.send(request).status == 401)
    #expect(server.tokens == ["Bearer at-0"])
  }

  @Test func `a second 401 and every other status are returned to the caller`() async throws {
    let refusing = Server { _, _ in try Self.refusal("Bearer") }
    #expect(try await authorizer(refusing).0.send(request).status == 401)
    #expect(refusing.tokens == ["Bearer at-0", "Bearer at-1"])
    for status in [200, 302, 403, 500] {
      let server = Server { _, _ in HTTPResponseValue(status: status) }
      #expect(try await authorizer(server).0.send(request).status == status)
      #expect(server.tokens.count == 1)
    }
  }

  @Test func `many requests whose token is refused are one refresh`() async throws {
    let server = Server { token, _ in
      token == "at-0" ? try Self.refusal("Bearer") : HTTPResponseValue(status: 200)
    }
    let (api, manager) = try await authorizer(server)
    let request = request
    let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<16 { group.addTask { try await api.send(request).status } }
      return try await group.reduce(into: Set()) { $0.insert($1) }
    }
    #expect(statuses == [200] && Set(server.tokens).isSubset(of: ["Bearer at-0", "Bearer at-1"]))
    #expect(try await manager.validToken().value == "at-1")
  }

  @Test(arguments: [
    "http://api.example/me", "/me", "", "HTTPS:/me", "ftp://api.example/", "https://", "no URL",
  ]) func `a token goes to absolute https addresses only`(url: String) async throws {
    let server = Server { _, _ in HTTPResponseValue(status: 200) }
    let (api, _) = try await authorizer(server)
    let error = await failure { _ = try await api.send(HTTPRequestValue(method: "GET", url: url)) }
    #expect(error?.code == .invalidRequest && server.tokens.isEmpty)
  }

  @Test func `a bound token has a proof, with the nonce that each server asks for`() async throws {
    let key = try SigningKey.generate(.es256)
    let server = Server { token, number in
      switch number {
      case 1: try Self.refusal(#"DPoP error="use_dpop_nonce""#, nonce: "n1")
      case 3: try Self.refusal(#"DPoP error="invalid_token""#)
      default: HTTPResponseValue(status: 200, headers: try HTTPHeaderFields([("DPoP-Nonce", "n\(number)")]))
      }
    }
    let (api, _) = try await authorizer(type: "DPoP", key: key, server)
    for _ in 0..<2 { #expect(try await api.send(request).status == 200) }
    #expect(try await api.send(HTTPRequestValue(method: "POST", url: "https://other.example/x")).status == 200)
    // A nonce that is missing costs no refresh; a token that is refused does.
    #expect(server.tokens == ["DPoP at-0", "DPoP at-0", "DPoP at-0", "DPoP at-1", "DPoP at-1"])
    let proofs = try server.requests.withLock { $0 }.map { request in
      try JSONObject(
        parsing: UnverifiedJWS(parsing: request.headers.values("DPoP").first ?? "").unverifiedPayload)
    }
    #expect(proofs.map { $0["nonce"]?.stringValue } == [nil, "n1", "n2", "n2", nil])
    #expect(proofs.map { $0["htu"]?.stringValue }.first == "https://api.example/me")
    #expect(proofs.last?["htm"] == "POST" && Set(proofs.compactMap { $0["jti"]?.stringValue }).count == 5)
    #expect(proofs.allSatisfy { $0["ath"] != nil } && proofs[0]["ath"] != proofs[3]["ath"])
  }

  @Test func `a token that is bound to a key is not sent without it`() async throws {
    let server = Server { _, _ in HTTPResponseValue(status: 200) }
    let (api, _) = try await authorizer(type: "DPoP", server)
    let error = await failure { _ = try await api.send(request) }
    #expect(error?.code == .settingInvalid && error?.name == "proofKey" && server.tokens.isEmpty)
  }

  @Test func `a server that asks for the nonce that it has just had gets no third request`() async throws {
    let key = try SigningKey.generate(.es256)
    let server = Server { _, _ in try Self.refusal(#"DPoP error="use_dpop_nonce""#, nonce: "n") }
    let (api, _) = try await authorizer(type: "DPoP", key: key, server)
    #expect(try await api.send(request).status == 401)
    #expect(server.tokens.count == 2)
  }

  @Test func `malformed challenges are parsed as far as possible, and at most 16 of them`() {
    let cases: [(String, [AuthenticationChallenge])] = [
      ("", []), ("=", []), (",,, ,", []), ("Bearer", [.init(scheme: "bearer")]),
      // By the grammar this is a token that ends in padding.
      ("Bearer error=", [.init(scheme: "bearer")]),
      (#"Bearer error="unclosed"#, [.init(scheme: "bearer", error: "unclosed")]),
      (#"Bearer error="a\"b", Basic"#, [.init(scheme: "bearer", error: #"a"b"#), .init(scheme: "basic")]),
      ("Bearer error=a, error=b", [.init(scheme: "bearer", error: "a")]),
      ("Basic abc==, Bearer error=x", [.init(scheme: "basic"), .init(scheme: "bearer", error: "x")]),
      ("(Bearer", []),
    ]
    for (field, challenges) in cases { #expect(AuthenticationChallenge.parse(field) == challenges) }
    #expect(AuthenticationChallenge.parse(String(repeating: "A,", count: 100_000)).count == 16)
    #expect(AuthenticationChallenge.parse("A " + String(repeating: "b=c,", count: 100_000)).count == 1)
    #expect(AuthenticationChallenge.parse(#"A b=""# + String(repeating: "\\", count: 100_001)).count == 1)
  }

  @Test func `the nonces of many servers are kept for a while`() throws {
    let nonces = ResourceNonces()
    for number in 0..<100 {
      let response = HTTPResponseValue(
        status: 200, headers: try HTTPHeaderFields([("DPoP-Nonce", "n\(number)")]))
      #expect(nonces.keep(of: response, from: "h\(number)") == "n\(number)")
    }
    #expect(nonces.nonce(of: "h99") == "n99" && nonces.nonce(of: "h36") == "n36" && nonces.nonce(of: "h35") == nil)
    let long = HTTPResponseValue(
      status: 200, headers: try HTTPHeaderFields([("DPoP-Nonce", String(repeating: "n", count: 1025))]))
    #expect(nonces.keep(of: long, from: "h99") == nil && nonces.nonce(of: "h99") == "n99")
  }
}
