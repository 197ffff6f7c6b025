import JOSE
import PlatformSSOKit
import StrictJSON
import Testing

@testable import PureJOSECommand

@Suite("jose psso doctor")
struct DoctorTests {
  /// A server that answers as another one does, but for what the test changes.
  private struct ChangedServer: DoctorTransport {
    let base: OwnProvider
    let change: @Sendable (HTTPRequestValue, HTTPResponseValue) -> HTTPResponseValue

    func send(_ request: HTTPRequestValue) async throws(CommandFailure) -> HTTPResponseValue {
      change(request, try await base.send(request))
    }
  }

  private func report(
    _ login: OwnProvider.Login = .password,
    _ change: @escaping @Sendable (HTTPRequestValue, HTTPResponseValue) -> HTTPResponseValue = { $1 }
  ) async throws -> DoctorReport {
    let (provider, subject) = try await OwnProvider.make(login, clock: .standing)
    var run = DoctorRun(subject: subject, transport: ChangedServer(base: provider, change: change))
    return try await run.examine()
  }

  @Test(
    "The package's own provider is right in every check, however the user logs in, and more than 180 mutations are tried",
    arguments: OwnProvider.Login.allCases)
  func ownProvider(_ login: OwnProvider.Login) async throws {
    let report = try await report(login)
    #expect(report.findings.contains { $0.name.hasPrefix("login: assertion: ") } == (login != .password))
    for finding in report.findings where finding.verdict != .right {
      Issue.record("\(finding.name): \(finding.verdict), \(finding.observed)")
    }
    #expect(report.mutationCount >= 180)
    #expect(Set(report.findings.map(\.name)).count == report.findings.count)
    #expect(report.findings.allSatisfy { !$0.rule.isEmpty && !$0.source.isEmpty })
  }

  @Test("A server that answers every fault with 200 and nothing is wrong in every mutation")
  func emptyAnswers() async throws {
    let report = try await report { _, response in
      response.status < 400 ? response : HTTPResponseValue(status: 200)
    }
    #expect(report.findings.allSatisfy { !$0.isMutation || $0.verdict == .wrong })
  }

  @Test("A server that fails by 500 is wrong, one that says 401 to everything lenient where no credential is wrong")
  func statuses() async throws {
    let failing = try await report { _, response in
      response.status < 400 ? response : HTTPResponseValue(status: 500)
    }
    #expect(failing.findings.allSatisfy { !$0.isMutation || $0.verdict == .wrong })
    let asking = try await report { _, response in
      response.status < 400 ? response : HTTPResponseValue(status: 401)
    }
    #expect(asking.count(.wrong) == 0 && asking.count(.lenient) > 100)
    #expect(asking.findings.first { $0.name == "login: password wrong" }?.verdict == .right)
  }

  @Test(
    "Faults of answers are found: media type, a redirect, a key set without keys, an association file without applications"
  )
  func answers() async throws {
    let report = try await report { request, response in
      var changed = response
      if request.url.hasSuffix("apple-app-site-association") { changed.body = Array("{}".utf8) }
      if request.method == "POST", response.status == 200 { try? changed.headers.set("Content-Type", "text/plain") }
      if request.method == "POST", response.status == 405 { changed.status = 302 }
      return changed
    }
    func verdict(_ name: String) -> DoctorFinding.Verdict? { report.findings.first { $0.name == name }?.verdict }
    #expect(verdict("association file") == .wrong)
    for kind in ["login", "refresh", "key", "exchange"] { #expect(verdict("\(kind): media type") == .lenient) }
    let keyless = try await self.report { request, response in
      request.url.hasSuffix("/jwks") ? HTTPResponseValue(status: 200, body: Array(#"{"keys":[]}"#.utf8)) : response
    }
    #expect(keyless.findings.first { $0.name == "key set" }?.verdict == .wrong)
    #expect(keyless.findings.first { $0.name == "login: ID token" }?.verdict == .wrong)
    #expect(keyless.findings.first { $0.name == "exchange: secret" }?.verdict == .right)
    // A key that is nobody's business here is no fault.
    let wider = try await self.report { request, response in
      guard request.url.hasSuffix("/jwks") else { return response }
      var changed = response
      let text = String(decoding: response.body, as: UTF8.self)
      changed.body = Array(text.replacing("\"keys\":[", with: #""keys":[{"kty":"XYZ","kid":"x"},"#).utf8)
      return changed
    }
    #expect(wider.findings.first { $0.name == "key set" }?.verdict == .right)
    #expect(wider.findings.first { $0.name == "login: ID token" }?.verdict == .right)
  }

  @Test("A server that looks at no assertion but for its signature or its password is found out")
  func carelessAboutAssertions() async throws {
    for login in [OwnProvider.Login.userKey, .encryptedPassword] {
      let (own, subject) = try await OwnProvider.make(login, clock: .standing)
      var provider = own
      provider.provider.configuration.optionalAssertionClaims = ["aud", "scope"]
      provider.provider.configuration.assertionAudiences = { _ in ["psso", "https://other.example"] }
      var run = DoctorRun(subject: subject, transport: provider)
      let report = try await run.examine()
      let verdict = report.findings.first { $0.name == "login: assertion: aud of another provider" }?.verdict
      #expect(verdict == (login == .userKey ? .wrong : .lenient))
      let apv = report.findings.first { $0.name == "login: assertion: apv of another nonce" }?.verdict
      #expect(apv == (login == .userKey ? nil : .right))
      let signed = report.findings.filter { $0.name == "login: assertion: signed by another key" }
      #expect(signed.allSatisfy { $0.verdict == .right })
    }
  }

  @Test("A server without nonces is given up at once")
  func noNonces() async throws {
    await #expect(throws: CommandFailure.self) { try await report { _, _ in HTTPResponseValue(status: 404) } }
  }

  @Test("A server that takes a nonce twice is found out")
  func replays() async throws {
    let (provider, subject) = try await OwnProvider.make(clock: .standing)
    /// Forgets nonces.
    struct Forgetful: RecordStore {
      let base: any RecordStore
      func record(_ kind: StoredRecord.Kind, key: [UInt8]) async throws -> StoredRecord? {
        try await base.record(kind, key: key)
      }
      func records(
        _ kind: StoredRecord.Kind, where index: StoredRecord.Index, limit: Int
      ) async throws -> [StoredRecord] { try await base.records(kind, where: index, limit: limit) }
      func commit(_ changes: [RecordChange]) async throws -> RecordCommit {
        if case .insert(let record, _)? = changes.first, record.kind.name.hasSuffix("nonce") { return .done }
        return try await base.commit(changes)
      }
      func removeExpired(before date: NumericDate, limit: Int) -> Int { 0 }
    }
    /// Asks of a nonce only that it is there.
    struct NonceBlind: DoctorTransport {
      let base: OwnProvider
      func send(_ request: HTTPRequestValue) async throws(CommandFailure) -> HTTPResponseValue {
        do throws(JOSEError) {
          _ = try await base.provider.checkedRequest(request)
        } catch {
          if error.code == .serverNonceInvalid { return HTTPResponseValue(status: 200) }
        }
        return try await base.send(request)
      }
    }
    var lenient = provider
    lenient.provider.records = Forgetful(base: provider.provider.records)
    lenient.provider.configuration.refusesReusedClientNonces = false
    var run = DoctorRun(subject: subject, transport: NonceBlind(base: lenient))
    let report = try await run.examine()
    for name in ["sent twice", "server nonce of another request", "server nonce made up"] {
      #expect(report.findings.first { $0.name == "login: \(name)" }?.verdict == .wrong, "\(name)")
    }
  }

  @Test("The command writes a table or JSON, and its exit status says whether something is wrong")
  func command() throws {
    let shell = try PSSOShell()
    let table = try shell.run("doctor in-process")
    #expect(table.status == .done && table.text.contains(" 0 wrong, "), "\(table.errors) \(table.text)")
    let json = try JSONObject(parsing: shell.run("doctor in-process --json --strict").output)
    #expect(json["wrong"] == 0 && json["lenient"] == 0)
    #expect((json["mutations"]?.int64Value ?? 0) >= 180)
    #expect(try shell.run("doctor").status == .usage)
    #expect(try shell.run("doctor ftp://x --config mac.json").status == .usage)
    // Nobody listens there.
    let refused = try shell.run("doctor http://127.0.0.1:1 --config mac.json")
    #expect(refused.status == .invalid && refused.errors.count == 1)
  }
}

extension WallClock {
  /// Stands still: on a busy machine a test may take longer than a nonce is good.
  static var standing: WallClock { .fixed(at: WallClock.system.now) }
}
