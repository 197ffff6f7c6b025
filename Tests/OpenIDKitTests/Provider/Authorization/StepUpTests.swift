import JOSE
import StrictJSON
import Testing

@testable import OpenIDKit

/// Kinds of login: what requests and registrations ask for, and what resource servers answer.
@Suite struct StepUpTests {
  private typealias Request = OAuthAuthorizationRequest

  private static func request(
    acr values: String = "", claims: String = "", needing contexts: [String] = []
  ) throws -> Request {
    var client = RegisteredClient(
      id: "site", authentication: .basic(secretSHA256: []), redirectURIs: ["https://app.example/cb"])
    client.requiredContexts = contexts
    let fields: FormFields = [
      "client_id": "site", "redirect_uri": "https://app.example/cb", "response_type": "code", "scope": "openid",
      "acr_values": values, "claims": claims,
    ]
    return try Request(fields, of: client)
  }

  private static func essential(_ more: String) -> String { #"{"id_token":{"acr":{"essential":true\#(more)}}}"# }

  @Test func `a request that names no acr for its ID token needs no step-up`() throws {
    for claims in [
      "", #"{"id_token":{"acr":null}}"#, Self.essential(""), #"{"userinfo":{"acr":{"essential":true,"value":"gold"}}}"#,
    ] {
      for context in [nil, "tin"] {
        #expect(try Self.request(claims: claims).stepUp(from: context, reachable: ["gold"]) == .notNeeded)
      }
    }
  }

  @Test func `a voluntary acr causes a step-up where it is reachable, and no refusal elsewhere`() throws {
    for (request, preferred) in [
      (try Self.request(acr: "gold silver"), "gold"),
      (try Self.request(claims: #"{"id_token":{"acr":{"values":["silver","gold"]}}}"#), "silver"),
    ] {
      #expect(request.stepUp(from: "silver", reachable: ["gold"]) == .notNeeded)
      for context in [nil, "tin"] {
        #expect(request.stepUp(from: context, reachable: ["copper", "silver", "gold"]) == .needed(preferred))
        #expect(request.stepUp(from: context, reachable: ["copper"]) == .notNeeded)
        #expect(request.stepUp(from: context, reachable: []) == .notNeeded)
      }
    }
  }

  @Test func `an essential acr that the login lacks causes a step-up or a refusal`() throws {
    for claims in [#","value":"gold""#, #","values":["silver","gold"]"#] {
      let request = try Self.request(claims: Self.essential(claims))
      #expect(request.stepUp(from: "gold", reachable: []) == .notNeeded)
      for context in [nil, "tin", "Gold"] {
        #expect(request.stepUp(from: context, reachable: ["tin", "gold"]) == .needed("gold"))
        #expect(request.stepUp(from: context, reachable: ["tin"]) == .unmet)
      }
    }
    // Nobody can be of a kind without a name.
    for claims in [#","values":[1]"#, #","value":{}"#] {
      #expect(try Self.request(claims: Self.essential(claims)).stepUp(from: "gold", reachable: ["gold"]) == .unmet)
    }
  }

  @Test func `what a client is registered to need goes before what it asks for`() throws {
    let plain = try Self.request(needing: ["gold", "platinum"])
    #expect(plain.stepUp(from: "platinum", reachable: []) == .notNeeded)
    #expect(plain.stepUp(from: "tin", reachable: ["platinum"]) == .needed("platinum"))
    #expect(plain.stepUp(from: nil, reachable: []) == .unmet)
    // The wish can't be granted, the need can.
    let wishing = try Self.request(acr: "tin", needing: ["gold"])
    #expect(wishing.stepUp(from: "tin", reachable: ["tin", "gold"]) == .needed("gold"))
    #expect(wishing.stepUp(from: "gold", reachable: ["tin", "gold"]) == .notNeeded)
    let contradicting = try Self.request(claims: Self.essential(#","value":"tin""#), needing: ["gold"])
    for context in ["tin", "gold"] {
      #expect(contradicting.stepUp(from: context, reachable: ["tin", "gold"]) == .unmet)
    }
  }

  @Test func `a resource server says which login it needs, and the client keeps its token`() throws {
    let plain = HTTPResponseValue.insufficientUserAuthentication()
    #expect(plain.status == 401)
    #expect(plain.headers.values("WWW-Authenticate") == [#"Bearer error="insufficient_user_authentication""#])
    #expect(try JSONObject(parsing: plain.body) == ["error": "insufficient_user_authentication"])
    let whole = HTTPResponseValue.insufficientUserAuthentication(
      contexts: ["urn:gold", "a b", "\"", "", "x\r\ny", "silver"], maximumAge: .seconds(60), isBound: true)
    let field = try #require(whole.headers.values("WWW-Authenticate").first)
    #expect(field == #"DPoP error="insufficient_user_authentication", acr_values="urn:gold silver", max_age="60""#)
    for (age, seconds) in [(Duration.milliseconds(60_999), "60"), (.seconds(-5), "0")] {
      let fields = HTTPResponseValue.insufficientUserAuthentication(maximumAge: age).headers
      #expect(fields.values("WWW-Authenticate").first?.hasSuffix(#", max_age="\#(seconds)""#) == true)
    }
    #expect(
      AuthenticationChallenge.parse(field) == [
        AuthenticationChallenge(scheme: "dpop", error: "insufficient_user_authentication")
      ])
  }
}
