import JOSE
import PureCrypto
import StrictJSON
import Testing

@Suite("SD-JWT")
struct SDJWTTests {
  static let issuer = JWK.generate(.es256, keyID: "issuer")
  static let holder = JWK.generate(.es256)
  static let now = NumericDate(1_800_000_000)
  static let clock = WallClock.fixed(at: now)

  static let claims: JSONObject = [
    "iss": "https://issuer.example", "exp": 1_800_000_600, "sub": "u1", "email": "ada@example.org",
    "address": ["street": "High St 1", "country": "GB", "geo": ["lat": 51, "lon": [0, 1]]],
    "nationalities": ["GB", "FR", "DE"], "empty": [:], "none": .null,
  ]
  static let paths: [ClaimPath] = [
    "email", "address", ["address", "street"], ["address", "geo", "lon"], ["address", "geo", "lon", 1],
    ["nationalities", 0], ["nationalities", 2], "none",
  ]

  static func issue(
    _ claims: JSONObject = claims, _ paths: [ClaimPath] = paths, decoys: Int = 0, hash: ThumbprintHash = .sha256,
    type: String = "example+sd-jwt"
  ) throws -> SDJWT {
    try SDJWT.issue(
      claims, disclosing: paths, decoys: decoys, holder: holder.publicKey, hash: hash, with: SigningKey(issuer),
      type: type)
  }

  static func verifier(
    _ keyBinding: KeyBindingPolicy = .ignored, type: String = "example+sd-jwt", required: [String] = ["exp"],
    hashes: [ThumbprintHash] = ThumbprintHash.allCases, limits: Limits = .default
  ) throws -> SDJWTVerifier {
    SDJWTVerifier(
      verifier: JWTVerifier(
        key: try VerificationKey(issuer),
        policy: JWTPolicy(
          issuer: .anyOf(["https://issuer.example"]), audience: .notChecked, type: .anyOf([type]),
          requiredClaims: required, clock: clock, limits: limits)),
      keyBinding: keyBinding, hashes: hashes)
  }

  static func verified(_ token: SDJWT, _ keyBinding: KeyBindingPolicy = .ignored) throws -> VerifiedSDJWT<JSONObject> {
    try verifier(keyBinding).verify(token.compact)
  }

  /// The claims that are left when of `paths` only those around and at `shown` are shown.
  static func restricted(_ claims: JSONObject, to shown: [ClaimPath], of paths: [ClaimPath] = paths) -> JSONObject {
    func kept(_ path: ClaimPath) -> Bool {
      !paths.contains(path) || shown.contains { $0.steps.starts(with: path.steps) }
    }
    func restrict(_ value: JSONValue, _ path: [ClaimPath.Step]) -> JSONValue {
      switch value {
      case .object(let object):
        return .object(
          JSONObject(
            object.members.filter { kept(ClaimPath(path + [.member($0.name)])) }
              .map { ($0.name, restrict($0.value, path + [.member($0.name)])) }))
      case .array(let elements):
        return .array(
          elements.enumerated().filter { kept(ClaimPath(path + [.element($0.offset)])) }
            .map { restrict($0.element, path + [.element($0.offset)]) })
      default: return value
      }
    }
    return restrict(.object(claims), []).objectValue ?? [:]
  }

  static func withHolder(_ claims: JSONObject) throws -> JSONObject {
    var claims = claims
    claims["cnf"] = ["jwk": .object(try #require(holder.publicKey).publicJSONObject())]
    return claims
  }

  // MARK: The law

  @Test("verified claims are the issued claims without those that were not disclosed")
  func everySubset() throws {
    for hash in ThumbprintHash.allCases {
      let token = try Self.issue(decoys: 2, hash: hash)
      #expect(try Set(token.disclosedPaths()) == Set(Self.paths))
      for subset in 0..<(1 << Self.paths.count) where hash == .sha256 || subset % 17 == 0 {
        let shown = Self.paths.indices.filter { subset >> $0 & 1 == 1 }.map { Self.paths[$0] }
        let presented = try token.presenting(shown)
        let verified = try Self.verified(presented)
        #expect(try verified.claims == Self.withHolder(Self.restricted(Self.claims, to: shown)), "\(shown)")
        #expect(verified.disclosedPaths.count <= Self.paths.count)
        #expect(try SDJWT(parsing: presented.compact).compact == presented.compact)
      }
    }
  }

  @Test("to leave a disclosure out changes no other claim")
  func leavingOut() throws {
    let token = try Self.issue()
    let parts = token.compact.split(separator: "~").map(String.init)
    for place in 1..<parts.count {
      var fewer = parts
      fewer.remove(at: place)
      let text = fewer.joined(separator: "~") + "~"
      guard let verified = try? Self.verifier().verify(text) else { continue }
      let whole = try Self.verified(token).claims
      for (name, value) in verified.claims.members where !["address", "nationalities"].contains(name) {
        #expect(whole[name] == value)
      }
    }
  }

  @Test("disclosures in another order are the same claims")
  func order() throws {
    let token = try Self.issue()
    let parts = token.compact.split(separator: "~").map(String.init)
    let text = ([parts[0]] + parts.dropFirst().reversed()).joined(separator: "~") + "~"
    let (one, other): (VerifiedSDJWT<JSONObject>, VerifiedSDJWT<JSONObject>) = try (
      Self.verified(token), Self.verifier().verify(text)
    )
    #expect(one.claims == other.claims)
  }

  // MARK: Form

  @Test("salts are fresh, digests sorted, and nothing of what is kept is to be read")
  func form() throws {
    let (one, other) = (try Self.issue(), try Self.issue())
    #expect(Set(one.compact.split(separator: "~").dropFirst()).isDisjoint(with: other.compact.split(separator: "~")))
    let hidden = try one.presenting([])
    let payload = try #require(UnverifiedJWS(parsing: String(hidden.compact.dropLast())).unverifiedClaims)
    let digests = try #require(payload["_sd"]?.arrayValue).compactMap(\.stringValue)
    #expect(digests == digests.sorted() && digests.count == 3 && payload["_sd_alg"] == nil)
    #expect(payload["email"] == nil && payload["address"] == nil)
    #expect(payload["nationalities"]?.arrayValue?.count == 3)
    let decoyed = try Self.issue(decoys: 5).presenting([])
    let more = try #require(UnverifiedJWS(parsing: String(decoyed.compact.dropLast())).unverifiedClaims)
    #expect(more["_sd"]?.arrayValue?.count == 8 && more["nationalities"]?.arrayValue?.count == 8)
    #expect(try Self.verified(decoyed).claims["nationalities"] == ["FR"])
  }

  @Test("a token of the wrong form is refused")
  func malformed() throws {
    let token = try Self.issue(Self.claims, ["email", "none"])
    let parts = token.compact.split(separator: "~", omittingEmptySubsequences: false).map(String.init)
    func refused(_ text: String) -> String {
      refusal { _ = try Self.verifier().verify(text) as VerifiedSDJWT<JSONObject> }
    }
    #expect(refused(token.compact) == "accepted")
    #expect(refused(parts[0]) == "malformed")
    #expect(refused(parts[0] + "~~") == "malformed")
    #expect(refused("~" + token.compact) == "malformed")
    // A combining character makes another character of a tilde, and no other octet.
    for text in ["a~\u{0301}", "~\u{0301}", "a~\u{0301}~", parts[0] + "~\u{0301}" + parts[1] + "~"] {
      #expect(refused(text).hasPrefix("malformed"))
    }
    #expect(refused(token.compact + "~") == "malformed")
    #expect(refused(parts[0] + "~" + parts[1] + "~" + parts[1] + "~") == "malformed(disclosures)")
    #expect(refused(parts[0] + "~" + parts[1] + "=~") == "malformed(disclosures)")
    let stranger = try Self.issue(["iss": "a", "exp": 1, "x": 1], ["x"]).compact.split(separator: "~")[1]
    #expect(refused(token.compact + stranger + "~") == "malformed(disclosures)")
    for json in [
      "[]", "[1]", #"["s"]"#, #"["s","a",1,2]"#, #"[1,"a",1]"#, #"["s",1,1]"#, "{}", #"["s","_sd",1]"#,
      #"["s","...",1]"#, #"["s","a",1"#, #"["s","a",1] x"#, #"["s","a",{"b":1,"b":2}]"#,
    ] {
      #expect(refused(parts[0] + "~" + Base64URL.encode(json.utf8) + "~") == "malformed(disclosures)", "\(json)")
    }
  }

  /// A token whose payload and disclosures are any that are given.
  private func handmade(_ payload: JSONObject, _ disclosures: [String], type: String = "example+sd-jwt") throws
    -> String
  {
    var claims = payload
    (claims["iss"], claims["exp"]) = ("https://issuer.example", 1_800_000_600)
    let token = try JWT.sign(claims, with: SigningKey(Self.issuer), type: type)
    return ([token] + disclosures.map { Base64URL.encode($0.utf8) }).map { $0 + "~" }.joined()
  }

  private func digest(_ json: String) -> JSONValue {
    .string(Base64URL.encode(SHA2.SHA256.hash(Array(Base64URL.encode(json.utf8).utf8))))
  }

  @Test("each rule of processing has a token that breaks it alone")
  func rules() throws {
    func verdict(_ payload: JSONObject, _ disclosures: String..., type: String = "example+sd-jwt") throws -> String {
      let text = try handmade(payload, disclosures, type: type)
      return refusal { _ = try Self.verifier(type: type).verify(text) as VerifiedSDJWT<JSONObject> }
    }
    let (a, b, element) = (#"["s", "a", 1]"#, #"["t", "a", 2]"#, #"["s", 1]"#)
    #expect(try verdict(["_sd": [digest(a)]], a) == "accepted")
    #expect(try verdict(["_sd": [digest(a), digest(b)]], a) == "accepted")
    #expect(try verdict(["x": [["...": digest(element)]]], element) == "accepted")
    // Another claim of the name: plain, disclosed, whichever comes first.
    #expect(try verdict(["_sd": [digest(a)], "a": 3], a) == "claimInvalid(_sd)")
    #expect(try verdict(["a": 3, "_sd": [digest(a)]], a) == "claimInvalid(_sd)")
    #expect(try verdict(["_sd": [digest(a), digest(b)]], a, b) == "claimInvalid(_sd)")
    // A digest twice: side by side, at two places, inside a disclosure, of no disclosure.
    #expect(try verdict(["_sd": [digest(a), digest(a)]], a) == "claimInvalid(_sd)")
    #expect(try verdict(["_sd": ["x", "x"]]) == "claimInvalid(_sd)")
    #expect(try verdict(["_sd": [digest(a)], "x": ["_sd": [digest(a)]]], a) == "claimInvalid(_sd)")
    #expect(try verdict(["_sd": ["x"], "y": [["...": "x"]]]) == "claimInvalid(_sd)")
    let outer = #"["s", "o", {"_sd": ["\#(digest(a).stringValue ?? "")"]}]"#
    #expect(try verdict(["_sd": [digest(outer)]], outer, a) == "accepted")
    #expect(try verdict(["_sd": [digest(outer), digest(a)]], outer, a) == "claimInvalid(_sd)")
    #expect(try verdict(["_sd": [digest(outer)]], a) == "malformed(disclosures)")
    // A member for an element, and the other way round.
    #expect(try verdict(["_sd": [digest(element)]], element) == "claimInvalid(_sd)")
    #expect(try verdict(["x": [["...": digest(a)]]], a) == "claimInvalid(...)")
    // Digests where none may stand.
    for payload: JSONObject in [["_sd": "x"], ["_sd": [1]], ["_sd": [:]], ["_sd": .null], ["x": ["_sd": 1]]] {
      #expect(try verdict(payload) == "claimInvalid(_sd)")
    }
    for payload: JSONObject in [
      ["...": "x"], ["x": ["...": "x"]], ["x": [["...": "x", "y": 1]]], ["x": [["...": 1]]],
    ] {
      #expect(try verdict(payload) == "claimInvalid(...)")
    }
    // Names are compared as bytes: the Kelvin sign is no K.
    let kelvin = #"["s", "\u212A", 1]"#
    #expect(try verdict(["_sd": [digest(kelvin)], "K": 3], kelvin) == "accepted")
    // The hash.
    #expect(try verdict(["_sd_alg": "sha-256", "_sd": [digest(a)]], a) == "accepted")
    #expect(try verdict(["_sd_alg": "sha-384", "_sd": [digest(a)]], a) == "malformed(disclosures)")
    #expect(try verdict(["_sd_alg": "md5"]) == "algorithmNotAllowed(_sd_alg)")
    #expect(try verdict(["_sd_alg": 1]) == "claimInvalid(_sd_alg)")
    let only = try Self.issue(hash: .sha512)
    #expect(
      refusal { _ = try Self.verifier(hashes: [.sha256]).verify(only) as VerifiedSDJWT<JSONObject> }
        == "algorithmNotAllowed(_sd_alg)")
    // What a credential must show.
    for name in ["iss", "nbf", "exp", "cnf", "vct", "vct#integrity", "aka_vcts", "status"]
    where name != "iss" && name != "exp" {
      let disclosed = #"["s", "\#(name)", {"a": 1}]"#
      #expect(try verdict(["_sd": [digest(disclosed)]], disclosed, type: "dc+sd-jwt") != "accepted", "\(name)")
    }
    let inside = #"["s", "jwk", {}]"#
    #expect(try verdict(["cnf": ["_sd": [digest(inside)]]], inside, type: "dc+sd-jwt") == "claimInvalid(cnf.jwk)")
  }

  @Test("the policy judges what is shown")
  func policy() throws {
    let expired = try handmade(["_sd": [digest(#"["s", "nbf", 1900000000]"#)]], [#"["s", "nbf", 1900000000]"#])
    #expect(
      refusal { _ = try Self.verifier().verify(expired) as VerifiedSDJWT<JSONObject> } == "claimNotYetValid(nbf)")
    let token = try Self.issue()
    let verifier = try Self.verifier(required: ["exp", "email"])
    #expect(
      refusal { _ = try verifier.verify(token.presenting([])) as VerifiedSDJWT<JSONObject> } == "claimMissing(email)")
    #expect(
      refusal { _ = try verifier.verify(token.presenting(["email"])) as VerifiedSDJWT<JSONObject> } == "accepted")
    #expect(
      refusal { _ = try Self.verifier(type: "other").verify(token) as VerifiedSDJWT<JSONObject> } == "typeMismatch(typ)"
    )
  }

  @Test("limits bound disclosures and depth before they cost")
  func limits() throws {
    let names = (0..<101).map { "c\($0)" }
    var claims = Self.claims
    for name in names { claims[name] = 1 }
    #expect(
      refusal { _ = try Self.issue(claims, names.map { ClaimPath([.member($0)]) }) } == "limitExceeded(disclosureCount)"
    )
    let token = try Self.issue(claims, names.dropLast().map { ClaimPath([.member($0)]) })
    #expect(refusal { _ = try Self.verified(token) } == "accepted")
    var limits = Limits.default
    limits.disclosureCount = 99
    #expect(
      refusal { _ = try Self.verifier(limits: limits).verify(token) as VerifiedSDJWT<JSONObject> } == "accepted")
    #expect(
      refusal { _ = try Self.verifier(limits: limits).verify(token.compact) as VerifiedSDJWT<JSONObject> }
        == "limitExceeded(disclosureCount)")
    limits = .default
    limits.disclosureByteCount = 20
    #expect(
      refusal { _ = try Self.verifier(limits: limits).verify(token.compact) as VerifiedSDJWT<JSONObject> }
        == "limitExceeded(disclosureByteCount)")
    // Each disclosure is flat enough, and they stand in each other.
    var (payload, disclosures): (JSONObject, [String]) = ([:], [])
    for _ in 0..<40 {
      let json = String(
        decoding: JSONValue.array(["s", "a", .object(payload)]).serialized(), as: UTF8.self)
      disclosures.append(json)
      payload = ["_sd": [digest(json)]]
    }
    let deep = try handmade(payload, disclosures)
    #expect(
      refusal { _ = try Self.verifier().verify(deep) as VerifiedSDJWT<JSONObject> } == "limitExceeded(claimsDepth)")
  }

  // MARK: Issuing

  @Test("what can't be issued is the caller's fault")
  func issuing() throws {
    func refused(_ claims: JSONObject, _ paths: [ClaimPath], type: String = "example+sd-jwt") -> String {
      refusal { _ = try Self.issue(claims, paths, type: type) }
    }
    #expect(refused(["a": 1], ["b"]) == "callerMisuse(b)")
    #expect(refused(["a": [1]], [["a", 1]]) == "callerMisuse(a[1])")
    #expect(refused(["a": ["b": 1]], [["a", "c"]]) == "callerMisuse(a.c)")
    #expect(refused(["_sd": 1], []) == "callerMisuse(_sd)")
    #expect(refused(["a": [["...": 1]]], []) == "callerMisuse(...)")
    #expect(refused(["_sd_alg": "x"], []) == "callerMisuse(_sd_alg)")
    #expect(refused(["cnf": 1], []) == "callerMisuse(cnf)")
    #expect(
      refused(["status": ["status_list": [:]]], [["status", "status_list"]], type: "dc+sd-jwt")
        == "callerMisuse(status.status_list)")
    #expect(refused(["status": 1], ["status"]) == "accepted")
    #expect(refusal { _ = try Self.issue(decoys: -1) } == "callerMisuse(decoys)")
    let token = try Self.issue()
    #expect(refusal { _ = try token.presenting(["sub"]) } == "callerMisuse(sub)")
    #expect(refusal { _ = try token.presenting([["address", "lat"]]) } == "callerMisuse(address.lat)")
  }
}
