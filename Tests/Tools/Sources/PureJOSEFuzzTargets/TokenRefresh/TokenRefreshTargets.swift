import IdentityTesting
import JOSE
import StrictJSON
import OpenIDKit

extension FuzzTarget {
  static let tokenRefreshTargets = [refreshAnswer, tokenRecord, refreshFamily, codeRecord, refreshEndpoint]

  private static let now = NumericDate(1_760_000_000)

  /// An answer of a token endpoint: status, Retry-After, body. A manager then lives with what the answer says.
  private static let refreshAnswer = FuzzTarget(
    "refresh-response", maximumByteCount: 384,
    dictionary: [
      "\"access_token\":", "\"token_type\":\"Bearer\"", "\"expires_in\":", "\"refresh_token\":",
      "\"refresh_token_expires_in\":",
      "\"error\":\"invalid_grant\"", "\"error\":\"use_dpop_nonce\"", "1e308", "-1",
    ],
    seeds: { _ in
      [
        InputParts.joined(
          "200", "",
          #"{"access_token":"a","token_type":"Bearer","expires_in":3600,"refresh_token":"r","scope":"openid"}"#),
        InputParts.joined("201", "", #"{"access_token":"a","token_type":"Bearer","scope":["openid"],"expires_in":0}"#),
        InputParts.joined("400", "", #"{"error":"invalid_grant"}"#), InputParts.joined("503", "120", "busy"),
      ]
    },
    run: { input in
      let parts = InputParts(input)
      var response = HTTPResponseValue(status: Int(parts.text(0)) ?? 200, body: parts[2])
      try? response.headers.append("Retry-After", parts.text(1))
      try? response.headers.append("DPoP-Nonce", parts.text(1))
      let outcome = RefreshOutcome(of: response)
      return try InlineExecutor.run {
        let clock = TokenClock(
          wall: .fixed(at: now), elapsed: { .seconds(1000) }, sleep: { _ in throw CancellationError() })
        let manager = try TokenManager(
          store: MemorySecretStore(), refresher: Answering(outcome: outcome), clock: clock)
        // A token that is due at once: the manager asks, and gets the answer.
        try await manager.logIn(
          TokenAnswer(accessToken: "first", tokenType: "Bearer", expiresIn: .seconds(1), refreshToken: "r"))
        let token = try? await manager.validToken(minimumRemaining: .seconds(60))
        guard case .tokens(let tokens) = outcome else { return false }
        try require(!tokens.accessToken.isEmpty && !tokens.tokenType.isEmpty, "tokens are not empty")
        if let token {
          try require(token.value.utf8.elementsEqual(tokens.accessToken.utf8), "the new token is handed out")
        }
        return true
      }
    })

  private struct Answering: TokenRefresher {
    let outcome: RefreshOutcome

    func refresh(_ attempt: RefreshAttempt) async -> RefreshOutcome { outcome }
    func revoke(refreshToken: String) async {}
  }

  /// A record as a store holds it.
  private static let tokenRecord = FuzzTarget(
    "refresh-record", maximumByteCount: 512,
    dictionary: [
      "\"version\":1", "\"kind\":\"refreshable\"", "\"issuedAt\":", "\"lifetime\":", "1e308", "18446744073709551615",
      "\"pendingRotation\":{",
    ],
    seeds: { _ in
      [
        #"{"version":1,"loginID":"l","revision":1,"generation":2,"kind":"refreshable","tokenType":"Bearer","issuedAt":1760000000,"lifetime":3600,"lastFullLogin":1760000000,"accessToken":"a","refreshToken":"r","pendingRotation":{"startedAt":1760000000,"refreshTokenFingerprint":"f"}}"#
      ].map { Array($0.utf8) }
    },
    run: { input in
      guard let record = try? TokenRecord(parsing: input) else { return false }
      let again = try TokenRecord(parsing: record.serialized())
      try require(again.serialized() == record.serialized(), "a record is written as it is read")
      return try InlineExecutor.run {
        let clock = TokenClock(
          wall: .fixed(at: now), elapsed: { .seconds(1000) }, sleep: { _ in throw CancellationError() })
        let outcome = RefreshOutcome.failed(RefreshFailure(.noAnswer))
        let manager = try TokenManager(
          store: MemorySecretStore(record.serialized()), refresher: Answering(outcome: outcome), clock: clock)
        _ = try? await manager.validToken()
        return true
      }
    })

  /// A family as a provider's store holds it: in JSON, or in binary without the check, which no fuzzer guesses.
  private static let refreshFamily = FuzzTarget(
    "refresh-family", maximumByteCount: 512,
    dictionary: ["\"version\":1", "\"generation\":", "\"revoked\":{", "\"reason\":", "1e308", "-1"],
    seeds: { _ in
      guard let id = RefreshTokenFamily.ID(octets: [UInt8](repeating: 7, count: 16)) else { return [] }
      let grant = RefreshGrant(
        subject: "alice", clientID: "app", sessionID: "s", scope: ["openid"], resources: ["https://api.example"])
      var inContext = grant
      inContext.authenticationContext = "urn:two"
      let states: [(RefreshTokenFamily.Status, RefreshGrant)] = [
        (.active, grant), (.revoked(.invalidGrant, at: now), grant), (.active, inContext),
      ]
      let inBinary = states.map { status, grant in
        var family = RefreshTokenFamily(
          id: id, grant: grant, createdAt: now, absoluteExpiration: now.advanced(by: 1000))
        (family.status, family.generation, family.rotatedAt, family.replayCount) = (status, 2, now, 1)
        return Array(family.serialized().dropLast(8))
      }
      let json =
        #"{"version":1,"id":"\#(id.text)","subject":"u","client":"c","scope":["a"],"resources":[],"createdAt":10,"#
        + #""lastUsedAt":20,"generation":5,"replayCount":1,"revoked":{"reason":"expired","at":30}}"#
      return inBinary + [Array(json.utf8)]
    },
    run: { input in
      let isBinary = [2, 3].contains(input.first)
      guard let family = try? RefreshTokenFamily(parsing: isBinary ? StoredOctets.sealed(input) : input) else {
        return false
      }
      let again = try RefreshTokenFamily(parsing: family.serialized())
      try require(again.serialized() == family.serialized(), "a family is written as it is read")
      return true
    })

  /// An authorization code as a store has it.
  private static let codeRecord = FuzzTarget(
    "authorization-code", maximumByteCount: 768,
    dictionary: [
      "\"version\":1", "\"revision\":", "\"code\":\"", "\"grant\":{", "\"use\":\"used\"", "\"resources\":[", "1e308",
      "-1",
    ],
    seeds: { _ in
      let grant = AuthorizationCodeGrant(
        clientID: "app", redirectURI: "https://app.example/cb", scopes: ["openid"], resources: ["https://r.example"],
        subject: "alice", sessionID: "s",
        nonce: "n", codeChallenge: "c", keyThumbprint: "t", id: "g", additionalMembers: ["a": [1]])
      return [AuthorizationCodeRecord.Use.unused, .used, .reused].map { use in
        AuthorizationCodeRecord(
          codeHash: [UInt8](repeating: 3, count: 32), version: 2, grant: grant, expiration: now, use: use,
          removableAt: now.advanced(by: 1000)
        ).serialized()
      }
    },
    run: { input in
      guard let record = try? AuthorizationCodeRecord(parsing: input) else { return false }
      try require(
        try AuthorizationCodeRecord(parsing: record.serialized()) == record, "a code is written as it is read")
      return true
    })

  /// A refresh request as a provider gets it. The placeholder stands for a good refresh token.
  private static let refreshEndpoint = FuzzTarget(
    "refresh-endpoint", maximumByteCount: 256,
    dictionary: [
      "grant_type=refresh_token", "refresh_token=@TOKEN@", "client_id=app", "scope=openid",
      "resource=https%3A%2F%2Fapi.example", "rt1.",
      "&",
    ],
    seeds: { _ in [Array("client_id=app&grant_type=refresh_token&refresh_token=@TOKEN@&scope=openid".utf8)] },
    run: { input in
      try InlineExecutor.run {
        let server = try MemoryProvider(
          issuer: "https://op.example.com", clients: [RegisteredClient(id: "app")], clock: .fixed(at: now))
        try await server.sessions.addUser("alice")
        try await server.sessions.add(AuthenticationSession(id: "s", userID: "alice", authenticatedAt: now))
        let grant = RefreshGrant(
          subject: "alice", clientID: "app", sessionID: "s", scope: ["openid", "profile"],
          resources: ["https://api.example"])
        let token = try await server.provider.refreshTokens.issue(grant).refreshToken
        var request = HTTPRequestValue.post([:], to: "/token")
        request.body = Placeholders.filled(input, ["@TOKEN@": token])
        let response = await server.respond(to: request)
        try require((200..<500).contains(response.status), "no fault of the server: \(response.status)")
        return response.status == 200
      }
    })
}
