import JOSE
import StrictJSON
import Testing

@Suite("JWT verification")
struct JWTVerifierTests {
  struct Session: Codable, Equatable {
    var iss: String
    var sub: String
    var aud: [String]
    var exp: NumericDate
    var admin: Bool
  }

  static let now = NumericDate(1_700_000_000)

  static func policy(_ change: (inout JWTPolicy) -> Void = { _ in }) -> JWTPolicy {
    var policy = JWTPolicy(issuer: .notChecked, audience: .notChecked, requiredClaims: [], clock: .fixed(at: now))
    change(&policy)
    return policy
  }

  /// What a policy says of a claims set, signed properly.
  static func verdict(_ claims: String, type: String? = "JWT", _ change: (inout JWTPolicy) -> Void = { _ in }) throws
    -> String
  {
    let key = try TestKeys.signing()
    let token = try JWS.sign(Array(claims.utf8), with: key, header: HeaderParameters(type: type))
    return refusal { _ = try JWTVerifier(key: key.verificationKey, policy: policy(change)).verify(token) }
  }

  @Test("claims of the user's own type come out of a verified token")
  func decodes() throws {
    let key = try TestKeys.signing(keyID: "k1")
    let session = Session(
      iss: "https://idp.example", sub: "jane", aud: ["api", "other"], exp: NumericDate(2_000_000_000), admin: true)
    let token = try JWT.sign(session, with: key)
    let set = JWKSet([try #require(key.verificationKey.publicJWK)])
    let verifier = JWTVerifier(keys: set, algorithms: [.es256], issuer: "https://idp.example", audience: "api")
    let verified = try verifier.verify(token, as: Session.self)
    #expect(verified.claims == session)
    #expect(verified.registeredClaims.audience == ["api", "other"])
    #expect(verified.header.type == "JWT" && verified.key.keyID == "k1")
    #expect(try verifier.verify(token).claims["admin"] == .bool(true))
    struct Other: Decodable { var missing: Int }
    #expect(code { _ = try verifier.verify(token, as: Other.self) } == .claimInvalid)
  }

  @Test(
    "a token with a cnf claim is refused as a bearer token",
    arguments: [#"{"jkt":"x"}"#, #"{"x5t#S256":"x"}"#, #"{"jwk":{}}"#, "{}", "null", "1"])
  func boundToken(confirmation: String) throws {
    let claims = #"{"sub":"jane","cnf":\#(confirmation)}"#
    #expect(try Self.verdict(claims) == "claimMismatch(cnf)")
    #expect(try Self.verdict(#"{"sub":"jane","nested":{"cnf":\#(confirmation)}}"#) == "accepted")
    // By the initialisers that take an issuer and an audience, and inside an encryption.
    let signer = try TestKeys.signing()
    let set = JWKSet([try #require(signer.verificationKey.publicJWK)])
    let plain = #"{"iss":"i","aud":"a","exp":2000000000,"cnf":\#(confirmation)}"#
    let token = try JWS.sign(Array(plain.utf8), with: signer)
    let verifiers = [
      JWTVerifier(key: signer.verificationKey, issuer: "i", audience: "a"),
      JWTVerifier(keys: set, algorithms: [.es256], issuer: "i", audience: "a"),
    ]
    for verifier in verifiers {
      #expect(refusal { _ = try verifier.verify(token) } == "claimMismatch(cnf)")
      #expect(refusal { _ = try verifier.verify(token, as: [String: JSONValue].self) } == "claimMismatch(cnf)")
    }
    let receiver = try TestKeys.decryption()
    let sealed = try JWE.encrypt(
      token.utf8, to: receiver.encryptionKey, contentEncryption: .a256gcm, header: HeaderParameters(contentType: "JWT"))
    let nested = NestedJWTVerifier(
      decryptionKey: receiver, contentEncryption: [.a256gcm], verifier: verifiers[0])
    #expect(refusal { _ = try nested.verify(sealed) } == "claimMismatch(cnf)")
  }

  @Test(
    "each registered claim must have its legal type, asked for or not",
    arguments: ["iss", "sub", "jti", "aud", "exp", "nbf", "iat"])
  func types(_ name: String) throws {
    let legal: Set<String> =
      switch name {
      case "aud": ["null", #""1""#, #"["a"]"#]
      case "exp", "nbf", "iat": ["null", "1", "1700000001"]
      default: ["null", #""1""#]
      }
    for value in ["null", "true", "1", #""1""#, "[]", "{}", #"["a"]"#, #"["a",1]"#, #"[["a"]]"#, "1700000001"] {
      let verdict = try Self.verdict("{\"\(name)\":\(value)}")
      if legal.contains(value) {
        #expect(verdict == "accepted" || verdict == "claimExpired(exp)" || verdict == "claimNotYetValid(nbf)")
      } else {
        #expect(verdict == "claimInvalid(\(name))")
      }
    }
  }

  @Test(
    "exp: refused from that second on, plus leeway",
    arguments: [
      (1_700_000_001.0, 0.0, true), (1_700_000_000, 0, false), (1_699_999_999, 0, false), (1_700_000_000.5, 0, true),
      (1_700_000_000, 1, true), (1_699_999_999, 1, false), (1_699_999_941, 60, true), (1_699_999_940, 60, false),
      (0, 600, false), (-1, 600, false), (253_402_300_800, 0, true), (1e15, 0, true), (9_007_199_254_740_992, 0, true),
    ])
  func expiration(_ seconds: Double, _ leeway: Double, _ accepted: Bool) throws {
    let claims: JSONObject = ["exp": .number(try JSONNumber(seconds))]
    let verdict = try Self.verdict(String(decoding: claims.serialized(), as: UTF8.self)) {
      ($0.leeway, $0.maximumLifetime) = (.seconds(leeway), nil)
    }
    #expect(verdict == (accepted ? "accepted" : "claimExpired(exp)"))
  }

  @Test(
    "dates past what whole seconds can say count as the last or the first",
    arguments: [
      ("9007199254740994", "accepted"), ("9223372036854775807", "accepted"), ("1e300", "accepted"),
      ("-1e300", "claimExpired(exp)"), ("-9007199254740994", "claimExpired(exp)"), ("1e400", "malformed"),
    ])
  func absurdDates(_ literal: String, _ expected: String) throws {
    #expect(try Self.verdict("{\"exp\":\(literal)}") { $0.maximumLifetime = nil } == expected)
    guard expected != "malformed" else { return }
    let claims = try JSONObject(parsing: "{\"nbf\":\(literal)}".utf8)
    let date = try #require(RegisteredClaims(claims).notBefore)
    #expect(abs(date.secondsSince1970) == 9_007_199_254_740_992)
    #expect(
      try StrictJSONDecoder().decode([String: NumericDate].self, from: Array("{\"nbf\":\(literal)}".utf8)) == [
        "nbf": date
      ])
  }

  @Test(
    "nbf: accepted from that second on, minus leeway",
    arguments: [
      (1_700_000_000, 0.0, true), (1_700_000_001, 0, false), (1_700_000_060, 60, true), (1_700_000_061, 60, false),
    ])
  func notBefore(_ seconds: Int, _ leeway: Double, _ accepted: Bool) throws {
    let verdict = try Self.verdict("{\"nbf\":\(seconds)}") { $0.leeway = .seconds(leeway) }
    #expect(verdict == (accepted ? "accepted" : "claimNotYetValid(nbf)"))
  }

  @Test("iat: checked with a maximum age or on request")
  func issuedAt() throws {
    #expect(try Self.verdict(#"{"iat":1700000100}"#) == "accepted")
    #expect(try Self.verdict(#"{"iat":1700000100}"#) { $0.refusesFutureIssuedAt = true } == "claimNotYetValid(iat)")
    #expect(try Self.verdict(#"{"iat":1700000100}"#) { $0.maximumAge = .seconds(60) } == "claimNotYetValid(iat)")
    #expect(try Self.verdict(#"{"iat":1699999941}"#) { $0.maximumAge = .seconds(60) } == "accepted")
    #expect(try Self.verdict(#"{"iat":1699999940}"#) { $0.maximumAge = .seconds(60) } == "claimExpired(iat)")
    #expect(try Self.verdict("{}") { $0.maximumAge = .seconds(60) } == "claimMissing(iat)")
  }

  @Test("a lifetime is counted from when the token was made, and an exp in milliseconds exceeds any")
  func maximumLifetime() throws {
    func verdict(_ claims: String, _ seconds: Double = 3600, leeway: Double = 0) throws -> String {
      try Self.verdict(claims) { ($0.maximumLifetime, $0.leeway) = (.seconds(seconds), .seconds(leeway)) }
    }
    #expect(try verdict(#"{"iat":1700000000,"exp":1700003600}"#) == "accepted")
    #expect(try verdict(#"{"iat":1700000000,"exp":1700003601}"#) == "claimMismatch(exp)")
    #expect(try verdict(#"{"iat":1699999000,"exp":1700002601}"#) == "claimMismatch(exp)")
    #expect(try verdict(#"{"exp":1700003600}"#) == "accepted")
    // What is valid from any time was still made at its time.
    #expect(try verdict(#"{"nbf":0,"iat":1700000000,"exp":1700003600}"#) == "accepted")
    #expect(try verdict(#"{"nbf":1699999999,"iat":1700000000,"exp":1700003600}"#) == "accepted")
    #expect(try verdict(#"{"nbf":1700000000,"iat":1699999999,"exp":1700003600}"#) == "claimMismatch(exp)")
    #expect(try verdict(#"{"nbf":1700000000,"exp":1700003600}"#) == "accepted")
    // When a token is valid says nothing of when it was made.
    #expect(try verdict(#"{"nbf":0,"exp":1700003600}"#) == "accepted")
    #expect(try verdict(#"{"nbf":0,"exp":1700003601}"#) == "claimMismatch(exp)")
    #expect(try verdict(#"{"exp":1700003601}"#) == "claimMismatch(exp)")
    // What is measured by this clock has its leeway, and what the issuer says of itself has none.
    #expect(try verdict(#"{"exp":1700003660}"#, leeway: 60) == "accepted")
    #expect(try verdict(#"{"exp":1700003661}"#, leeway: 60) == "claimMismatch(exp)")
    #expect(try verdict(#"{"iat":1700000000,"exp":1700003601}"#, leeway: 60) == "claimMismatch(exp)")
    // The issuer's clock is ahead, within the leeway.
    #expect(try verdict(#"{"iat":1700000060,"exp":1700003660}"#, leeway: 60) == "accepted")
    // A token that says it was made tomorrow has no more for it.
    #expect(try verdict(#"{"iat":1700086400,"exp":1700090000}"#) == "claimMismatch(exp)")
    #expect(try verdict(#"{"iat":1700000000,"exp":1700003600000}"#, 3_155_760_000) == "claimMismatch(exp)")
    #expect(try verdict("{}") == "accepted")
  }

  @Test(
    "ten calendar years are no longer than is accepted, and what is longer is told the bound",
    arguments: [
      // From 1 June 2027 and from 29 February 2024, to the same day ten years later.
      (1_811_808_000, 2_127_427_200, nil), (1_709_164_800, 2_024_697_600 + 86_400, nil),
      (1_811_808_000, 2_127_513_601, "3653 d, counted from iat"), (nil, 9_999_999_999, "3653 d, counted from now"),
      (nil, 253_402_300_800, "3653 d, counted from now"), (nil, 999_999_999_999, "3653 d, counted from now"),
      (nil, 1_000_000_000_000, "in milliseconds"), (1_700_000_000, 1_700_000_600_000, "in milliseconds"),
    ] as [(Int?, Int, String?)])
  func calendarYears(_ issuedAt: Int?, _ expiration: Int, _ text: String?) throws {
    let key = try TestKeys.signing()
    var claims: JSONObject = ["exp": .number(JSONNumber(expiration))]
    if let issuedAt { claims["iat"] = .number(JSONNumber(issuedAt)) }
    let token = try JWT.sign(claims, with: key)
    let now = issuedAt.map { NumericDate($0) } ?? Self.now
    for moment in [now, now.advanced(by: 3000 * 86_400)] {
      let policy = JWTPolicy(issuer: .notChecked, audience: .notChecked, clock: .fixed(at: moment))
      let verifier = JWTVerifier(key: key.verificationKey, policy: policy)
      guard let text else {
        #expect(refusal { _ = try verifier.verify(token) } == "accepted")
        continue
      }
      let error = #expect(throws: JOSEError.self) { try verifier.verify(token) }
      #expect(error?.code == .claimMismatch && error?.name == "exp")
      #expect(error?.description.contains(text) == true, "\(String(describing: error))")
      #expect(error?.description.contains("maximumLifetime") == !text.contains("milliseconds"))
    }
  }

  @Test("an exp in milliseconds is refused by the initialisers that take an issuer and an audience")
  func milliseconds() throws {
    let key = try TestKeys.signing()
    let set = JWKSet([try #require(key.verificationKey.publicJWK)])
    let now = WallClock.system.now.wholeSeconds
    func token(_ claims: JSONObject) throws -> String {
      var claims = claims
      (claims["iss"], claims["aud"]) = ("i", "a")
      return try JWT.sign(claims, with: key)
    }
    func number(_ value: Int) -> JSONValue { .number(JSONNumber(value)) }
    for verifier in [
      JWTVerifier(keys: set, algorithms: [.es256], issuer: "i", audience: "a"),
      JWTVerifier(key: key.verificationKey, issuer: "i", audience: "a"),
    ] {
      let (inSeconds, inMilliseconds) = (number(now + 600), number((now + 600) * 1000))
      for begin in [[:], ["iat": number(now)], ["nbf": 0], ["nbf": number(now)]] as [JSONObject] {
        var claims = begin
        claims["exp"] = inSeconds
        let right = try token(claims)
        #expect(refusal { _ = try verifier.verify(right) } == "accepted", "\(begin)")
        claims["exp"] = inMilliseconds
        let late = try token(claims)
        let error = #expect(throws: JOSEError.self) { try verifier.verify(late) }
        #expect(error?.code == .claimMismatch && error?.name == "exp", "\(begin)")
        #expect(error?.reason.contains("milliseconds") == true)
      }
      // What lives for nine years is no mistake, and nil allows any.
      #expect(refusal { _ = try verifier.verify(try token(["exp": number(now + 300_000_000)])) } == "accepted")
      var open = verifier
      open.policy.maximumLifetime = nil
      #expect(refusal { _ = try open.verify(try token(["exp": inMilliseconds])) } == "accepted")
    }
  }

  @Test(
    "a token of a known kind can't live for ten years",
    arguments: [
      ("1700000300", "accepted"), ("2015619200", "accepted"), ("2015619201", "claimMismatch(exp)"),
      ("1700000300000", "claimMismatch(exp)"),
    ])
  func lifetimeOfProfiles(_ expiration: String, _ expected: String) throws {
    let key = try TestKeys.signing()
    let claims = #"{"iss":"i","aud":"a","sub":"s","client_id":"c","jti":"j","iat":1700000000,"exp":\#(expiration)}"#
    let token = try JWS.sign(Array(claims.utf8), with: key, header: HeaderParameters(type: "at+jwt"))
    let policy = JWTPolicy.accessToken(issuer: "i", audience: "a", clock: .fixed(at: Self.now))
    #expect(refusal { _ = try JWTVerifier(key: key.verificationKey, policy: policy).verify(token) } == expected)
  }

  @Test("dates are written as whole seconds, which every peer reads")
  func wholeSeconds() throws {
    struct Dated: Codable {
      var iat: NumericDate
    }
    let key = try TestKeys.signing()
    let token = try JWT.sign(Dated(iat: NumericDate(saturating: 1_795_432_882.108_35)), with: key)
    #expect(try UnverifiedJWS(parsing: token).unverifiedPayload == Array(#"{"iat":1795432882}"#.utf8))
    let before = try JWT.sign(Dated(iat: NumericDate(saturating: -0.5)), with: key)
    #expect(try UnverifiedJWS(parsing: before).unverifiedPayload == Array(#"{"iat":0}"#.utf8))
  }

  @Test("a leeway, age or lifetime out of range is refused as callerMisuse", arguments: [-1, 601, -1e20, 1e20])
  func unsoundPolicy(_ seconds: Double) throws {
    #expect(try Self.verdict("{}") { $0.leeway = .seconds(seconds) } == "callerMisuse(leeway)")
    let (age, lifetime) =
      seconds < 0 ? ("callerMisuse(maximumAge)", "callerMisuse(maximumLifetime)") : ("accepted", "accepted")
    let claims = #"{"iat":1700000000,"exp":1700000001}"#
    #expect(try Self.verdict(claims) { $0.maximumAge = .seconds(seconds) } == age)
    #expect(try Self.verdict(claims) { $0.maximumLifetime = .seconds(seconds) } == lifetime)
  }

  @Test("exp is required by default, and by nothing else")
  func requiredClaims() throws {
    #expect(try Self.verdict("{}") { $0.requiredClaims = ["exp"] } == "claimMissing(exp)")
    #expect(try Self.verdict("{}") { $0.requiredClaims = ["nonce"] } == "claimMissing(nonce)")
    #expect(try Self.verdict(#"{"nonce":null}"#) { $0.requiredClaims = ["nonce"] } == "claimMissing(nonce)")
    #expect(try Self.verdict(#"{"nonce":false}"#) { $0.requiredClaims = ["nonce"] } == "accepted")
    #expect(JWTPolicy(issuer: .notChecked, audience: .notChecked).requiredClaims == ["exp"])
  }

  @Test(
    "audience",
    arguments: [
      (#"{"aud":"me"}"#, AudiencePolicy.anyOf(["me"]), "accepted"), (#"{"aud":["me"]}"#, .anyOf(["me"]), "accepted"),
      (#"{"aud":["other","me"]}"#, .anyOf(["me"]), "accepted"),
      (#"{"aud":"ME"}"#, .anyOf(["me"]), "claimMismatch(aud)"),
      (#"{"aud":"me/"}"#, .anyOf(["me"]), "claimMismatch(aud)"),
      (#"{"aud":"m"}"#, .anyOf(["me"]), "claimMismatch(aud)"),
      ("{}", .anyOf(["me"]), "claimMissing(aud)"), (#"{"aud":"me"}"#, .anyOf([]), "claimMismatch(aud)"),
      (#"{"aud":["a","b"]}"#, .allOf(["a", "b"]), "accepted"),
      (#"{"aud":["a"]}"#, .allOf(["a", "b"]), "claimMismatch(aud)"),
      (#"{"aud":["a"]}"#, .allOf([]), "claimMismatch(aud)"), ("{}", .allOf(["a"]), "claimMissing(aud)"),
      ("{}", .ifPresent(["me"]), "accepted"), (#"{"aud":"x"}"#, .ifPresent(["me"]), "claimMismatch(aud)"),
      ("{}", .absent, "accepted"), (#"{"aud":"x"}"#, .absent, "claimMismatch(aud)"),
      (#"{"aud":"x"}"#, .notChecked, "accepted"), ("{\"aud\":\"e\u{301}\"}", .anyOf(["\u{E9}"]), "claimMismatch(aud)"),
    ])
  func audience(_ claims: String, _ policy: AudiencePolicy, _ expected: String) throws {
    #expect(try Self.verdict(claims) { $0.audience = policy } == expected)
  }

  @Test("issuer and subject are compared as bytes")
  func issuerAndSubject() throws {
    #expect(try Self.verdict(#"{"iss":"a"}"#) { $0.issuer = .anyOf(["b", "a"]) } == "accepted")
    #expect(try Self.verdict(#"{"iss":"A"}"#) { $0.issuer = .anyOf(["a"]) } == "claimMismatch(iss)")
    #expect(try Self.verdict("{\"iss\":\"\u{212A}\"}") { $0.issuer = .anyOf(["K"]) } == "claimMismatch(iss)")
    #expect(try Self.verdict("{}") { $0.issuer = .anyOf(["a"]) } == "claimMissing(iss)")
    #expect(try Self.verdict(#"{"sub":"a"}"#) { $0.subject = "a" } == "accepted")
    #expect(try Self.verdict(#"{"sub":"b"}"#) { $0.subject = "a" } == "claimMismatch(sub)")
    #expect(try Self.verdict("{}") { $0.subject = "a" } == "claimMissing(sub)")
  }

  @Test(
    "typ",
    arguments: [
      ("JWT" as String?, TypePolicy.jwtOrAbsent, true), ("jwt", .jwtOrAbsent, true),
      ("application/JWT", .jwtOrAbsent, true),
      (nil, .jwtOrAbsent, true), ("at+jwt", .jwtOrAbsent, false), ("at+jwt", .anyOf(["at+jwt"]), true),
      ("application/at+jwt", .anyOf(["at+jwt"]), true), ("AT+JWT", .anyOf(["application/at+jwt"]), true),
      ("JWT", .anyOf(["at+jwt"]), false), (nil, .anyOf(["at+jwt"]), false), ("at+jwt;x=1", .anyOf(["at+jwt"]), false),
      ("dpop+\u{212A}wt", .anyOf(["dpop+kwt"]), false), ("\u{17F}", .anyOf(["s"]), false), ("x", .notChecked, true),
    ])
  func type(_ type: String?, _ policy: TypePolicy, _ accepted: Bool) throws {
    #expect(try Self.verdict("{}", type: type) { $0.type = policy } == (accepted ? "accepted" : "typeMismatch(typ)"))
  }

  @Test(
    "claims that are no strict JSON object are refused",
    arguments: [
      ("", "malformed"), ("[]", "malformed"), ("1", "malformed"), (#"{"a":1,"a":2}"#, "malformed"),
      (#"{"a":1,"\u0061":2}"#, "malformed"), (#"{"a":{"c":1,"c":1}}"#, "malformed"), (#"{"a":1,}"#, "malformed"),
      ("\u{FEFF}{}", "malformed"), (#"{"exp":1e400}"#, "malformed"), (#"{"a":"\ud800"}"#, "malformed"),
      ("{\"é\":1,\"e\u{301}\":2}", "accepted"),
    ])
  func claimsText(_ text: String, _ expected: String) throws {
    #expect(try Self.verdict(text) == expected)
  }

  @Test("depth, member and length limits of the claims")
  func limits() throws {
    func nested(_ depth: Int) -> String {
      "{\"x\":" + String(repeating: "[", count: depth) + String(repeating: "]", count: depth) + "}"
    }
    #expect(try Self.verdict(nested(31)) == "accepted")
    #expect(try Self.verdict(nested(32)) == "limitExceeded(json)")
    #expect(try Self.verdict(nested(2000)) == "limitExceeded(json)")
    func members(_ count: Int) -> String { "{" + (0..<count).map { "\"m\($0)\":0" }.joined(separator: ",") + "}" }
    #expect(try Self.verdict(members(512)) == "accepted")
    #expect(try Self.verdict(members(513)) == "limitExceeded(json)")
    func long(_ count: Int) -> String { "{\"x\":\"" + String(repeating: "y", count: count - 8) + "\"}" }
    #expect(try Self.verdict(long(128 * 1024)) == "accepted")
    #expect(try Self.verdict(long(128 * 1024 + 1)) == "limitExceeded(claimsByteCount)")
    #expect(try Self.verdict(long(200 * 1024)) == "limitExceeded(tokenByteCount)")
  }

  @Test("claims of a forged token are never judged")
  func signatureBeforeClaims() throws {
    let key = try TestKeys.signing()
    let token = try JWT.sign(["exp": 1], with: SigningKey.generate(.es256))
    #expect(
      refusal { _ = try JWTVerifier(key: key.verificationKey, policy: Self.policy()).verify(token) }
        == "signatureInvalid")
  }

  @Test("claims that are no object can't be signed")
  func signingRefusals() throws {
    let key = try TestKeys.signing()
    #expect(code { _ = try JWT.sign([1, 2], with: key) } == .callerMisuse)
    #expect(code { _ = try JWT.sign("text", with: key) } == .callerMisuse)
    #expect(code { _ = try JWT.sign(7, with: key) } == .callerMisuse)
  }

  @Test("the same verifier serves many tasks at once")
  func concurrency() async throws {
    let key = try TestKeys.signing()
    let token = try JWT.sign(["sub": "a"], with: key)
    let verifier = JWTVerifier(key: key.verificationKey, policy: Self.policy())
    try await withThrowingTaskGroup(of: String?.self) { group in
      for _ in 0..<64 { group.addTask { try verifier.verify(token).registeredClaims.subject } }
      for try await subject in group { #expect(subject == "a") }
    }
  }

  @Test(
    "a policy with an empty name, as a setting that is missing leaves it, is refused, whatever the token says",
    arguments: [
      ("iss", { @Sendable in $0.issuer = .anyOf([""]) }), ("iss", { $0.issuer = .anyOf(["i", ""]) }),
      ("aud", { $0.audience = .anyOf([""]) }),
      ("aud", { $0.audience = .allOf(["a", ""]) }), ("aud", { $0.audience = .ifPresent([""]) }),
      ("typ", { $0.type = .anyOf([""]) }), ("typ", { $0.type = .ifPresent([""]) }),
      ("sub", { $0.subject = "" }),
    ] as [(String, @Sendable (inout JWTPolicy) -> Void)])
  func emptyNames(_ name: String, _ change: @Sendable (inout JWTPolicy) -> Void) throws {
    let key = try TestKeys.signing()
    let claims: JSONObject = ["iss": "", "aud": ["", "a"], "sub": "", "exp": 2_000_000_000]
    let token = try JWT.sign(claims, with: key, type: "")
    var policy = JWTPolicy(issuer: .notChecked, audience: .notChecked, type: .notChecked)
    #expect(throws: Never.self) { try JWTVerifier(key: key.verificationKey, policy: policy).verify(token) }
    change(&policy)
    let verifier = JWTVerifier(key: key.verificationKey, policy: policy)
    #expect(refusal { _ = try verifier.verify(token) } == "callerMisuse(\(name))")
  }
}
