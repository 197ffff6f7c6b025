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
  /// The Mac's profile, if it was given.
  var profile: ExtensibleSSOProfile?
  /// How another Mac registers, if the profile says so.
  var registration: DoctorRegistration?

  var hasPassword: Bool {
    if case .password = method { return device.configuration.loginRequestEncryptionPublicKey == nil }
    return false
  }
}

/// Examines a server: a Mac's whole day, then every mutation and every quirk of each request.
struct DoctorRun {
  /// What is examined.
  struct Extent: Sendable {
    /// Whether only what decides most is tried: the login, and what an attacker would send.
    var isQuick = false
    /// How long to wait for a server nonce to age; nil for not at all.
    var patience: Duration?
    /// How long it may take; what is left then is not run.
    var timeLimit = Duration.seconds(900)
  }

  let subject: DoctorSubject
  let transport: WatchedTransport
  let extent: Extent
  var report = DoctorReport()
  var keys: JWKSet?
  var refreshToken: String?
  var keyContext: String?
  var unlockKey: [UInt8]?
  /// What the answers opened so far have said of the user and the login.
  var seen = SeenTokens()
  /// The answers to a wrong password and to an unknown user.
  var refusals: [String: HTTPResponseValue] = [:]
  /// What has a row already, and is not told again by each of the requests that follow.
  var knownFaults: Set<DoctorAnswer.Fault> = []
  /// What is wrong with the login's ID token, which a refresh's need not say again.
  var loginIDTokenFault: String?
  /// Looks at each finding as it is made.
  var progress: @Sendable (DoctorFinding) -> Void = { _ in }
  private let begin = ContinuousClock.now

  var device: PlatformSSODevice { subject.device }

  init(subject: DoctorSubject, transport: any DoctorTransport, extent: Extent = Extent()) {
    self.subject = subject
    self.transport = WatchedTransport(transport, secrets: subject.secrets)
    self.extent = extent
  }

  /// Everything, in the order of a Mac's day.
  mutating func examine() async throws(CommandFailure) -> DoctorReport {
    await transportSecurity()
    await discovery()
    let aged = try await serverNonces()
    for kind in DeviceRequest.Message.ofADay {
      let isAnswered = try await baseline(kind)
      if isAnswered { try await replay(kind) }
      let mutations = mutations(of: kind)
      let quirks = extent.isQuick ? [] : DoctorQuirks.of(kind)
      guard isAnswered else {
        let last = report.findings.last
        guard last?.observed != Self.notConfigured else { continue }
        let reason = last?.verdict == .skipped ? Self.noLogin : "\(Self.name(kind)) is not answered"
        for name in mutations.map(\.name) + quirks.map(\.name) {
          record("\(Self.name(kind)): \(name)", .skipped, reason, rule: Self.answerRule, source: Self.answerSource)
        }
        continue
      }
      await mutate(kind, mutations)
      await send(kind, quirks)
      if kind == .login { recordRefusals() }
      if kind == .refresh { await rotation() }
      if kind == .keyExchange { await awkwardExchanges() }
    }
    await concurrency()
    await browserLogin()
    await secondMac()
    recordSeenTokens()
    await age(aged)
    recordErrorTexts()
    return report
  }

  /// What is tried with a kind of request.
  func mutations(of kind: DeviceRequest.Message) -> [DoctorMutation] {
    let particular = DoctorMutations.particular(kind, hasPassword: subject.hasPassword)
    let assertions = kind == .login ? DoctorMutations.assertions(of: subject) : []
    guard extent.isQuick else { return DoctorMutations.common(kind) + particular + assertions }
    let common = kind == .login ? DoctorMutations.common(kind) : []
    return (common + particular + assertions).filter { $0.ifAccepted == .wrong }
  }

  /// How many checks there are, about.
  var expectedCount: Int {
    let attestationCount = subject.registration?.authority == nil ? 0 : AttestationMutation.all.count + 3
    return DeviceRequest.Message.ofADay.reduce(40 + attestationCount) { count, kind in
      count + mutations(of: kind).count + (extent.isQuick ? 0 : DoctorQuirks.of(kind).count)
    }
  }

  var isOutOfTime: Bool { ContinuousClock.now - begin > extent.timeLimit }

  mutating func record(
    _ name: String, _ verdict: DoctorFinding.Verdict, _ observed: String, rule: String, source: String,
    cause: String? = nil, isMutation: Bool = false
  ) {
    let finding = DoctorFinding(
      // A server's text may be in it.
      name: name, verdict: verdict, observed: Visible.text(observed, length: 120), rule: rule, source: source,
      cause: cause ?? Self.cause(of: name), isMutation: isMutation)
    report.append(finding)
    progress(finding)
  }

  /// What is looked at, whichever request it is looked at in.
  private static func cause(of name: String) -> String {
    let part = name.prefix { $0 != ":" }
    return part.count == name.count ? name : String(name.dropFirst(part.count + 2))
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

  /// Asks for several at once.
  private func nonces(_ count: Int) async -> [Result<RequestNonces, any Error>] {
    let requests = (0..<count).map { _ in device.serverNonceRequest() }
    return zip(requests, await transport.send(requests)).map { request, answer in
      Result { try device.requestNonces(from: answer.get(), to: request) }
    }
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

  /// How many requests one program sends.
  private static let seriesLength = 16

  private mutating func mutate(_ kind: DeviceRequest.Message, _ mutations: [DoctorMutation]) async {
    for some in mutations.inParts(of: Self.seriesLength) {
      guard !isOutOfTime else {
        for mutation in some { record(kind, mutation, .skipped, "out of time") }
        continue
      }
      var sent: [(mutation: DoctorMutation, made: DeviceRequest, request: HTTPRequestValue)] = []
      for (mutation, nonces) in zip(some, await nonces(some.count)) {
        do {
          let made = try made(kind, nonces: nonces.get()).request
          var draft = try SignedDraft(made, of: subject)
          mutation.apply(&draft)
          sent.append((mutation, made, try draft.httpRequest()))
        } catch {
          record(kind, mutation, .wrong, Self.described(error))
        }
      }
      for (one, answer) in zip(sent, await transport.send(sent.map(\.request))) {
        switch answer {
        case .success(let response):
          let (verdict, observed) = judged(response, to: one.made, one.mutation)
          record(kind, one.mutation, verdict, observed)
          if one.mutation.isCredential { refusals[one.mutation.name] = response }
        case .failure(let error): record(kind, one.mutation, .wrong, Self.described(error))
        }
      }
    }
  }

  private mutating func record(
    _ kind: DeviceRequest.Message, _ mutation: DoctorMutation, _ verdict: DoctorFinding.Verdict, _ observed: String
  ) {
    record(
      "\(Self.name(kind)): \(mutation.name)", verdict, observed, rule: mutation.rule, source: mutation.source,
      cause: mutation.cause, isMutation: true)
  }

  /// What the answer to a changed request means.
  private func judged(
    _ response: HTTPResponseValue, to made: DeviceRequest, _ mutation: DoctorMutation
  ) -> (DoctorFinding.Verdict, String) {
    let asksUser = device.asksUser(by: response, to: made)
    guard mutation.mustAskAgain, (400..<500).contains(response.status) else {
      return Self.judged(
        response, ifAccepted: mutation.ifAccepted, mayAskAgain: mutation.mayAskAgain, asksUser: asksUser)
    }
    // Who counts guesses asks for none until a while has passed.
    guard !asksUser, response.status != 429 else { return (.right, "refused, \(response.status)") }
    // What the extension's predicate takes stands in no profile.
    let mayBeTaken =
      response.status == 400 && device.configuration.isInvalidCredential == nil
      && (try? JSONObject(parsing: response.body)) != nil
    return mayBeTaken
      ? (.lenient, "refused, 400: the Mac asks again only if invalidCredentialPredicate takes this answer")
      : (.wrong, "refused, \(response.status): the Mac asks for no other password")
  }

  static func judged(
    _ response: HTTPResponseValue, ifAccepted: DoctorFinding.Verdict, mayAskAgain: Bool, asksUser: Bool? = nil
  ) -> (DoctorFinding.Verdict, String) {
    switch response.status {
    case 200..<300 where response.body.isEmpty: (.wrong, "\(response.status) and nothing in it")
    case 200..<300: (ifAccepted, "accepted, \(response.status)")
    case 300..<400: (.wrong, "redirected, \(response.status)")
    case 400..<500 where !mayAskAgain && asksUser ?? (response.status == 401):
      (.lenient, "\(response.status): the Mac asks the user")
    case 400..<500: (.right, "refused, \(response.status)")
    default: (.wrong, "failed, \(response.status)")
    }
  }

  private mutating func send(_ kind: DeviceRequest.Message, _ quirks: [DoctorQuirk]) async {
    for some in quirks.inParts(of: Self.seriesLength) {
      for (quirk, nonces) in zip(some, await nonces(some.count)) {
        guard !isOutOfTime else {
          record(kind, quirk, .skipped, "out of time")
          continue
        }
        await send(kind, quirk, nonces)
      }
    }
  }

  // One after the other: each answer may have the refresh token or the key context of the next request.
  private mutating func send(
    _ kind: DeviceRequest.Message, _ quirk: DoctorQuirk, _ nonces: Result<RequestNonces, any Error>
  ) async {
    do {
      let asked = try made(kind, nonces: nonces.get())
      var draft = try SignedDraft(asked.request, of: subject)
      quirk.apply(&draft)
      let response = try await transport.send(draft.httpRequest())
      guard response.status == 200 else {
        return record(kind, quirk, response.status >= 500 ? .wrong : quirk.ifRefused, "refused, \(response.status)")
      }
      let fault = newFault(in: open(response, to: asked), of: kind)
      record(kind, quirk, fault == nil ? .right : .wrong, fault ?? "accepted")
    } catch {
      record(kind, quirk, .wrong, Self.described(error))
    }
  }

  private mutating func record(
    _ kind: DeviceRequest.Message, _ quirk: DoctorQuirk, _ verdict: DoctorFinding.Verdict, _ observed: String
  ) {
    record("\(Self.name(kind)): \(quirk.name)", verdict, observed, rule: quirk.rule, source: quirk.source)
  }

  static func described(_ error: any Error) -> String {
    switch error {
    case let error as JOSEError: "\(error.code)\(error.name.map { "(\($0))" } ?? ""), \(error.reason)"
    case CommandFailure.invalid(let text), CommandFailure.usage(let text): text
    default: "\(type(of: error))"
    }
  }
}

extension DeviceRequest.Message {
  /// The kinds of a Mac's day, each of which needs what those before it have brought.
  static var ofADay: [Self] { [.login, .refresh, .key, .keyExchange] }
}

extension Array {
  /// The elements in order, a number of them at a time.
  fileprivate func inParts(of length: Int) -> [ArraySlice<Element>] {
    stride(from: 0, to: count, by: length).map { self[$0..<Swift.min($0 + length, count)] }
  }
}
