import JOSE
import PureCrypto
import PureJOSETestSupport
import StrictJSON
import Testing

@Suite("Status lists")
struct StatusListTests {
  static let key = JWK.generate(.es256, keyID: "lists")
  static let uri = "https://issuer.example/statuslists/1"
  static let clock = WallClock.fixed(at: NumericDate(1_800_000_000))

  static func verifier(clock: WallClock = clock) throws -> JWTVerifier {
    JWTVerifier(
      key: try VerificationKey(key),
      policy: JWTPolicy(issuer: .notChecked, audience: .notChecked, clock: clock))
  }

  @Test("the draft's examples are read: the first status stands in the least significant bits")
  func examples() throws {
    let one = try StatusList(["bits": 1, "lst": "eNrbuRgAAhcBXQ"])
    #expect((0..<16).map { one[$0]?.rawValue } == [1, 0, 0, 1, 1, 1, 0, 1, 1, 1, 0, 0, 0, 1, 0, 1])
    let two = try StatusList(["bits": 2, "lst": "eNo76fITAAPfAgc"])
    #expect((0..<12).map { two[$0]?.rawValue } == [1, 2, 0, 3, 0, 1, 0, 1, 1, 2, 3, 3])
    #expect(one.count == 16 && one[16] == nil && one[-1] == nil && one[.max] == nil && one[.min] == nil)
  }

  @Test("lists that the draft forbids are refused")
  func malformed() {
    let list: JSONValue = "eNrbuRgAAhcBXQ"
    for claim: JSONObject in [
      ["bits": 3, "lst": list], ["bits": 0, "lst": list], ["bits": -1, "lst": list], ["bits": 16, "lst": list],
      ["bits": "1", "lst": list], ["bits": 1.5, "lst": list], ["bits": 1e30, "lst": list], ["lst": list], ["bits": 1],
      ["bits": 1, "lst": ["x"]], ["bits": 1, "lst": ""], ["bits": 1, "lst": "eNrbuRgAAhcBXg"],
      ["bits": 1, "lst": "eNrbuRgAAhcBXQ=="], ["bits": 1, "lst": .string(Base64URL.encode(Zlib.compress([])))],
    ] {
      #expect(refusal { _ = try StatusList(claim) } == "claimInvalid(status_list)", "\(claim)")
    }
  }

  @Test("what is set is read, and nothing else changes", arguments: [1, 2, 4, 8])
  func law(bits: Int) throws {
    var generator = SeededGenerator(seed: UInt64(bits))
    let count = 1001
    var list = try StatusList(bits: bits, count: count)
    var model = [UInt8](repeating: 0, count: list.count)
    #expect(list.count >= count && list.count < count + 8)
    for _ in 0..<3000 {
      let (index, status) = (Int.random(in: 0..<count, using: &generator), UInt8.random(in: 0...255, using: &generator))
      let fitting = status & UInt8((1 << bits) - 1)
      try list.set(TokenStatus(rawValue: fitting), at: index)
      model[index] = fitting
    }
    #expect(model.indices.allSatisfy { list[$0]?.rawValue == model[$0] })
    #expect(try StatusList(list.claim) == list)
    if bits < 8 {
      #expect(refusal { try list.set(TokenStatus(rawValue: 1 << UInt8(bits)), at: 0) } == "callerMisuse(bits)")
    }
    for index in [-1, list.count, .max, .min] {
      #expect(refusal { try list.set(.valid, at: index) } == "callerMisuse(index)")
    }
  }

  @Test(
    "a list that no verifier reads can't be made",
    arguments: [
      (3, 1, "callerMisuse(bits)"), (0, 1, "callerMisuse(bits)"), (-1, 1, "callerMisuse(bits)"),
      (1, 0, "callerMisuse(count)"), (1, -1, "callerMisuse(count)"), (1, .min, "callerMisuse(count)"),
      (8, 1 << 24 + 1, "limitExceeded(statusListByteCount)"), (1, .max, "limitExceeded(statusListByteCount)"),
      (8, 1 << 24, "accepted"),
    ])
  func sizes(bits: Int, count: Int, expected: String) {
    #expect(refusal { _ = try StatusList(bits: bits, count: count) } == expected)
  }

  @Test("a million tokens that are valid take less than 300 octets")
  func empty() throws {
    let claim = try StatusList(bits: 1, count: 1 << 20).claim
    #expect((claim["lst"]?.stringValue?.utf8.count ?? .max) < 300)
    #expect(try StatusList(claim).count == 1 << 20)
  }

  @Test("a list of more octets than the limit is refused, whatever it is compressed to")
  func limit() throws {
    let claim = try StatusList(bits: 8, count: 1001).claim
    var limits = Limits.default
    limits.statusListByteCount = 1000
    #expect(refusal { _ = try StatusList(claim, limits: limits) } == "limitExceeded(statusListByteCount)")
    limits.statusListByteCount = 1001
    #expect(try StatusList(claim, limits: limits).count == 1001)
  }

  @Test("a list that is signed is verified as the same, at its own place alone")
  func token() throws {
    var list = try StatusList(bits: 2, count: 100)
    try list.set(.suspended, at: 7)
    let text = try list.signed(
      for: Self.uri, timeToLive: .seconds(60), lifetime: .seconds(600), with: SigningKey(Self.key), clock: Self.clock)
    let token = try StatusListToken(verifying: text, at: Self.uri, by: Self.verifier())
    #expect(token.list == list && token.timeToLive == .seconds(60))
    #expect(token.issuedAt == Self.clock.now && token.expiration == Self.clock.now.advanced(by: .seconds(600)))
    #expect(
      refusal { _ = try StatusListToken(verifying: text, at: Self.uri + "2", by: Self.verifier()) }
        == "claimMismatch(sub)")
    let late = WallClock.fixed(at: Self.clock.now.advanced(by: .seconds(600)))
    #expect(
      refusal { _ = try StatusListToken(verifying: text, at: Self.uri, by: Self.verifier(clock: late)) }
        == "claimExpired(exp)")
    // A policy for other tokens takes none of this kind, and the other way round.
    #expect(refusal { _ = try Self.verifier().verify(text) as VerifiedJWT<JSONObject> } == "typeMismatch(typ)")
    let other = try JWT.sign(["sub": .string(Self.uri)] as JSONObject, with: SigningKey(Self.key))
    #expect(
      refusal { _ = try StatusListToken(verifying: other, at: Self.uri, by: Self.verifier()) } == "typeMismatch(typ)")
  }

  @Test("what a policy demands of tokens, it doesn't of their lists")
  func policy() throws {
    let text = try StatusList(bits: 1, count: 8).signed(
      for: Self.uri, timeToLive: .seconds(60), with: SigningKey(Self.key), clock: Self.clock)
    var verifier = try Self.verifier()
    (verifier.policy.audience, verifier.policy.subject) = (.anyOf(["api"]), "ada")
    verifier.policy.acceptsSubject = { _, _ in false }
    verifier.policy.requiredClaims = ["jti"]
    #expect(refusal { _ = try StatusListToken(verifying: text, at: Self.uri, by: verifier) } == "accepted")
    verifier.policy.issuer = .anyOf(["https://issuer.example"])
    #expect(refusal { _ = try StatusListToken(verifying: text, at: Self.uri, by: verifier) } == "claimMissing(iss)")
  }

  @Test("a list has its claims, and a time to live that can be counted")
  func claims() throws {
    let list = JSONValue.object(try StatusList(bits: 1, count: 8).claim)
    for (name, value, expected) in [
      ("ttl", nil, "accepted"), ("ttl", .null, "accepted"), ("ttl", 0.5, "accepted"), ("ttl", 1e12, "accepted"),
      ("ttl", 0, "claimInvalid(ttl)"), ("ttl", -1, "claimInvalid(ttl)"), ("ttl", 1e13, "claimInvalid(ttl)"),
      ("ttl", 1e300, "claimInvalid(ttl)"), ("ttl", "60", "claimInvalid(ttl)"), ("sub", nil, "claimMissing(sub)"),
      ("iat", nil, "claimMissing(iat)"), ("status_list", nil, "claimMissing(status_list)"),
      ("status_list", "x", "claimMissing(status_list)"), ("status_list", [:], "claimInvalid(status_list)"),
      ("iat", 1_800_000_001, "claimNotYetValid(iat)"),
    ] as [(String, JSONValue?, String)] {
      var claims: JSONObject = ["sub": .string(Self.uri), "iat": 1_800_000_000, "ttl": 60, "status_list": list]
      claims[name] = value
      let text = try JWT.sign(claims, with: SigningKey(Self.key), type: "statuslist+jwt")
      #expect(
        refusal { _ = try StatusListToken(verifying: text, at: Self.uri, by: Self.verifier()) } == expected,
        "\(name) \(String(describing: value))")
    }
  }

  @Test("lists of many octets are verified, which are longer than other tokens may be")
  func longToken() throws {
    var (list, generator) = (try StatusList(bits: 8, count: 500_000), SeededGenerator(seed: 1))
    for index in 0..<500_000 {
      try list.set(TokenStatus(rawValue: UInt8.random(in: 0...255, using: &generator)), at: index)
    }
    let text = try list.signed(for: Self.uri, timeToLive: .seconds(60), with: SigningKey(Self.key), clock: Self.clock)
    #expect(try StatusListToken(verifying: text, at: Self.uri, by: Self.verifier()).list == list)
  }

  @Test("times and places that no verifier takes are refused before anything is signed")
  func misuse() throws {
    let list = try StatusList(bits: 1, count: 8)
    for (uri, ttl, lifetime, expected) in [
      ("no uri", 60, 600, "callerMisuse(uri)"), (Self.uri, 0, 600, "callerMisuse(timeToLive)"),
      (Self.uri, -1, 600, "callerMisuse(timeToLive)"), (Self.uri, 60, 59, "callerMisuse(lifetime)"),
      (Self.uri, 60, .max, "callerMisuse(lifetime)"), (Self.uri, .max, .max, "callerMisuse(lifetime)"),
    ] {
      #expect(
        refusal {
          _ = try list.signed(
            for: uri, timeToLive: .seconds(ttl), lifetime: .seconds(lifetime), with: SigningKey(Self.key))
        } == expected)
    }
  }

  @Test("a token's place in a list is what the claim says, or the claim is refused")
  func references() throws {
    let reference = StatusReference(uri: Self.uri, index: 4711)
    #expect(try StatusReference(in: ["status": reference.claim]) == reference)
    #expect(try StatusReference(in: [:]) == nil && StatusReference(in: ["status": .null]) == nil)
    let place: JSONObject = ["uri": .string(Self.uri), "idx": 0]
    func changed(_ name: String, _ value: JSONValue?) -> JSONValue {
      var place = place
      place[name] = value
      return ["status_list": .object(place)]
    }
    #expect(try StatusReference(in: ["status": changed("idx", 9_007_199_254_740_993)])?.index == 9_007_199_254_740_993)
    for status in [
      "x", 1, [:], ["status_list": 1], ["status_list": [:]], changed("uri", nil), changed("uri", 1),
      changed("uri", "x"), changed("idx", nil), changed("idx", -1), changed("idx", "0"), changed("idx", 0.5),
      changed("idx", 1e300),
    ] as [JSONValue] {
      #expect(refusal { _ = try StatusReference(in: ["status": status]) } == "claimInvalid(status)", "\(status)")
    }
  }

  @Test("statuses have the draft's names")
  func names() {
    let names = (0..<17).map { "\(TokenStatus(rawValue: UInt8($0)))" }
    #expect(Array(names.prefix(5)) == ["valid", "invalid", "suspended", "application-specific 3", "reserved 4"])
    #expect(names[11] == "reserved 11" && names[12] == "application-specific 12" && names[16] == "reserved 16")
  }
}
