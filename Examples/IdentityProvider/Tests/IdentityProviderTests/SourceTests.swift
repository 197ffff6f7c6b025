import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import NIOEmbedded
import OpenIDKit
import Synchronization
import Testing

@testable import IdentityProvider

/// What is made once, and what is known of each request.
@Suite struct SourceTests {
  private final class Count: Sendable {
    private let number = Mutex(0)
    var value: Int { number.withLock { $0 } }
    func increment() { number.withLock { $0 += 1 } }
  }

  /// Counts how often it is asked for its grants.
  private struct Part: ProviderExtension {
    let count = Count()

    var grants: [TokenEndpoint.Grant] {
      count.increment()
      return []
    }
  }

  @Test func `the token endpoint is made once for all requests`() async throws {
    try await World.run { world in
      var provider = world.provider
      let part = Part()
      provider.add(part)
      let application = Application(router: provider.router())
      try await application.test(.router) { client in
        for _ in 0..<3 {
          let answer = try await client.execute(
            uri: "/token", method: .post, headers: [.contentType: "application/x-www-form-urlencoded"],
            body: ByteBuffer(string: "grant_type=none&client_id=app"))
          #expect(answer.status == .badRequest)
        }
      }
      #expect(part.count.value == 1)
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
