import JOSE
import PureJOSETestSupport
import StrictJSON
import Testing

/// Keys as the content of a JWE.
/// Source: RFC 7517 §7.
@Suite("Encrypted JWKs")
struct EncryptedJWKTests {
  private let password = Array("entrap_o–peter_long–credit_tun".utf8)
  private let accepted: [ContentEncryptionAlgorithm] = [.a128cbcHS256, .a256gcm]

  private func keys() throws -> (EncryptionKey, DecryptionKey) {
    (
      try EncryptionKey(password: password, algorithm: .pbes2HS256A128KW, iterationCount: 1000),
      try DecryptionKey(password: password, algorithm: .pbes2HS256A128KW)
    )
  }

  @Test("a key and a set come back whole")
  func roundTrip() throws {
    let (sealing, opening) = try keys()
    let key = JWK.generate(.es256, keyID: "k")
    let token = try key.encrypted(to: sealing, contentEncryption: .a128cbcHS256)
    #expect(try UnverifiedJWE(parsing: token).unverifiedHeader.contentType == "jwk+json")
    let opened = try JWK(decrypting: token, with: opening, contentEncryption: accepted)
    #expect(opened.serializedWithPrivateKey() == key.serializedWithPrivateKey())
    let set = JWKSet([key, .generate(.hs256, keyID: "h")])
    let sealed = try set.encrypted(to: sealing)
    let openedSet = try JWKSet(decrypting: sealed, with: opening, contentEncryption: accepted)
    #expect(
      openedSet.keys.map { $0.serializedWithPrivateKey() } == set.keys.map { $0.serializedWithPrivateKey() })
    #expect(openedSet.unsupportedKeys.isEmpty)
  }

  @Test("the example of RFC 7517 Appendix C opens within the default limits")
  func printedExample() throws {
    let file = try JSONObject(parsing: VectorFiles.own("jwe.json"))
    let tests = file["testGroups"]?.arrayValue?.flatMap { $0.objectValue?["tests"]?.arrayValue ?? [] } ?? []
    let example = try #require(
      tests.compactMap(\.objectValue).first { $0["comment"]?.stringValue == "PBES2-HS256+A128KW, RFC 7517 C" })
    let token = try #require(example["token"]?.stringValue)
    let password = Array("Thus from my lips, by yours, my sin is purged.".utf8)
    let key = try JWK(
      decrypting: token, with: DecryptionKey(password: password, algorithm: .pbes2HS256A128KW),
      contentEncryption: [.a128cbcHS256])
    #expect(key.keyType == .rsa && key.isPrivate && key.keyID == "juliet@capulet.lit" && key.use == "enc")
    let printed = try Hex.decode(#require(example["payload"]?.stringValue))
    #expect(try JWK(parsing: printed) == key)
  }

  @Test("the cty of an encrypted key or set is absent or names that type")
  func contentTypes() throws {
    let (sealing, opening) = try keys()
    let key = JWK.generate(.es256)
    func refused(_ type: String?, _ content: [UInt8]? = nil) throws -> (key: String, set: String) {
      let token = try JWE.encrypt(
        content ?? key.serializedWithPrivateKey(), to: sealing, header: HeaderParameters(contentType: type))
      return (
        refusal { _ = try JWK(decrypting: token, with: opening, contentEncryption: accepted) },
        refusal { _ = try JWKSet(decrypting: token, with: opening, contentEncryption: accepted) }
      )
    }
    #expect(try refused(nil) == ("accepted", "malformed(keys)"))
    for type in ["jwk+json", "application/jwk+json", "JWK+JSON"] {
      #expect(try refused(type) == ("accepted", "typeMismatch(cty)"))
    }
    for type in ["JWT", "json", "text/jwk+json", ""] {
      #expect(try refused(type) == ("typeMismatch(cty)", "typeMismatch(cty)"))
    }
    let set = Array(#"{"keys":[]}"#.utf8)
    #expect(try refused(nil, set) == ("keyInvalid(kty)", "accepted"))
    #expect(try refused("jwk-set+json", set) == ("typeMismatch(cty)", "accepted"))
  }

  @Test("a wrong password, too many iterations, compression, and what isn't encrypted")
  func refusals() throws {
    let (sealing, opening) = try keys()
    let key = JWK.generate(.es256)
    let token = try key.encrypted(to: sealing)
    let wrong = try DecryptionKey(password: Array("wrong".utf8), algorithm: .pbes2HS256A128KW)
    #expect(
      refusal { _ = try JWK(decrypting: token, with: wrong, contentEncryption: accepted) } == "decryptionFailed")
    var limits = Limits.default
    limits.maximumPasswordIterationCount = 1000
    #expect(throws: Never.self) {
      try JWK(decrypting: token, with: opening, contentEncryption: accepted, limits: limits)
    }
    limits.minimumPasswordIterationCount = 1
    limits.maximumPasswordIterationCount = 999
    #expect(
      refusal { _ = try JWK(decrypting: token, with: opening, contentEncryption: accepted, limits: limits) }
        == "limitExceeded(p2c)")
    let plain = String(decoding: key.serializedWithPrivateKey(), as: UTF8.self)
    #expect(refusal { _ = try JWK(decrypting: plain, with: opening, contentEncryption: accepted) } == "malformed")
    #expect(
      refusal { _ = try JWK(decrypting: token, with: opening, contentEncryption: [.a128gcm]) }
        == "algorithmNotAllowed(enc)")
  }

  @Test("zip is refused even where the caller's limits allow it")
  func compression() throws {
    let direct = JWK.generate(.a256gcm)
    let key = try DecryptionKey(direct, algorithm: .dir)
    let header = Base64URL.encode(Array(#"{"alg":"dir","enc":"A256GCM","zip":"DEF"}"#.utf8))
    var limits = Limits.default
    limits.decompressedByteCount = 1000
    let token = header + "..AAAAAAAAAAAAAAAA.AAAA.AAAAAAAAAAAAAAAAAAAAAA"
    #expect(
      refusal { _ = try JWK(decrypting: token, with: key, contentEncryption: accepted, limits: limits) }
        == "algorithmNotAllowed(zip)")
  }
}
