import JOSE
import PlatformSSOKit
import PureCrypto

/// How a Mac registers: what the profile tells its extension.
struct DoctorRegistration: Sendable {
  let url: String
  let token: String?
  /// How the product writes registrations.
  let format: RegistrationFormat
  /// Attests Macs' keys, if the server trusts such an authority.
  var authority: AttestationAuthority?
}

extension DoctorRun {
  private static let registrationSource = "Apple, ASAuthorizationProviderExtensionRegistrationHandler"
  private static let bindingSource = "RFC 6749 §10.4"

  /// Registers a second Mac of the same user, and tries what belongs to the first.
  mutating func secondMac() async {
    guard let registration = subject.registration, !isOutOfTime else { return }
    guard let keys = try? DeviceKeys.generate() else { return }
    let other = PlatformSSODevice(configuration: device.configuration, keys: keys, clock: device.clock)
    let name = UUIDText.random()
    do {
      try await refusedRegistrations(registration)
      guard try await registers(name, keys, registration) else { return }
      if let authority = registration.authority {
        await refusedAttestations(registration, by: authority)
      } else {
        try await awkwardRegistrations(name, keys, registration)
      }
      try await whatIsTheFirstOnes(other)
    } catch {
      record(
        "registration: answered", .wrong, Self.described(error), rule: Self.registrationRule,
        source: Self.registrationSource)
    }
  }

  // MARK: Registration

  private static let registrationRule = "a Mac with the profile's token is registered"

  private func request(
    _ name: String, _ keys: DeviceKeys, _ registration: DoctorRegistration, token: String?
  ) async throws -> HTTPRequestValue {
    if let authority = registration.authority {
      return try await attested(name, keys, token: token, by: authority).httpRequest(to: registration)
    }
    return try DeviceRegistration(deviceID: name, keys: keys, registrationToken: token)
      .httpRequest(to: registration.url, format: registration.format)
  }

  private mutating func refusedRegistrations(_ registration: DoctorRegistration) async throws {
    let keys = try DeviceKeys.generate()
    let name = UUIDText.random()
    let sound = try await request(name, keys, registration, token: registration.token)
    var cases: [(String, HTTPRequestValue, String)] = []
    let isTokenSent = try DeviceRegistration(from: sound, format: registration.format).registrationToken != nil
    if let token = registration.token, isTokenSent {
      let rule = "a registration without the profile's token is refused: else anybody's keys are a Mac's"
      cases.append(("no token", try await request(name, keys, registration, token: nil), rule))
      cases.append(("another token", try await request(name, keys, registration, token: token + "x"), rule))
    }
    let rule = "what is no registration is refused with 400"
    var changed = sound
    changed.body = []
    cases.append(("an empty body", changed, rule))
    changed.body = Array(sound.body.prefix(sound.body.count / 2))
    cases.append(("half a body", changed, rule))
    for (what, request, rule) in cases {
      let answer = try await transport.send(request)
      // A server that counts registrations has not looked at this one.
      let (verdict, observed) =
        answer.status == 429
        ? (.skipped, "too many registrations, 429") : Self.judged(answer, ifAccepted: .wrong, mayAskAgain: true)
      record(
        "registration: \(what)", verdict, observed, rule: rule, source: Self.registrationSource, isMutation: true)
    }
  }

  private mutating func registers(
    _ name: String, _ keys: DeviceKeys, _ registration: DoctorRegistration
  ) async throws -> Bool {
    let sound = try await request(name, keys, registration, token: registration.token)
    let answer = try await transport.send(sound)
    let isRegistered = (200..<300).contains(answer.status)
    // Without an authority, the server may want an attestation that can't be given.
    let isFault = answer.status >= 500 || registration.authority != nil && answer.status != 429
    let ifRefused = isFault ? DoctorFinding.Verdict.wrong : .skipped
    record(
      "registration: answered", isRegistered ? .right : ifRefused,
      isRegistered ? "registered" : "refused, \(answer.status)", rule: Self.registrationRule,
      source: Self.registrationSource)
    guard isRegistered else { return false }
    // An attestation's nonce is used up: who sends again attests again.
    let repeated =
      registration.authority == nil ? sound : try await request(name, keys, registration, token: registration.token)
    let again = try await transport.send(repeated)
    record(
      "registration: the same again", (200..<300).contains(again.status) ? .right : .lenient,
      "\(again.status)", rule: "a registration whose answer was lost comes again, and changes nothing",
      source: Self.registrationSource)
    return true
  }

  private mutating func awkwardRegistrations(
    _ name: String, _ keys: DeviceKeys, _ registration: DoctorRegistration
  ) async throws {
    let others = try await request(name, .generate(), registration, token: registration.token)
    let answer = try await transport.send(others)
    let (verdict, observed) = Self.judged(answer, ifAccepted: .lenient, mayAskAgain: true)
    record(
      "registration: other keys under its name", verdict, observed,
      rule: "a Mac's name keeps its keys, unless the Mac or an administrator agrees: every Mac has the profile's token",
      source: Self.registrationSource, isMutation: true)
    guard (200..<300).contains(answer.status) else { return }
    // The Mac's own keys, for what follows.
    _ = try await transport.send(await request(name, keys, registration, token: registration.token))
  }

  // MARK: What belongs to the first Mac

  private mutating func whatIsTheFirstOnes(_ other: PlatformSSODevice) async throws {
    guard case .password = subject.method, let first = refreshToken, let keys else { return }
    let login = try other.loginRequest(of: subject.user, by: subject.method, nonces: await nonces())
    let answer = try await transport.send(login.httpRequest)
    let own: String
    do throws(JOSEError) {
      own = try other.openLoginResponse(answer, to: login, idTokenKeys: keys).response.refreshToken
    } catch {
      // What is wrong with every login has its row.
      let isKnown = answer.status == 200
      record(
        "second Mac: login", isKnown ? .skipped : .wrong, isKnown ? "as above" : "refused, \(answer.status)",
        rule: "the user logs in on another Mac too", source: Self.answerSource)
      return
    }
    record(
      "second Mac: login", .right, "answered", rule: "the user logs in on another Mac too", source: Self.answerSource)
    if device.configuration.refreshEndpointURL != nil {
      try await stolen(
        "the first one's refresh token", try other.refreshRequest(refreshToken: first, nonces: await nonces()))
      try await isStillLoggedIn()
    }
    guard let context = keyContext, let unlockKey else { return }
    try await stolen(
      "a key by the first one's refresh token",
      try other.keyRequest(of: subject.user, refreshToken: first, nonces: await nonces()))
    try await exchange(by: other, own, context, unlockKey)
  }

  private mutating func stolen(_ what: String, _ request: DeviceRequest) async throws {
    let (verdict, observed) = Self.judged(
      try await transport.send(request.httpRequest), ifAccepted: .wrong, mayAskAgain: true)
    record(
      "second Mac: \(what)", verdict, observed, rule: "a refresh token is good on the Mac that it was given to",
      source: Self.bindingSource, cause: "another Mac's refresh token", isMutation: true)
  }

  /// A login elsewhere, and a token that was tried there, end nothing here.
  private mutating func isStillLoggedIn() async throws {
    let asked = try made(.refresh, nonces: await nonces())
    let answer = try await transport.send(asked.request.httpRequest)
    let isAnswered = answer.status == 200
    if isAnswered { _ = open(answer, to: asked) }
    record(
      "second Mac: the first one stays logged in", isAnswered ? .right : .wrong,
      isAnswered ? "refreshed" : "refused, \(answer.status)",
      rule: "each Mac has a login of its own, and neither ends the other's", source: Self.bindingSource)
  }

  private mutating func exchange(
    by other: PlatformSSODevice, _ token: String, _ context: String, _ unlockKey: [UInt8]
  ) async throws {
    let key = P256AgreementPrivateKey()
    let request = try other.keyRequest(
      of: subject.user, refreshToken: token, otherPublicKey: key.publicKey.x963Representation, keyContext: context,
      nonces: await nonces())
    let answer = try await transport.send(request.httpRequest)
    let name = "second Mac: the first one's key context"
    let rule = "an unlock key is of one user on one Mac: another Mac's context opens nothing"
    guard answer.status == 200, let secret = try? other.openKeyExchangeResponse(answer, to: request).key,
      let first = try? key.sharedSecret(with: P256AgreementPublicKey(x963Representation: unlockKey))
    else {
      let (verdict, observed) = Self.judged(answer, ifAccepted: .lenient, mayAskAgain: true)
      return record(name, verdict, observed, rule: rule, source: Self.answerSource, isMutation: true)
    }
    let isFirstOnes = first.isSame(as: secret)
    record(
      name, isFirstOnes ? .wrong : .lenient, isFirstOnes ? "the first one's secret" : "answered with another secret",
      rule: rule, source: Self.answerSource, isMutation: true)
  }
}
