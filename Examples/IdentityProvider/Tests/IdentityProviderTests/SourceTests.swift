import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOEmbedded
import Testing

@testable import IdentityProvider

/// What is made once, and what is known of each request.
@Suite struct SourceTests {
  @Test func `signing keys are read once within the cache lifetime`() async throws {
    try await World.run { world in
      let keys = world.provider.keys
      let first = try await keys.snapshot().readAt
      for _ in 0..<3 {
        _ = try await world.provider.openID()
        #expect(try await keys.snapshot().readAt == first)
      }
      world.wait(KeyRing.cacheLifetime)
      _ = try await world.provider.openID()
      #expect(try await keys.snapshot().readAt != first)
    }
  }

  @Test func `where a request came from is read once`() throws {
    var settings = ProviderSettings(issuer: World.issuer, folder: "")
    settings.trustsForwardedAddress = true
    let name = try #require(HTTPField.Name("X-Forwarded-For"))
    let context = ProviderContext(
      source: ApplicationRequestContextSource(channel: NIOAsyncTestingChannel(), logger: Logger(label: "test")))
    for address in ["192.0.2.1:80", "192.0.2.2"] {
      let head = HTTPRequest(method: .get, scheme: nil, authority: nil, path: "/", headerFields: [name: address])
      let request = Request(head: head, body: RequestBody(buffer: ByteBuffer()))
      #expect(settings.source(of: request, context).text == "192.0.2.1")
    }
  }
}
