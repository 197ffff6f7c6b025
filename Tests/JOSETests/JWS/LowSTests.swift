import JOSE
import PureCrypto
import Testing

/// ES256K signs with the lower s, which wallets demand, and takes both.
@Suite struct LowSTests {
  /// Half of the order of secp256k1.
  private static let half: [UInt8] = [
    0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x5D, 0x57, 0x6E,
    0x73, 0x57, 0xA4, 0x50, 0x1D, 0xDF, 0xE9, 0x2F, 0x46, 0x68, 0x1B, 0x20, 0xA0,
  ]

  /// Signs with whichever s comes, as other libraries and hardware do.
  private struct AnyS: ExternalSigner {
    let key: Secp256k1PrivateKey
    let verificationKey: VerificationKey
    func signature(for signingInput: [UInt8]) throws -> [UInt8] { key.signature(for: signingInput).rawRepresentation }
  }

  private func s(of token: String) throws -> [UInt8] {
    let signature = try Base64URL.decode(String(token.split(separator: ".")[2]))
    #expect(signature.count == 64)
    return Array(signature[32...])
  }

  @Test func `tokens have the lower s, by keys here and elsewhere`() throws {
    let jwk = JWK.generate(.es256k)
    let key = try SigningKey(jwk)
    let scalar = try #require(try JSONObject(parsing: jwk.serializedWithPrivateKey())["d"]?.stringValue)
    let external = AnyS(
      key: try Secp256k1PrivateKey(rawRepresentation: Base64URL.decode(scalar)), verificationKey: key.verificationKey)
    var high = 0
    for number in 0..<64 {
      let payload = Array("payload \(number)".utf8)
      for key in [key, SigningKey(external)] {
        let token = try JWS.sign(payload, with: key)
        #expect(try !Self.half.lexicographicallyPrecedes(s(of: token)))
        #expect(try JWS.verify(token, with: key.verificationKey).payload == payload)
      }
      // PureCrypto's own signatures are as they come, and both forms are read.
      let input = Array("e30.".utf8) + Array(Base64URL.encode(payload).utf8)
      let raw = external.key.signature(for: input)
      if Self.half.lexicographicallyPrecedes(raw.rawRepresentation[32...]) { high += 1 }
      #expect(external.key.publicKey.isValidSignature(raw, for: input))
    }
    #expect((10...54).contains(high))
  }

  @Test func `a token with the higher s is read`() throws {
    let jwk = JWK.generate(.es256k)
    let key = try SigningKey(jwk)
    let scalar = try #require(try JSONObject(parsing: jwk.serializedWithPrivateKey())["d"]?.stringValue)
    let secret = try Secp256k1PrivateKey(rawRepresentation: Base64URL.decode(scalar))
    let input = Base64URL.encode(Array(#"{"alg":"ES256K"}"#.utf8)) + "." + Base64URL.encode(Array("x".utf8))
    var forms: Set<Bool> = []
    while forms.count < 2 {
      let signature = secret.signature(for: Array(input.utf8)).rawRepresentation
      forms.insert(Self.half.lexicographicallyPrecedes(signature[32...]))
      let token = input + "." + Base64URL.encode(signature)
      #expect(try JWS.verify(token, with: key.verificationKey).payload == Array("x".utf8))
    }
  }
}
