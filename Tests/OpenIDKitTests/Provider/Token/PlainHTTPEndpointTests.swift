import JOSE
import StrictJSON
import Synchronization
import Testing

@testable import OpenIDKit

/// Whatever sends credentials sends them by https, or to this machine where that is allowed by name.
@Suite struct PlainHTTPEndpointTests {
  private final class Network: Sendable {
    private let urls = Mutex<[String]>([])

    var sent: [String] { urls.withLock { $0 } }

    @Sendable func send(_ request: HTTPRequestValue) -> HTTPResponseValue {
      urls.withLock { $0.append(request.url) }
      let answer = #"{"access_token":"a","token_type":"bearer","active":true,"request_uri":"urn:a","expires_in":60}"#
      return HTTPResponseValue(status: 200, body: Array(answer.utf8))
    }
  }

  /// Addresses, and whether they are taken by default and with loopback allowed.
  static let addresses = [
    ("https://op.example.com/e", true, true), ("http://op.example.com/e", false, false),
    ("http://127.0.0.1:8080/e", false, true), ("http://[::1]:8080/e", false, true), ("http://localhost/e", false, true),
    ("http://127.0.0.1.evil.example/e", false, false), ("https://u@op.example.com/e", false, false),
    ("http://u@127.0.0.1/e", false, false), ("https://op.example.com/e#f", false, false), ("/e", false, false),
    ("", false, false),
  ]

  private static func each(
    _ body: (_ url: String, PlainHTTP, _ network: Network, _ isTaken: Bool) async throws -> Void
  ) async rethrows {
    for (url, isTaken, isTakenHere) in addresses {
      try await body(url, .refused, Network(), isTaken)
      try await body(url, .loopback, Network(), isTakenHere)
    }
  }

  @Test func `a refresher sends to https and allowed loopback addresses alone`() async {
    await Self.each { url, plainHTTP, network, isTaken in
      let refresher = OAuthTokenRefresher(
        tokenEndpoint: url, clientID: "app", revocationEndpoint: url, plainHTTP: plainHTTP, transport: network.send)
      switch await refresher.refresh(OAuthTests.attempt()) {
      case .tokens: #expect(isTaken)
      case .failed(let failure): #expect(!isTaken && failure.kind == .misconfigured("token_endpoint"))
      }
      await refresher.revoke(refreshToken: "rt")
      #expect(network.sent == (isTaken ? [url, url] : []))
    }
  }

  @Test func `a client of the other endpoints sends to https and allowed loopback addresses alone`() async {
    await Self.each { url, plainHTTP, network, isTaken in
      let client = OAuthClient(clientID: "app", plainHTTP: plainHTTP, transport: network.send)
      let errors = [
        await failure { try await client.revoke(RevocationRequest(token: "t"), at: url) },
        await failure { _ = try await client.introspect(IntrospectionRequest(token: "t"), at: url) },
        await failure { _ = try await client.push(["scope": "openid"], to: url) },
      ]
      for error in errors {
        #expect(isTaken ? error == nil : error?.code == .settingInvalid && error?.name == "endpoint")
      }
      #expect(network.sent == (isTaken ? [url, url, url] : []))
    }
  }

  @Test func `a sender of logout tokens`() async throws {
    try await Self.each { url, plainHTTP, network, isTaken in
      let key = try SigningKey.generate(.es256)
      let patient = TokenClock(
        wall: .system, elapsed: { .zero }, sleep: { _ in try await Task.sleep(for: .seconds(3600)) })
      let sender = try BackChannelLogoutSender(
        issuer: "https://op.example.com", plainHTTP: plainHTTP, clock: patient, signingKey: { _ in key },
        transport: network.send)
      let outcome = await sender.send([.init(to: "c", at: url, about: BackChannelLogout(subject: "u"))]).map(\.outcome)
      #expect(outcome == [isTaken ? .told : .notSent] && network.sent == (isTaken ? [url] : []))
    }
  }

  @Test func `metadata, written or read`() async {
    await Self.each { url, plainHTTP, _, isTaken in
      let written = await failure {
        _ = try OpenIDProviderMetadata(
          issuer: url, authorizationEndpoint: url, tokenEndpoint: url, keySetURL: url, plainHTTP: plainHTTP)
      }
      #expect(isTaken ? written == nil : written?.code == .metadataInvalid)
      let document: JSONObject = [
        "issuer": .string(url), "jwks_uri": .string(url), "authorization_endpoint": .string(url),
        "token_endpoint": .string(url), "revocation_endpoint": .string(url),
      ]
      let read = await failure {
        _ = try OpenIDProviderMetadata(parsing: document.serialized(), issuer: url, plainHTTP: plainHTTP)
      }
      #expect(isTaken ? read == nil : read?.code == .metadataInvalid)
    }
  }

  @Test func `the address of a logout`() async {
    await Self.each { url, plainHTTP, _, isTaken in
      let error = await failure { _ = try LogoutRequest(idTokenHint: "x.y.z").url(of: url, plainHTTP: plainHTTP) }
      #expect(isTaken ? error == nil : error?.code == .settingInvalid)
    }
  }

  @Test func `a whole login at a provider on this machine`() async throws {
    let issuer = "http://127.0.0.1:8080"
    let document: JSONObject = [
      "issuer": .string(issuer), "jwks_uri": .string(issuer + "/jwks"),
      "authorization_endpoint": .string(issuer + "/authorize"), "token_endpoint": .string(issuer + "/token"),
      "pushed_authorization_request_endpoint": .string(issuer + "/par"),
    ]
    let network = Network()
    let provider = try await OpenIDProviderMetadata.discover(issuer, plainHTTP: .loopback) { _ in
      HTTPResponseValue(status: 200, body: document.serialized())
    }
    let client = try OpenIDClient(
      clientID: "app", redirectURI: "http://127.0.0.1/cb", provider: provider, algorithms: [.es256],
      transport: network.send)
    _ = try await client.begin()
    _ = await client.refresher(nil).refresh(OAuthTests.attempt())
    _ = try? await client.keys.keys()
    #expect(network.sent == [issuer + "/par", issuer + "/token", issuer + "/jwks"])
  }
}
