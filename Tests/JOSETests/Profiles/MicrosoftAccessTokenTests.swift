import JOSE
import StrictJSON
import Testing

private typealias Fixture = ProfileFixture

@Suite("Access tokens of Microsoft Entra ID")
struct MicrosoftAccessTokenTests {
  private static let tenant = "72f988bf-86f1-41af-91ab-2d7cd011db47"
  private static let other = "9188040d-6c67-4c5b-b112-36a304b66dad"
  private static let host = "https://login.microsoftonline.com/"

  private func verdict(
    keyIssuer: String? = nil, type: String? = "JWT", _ change: (inout JSONObject) -> Void = { _ in }
  ) throws -> String {
    let key = try TestKeys.signing()
    var jwk = try #require(key.verificationKey.publicJWK)
    (jwk.algorithm, jwk.keyID) = (nil, key.keyID)
    if let keyIssuer { jwk.otherMembers["issuer"] = .string(keyIssuer) }
    let policy = JWTPolicy.microsoftAccessToken(
      audience: Fixture.api, acceptsTenant: { $0 == Self.tenant }, clock: Fixture.clock)
    let now = JSONValue.number(JSONNumber(Fixture.now))
    var claims: JSONObject = [
      "iss": .string("\(Self.host)\(Self.tenant)/v2.0"), "aud": .string(Fixture.api), "tid": .string(Self.tenant),
      "sub": "AAAA", "azp": "11112222-bbbb-3333-cccc-4444dddd5555", "scp": "orders.read", "ver": "2.0", "iat": now,
      "nbf": now, "exp": .number(JSONNumber(Fixture.now + 3600)),
    ]
    change(&claims)
    let token = try JWT.sign(claims, with: key, type: type)
    return refusal { _ = try JWTVerifier(keys: JWKSet([jwk]), algorithms: [.es256], policy: policy).verify(token) }
  }

  @Test func `issuer, tenant and key belong together, and the tenant is one that is accepted`() throws {
    #expect(try verdict() == "accepted")
    #expect(try verdict(keyIssuer: Self.host + "{tenantid}/v2.0") == "accepted")
    #expect(try verdict { $0["tid"] = nil } == "claimMissing(tid)")
    #expect(try verdict { $0["tid"] = .string(Self.other) } == "claimMismatch(iss)")
    // Another tenant altogether, which the same keys serve.
    let foreign = { (claims: inout JSONObject) in
      (claims["iss"], claims["tid"]) = (.string("\(Self.host)\(Self.other)/v2.0"), .string(Self.other))
    }
    #expect(try verdict(foreign) == "claimMismatch(tid)")
    for tenant in ["\(Self.tenant)/", "\(Self.other)/../\(Self.tenant)", "common", ""] {
      #expect(
        try verdict { ($0["iss"], $0["tid"]) = (.string("\(Self.host)\(tenant)/v2.0"), .string(tenant)) }
          == "claimInvalid(tid)")
    }
    for issuer in ["https://sts.windows.net/\(Self.tenant)/", "\(Self.host)\(Self.tenant)/v2.0/"] {
      #expect(try verdict { $0["iss"] = .string(issuer) } == "claimMismatch(iss)")
    }
    #expect(try verdict { $0["iss"] = nil } == "claimMissing(iss)")
    // A key that is published for personal accounts alone.
    #expect(try verdict(keyIssuer: "\(Self.host)\(Self.other)/v2.0") == "claimMismatch(iss)")
    #expect(try verdict { $0["ver"] = "1.0" } == "claimMismatch(ver)")
  }

  @Test func `an ID token of an app that is its own API is no access token`() throws {
    #expect(try verdict { $0["nonce"] = "n-1" } == "claimMismatch(nonce)")
    #expect(try verdict { $0["at_hash"] = "x" } == "claimMismatch(at_hash)")
    #expect(try verdict { $0["azp"] = nil } == "claimMissing(azp)")
    #expect(try verdict { $0["azp"] = "" } == "claimMissing(azp)")
    #expect(try verdict { $0["scp"] = nil } == "claimMissing(scp)")
    // What grants nothing is as good as absent.
    #expect(try verdict { $0["scp"] = "" } == "claimMissing(scp)")
    #expect(try verdict { ($0["scp"], $0["roles"]) = (nil, []) } == "claimMissing(scp)")
    #expect(try verdict { $0["roles"] = [] } == "accepted")
    // An app without a user has roles.
    #expect(try verdict { ($0["scp"], $0["roles"]) = (nil, ["Orders.Read"]) } == "accepted")
    #expect(try verdict { ($0["scp"], $0["roles"]) = (nil, "Orders.Read") } == "claimInvalid(roles)")
    #expect(try verdict { $0["aud"] = "other" } == "claimMismatch(aud)")
    #expect(try verdict(type: "at+jwt") == "typeMismatch(typ)")
  }
}
