import Hummingbird
import HummingbirdTesting
import JOSE
import JOSEHummingbird
import NIOCore
import OpenIDKit
import Testing

/// Where a provider's endpoints are on a server.
@Suite struct ProviderRoutesTests {
  private static func provider(_ issuer: String) throws -> OpenIDProvider {
    var client = RegisteredClient(id: "tv")
    client.isDevice = true
    var policy = ProviderPolicy()
    policy.devicePage = issuer + "/device"
    return try OpenIDProvider(
      issuer: issuer, keys: IssuerKeys(signing: .generate(.es256, keyID: "k")),
      clients: StaticClientDirectory([client]), sessions: SessionRecords(),
      refreshTokens: RefreshTokenFormat(key: Array(0...31)), records: MemoryRecordStore(), policy: policy)
  }

  /// An issuer with a path has its metadata before the path and behind it, and its endpoints below.
  @Test(arguments: ["", "/tenant", "/a/b"], [false, true])
  func `all that the provider answers has a route`(path: String, isCurrent: Bool) async throws {
    let provider = try Self.provider("https://op.example.com" + path)
    let router = Router()
    let routes =
      isCurrent ? ProviderRoutes(issuer: provider.issuer) { provider } : ProviderRoutes(provider)
    routes.add(to: router) { _, _ in "192.0.2.1" }
    try await Application(router: router).test(.router) { http in
      for name in ["openid-configuration", "oauth-authorization-server"] {
        for place in Set(["/.well-known/\(name)\(path)", "\(path)/.well-known/\(name)"]) {
          let document = try await http.execute(uri: place, method: .get)
          #expect(document.status == .ok, "\(place)")
          #expect(try JSONObject(parsing: Array(buffer: document.body))["issuer"] == .string(provider.issuer))
        }
      }
      let codes = try await http.execute(
        uri: path + "/device_authorization", method: .post,
        headers: [.contentType: "application/x-www-form-urlencoded"],
        body: ByteBuffer(string: "client_id=tv&scope=openid"))
      #expect(codes.status == .ok)
      #expect(try await http.execute(uri: path + "/jwks", method: .get).status == .ok)
      for endpoint in ["/token", "/par", "/introspect", "/revoke"] {
        let answer = try await http.execute(uri: path + endpoint, method: .post)
        #expect(answer.status != .notFound && answer.status != .ok, "\(endpoint)")
      }
      if !path.isEmpty { #expect(try await http.execute(uri: "/jwks", method: .get).status == .notFound) }
    }
  }
}
