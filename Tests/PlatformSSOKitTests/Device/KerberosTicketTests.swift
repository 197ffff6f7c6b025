import JOSE
import PlatformSSOKit
import Testing

@Suite("Kerberos tickets of a login response")
struct KerberosTicketTests {
  private static let ticket: JSONObject = [
    "messageBuffer": "a4IBAA==", "realm": "EXAMPLE.COM", "serviceName": "krbtgt/EXAMPLE.COM", "clientName": "jane",
    "encryptionKeyType": 18, "sessionKey": "c2Vzc2lvbg==",
  ]

  private func open(
    _ additional: JSONObject, _ mappings: [KerberosTicketMapping], isStrict: Bool = false
  ) async throws -> [KerberosTicket] {
    var fixture = try Fixture()
    fixture.device.configuration.refusesIncompleteKerberosTickets = isStrict
    fixture.device.configuration.kerberosTicketMappings = mappings
    let request = try fixture.refreshRequest()
    let refresh = try await fixture.provider.refreshRequest(from: request.httpRequest)
    let token = try fixture.provider.idToken(for: refresh, subject: "jane")
    let response = try fixture.provider.loginResponse(
      to: refresh,
      LoginResponse(idToken: token, refreshToken: "r", refreshTokenExpiresIn: .seconds(1), additional: additional))
    return try fixture.device.openLoginResponse(response, to: request, idTokenKeys: fixture.idTokenKeys).kerberosTickets
  }

  @Test("The names of Apple's sample and those of Entra's extension")
  func mappings() async throws {
    let tickets = try await open(
      [
        "login_tgt": .object(Self.ticket),
        "tgts": [
          "cloud": [
            "messageBuffer": "a4IBAA", "realm": "KERBEROS.EXAMPLE", "sn": "krbtgt", "cn": "j", "keyType": "18",
            "clientKey": "k",
          ]
        ],
      ],
      [
        KerberosTicketMapping(ticketKeyPath: "login_tgt"),
        KerberosTicketMapping(
          ticketKeyPath: "tgts.cloud", serviceNameKeyName: "sn", clientNameKeyName: "cn",
          encryptionKeyTypeKeyName: "keyType", sessionKeyKeyName: "clientKey"),
        KerberosTicketMapping(ticketKeyPath: "tgts.ad"),
      ])
    #expect(tickets.count == 2)
    #expect(tickets[0].messageBuffer == [0x6B, 0x82, 0x01, 0x00] && tickets[0].realm == "EXAMPLE.COM")
    #expect(tickets[0].serviceName == "krbtgt/EXAMPLE.COM" && tickets[0].clientName == "jane")
    #expect(tickets[0].encryptionKeyType == 18 && tickets[0].sessionKey == "c2Vzc2lvbg==")
    #expect(tickets[1].mapping.ticketKeyPath == "tgts.cloud" && tickets[1].encryptionKeyType == 18)
    #expect(tickets[1].messageBuffer == tickets[0].messageBuffer && tickets[1].sessionKey == "k")
    #expect(!"\(tickets[0])".contains("c2Vzc2lvbg"))
  }

  @Test("An incomplete ticket is ignored, or by choice refused with the member's name")
  func incomplete() async throws {
    let mapping = KerberosTicketMapping(ticketKeyPath: "login_tgt")
    let other = KerberosTicketMapping(ticketKeyPath: "second_tgt")
    #expect(try await open([:], [mapping]).isEmpty)
    #expect(try await open(["login_tgt": .object(Self.ticket)], []).isEmpty)
    func check(_ value: JSONValue, _ error: JOSEError) async throws {
      let body: JSONObject = ["login_tgt": value, "second_tgt": .object(Self.ticket)]
      let found = try await open(body, [mapping, other])
      #expect(found.map(\.mapping.ticketKeyPath) == ["second_tgt"])
      await #expect(throws: error) { try await open(body, [mapping, other], isStrict: true) }
    }
    for name in Self.ticket.names {
      var half = Self.ticket
      half[name] = nil
      try await check(.object(half), JOSEError(.claimMissing, "", name: name))
      half[name] = []
      try await check(.object(half), JOSEError(.claimInvalid, "", name: name))
    }
    try await check("x", JOSEError(.claimInvalid, "", name: "login_tgt"))
    try await check(.null, JOSEError(.claimInvalid, "", name: "login_tgt"))
    #expect(try await open(["login_tgt": .object(Self.ticket)], [mapping], isStrict: true).count == 1)
  }
}
