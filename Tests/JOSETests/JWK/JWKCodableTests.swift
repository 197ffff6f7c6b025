import JOSE
import StrictJSON
import Testing

@Suite("Keys as members of other types")
struct JWKCodableTests {
  private struct Client: Codable, Equatable {
    var jwk: JWK
    var jwks: JWKSet
  }

  @Test("public keys and sets survive a round trip")
  func roundTrip() throws {
    let jwk = try #require(JWK.generate(.es256, keyID: "a").publicKey)
    let client = Client(jwk: jwk, jwks: JWKSet([jwk, try #require(JWK.generate(.ed25519).publicKey)]))
    let text = try StrictJSONEncoder().encode(client)
    #expect(try StrictJSONDecoder().decode(Client.self, from: text) == client)
    var other = client
    other.jwk.keyID = "b"
    #expect(other != client)
  }

  @Test("private keys are equal by all their members, and never encoded")
  func privateKeys() throws {
    let jwk = try JWK(parsing: TestKeys.es256)
    #expect(try jwk == JWK(parsing: TestKeys.es256))
    #expect(jwk != jwk.publicKey && jwk != .generate(.es256))
    #expect(throws: EncodingError.self) { try StrictJSONEncoder().encode(jwk) }
    #expect(throws: EncodingError.self) { try StrictJSONEncoder().encode(JWK(parsing: TestKeys.octets32)) }
    #expect(!String(decoding: try StrictJSONEncoder().encode(JWKSet([jwk])), as: UTF8.self).contains("\"d\""))
  }

  @Test("what is no key doesn't decode, and what is no set neither")
  func malformed() {
    for text in [#"{"kty":"EC"}"#, #"{"kty":"FOO"}"#, "[]"] {
      #expect(throws: (any Error).self) { try StrictJSONDecoder().decode(JWK.self, from: text.utf8) }
    }
    #expect(throws: (any Error).self) { try StrictJSONDecoder().decode(JWKSet.self, from: "{}".utf8) }
  }

  @Test("thumbprints with the longer hashes have their lengths, and a secret has none")
  func thumbprints() throws {
    let jwk = try JWK(parsing: TestKeys.es256)
    #expect(try jwk.thumbprint(.sha384) == jwk.publicKey?.thumbprint(.sha384))
    #expect(try Base64URL.decode(jwk.thumbprint(.sha384)).count == 48)
    #expect(try Base64URL.decode(jwk.thumbprint(.sha512)).count == 64)
    // SHA-384 and SHA-512 of the required members in order, by another program.
    #expect(try jwk.thumbprint(.sha384) == Self.sha384)
    #expect(try jwk.thumbprint(.sha512) == Self.sha512)
    let secret = try JWK(parsing: TestKeys.octets32)
    #expect(code { _ = try secret.thumbprint(.sha512) } == .keyMismatch)
    #expect(code { _ = try secret.thumbprint(.sha384) } == .keyMismatch)
  }

  private static let sha384 = "Gq_Qq4Z8QBq702LiUtX4GAhslQTBucBu6DYzIx1PlLRZJRR8wNAhb88ewicfjta-"
  private static let sha512 = "nRxpjdDeDSKKXE10HvI4YCA3x2Kj7syu17jsTjhY8Lmy9fWaVkX-EkrawUoWmNxFNFYj63K206ok4ws2eFjKiQ"
}
