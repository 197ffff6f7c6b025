import JOSE
import PlatformSSOKit
import PureCrypto

/// The Mac that the doctor plays.
struct DoctorSubject: Sendable {
  var device: PlatformSSODevice
  let signingKey: SigningKey
  let user: UserLoginConfiguration
  let method: LoginMethod
  /// The provider's keys, if they are known otherwise than from its address.
  let idTokenKeys: JWKSet?

  var hasPassword: Bool {
    if case .password = method { return device.configuration.loginRequestEncryptionPublicKey == nil }
    return false
  }
}

/// Examines a server: a Mac's whole day, then every mutation and every quirk of each request.
struct DoctorRun {
  let subject: DoctorSubject
  let transport: any DoctorTransport
  var report = DoctorReport()
  var keys: JWKSet?
  var refreshToken: String?
  var keyContext: String?
  var unlockKey: [UInt8]?
  /// What has a row already, and is not told again by each of the requests that follow.
  var knownFaults: Set<DoctorAnswer.Fault> = []
  /// What is wrong with the login's ID token, which a refresh's need not say again.
  var loginIDTokenFault: String?
  /// Looks at each finding as it is made.
  var progress: @Sendable (DoctorFinding) -> Void = { _ in }

  var device: PlatformSSODevice { subject.device }

  init(subject: DoctorSubject, transport: any DoctorTransport) {
    self.subject = subject
    self.transport = transport
  }

  /// Everything, in the order of a Mac's day.
  mutating func examine() async throws(CommandFailure) -> DoctorReport {
    await discovery()
    try await serverNonces()
    for kind in [DeviceRequest.Message.login, .refresh, .key, .keyExchange] {
      guard try await baseline(kind) else { continue }
      try await replay(kind)
      for mutation in DoctorMutations.common(kind)
        + DoctorMutations.particular(kind, hasPassword: subject.hasPassword)
        + (kind == .login ? DoctorMutations.assertions(of: subject) : [])
      {
        await mutate(kind, mutation)
      }
      for quirk in DoctorQuirks.of(kind) { await send(kind, quirk) }
      if kind == .keyExchange { await awkwardExchanges() }
    }
    await concurrency()
    return report
  }

  mutating func record(
    _ name: String, _ verdict: DoctorFinding.Verdict, _ observed: String, rule: String, source: String,
    isMutation: Bool = false
  ) {
    let finding = DoctorFinding(
      // A server's text may be in it.
      name: name, verdict: verdict, observed: Visible.text(observed, length: 120), rule: rule, source: source,
      isMutation: isMutation)
    report.append(finding)
    progress(finding)
  }

  static func name(_ kind: DeviceRequest.Message) -> String {
    switch kind {
    case .login: "login"
    case .refresh: "refresh"
    case .key: "key"
    case .keyExchange: "exchange"
    }
  }

  // MARK: Requests

  /// Asks for a server nonce.
  func nonces() async throws -> RequestNonces {
    let request = device.serverNonceRequest()
    return try device.requestNonces(from: await transport.send(request), to: request)
  }

  /// A request as it should be.
  ///
  /// - Parameter exchangeKey: whose public half a key exchange request has, and no other request.
  func made(
    _ kind: DeviceRequest.Message, nonces: RequestNonces,
    exchangeKey: P256AgreementPrivateKey = P256AgreementPrivateKey()
  ) throws -> DoctorRequest {
    let token = refreshToken ?? ""
    let request: DeviceRequest
    switch kind {
    case .login: request = try device.loginRequest(of: subject.user, by: subject.method, nonces: nonces)
    case .refresh: request = try device.refreshRequest(refreshToken: token, nonces: nonces)
    case .key: request = try device.keyRequest(of: subject.user, refreshToken: token, nonces: nonces)
    case .keyExchange:
      request = try device.keyRequest(
        of: subject.user, refreshToken: token, otherPublicKey: exchangeKey.publicKey.x963Representation,
        keyContext: keyContext, nonces: nonces)
    }
    return DoctorRequest(request: request, exchangeKey: exchangeKey)
  }

  // MARK: Mutations and quirks

  private mutating func mutate(_ kind: DeviceRequest.Message, _ mutation: DoctorMutation) async {
    let name = "\(Self.name(kind)): \(mutation.name)"
    do {
      var draft = try SignedDraft(made(kind, nonces: await nonces()).request, of: subject)
      mutation.apply(&draft)
      let response = try await transport.send(draft.httpRequest())
      let (verdict, observed) = Self.judged(
        response, ifAccepted: mutation.ifAccepted, mayAskAgain: mutation.mayAskAgain)
      record(name, verdict, observed, rule: mutation.rule, source: mutation.source, isMutation: true)
    } catch {
      record(name, .wrong, Self.described(error), rule: mutation.rule, source: mutation.source, isMutation: true)
    }
  }

  /// What the answer to a changed request means.
  static func judged(
    _ response: HTTPResponseValue, ifAccepted: DoctorFinding.Verdict, mayAskAgain: Bool
  ) -> (DoctorFinding.Verdict, String) {
    switch response.status {
    case 200..<300 where response.body.isEmpty: (.wrong, "\(response.status) and nothing in it")
    case 200..<300: (ifAccepted, "accepted, \(response.status)")
    case 300..<400: (.wrong, "redirected, \(response.status)")
    case 401 where !mayAskAgain: (.lenient, "401: the Mac asks the user")
    case 400..<500: (.right, "refused, \(response.status)")
    default: (.wrong, "failed, \(response.status)")
    }
  }

  private mutating func send(_ kind: DeviceRequest.Message, _ quirk: DoctorQuirk) async {
    let name = "\(Self.name(kind)): \(quirk.name)"
    do {
      let asked = try made(kind, nonces: await nonces())
      var draft = try SignedDraft(asked.request, of: subject)
      quirk.apply(&draft)
      let response = try await transport.send(draft.httpRequest())
      guard response.status == 200 else {
        let verdict = response.status >= 500 ? .wrong : quirk.ifRefused
        return record(name, verdict, "refused, \(response.status)", rule: quirk.rule, source: quirk.source)
      }
      if let fault = newFault(in: open(response, to: asked), of: kind) {
        return record(name, .wrong, fault, rule: quirk.rule, source: quirk.source)
      }
      record(name, .right, "accepted", rule: quirk.rule, source: quirk.source)
    } catch {
      record(name, .wrong, Self.described(error), rule: quirk.rule, source: quirk.source)
    }
  }

  static func described(_ error: any Error) -> String {
    switch error {
    case let error as JOSEError: "\(error.code)\(error.name.map { "(\($0))" } ?? "")"
    case CommandFailure.invalid(let text), CommandFailure.usage(let text): text
    default: "\(type(of: error))"
    }
  }
}
