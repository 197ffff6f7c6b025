#if canImport(Glibc)
  import Foundation
  import FoundationNetworking
  import JOSE
  import JOSEFoundation
  import Synchronization
  import Testing

  @Suite("Sending requests with URLSession", .serialized)
  struct URLSessionTransportTests {
    private func answer(_ body: String, status: String = "200 OK", _ fields: String = "") -> String {
      "HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\(fields)\r\n\(body)"
    }

    private func transport(byteLimit: Int = 1 << 20, timeLimit: Duration = .seconds(600)) -> URLSessionTransport {
      URLSessionTransport(byteLimit: byteLimit, timeLimit: timeLimit, plainHTTP: .loopback)
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

    @Test("a key set fetched with URLSession verifies, and repeated header fields form one list")
    func keys() async throws {
      let key = JWK.generate(.es256, keyID: "a")
      let body = String(decoding: JWKSet([key]).serialized(), as: UTF8.self)
      let server = try LocalServer(answer: answer(body, "Cache-Control: max-age=600\r\nCache-Control: no-store\r\n"))
      let transport = transport()
      let fields = Mutex<[String]>([])
      let set = RemoteKeySet(url: server.url(), plainHTTP: .loopback) { request in
        let response = try await transport.send(request)
        fields.withLock { $0 = response.headers.values("Cache-Control") }
        return response
      }
      let token = try JWS.sign(Array("x".utf8), with: SigningKey(key))
      #expect(try await set.verify(token, algorithms: [.es256]).payload == Array("x".utf8))
      let list = fields.withLock { $0.joined(separator: ",") }
      #expect(list.contains("max-age=600") && list.contains("no-store"))
    }

    @Test("a redirect is returned as the response and not followed")
    func redirect() async throws {
      let target = try LocalServer(answer: answer("{}"))
      let server = try LocalServer(
        answer: answer("moved", status: "307 Temporary Redirect", "Location: \(target.url("/token"))\r\n"))
      #expect(try await transport().send(post(server.url())).status == 307)
    }

    @Test(
      "an authentication challenge is declined, and its response is returned",
      arguments: [
        ("401 Unauthorized", "WWW-Authenticate", ["Basic realm=\"a\""]),
        ("401 Unauthorized", "WWW-Authenticate", ["Basic"]),
        ("401 Unauthorized", "WWW-Authenticate", ["Digest realm=\"a\", nonce=\"b\", qop=\"auth\""]),
        ("401 Unauthorized", "WWW-Authenticate", ["NTLM"]),
        ("401 Unauthorized", "WWW-Authenticate", ["Negotiate"]),
        ("401 Unauthorized", "WWW-Authenticate", ["Negotiate", "NTLM", "Basic realm=\"a\"", "DPoP algs=\"ES256\""]),
        ("407 Proxy Authentication Required", "Proxy-Authenticate", ["Basic realm=\"a\""]),
        ("407 Proxy Authentication Required", "Proxy-Authenticate", ["Negotiate", "NTLM"]),
      ])
    func challenge(status: String, field: String, challenges: [String]) async throws {
      let fields = challenges.map { "\(field): \($0)\r\n" }.joined()
      for body in [#"{"error":"invalid_client"}"#, "", String(repeating: "x", count: 300_000)] {
        let server = try LocalServer(answer: answer(body, status: status, fields))
        let response = try await transport().send(post(server.url()))
        #expect(response.status == Int(status.prefix(3)) && response.body == Array(body.utf8))
        #expect(response.headers.values(field).joined(separator: ", ") == challenges.joined(separator: ", "))
      }
    }

    @Test("the body of a challenge is limited like any other")
    func challengeLimit() async throws {
      let server = try LocalServer(
        answer: answer(
          String(repeating: "x", count: 1001), status: "401 Unauthorized", "WWW-Authenticate: Basic realm=\"a\"\r\n"))
      let error = await #expect(throws: URLError.self) { try await transport(byteLimit: 1000).send(post(server.url())) }
      #expect(error?.code == .dataLengthExceedsMaximum)
      #expect(try await transport(byteLimit: 1001).send(post(server.url())).body.count == 1001)
    }

    @Test("a server with a certificate that no authority signed gets no request")
    func untrustedCertificate() async throws {
      let server = try LocalServer(octets: try Self.handshake())
      let url = "https://127.0.0.1:\(server.port)/"
      await #expect(throws: (any Error).self) { try await transport().send(post(url)) }
    }

    /// What a server says first in TLS 1.2: ServerHello with TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256 and a certificate
    /// for 127.0.0.1, valid for a hundred years, which only its own key has signed. A client ends the handshake there,
    /// before the server would need that key.
    ///
    /// Source: RFC 5246 §7.4.
    private static func handshake() throws -> [UInt8] {
      let certificate = Array(
        try #require(
          Data(
            base64Encoded: """
              MIIBjzCCATagAwIBAgIULsB+NMVFx3LdwHWYc5w9H5ARaSkwCgYIKoZIzj0EAwIwFDESMBAGA1UEAwwJMTI3LjAuMC4xMCAX
              DTI2MTEyNzA0MDY0OVoYDzIxMjYxMTAzMDQwNjQ5WjAUMRIwEAYDVQQDDAkxMjcuMC4wLjEwWTATBgcqhkjOPQIBBggqhkjO
              PQMBBwNCAASnSmOG7t0Q4VWJVQLy9WKdnDPM7orFiXUVbMDz893rFeqRaRMjsfP5VljbAcCru1B5UmLnK7dUPdGie1iw7aAE
              o2QwYjAdBgNVHQ4EFgQU19JwiPw7OhELy1mpevNT0v6SZpAwHwYDVR0jBBgwFoAU19JwiPw7OhELy1mpevNT0v6SZpAwDwYD
              VR0TAQH/BAUwAwEB/zAPBgNVHREECDAGhwR/AAABMAoGCCqGSM49BAMCA0cAMEQCIGytPrAGmgmH+CqaaTxD8pIzAvBtJRKu
              rAJGOof2TmJAAiBW2hXKPExQF/0yQWY+e6iOYy/vN6UV8M71maxFX8bgPQ==
              """, options: .ignoreUnknownCharacters)))
      func length(_ count: Int) -> [UInt8] { [0, UInt8(count >> 8), UInt8(count & 0xFF)] }
      func message(_ type: UInt8, _ body: [UInt8]) -> [UInt8] { [type] + length(body.count) + body }
      let hello = [3, 3] + Array(repeating: 7, count: 32) + [0, 0xC0, 0x2B, 0, 0, 5, 0xFF, 1, 0, 1, 0] as [UInt8]
      let chain = length(certificate.count) + certificate
      let flight = message(2, hello) + message(11, length(chain.count) + chain)
      return [22, 3, 3] + length(flight.count).dropFirst() + flight
    }

    @Test("a request without a connection throws RequestNotSent")
    func notSent() async throws {
      // The port of a server that is gone.
      let url = try { try LocalServer(answer: answer("{}")).url() }()
      for url in [
        url, "ftp://a.example/", "/token", "", "https://", "data:,x", "https:///token",
        "http://[::1", "file:///etc/passwd", "http://a.example/", "https://user@127.0.0.1/",
      ] {
        await #expect(throws: RequestNotSent.self) { try await transport().send(post(url)) }
      }
      let server = try LocalServer(answer: answer("{}"))
      await #expect(throws: RequestNotSent.self) { try await URLSessionTransport().send(post(server.url())) }
    }

    @Test("a timeout after the connection throws URLError instead of RequestNotSent")
    func maybeSent() async throws {
      let silent = try LocalServer(answer: nil)
      let late = await #expect(throws: URLError.self) {
        try await transport(timeLimit: .milliseconds(200)).send(post(silent.url()))
      }
      #expect(late?.code == .timedOut)
      let (patient, request) = (transport(timeLimit: .seconds(600)), post(silent.url()))
      // Cancelled before it begins, while it begins, and afterwards.
      for delay in 0..<100 {
        let task = Task { try await patient.send(request) }
        for _ in 0..<delay % 20 { await Task.yield() }
        if delay % 20 == 19 { try await Task.sleep(for: .milliseconds(2)) }
        task.cancel()
        let error = await #expect(throws: (any Error).self) { try await task.value }
        #expect(error is RequestNotSent || (error as? URLError)?.code == .cancelled)
      }
      let trickle = try LocalServer(answer: answer(String(repeating: " ", count: 600)), pause: 100_000)
      let slow = await #expect(throws: URLError.self) {
        try await transport(timeLimit: .milliseconds(500)).send(post(trickle.url()))
      }
      #expect(slow?.code == .timedOut)
      let long = try LocalServer(answer: answer(String(repeating: "x", count: 1001)))
      #expect(try await transport(byteLimit: 1001).send(post(long.url())).body.count == 1001)
      let tooLong = await #expect(throws: URLError.self) { try await transport(byteLimit: 1000).send(post(long.url())) }
      #expect(tooLong?.code == .dataLengthExceedsMaximum)
      withExtendedLifetime((silent, trickle)) {}
    }
  }
#endif
