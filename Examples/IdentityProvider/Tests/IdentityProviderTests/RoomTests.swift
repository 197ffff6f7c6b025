import HTTPTypes
import HummingbirdTesting
import JOSE
import OpenIDKit
import SQLStores
import Testing

@testable import IdentityProvider

/// What strangers leave in the database.
@Suite struct RoomTests {
  private static func count(_ what: String, _ world: World) async throws -> Int {
    Int(try #require(try await world.provider.database.rows("SELECT count(*) FROM \(what)").first)[0].int)
  }

  private static func setting(_ name: String, _ world: World) async throws -> Int64? {
    try await world.provider.database.rows("PRAGMA \(name)").first?[0].int
  }

  private static func request(_ world: World, _ changes: FormFields = [:], client: String = "site") -> FormFields {
    let names = changes.fields.map(\.name)
    let kept = TestBrowser(world).request(client: client).fields.filter { !names.contains($0.name) }
    return FormFields((kept + changes.fields).map { ($0.name, $0.value) })
  }

  @Test func `an invalid authorization request is refused without being stored`() async throws {
    try await World.run { world in
      let long = String(repeating: "s", count: 50_000)
      let unknown = try await world.post("/authorize", Self.request(world, ["client_id": "nobody"]))
      #expect(unknown.page == "error")
      for changes: FormFields in [["state": long], ["nonce": long], ["made_up": long]] {
        let refused = try await world.post("/authorize", Self.request(world, changes))
        #expect(refused.headers[.location]?.contains("error=invalid_request") == true)
        let pushed = try await world.post("/par", Self.request(world, changes), [.authorization: world.basic])
        #expect(pushed.status == .badRequest)
      }
      let many = FormFields((0..<60).map { ("p\($0)", String(repeating: "x", count: 400)) })
      #expect(
        try await world.post("/authorize", Self.request(world, many)).headers[.location]?.hasPrefix("https") == true)
      #expect(try await Self.count("records WHERE kind = 'authorization-request'", world) == 0)
      #expect(try await world.post("/authorize", Self.request(world)).headers[.location]?.hasPrefix("/") == true)
      #expect(try await Self.count("records WHERE kind = 'authorization-request'", world) == 1)
    }
  }

  @Test func `one network leaves a limited number of waiting requests`() async throws {
    try await World.run(changing: { ($0.trustsForwardedAddress, $0.keptRequestsPerMinute) = (true, 3) }) { world in
      let name = try #require(HTTPField.Name("X-Forwarded-For"))
      var headers: HTTPFields = [name: "192.0.2.1"]
      for _ in 0..<2 { #expect(try await world.post("/authorize", Self.request(world), headers).status == .seeOther) }
      let query = "/authorize?" + Self.request(world).encodedAsQuery()
      #expect(try await world.get(query, headers).status == .seeOther)
      for refused in [
        try await world.get(query, headers), try await world.post("/authorize", Self.request(world), headers),
      ] {
        #expect(refused.status == .tooManyRequests && refused.headers[.retryAfter] == "60")
      }
      #expect(try await Self.count("records WHERE kind = 'authorization-request'", world) == 3)
      let proof: FormFields = ["code_challenge": PKCE().challenge, "code_challenge_method": "S256"]
      let pushed = Self.request(world, proof, client: "app")
      let refused = try await world.post("/par", pushed, headers)
      #expect(refused.status == .tooManyRequests && refused.headers[.retryAfter] == "60")
      // A client that proves itself has its own quota.
      headers[.authorization] = world.basic
      #expect(try await world.post("/par", Self.request(world), headers).status == .created)
      #expect(try await world.post("/par", pushed, [name: "192.0.2.2"]).status == .created)
    }
  }

  @Test func `a DPoP proof is not stored if client authentication fails`() async throws {
    try await World.run(changing: { $0.requiresDPoPNonce = false }) { world in
      let name = try #require(HTTPField.Name("DPoP"))
      for (authorization, count) in [("Basic c2l0ZTp3cm9uZw==", 0), (world.basic, 1)] {
        for form: FormFields in [
          ["grant_type": "authorization_code", "code": "none", "redirect_uri": World.redirectURI],
          ["grant_type": "refresh_token", "refresh_token": "none"],
        ] {
          let before = try await Self.count("records WHERE kind LIKE '%dpop%'", world)
          let proof = try DPoP.proof(
            method: "POST", url: World.issuer + "/token", key: try SigningKey.generate(.es256),
            clock: world.provider.clock)
          let answer = try await world.post("/token", form, [.authorization: authorization, name: proof])
          #expect(answer.status == (count == 0 ? .unauthorized : .badRequest))
          #expect(try await Self.count("records WHERE kind LIKE '%dpop%'", world) == before + count)
        }
      }
    }
  }

  @Test(arguments: ["/token", "/par"])
  func `DPoP proofs of public clients are stored up to a limit for each network`(path: String) async throws {
    try await World.run(changing: {
      ($0.trustsForwardedAddress, $0.keptRequestsPerMinute, $0.requiresDPoPNonce) = (true, 3, false)
    }) { world in
      let (from, name) = try (#require(HTTPField.Name("X-Forwarded-For")), #require(HTTPField.Name("DPoP")))
      var form = Self.request(
        world, ["code_challenge": PKCE().challenge, "code_challenge_method": "S256"], client: "app")
      if path == "/token" { form = ["grant_type": "refresh_token", "refresh_token": "none", "client_id": "app"] }
      func answer(_ address: String) async throws -> TestResponse {
        let proof = try DPoP.proof(
          method: "POST", url: World.issuer + path, key: try SigningKey.generate(.es256), clock: world.provider.clock)
        return try await world.post(path, form, [from: address, name: proof])
      }
      for _ in 0..<3 { #expect(try await answer("192.0.2.1").status != .tooManyRequests) }
      for _ in 0..<5 {
        let refused = try await answer("192.0.2.1")
        #expect(refused.status == .tooManyRequests && refused.headers[.retryAfter] == "60")
      }
      #expect(try await Self.count("records WHERE kind LIKE '%dpop%'", world) == 3)
      #expect(try await answer("192.0.2.2").status != .tooManyRequests)
    }
  }

  @Test func `all networks of one IPv6 prefix of 48 bits share one limit of audit log lines`() async throws {
    try await World.run { world in
      let audit = world.provider.audit
      for number in 0..<80 {
        await audit.record(.init("login.failed", address: SourceAddress("2001:db8:1:\(number)::1")))
      }
      let kept = try await audit.entries(named: "login.failed", limit: 1000).count
      #expect(kept == 50)
      await audit.record(.init("login.failed", address: SourceAddress("2001:db8:2::1")))
      let others = try await audit.entries(named: "login.failed", limit: 1000).count
      #expect(others == 51)
    }
  }

  @Test func `refusals of one minute are counted after the fiftieth`() async throws {
    try await World.run { world in
      let form: FormFields = ["grant_type": "refresh_token", "refresh_token": "none", "client_id": "nobody"]
      for _ in 0..<80 { #expect(try await world.post("/token", form).status == .unauthorized) }
      let entries = try await world.provider.audit.entries(named: "client.refused", limit: 1000)
      #expect(entries.count == 50 && entries.first?.event.detail == "and 30 more")
      world.wait(61)
      _ = try await world.post("/token", form)
      #expect(try await world.provider.audit.entries(named: "client.refused", limit: 1000).count == 51)
    }
  }

  @Test(arguments: ["native.exchangeRefused", "native.deviceSecretReused", "login.failed"])
  func `repeated audit events are counted, and one network's don't hide another's`(name: String) async throws {
    try await World.run { world in
      let audit = world.provider.audit
      for _ in 0..<60 { await audit.record(.init(name, address: SourceAddress("192.0.2.1"))) }
      #expect(try await audit.entries(named: name, limit: 1000).count == 50)
      await audit.record(.init(name, user: world.user.id, address: SourceAddress("198.51.100.1")))
      let entry = try #require(try await audit.entries(named: name, limit: 1).first?.event)
      #expect(entry.address?.text == "198.51.100.1" && entry.detail == nil)
      for number in 0..<600 {
        let address = SourceAddress("2001:db8:\(String(number + 1, radix: 16))::1")
        await audit.record(.init(name, address: address))
      }
      #expect(try await audit.entries(named: name, limit: 1000).count == 500)
    }
  }

  @Test func `the database file shrinks after expired records are removed`() async throws {
    try await World.run { world in
      #expect(try await Self.setting("auto_vacuum", world) == 2)
      let before = try #require(try await Self.setting("page_count", world))
      let fields: FormFields = ["state": String(repeating: "s", count: 50_000)]
      for _ in 0..<100 { _ = try await world.provider.interactions.add(Interaction(fields, visit: "v")) }
      #expect(try #require(try await Self.setting("page_count", world)) > before + 1000)
      world.wait(Interactions.lifetime + 1)
      try await world.provider.removeExpired()
      #expect(try await Self.setting("freelist_count", world) == 0)
      #expect(try #require(try await Self.setting("page_count", world)) < before + 100)
    }
  }
}
