import JOSE
import JOSEAsyncHTTPClient
import Testing

@Suite("Carrying requests with async-http-client")
struct AsyncHTTPClientTransportTests {
  private func answer(_ body: String, status: String = "200 OK", _ fields: String = "") -> String {
    "HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\(fields)\r\n\(body)"
  }

  private func transport(byteLimit: Int = 1 << 20, timeLimit: Duration = .seconds(10)) -> AsyncHTTPClientTransport {
    AsyncHTTPClientTransport(byteLimit: byteLimit, timeLimit: timeLimit, plainHTTP: .loopback)
  }

  private func request(_ url: String) throws -> HTTPRequestValue {
    var request = HTTPRequestValue.post(["grant_type": "refresh_token"], to: url)
    try request.headers.append("DPoP", "proof")
    return request
  }

  @Test("a request and its answer arrive whole")
  func exchange() async throws {
    let server = try await LocalServer.start(
      answer("{}", status: "400 Bad Request", "WWW-Authenticate: a\r\nWWW-Authenticate: b\r\nDPoP-Nonce: n\r\n"))
    let response = try await transport().send(request(server.url("/token?x=1")))
    #expect(response.status == 400 && response.body == Array("{}".utf8))
    #expect(response.headers.values("WWW-Authenticate") == ["a", "b"])
    #expect(response.headers.values("DPoP-Nonce") == ["n"])
    #expect(server.received.hasPrefix("POST /token?x=1 HTTP/1.1\r\n"))
    #expect(server.received.hasSuffix("\r\n\r\ngrant_type=refresh_token"))
    #expect(server.received.contains("DPoP: proof\r\n"))
    #expect(server.received.contains("Content-Type: application/x-www-form-urlencoded\r\n"))
  }

  @Test("keys verify with it, and several lines of a field are one list")
  func keys() async throws {
    let key = JWK.generate(.es256, keyID: "a")
    let body = String(decoding: JWKSet([key]).serialized(), as: UTF8.self)
    let server = try await LocalServer.start(
      answer(body, "Cache-Control: max-age=600\r\nCache-Control: no-store\r\n"))
    let transport = transport()
    let response = try await transport.send(HTTPRequestValue(method: "GET", url: server.url()))
    #expect(response.headers.values("cache-control") == ["max-age=600", "no-store"])
    let set = RemoteKeySet(url: server.url(), plainHTTP: .loopback, transport: transport.send)
    let token = try JWS.sign(Array("x".utf8), with: SigningKey(key))
    #expect(try await set.verify(token, algorithms: [.es256]).payload == Array("x".utf8))
  }

  @Test("a redirect is an answer, and the token goes nowhere else")
  func redirect() async throws {
    let target = try await LocalServer.start(answer("{}"))
    for status in ["302 Found", "307 Temporary Redirect", "308 Permanent Redirect"] {
      let server = try await LocalServer.start(answer("", status: status, "Location: \(target.url())\r\n"))
      #expect(try await transport().send(request(server.url())).status / 100 == 3)
    }
    #expect(target.connectionCount == 0)
  }

  @Test("what certainly did not reach the server is said so")
  func notSent() async throws {
    var server: LocalServer? = try await LocalServer.start(answer("{}"))
    let url = try #require(server?.url())
    // It speaks no TLS.
    await #expect(throws: RequestNotSent.self) {
      try await transport().send(request(url.replacing("http://", with: "https://")))
    }
    #expect(server?.received.contains("refresh_token") == false)
    await server?.stop()
    server = nil
    await #expect(throws: RequestNotSent.self) { try await transport().send(request(url)) }
    for url in [
      "http://127.0.0.1/", "HTTP://127.0.0.1/", "/token", "", "unix:///x", "https://", "https://host.invalid./",
      "file:///etc/passwd", "https+unix://%2Ftmp%2Fx/keys", "ftp://a.example/", "https:/a", " https://a.example/",
      "https://user@127.0.0.1/", "https://127.0.0.1/#f",
    ] {
      await #expect(throws: RequestNotSent.self) { try await AsyncHTTPClientTransport().send(request(url)) }
    }
  }

  @Test("what may have reached the server is no RequestNotSent")
  func mayHaveArrived() async throws {
    let silent = try await LocalServer.start("", .silent)
    await #expect(throws: AsyncHTTPClientTransport.Failure.timedOut) {
      try await transport(timeLimit: .milliseconds(300)).send(request(silent.url()))
    }
    // It hangs up, or breaks off.
    for text in ["", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{}"] {
      let server = try await LocalServer.start(text)
      let error = await #expect(throws: (any Error).self) { try await transport().send(request(server.url())) }
      #expect(error.map { !($0 is RequestNotSent) } == true)
      #expect(server.received.contains("refresh_token"))
    }
    let long = try await LocalServer.start(answer(String(repeating: "x", count: 1001)))
    await #expect(throws: AsyncHTTPClientTransport.Failure.bodyTooLong) {
      try await transport(byteLimit: 1000).send(request(long.url()))
    }
    #expect(try await transport(byteLimit: 1001).send(request(long.url())).body.count == 1001)
    // Also where the answer doesn't say how long it is, or comes by and by.
    let endless = try await LocalServer.start(
      "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + String(repeating: "x", count: 100_000))
    await #expect(throws: AsyncHTTPClientTransport.Failure.bodyTooLong) {
      try await transport(byteLimit: 1000).send(request(endless.url()))
    }
    let trickling = try await LocalServer.start(
      answer(String(repeating: " ", count: 600)), .trickling(.milliseconds(50)))
    await #expect(throws: AsyncHTTPClientTransport.Failure.timedOut) {
      try await transport(timeLimit: .milliseconds(500)).send(request(trickling.url()))
    }
  }

  @Test("a call ends with its task: cancelled before it begins, while it begins, and afterwards")
  func cancellation() async throws {
    let server = try await LocalServer.start("", .silent)
    let (patient, message) = (transport(timeLimit: .seconds(600)), try request(server.url()))
    for delay in 0..<100 {
      let task = Task { try await patient.send(message) }
      for _ in 0..<delay % 20 { await Task.yield() }
      if delay % 20 == 19 { try await Task.sleep(for: .milliseconds(2)) }
      task.cancel()
      let error = await #expect(throws: (any Error).self) { try await task.value }
      #expect(error is CancellationError || error is RequestNotSent)
    }
  }

  @Test("a transport that is shut down fails, and one that is let go closes itself")
  func shutdown() async throws {
    let server = try await LocalServer.start(answer("{}"))
    let client = transport()
    #expect(try await client.send(request(server.url())).status == 200)
    try await client.shutdown()
    await #expect(throws: (any Error).self) { try await client.send(request(server.url())) }
    await #expect(throws: (any Error).self) { try await client.shutdown() }
    // async-http-client ends a debug process whose client goes without having been shut down.
    for _ in 0..<10 { #expect(try await transport().send(request(server.url())).status == 200) }
  }
}
