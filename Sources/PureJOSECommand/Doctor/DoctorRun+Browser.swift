import JOSE
import PlatformSSOKit

/// A login by a browser, as far as it goes without the user: who is sent there, the request, and the page.
extension DoctorRun {
  private static let source = "Apple, Implementing web-based authentication with Platform SSO"

  mutating func browserLogin() async {
    let configuration = device.configuration
    guard !isOutOfTime else { return }
    do {
      var endpoint: WebAuthorizationEndpoint?
      // An extension without that predicate sends no user there.
      if configuration.federationUserPreauthenticationURL != nil, configuration.isFederated != nil {
        guard let found = try await discovered() else { return }
        endpoint = found
      } else if configuration.authorizationURL == nil {
        return
      }
      let request = try device.webAuthorizationRequest(of: subject.user, at: endpoint)
      try await page(of: request.httpRequest)
      guard endpoint?.parameters != nil else { return }
      try await changedRequests(request.httpRequest, try await discovered(isRecorded: false))
    } catch {
      record(
        "browser: answered", .wrong, Self.described(error), rule: "the login page can be opened", source: Self.source)
    }
  }

  // MARK: Discovery

  /// Where the user logs in; nil if not by a browser.
  private mutating func discovered(isRecorded: Bool = true) async throws -> WebAuthorizationEndpoint? {
    let request = try device.preauthenticationRequest(of: subject.user)
    let answer = try await transport.send(request)
    let found: WebAuthorizationEndpoint?
    do throws(JOSEError) {
      found = try device.preauthentication(from: answer)
    } catch {
      record(
        "browser: discovery", .wrong, "\(answer.status), \(Self.described(error))",
        rule: "200 and JSON that says how the user logs in", source: Self.source)
      return nil
    }
    guard isRecorded else { return found }
    record(
      "browser: discovery", .right, found == nil ? "not by a browser" : "by a browser",
      rule: "200 and JSON that says how the user logs in", source: Self.source)
    let name = subject.user.loginUserName + "x-unknown"
    let other = try await transport.send(
      try device.preauthenticationRequest(of: UserLoginConfiguration(loginUserName: name)))
    let isSame = Self.shape(of: answer) == Self.shape(of: other)
    record(
      "browser: discovery of an unknown user", isSame ? .right : .lenient,
      isSame ? "the same" : "\(other.status), another answer",
      rule: "the answer does not tell whether there is such a user, except where he logs in elsewhere",
      source: "OWASP ASVS 4.0 §2.2", cause: "unknown user")
    return found
  }

  /// What of an answer must not depend on whether there is a user.
  private static func shape(of answer: HTTPResponseValue) -> [String] {
    let body = try? JSONObject(parsing: answer.body)
    return ["\(answer.status)", body?["account_type"]?.stringValue ?? ""] + (body?.members.map(\.name).sorted() ?? [])
  }

  // MARK: The page

  private mutating func page(of request: HTTPRequestValue) async throws {
    let rule = "https, and each redirect too, on hosts that the profile's WebLoginURLAllowList names"
    let allowed = subject.profile?["WebLoginURLAllowList"].flatMap { $0.jsonValue.arrayValue }?
      .compactMap { $0.stringValue.flatMap(EndpointAddress.origin) }
    var (next, answer) = (request, try await transport.send(request))
    for _ in 0..<10 {
      let url = next.url
      let origin = EndpointAddress.origin(url)
      let isAllowed = allowed.map { list in list.contains { $0 == origin } } ?? true
      guard origin?.hasPrefix("https://") == true, isAllowed else {
        return record(
          "browser: address", .wrong, "\(origin ?? "no host") is \(isAllowed ? "not https" : "not in the list")",
          rule: rule, source: Self.source)
      }
      guard (300..<400).contains(answer.status), let location = answer.headers.values("Location").first else { break }
      let target = location.hasPrefix("/") ? (origin ?? "") + location : location
      // The server examined may stand elsewhere than its addresses say; another's pages are not asked for.
      guard EndpointAddress.origin(target) == EndpointAddress.origin(request.url) else {
        next = HTTPRequestValue(method: "GET", url: target)
        answer = HTTPResponseValue(status: 200)
        continue
      }
      next = HTTPRequestValue(method: "GET", url: target)
      answer = try await transport.send(next)
    }
    record("browser: address", .right, EndpointAddress.origin(next.url) ?? "", rule: rule, source: Self.source)
    guard EndpointAddress.origin(next.url) == EndpointAddress.origin(request.url) else { return }
    let type = answer.headers.values("Content-Type").first ?? "no Content-Type"
    let isPage = answer.status == 200 && type.lowercased().hasPrefix("text/html") && !answer.body.isEmpty
    record(
      "browser: the page", isPage ? .right : .wrong, "\(answer.status), \(type)", rule: "200 and HTML",
      source: Self.source)
    let isFramed =
      answer.headers.values("X-Frame-Options").isEmpty
      && !answer.headers.values("Content-Security-Policy").contains { $0.contains("frame-ancestors") }
    record(
      "browser: not in a frame", isFramed ? .lenient : .right, isFramed ? "any page may show it" : "refused",
      rule: "frame-ancestors or X-Frame-Options: else another page has the user click in it",
      source: "OWASP ASVS 4.0 §14.4", cause: "page")
  }

  // MARK: Changed requests

  private mutating func changedRequests(
    _ sent: HTTPRequestValue, _ endpoint: WebAuthorizationEndpoint?
  ) async throws {
    let again = Self.judged(try await transport.send(sent), ifAccepted: .wrong, mayAskAgain: true)
    record(
      "browser: sent twice", again.0, again.1, rule: "a nonce is good once", source: Self.source, isMutation: true)
    guard let endpoint else { return }
    let foreign = try SigningKey.generate(.es256)
    let changes: [(String, SigningKey, (inout JSONObject) -> Void, String)] = [
      ("another key", foreign, { _ in }, "the registered Mac signs the request"),
      (
        "another redirect_uri", subject.signingKey, { $0["redirect_uri"] = "https://attacker.example/callback" },
        "the code goes to the Mac alone"
      ),
      ("another client_id", subject.signingKey, { $0["client_id"] = "x-other" }, "the client is the Mac's"),
      (
        "another state", subject.signingKey, { $0["state"] = .string(UUIDText.random()) },
        "nonce and state belong together"
      ),
      (
        "a nonce of its own", subject.signingKey, { $0["nonce"] = .string(UUIDText.random()) },
        "the nonce is the server's"
      ),
      ("another response_type", subject.signingKey, { $0["response_type"] = "token" }, "a code, and nothing else"),
    ]
    for (name, key, change, rule) in changes {
      let fresh = try await discovered(isRecorded: false) ?? endpoint
      let request = try device.webAuthorizationRequest(of: subject.user, at: fresh).httpRequest
      let changed = try Self.signedAnew(request, by: key, change)
      let (verdict, observed) = Self.judged(
        try await transport.send(changed), ifAccepted: .wrong, mayAskAgain: true)
      record("browser: \(name)", verdict, observed, rule: rule, source: Self.source, isMutation: true)
    }
  }

  /// A request with other claims, whose address repeats nothing of them.
  private static func signedAnew(
    _ request: HTTPRequestValue, by key: SigningKey, _ change: (inout JSONObject) -> Void
  ) throws -> HTTPRequestValue {
    let form = try request.form()
    let token = try UnverifiedJWS(parsing: form.requiredValue("request"))
    guard var claims = token.unverifiedClaims else { return request }
    change(&claims)
    let signed = try JWS.sign(
      claims.serialized(), with: key,
      header: HeaderParameters(type: token.unverifiedHeader.type, keyID: token.unverifiedHeader.keyID))
    let address = request.url.prefix { $0 != "?" }
    return .post(FormFields([("request", signed)]), to: String(address), headers: request.headers)
  }
}
