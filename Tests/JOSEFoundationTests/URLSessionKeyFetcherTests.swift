#if canImport(Glibc)
  import Foundation
  import FoundationNetworking
  import JOSE
  import JOSEFoundation
  import Testing

  @Suite("Fetching keys with URLSession", .serialized)
  struct URLSessionKeyFetcherTests {
    private func answer(_ body: String, status: String = "200 OK", _ fields: String = "") -> String {
      "HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\(fields)\r\n\(body)"
    }

    private func fetcher(byteLimit: Int = 1 << 20, timeLimit: Double = 600) -> URLSessionKeyFetcher {
      URLSessionKeyFetcher(byteLimit: byteLimit, timeLimit: timeLimit, takesPlainHTTP: true)
    }

    @Test("status, cache fields and body arrive, and keys verify with them")
    func keys() async throws {
      let key = JWK.generate(.es256, keyID: "a")
      let body = String(decoding: JWKSet([key]).serialized(), as: UTF8.self)
      let server = try LocalServer(answer: answer(body, "Cache-Control: max-age=60\r\nAge: 7\r\n"))
      let response = try await fetcher().get(server.url())
      #expect(response.status == 200 && response.cacheControl == "max-age=60" && response.age == "7")
      #expect(response.body == Array(body.utf8))
      let (client, url) = (fetcher(), server.url())
      let set = RemoteKeySet { try await client.get(url) }
      let token = try JWS.sign(Array("x".utf8), with: SigningKey(key))
      #expect(try await set.verify(token, algorithms: [.es256]).payload == Array("x".utf8))
    }

    @Test("a redirect is an answer like another, and is not followed")
    func redirect() async throws {
      let target = try LocalServer(answer: answer("{}"))
      let server = try LocalServer(
        answer: answer("moved", status: "302 Found", "Location: \(target.url("/keys"))\r\n"))
      #expect(try await fetcher().get(server.url()).status == 302)
    }

    @Test("a body past the limit is not read to its end")
    func tooLong() async throws {
      let server = try LocalServer(answer: answer(String(repeating: "x", count: 1001)))
      #expect(try await fetcher(byteLimit: 1001).get(server.url()).body.count == 1001)
      let error = await #expect(throws: URLError.self) { try await fetcher(byteLimit: 1000).get(server.url()) }
      #expect(error?.code == .dataLengthExceedsMaximum)
    }

    @Test("a server that says nothing is left after the time limit, or with the task")
    func silence() async throws {
      let server = try LocalServer(answer: nil)
      let error = await #expect(throws: URLError.self) { try await fetcher(timeLimit: 0.2).get(server.url()) }
      #expect(error?.code == .timedOut)
      let (patient, url) = (fetcher(timeLimit: 600), server.url())
      // Before it begins, while it begins, and afterwards.
      for delay in 0..<100 {
        let task = Task { try await patient.get(url) }
        for _ in 0..<delay % 20 { await Task.yield() }
        if delay % 20 == 19 { try await Task.sleep(for: .milliseconds(2)) }
        task.cancel()
        let cancelled = await #expect(throws: URLError.self) { try await task.value }
        #expect(cancelled?.code == .cancelled)
      }
      withExtendedLifetime(server) {}
    }

    @Test("a server that sends an octet now and then is left after the time limit")
    func trickle() async throws {
      let server = try LocalServer(answer: answer(String(repeating: " ", count: 600)), pause: 100_000)
      let error = await #expect(throws: URLError.self) { try await fetcher(timeLimit: 0.5).get(server.url()) }
      #expect(error?.code == .timedOut)
      withExtendedLifetime(server) {}
    }

    @Test(
      "only https is asked",
      arguments: ["http://127.0.0.1/", "file:///etc/passwd", "ftp://a.example/", "/keys", "", "data:,x"])
    func schemes(_ url: String) async throws {
      let error = await #expect(throws: URLError.self) { try await URLSessionKeyFetcher().get(url) }
      #expect(error?.code == .unsupportedURL)
    }
  }
#endif
