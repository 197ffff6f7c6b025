import JOSE
import StrictJSON
import Testing

@testable import OpenIDKit

/// A resource's metadata, as its server writes and answers them.
@Suite struct ProtectedResourceTests {
  private static let issuers = ["https://login.example.com"]

  @Test(arguments: [
    ("https://a.example", "https://a.example/.well-known/oauth-protected-resource"),
    ("https://a.example/", "https://a.example/.well-known/oauth-protected-resource"),
    ("https://a.example/mcp", "https://a.example/.well-known/oauth-protected-resource/mcp"),
    ("https://a.example/mcp/", "https://a.example/.well-known/oauth-protected-resource/mcp/"),
    ("https://a.example:8443/v1/mcp", "https://a.example:8443/.well-known/oauth-protected-resource/v1/mcp"),
    ("https://a.example/mcp?tenant=1", "https://a.example/.well-known/oauth-protected-resource/mcp?tenant=1"),
    ("https://a.example/?tenant=1", "https://a.example/.well-known/oauth-protected-resource?tenant=1"),
    ("https://a.example?tenant=1", "https://a.example/.well-known/oauth-protected-resource?tenant=1"),
    ("https://[::1]/mcp", "https://[::1]/.well-known/oauth-protected-resource/mcp"),
  ]) func `the metadata lie between host and path`(_ resource: String, _ place: String) throws {
    #expect(try ProtectedResource(resource, authorizationServers: Self.issuers).metadataURL == place)
  }

  @Test func `the metadata say what was given, and no empty list`() throws {
    let resource = try ProtectedResource(
      "https://a.example/mcp", authorizationServers: Self.issuers, members: ["resource_name": "Notes"])
    #expect(resource.name == "Notes" && resource.members["scopes_supported"] == nil)
    #expect(resource.members["authorization_servers"] == ["https://login.example.com"])
    #expect(resource.members["bearer_methods_supported"] == ["header"])
  }

  @Test(
    arguments: [
      ("http://a.example", issuers, [], "resource"), ("https://a.example#x", issuers, [], "resource"),
      ("a.example", issuers, [], "resource"), ("https://u@a.example", issuers, [], "resource"),
      ("https://a.example", [], [], "authorization_servers"),
      ("https://a.example", ["https://b.example?x"], [], "authorization_servers"),
      ("https://a.example", ["http://b.example"], [], "authorization_servers"),
      ("https://a.example", issuers, ["a b"], "scopes_supported"),
      ("https://a.example", issuers, [""], "scopes_supported"),
      ("https://a.example", issuers, ["a\""], "scopes_supported"),
      ("https://a.example", issuers, ["offline_access"], "scopes_supported"),
    ] as [(String, [String], [String], String)]) func `what can't be a resource's is refused`(
      _ resource: String, _ issuers: [String], _ scopes: [String], _ name: String
    )
  {
    #expect(throws: OpenIDError(.settingInvalid, "", name: name)) {
      _ = try ProtectedResource(resource, authorizationServers: issuers, scopes: scopes)
    }
  }

  @Test func `a further member can't replace one of the metadata's own`() {
    #expect(throws: OpenIDError(.settingInvalid, "", name: "resource")) {
      _ = try ProtectedResource(
        "https://a.example", authorizationServers: Self.issuers, members: ["resource": "https://b.example"])
    }
  }

  @Test func `each resource answers for its own metadata, by path or address`() throws {
    let resource = try ProtectedResource("https://a.example/mcp", authorizationServers: Self.issuers)
    let path = "/.well-known/oauth-protected-resource/mcp"
    for url in [path, "https://a.example" + path] {
      let response = try #require(resource.respond(to: HTTPRequestValue(method: "GET", url: url)))
      #expect(response.status == 200 && response.headers.values("Content-Type") == ["application/json"])
      #expect(try JSONObject(parsing: response.body) == resource.members)
      #expect(response.headers.values("Access-Control-Allow-Origin") == ["*"])
    }
    for url in [
      "/.well-known/oauth-protected-resource", path + "/", "/mcp" + path, "https://b.example" + path, "/mcp",
      path + "?x=1",
    ] {
      #expect(resource.respond(to: HTTPRequestValue(method: "GET", url: url)) == nil, "\(url)")
    }
    let head = try #require(resource.respond(to: HTTPRequestValue(method: "HEAD", url: path)))
    #expect(head.status == 200 && head.body.isEmpty)
    #expect(resource.respond(to: HTTPRequestValue(method: "POST", url: path))?.status == 405)
    let preflight = try HTTPHeaderFields([("Access-Control-Request-Method", "GET")])
    let options = try #require(
      resource.respond(to: HTTPRequestValue(method: "OPTIONS", url: path, headers: preflight)))
    #expect(options.status == 204 && options.headers.values("Access-Control-Allow-Headers") == ["*, authorization"])
  }

  @Test func `a client reads what it needs, and what is no issuer is left out`() throws {
    let json = #"""
      {"resource":"https://a.example/mcp","authorization_servers":["https://b.example","http://c.example","x"],
       "scopes_supported":["read","a b"],"resource_name":"Notes","signed_metadata":"ignored"}
      """#
    let read = try ProtectedResource(parsing: Array(json.utf8), plainHTTP: .refused) { $0 == "https://a.example/mcp" }
    #expect(read.authorizationServers == ["https://b.example"] && read.scopes == ["read"] && read.name == "Notes")
    for bad in [
      "", "[]", "{}", #"{"resource":1}"#, #"{"resource":"https://a.example/mcp","authorization_servers":"x"}"#,
      #"{"resource":"https://a.example/mcp","scopes_supported":[1]}"#,
      #"{"resource":"https://a.example/mcp","resource":"https://a.example/mcp"}"#,
    ] {
      #expect(throws: OpenIDError.self, "\(bad)") {
        _ = try ProtectedResource(parsing: Array(bad.utf8), plainHTTP: .refused) { _ in true }
      }
    }
  }
}
