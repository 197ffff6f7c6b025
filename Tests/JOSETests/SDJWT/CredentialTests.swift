import JOSE
import PureCrypto
import StrictJSON
import Synchronization
import Testing

@Suite("SD-JWT credentials")
struct CredentialTests {
  static let type = "https://hr.example.com/employee"

  /// Claims of a credential; a member that is nil is left out.
  static func claims(_ changes: [String: JSONValue?] = [:]) -> JSONObject {
    var claims: JSONObject = [
      "iss": "https://issuer.example", "exp": 1_800_000_600, "vct": .string(type), "email": "ada@example.org",
    ]
    for (name, value) in changes { claims[name] = value }
    return claims
  }

  static func issued(_ changes: [String: JSONValue?] = [:]) throws -> String {
    try SDJWTTests.issue(claims(changes), ["email"], type: "dc+sd-jwt").compact
  }

  /// As an issuer would that this package doesn't keep from it.
  private func handmade(_ changes: [String: JSONValue?], type: String = "dc+sd-jwt") throws -> String {
    try JWT.sign(Self.claims(changes), with: SigningKey(SDJWTTests.issuer), type: type) + "~"
  }

  private func verdict(
    _ text: String, types: [String]? = [type], further: Bool = false, type: String = "dc+sd-jwt"
  ) -> String {
    refusal {
      var verifier = try SDJWTTests.verifier(type: type)
      (verifier.credentialTypes, verifier.acceptsFurtherTypes) = (types, further)
      _ = try verifier.verify(text) as VerifiedSDJWT<JSONObject>
    }
  }

  @Test("a credential has a type, which is one of those that are accepted")
  func types() throws {
    let token = try Self.issued()
    #expect(verdict(token) == "accepted" && verdict(token, types: nil) == "accepted")
    #expect(verdict(token, types: ["other", Self.type]) == "accepted")
    for types in [[], ["other"], [Self.type + "/"], [Self.type.uppercased()]] {
      #expect(verdict(token, types: types) == "claimMismatch(vct)")
    }
    for vct in [nil, .null] as [JSONValue?] {
      #expect(verdict(try handmade(["vct": vct]), types: nil) == "claimMissing(vct)")
    }
    for vct in [1, "", [.string(Self.type)]] as [JSONValue] {
      #expect(verdict(try handmade(["vct": vct]), types: nil) == "claimInvalid(vct)")
    }
    // Another kind of token is none of these, whatever it says.
    let other = try handmade([:], type: "example+sd-jwt")
    #expect(verdict(other, type: "example+sd-jwt") == "typeMismatch(typ)")
    #expect(verdict(other, types: nil, type: "example+sd-jwt") == "accepted")
  }

  @Test("further types count where they are taken, and are refused where they are malformed")
  func furtherTypes() throws {
    let token = try Self.issued(["aka_vcts": ["urn:a", "urn:b"]])
    for (types, further, expected) in [
      ([Self.type], false, "accepted"), (["urn:b"], true, "accepted"), (["urn:b"], false, "claimMismatch(vct)"),
      (["urn:c"], true, "claimMismatch(vct)"),
    ] {
      #expect(verdict(token, types: types, further: further) == expected)
    }
    for further in [
      [], "urn:a", [1], ["urn:a", "urn:a"], ["urn:a", .string(Self.type)], [""], ["urn:a", .null], .null,
    ] as [JSONValue] {
      #expect(verdict(try handmade(["aka_vcts": further]), types: nil) == "claimInvalid(aka_vcts)", "\(further)")
      #expect(refusal { _ = try Self.issued(["aka_vcts": further]) } == "claimInvalid(aka_vcts)")
    }
    #expect(refusal { _ = try Self.issued(["vct": nil]) } == "claimMissing(vct)")
    let error = #expect(throws: JOSEError.self) { try Self.issued(["vct": nil]) }
    #expect(error?.fault == .callerMisuse)
  }

  @Test("the flattened serialization is the same token")
  func flattened() throws {
    let whole = try SDJWTTests.issue()
    let bound = try whole.presenting(["email"]).bound(
      to: "v", nonce: "n", with: SigningKey(SDJWTTests.holder), clock: SDJWTTests.clock)
    for token in [whole, try whole.presenting([]), bound] {
      let text = String(decoding: token.jsonSerialization.serialized(), as: UTF8.self)
      #expect(try SDJWT(parsing: text).compact == token.compact)
    }
  }
}

/// An issuer of credentials that publishes its metadata.
private final class CredentialIssuer: Sendable {
  struct State: Sendable {
    var requests: [String] = []
    var metadata: JSONObject = [:]
    var entityTag: String?
    var cacheControl: String?
    var now = 1_800_000_000.0
  }

  let state: Mutex<State>
  static let url = "https://issuer.example/tenant/1"

  init(_ metadata: JSONObject) { state = Mutex(State(metadata: metadata)) }

  var clock: WallClock { WallClock { NumericDate(saturating: self.state.withLock { $0.now }) } }
  var requests: [String] { state.withLock { $0.requests } }

  static var keys: JSONValue {
    .object((try? JSONObject(parsing: JWKSet([SDJWTTests.issuer.publicKey ?? SDJWTTests.issuer]).serialized())) ?? [:])
  }

  func answer(_ request: HTTPRequestValue) throws -> HTTPResponseValue {
    let state = state.withLock { state in
      state.requests.append(request.url)
      return state
    }
    var headers = HTTPHeaderFields()
    if let cacheControl = state.cacheControl { try headers.append("Cache-Control", cacheControl) }
    if let tag = state.entityTag {
      try headers.append("ETag", tag)
      if try request.headers.uniqueValue("If-None-Match") == tag {
        return HTTPResponseValue(status: 304, headers: headers)
      }
    }
    let isMetadata = request.url == "https://issuer.example/.well-known/jwt-vc-issuer/tenant/1"
    let body = isMetadata ? JSONValue.object(state.metadata) : Self.keys
    return HTTPResponseValue(status: 200, headers: headers, body: body.serialized())
  }

  func verifier(
    _ issuer: String = url, keyBinding: KeyBindingPolicy = .ignored, hashes: [ThumbprintHash] = ThumbprintHash.allCases,
    plainHTTP: PlainHTTP = .refused
  ) -> RemoteSDJWTVerifier {
    var keyPolicy = RemoteKeySetPolicy()
    keyPolicy.timeLimit = .seconds(3600)
    let keys = RemoteKeySet(
      issuer: issuer, metadata: .credential, policy: keyPolicy, plainHTTP: plainHTTP, clock: clock,
      transport: { try self.answer($0) })
    let policy = JWTPolicy(
      issuer: .anyOf([issuer]), audience: .notChecked, type: .anyOf(["dc+sd-jwt"]), clock: clock)
    var verifier = RemoteSDJWTVerifier(
      verifier: RemoteJWTVerifier(keys: keys, algorithms: [.es256], policy: policy), keyBinding: keyBinding,
      hashes: hashes)
    verifier.credentialTypes = [CredentialTests.type]
    return verifier
  }

  func verdict(_ verifier: RemoteSDJWTVerifier, _ changes: [String: JSONValue?] = [:]) async -> String {
    do {
      let token = try CredentialTests.issued(["iss": .string(Self.url)].merging(changes) { $1 })
      let verified: VerifiedSDJWT<JSONObject> = try await verifier.verify(token)
      return verified.claims["email"] == "ada@example.org" ? "accepted" : "without its claims"
    } catch let error as JOSEError {
      return error.name.map { "\(error.code)(\($0))" } ?? "\(error.code)"
    } catch {
      return "\(error)"
    }
  }
}

@Suite("Issuers of credentials")
struct CredentialIssuerTests {
  @Test("keys stand in the metadata, or at the place that they name")
  func places() async throws {
    for (metadata, count): (JSONObject, Int) in [
      (["issuer": .string(CredentialIssuer.url), "jwks": CredentialIssuer.keys], 1),
      (["issuer": .string(CredentialIssuer.url), "jwks_uri": "https://keys.example/1"], 2),
    ] {
      let issuer = CredentialIssuer(metadata)
      let verifier = issuer.verifier()
      for _ in 0..<3 { #expect(await issuer.verdict(verifier) == "accepted") }
      #expect(issuer.requests.count == count)
      #expect(await issuer.verdict(verifier, ["vct": "other"]) == "claimMismatch(vct)")
      #expect(await issuer.verdict(verifier, ["iss": "https://other.example"]) == "claimMismatch(iss)")
      #expect(issuer.requests.count == count)
    }
  }

  @Test("types, binding and hashes are those that are asked for")
  func demands() async throws {
    let issuer = CredentialIssuer(["issuer": .string(CredentialIssuer.url), "jwks": CredentialIssuer.keys])
    var verifier = issuer.verifier()
    verifier.credentialTypes = ["urn:b"]
    for (further, expected) in [(false, "claimMismatch(vct)"), (true, "accepted")] {
      verifier.acceptsFurtherTypes = further
      #expect(await issuer.verdict(verifier, ["aka_vcts": ["urn:b"]]) == expected)
    }
    let bound = issuer.verifier(keyBinding: .required(audience: "v", nonce: "n"))
    #expect(await issuer.verdict(bound) == "claimMismatch(kb_jwt)")
    #expect(await issuer.verdict(issuer.verifier(hashes: [.sha384])) == "algorithmNotAllowed(_sd_alg)")
  }

  @Test("keys in the metadata are kept as long as these")
  func freshness() async throws {
    for (cacheControl, count) in [(nil, 1), ("max-age=100", 2)] {
      let issuer = CredentialIssuer(["issuer": .string(CredentialIssuer.url), "jwks": CredentialIssuer.keys])
      issuer.state.withLock { $0.cacheControl = cacheControl }
      let verifier = issuer.verifier()
      #expect(await issuer.verdict(verifier) == "accepted")
      issuer.state.withLock { $0.now += 400 }
      #expect(await issuer.verdict(verifier) == "accepted")
      #expect(issuer.requests.count == count)
    }
  }

  @Test("keys in the metadata are asked for again when their time is over, and may be confirmed")
  func renewal() async throws {
    for tag in [nil, "\"1\""] {
      let issuer = CredentialIssuer(["issuer": .string(CredentialIssuer.url), "jwks": CredentialIssuer.keys])
      issuer.state.withLock { $0.entityTag = tag }
      let verifier = issuer.verifier()
      #expect(await issuer.verdict(verifier) == "accepted")
      issuer.state.withLock { $0.now += 10_000 }
      #expect(await issuer.verdict(verifier, ["exp": 1_900_000_000]) == "accepted")
      #expect(issuer.requests.count == 2)
      // A key that the issuer has withdrawn verifies no more.
      issuer.state.withLock { state in
        state.now += 10_000
        state.entityTag = nil
        state.metadata["jwks"] = ["keys": []]
      }
      #expect(await issuer.verdict(verifier, ["exp": 1_900_000_000]) == "externalKeyFailed(keys)")
      #expect(issuer.requests.count == 3)
    }
  }

  @Test("metadata of another issuer, with keys twice or not at all, at an address or of this machine, are refused")
  func refusals() async throws {
    let (issuerName, keys) = (JSONValue.string(CredentialIssuer.url), CredentialIssuer.keys)
    for metadata: JSONObject in [
      ["issuer": "https://issuer.example", "jwks": keys], ["jwks": keys], ["issuer": issuerName],
      ["issuer": issuerName, "jwks": keys, "jwks_uri": "https://keys.example/1"], ["issuer": issuerName, "jwks": 1],
      ["issuer": issuerName, "jwks_uri": "http://keys.example/1"],
      ["issuer": issuerName, "jwks_uri": "https://10.0.0.1/"],
      ["issuer": issuerName, "jwks_uri": "https://[fd00::1]/"],
      ["issuer": issuerName, "jwks_uri": "https://localhost/"],
      ["issuer": issuerName, "jwks_uri": "https://a.localhost/"],
      ["issuer": issuerName, "jwks_uri": "https://a.LocalHost/"],
      ["issuer": issuerName, "jwks_uri": "https://localhost./"],
      ["issuer": issuerName, "jwks_uri": "https://0X7F000001/"],
      ["issuer": issuerName, "jwks_uri": "https://0x7f000001/"],
      ["issuer": issuerName, "jwks_uri": "https://2130706433/"],
      ["issuer": issuerName, "jwks_uri": "https://127.0.0.1/"],
    ] {
      let issuer = CredentialIssuer(metadata)
      #expect(await issuer.verdict(issuer.verifier()) != "accepted")
      #expect(issuer.requests.count == 1, "\(metadata)")
    }
    let keysInside = CredentialIssuer(["issuer": issuerName, "jwks": keys])
    for issuer in ["https://10.0.0.1", "https://[::1]/a", "https://localhost", "http://issuer.example/tenant/1"] {
      #expect(await keysInside.verdict(keysInside.verifier(issuer), ["iss": .string(issuer)]) == "callerMisuse(issuer)")
    }
    #expect(keysInside.requests.isEmpty)
    for host in [
      "127%2E0%2E0%2E1", "localhos%74", "127.1", "0X7f.1", "127.0.0.1.", "localhost.", "a.localhost", "1.2.3.0x4",
      "%6cocalhost",
    ] {
      #expect(
        refusal { _ = try IssuerMetadata.url(of: "https://\(host)", kind: .credential) } == "callerMisuse(issuer)",
        "\(host)")
    }
    for host in ["issuer.example", "xn--bcher-kva.example", "a_b.example", "1.example"] {
      #expect(
        refusal { _ = try IssuerMetadata.url(of: "https://\(host)/x", kind: .credential) } == "accepted", "\(host)")
    }
    let place = try IssuerMetadata.url(of: "http://127.0.0.1:80/a", kind: .credential, plainHTTP: .loopback)
    #expect(place == "http://127.0.0.1:80/.well-known/jwt-vc-issuer/a")
  }
}
