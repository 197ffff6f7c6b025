import JOSE
import PlatformSSOKit

/// A Mac and an identity provider in one process: every message of the protocol, shown and checked on both sides.
struct PlatformSSODemo {
  let console: Console
  let isVerbose: Bool

  func run() async throws(CommandFailure) {
    let steps = DemoSteps(
      console: console, title: "Platform SSO: a Mac and its identity provider", isVerbose: isVerbose)
    let parties: PlatformSSODemoParties
    do {
      parties = try await PlatformSSODemoParties()
    } catch {
      throw .invalid("the demonstration could not be set up")
    }
    var script = PlatformSSODemoScript(parties: parties, steps: steps)
    try await script.logins()
    try await script.browser()
    try await script.refresh()
    try await script.keys()
    try await script.refusals()
    script.steps.finish()
  }
}

/// What the scenes of the demonstration have in common.
struct PlatformSSODemoScript {
  let parties: PlatformSSODemoParties
  var steps: DemoSteps
  /// The last refresh token that the Mac was given.
  var refreshToken = ""
  /// The one before, which is good no more.
  var replacedToken = ""

  init(parties: PlatformSSODemoParties, steps: DemoSteps) {
    self.parties = parties
    self.steps = steps
  }

  var provider: IdentityProvider { parties.provider }

  /// Asks for a server nonce and gives one: both messages.
  mutating func nonces(_ device: PlatformSSODevice) async throws(CommandFailure) -> RequestNonces {
    let request = try await steps.step("server nonce request", of: "server nonce", byteCount: { $0.body.count }) {
      device.serverNonceRequest()
    }
    show(request)
    let provider = provider
    let response = try await steps.step("server nonce response", of: "server nonce", byteCount: { $0.body.count }) {
      try provider.serverNonceResponse(to: request)
    }
    show(response)
    let nonces = try attempt { try device.requestNonces(from: response, to: request) }
    try steps.check(
      "the nonce needs no database: it is authenticated and expires", as: "authentic, expires",
      !nonces.serverNonce.isEmpty)
    return nonces
  }

  /// Shows a signed request that the Mac has just built, and checks what the Mac itself can.
  mutating func built(_ request: DeviceRequest, _ device: PlatformSSODevice) throws(CommandFailure) {
    show(request.httpRequest)
    steps.show(token: request.assertion)
    try steps.check(
      "signed with the device's key",
      (try? JWS.verify(request.assertion, with: device.keys.signingVerificationKey)) != nil)
    try steps.check(
      "another process of the Mac could go on from here",
      (try? device.sentRequest(request.httpRequest))?.agreementPartyVInfo == request.agreementPartyVInfo)
  }

  /// Checks what the provider found in a signed request.
  mutating func checked(_ verified: VerifiedRequest, _ request: DeviceRequest) throws(CommandFailure) {
    try steps.check(
      "signed by the registered device \(verified.device.id)", as: "signature",
      verified.signingKey.keyID == parties.device.keys.signingKeyID)
    try steps.check(
      "the server nonce is the provider's, fresh, unused, and bound to client-request-id", as: "nonce",
      verified.serverNonce == request.nonces.serverNonce)
    try steps.check(
      "iss, aud, iat, exp and nonce are right", as: "claims", verified.clientNonce == request.nonces.clientNonce)
    try steps.check(
      "apv names the registered encryption key and the request's nonce", as: "apv",
      verified.encryptionKey.keyID == parties.device.keys.encryptionKeyID)
  }

  /// Shows an encrypted response, and what only the Mac can read of it.
  mutating func answered(_ response: HTTPResponseValue) throws(CommandFailure) {
    show(response)
    let token = String(decoding: response.body, as: UTF8.self)
    steps.show(token: token)
    if let opened = try? JWE.decrypt(token, with: parties.deviceEncryptionKey, contentEncryption: [.a256gcm]),
      let body = try? JSONObject(parsing: opened.plaintext)
    {
      steps.show("encrypted inside", body)
    }
    try steps.check(
      "no other key opens it", as: "encrypted",
      (try? JWE.decrypt(token, with: .generateForKeyAgreement(), contentEncryption: [.a256gcm])) == nil)
  }

  /// Answers with tokens, and opens the answer: both messages.
  mutating func exchangeTokens(
    to request: DeviceRequest, _ device: PlatformSSODevice,
    _ respond: @Sendable (String) throws(JOSEError) -> HTTPResponseValue
  ) async throws(CommandFailure) {
    let newToken = try await parties.refreshToken()
    let response = try await steps.step("login response", of: "login response", byteCount: { $0.body.count }) {
      try respond(newToken)
    }
    try answered(response)
    let keys = parties.idTokenKeys
    let opened = try await steps.step(
      "login response, opened", of: "login response", isReceived: true, byteCount: { _ in response.body.count }
    ) {
      try device.openLoginResponse(response, to: request, idTokenKeys: keys)
    }
    steps.show("id_token", opened.idToken.claims)
    try steps.check(
      "apu names the ephemeral key; opened with the Mac's own apv", as: "apu", opened.header["apu"] != nil)
    try steps.check(
      "id_token: signature, iss, aud, nonce and times are right", as: "ID token", opened.uniqueIdentifier == "5b1f8c3e")
    try steps.check(
      "a new refresh token, good for 8 hours", as: "refresh token", opened.response.refreshToken == newToken)
    (replacedToken, refreshToken) = (refreshToken, opened.response.refreshToken)
  }

  func show(_ request: HTTPRequestValue) {
    steps.show("Mac → provider  \(request.method) \(request.url)")
    for (name, value) in request.headers.fields { steps.show("\(name): \(value)") }
    let fields = (try? request.form(acceptsDuplicates: true))?.fields ?? []
    for (name, value) in fields where value.utf8.count < 100 { steps.show("\(name)=\(value)") }
  }

  func show(_ response: HTTPResponseValue) {
    steps.show("provider → Mac  \(response.status) \(response.headers.values("Content-Type").first ?? "")")
    if let body = try? JSONObject(parsing: response.body) { steps.show("body", body) }
  }
}

/// The tokens that the provider of the demonstration gives.
extension LoginResponse {
  static func demo(_ idToken: String, _ refreshToken: String) -> LoginResponse {
    LoginResponse(idToken: idToken, refreshToken: refreshToken, refreshTokenExpiresIn: .seconds(28_800))
  }
}
