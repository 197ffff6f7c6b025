import JOSE
import StrictJSON
import OpenIDKit

extension FuzzTarget {
  static let loginTargets = [pendingLogin, redirect, providerMetadata, resourceMetadata, clientDocument, deviceCodes]

  /// A login that waits for its browser, as a store holds it.
  private static let pendingLogin = FuzzTarget(
    "openid-pending-login", maximumByteCount: 1024,
    dictionary: [
      "\"version\":1", "\"issuer\":", "\"state\":", "\"nonce\":", "\"verifier\":", "\"scopes\":[", "\"expiration\":",
      "\"maximumAge\":", "\"proofKey\":", "1e308", "-1", "\\\"kty\\\":\\\"EC\\\"",
    ],
    seeds: { _ in
      let begin = #"{"version":1,"issuer":"https://op.example","client":"c","redirect":"https://x/cb","state":"s","#
      let end =
        #""nonce":"n","verifier":"dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk","scopes":["openid"],"expiration":1760000000"#
      let key = JSONValue.string(
        #"{"kty":"EC","crv":"P-256","x":"MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4","#
          + #""y":"4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM","#
          + #""d":"870MB6gfuTJ4HtUnUvYMyJpr5eUZNP4Bk43bVdj3eAE","alg":"ES256"}"#)
      var object = try JSONObject(parsing: Array((begin + end + "}").utf8))
      object["proofKey"] = key
      return [Array((begin + end + #","maximumAge":60}"#).utf8), object.serialized()]
    },
    run: { input in
      guard let login = try? OpenIDClient.PendingLogin(parsing: input) else { return false }
      let again = try OpenIDClient.PendingLogin(parsing: login.serialized())
      try require(again.serialized() == login.serialized(), "a login is written as it is read")
      return true
    })

  /// Where a browser was sent, as an answer to a request for a code.
  private static let redirect = FuzzTarget(
    "openid-redirect", maximumByteCount: 512,
    dictionary: [
      "https://x.example/cb?a=b", "/cb?a=b", "&state=s", "&iss=https%3A%2F%2Fop.example", "&code=c", "&error=", "%73",
      "+", "#", "https://evil.example/cb?a=b",
    ],
    seeds: { _ in
      [
        "https://x.example/cb?a=b&code=c&state=s&iss=https%3A%2F%2Fop.example", "/cb?a=b&code=c&state=s",
        "/cb?a=b&error=access_denied&state=s", "/cb?a=b&code=c&state=s&", "/cb?a=b&a=c&code=c&state=s",
        "/cb?a=b&code=c&flag&&%zz=1&state=s",
      ].map { Array($0.utf8) }
    },
    run: { input in
      let text = String(decoding: input, as: UTF8.self)
      let isAccepted = try code(text, requiresIssuer: false)
      if try code(text, requiresIssuer: true) {
        try require(isAccepted, "what is good with an issuer is good without the demand")
      }
      // What the server sees is judged as what the browser shows.
      if text.utf8.first == UInt8(ascii: "/") {
        try require(
          try code("https://x.example" + text, requiresIssuer: false) == isAccepted, "both forms say the same")
      }
      return isAccepted
    })

  /// Whether a redirect brings a code.
  private static func code(_ redirect: String, requiresIssuer: Bool) throws -> Bool {
    let request = AuthorizationResponse.Request(
      state: "s", redirectURI: "https://x.example/cb?a=b", issuer: "https://op.example", requiresIssuer: requiresIssuer)
    guard let answer = try? AuthorizationResponse(redirect: redirect, answering: request) else { return false }
    // What was added to the redirect URI's own query, each field by itself: those that can't be read don't count.
    let added = redirect.utf8.drop { $0 != UInt8(ascii: "&") }.dropFirst().prefix { $0 != UInt8(ascii: "#") }
    let fields = added.split(separator: UInt8(ascii: "&")).compactMap { try? FormFields(decoding: Array($0)) }
    func values(_ name: String) -> [String] { fields.flatMap { $0.values(name) } }
    try require(values("code") == [answer.code] && !answer.code.isEmpty, "there is one code")
    try require(values("state") == ["s"] && values("error").isEmpty, "it is an answer, and no error")
    try require(
      values("iss") == ["https://op.example"] || values("iss").isEmpty && !requiresIssuer,
      "no other issuer has answered")
    return true
  }

  /// A discovery document, as a client reads it.
  private static let providerMetadata = FuzzTarget(
    "openid-metadata", maximumByteCount: 1024,
    dictionary: [
      "\"issuer\":\"https://op.example\"", "\"jwks_uri\":", "\"token_endpoint\":", "\"authorization_endpoint\":",
      "\"pushed_authorization_request_endpoint\":", "https://", "http://", "@", "#", "null", "true",
    ],
    seeds: { _ in
      [
        Array(
          (#"{"issuer":"https://op.example","jwks_uri":"https://op.example/jwks","#
            + #""authorization_endpoint":"https://op.example/authorize?a=b","token_endpoint":"https://op.example/token","#
            + #""revocation_endpoint":"https://op.example/revoke","require_pushed_authorization_requests":true}"#).utf8)
      ]
    },
    run: { input in
      guard let metadata = try? OpenIDProviderMetadata(parsing: input, issuer: "https://op.example") else {
        return false
      }
      let endpoints = [
        metadata.authorizationEndpoint, metadata.tokenEndpoint, metadata.keySetURL, metadata.revocationEndpoint,
        metadata.pushedAuthorizationEndpoint, metadata.userInfoEndpoint, metadata.endSessionEndpoint,
      ].compactMap { $0 }
      for endpoint in endpoints {
        try require(
          endpoint.asciiLowercased.utf8.starts(with: "https://".utf8) && !endpoint.utf8.contains(UInt8(ascii: "#")),
          "an endpoint is https, and has no fragment")
      }
      return true
    })

  /// A resource's metadata, as a client reads them.
  private static let resourceMetadata = FuzzTarget(
    "oauth-resource-metadata", maximumByteCount: 1024,
    dictionary: [
      "\"resource\":\"https://api.example/mcp\"", "\"authorization_servers\":[", "\"scopes_supported\":[",
      "https://op.example", "http://", "?", "#", "@", "null", "\"\"", "/../",
    ],
    seeds: { _ in
      [
        Array(
          (#"{"resource":"https://api.example/mcp","authorization_servers":["https://op.example","http://x","y"],"#
            + #""scopes_supported":["read","a b"],"resource_name":"Notes"}"#).utf8)
      ]
    },
    run: { input in
      let expected = "https://api.example/mcp"
      let read = try? ProtectedResource(parsing: input, plainHTTP: .refused) { $0.utf8.elementsEqual(expected.utf8) }
      guard let read else { return false }
      try require(read.resource.utf8.elementsEqual(expected.utf8), "nothing of another resource is used")
      for issuer in read.authorizationServers {
        try require(
          issuer.asciiLowercased.utf8.starts(with: "https://".utf8) && !issuer.utf8.contains { "?#".utf8.contains($0) },
          "an issuer is https, without query and fragment")
      }
      try require(
        read.scopes.allSatisfy { !$0.isEmpty && !$0.utf8.contains(UInt8(ascii: " ")) }, "a scope is one word")
      return true
    })

  /// A client's document, as a provider reads it.
  private static let clientDocument = FuzzTarget(
    "oauth-client-document", maximumByteCount: 1024,
    dictionary: [
      "\"client_id\":\"https://agent.example/c\"", "\"client_name\":", "\"redirect_uris\":[", "\"jwks\":{\"keys\":[",
      "\"token_endpoint_auth_method\":\"private_key_jwt\"", "\"client_secret\":", "\"grant_types\":[", "\"jwks_uri\":",
      "http://127.0.0.1/cb", "https://*", "javascript:", "#", "null",
    ],
    seeds: { _ in
      let begin = #"{"client_id":"https://agent.example/c","client_name":"Agent","redirect_uris":["#
      return [
        begin + #""https://agent.example/cb","http://x.example/cb"],"scope":"read"}"#,
        begin + #""http://localhost/cb"],"token_endpoint_auth_methods_supported":["client_secret_post","none"]}"#,
        begin + #""com.example:/cb"],"token_endpoint_auth_method":"private_key_jwt","jwks_uri":"https://a.example/j"}"#,
      ].map { Array($0.utf8) }
    },
    run: { input in
      let id = "https://agent.example/c"
      guard let document = try? ClientDocument(parsing: input, id: id) else { return false }
      try require(document.members["client_id"] == .string(id), "a document names itself")
      try require(document.members["client_secret"] == nil && !document.name.isEmpty, "it holds no secret, and a name")
      try require(!document.redirectURIs.isEmpty, "a browser can come back")
      for address in document.redirectURIs {
        let isPlain = address.asciiLowercased.utf8.starts(with: "http:".utf8)
        try require(
          !address.utf8.contains(UInt8(ascii: "#")) && !address.utf8.contains(UInt8(ascii: "*"))
            && (!isPlain || PlainHTTP.loopback.permits(address)),
          "and nowhere without TLS but to the user's own machine")
      }
      return true
    })

  /// A server's answer to a device that has no browser.
  private static let deviceCodes = FuzzTarget(
    "oauth-device-codes", maximumByteCount: 1024,
    dictionary: [
      "\"device_code\":", "\"user_code\":\"WDJB-MJHT\"", "\"verification_uri\":\"https://op.example/device\"",
      "\"verification_url\":", "\"verification_uri_complete\":", "\"expires_in\":600", "\"interval\":5", "1e308", "-1",
      "javascript:", "\\u001b", "null",
    ],
    seeds: { _ in
      let begin = #"{"device_code":"d","user_code":"WDJB-MJHT","verification_uri":"https://op.example/device","#
      return [
        begin + #""verification_uri_complete":"https://op.example/device?user_code=WDJB-MJHT","expires_in":600}"#,
        begin + #""expires_in":"1800","interval":0.5}"#,
      ].map { Array($0.utf8) }
    },
    run: { input in
      guard let codes = try? DeviceAuthorization(parsing: input) else { return false }
      for text in [codes.userCode, codes.verificationURI, codes.verificationURIComplete ?? "x", codes.deviceCode] {
        try require(
          !text.isEmpty && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }, "what is shown is seen as it is")
      }
      for address in [codes.verificationURI, codes.verificationURIComplete].compactMap({ $0 }) {
        try require(address.asciiLowercased.utf8.starts(with: "http".utf8), "a browser is sent to a page")
      }
      try require(codes.interval >= .seconds(1) && codes.lifetime <= .seconds(86_400), "it waits, and not for ever")
      return true
    })
}
