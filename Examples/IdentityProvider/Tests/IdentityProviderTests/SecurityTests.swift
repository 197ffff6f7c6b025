import Foundation
import HTTPTypes
import HummingbirdTesting
import JOSE
import Testing

@testable import IdentityProvider

/// What ASVS.md promises and no other test shows.
@Suite struct SecurityTests {
  @Test func `every answer tells browsers what they may do`() async throws {
    try await World.run { world in
      for path in [
        "/", "/login", "/account", "/admin/users", "/jwks", "/.well-known/openid-configuration", "/userinfo",
        "/authorize",
        "/logout", "/provider.css", "/passkey.js", "/nowhere",
      ] {
        let headers = try await world.get(path).headers
        let policy = headers[.contentSecurityPolicy] ?? ""
        #expect(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"), "\(path)")
        #expect(policy.contains("base-uri 'none'") && !policy.contains("unsafe"), "\(path)")
        #expect(headers[.xContentTypeOptions] == "nosniff", "\(path)")
        #expect(headers[.strictTransportSecurity] == "max-age=31536000; includeSubDomains", "\(path)")
        #expect(headers[try #require(HTTPField.Name("Referrer-Policy"))] == "no-referrer", "\(path)")
      }
    }
  }

  @Test func `there is no password grant, no implicit flow and no plain challenge`() async throws {
    try await World.run { world in
      let form: FormFields = ["grant_type": "password", "username": "alice", "password": World.password]
      let answer = try await world.post("/token", form, [.authorization: world.basic])
      #expect(try answer.json()["error"] == "unsupported_grant_type")
      let metadata = try await world.get("/.well-known/openid-configuration").json()
      #expect(metadata["response_types_supported"] == ["code"])
      #expect(metadata["code_challenge_methods_supported"] == ["S256"])
      for (more, error): (FormFields, String) in [
        (["response_type": "token"], "unsupported_response_type"),
        (["code_challenge": "abc", "code_challenge_method": "plain"], "invalid_request"),
      ] {
        let browser = TestBrowser(world)
        var form = FormFields()
        let names = more.fields.map(\.name)
        for field in browser.request().fields where !names.contains(field.name) { form.append(field.name, field.value) }
        for field in more.fields { form.append(field.name, field.value) }
        _ = try await browser.open("/authorize?" + form.encodedAsQuery())
        #expect(try browser.answer().values("error") == [error])
      }
    }
  }

  @Test func `the audit log and the database hold no password, secret, code or token`() async throws {
    try await World.run { world in
      _ = try await TestBrowser(world).logIn(try await TestBrowser(world).open("/login"), password: "wrong")
      let code = try await world.code(scope: "openid offline_access")
      let tokens = try await world.redeem(code).json()
      let browser = TestBrowser(world)
      _ = try await browser.logIn(try await browser.open("/login"))
      var secrets = [World.password, world.secret, code]
      for name in ["access_token", "refresh_token", "id_token"] { secrets.append(try tokens.string(name)) }
      secrets += browser.cookies.filter { $0.key.contains("session") }.map(\.value)
      #expect(secrets.count == 7)
      for entry in try await world.provider.audit.entries(limit: 1000) {
        let event = entry.event
        let line = [event.name, event.user, event.client, event.address?.text, event.detail].compactMap { $0 }.joined()
        #expect(!secrets.contains { line.contains($0) }, "\(event.name)")
      }
      let folder = world.provider.settings.folder
      for name in ["provider.sqlite", "provider.sqlite-wal"] {
        let data = try #require(FileManager.default.contents(atPath: "\(folder)/\(name)"))
        for secret in secrets { #expect(data.range(of: Data(secret.utf8)) == nil, "\(name)") }
      }
    }
  }

  @Test func `a password must be long and uncommon, and every character of it counts`() async throws {
    func refusal(_ password: String) -> PasswordRules.Refusal? {
      do throws(PasswordRules.Refusal) {
        try PasswordRules.check(password, username: "alice", email: "alice@example.com")
        return nil
      } catch {
        return error
      }
    }
    #expect(refusal("fourteen chars") == .tooShort && refusal("abababababababab") == .tooCommon)
    #expect(refusal("alice@example.com") == .tooCommon && refusal(String(repeating: "words ", count: 200)) == .tooLong)
    // No rule asks for kinds of characters, and none is forbidden.
    for password in ["all small letters", "Wörter, und ein Pfau 🦚", String(repeating: "long words ", count: 20)] {
      #expect(refusal(password) == nil)
      let hasher = PasswordHasher(World.cost)
      let stored = try await hasher.hash(password)
      #expect(stored.hasPrefix("$argon2id$v=19$m=8,t=1,p=1$"))
      #expect(try await hasher.check(password, for: stored) == .right)
      for other in [password.uppercased(), password + " ", String(password.dropLast())] {
        #expect(try await hasher.check(other, for: stored) == .wrong)
      }
    }
    let cost = ProviderSettings(issuer: "", folder: "").passwordCost
    #expect(cost == .argon2id(kibibyteCount: 19_456, passCount: 2, laneCount: 1))
  }

  @Test func `a new provider has one administrator, with a random password`() async throws {
    try await World.run { world in
      let password = try #require(try await world.provider.addFirstAdministrator())
      #expect(password.utf8.count == 20)
      #expect(try await world.provider.addFirstAdministrator() == nil)
    }
  }

  @Test func `a changed or expired access token is refused`() async throws {
    try await World.run { world in
      let token = try await world.tokens().string("access_token")
      func status(_ token: String) async throws -> HTTPResponse.Status {
        try await world.get("/userinfo", [.authorization: "Bearer \(token)"]).status
      }
      #expect(try await status(token) == .ok)
      let parts = token.split(separator: ".").map(String.init)
      var changed = ["", ".", "..", parts[0] + "." + parts[1] + "."]
      for header in [
        #"{"alg":"none","typ":"at+jwt"}"#, #"{"alg":"HS256","typ":"at+jwt"}"#, #"{"alg":"ES256","typ":"JWT"}"#,
      ] {
        changed.append(Base64URL.encode(header.utf8) + "." + parts[1] + "." + parts[2])
        changed.append(Base64URL.encode(header.utf8) + "." + parts[1] + ".")
      }
      // Signed rightly by a key that the token brings along.
      let key = try SigningKey.generate(.es256)
      let claims = try JSONObject(parsing: Base64URL.decode(parts[1]))
      changed.append(try JWT.sign(claims, with: key, type: "at+jwt"))
      let octets = Array(token.utf8)
      for index in stride(from: 0, to: octets.count, by: 7) where octets[index] != UInt8(ascii: ".") {
        var other = octets
        other[index] = other[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
        changed.append(String(decoding: other, as: UTF8.self))
      }
      for token in changed { #expect(try await status(token) != .ok, "\(token)") }
      world.wait(world.provider.settings.accessTokenLifetime + 61)
      #expect(try await status(token) == .unauthorized)
    }
  }
}
