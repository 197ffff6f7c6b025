import JOSE
import StrictJSON
import Testing

@Suite("JWE compact serialization")
struct JWETests {
  @Test("ECDH-ES opens what it encrypted, for every content encryption", arguments: ContentEncryptionAlgorithm.allCases)
  func agreement(_ contentEncryption: ContentEncryptionAlgorithm) throws {
    let key = try TestKeys.decryption()
    for count in [0, 1, 15, 16, 17, 300, 5000] {
      let plaintext = [UInt8](repeating: 0x5A, count: count)
      let token = try JWE.encrypt(plaintext, to: key.encryptionKey, contentEncryption: contentEncryption)
      let opened = try JWE.decrypt(token, with: key, contentEncryption: [contentEncryption])
      #expect(opened.plaintext == plaintext)
      #expect(opened.header["enc"] == .string(contentEncryption.name))
      #expect(opened.header["epk"] != nil && opened.header["apu"] == nil && opened.header["apv"] == nil)
    }
  }

  @Test("dir opens what it encrypted, for every content encryption", arguments: ContentEncryptionAlgorithm.allCases)
  func direct(_ contentEncryption: ContentEncryptionAlgorithm) throws {
    let jwk = JWK.generate(contentEncryption, keyID: "k")
    let key = try DecryptionKey(jwk)
    #expect(key.algorithm == .dir)
    let token = try JWE.encrypt(Array("hi".utf8), to: key.encryptionKey)
    let opened = try JWE.decrypt(token, with: key, contentEncryption: [contentEncryption])
    #expect(opened.plaintext == Array("hi".utf8) && opened.header.keyID == "k")
    let others = ContentEncryptionAlgorithm.allCases.filter { $0 != contentEncryption }
    #expect(code { _ = try JWE.decrypt(token, with: key, contentEncryption: others) } == .algorithmNotAllowed)
    #expect(code { _ = try JWE.encrypt([], to: key.encryptionKey, contentEncryption: others[0]) } == .keyMismatch)
  }

  @Test("two encryptions of one plaintext share neither ephemeral key, nor IV, nor ciphertext")
  func freshness() throws {
    let key = try TestKeys.decryption()
    let tokens = try (0..<2).map { _ in try JWE.encrypt(Array("same".utf8), to: key.encryptionKey).split(separator: ".")
    }
    for segment in 0..<4 { #expect(tokens[0][segment] != tokens[1][segment]) }
  }

  @Test("every change of a character is refused; what depends on a secret looks the same")
  func everyChangeIsRefused() throws {
    let key = try TestKeys.decryption()
    let text = Array(try JWE.encrypt(Array("plaintext".utf8), to: key.encryptionKey).utf8)
    for index in text.indices {
      for change in [0x01, 0x20, 0x80] as [UInt8] {
        var copy = text
        copy[index] ^= change
        let token = String(decoding: copy, as: UTF8.self)
        #expect(throws: JOSEError.self) { try JWE.decrypt(token, with: key, contentEncryption: [.a256gcm]) }
      }
    }
  }

  @Test("twelve corruptions that touch the secret part give one and the same error")
  func uniformFailure() throws {
    let key = try TestKeys.decryption()
    let token = try JWE.encrypt(
      Array("plaintext of some length".utf8), to: key.encryptionKey, agreementPartyUInfo: .octets([1, 2, 3]))
    var failures: Set<String> = []
    let segments = token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    for (segment, place) in [(2, 0), (2, 5), (2, 11), (3, 0), (3, 10), (3, 23), (4, 0), (4, 8), (4, 15)] {
      var copy = segments
      var octets = try Base64URL.decode(copy[segment])
      octets[place] ^= 0x40
      copy[segment] = Base64URL.encode(octets)
      failures.insert(
        describe { _ = try JWE.decrypt(copy.joined(separator: "."), with: key, contentEncryption: [.a256gcm]) })
    }
    let stranger = try DecryptionKey(JWK.generateForKeyAgreement())
    failures.insert(describe { _ = try JWE.decrypt(token, with: stranger, contentEncryption: [.a256gcm]) })
    let header = try JSONObject(parsing: Base64URL.decode(segments[0]))
    for (name, value) in [("apu", "AAAA"), ("new", "x")] {
      var changed = header
      changed[name] = .string(value)
      let copy = [Base64URL.encode(changed.serialized())] + segments[1...]
      failures.insert(
        describe { _ = try JWE.decrypt(copy.joined(separator: "."), with: key, contentEncryption: [.a256gcm]) })
    }
    #expect(
      failures == [
        "decryptionFailed: the message could not be opened: it is for another key or password, or was changed"
      ])
  }

  private func describe(_ body: () throws -> Void) -> String {
    do { try body() } catch { return "\(error)" }
    return "accepted"
  }

  @Test("the authenticated data is the header's text as received, however it is spelled")
  func headerTextIsAuthenticated() throws {
    let jwk = try JWK(parsing: TestKeys.octets32)
    let key = try DecryptionKey(jwk, algorithm: .dir)
    let token = try DirectToken.make(
      header: "{ \"enc\" :\n\"A256GCM\",\t\"alg\":\"dir\" }", plaintext: [1, 2, 3], key: jwk)
    #expect(try JWE.decrypt(token, with: key, contentEncryption: [.a256gcm]).plaintext == [1, 2, 3])
  }

  @Test(
    "headers that break the rules are refused before the key is used",
    arguments: [
      (#"{"alg":"dir"}"#, "headerInvalid(enc)"), (#"{"alg":"dir","enc":5}"#, "headerInvalid(enc)"),
      (#"{"enc":"A256GCM"}"#, "headerInvalid(alg)"), (#"{"alg":"dir","enc":"A257GCM"}"#, "algorithmNotAllowed(enc)"),
      (#"{"alg":"dir","enc":"a256gcm"}"#, "algorithmNotAllowed(enc)"),
      (#"{"alg":"dir","enc":"A128CBC-HS256"}"#, "algorithmNotAllowed(enc)"),
      (#"{"alg":"dir","enc":"A256GCM","zip":"DEF"}"#, "algorithmNotAllowed(zip)"),
      (#"{"alg":"RSA1_5","enc":"A256GCM"}"#, "algorithmNotAllowed(alg)"),
      (#"{"alg":"ECDH-ES","enc":"A256GCM"}"#, "algorithmNotAllowed(alg)"),
      ("{\"alg\":\"ECDH-ES+A128\u{212A}W\",\"enc\":\"A256GCM\"}", "algorithmNotAllowed(alg)"),
      (#"{"alg":"dir","enc":"A256GCM","crit":["exp"],"exp":1}"#, "criticalHeaderUnsupported(crit)"),
      (#"{"alg":"dir","enc":"A256GCM","crit":["enc"]}"#, "headerInvalid(crit)"),
    ])
  func headerRules(_ header: String, _ expected: String) throws {
    let jwk = try JWK(parsing: TestKeys.octets32)
    let token = try DirectToken.make(header: header, plaintext: [], key: jwk)
    let key = try DecryptionKey(jwk, algorithm: .dir)
    #expect(refusal { _ = try JWE.decrypt(token, with: key, contentEncryption: [.a256gcm, .a128gcm]) } == expected)
  }

  @Test("the ephemeral key must be present, public, whole and on the curve")
  func ephemeralKey() throws {
    let key = try TestKeys.decryption()
    let token = try JWE.encrypt([], to: key.encryptionKey)
    let segments = token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    let header = try JSONObject(parsing: Base64URL.decode(segments[0]))
    guard case .object(let epk)? = header["epk"] else { return #expect(Bool(false)) }
    func changed(_ change: (inout JSONObject) -> Void) -> JSONValue {
      var copy = epk
      change(&copy)
      return .object(copy)
    }
    let zero = JSONValue.string(Base64URL.encode([UInt8](repeating: 0, count: 32)))
    let cases: [(JSONValue?, String)] = [
      (nil, "headerInvalid(epk)"), ("x", "headerInvalid(epk)"), (.null, "headerInvalid(epk)"),
      (changed { $0["crv"] = "P-521" }, "keyMismatch(epk)"), (changed { $0["kty"] = "OKP" }, "keyMismatch(epk)"),
      (changed { $0["kty"] = "oct" }, "keyInvalid(epk)"), (changed { $0["d"] = zero }, "keyInvalid(epk)"),
      (changed { $0["k"] = "AA" }, "keyInvalid(epk)"), (changed { $0["x"] = nil }, "keyInvalid(epk)"),
      (changed { $0["x"] = $0["y"] }, "keyInvalid(epk)"),
      (
        changed {
          $0["x"] = zero; $0["y"] = zero
        }, "keyInvalid(epk)"
      ),
    ]
    for (value, expected) in cases {
      var copy = header
      copy["epk"] = value
      let text = ([Base64URL.encode(copy.serialized())] + segments[1...]).joined(separator: ".")
      #expect(refusal { _ = try JWE.decrypt(text, with: key, contentEncryption: [.a256gcm]) } == expected)
    }
  }

  @Test("direct algorithms have no encrypted key; IV and tag have their lengths")
  func segmentLengths() throws {
    let key = try TestKeys.decryption()
    let token = try JWE.encrypt([1], to: key.encryptionKey)
    let segments = token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    func refused(_ segment: Int, _ octets: [UInt8]) -> ErrorCode? {
      var copy = segments
      copy[segment] = Base64URL.encode(octets)
      return code { _ = try JWE.decrypt(copy.joined(separator: "."), with: key, contentEncryption: [.a256gcm]) }
    }
    #expect(refused(1, [0]) == .malformed)
    for count in [0, 11, 13, 16] { #expect(refused(2, [UInt8](repeating: 0, count: count)) == .malformed) }
    for count in [0, 4, 8, 12, 15, 17] { #expect(refused(4, [UInt8](repeating: 0, count: count)) == .malformed) }
    for text in ["", "....", ".....", token + ".", segments.dropLast().joined(separator: ".")] {
      #expect(code { _ = try JWE.decrypt(text, with: key, contentEncryption: [.a256gcm]) } == .malformed)
    }
    #expect(code { _ = try JWE.decrypt(token, with: key, contentEncryption: []) } == .callerMisuse)
  }

  @Test("JWS verification refuses a JWE, and JWE decryption refuses a JWS")
  func kindsAreNotConfused() throws {
    let encrypted = try JWE.encrypt(Array(#"{"sub":"admin"}"#.utf8), to: TestKeys.decryption().encryptionKey)
    let signed = try JWS.sign([], with: TestKeys.signing())
    #expect(code { _ = try JWS.verify(encrypted, with: TestKeys.signing().verificationKey) } == .malformed)
    #expect(
      code { _ = try JWE.decrypt(signed, with: TestKeys.decryption(), contentEncryption: [.a256gcm]) } == .malformed)
  }

  @Test("a key set opens by kid, and by nothing else")
  func keySet() throws {
    var first = JWK.generateForKeyAgreement(keyID: "first")
    let second = JWK.generateForKeyAgreement(keyID: "second")
    let token = try JWE.encrypt([7], to: EncryptionKey(second))
    let set = JWKSet([first, second])
    let open = { (set: JWKSet) throws in
      try JWE.decrypt(token, with: set, keyManagement: [.ecdhES], contentEncryption: [.a256gcm])
    }
    #expect(try open(set).plaintext == [7])
    #expect(refusal { _ = try open(JWKSet([first])) } == "keyNotFound(kid)")
    first.keyID = "second"
    #expect(refusal { _ = try open(JWKSet([first])) } == "decryptionFailed")
    #expect(
      refusal { _ = try JWE.decrypt(token, with: set, keyManagement: [.dir], contentEncryption: [.a256gcm]) }
        == "algorithmNotAllowed(alg)")
  }

  @Test("keys for another use, operation or algorithm are refused")
  func keyPolicy() throws {
    var jwk = try JWK(parsing: TestKeys.ecdhES)
    #expect(code { _ = try DecryptionKey(jwk) } == .keyMismatch)
    #expect(code { _ = try DecryptionKey(jwk, algorithm: .dir) } == .keyMismatch)
    jwk.use = "sig"
    #expect(code { _ = try DecryptionKey(jwk, algorithm: .ecdhES) } == .keyMismatch)
    #expect(code { _ = try EncryptionKey(jwk, algorithm: .ecdhES) } == .keyMismatch)
    jwk.use = "enc"
    jwk.keyOperations = ["wrapKey"]
    #expect(code { _ = try DecryptionKey(jwk, algorithm: .ecdhES) } == .keyMismatch)
    jwk.keyOperations = ["deriveBits"]
    #expect(try DecryptionKey(jwk, algorithm: .ecdhES).algorithm == .ecdhES)
    jwk.algorithm = "ECDH-ES+A256KW"
    #expect(code { _ = try DecryptionKey(jwk, algorithm: .ecdhES) } == .keyMismatch)
    #expect(code { _ = try EncryptionKey(jwk, algorithm: .ecdhES) } == .keyMismatch)
    #expect(try EncryptionKey(jwk).algorithm == .ecdhESA256KW)
    jwk.algorithm = "ECDH-1PU"
    #expect(code { _ = try EncryptionKey(jwk) } == .algorithmUnsupported)
    #expect(code { _ = try DecryptionKey(#require(jwk.publicKey), algorithm: .ecdhES) } == .keyMismatch)
    var octets = try JWK(parsing: TestKeys.octets32)
    octets.algorithm = "A128GCM"
    #expect(code { _ = try DecryptionKey(octets) } == .keyMismatch)
    octets = try JWK(parsing: #"{"kty":"oct","k":"AAAA"}"#)
    #expect(code { _ = try DecryptionKey(octets, algorithm: .dir) } == .keyInvalid)
  }

  @Test("limits: at the edge accepted, one past it refused")
  func limits() throws {
    let key = try TestKeys.decryption()
    let token = try JWE.encrypt([1, 2, 3], to: key.encryptionKey)
    var limits = Limits()
    limits.messageByteCount = token.utf8.count
    #expect(try JWE.decrypt(token, with: key, contentEncryption: [.a256gcm], limits: limits).plaintext == [1, 2, 3])
    limits.messageByteCount -= 1
    #expect(
      code { _ = try JWE.decrypt(token, with: key, contentEncryption: [.a256gcm], limits: limits) } == .limitExceeded)
  }
}
