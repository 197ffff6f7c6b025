import JOSE
import PureCrypto
import StrictJSON
import Testing

@Suite("Credential queries")
struct CredentialQueryTests {
  private static let claims: JSONObject = [
    "vct": .string(CredentialTests.type), "iss": "https://issuer.example", "exp": 1_800_000_600, "name": "Ada",
    "age": 36, "adult": true, "address": ["street": "High St", "geo": [51, 0]], "nationalities": ["GB", "FR"],
    "degrees": [["type": "BSc", "year": 1833], ["type": "MSc"]], "mixed": ["x", ["type": "MSc"]],
  ]

  private static func query(_ credential: JSONObject, _ further: JSONObject = [:]) throws -> CredentialQuery {
    var object: JSONObject = [
      "id": "pid", "format": "dc+sd-jwt", "meta": ["vct_values": [.string(CredentialTests.type)]],
    ]
    for (name, value) in credential.members { object[name] = value }
    var query: JSONObject = ["credentials": [.object(object)]]
    for (name, value) in further.members { query[name] = value }
    return try CredentialQuery(parsing: query.serialized())
  }

  private static func presentation(
    _ claims: JSONObject = claims, isBound: Bool = true
  ) throws -> VerifiedSDJWT<JSONObject> {
    let token = try SDJWT.issue(
      claims, disclosing: [], holder: SDJWTTests.holder.publicKey, with: SigningKey(SDJWTTests.issuer),
      type: "dc+sd-jwt")
    guard isBound else { return try SDJWTTests.verifier(.ignored, type: "dc+sd-jwt").verify(token) }
    let bound = try token.bound(to: "v", nonce: "n", with: SigningKey(SDJWTTests.holder), clock: SDJWTTests.clock)
    return try SDJWTTests.verifier(.required(audience: "v", nonce: "n"), type: "dc+sd-jwt").verify(bound)
  }

  private func verdict(_ credential: JSONObject, _ presentation: VerifiedSDJWT<JSONObject>? = nil) -> String {
    refusal { try Self.query(credential).require(presentation ?? Self.presentation(), for: "pid") }
  }

  private func path(_ steps: JSONValue..., values: JSONValue? = nil) -> JSONObject {
    var claim: JSONObject = ["path": .array(steps)]
    claim["values"] = values
    return ["claims": [.object(claim)]]
  }

  @Test("a claim is found by its path, and has one of the values")
  func paths() {
    for (query, expected) in [
      (path("name"), "accepted"), (path("name", values: ["Ada"]), "accepted"),
      (path("name", values: ["Bob", "Ada"]), "accepted"), (path("name", values: ["ada"]), "claimMismatch(name)"),
      (path("surname"), "claimMissing(surname)"), (path("age", values: [36]), "accepted"),
      (path("age", values: ["36"]), "claimMismatch(age)"), (path("age", values: [37]), "claimMismatch(age)"),
      (path("adult", values: [true]), "accepted"), (path("adult", values: [1]), "claimMismatch(adult)"),
      (path("address"), "accepted"), (path("address", "street"), "accepted"),
      (path("address", "geo", 0, values: [51]), "accepted"),
      (path("address", "geo", 2), "claimMissing(address.geo[2])"),
      (path("address", 0), "claimMissing(address[0])"), (path("nationalities", .null, values: ["FR"]), "accepted"),
      (path("nationalities", .null, values: ["DE"]), "claimMismatch(nationalities[])"),
      (path("nationalities", "x"), "claimMissing(nationalities.x)"), (path("name", .null), "claimMissing(name[])"),
      (path("degrees", .null, "type", values: ["MSc"]), "accepted"),
      (path("degrees", .null, "year", values: [1833]), "accepted"),
      (path("degrees", 1, "year"), "claimMissing(degrees[1].year)"),
      // One value of another kind ends the search.
      (path("mixed", .null, "type"), "claimMissing(mixed[].type)"), (path("mixed", 1, "type"), "accepted"),
    ] {
      #expect(verdict(query) == expected, "\(query)")
    }
  }

  @Test("the type is one of those that were asked for, and the holder proves to be there")
  func typeAndHolder() throws {
    #expect(verdict([:]) == "accepted")
    #expect(verdict(["meta": ["vct_values": ["other"]]]) == "claimMismatch(vct)")
    #expect(verdict(["meta": ["vct_values": ["other", .string(CredentialTests.type)]]]) == "accepted")
    let unbound = try Self.presentation(isBound: false)
    #expect(verdict([:], unbound) == "claimMissing(kb_jwt)")
    #expect(verdict(["require_cryptographic_holder_binding": false], unbound) == "accepted")
    #expect(refusal { try Self.query([:]).require(unbound, for: "other") } == "callerMisuse(name)")
    // What another kind of token says is not what was asked for.
    let other = try SDJWT.issue(
      Self.claims, disclosing: [], with: SigningKey(SDJWTTests.issuer), type: "example+sd-jwt")
    let verified: VerifiedSDJWT<JSONObject> = try SDJWTTests.verifier().verify(other)
    #expect(verdict(["require_cryptographic_holder_binding": false], verified) == "typeMismatch(typ)")
  }

  @Test("a credential satisfies claim_sets if it has the claims of one set")
  func claimSets() {
    let claims: JSONValue = [
      ["id": "a", "path": ["name"]], ["id": "b", "path": ["none"]], ["id": "c", "path": ["age"], "values": [1]],
    ]
    for (sets, expected) in [
      ([["a"]], "accepted"), ([["b"], ["a"]], "accepted"), ([["a", "b"], ["b"]], "claimMissing(none)"),
      ([["c"], ["b"]], "claimMismatch(age)"),
    ] as [(JSONValue, String)] {
      #expect(verdict(["claims": claims, "claim_sets": sets]) == expected)
    }
    #expect(verdict(["claims": claims]) == "claimMissing(none)")
  }

  @Test("a vp_token must have the requested presentations and no others")
  func answers() throws {
    func names(_ query: CredentialQuery, _ token: JSONObject) -> String {
      var names: [String] = []
      let verdict = refusal {
        names = try query.presentations(in: token).map { "\($0.name)=\($0.presentation)" }
      }
      return verdict == "accepted" ? names.joined(separator: " ") : verdict
    }
    let one = try Self.query([:])
    #expect(names(one, ["pid": ["x"]]) == "pid=x")
    for token: JSONObject in [
      ["pid": "x"], ["pid": []], ["pid": [1]], ["pid": ["x", "y"]], ["pid": ["x", 1]], ["pid": ["x"], "other": ["y"]],
    ] {
      #expect(names(one, token) == "malformed(vp_token)")
    }
    #expect(names(one, [:]) == "claimMissing(vp_token)")
    #expect(names(try Self.query(["multiple": true]), ["pid": ["x", "y"]]) == "pid=x pid=y")

    let credential: (String) -> JSONValue = { id in
      ["id": .string(id), "format": "dc+sd-jwt", "meta": ["vct_values": ["t"]]]
    }
    var several: JSONObject = ["credentials": [credential("a"), credential("b"), credential("c")]]
    let all = try CredentialQuery(parsing: several.serialized())
    #expect(names(all, ["a": ["1"], "b": ["2"]]) == "claimMissing(vp_token)")
    #expect(names(all, ["a": ["1"], "b": ["2"], "c": ["3"]]) == "a=1 b=2 c=3")
    several["credential_sets"] = [
      ["options": [["a", "b"], ["c"]]], ["options": [["b"]], "required": false],
    ]
    let sets = try CredentialQuery(parsing: several.serialized())
    for (token, expected) in [
      (["c": ["3"]], "c=3"), (["a": ["1"], "b": ["2"]], "a=1 b=2"), (["a": ["1"]], "claimMissing(vp_token)"),
      (["b": ["2"]], "claimMissing(vp_token)"),
    ] as [(JSONObject, String)] {
      #expect(names(sets, token) == expected)
    }
  }

  @Test("queries that the specification forbids are refused")
  func malformed() {
    for credential: JSONObject in [
      ["id": ""], ["id": "a b"], ["id": 1], ["format": 1], ["meta": [:]], ["meta": ["vct_values": []]],
      ["meta": ["vct_values": [1]]], ["meta": ["vct_values": ["t", 1]]], ["multiple": 1], ["claims": []],
      ["claims": [1]], ["claims": [[:]]], ["claims": [["path": []]]], ["claims": [["path": [-1]]]],
      ["claims": [["path": ["a", -1]]]], ["claims": [["id": "a b", "path": ["a"]]]], ["claims": [["path": [1.5]]]],
      ["claims": [["path": [true]]]], ["claims": [["path": ["a"], "values": []]]],
      ["claims": [["path": ["a"], "values": [1.5]]]], ["claims": [["path": ["a"], "values": [[1]]]]],
      ["claims": [["id": "x", "path": ["a"]], ["id": "x", "path": ["b"]]]],
      ["claims": [["path": ["a"]]], "claim_sets": [["a"]]], ["claim_sets": [["a"]]],
      ["claims": [["id": "x", "path": ["a"]], ["path": ["b"]]], "claim_sets": [["x"]]],
      ["claims": [["id": "x", "path": ["a"]]], "claim_sets": [["x", 1]]],
      ["claims": [["id": "x", "path": ["a"]]], "claim_sets": [["y"]]],
      ["claims": [["id": "x", "path": ["a"]]], "claim_sets": [[]]],
      ["claims": [["id": "x", "path": ["a"]]], "claim_sets": []],
      ["require_cryptographic_holder_binding": "no"],
    ] {
      #expect(refusal { _ = try Self.query(credential) }.hasPrefix("malformed"), "\(credential)")
    }
    #expect(refusal { _ = try Self.query(["format": "mso_mdoc"]) } == "algorithmUnsupported(format)")
    for sets: JSONValue in [
      [], [[:]], [["options": []]], [["options": [[]]]], [["options": [["x"]]]], 1, [["options": [["pid", 1]]]],
      [["options": [["pid"], 1]]], [["options": [["pid"]], "required": "yes"]],
    ] {
      #expect(refusal { _ = try Self.query([:], ["credential_sets": sets]) } == "malformed(credential_sets)")
    }
    let twice: JSONValue = ["id": "a", "format": "dc+sd-jwt", "meta": ["vct_values": ["t"]]]
    #expect(refusal { _ = try Self.query([:], ["credentials": [twice, twice]]) } == "malformed(credentials)")
    for json in ["{}", "[]", "", #"{"credentials":[]}"#, #"{"credentials":{}}"#] {
      #expect(refusal { _ = try CredentialQuery(parsing: json.utf8) }.hasPrefix("malformed"))
    }
  }
}
