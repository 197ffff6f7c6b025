import JOSE
import PureCrypto
import StrictJSON

extension Mistake {
  static let claims: [Mistake] = [
    Mistake("another issuer", says: "iss", "another issuer", "policy") {
      try Bench.verify(Bench.token(["iss": "https://other.example.com"]))
    },
    Mistake("a slash too many", says: "iss", "slash") {
      try Bench.verify(Bench.token(["iss": "https://idp.example.com/"]))
    },
    Mistake("no issuer", says: "iss", "absent") { try Bench.verify(Bench.token(["iss": nil])) },
    Mistake("an empty issuer in the policy", says: "iss", "empty") {
      let policy = JWTPolicy(issuer: .anyOf([""]), audience: .anyOf(["api"]))
      _ = try Bench.verifier(policy).verify(Bench.token())
    },
    Mistake("no audience", says: "aud", "absent") { try Bench.verify(Bench.token(["aud": nil])) },
    Mistake("another audience", says: "aud", "another audience") { try Bench.verify(Bench.token(["aud": "web"])) },
    Mistake("an audience that is a number", says: "aud", "string") { try Bench.verify(Bench.token(["aud": 7])) },
    Mistake("expired", says: "exp", "expired", "new") {
      try Bench.verify(Bench.token(["exp": Bench.number(Bench.now - 86_400)]))
    },
    Mistake("expired a moment ago", says: "exp", "minutes", "leeway") {
      try Bench.verify(Bench.token(["exp": Bench.number(Bench.now - 30)]))
    },
    Mistake("not valid yet", says: "nbf", "not valid yet") {
      try Bench.verify(Bench.token(["nbf": Bench.number(Bench.now + 86_400)]))
    },
    Mistake("valid in a moment", says: "nbf", "clock", "leeway") {
      try Bench.verify(Bench.token(["nbf": Bench.number(Bench.now + 30)]))
    },
    Mistake("issued in the future", says: "iat", "future", "clock") {
      try verifyAccessToken(["iat": Bench.number(Bench.now + 3600)])
    },
    Mistake("exp in milliseconds", says: "exp", "milliseconds") {
      try verifyAccessToken(["exp": Bench.number(Bench.now * 1000)])
    },
    Mistake("an exp far away", says: "exp", "longer") {
      try verifyAccessToken(["exp": Bench.number(Bench.now + 400_000_000)])
    },
    Mistake("exp as a string", says: "exp", "number of seconds") {
      try Bench.verify(Bench.token(["exp": "2027-01-15T08:00:00Z"]))
    },
    Mistake("no exp", says: "exp", "absent") { try Bench.verify(Bench.token(["exp": nil])) },
    Mistake("a subject that is a number", says: "sub", "string") { try Bench.verify(Bench.token(["sub": 7])) },
    Mistake("another subject", says: "sub", "another subject") {
      var policy = Bench.policy
      policy.subject = "john"
      _ = try Bench.verifier(policy).verify(Bench.token())
    },
    Mistake("a claim of one's own type that is absent", says: "(seat)", "absent", "optional") {
      _ = try Bench.verifier().verify(Bench.token(), as: Ticket.self)
    },
    Mistake("a claim of one's own type that is null", says: "(seat)", "null", "optional") {
      _ = try Bench.verifier().verify(Bench.token(["seat": .some(.null)]), as: Ticket.self)
    },
    Mistake("a claim of another type than one's own", says: "(seat)", "another JSON type", "compare") {
      _ = try Bench.verifier().verify(Bench.token(["seat": "7"]), as: Ticket.self)
    },
    Mistake("a claim that one's own type can't hold", says: "(seat)", "does not fit", "a type that holds it") {
      _ = try Bench.verifier().verify(Bench.token(["seat": 1e300]), as: Ticket.self)
    },
    Mistake("a DPoP token as a bearer token", says: "cnf", "DPoP") {
      try Bench.verify(Bench.token(["cnf": ["jkt": "a"]]))
    },
    Mistake("no nonce", says: "nonce", "absent") { try verifyIDToken([:]) },
    Mistake("another nonce", says: "nonce", "login") { try verifyIDToken(["nonce": "other"]) },
    Mistake("a token for another client", says: "azp", "client") {
      try verifyIDToken(["nonce": "n", "azp": "web"])
    },
    Mistake("a token used twice", says: "jti", "used before") {
      let verifier = SingleUseJWTVerifier(try Bench.verifier(), records: MemoryRecordStore())
      let token = try Bench.token(["jti": "1"])
      for _ in 0..<2 { _ = try await verifier.verify(token) }
    },
  ]

  private struct Ticket: Decodable {
    let seat: Int
  }

  private static func verifyAccessToken(_ changes: [String: JSONValue?]) throws {
    let sound: [String: JSONValue?] = ["client_id": "app", "jti": "1"]
    let token = try Bench.token(sound.merging(changes) { $1 }, type: "at+jwt")
    let policy = JWTPolicy.accessToken(issuer: Bench.issuer, audience: "api", clock: Bench.clock)
    _ = try Bench.verifier(policy).verify(token)
  }

  private static func verifyIDToken(_ changes: [String: JSONValue?]) throws {
    let token = try Bench.token(["aud": "app"].merging(changes) { $1 })
    let policy = JWTPolicy.idToken(
      from: .openID(issuer: Bench.issuer), clientID: "app", answering: IDTokenRequest(nonce: "n"), clock: Bench.clock)
    _ = try Bench.verifier(policy).verify(token)
  }

  static let proofs: [Mistake] = [
    Mistake("a proof used twice", says: "proof", "used before") {
      let proof = try Mistake.proof()
      let verifier = DPoPVerifier(clock: Bench.clock, records: MemoryRecordStore())
      for _ in 0..<2 { try await verify(proof, with: verifier) }
    },
    Mistake("a proof for another method", says: "htm", "method") { try await verify(proof(method: "GET")) },
    Mistake("a proof for another URL", says: "htu", "URL") {
      try await verify(proof(url: "https://api.example.com/b"))
    },
    Mistake("a proof without ath", says: "ath", "access token") {
      let proofs = DPoPVerifier(clock: Bench.clock, records: MemoryRecordStore())
      let thumbprint = try Bench.publicJWK().thumbprint()
      _ = try await proofs.verify(
        proof(), method: "POST", url: "https://api.example.com/a",
        binding: .accessToken("token", thumbprint: thumbprint))
    },
    Mistake("an old proof", says: "iat", "new proof") {
      try await verify(proof(clock: .fixed(at: NumericDate(Bench.now - 3600))))
    },
    Mistake("a proof of tomorrow", says: "iat", "clock") {
      try await verify(proof(clock: .fixed(at: NumericDate(Bench.now + 3600))))
    },
    Mistake("a token as a proof", says: "typ", "dpop+jwt") { try await verify(Bench.token()) },
    Mistake("two proofs", says: "exactly one", "DPoP") {
      let proof = try Mistake.proof()
      _ = try await DPoPVerifier(clock: Bench.clock, records: MemoryRecordStore())
        .verify(fields: [proof, proof], method: "POST", url: "https://api.example.com/a")
    },
    Mistake("a proof by a shared secret", says: "symmetric", "JWK.generate") {
      let key = try SigningKey.generate(.hs256)
      _ = try DPoP.proof(method: "POST", url: "https://api.example.com/a", key: key)
    },
    Mistake("a proof for a path", says: "htu", "scheme and host") { _ = try proof(url: "/a") },
  ]

  private static func proof(
    method: String = "POST", url: String = "https://api.example.com/a", clock: WallClock = Bench.clock
  ) throws -> String {
    try DPoP.proof(method: method, url: url, key: Bench.signingKey(), clock: clock)
  }

  private static func verify(
    _ proof: String, with verifier: DPoPVerifier = DPoPVerifier(clock: Bench.clock, records: MemoryRecordStore())
  ) async throws {
    _ = try await verifier.verify(fields: [proof], method: "POST", url: "https://api.example.com/a")
  }
}
