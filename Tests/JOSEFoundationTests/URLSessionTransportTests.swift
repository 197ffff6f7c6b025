#if canImport(Glibc)
  import Foundation
  import FoundationNetworking
  import JOSEFoundation
  import JOSEHTTP
  import Testing

  @Suite("Sending requests with URLSession", .serialized)
  struct URLSessionTransportTests {
    private func answer(_ body: String, status: String = "200 OK", _ fields: String = "") -> String {
      "HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\(fields)\r\n\(body)"
    }

    private func transport(byteLimit: Int = 1 << 20, timeLimit: Double = 10) -> URLSessionTransport {
      URLSessionTransport(byteLimit: byteLimit, timeLimit: timeLimit, takesPlainHTTP: true)
    }

    private func post(_ url: String) -> HTTPRequestValue { .post(["grant_type": "refresh_token"], to: url) }

    @Test("status, fields and body arrive")
    func answer() async throws {
      let server = try LocalServer(
        answer: answer(#"{"error":"x"}"#, status: "401 Unauthorized", "DPoP-Nonce: n\r\nRetry-After: 7\r\n"))
      let response = try await transport().send(post(server.url()))
      #expect(response.status == 401 && response.body == Array(#"{"error":"x"}"#.utf8))
      #expect(response.headers.values("dpop-nonce") == ["n"] && response.headers.values("Retry-After") == ["7"])
    }

    @Test("a redirect is an answer like another, and is not followed")
    func redirect() async throws {
      let target = try LocalServer(answer: answer("{}"))
      let server = try LocalServer(
        answer: answer("moved", status: "307 Temporary Redirect", "Location: \(target.url("/token"))\r\n"))
      #expect(try await transport().send(post(server.url())).status == 307)
    }

    @Test("who has no connection has sent nothing")
    func notSent() async throws {
      // The port of a server that is gone.
      let url = try { try LocalServer(answer: answer("{}")).url() }()
      for url in [
        url, "ftp://a.example/", "/token", "", "https://", "data:,x", "https:///token",
        "http://[::1",
      ] {
        await #expect(throws: RequestNotSent.self) { try await transport(timeLimit: 5).send(post(url)) }
      }
      await #expect(throws: RequestNotSent.self) { try await URLSessionTransport().send(post("http://127.0.0.1/")) }
    }

    @Test("what happens after the connection may have been seen by the server")
    func maybeSent() async throws {
      let silent = try LocalServer(answer: nil)
      let late = await #expect(throws: URLError.self) { try await transport(timeLimit: 0.2).send(post(silent.url())) }
      #expect(late?.code == .timedOut)
      let (patient, request) = (transport(timeLimit: 600), post(silent.url()))
      let task = Task { try await patient.send(request) }
      try await Task.sleep(for: .milliseconds(50))
      task.cancel()
      // It may have been cancelled before it began, on a slow machine.
      await #expect(throws: (any Error).self) { try await task.value }
      let long = try LocalServer(answer: answer(String(repeating: "x", count: 1001)))
      let tooLong = await #expect(throws: URLError.self) { try await transport(byteLimit: 1000).send(post(long.url())) }
      #expect(tooLong?.code == .dataLengthExceedsMaximum)
      withExtendedLifetime(silent) {}
    }
  }
#endif
