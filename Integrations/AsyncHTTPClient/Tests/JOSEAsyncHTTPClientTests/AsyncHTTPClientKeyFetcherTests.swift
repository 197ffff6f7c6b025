import JOSE
import JOSEAsyncHTTPClient
import NIOCore
import Testing

@Suite("Fetching keys with async-http-client")
struct AsyncHTTPClientKeyFetcherTests {
  private func answer(_ body: String, status: String = "200 OK", _ fields: String = "") -> String {
    "HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\(fields)\r\n\(body)"
  }

  private func fetcher(byteLimit: Int = 1 << 20, timeLimit: Double = 10) -> AsyncHTTPClientKeyFetcher {
    AsyncHTTPClientKeyFetcher(byteLimit: byteLimit, timeLimit: timeLimit, takesPlainHTTP: true)
  }

  @Test("status, cache fields and body arrive, and keys verify with them")
  func keys() async throws {
    let key = JWK.generate(.es256, keyID: "a")
    let body = String(decoding: JWKSet([key]).serialized(), as: UTF8.self)
    let server = try await LocalServer.start(
      answer(body, "Cache-Control: public\r\nCache-Control: max-age=60\r\nAge: 7\r\n"))
    let (client, url) = (fetcher(), server.url())
    let response = try await client.get(url)
    #expect(response.status == 200 && response.cacheControl == "public, max-age=60" && response.age == "7")
    #expect(response.body == Array(body.utf8))
    let set = RemoteKeySet { try await client.get(url) }
    let token = try JWS.sign(Array("x".utf8), with: SigningKey(key))
    #expect(try await set.verify(token, algorithms: [.es256]).payload == Array("x".utf8))
  }

  @Test("a redirect is an answer like another, and is not followed, whatever the configuration says")
  func redirect() async throws {
    let target = try await LocalServer.start(answer("{}"))
    for status in ["301 Moved Permanently", "302 Found", "307 Temporary Redirect", "308 Permanent Redirect"] {
      let server = try await LocalServer.start(
        answer("moved", status: status, "Location: \(target.url("/keys"))\r\n"))
      let response = try await fetcher().get(server.url())
      #expect(response.status / 100 == 3 && response.cacheControl == nil)
    }
    #expect(target.connectionCount == 0)
  }

  @Test("a body past the limit is not read to its end")
  func tooLong() async throws {
    let server = try await LocalServer.start(answer(String(repeating: "x", count: 1001)))
    #expect(try await fetcher(byteLimit: 1001).get(server.url()).body.count == 1001)
    await #expect(throws: KeyFetchingError.bodyTooLong) { try await fetcher(byteLimit: 1000).get(server.url()) }
    // Also where nobody says how long it is.
    let endless = try await LocalServer.start(
      "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + String(repeating: "x", count: 100_000))
    await #expect(throws: KeyFetchingError.bodyTooLong) { try await fetcher(byteLimit: 1000).get(endless.url()) }
  }

  @Test("a server that says nothing is left after the time limit")
  func silence() async throws {
    let server = try await LocalServer.start("", .silent)
    await #expect(throws: KeyFetchingError.timedOut) { try await fetcher(timeLimit: 0.2).get(server.url()) }
  }

  @Test("a call ends with its task: cancelled before it begins, while it begins, and afterwards")
  func cancellation() async throws {
    let server = try await LocalServer.start("", .silent)
    let (patient, url) = (fetcher(timeLimit: 600), server.url())
    for delay in 0..<100 {
      let task = Task { try await patient.get(url) }
      for _ in 0..<delay % 20 { await Task.yield() }
      if delay % 20 == 19 { try await Task.sleep(for: .milliseconds(2)) }
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
    }
  }

  @Test("a server that sends an octet now and then is left after the time limit")
  func trickle() async throws {
    let server = try await LocalServer.start(
      answer(String(repeating: " ", count: 600)), .trickling(.milliseconds(50)))
    await #expect(throws: KeyFetchingError.timedOut) { try await fetcher(timeLimit: 0.5).get(server.url()) }
  }

  @Test("an answer that breaks off is an error, and no shorter answer")
  func broken() async throws {
    let server = try await LocalServer.start("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{}")
    await #expect(throws: (any Error).self) { try await fetcher().get(server.url()) }
  }

  @Test("a fetcher that is shut down fails, and one that nobody holds closes itself")
  func shutdown() async throws {
    let server = try await LocalServer.start(answer("{}"))
    let client = fetcher()
    #expect(try await client.get(server.url()).status == 200)
    try await client.shutdown()
    await #expect(throws: (any Error).self) { try await client.get(server.url()) }
    await #expect(throws: (any Error).self) { try await client.shutdown() }
    // async-http-client ends a debug process whose client goes without having been shut down.
    for _ in 0..<10 { #expect(try await fetcher().get(server.url()).status == 200) }
  }

  @Test(
    "only https is asked",
    arguments: [
      "http://127.0.0.1/", "HTTP://127.0.0.1/", "file:///etc/passwd", "unix:///var/run/x",
      "https+unix://%2Ftmp%2Fx/keys", "ftp://a.example/", "/keys", "", "https:/a", " https://a.example/",
    ])
  func schemes(_ url: String) async throws {
    await #expect(throws: KeyFetchingError.notHTTPS) { try await AsyncHTTPClientKeyFetcher().get(url) }
  }
}
