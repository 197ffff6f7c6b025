import JOSE
import StrictJSON
import Testing

@testable import PlatformSSOKit
@testable import PureJOSECommand

/// A server whose answers say something else: they are opened with the Mac's key, changed, and sealed again.
struct RewritingServer: DoctorTransport {
  let base: OwnProvider
  let device: PlatformSSODevice
  /// The response's `typ`, if it is not the right one.
  var type: String?
  let change: @Sendable (DeviceRequest.Message, inout JSONObject) throws -> Void

  func send(_ request: HTTPRequestValue) async throws(CommandFailure) -> HTTPResponseValue {
    let response = try await base.send(request)
    guard response.status == 200, let asked = try? device.sentRequest(request) else { return response }
    return try attempt {
      var changed = response
      var members = try device.unjudgedMembers(response, to: asked).members
      try change(asked.message, &members)
      let isKey = asked.message == .key || asked.message == .keyExchange
      let type = isKey ? MessageType.keyResponse : .loginResponse
      changed.body = Array(
        try JWE.encrypt(
          members.serialized(),
          to: RegisteredKey(x963Representation: device.keys.encryptionKeyX963Representation).recipient,
          contentEncryption: .a256gcm, header: HeaderParameters(type: self.type ?? type.name),
          agreementPartyUInfo: .madeFromEphemeralKey { PartyUInfo.octets(ephemeralKeyX963Representation: $0) },
          agreementPartyVInfo: .octets(asked.agreementPartyVInfo.octets)
        ).utf8)
      return changed
    }
  }
}

/// Answers in which one thing is wrong, planted in the package's own provider.
@Suite("jose psso doctor, faults of answers")
struct DoctorFaultTests {
  private func report(
    _ change: @escaping @Sendable (DeviceRequest.Message, inout JSONObject) throws -> Void
  ) async throws -> DoctorReport {
    let (provider, subject) = try await OwnProvider.make(clock: .standing)
    var run = DoctorRun(
      subject: subject, transport: RewritingServer(base: provider, device: subject.device, change: change))
    return try await run.examine()
  }

  /// A report on a server whose ID tokens have other claims.
  private func report(changing name: String, to value: JSONValue?) async throws -> DoctorReport {
    let (provider, subject) = try await OwnProvider.make(clock: .standing)
    let key = provider.provider.idTokenKey
    let server = RewritingServer(base: provider, device: subject.device) { _, members in
      guard let token = members["id_token"]?.stringValue else { return }
      guard var claims = try UnverifiedJWS(parsing: token).unverifiedClaims else { return }
      claims[name] = value
      members["id_token"] = .string(try JWT.sign(claims, with: key))
    }
    var run = DoctorRun(subject: subject, transport: server)
    return try await run.examine()
  }

  private func names(_ report: DoctorReport, _ verdict: DoctorFinding.Verdict) -> [String] {
    report.findings.filter { $0.verdict == verdict }.map(\.name)
  }

  @Test(
    "An ID token that Macs take and strict clients refuse is one lenient row, and nothing is left out",
    arguments: [
      ("aud", ["psso", "account"]), ("sub", "josé"), ("amr", "pwd"), ("acr", 1), ("sid", 1), ("auth_time", "now"),
      ("at_hash", 1),
    ] as [(String, JSONValue)])
  func lenientIDTokens(_ name: String, _ value: JSONValue) async throws {
    let report = try await report(changing: name, to: value)
    // Answers to requests in another form are not rewritten here, so that their user is another.
    #expect(names(report, .wrong) == (name == "sub" ? ["tokens: one user"] : []))
    #expect(names(report, .lenient) == ["login: ID token"])
    #expect(names(report, .skipped) == ["refresh: ID token"])
    #expect(report.findings.first { $0.name == "login: ID token" }?.observed.contains("(\(name))") == true)
    #expect(report.mutationCount >= 180)
  }

  @Test(
    "An ID token that Macs refuse is one wrong row, and everything else is looked at",
    arguments: [("nonce", nil), ("iss", "https://other.example.com"), ("azp", "other"), ("exp", 1)]
      as [(String, JSONValue?)])
  func wrongIDTokens(_ name: String, _ value: JSONValue?) async throws {
    let report = try await report(changing: name, to: value)
    #expect(names(report, .wrong) == ["login: ID token"])
    #expect(names(report, .lenient) == [] && names(report, .skipped) == ["refresh: ID token"])
    let sound = try await self.report { _, _ in }
    // How long it lives is not said of one that is refused.
    let names = sound.findings.map(\.name).filter { !$0.hasSuffix(": life of the ID token") }
    #expect(report.findings.map(\.name) == names)
  }

  @Test("An answer without a member that Macs need is a row for its kind, and the refresh token in it is used")
  func incompleteAnswers() async throws {
    let login = try await report { message, members in
      if message == .login { (members["refresh_token_expires_in"], members["expires_in"]) = (nil, nil) }
    }
    #expect(names(login, .wrong) == ["login: answered"] && names(login, .skipped) == [])
    let key = try await report { message, members in
      if message == .key || message == .keyExchange { members["exp"] = nil }
    }
    #expect(names(key, .wrong) == ["key: answered", "exchange: answered"])
    #expect(key.findings.first { $0.name == "exchange: secret" }?.verdict == .right)
  }

  @Test("A key exchange that is answered with any 32 octets is found out, by one row")
  func randomSecrets() async throws {
    let report = try await report { message, members in
      guard message == .keyExchange else { return }
      let octets = (0..<32).map { _ in UInt8.random(in: 0...255) }
      members["key"] = .string(Base64.encode(octets))
    }
    #expect(names(report, .wrong) == ["exchange: secret"])
    #expect(report.findings.first { $0.name == "exchange: secret" }?.observed == "not the certificate's")
  }

  @Test("A secret that is wrong for some public keys alone is found out, whichever exchange meets it")
  func someSecrets() async throws {
    let report = try await report { message, members in
      guard message == .keyExchange, let key = members["key"]?.stringValue else { return }
      // As a server does that writes a number and not octets.
      members["key"] = .string(Base64.encode(Array(try Base64.decode(key).drop { $0 == 0 })))
    }
    let wrong = names(report, .wrong)
    #expect(wrong.count == 1 && wrong.allSatisfy { $0.hasPrefix("exchange: ") }, "\(wrong)")
  }
}
