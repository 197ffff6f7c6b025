import JOSE
import PureJOSETestSupport
import Testing

@testable import PureJOSECommand

@Suite("The program curl, which asks issuers")
struct CurlTransportTests {
  /// A program in the place of curl that does what the URL's path says.
  private static let standIn = PackageFile.path("Tests/StandIns/curl")

  private func answer(
    _ url: String, _ method: String = "GET", headers: HTTPHeaderFields = HTTPHeaderFields(), body: String = "",
    curl: CurlTransport = CurlTransport(program: Self.standIn)
  ) async throws(CurlFailure) -> HTTPResponseValue {
    try await curl.answer(HTTPRequestValue(method: method, url: url, headers: headers, body: Array(body.utf8)))
  }

  @Test("an answer is its last status, its fields and its body, and a trailer is passed over")
  func trailer() async throws {
    let response = try await answer("https://h/trailer")
    #expect(response.status == 200 && response.body == Array("hi".utf8))
    #expect(response.headers.fields.map(\.name) == ["X-A"])
  }

  @Test("output before the header is skipped, and a program that runs too long is killed")
  func noise() async throws {
    #expect(try await answer("https://h/noisy").headers.fields.map(\.name) == ["X-A"])
    var curl = CurlTransport(program: Self.standIn)
    curl.secondLimit = -5
    await #expect(throws: CurlFailure.notRun(.tookTooLong, program: Self.standIn)) {
      try await answer("https://h/trailer", curl: curl)
    }
    curl.secondLimit = -3
    await #expect(throws: CurlFailure.notRun(.killed, program: Self.standIn)) {
      try await answer("https://h/lingering", curl: curl)
    }
  }

  @Test("a series of requests has an answer or a failure for each, and goes only where one request may go")
  func series() async throws {
    let curl = CurlTransport(program: Self.standIn)
    func requests(_ urls: [String]) -> [HTTPRequestValue] {
      urls.map { HTTPRequestValue(method: "POST", url: $0, body: Array("a=\"b\\\n".utf8)) }
    }
    let answers = await curl.answers(requests(["https://h/1", "https://h/refused", "https://h/3"])).map(\.answer)
    #expect(answers.map { try? $0.get().body } == [Array("https://h/1".utf8), nil, Array("https://h/3".utf8)])
    #expect(try answers[0].get().headers.fields.map(\.name) == ["X-A"])
    #expect(throws: CurlFailure.ended(7, secondLimit: 10)) { try answers[1].get() }
    for answer in await curl.answers(requests(["https://h/1", "http://h/2"])).map(\.answer) {
      #expect(throws: CurlFailure.addressNotAllowed) { try answer.get() }
    }
    let absent = CurlTransport(program: "/no/such/program")
    #expect(await absent.answers(requests(["https://h/1"])).map(\.answer).allSatisfy { (try? $0.get()) == nil })
  }

  @Test("curl's arguments exclude settings and redirects, set limits, and hold no secrets")
  func arguments() async throws {
    let headers = try HTTPHeaderFields([("Authorization", "Bearer \"s\\ecret")])
    let url = "https://h/$(reboot)/echo"
    let echoed = try await answer(url, "POST", headers: headers, body: "@/etc/passwd\nurl = \"x\"")
    let lines = String(decoding: echoed.body, as: UTF8.self).split(separator: "\n").map(String.init)
    let end = try #require(lines.firstIndex(of: url))
    let arguments = lines[...end]
    #expect(arguments.first == "-q" && arguments.suffix(2) == ["--", url])
    for option in [
      ["--proto", "=https"], ["--max-redirs", "0"], ["--max-time", "10"], ["--max-filesize", "1048576"],
    ] {
      #expect(arguments.firstRange(of: option) != nil, "\(option)")
    }
    #expect(!arguments.contains("--noproxy") && !arguments.contains(where: { $0.contains("ecret") }))
    #expect(
      lines[(end + 1)...] == [
        "request = \"POST\"", #"header = "Authorization: Bearer \"s\\ecret""#,
        "header = \"Expect:\"", "data-binary = \"@-\"", "@/etc/passwd", "url = \"x\"",
      ])
    let local = CurlTransport(plainHTTP: .loopback, authorities: "roots.pem")
    let localArguments = local.arguments(for: try URIComponents(parsing: "http://127.0.0.1:8080/-o"))
    #expect(localArguments.firstRange(of: ["--proto", "=http"]) != nil)
    #expect(localArguments.suffix(6) == ["--noproxy", "*", "--cacert", "roots.pem", "--", "http://127.0.0.1:8080/-o"])
  }

  @Test("curl gets the variables for proxies and authorities, and no others")
  func environment() async throws {
    let text = String(decoding: try await answer("https://h/environment").body, as: UTF8.self)
    #expect(!text.contains("SSLKEYLOGFILE=") && !text.hasPrefix("PATH=") && !text.contains("\nPATH="))
  }

  @Test("an address that is not https is not asked, but for one on this machine by name")
  func addresses() async {
    for url in ["http://h/trailer", "file:///etc/passwd", "https://u:p@h/trailer", "trailer"] {
      await #expect(throws: CurlFailure.addressNotAllowed) { try await answer(url) }
    }
    let local = CurlTransport(program: Self.standIn, plainHTTP: .loopback)
    await #expect(throws: Never.self) { try await answer("http://127.0.0.1/trailer", curl: local) }
    await #expect(throws: CurlFailure.addressNotAllowed) { try await answer("http://h/trailer", curl: local) }
  }

  @Test("each way to fail has words of its own, which say what to do")
  func failures() async {
    var texts: [String] = []
    func fails(_ url: String, _ expected: CurlFailure, _ word: String, program: String = Self.standIn) async {
      do throws(CurlFailure) {
        _ = try await answer(url, curl: CurlTransport(program: program))
        Issue.record("\(url) was answered")
      } catch {
        #expect(error == expected)
        #expect(error.text.contains(word), "\(error.text)")
        texts.append(error.text)
      }
    }
    await fails("https://h/endless", .notRun(.outputTooLong, program: Self.standIn), "longer than is read")
    await fails("https://h/signal", .notRun(.killed, program: Self.standIn), "signal")
    await fails("https://h/nonsense", .malformedAnswer, "not an HTTP message")
    await fails("https://h/", .notRun(.notFound, program: "no-such-curl"), "apt install curl", program: "no-such-curl")
    #expect(Set(texts).count == texts.count)
    for (code, word) in [(6, "name has no address"), (7, "nothing accepts"), (28, "10 seconds"), (60, "--cacert")] {
      #expect(CurlFailure.ended(Int32(code), secondLimit: 10).text.contains(word))
    }
  }

  @Test("a request longer than a pipe is sent whole, and one that nobody reads gets its answer")
  func longRequests() async throws {
    let body = String(repeating: "a", count: 300_000)
    let echoed = try await answer("https://h/echo", "POST", body: body)
    #expect(String(decoding: echoed.body, as: UTF8.self).hasSuffix("\"@-\"\n\(body)"))
    #expect(try await answer("https://h/trailer", "POST", body: body).body == Array("hi".utf8))
    let fields = try HTTPHeaderFields([("A", String(repeating: "a", count: 100_000))])
    await #expect(throws: CurlFailure.notRun(.settingsTooLong, program: Self.standIn)) {
      try await answer("https://h/echo", headers: fields)
    }
  }

  @Test("an error about an issuer's keys has the text of curl's failure")
  func issuer() async {
    for (code, word) in [(6, "(curl 6)"), (60, "--cacert FILE")] {
      let issuer = IssuerKeys(
        issuer: "https://h/exit/\(code)", curl: CurlTransport(program: Self.standIn), transport: nil)
      do throws(JOSEError) {
        _ = try await issuer.keys.keys()
        Issue.record("there were keys")
      } catch {
        guard case .invalid(let text) = issuer.failure(error) else { return #expect(Bool(false)) }
        #expect(text.hasPrefix("externalKeyFailed(keys): ") && text.contains(word), "\(text)")
      }
    }
  }

  @Test("requests of the doctor go to the server's origin, with path and query of the configuration")
  func relocation() throws {
    let transport = try #require(RelocatedTransport(address: "http://127.0.0.1:8080/x?y"))
    #expect(transport.relocated("https://idp.example.com/token?a=b") == "http://127.0.0.1:8080/token?a=b")
    #expect(try #require(RelocatedTransport(address: "https://[::1]")).relocated("https://h:1/") == "https://[::1]/")
    for wrong in ["http://idp.example.com", "idp.example.com", "https://", "https://u@h"] {
      #expect(RelocatedTransport(address: wrong) == nil)
    }
  }

  @Test("--cacert and --plain-http go with --issuer, and an http issuer with --plain-http on this machine alone")
  func options() {
    func run(_ arguments: [String]) -> CommandRun {
      CommandRun(["jwt", "verify", "--aud", "a"] + arguments, input: "t")
    }
    for wrong in [
      ["--key", "k", "--iss", "i", "--cacert", "r"], ["--key", "k", "--iss", "i", "--plain-http"],
      ["--issuer", "http://127.0.0.1:8080"], ["--issuer", "http://h", "--plain-http"],
    ] {
      #expect(run(wrong).status == .usage)
    }
    #expect(run(["--issuer", "http://127.0.0.1:8080", "--plain-http"]).status == .invalid)
  }
}
