import JOSE
import AppleSignInKit
import IdentityTesting
import StrictJSON
import Synchronization

/// Plays Sign in with Apple in one process: a website, a browser, and a stand-in for Apple's server. Every token is
/// signed and verified.
struct SignInWithAppleDemo {
  let console: Console

  /// Plays all scenes and shows what went over the wire.
  ///
  /// - Throws: ``CommandFailure/invalid(_:)`` if anything turns out otherwise than it must.
  func run() async throws(CommandFailure) {
    try await DemoTranscript.play(on: console) { transcript in
      let script = try SignInWithAppleDemoScript(transcript)
      try await script.signIn()
      try await script.signInAgain()
      try await script.cancel()
      try await script.refusals()
      try await script.notify()
      try await script.revoke()
    }
  }
}

/// The scenes.
private actor SignInWithAppleDemoScript {
  private let transcript: DemoTranscript
  private let apple: AppleStandIn
  private let registered: AppleStandInClient
  private let client: AppleSignInClient
  private let keys: AppleKeyStore
  private let redirectURI: AppleRedirectURI
  private let serviceKey: SigningKey
  private let user = AppleStandInUser(
    id: "demo", givenName: "Zoë Ann", familyName: "O'Brien", email: "zoe@example.com", hidesEmail: true)
  /// Time stands still, so that nothing expires on a machine that takes minutes.
  private let clock: WallClock
  private static let clientID = "com.example.web"
  private var refreshToken = ""
  private var subject = ""

  init(_ transcript: DemoTranscript) throws {
    self.transcript = transcript
    let now = WallClock.system.now
    clock = WallClock { now }
    var service = AppleService.apple
    // The stand-in signs with ES256, Apple with RS256.
    service.signatureAlgorithmNames = ["ES256"]
    serviceKey = try SigningKey.generate(.es256, keyID: "STANDINKEY")
    let developerKey = try SigningKey.generate(.es256, keyID: "ABC123DEFG")
    redirectURI = try AppleRedirectURI("https://www.example.com/apple/callback")
    registered = AppleStandInClient(
      clientID: Self.clientID, teamID: "TEAM123456", redirectURIs: [redirectURI],
      secretKeys: [developerKey.verificationKey])
    let apple = AppleStandIn(service: service, clients: [registered], signingKey: serviceKey, clock: clock)
    self.apple = apple
    let transport: HTTPTransport = { request in
      transcript.message(request.method == "GET" ? "key set request" : "request to Apple", request)
      let response = await apple.handle(request)
      transcript.message("Apple's answer", response)
      return response
    }
    keys = AppleKeyStore(service: service, clock: clock, transport: transport)
    client = AppleSignInClient(
      clientID: Self.clientID, redirectURI: redirectURI,
      signer: try AppleClientSecretSigner(
        key: developerKey, teamID: "TEAM123456", keyID: "ABC123DEFG", service: service, clock: clock),
      transport: transport)
  }

  private func begin(_ scopes: Set<AppleScope> = [.name, .email]) async throws -> AppleSignInStart {
    let start = try await client.begin(responseType: .codeAndIdentityToken, scopes: scopes)
    let query = start.url.split(separator: "?", maxSplits: 1).last.map(String.init) ?? ""
    let fields = try FormFields(decoding: query.utf8).fields
    transcript.message(
      "authorization request", ["GET \(start.url)"] + fields.map { "\($0.name): \($0.value)" },
      byteCount: start.url.utf8.count)
    return start
  }

  private func answered(
    _ start: AppleSignInStart, _ decision: AppleStandIn.Decision
  ) async throws -> HTTPRequestValue {
    let answer = await apple.authorize(start.url, decision: decision)
    guard let callback = answer.callback else { throw DemoTranscript.Unexpected() }
    transcript.message("authorization response", callback)
    return callback
  }

  func signIn() async throws {
    transcript.scene("A first sign-in, with name and address")
    let start = try await begin()
    try transcript.check("a scope asks for form_post", start.url.contains("response_mode=form_post"))
    try transcript.check("a space is %20", start.url.contains("scope=name%20email"))
    let callback = try await answered(start, .approve(user))
    guard case .signedIn(let signIn) = try await client.finish(callback, handle: start.handle, keepingUser: { _ in })
    else {
      throw DemoTranscript.Unexpected()
    }
    try transcript.check("state, both signatures, issuer, audience, times, nonce, c_hash and at_hash hold", true)
    try transcript.check("both identity tokens are about one user", !signIn.identity.subject.isEmpty)
    try transcript.check("the name came with the first sign-in", signIn.user?.givenName == user.givenName)
    try transcript.check(
      "the address is a relay and verified", signIn.identity.isPrivateEmail && signIn.identity.isEmailVerified)
    refreshToken = signIn.tokens.refreshToken ?? ""
    subject = signIn.identity.subject
    let again = await failure { _ = try await self.client.finish(callback, handle: start.handle) { _ in } }
    try transcript.check(
      "the same response a second time is refused: \(again?.code.description ?? "-")", again?.code == .signInUnknown)
  }

  func signInAgain() async throws {
    transcript.scene("The second sign-in")
    let start = try await begin()
    guard
      case .signedIn(let signIn) = try await client.finish(
        answered(start, .approve(user)), handle: start.handle, keepingUser: { _ in })
    else { throw DemoTranscript.Unexpected() }
    try transcript.check("the name does not come again", signIn.user == nil)
    try transcript.check("it is the same user", signIn.identity.subject == subject)
    refreshToken = signIn.tokens.refreshToken ?? ""
  }

  func cancel() async throws {
    transcript.scene("The user presses cancel")
    let start = try await begin([])
    guard
      case .cancelled = try await client.finish(answered(start, .cancel), handle: start.handle, keepingUser: { _ in })
    else {
      throw DemoTranscript.Unexpected()
    }
    try transcript.check("cancelled is an outcome, not an error", true)
  }

  func refusals() async throws {
    transcript.scene("One refusal of each kind")
    func refused(_ what: String, _ code: ErrorCode, _ body: () async throws -> Void) async throws {
      let error = await failure(body)
      try transcript.check("\(what): \(error?.code.description ?? "accepted")", error?.code == code)
    }
    let uri = redirectURI
    try await refused("an address by http", .redirectURIInvalid) {
      _ = try AppleRedirectURI("http://www.example.com/cb")
    }
    try await refused("an address on localhost", .redirectURIInvalid) {
      _ = try AppleRedirectURI("https://localhost/cb")
    }
    try await refused("an IP address", .redirectURIInvalid) { _ = try AppleRedirectURI("https://192.0.2.7/cb") }
    try await refused("a scope without form_post", .scopeNeedsFormPost) {
      _ = try AppleAuthorizationRequest(
        clientID: Self.clientID, redirectURI: uri, scopes: [.name], responseMode: .query)
    }
    try await refused("an identity token by query", .identityTokenForbidsQuery) {
      _ = try AppleAuthorizationRequest(
        clientID: Self.clientID, redirectURI: uri, responseType: .codeAndIdentityToken, responseMode: .query)
    }
    try await refused("a client identifier with the Team ID", .clientIDInvalid) {
      _ = try AppleAuthorizationRequest(clientID: "TEAM123456.com.example.web", redirectURI: uri)
    }
    let start = try await begin()
    var callback = try await answered(start, .approve(user))
    let fields = try callback.form().fields.map { ($0.name, $0.name == "state" ? "forged" : $0.value) }
    callback.body = FormFields(fields).encoded()
    try await refused("a response with a forged state", .stateMismatch) {
      _ = try await self.client.finish(callback, handle: start.handle) { _ in }
    }
    let verifier = AppleIdentityTokenVerifier(audiences: [Self.clientID], service: apple.service, clock: clock)
    let now = clock.now.wholeSeconds
    let good: JSONObject = [
      "iss": .string(apple.service.issuer), "aud": .string(Self.clientID), "sub": "u", "nonce": "n",
      "iat": .number(JSONNumber(now)), "exp": .number(JSONNumber(now + 600)),
    ]
    let forgeries: [(String, String, JSONValue?, ErrorCode)] = [
      ("a token by another issuer", "iss", "https://example.com", .claimMismatch),
      ("a token for another app", "aud", "com.example.other", .claimMismatch),
      ("an expired token", "exp", .number(JSONNumber(now - 61)), .claimExpired),
      ("a token with another nonce", "nonce", "m", .nonceMismatch),
      ("a token without a nonce", "nonce", nil, .nonceMissing),
      ("a token with a foreign c_hash", "c_hash", "AAAA", .claimMismatch),
    ]
    let nonce = try AppleNonce(raw: "n")
    for (what, name, value, code) in forgeries {
      var claims = good
      claims[name] = value
      let token = try JWT.sign(claims, with: serviceKey, type: nil)
      let set = try await keys.keys(for: token)
      try await refused(what, code) {
        _ = try verifier.verify(token, keys: set, nonce: nonce, origin: .nativeApp(code: "code"))
      }
    }
    let stranger = try SigningKey.generate(.es256, keyID: "STANDINKEY")
    let forged = try JWT.sign(good, with: stranger, type: nil)
    let set = try await keys.keys(for: forged)
    try await refused("a token signed by another key", .signatureInvalid) {
      _ = try verifier.verify(forged, keys: set, nonce: nonce, origin: .nativeApp())
    }
  }

  func notify() async throws {
    transcript.scene("Apple tells the server that the user has left")
    let request = try await apple.notification(
      "consent-revoked", of: user, to: registered, url: "https://www.example.com/apple/events")
    transcript.message("notification", request)
    let receiver = AppleNotificationReceiver(
      verifier: AppleNotificationVerifier(audiences: [Self.clientID], service: apple.service, clock: clock),
      keyStore: keys)
    // As identity tokens have it: whole seconds.
    let linked = NumericDate(clock.now.wholeSeconds)
    let new = try await receiver.newNotifications(in: request) { _ in linked }
    try transcript.check("signature, issuer, audience and times hold", new.count == 1)
    try transcript.check("it is about our user", new.first?.event == .consentRevoked && new.first?.subject == subject)
    try transcript.check(
      "a second delivery is acknowledged and ignored",
      try await receiver.newNotifications(in: request) { _ in linked }.isEmpty)
  }

  func revoke() async throws {
    transcript.scene("Refreshing, revoking, refreshing again")
    let refreshed = try await client.refresh(refreshToken)
    try transcript.check("a new access token, the old refresh token", refreshed.tokens.refreshToken == nil)
    try await client.revoke(refreshToken, type: .refreshToken)
    let token = refreshToken
    let error = await failure { _ = try await self.client.refresh(token) }
    try transcript.check("a revoked token is refused: \(error?.name ?? "-")", error?.name == "invalid_grant")
    let recovery = AppleTokenRecovery(after: error, grant: .refreshToken)
    try transcript.check("what to do: \(recovery)", recovery == .signInRevoked)
  }

  private func failure(_ body: () async throws -> Void) async -> JOSEError? {
    do {
      try await body()
      return nil
    } catch {
      return error as? JOSEError
    }
  }
}
