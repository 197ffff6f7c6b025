import JOSE
import StrictJSON
import OpenIDKit

extension FuzzTarget {
  static let oauthMessageTargets = [
    introspection, authorizationRequest, pushedRequest, logout, challenge, pause, accept,
  ]

  private static let now = NumericDate(1_760_000_000)

  /// What an authorization server says of a token.
  private static let introspection = FuzzTarget(
    "oauth-introspection", maximumByteCount: 512,
    dictionary: [
      "\"active\":true", "\"exp\":", "\"nbf\":", "\"aud\":[", "\"cnf\":{\"jkt\":", "\"scope\":", "1e308", "-1",
    ],
    seeds: { _ in
      [
        #"{"active":true,"scope":"a b","exp":1760000001,"aud":["a","b"],"cnf":{"jkt":"x"},"sub":"u"}"#,
        #"{"active":false}"#,
      ].map { Array($0.utf8) }
    },
    run: { input in
      guard let answer = try? IntrospectionResponse(parsing: input) else { return false }
      if let end = answer.expiration, end <= now { try require(!answer.isGood(at: now), "what is over is not good") }
      try require(answer.isActive || !answer.isGood(at: now), "what is not active is not good")
      let again = try IntrospectionResponse(parsing: answer.jsonObject.serialized())
      try require(again.isActive == answer.isActive && again.subject == answer.subject, "it is written as it is read")
      return answer.isActive
    })

  /// What a browser brings to the authorization endpoint, as the query of a URL.
  private static let authorizationRequest = FuzzTarget(
    "oauth-authorization-request", maximumByteCount: 512,
    dictionary: [
      "response_type=code", "client_id=app", "redirect_uri=https%3A%2F%2Fapp.example%2Fcb%3Fa%3Db",
      "redirect_uri=http%3A%2F%2F127.0.0.1%3A49152%2Fcb", "scope=openid+a", "code_challenge_method=S256",
      "code_challenge=47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU", "prompt=none", "max_age=5", "claims=%7B%7D",
      "acr_values=a+b", "%22essential%22%3Atrue", "%22values%22%3A%5B%22a%22%5D", "dpop_jkt=", "state=", "request=",
      "&", "%0D%0A", "@", "%23", "&flag", "%E4", "&&", "st%61te=",
    ],
    seeds: { _ in
      let challenge = "&code_challenge_method=S256&code_challenge=47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU"
      return [
        "response_type=code&client_id=app&redirect_uri=https%3A%2F%2Fapp.example%2Fcb%3Fa%3Db&scope=openid&state=s",
        "response_type=code&client_id=app&redirect_uri=http%3A%2F%2F127.0.0.1%3A49152%2Fcb&scope=openid+a&max_age=5"
          + "&claims=%7B%22id_token%22%3A%7B%22acr%22%3Anull%7D%7D",
        "response_type=code&client_id=app&redirect_uri=https%3A%2F%2Fapp.example%2Fcb%3Fa%3Db&scope=openid&acr_values=a+b"
          + "&claims=%7B%22id_token%22%3A%7B%22acr%22%3A%7B%22essential%22%3Atrue%2C%22values%22%3A%5B%22a%22%5D%7D%7D%7D",
        "response_type=token&client_id=app&redirect_uri=https%3A%2F%2Fapp.example%2Fcb%3Fa%3Db&scope=openid",
        "&flag&%E4=1&nonce=&x=%&response_type=code&client_id=app"
          + "&redirect_uri=https%3A%2F%2Fapp.example%2Fcb%3Fa%3Db&scope=openid",
      ].map { Array(($0 + challenge).utf8) }
    },
    run: { input in
      let brought = HTTPRequestValue(
        method: "POST", url: "https://op.example/authorize",
        headers: try HTTPHeaderFields([("Content-Type", "application/x-www-form-urlencoded")]), body: input)
      guard let fields = try? OAuthAuthorizationRequest.parameters(of: brought) else { return false }
      try require(fields.fields.allSatisfy { !$0.value.isEmpty }, "a parameter without a value is absent")
      if let strict = try? FormFields(decoding: input, acceptsDuplicates: true) {
        try require(
          fields.fields.elementsEqual(strict.fields.filter { !$0.value.isEmpty && !$0.name.isEmpty }) {
            $0.name.utf8.elementsEqual($1.name.utf8) && $0.value.utf8.elementsEqual($1.value.utf8)
          }, "of a form without a mistake nothing is dropped that has a value")
      }
      var client = RegisteredClient(
        id: "app", redirectURIs: ["https://app.example/cb?a=b", "http://127.0.0.1/cb"], allowedScopes: ["openid", "a"])
      client.requiredContexts = ["a", "b"]
      let (answer, isAccepted): (String?, Bool)
      do {
        let asked = try OAuthAuthorizationRequest(fields, of: client)
        try require(asked.codeChallenge?.utf8.count == 43, "a public client has a code challenge")
        for context in [nil, "a", "c"] {
          guard case .needed(let next) = asked.stepUp(from: context, reachable: ["b", "c"]) else { continue }
          try require(next == "b", "nobody is sent to a login that the client doesn't take")
        }
        try require(asked.scopes.allSatisfy(client.allowedScopes.contains), "no scope that the client may not have")
        (answer, isAccepted) = (asked.answerURL(code: "c", issuer: "https://op.example"), true)
      } catch let refusal as OAuthAuthorizationRequest.Refusal {
        (answer, isAccepted) = (refusal.answerURL(issuer: "https://op.example"), false)
      }
      guard let answer else { return isAccepted }
      try require(isAnswer(answer), "no redirect but to what is registered")
      try require(answer.utf8.allSatisfy { (0x21...0x7E).contains($0) }, "a redirect is one line of ASCII")
      return isAccepted
    })

  /// Whether a redirect goes to the client: to its address, or to its loopback address with any port.
  private static func isAnswer(_ url: String) -> Bool {
    if url.utf8.starts(with: "https://app.example/cb?a=b&".utf8) { return true }
    guard url.utf8.starts(with: "http://127.0.0.1".utf8) else { return false }
    let rest = url.utf8.dropFirst(16)
    guard rest.first == UInt8(ascii: ":") else { return rest.starts(with: "/cb?".utf8) }
    return rest.dropFirst().drop { (0x30...0x39).contains($0) }.starts(with: "/cb?".utf8)
  }

  /// A pushed authorization request as a store holds it.
  private static let pushedRequest = FuzzTarget(
    "oauth-pushed-request", maximumByteCount: 512,
    dictionary: ["\"version\":1", "\"parameters\":[[", "\"client\":", "%20", "&", "="],
    seeds: { _ in
      [
        PushedAuthorizationRecord(parameters: ["a": "b c", "a": "ä"], clientID: "app").serialized()
      ]
    },
    run: { input in
      guard let record = try? PushedAuthorizationRecord(parsing: input) else { return false }
      try require(
        try PushedAuthorizationRecord(parsing: record.serialized()) == record, "a record is written as it is read")
      return true
    })

  /// A logout as the browser brings it, and what the provider makes of it.
  private static let logout = FuzzTarget(
    "oauth-logout", maximumByteCount: 512,
    dictionary: [
      "id_token_hint=", "client_id=app", "post_logout_redirect_uri=https%3A%2F%2Fapp.example%2Fbye", "state=", "&",
    ],
    seeds: { _ in
      [Array("client_id=app&post_logout_redirect_uri=https%3A%2F%2Fapp.example%2Fbye&state=s".utf8)]
    },
    run: { input in
      let text = String(decoding: input, as: UTF8.self)
      let request = HTTPRequestValue(method: "GET", url: "https://op.example/logout?" + text)
      guard let logout = try? LogoutRequest(request) else { return false }
      let policy = LogoutPolicy(issuer: "https://op.example", keys: JWKSet([]), algorithms: [.es256]) {
        $0 == "app" ? ["https://app.example/bye"] : nil
      }
      return try InlineExecutor.run {
        let decision = try? await policy.decide(logout, session: .init(subject: "u"))
        switch decision {
        case .logOut(let redirect?)?, .ask(let redirect?)?, .nothingToEnd(let redirect?)?:
          try require(
            redirect.utf8.starts(with: "https://app.example/bye".utf8), "no redirect but to what is registered")
          return true
        default: return decision != nil
        }
      }
    })

  /// The fields of an answer to a request that had a token.
  private static let challenge = FuzzTarget(
    "oauth-challenge", maximumByteCount: 256,
    dictionary: ["Bearer ", "DPoP ", "error=\"invalid_token\"", "error=\"use_dpop_nonce\"", "realm=\"", "\\\"", ", "],
    seeds: { _ in [Array(#"Basic abc==, Bearer realm="x", error="invalid_token""#.utf8)] },
    run: { input in
      try InlineExecutor.run {
        var headers = HTTPHeaderFields()
        try? headers.append("WWW-Authenticate", String(decoding: input, as: UTF8.self))
        let answer = HTTPResponseValue(status: 401, headers: headers)
        let clock = TokenClock(
          wall: .fixed(at: now), elapsed: { .seconds(1000) }, sleep: { _ in throw CancellationError() })
        let manager = try TokenManager(store: MemorySecretStore(), refresher: Renewing(), clock: clock)
        try await manager.logIn(TokenAnswer(accessToken: "at-1", expiresIn: .seconds(3600), refreshToken: "r"))
        let api = RequestAuthorizer(manager: manager, clock: .fixed(at: now)) { _ in answer }
        let response = try await api.send(HTTPRequestValue(method: "GET", url: "https://api.example/"))
        try require(response.status == 401, "a refusal is handed on")
        return try await manager.validToken().value.utf8.elementsEqual("at-2".utf8)
      }
    })

  /// Which answer about a token a client wants: `Accept`.
  private static let accept = FuzzTarget(
    "oauth-accept", maximumByteCount: 128,
    dictionary: [
      "application/token-introspection+jwt", "application/json", "*/*", ",", ";", "q=0", "q=0.5", " ", "\t",
    ],
    seeds: { _ in
      [
        InputParts.joined("application/json", "application/token-introspection+jwt"),
        InputParts.joined("application/token-introspection+jwt;q=0.5, */*", "text/html"),
      ]
    },
    run: { input in
      let (parts, type) = (InputParts(input), MediaType.tokenIntrospection)
      let fields = [parts.text(0), parts.text(1)]
      let isAccepted = MediaType.isAccepted(type, by: fields)
      try require(
        MediaType.isAccepted(type, by: [fields.joined(separator: ",")]) == isAccepted, "two fields are one list")
      try require(
        MediaType.isAccepted(type, by: fields.reversed()) == isAccepted, "the order of what is accepted says nothing")
      guard isAccepted else { return false }
      try require(
        fields.contains { $0.asciiLowercased.utf8.firstRange(of: type.utf8) != nil }, "what is accepted is named")
      return true
    })

  /// How long a server wants to be left alone: `Retry-After` and `Date`.
  private static let pause = FuzzTarget(
    "oauth-retry-after", maximumByteCount: 128,
    dictionary: [
      "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 ", "Sun Nov  6 ", "GMT", "-99 ", "9999", " ", ":",
    ],
    seeds: { _ in
      [
        InputParts.joined("120", ""), InputParts.joined("Mon, 13 Oct 2025 09:00:00 GMT", ""),
        InputParts.joined("Thursday, 09-Oct-25 09:00:00 GMT", "Thu Oct  9 08:53:20 2025"),
      ]
    },
    run: { input in
      let parts = InputParts(input)
      guard let asked = try pause(parts.text(0), parts.text(1)) else { return false }
      try require(asked >= .zero, "nobody is asked earlier than now")
      let words = parts.text(0).utf8.split(separator: 0x20).map { String(decoding: $0, as: UTF8.self) }
      if words.count == 6, words[0].utf8.last == UInt8(ascii: ",") {
        let ctime = [String(words[0].dropLast()), words[2], words[1], words[4], words[3]].joined(separator: " ")
        try require(try pause(ctime, parts.text(1)) == asked, "a date is the same in its obsolete form")
      }
      return true
    })

  /// What the client makes of the fields of a busy server's answer.
  private static func pause(_ retryAfter: String, _ date: String) throws -> Duration? {
    try InlineExecutor.run {
      var headers = HTTPHeaderFields()
      try? headers.append("Retry-After", retryAfter)
      try? headers.append("Date", date)
      let answer = HTTPResponseValue(status: 503, headers: headers)
      let client = OAuthClient(clientID: "app", clock: .fixed(at: now)) { _ in answer }
      do throws(OpenIDError) {
        _ = try await client.push(["scope": "openid"], to: "https://op.example/par")
      } catch {
        return error.retryAfter
      }
      throw LawBroken(description: "a busy server takes no request")
    }
  }

  private struct Renewing: TokenRefresher {
    func refresh(_ attempt: RefreshAttempt) async -> RefreshOutcome {
      .tokens(TokenAnswer(accessToken: "at-2", expiresIn: .seconds(3600), refreshToken: nil))
    }

    func revoke(refreshToken: String) async {}
  }
}
