import JOSE
import PureCrypto
import Testing

/// Messages whose recipients have no `kid`: a receiver has to try each of them.
@Suite("Recipients without a name")
struct NamelessRecipientTests {
  private static let plaintext = Array("for all of you".utf8)

  /// A key pair without a name.
  private static func keys(
    _ algorithm: KeyManagementAlgorithm, _ curve: Curve? = nil
  ) throws -> (EncryptionKey, DecryptionKey) {
    var jwk = try JWK.generate(algorithm, curve: curve)
    jwk.keyID = nil
    return (try EncryptionKey(jwk, algorithm: algorithm), try DecryptionKey(jwk, algorithm: algorithm))
  }

  private static func rsaKeys(bitCount: Int) throws -> (EncryptionKey, DecryptionKey) {
    let jwk = JWK(.privateKey(.rsa(try AnyRSAPrivateKey(bitCount: bitCount))))
    return (try EncryptionKey(jwk, algorithm: .rsaOAEP256), try DecryptionKey(jwk, algorithm: .rsaOAEP256))
  }

  private static func opened(
    _ recipients: [EncryptionKey], with key: DecryptionKey, _ content: ContentEncryptionAlgorithm = .a256gcm,
    _ plaintext: [UInt8] = plaintext
  ) throws -> [UInt8] {
    let text = try JWE.encryptJSON(
      plaintext, to: recipients.map { JWERecipient(key: $0) }, contentEncryption: content)
    return try JWE.decryptJSON(text, with: key, contentEncryption: [content]).plaintext
  }

  static let algorithms: [(KeyManagementAlgorithm, Curve?)] = [
    (.a256kw, nil), (.a128gcmKW, nil), (.ecdhESA128KW, .p256), (.ecdhESA256KW, .x25519), (.ecdhESA192KW, .p384),
    (.ecdhESA256KW, .p521),
  ]

  @Test("each key opens, wherever its recipient stands", arguments: [1, 4, 5, 16], algorithms)
  func eachOpens(count: Int, kind: (KeyManagementAlgorithm, Curve?)) throws {
    let all = try (0..<count).map { _ in try Self.keys(kind.0, kind.1) }
    let text = try JWE.encryptJSON(Self.plaintext, to: all.map { JWERecipient(key: $0.0) })
    for (_, key) in all {
      let opened = try JWE.decryptJSON(text, with: key, contentEncryption: [.a256gcm])
      #expect(opened.plaintext == Self.plaintext)
    }
  }

  @Test(
    "RSA keys open as well, the long ones among a few recipients", arguments: [(2048, 16), (3072, 7), (4096, 3)])
  func rsa(bitCount: Int, limit: Int) throws {
    let (stranger, ours) = (try Self.rsaKeys(bitCount: bitCount).0, try Self.rsaKeys(bitCount: bitCount))
    if limit < 16 {
      let beyond = Array(repeating: stranger, count: limit) + [ours.0]
      #expect(refusal { _ = try Self.opened(beyond, with: ours.1) } == "limitExceeded(additionalWork)")
    }
    for count in [1, 3, limit] {
      for place in Set([0, count - 1]) {
        var recipients = Array(repeating: stranger, count: count)
        recipients[place] = ours.0
        #expect(try Self.opened(recipients, with: ours.1) == Self.plaintext)
      }
    }
  }

  @Test("passwords of a thousand iterations, and messages of a quarter of a mebibyte")
  func others() throws {
    func password(_ text: String) throws -> EncryptionKey {
      try EncryptionKey(password: text.utf8, algorithm: .pbes2HS256A128KW, iterationCount: 1000)
    }
    let recipients = try (0..<15).map { try password("other \($0)") } + [try password("ours")]
    let key = try DecryptionKey(password: "ours".utf8, algorithm: .pbes2HS256A128KW)
    #expect(try Self.opened(recipients, with: key) == Self.plaintext)
    let (stranger, ours) = (try Self.keys(.a128kw).0, try Self.keys(.a128kw))
    let long = [UInt8](repeating: 7, count: 250_000)
    for content in [ContentEncryptionAlgorithm.a128gcm, .a256cbcHS512] {
      let recipients = Array(repeating: stranger, count: 15) + [ours.0]
      #expect(try Self.opened(recipients, with: ours.1, content, long) == long)
    }
  }

  @Test("a set of one key, and recipients of several kinds")
  func mixed() throws {
    let (small, large) = (try Self.rsaKeys(bitCount: 2048), try Self.rsaKeys(bitCount: 3072))
    let recipients = Array(repeating: small.0, count: 8) + Array(repeating: large.0, count: 7)
    var jwk = try JWK.generate(.ecdhESA256KW)
    jwk.keyID = nil
    let agreement = try EncryptionKey(jwk, algorithm: .ecdhESA256KW)
    let text = try JWE.encryptJSON(
      Self.plaintext, to: (recipients + [agreement]).map { JWERecipient(key: $0) })
    let opened = try JWE.decryptJSON(
      text, with: JWKSet([jwk]), keyManagement: [.ecdhESA256KW], contentEncryption: [.a256gcm])
    #expect(opened.plaintext == Self.plaintext)
    for key in [small.1, large.1] {
      #expect(try JWE.decryptJSON(text, with: key, contentEncryption: [.a256gcm]).plaintext == Self.plaintext)
    }
  }
}
