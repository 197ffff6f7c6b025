import JOSE
import PureCrypto
import StrictJSON
import Testing

@Suite("JWE JSON serialization")
struct JSONEncryptionTests {
  static let plaintext = Array("You can trust us to stick with you".utf8)

  static func jwk(_ algorithm: KeyManagementAlgorithm, _ keyID: String) throws -> JWK {
    try JWK.generate(algorithm, keyID: keyID)
  }

  @Test("one recipient, in each form, with authenticated data", arguments: [JOSESerialization.flattened, .general])
  func single(serialization: JOSESerialization) throws {
    for algorithm in [KeyManagementAlgorithm.ecdhES, .ecdhESA256KW, .a128kw, .a256gcmKW] {
      let jwk = try Self.jwk(algorithm, "k")
      let text = try JWE.encryptJSON(
        Self.plaintext, to: [JWERecipient(key: EncryptionKey(jwk), unprotectedHeader: ["a": 1])],
        contentEncryption: .a128cbcHS256, unprotectedHeader: ["b": 2], additionalAuthenticatedData: [1, 2, 3],
        serialization: serialization)
      let key = try DecryptionKey(jwk)
      let opened = try JWE.decryptJSON(text, with: key, contentEncryption: [.a128cbcHS256])
      #expect(opened.plaintext == Self.plaintext && opened.unprotectedHeader == ["b": 2, "a": 1])
      #expect(opened.header.keyID == "k" && opened.header.algorithm == algorithm.name)
      let changed = text.replacing(#""aad":"AQID""#, with: #""aad":"AQIE""#)
      #expect(changed != text)
      #expect(
        code { _ = try JWE.decryptJSON(changed, with: key, contentEncryption: [.a128cbcHS256]) } == .decryptionFailed)
    }
  }

  @Test("each of several recipients decrypts with its key or a set, and other keys are refused")
  func several() throws {
    let keys = [
      try Self.jwk(.ecdhESA128KW, "ec"), try Self.jwk(.a256gcmKW, "gcm"), try Self.jwk(.a192kw, "kw"),
    ]
    let text = try JWE.encryptJSON(
      Self.plaintext, to: try keys.map { JWERecipient(key: try EncryptionKey($0)) }, contentEncryption: .a256gcm)
    for jwk in keys {
      let key = try DecryptionKey(jwk)
      #expect(try JWE.decryptJSON(text, with: key, contentEncryption: [.a256gcm]).plaintext == Self.plaintext)
      let set = JWKSet([try Self.jwk(.a128kw, "x"), jwk])
      let opened = try JWE.decryptJSON(
        text, with: set, keyManagement: [.ecdhESA128KW, .a256gcmKW, .a192kw], contentEncryption: [.a256gcm])
      #expect(opened.plaintext == Self.plaintext)
    }
    let stranger = try DecryptionKey(Self.jwk(.a192kw, "kw"))
    #expect(code { _ = try JWE.decryptJSON(text, with: stranger, contentEncryption: [.a256gcm]) } == .decryptionFailed)
    let misnamed = try DecryptionKey(Self.jwk(.a192kw, "other"))
    #expect(code { _ = try JWE.decryptJSON(text, with: misnamed, contentEncryption: [.a256gcm]) } == .keyNotFound)
    let foreign = try DecryptionKey(Self.jwk(.a128kw, "kw"))
    #expect(
      code { _ = try JWE.decryptJSON(text, with: foreign, contentEncryption: [.a256gcm]) } == .algorithmNotAllowed)
  }

  @Test("a direct algorithm allows one recipient, and a header parameter stands in one place")
  func misuse() throws {
    let direct = JWERecipient(key: try EncryptionKey(Self.jwk(.ecdhES, "a")))
    let wrapped = JWERecipient(key: try EncryptionKey(Self.jwk(.a128kw, "b")))
    #expect(code { _ = try JWE.encryptJSON([1], to: [direct, wrapped]) } == .callerMisuse)
    #expect(code { _ = try JWE.encryptJSON([1], to: []) } == .callerMisuse)
    #expect(code { _ = try JWE.encryptJSON([1], to: [wrapped, wrapped], serialization: .flattened) } == .callerMisuse)
    #expect(code { _ = try JWE.encryptJSON([1], to: [wrapped], unprotectedHeader: ["zip": "DEF"]) } == .callerMisuse)
    var named = wrapped
    named.unprotectedHeader = ["x": 1]
    #expect(code { _ = try JWE.encryptJSON([1], to: [named], unprotectedHeader: ["x": 2]) } == .callerMisuse)
  }

  @Test("zip and crit must be protected, and a header parameter stands in one place")
  func headers() throws {
    let jwk = try Self.jwk(.a128kw, "k")
    let key = try DecryptionKey(jwk)
    let text = try JWE.encryptJSON([1], to: [JWERecipient(key: EncryptionKey(jwk))], serialization: .flattened)
    func refusalWith(_ member: String) -> String {
      let changed = "{\(member)," + text.dropFirst()
      return refusal { _ = try JWE.decryptJSON(changed, with: key, contentEncryption: [.a256gcm]) }
    }
    #expect(refusalWith(#""extra":1"#) == "accepted")
    #expect(refusalWith(#""unprotected":{"alg":"A128KW"}"#) == "headerInvalid(header)")
    #expect(refusalWith(#""unprotected":{"enc":"A256GCM"}"#) == "headerInvalid(header)")
    #expect(refusalWith(#""unprotected":{"zip":"DEF"}"#) == "headerInvalid(zip)")
    #expect(refusalWith(#""unprotected":{"crit":["x"]}"#) == "headerInvalid(crit)")
    #expect(refusalWith(#""header":{"x":1},"unprotected":{"x":1}"#) == "headerInvalid(header)")
    #expect(refusalWith(#""recipients":[{}]"#) == "malformed(encrypted_key)")
    #expect(refusalWith(#""unprotected":5"#) == "malformed(unprotected)")
    let stripped = text.replacing(#""encrypted_key":""#, with: #""encrypted_key":"","x":""#)
    #expect(
      refusal { _ = try JWE.decryptJSON(stripped, with: key, contentEncryption: [.a256gcm]) }
        == "malformed(encrypted_key)")
  }

  @Test("authenticated data that is empty is absent, and a member of no octets can't be added")
  func emptyAuthenticatedData() throws {
    let jwk = try Self.jwk(.a128kw, "k")
    let key = try DecryptionKey(jwk)
    let text = try JWE.encryptJSON(
      [1], to: [JWERecipient(key: EncryptionKey(jwk))], additionalAuthenticatedData: [])
    #expect(!text.contains("aad"))
    #expect(try JWE.decryptJSON(text, with: key, contentEncryption: [.a256gcm]).plaintext == [1])
    let changed = #"{"aad":"","# + text.dropFirst()
    #expect(
      refusal { _ = try JWE.decryptJSON(changed, with: key, contentEncryption: [.a256gcm]) } == "malformed(aad)")
  }

  @Test(
    "an optional member that is empty must be absent, flattened or general (RFC 7516 §7.2.1)",
    arguments: [
      #""protected":"""#, #""unprotected":{}"#, #""header":{}"#, #""aad":"""#,
      #""unprotected": { }"#,
    ])
  func emptyMembers(_ member: String) throws {
    let direct = try DecryptionKey(JWK.generate(ContentEncryptionAlgorithm.a256gcm), algorithm: .dir)
    let name = try #require(try JSONObject(parsing: "{\(member)}".utf8).names.first)
    for serialization in [JOSESerialization.flattened, .general] {
      let text = try JWE.encryptJSON(
        [1], to: [JWERecipient(key: direct.encryptionKey)], serialization: serialization)
      let changed =
        serialization == .general && name == "header"
        ? text.replacing(#""recipients":[{"#, with: #""recipients":[{\#(member)"#)
        : name == "protected" ? #"{"protected":"","protectd":"# + text.dropFirst(13) : "{\(member)," + text.dropFirst()
      #expect(
        refusal { _ = try JWE.decryptJSON(changed, with: direct, contentEncryption: [.a256gcm]) }
          == "malformed(\(name))",
        "\(changed)")
    }
  }

  @Test(
    "an empty encrypted key is taken where the algorithm has none, never written, and malformed with every other",
    arguments: KeyManagementAlgorithm.allCases, [JOSESerialization.flattened, .general])
  func emptyEncryptedKey(_ algorithm: KeyManagementAlgorithm, _ serialization: JOSESerialization) throws {
    let isDirect = [.dir, .ecdhES].contains(algorithm)
    let key = try Self.key(algorithm)
    let text = try JWE.encryptJSON(
      [1], to: [JWERecipient(key: key.encryptionKey)],
      contentEncryption: algorithm.row.isIntegrated ? nil : .a256gcm, serialization: serialization)
    #expect(text.contains("encrypted_key") != isDirect)
    func with(_ value: String) -> String {
      let others = text.replacing(#""encrypted_key":""#, with: #""other":""#)
      let member = #""encrypted_key":"\#(value)","#
      return serialization == .flattened
        ? "{\(member)" + others.dropFirst()
        : others.replacing(#""recipients":[{"#, with: #""recipients":[{\#(member)"#).replacing(",}", with: "}")
    }
    #expect(try verdict(of: with(""), with: key) == (isDirect ? "accepted" : "malformed(encrypted_key)"))
    if isDirect { #expect(try verdict(of: with("AA"), with: key) != "accepted") }
  }

  private static func key(_ algorithm: KeyManagementAlgorithm) throws -> DecryptionKey {
    guard !algorithm.usesPassword else { return try DecryptionKey(password: [1, 2, 3], algorithm: algorithm) }
    guard algorithm != .dir else {
      return try DecryptionKey(JWK.generate(ContentEncryptionAlgorithm.a256gcm), algorithm: .dir)
    }
    return try DecryptionKey(JWK.generate(algorithm), algorithm: algorithm)
  }

  @Test("the first recipient's encrypted key may stand beside the recipients as well, and no other")
  func repeatedEncryptedKey() throws {
    let (first, second) = (try Self.jwk(.a128kw, "1"), try Self.jwk(.a128kw, "2"))
    let recipients = try [first, second].map { JWERecipient(key: try EncryptionKey($0)) }
    let text = try JWE.encryptJSON([1], to: recipients)
    let message = try JSONObject(parsing: Array(text.utf8))
    let keys = try #require(message["recipients"]?.arrayValue).map { $0.objectValue?["encrypted_key"]?.stringValue }
    func verdictRepeating(_ key: String?, with jwk: JWK) throws -> String {
      let changed = "{\"encrypted_key\":\"\(try #require(key))\"," + text.dropFirst()
      return try verdict(of: changed, with: DecryptionKey(jwk))
    }
    #expect(try verdictRepeating(keys[0], with: first) == "accepted")
    #expect(try verdictRepeating(keys[0], with: second) == "accepted")
    #expect(try verdictRepeating(keys[1], with: second) == "malformed(encrypted_key)")
    #expect(try verdictRepeating("", with: first) == "malformed(encrypted_key)")
    for value in ["1", "null", "{}"] {
      let changed = "{\"encrypted_key\":\(value)," + text.dropFirst()
      #expect(try verdict(of: changed, with: DecryptionKey(first)) == "malformed(encrypted_key)")
    }
  }

  private func verdict(of text: String, with key: DecryptionKey) throws -> String {
    refusal { _ = try JWE.decryptJSON(text, with: key, contentEncryption: [.a256gcm]) }
  }

  @Test("sixteen recipients are looked at, seventeen are not")
  func recipientLimit() throws {
    let jwk = try Self.jwk(.a128kw, "k")
    let others = try (0..<15).map { try Self.jwk(.a128kw, "\($0)") }
    let edge = try JWE.encryptJSON([1], to: try (others + [jwk]).map { JWERecipient(key: try EncryptionKey($0)) })
    let key = try DecryptionKey(jwk)
    #expect(try JWE.decryptJSON(edge, with: key, contentEncryption: [.a256gcm]).plaintext == [1])
    let beyond = edge.replacing(#""recipients":[{"#, with: #""recipients":[{"header":{"alg":"A128KW"}},{"#)
    #expect(
      refusal { _ = try JWE.decryptJSON(beyond, with: key, contentEncryption: [.a256gcm]) }
        == "limitExceeded(recipientCount)")
  }
}
