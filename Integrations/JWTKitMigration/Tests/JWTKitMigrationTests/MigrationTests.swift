@testable import After
@testable import Before
import Testing

/// What the article "Migrating from jwt-kit" says of both sides.
@Suite("Migrating from jwt-kit")
struct MigrationTests {
  private let secret = [UInt8](1...32)

  @Test("each side reads the other's session tokens")
  func sessions() async throws {
    let before = await Before.SessionTokens(secret: secret)
    let after = try After.SessionTokens(secret: secret)
    #expect(try after.user(of: await before.token(for: "ada")) == "ada")
    #expect(try await before.user(of: after.token(for: "grace")) == "grace")
    let other = try After.SessionTokens(secret: secret.reversed())
    await #expect(throws: (any Error).self) { try await before.user(of: other.token(for: "eve")) }
  }

  @Test("a short secret is an error here; there, debug builds stop and others take it")
  func shortSecret() {
    #expect(throws: (any Error).self) { try After.SessionTokens(secret: [1, 2, 3]) }
  }

  @Test("a key set of both", arguments: [false, true])
  func keySet(hasUnknownKey: Bool) async throws {
    let issuer = try ExampleIssuer()
    let text = hasUnknownKey ? try issuer.keySet(#"{"kty":"AKP2","kid":"later","pub":"AA"}"#) : try issuer.keySet()
    let token = try issuer.token(keyID: "now")
    #expect(try After.PublishedKeys(json: text).subject(of: token) == "ada")
    if hasUnknownKey {
      await #expect(throws: (any Error).self) { try await Before.PublishedKeys(json: text) }
    } else {
      #expect(try await Before.PublishedKeys(json: text).subject(of: token) == "ada")
    }
  }

  @Test("each claim of a partner's token is checked on both sides")
  func partnerTokens() async throws {
    let issuer = try ExampleIssuer()
    let before = try await Before.PartnerTokens(json: issuer.keySet())
    let after = try After.PartnerTokens(json: issuer.keySet())
    let right = try issuer.partnerToken()
    #expect(try after.buyer(of: right) == "ada")
    #expect(try await before.buyer(of: right) == "ada")
    let wrong = [
      try issuer.partnerToken(issuer: "https://partner.example.com/"), try issuer.partnerToken(audience: "invoices"),
      try issuer.partnerToken(lifetime: .seconds(-60)), try issuer.partnerToken(roles: ["reader"]),
    ]
    for token in wrong {
      #expect(throws: (any Error).self) { try after.buyer(of: token) }
      await #expect(throws: (any Error).self) { try await before.buyer(of: token) }
    }
  }

  @Test("a key without a name fails the set there, and serves tokens without one here")
  func keyWithoutName() async throws {
    let issuer = try ExampleIssuer()
    let text = try issuer.keySet().replacing(#","kid":"now""#, with: "")
    #expect(!text.contains("kid"))
    _ = try After.PublishedKeys(json: text)
    await #expect(throws: (any Error).self) { try await Before.PublishedKeys(json: text) }
  }

  @Test("an unknown name falls back to another key there, and finds none here")
  func unknownName() async throws {
    let issuer = try ExampleIssuer()
    let (text, token) = (try issuer.keySet(), try issuer.token(keyID: "never heard of"))
    #expect(try await Before.PublishedKeys(json: text).subject(of: token) == "ada")
    #expect(throws: (any Error).self) { try After.PublishedKeys(json: text).subject(of: token) }
  }
}
