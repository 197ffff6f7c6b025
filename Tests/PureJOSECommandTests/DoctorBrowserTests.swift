import JOSE
import Testing

@testable import PlatformSSOKit
@testable import PureJOSECommand

@Suite("jose psso doctor, logins by a browser")
struct DoctorBrowserTests {
  typealias Change = @Sendable (_ request: HTTPRequestValue, _ response: HTTPResponseValue) -> HTTPResponseValue

  private struct Server: DoctorTransport {
    let base: OwnProvider
    let change: Change

    func send(_ request: HTTPRequestValue) async throws(CommandFailure) -> HTTPResponseValue {
      change(request, try await base.send(request))
    }
  }

  private func rows(
    allowList: [String]? = nil, _ change: @escaping Change = { _, response in response }
  ) async throws -> (all: [DoctorFinding], bad: [String]) {
    let (provider, made) = try await OwnProvider.make(clock: .standing)
    var subject = made
    subject.device.configuration.federationUserPreauthenticationURL = "https://idp.example.com/psso/discovery"
    subject.device.configuration.isFederated = { $0["account_type"] == "Federated" }
    if let allowList {
      var profile = ExtensibleSSOProfile(
        for: subject.device.configuration, extensionIdentifier: "com.example.mac.ssoe",
        teamIdentifier: "ABCDE12345", authenticationMethod: .openID)
      try profile.set("WebLoginURLAllowList", to: .array(allowList.map { .string($0) }))
      subject.profile = profile
    }
    var run = DoctorRun(
      subject: subject, transport: Server(base: provider, change: change), extent: DoctorRun.Extent(isQuick: true))
    let found = try await run.examine().findings.filter { $0.part == "browser" }
    return (found, found.filter { [.wrong, .lenient].contains($0.verdict) }.map(\.name))
  }

  @Test("The package's own provider takes each request once, signed by the Mac, for its own client and state")
  func sound() async throws {
    let (all, bad) = try await rows(allowList: ["https://idp.example.com/"])
    #expect(bad == [] && all.count == 12 && all.allSatisfy { $0.verdict == .right }, "\(bad), \(all.count)")
  }

  @Test("A page on a host that the profile doesn't name, or behind a redirect to one, is wrong")
  func hosts() async throws {
    #expect(try await rows(allowList: ["https://login.example.com"]).bad == ["browser: address"])
    let redirected = try await rows(allowList: ["https://idp.example.com"]) { request, response in
      guard request.url.contains("/psso/authorize"), response.status == 200 else { return response }
      let headers = HTTPHeaderFields(known: [("Location", "https://elsewhere.example.com/login")])
      return HTTPResponseValue(status: 302, headers: headers)
    }
    #expect(redirected.bad.contains("browser: address"))
    let plain = try await rows { request, response in
      guard request.url.contains("/psso/authorize"), response.status == 200 else { return response }
      return HTTPResponseValue(
        status: 302, headers: HTTPHeaderFields(known: [("Location", "http://idp.example.com/login")]))
    }
    #expect(plain.bad.contains("browser: address"))
  }

  @Test("A missing login page and one that may be framed are reported")
  func pages() async throws {
    let framed = try await rows { request, response in
      var response = response
      if request.url.contains("/psso/authorize") { response.headers.remove("Content-Security-Policy") }
      return response
    }
    #expect(framed.bad == ["browser: not in a frame"])
    let empty = try await rows { request, response in
      guard request.url.contains("/psso/authorize"), response.status == 200 else { return response }
      return HTTPResponseValue(status: 204)
    }
    #expect(empty.bad.contains("browser: the page"))
  }

  @Test("A server that looks at nothing of the request is wrong in seven rows")
  func blind() async throws {
    let (all, bad) = try await rows { request, response in
      guard request.url.contains("/psso/authorize"), response.status >= 400 else { return response }
      return HTTPResponseValue(
        status: 200, headers: HTTPHeaderFields(known: [("Content-Type", "text/html")]), body: Array("<p>".utf8))
    }
    #expect(bad.count == 7 && all.filter(\.isMutation).count == 7, "\(bad)")
  }

  @Test("Discovery that tells unknown users, or is no JSON, is found out")
  func discovery() async throws {
    let telling = try await rows { request, response in
      guard request.url.contains("x-unknown") else { return response }
      return HTTPResponseValue(status: 404)
    }
    #expect(telling.bad == ["browser: discovery of an unknown user"])
    let broken = try await rows { request, response in
      request.url.contains("/psso/discovery") ? HTTPResponseValue(status: 500) : response
    }
    #expect(broken.bad == ["browser: discovery"])
  }

  @Test("A Mac that logs in by password has no row, and neither has one that takes no answer for federated")
  func none() async throws {
    for url in [nil, "https://idp.example.com/psso/discovery"] {
      let (provider, made) = try await OwnProvider.make(clock: .standing)
      var subject = made
      subject.device.configuration.federationUserPreauthenticationURL = url
      var run = DoctorRun(subject: subject, transport: provider, extent: DoctorRun.Extent(isQuick: true))
      #expect(try await run.examine().findings.allSatisfy { $0.part != "browser" })
    }
  }
}
