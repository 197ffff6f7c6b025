import JOSE
import PlatformSSOKit
import Testing

@Suite("Verdicts, tickets and header fields")
struct CredentialVerdictTests {
  static let user = LoginRequestTests.user

  private func named(_ code: ErrorCode, _ name: String? = nil) -> JOSEError {
    JOSEError(code, "", name: name)
  }

  /// Verdicts of the test's choice.
  private struct Verdicts: CredentialDirectory {
    var password = CredentialVerdict.accepted
    var account = CredentialVerdict.accepted

    func passwordVerdict(
      _ password: String, of userName: String, on device: RegisteredDevice
    ) -> CredentialVerdict { self.password }

    func accountVerdict(of userName: String, on device: RegisteredDevice) -> CredentialVerdict { account }
  }

  private static let answers: [(CredentialVerdict, ErrorCode, Int, String)] = [
    (.wrong, .passwordRejected, 401, #"{"error":"invalid_grant"}"#),
    (.locked, .accountLocked, 400, #"{"error":"invalid_grant","suberror":"account_locked"}"#),
    (.expired, .passwordExpired, 400, #"{"error":"invalid_grant","suberror":"password_expired"}"#),
    (.mustChange, .passwordChangeRequired, 400, #"{"error":"invalid_grant","suberror":"password_change_required"}"#),
  ]

  @Test("Each verdict of a password has an answer of its own, and a Mac asks again for a wrong one only")
  func passwords() async throws {
    var fixture = try Fixture()
    for (verdict, code, status, body) in Self.answers {
      fixture.provider.users = Verdicts(password: verdict)
      let request = try fixture.device.loginRequest(of: Self.user, by: .password("x"), nonces: fixture.nonces())
      let refusal = try #require(await fixture.refusal(of: request.httpRequest))
      #expect(refusal.code == code)
      let response = fixture.provider.errorResponse(for: refusal)
      #expect(response.status == status && String(decoding: response.body, as: UTF8.self) == body)
      let refused = named(.serverRefused, "invalid_grant")
      #expect(throws: verdict == .wrong ? named(.credentialRejected) : refused) {
        try fixture.device.openLoginResponse(response, to: request, idTokenKeys: fixture.idTokenKeys)
      }
      // A Mac whose extension tells them apart.
      fixture.device.configuration.isInvalidCredential = { $0["suberror"] == "password_expired" }
      #expect(throws: verdict == .expired ? named(.credentialRejected) : refused) {
        try fixture.device.openLoginResponse(response, to: request, idTokenKeys: fixture.idTokenKeys)
      }
      fixture.device.configuration.isInvalidCredential = nil
    }
  }

  @Test("A locked account gets nothing, whatever proved who the user is")
  func accounts() async throws {
    var fixture = try Fixture()
    fixture.provider.users = Verdicts(account: .locked)
    let requests = [
      try fixture.device.loginRequest(of: Self.user, by: .password("x"), nonces: fixture.nonces()),
      try fixture.refreshRequest(),
      try fixture.device.keyRequest(of: Self.user, refreshToken: "rt-000001", nonces: fixture.nonces()),
    ]
    for request in requests {
      #expect(await fixture.refusal(of: request.httpRequest) == named(.accountLocked, "sub"))
    }
  }

  @Test("A provider's ticket is the one that the Mac's mapping finds", arguments: ["login_tgt", "tickets.cloud"])
  func tickets(path: String) async throws {
    var fixture = try Fixture()
    let mapping = KerberosTicketMapping(ticketKeyPath: path, serviceNameKeyName: "sn", clientNameKeyName: "cn")
    fixture.device.configuration.kerberosTicketMappings = [mapping]
    let request = try fixture.device.loginRequest(
      of: Self.user, by: .password("correct horse"), nonces: fixture.nonces())
    let login = try await fixture.provider.loginRequest(from: request.httpRequest)
    var answer = LoginResponse(
      idToken: try fixture.provider.idToken(for: login, subject: "jane"), refreshToken: "r",
      refreshTokenExpiresIn: .seconds(1),
      additional: ["tickets": ["other": 1]])
    let ticket = KerberosTicket(
      mapping: mapping, messageBuffer: [0x6B, 1, 2], realm: "EXAMPLE.COM", serviceName: "krbtgt/EXAMPLE.COM",
      clientName: "jane", encryptionKeyType: 18, sessionKey: [3, 4])
    try answer.append(ticket)
    #expect(answer.additional["tickets"]?.objectValue?["other"] == 1)
    let opened = try fixture.device.openLoginResponse(
      fixture.provider.loginResponse(to: login, answer), to: request, idTokenKeys: fixture.idTokenKeys)
    let found = try #require(opened.kerberosTickets.first)
    #expect(found.messageBuffer == [0x6B, 1, 2] && found.realm == "EXAMPLE.COM" && found.clientName == "jane")
    #expect(found.serviceName == "krbtgt/EXAMPLE.COM" && found.encryptionKeyType == 18 && found.sessionKey == "AwQ=")
    #expect(throws: named(.callerMisuse, path)) { try answer.append(ticket) }
    var taken = ticket.mapping
    taken.ticketKeyPath = "id_token.x"
    let wrong = KerberosTicket(
      mapping: taken, messageBuffer: [], realm: "", serviceName: "", clientName: "", encryptionKeyType: 1,
      sessionKey: [])
    #expect(throws: named(.callerMisuse, "id_token.x")) { try answer.append(wrong) }
  }

  @Test("A profile's header fields: at most 20, names 128, values 2048, none of the request's own")
  func headerBounds() throws {
    func error(_ fields: [(String, String)]) -> JOSEError? {
      do throws(JOSEError) {
        _ = try AdditionalHTTPHeaders(FormFields(fields))
        return nil
      } catch { return error }
    }
    let many = (0..<21).map { ("x-\($0)", "v") }
    let limit = named(.limitExceeded, "AdditionalHTTPHeaders")
    let invalid = named(.fieldInvalid, "AdditionalHTTPHeaders")
    #expect(error(Array(many.prefix(20))) == nil)
    #expect(error(many) == limit)
    #expect(error([(String(repeating: "n", count: 128), String(repeating: "v", count: 2048))]) == nil)
    #expect(error([(String(repeating: "n", count: 129), "v")]) == limit)
    #expect(error([("n", String(repeating: "v", count: 2049))]) == limit)
    for name in [
      "Content-Type", "host", "AUTHORIZATION", "Content-Length", "client-request-id", "Accept", "", "a b", "a:",
    ] {
      #expect(error([(name, "v")]) == invalid, "\(name)")
    }
    #expect(error([("n", "a\r\nb: c")]) == invalid)
    #expect(error([("n", "1"), ("N", "2")]) == invalid)
  }

  @Test("They go with every request but a refresh, and a provider may demand them")
  func headersOnBothSides() async throws {
    var fixture = try Fixture()
    let fields = try AdditionalHTTPHeaders(["x-gateway": "k-1"])
    fixture.provider.configuration.requiredHTTPHeaders = fields
    let plain = fixture.device.serverNonceRequest()
    #expect(throws: named(.fieldMissing, "x-gateway")) { try fixture.provider.serverNonceResponse(to: plain) }
    var wrong = plain
    try wrong.headers.append("X-Gateway", "k-2")
    #expect(throws: named(.fieldInvalid, "x-gateway")) { try fixture.provider.serverNonceResponse(to: wrong) }
    fixture.device.configuration.additionalHTTPHeaders = fields
    let login = try fixture.device.loginRequest(
      of: Self.user, by: .password("correct horse"), nonces: fixture.nonces())
    let key = try fixture.device.keyRequest(of: Self.user, refreshToken: "rt-000001", nonces: fixture.nonces())
    for request in [login, key] {
      #expect(request.httpRequest.headers.values("x-gateway") == ["k-1"])
      var bare = request.httpRequest
      bare.headers.remove("x-gateway")
      #expect(await fixture.refusal(of: bare) == named(.fieldMissing, "x-gateway"))
      #expect(await fixture.refusal(of: request.httpRequest) == nil)
    }
    let refresh = try fixture.refreshRequest()
    #expect(refresh.httpRequest.headers.values("x-gateway").isEmpty)
    #expect(await fixture.refusal(of: refresh.httpRequest) == nil)
  }
}
