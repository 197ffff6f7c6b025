import JOSE
import NativeSSOKit
import OpenIDKit
import StrictJSON
import Testing

/// What LIMITS.md says of Native SSO.
@Suite("Native SSO: limits, at the edge and one past it")
struct LimitTests {
  @Test("the body of an exchange request", arguments: [(65_536, 200), (65_537, 400)])
  func body(count: Int, status: Int) async throws {
    let world = try await World()
    var request = World.exchangeRequest()
    request.body += Array("&pad=".utf8)
    request.body += [UInt8](repeating: 0x61, count: count - request.body.count)
    let response = await world.provider.tokenExchange(request, sourceAddress: "192.0.2.1")
    #expect(response.status == status)
    #expect(response.error == (status == 200 ? nil : "invalid_request"))
  }

  @Test("a stored pair", arguments: [0, 1])
  func storedPair(excess: Int) throws {
    let document = Device.pairDocument().serialized()
    var limits = Limits()
    limits.claimsByteCount = document.count - excess
    if excess == 0 {
      #expect(try SSOPairEntry(parsing: document, limits: limits).pair != nil)
    } else {
      #expect(throws: JOSEError(.recordMalformed, "")) { try SSOPairEntry(parsing: document, limits: limits) }
    }
  }

  @Test("discovery metadata", arguments: [0, 1])
  func metadata(excess: Int) throws {
    let document: JSONObject = [
      "issuer": "https://a.example", "authorization_endpoint": "https://a.example/a",
      "token_endpoint": "https://a.example/t", "jwks_uri": "https://a.example/j",
    ]
    let text = document.serialized()
    var limits = Limits()
    limits.keySetByteCount = text.count - excess
    if excess == 0 {
      #expect(throws: Never.self) {
        try OpenIDProviderMetadata(parsing: text, issuer: "https://a.example", limits: limits)
      }
    } else {
      #expect(throws: OpenIDError(.metadataInvalid, "", name: "json")) {
        try OpenIDProviderMetadata(parsing: text, issuer: "https://a.example", limits: limits)
      }
    }
  }

  @Test("an error's text", arguments: [(512, true), (513, false)])
  func errorText(count: Int, isShown: Bool) {
    let body: JSONObject = [
      "error": "invalid_grant", "error_description": .string(String(repeating: "a", count: count)),
    ]
    let error = OAuthErrorResponse(HTTPResponseValue(status: 400, body: body.serialized()))
    #expect((error?.text != nil) == isShown)
  }
}
