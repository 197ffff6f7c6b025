import JOSE
import StrictJSON
import Testing

@testable import AppleSignInKit
@testable import NativeSSOKit
@testable import OpenIDKit

/// Every client in the package says the same of an answer of a token endpoint, because one reader reads it.
///
/// Source: RFC 6749 §5.1, §5.2, §7.1.
@Suite struct TokenResponseTests {
  static let members: [(name: String, value: JSONValue?, isGood: Bool)] = [
    ("x", 1, true), ("access_token", nil, false), ("access_token", .null, false), ("access_token", "", false),
    ("access_token", 7, false), ("access_token", "a\r\nb", false), ("access_token", "é", false),
    ("token_type", nil, false), ("token_type", .null, false), ("token_type", "mac", false), ("token_type", 1, false),
    ("token_type", "bEARER", true), ("id_token", .null, true), ("id_token", 1, false),
    // What the client can do without never spoils the rest.
    ("expires_in", 60, true), ("expires_in", "60", true), ("expires_in", nil, true), ("expires_in", 0, true),
    ("expires_in", -5, true), ("expires_in", 1.5, true), ("expires_in", "1e3", true), ("expires_in", "-1", true),
    ("expires_in", [], true), ("expires_in", true, true), ("refresh_token", "r", true), ("refresh_token", .null, true),
    ("refresh_token", "", true), ("refresh_token", 1, true), ("refresh_token", false, true),
    ("refresh_token_expires_in", 0, true), ("refresh_token_expires_in", [], true), ("scope", "openid", true),
    ("scope", .null, true), ("scope", 1, true), ("scope", [], true), ("scope", ["openid", "email"], true),
  ]

  @Test(arguments: members.indices) func `every client says the same of a token response`(_ index: Int) throws {
    let (name, value, isGood) = Self.members[index]
    var object: JSONObject = ["access_token": "at", "token_type": "Bearer", "expires_in": 3600]
    object[name] = value
    let response = HTTPResponseValue(status: 200, body: object.serialized())
    let isTaken = if case .tokens = RefreshOutcome(of: response) { true } else { false }
    #expect(isTaken == isGood, "OpenIDKit")
    #expect(((try? TokenResponse(parsing: response.body)) != nil) == isGood, "NativeSSOKit")
    #expect(
      ((try? AppleTokenEndpoint.tokens(in: response, to: .refreshToken("r"))) != nil) == isGood, "AppleSignInKit")
  }

  @Test func `a provider says lifetimes in whole seconds, rounded down`() throws {
    for (lifetime, seconds) in [(Duration.seconds(3600), "3600"), (.milliseconds(59_999), "59"), (.zero, "0")] {
      let body = TokenAnswer(accessToken: "at", expiresIn: lifetime).jsonObject.serialized()
      #expect(
        String(decoding: body, as: UTF8.self)
          == #"{"access_token":"at","token_type":"Bearer","expires_in":\#(seconds)}"#)
    }
    #expect(TokenAnswer(accessToken: "at").jsonObject["expires_in"] == nil)
    #expect(TokenAnswer(accessToken: "at", expiresIn: .seconds(1e20)).jsonObject["expires_in"] != nil)
  }

  @Test func `a member of another type in a token response is converted or ignored`() throws {
    let object: JSONObject = ["access_token": "at", "token_type": "Bearer", "refresh_token": "r2"]
    let lifetimes: [(JSONValue, Double?)] = [
      (60, 60), ("60", 60), (1.5, 1.5), (0, nil), (-5, nil), ("1e3", nil), ([], nil), (true, nil), (1e16, nil),
    ]
    for (value, seconds) in lifetimes {
      let lifetime = seconds.map { Duration.seconds($0) }
      var object = object
      (object["expires_in"], object["refresh_token_expires_in"]) = (value, value)
      let tokens = try TokenAnswer(object)
      #expect(tokens.expiresIn == lifetime && tokens.refreshTokenExpiresIn == lifetime, "\(value)")
      #expect(tokens.refreshToken == "r2")
    }
    let scopes: [(JSONValue, String?)] = [
      ("openid email", "openid email"), (["openid", "email"], "openid email"), (["openid"], "openid"), ([], nil),
      (["openid", 1], nil), (1, nil), ("", nil),
    ]
    for (value, scope) in scopes {
      var object = object
      object["scope"] = value
      #expect(try TokenAnswer(object).scope == scope, "\(value)")
    }
    for (name, value) in [("access_token", 7), ("token_type", "mac"), ("id_token", 1)] as [(String, JSONValue)] {
      var object = object
      object[name] = value
      guard case .failed(let failure) = RefreshOutcome(of: object) else { Issue.record("tokens"); continue }
      #expect(failure.kind == .unusableAnswer && failure.newRefreshToken == "r2", "\(name)")
    }
  }

  static let errors: [(status: Int, body: String, name: String?)] = [
    (400, #"{"error":"invalid_grant"}"#, "invalid_grant"), (401, #"{"error":"invalid_client"}"#, "invalid_client"),
    (400, #"{"error":"invalid_request","error_description":"x"}"#, "invalid_request"),
    // Pages of gateways and proxies are not the server's answer.
    (403, #"{"error":"Forbidden"}"#, nil), (400, #"{"error":"Bad Request"}"#, nil), (400, "<html>", nil),
    (400, "", nil), (400, "[]", nil), (400, "{}", nil), (400, #"{"error":""}"#, nil), (400, #"{"error":7}"#, nil),
    (400, #"{"error":"invalid_grant","error":"invalid_client"}"#, nil), (401, #"{"error":{"code":1}}"#, nil),
  ]

  @Test(arguments: errors.indices) func `every client says the same of an error response`(_ index: Int) async throws {
    let (status, body, name) = Self.errors[index]
    let response = HTTPResponseValue(status: status, body: Array(body.utf8))
    guard case .failed(let failure) = RefreshOutcome(of: response) else {
      Issue.record("tokens")
      return
    }
    let kind: RefreshFailure.Kind =
      switch name {
      case nil: .unusableAnswer
      case "invalid_grant": .invalidGrant
      default: .misconfigured(name)
      }
    #expect(failure.kind == kind, "OpenIDKit, refresh")
    let client = OAuthClient(clientID: "c", transport: { _ in response })
    do throws(OpenIDError) {
      try await client.revoke(RevocationRequest(token: "t"), at: "https://op.example.com/revoke")
      Issue.record("revoked")
    } catch {
      #expect(error.code == (name == nil ? .temporarilyUnavailable : .configuration) && error.name == name)
    }
    #expect(OAuthErrorResponse(response)?.code.description == name, "NativeSSOKit")
    do throws(JOSEError) {
      _ = try AppleTokenEndpoint.tokens(in: response, to: .refreshToken("r"))
      Issue.record("tokens")
    } catch {
      #expect(error.code == (name == nil ? .serverUnavailable : .serverRefused) && error.name == name)
    }
  }
}
