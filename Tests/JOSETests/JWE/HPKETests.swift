import JOSE
import PureCrypto
import StrictJSON
import Testing

@Suite("JWE with HPKE")
struct HPKETests {
  static let integrated = KeyManagementAlgorithm.allCases.filter(\.row.isIntegrated)
  static let keyEncryption = KeyManagementAlgorithm.allCases.filter { $0.row.suite != nil && !$0.row.isIntegrated }
  static let lattices = KeyManagementAlgorithm.allCases.filter {
    ["8", "9", "10", "12", "13"].contains($0.name.split(separator: "-").dropFirst().first ?? "")
  }
  static let text = Array("Where no letter of recommendation is asked for".utf8)
  static let all = ContentEncryptionAlgorithm.allCases

  private static func segments(_ token: String) -> [String] {
    token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
  }

  private func header(_ token: String) throws -> JSONObject {
    try JSONObject(parsing: Base64URL.decode(Self.segments(token)[0]))
  }

  private func outcome(_ token: String, _ key: DecryptionKey) -> String {
    refusal {
      _ =
        token.hasPrefix("{")
        ? try JWE.decryptJSON(token, with: key, contentEncryption: Self.all)
        : try JWE.decrypt(token, with: key, contentEncryption: Self.all)
    }
  }

  // MARK: Integrated encryption

  @Test("integrated encryption has no enc, no vector and no tag", arguments: integrated)
  func integratedForm(_ algorithm: KeyManagementAlgorithm) throws {
    let jwk = try JWK.generate(algorithm, keyID: "k")
    #expect(jwk.algorithm == algorithm.name && jwk.use == "enc")
    for text in [Self.text, []] {
      let token = try JWE.encrypt(text, to: EncryptionKey(#require(jwk.publicKey)))
      #expect(try header(token).names == ["alg", "kid"])
      let parts = Self.segments(token)
      #expect(parts.count == 5 && parts[2].isEmpty && parts[4].isEmpty && !parts[1].isEmpty)
      #expect(try Base64URL.decode(parts[3]).count == text.count + 16)
      let key = try DecryptionKey(jwk)
      // The suite decides, and no list: what it says of content encryption is about other messages.
      for accepted in [Self.all, [.a128cbcHS256], []] {
        let opened = try JWE.decrypt(token, with: key, contentEncryption: accepted)
        #expect(opened.plaintext == text && opened.header.keyID == "k")
      }
      let fromSet = try JWE.decrypt(
        token, with: JWKSet([jwk]), keyManagement: [algorithm, .ecdhES], contentEncryption: Self.all)
      #expect(fromSet.plaintext == text)
    }
    #expect(
      refusal { _ = try JWE.encrypt(Self.text, to: EncryptionKey(jwk), contentEncryption: .a256gcm) }
        == "callerMisuse(enc)")
    #expect(
      refusal { _ = try JWE.encrypt(Self.text, to: EncryptionKey(jwk), agreementPartyUInfo: .octets([1])) }
        == "callerMisuse(apu)")
  }

  @Test("integrated encryption in JSON takes further data, and one recipient", arguments: integrated)
  func integratedJSON(_ algorithm: KeyManagementAlgorithm) throws {
    let jwk = try JWK.generate(algorithm, keyID: "k")
    let key = try EncryptionKey(jwk)
    for serialization in [JOSESerialization.flattened, .general] {
      for data in [nil, Array("further".utf8)] {
        let token = try JWE.encryptJSON(
          Self.text, to: [JWERecipient(key: key, unprotectedHeader: ["x": 1])], additionalAuthenticatedData: data,
          serialization: serialization)
        let object = try JSONObject(parsing: token.utf8)
        #expect(object["iv"] == nil && object["tag"] == nil && object["ciphertext"] != nil)
        let opened = try JWE.decryptJSON(token, with: DecryptionKey(jwk), contentEncryption: Self.all)
        #expect(opened.plaintext == Self.text)
        guard data != nil else { continue }
        var changed = object
        changed["aad"] = "AAAA"
        #expect(outcome(changed.text, try DecryptionKey(jwk)) == "decryptionFailed")
      }
    }
    let other = try EncryptionKey(JWK.generate(.a256kw))
    for recipients in [[key, key], [key, other], [other, key]] {
      #expect(
        refusal { _ = try JWE.encryptJSON(Self.text, to: recipients.map { JWERecipient(key: $0) }) }
          == "callerMisuse(alg)")
    }
  }

  @Test("what integrated encryption may not have is refused")
  func integratedRefusals() throws {
    let jwk = try JWK.generate(.hpke(.p256SHA256AES128GCM))
    let key = try DecryptionKey(jwk)
    let token = try JWE.encryptJSON(
      Self.text, to: [JWERecipient(key: EncryptionKey(jwk))], serialization: .flattened)
    let message = try JSONObject(parsing: token.utf8)
    #expect(outcome(token, key) == "accepted")

    func protected(_ change: (inout JSONObject) -> Void) throws -> String {
      var header = try JSONObject(parsing: Base64URL.decode(#require(message["protected"]?.stringValue)))
      change(&header)
      return Base64URL.encode(header.serialized())
    }
    func changed(_ change: (inout JSONObject) throws -> Void) rethrows -> String {
      var copy = message
      try change(&copy)
      return outcome(copy.text, key)
    }
    for (name, value) in [("enc", "A128GCM"), ("ek", "AAAA")] as [(String, JSONValue)] {
      #expect(try changed { $0["protected"] = .string(try protected { $0[name] = value }) } == "headerInvalid(\(name))")
      #expect(changed { $0["header"] = .object(JSONObject([(name, value)])) } == "headerInvalid(\(name))")
      #expect(changed { $0["unprotected"] = .object(JSONObject([(name, value)])) } == "headerInvalid(\(name))")
    }
    #expect(changed { $0["header"] = ["psk_id": "AAAA"] } == "headerInvalid(psk_id)")
    // An alg that nothing protects.
    #expect(
      try changed {
        $0["protected"] = .string(try protected { ($0["alg"], $0["x"]) = (nil, 1) })
        $0["header"] = ["alg": "HPKE-0"]
      } == "headerInvalid(enc)")
    #expect(
      try changed {
        $0["protected"] = .string(try protected { ($0["alg"], $0["enc"]) = (nil, "A128GCM") })
        $0["header"] = ["alg": "HPKE-0"]
        ($0["iv"], $0["tag"]) = ("AAAAAAAAAAAAAAAA", "AAAAAAAAAAAAAAAAAAAAAA")
      } == "headerInvalid(enc)")
    for name in ["iv", "tag"] {
      #expect(changed { $0[name] = "" } == "malformed(\(name))")
      #expect(changed { $0[name] = "AAAAAAAAAAAAAAAA" } == "malformed")
    }
    #expect(changed { $0["ciphertext"] = nil } == "malformed(ciphertext)")
    #expect(changed { $0["encrypted_key"] = nil } == "malformed")
    #expect(changed { $0["encrypted_key"] = "AAAA" } == "keyInvalid(ek)")
    // Each segment counts.
    let compact = Self.segments(try JWE.encrypt(Self.text, to: EncryptionKey(jwk)))
    for index in [2, 4] {
      var parts = compact
      parts[index] = "AAAAAAAAAAAAAAAA"
      #expect(outcome(parts.joined(separator: "."), key) == "malformed")
    }
    for index in [1, 3] {
      for position in [0, 1, 20] {
        var (parts, octets) = (compact, try Base64URL.decode(compact[index]))
        octets[position] ^= 1
        parts[index] = Base64URL.encode(octets)
        #expect(["decryptionFailed", "keyInvalid(ek)"].contains(outcome(parts.joined(separator: "."), key)))
      }
    }
    #expect(outcome([compact[0], compact[1], "", "AAAA", ""].joined(separator: "."), key) == "decryptionFailed")
  }

  // MARK: Key encryption

  @Test("key encryption carries the encapsulated key in ek", arguments: keyEncryption, all)
  func keyEncryptionForm(_ algorithm: KeyManagementAlgorithm, _ contentEncryption: ContentEncryptionAlgorithm) throws {
    let jwk = try JWK.generate(algorithm)
    let key = try DecryptionKey(jwk)
    let token = try JWE.encrypt(Self.text, to: EncryptionKey(jwk), contentEncryption: contentEncryption)
    let header = try header(token)
    #expect(header.names == ["alg", "enc", "ek"] && header["enc"]?.stringValue == contentEncryption.name)
    #expect(try JWE.decrypt(token, with: key, contentEncryption: [contentEncryption]).plaintext == Self.text)
    #expect(
      try Base64URL.decode(Self.segments(token)[1]).count == contentEncryption.row.keyByteCount + 16)
    for value in [nil, "AAAA", 1, "*", ""] as [JSONValue?] {
      var changed = header
      changed["ek"] = value
      var parts = Self.segments(token)
      parts[0] = Base64URL.encode(changed.serialized())
      let expected: Set =
        value == "AAAA" || value == "" ? ["keyInvalid(ek)"] : ["headerInvalid(ek)"]
      #expect(expected.contains(outcome(parts.joined(separator: "."), key)), "\(String(describing: value))")
    }
  }

  @Test("recipients with HPKE stand beside others")
  func severalRecipients() throws {
    let algorithms: [KeyManagementAlgorithm] =
      [.ecdhESA128KW, .a256kw, .rsaOAEP256] + Self.keyEncryption.filter { !Self.lattices.contains($0) }
    let keys = try algorithms.enumerated().map { try JWK.generate($1, keyID: "\($0)") }
    let token = try JWE.encryptJSON(Self.text, to: keys.map { JWERecipient(key: try EncryptionKey($0)) })
    for key in keys {
      #expect(
        try JWE.decryptJSON(token, with: DecryptionKey(key), contentEncryption: [.a256gcm]).plaintext == Self.text)
    }
    #expect(
      try JWE.decryptJSON(
        token, with: JWKSet(keys), keyManagement: KeyManagementAlgorithm.allCases, contentEncryption: [.a256gcm]
      ).plaintext == Self.text)
  }

  // MARK: ML-KEM

  @Test("a recipient with ML-KEM can't be combined with one whose key a quantum computer finds")
  func mixedRecipients() throws {
    let safe = try [
      .a256kw, .hpkeKeyEncryption(.mlKEM768P256SHAKE256AES256GCM), .hpkeKeyEncryption(.mlKEM768SHAKE256AES256GCM),
    ]
    .map { JWERecipient(key: try EncryptionKey(JWK.generate($0, keyID: $0.name))) }
    let password = JWERecipient(
      key: try EncryptionKey(password: "entrap".utf8, algorithm: .pbes2HS256A128KW, iterationCount: 1000))
    #expect(refusal { _ = try JWE.encryptJSON(Self.text, to: safe + [password]) } == "accepted")
    for other in [.ecdhESA256KW, .rsaOAEP256, .hpkeKeyEncryption(.x25519SHA256ChaChaPoly)] as [KeyManagementAlgorithm] {
      let recipient = JWERecipient(key: try EncryptionKey(JWK.generate(other)))
      for recipients in [safe + [recipient], [recipient, safe[1]]] {
        #expect(refusal { _ = try JWE.encryptJSON(Self.text, to: recipients) } == "callerMisuse(alg)")
      }
      #expect(refusal { _ = try JWE.encryptJSON(Self.text, to: [safe[0], recipient]) } == "accepted")
    }
  }

  @Test("a key of ML-KEM is an AKP JWK of its algorithm", arguments: lattices)
  func algorithmKeyPair(_ algorithm: KeyManagementAlgorithm) throws {
    let jwk = try JWK.generate(algorithm, keyID: "k")
    let object = try JSONObject(parsing: jwk.serializedWithPrivateKey())
    #expect(object["kty"] == "AKP" && object["alg"]?.stringValue == algorithm.name)
    let seed = try Base64URL.decode(#require(object["priv"]?.stringValue))
    #expect(seed.count == (algorithm.name.contains("12") || algorithm.name.contains("13") ? 64 : 32))
    let again = try JWK(object)
    #expect(again.serializedWithPrivateKey() == jwk.serializedWithPrivateKey())
    let publicJWK = try #require(jwk.publicKey)
    #expect(try JWK(parsing: publicJWK.serialized()).isPrivate == false)
    // alg, kty, pub, as of other AKP keys.
    let pub = try #require(object["pub"]?.stringValue)
    #expect(
      String(decoding: jwk.thumbprintInput, as: UTF8.self)
        == #"{"alg":"\#(algorithm.name)","kty":"AKP","pub":"\#(pub)"}"#)
    for (name, value) in [
      ("priv", "AAAA"), ("pub", "AAAA"), ("pub", nil), ("alg", "HPKE-0"), ("alg", "HPKE-11"), ("alg", nil),
    ] as [(String, JSONValue?)] {
      var changed = object
      changed[name] = value
      #expect(refusal { _ = try JWK(changed) } != "accepted", "\(name) \(String(describing: value))")
    }
    var foreign = object
    foreign["priv"] = .string(Base64URL.encode([UInt8](repeating: 7, count: seed.count)))
    #expect(refusal { _ = try JWK(foreign) } == "keyInvalid(priv)")
    #expect(refusal { _ = try SigningKey(jwk) } != "accepted")
    #expect(refusal { _ = try VerificationKey(publicJWK) } != "accepted")
  }

  @Test("keys of ML-KEM alone have files, in which the caller names the algorithm; hybrids have none")
  func keyFiles() throws {
    for (algorithm, hasFile) in [
      (KeyManagementAlgorithm.hpke(.mlKEM768SHAKE256AES256GCM), true),
      (.hpkeKeyEncryption(.mlKEM1024SHAKE256AES256GCM), true), (.hpke(.mlKEM768P256SHAKE256AES256GCM), false),
      (.hpke(.mlKEM1024P384SHAKE256AES256GCM), false), (.hpke(.mlKEM768X25519SHAKE256AES256GCM), false),
    ] {
      let jwk = try JWK.generate(algorithm)
      guard hasFile else {
        #expect(jwk.privatePEMRepresentation == nil && jwk.publicPEMRepresentation == nil)
        continue
      }
      let (secret, open) = (try #require(jwk.privatePEMRepresentation), try #require(jwk.publicPEMRepresentation))
      let token = try JWE.encrypt(Self.text, to: EncryptionKey(pemRepresentation: open, algorithm: algorithm))
      let key = try DecryptionKey(pemRepresentation: secret, algorithm: algorithm)
      #expect(try JWE.decrypt(token, with: key, contentEncryption: Self.all).plaintext == Self.text)
      let nameless = try JWK(pemRepresentation: open)
      #expect(nameless.keyType == .akp && nameless.algorithm == nil)
      #expect(refusal { _ = try nameless.thumbprint() } == "keyMismatch(alg)")
      #expect(refusal { _ = try EncryptionKey(nameless) } == "keyMismatch(alg)")
      #expect(
        refusal { _ = try EncryptionKey(nameless, algorithm: .hpke(.mlKEM768P256SHAKE256AES256GCM)) }
          == "keyMismatch(kty)")
      #expect(refusal { _ = try VerificationKey(nameless, algorithm: .mlDSA65) } != "accepted")
    }
  }

  @Test("integrated encryption with each KEM fits the default limits, and no more does")
  func encapsulatedKeyLimit() throws {
    let jwk = try JWK.generate(.hpke(.mlKEM1024P384SHAKE256AES256GCM))
    let token = try JWE.encrypt(Self.text, to: EncryptionKey(jwk))
    #expect(try Base64URL.decode(Self.segments(token)[1]).count == 1665)
    var limits = Limits.default
    #expect(limits.encryptedKeyByteCount == 2048)
    for (limit, expected) in [(1665, "accepted"), (1664, "limitExceeded(encryptedKeyByteCount)")] {
      limits.encryptedKeyByteCount = limit
      #expect(
        refusal { _ = try JWE.decrypt(token, with: DecryptionKey(jwk), contentEncryption: [], limits: limits) }
          == expected)
    }
  }

  // MARK: What both sides know

  @Test(
    "a message opens only with the same info and pre-shared key on both sides", arguments: integrated + keyEncryption)
  func shared(_ algorithm: KeyManagementAlgorithm) throws {
    let jwk = try JWK.generate(algorithm)
    let (encryption, decryption) = (try EncryptionKey(jwk), try DecryptionKey(jwk))
    let secret = SecretBytes.random(count: 32)
    let (one, other) = ((secret, Array("one".utf8)), (SecretBytes.random(count: 32), Array("one".utf8)))

    let informed = try JWE.encrypt(Self.text, to: encryption.sharing(info: [1, 2]))
    #expect(outcome(informed, try decryption.sharing(info: [1, 2])) == "accepted")
    #expect(outcome(informed, decryption) == "decryptionFailed")
    #expect(outcome(informed, try decryption.sharing(info: [1, 3])) == "decryptionFailed")
    #expect(try header(informed).names.contains("psk_id") == false)

    let keyed = try JWE.encrypt(Self.text, to: encryption.sharing(info: [1], preSharedKey: one))
    #expect(try header(keyed)["psk_id"]?.stringValue == Base64URL.encode("one".utf8))
    #expect(outcome(keyed, try decryption.sharing(info: [1], preSharedKey: one)) == "accepted")
    #expect(outcome(keyed, try decryption.sharing(preSharedKey: one)) == "decryptionFailed")
    #expect(outcome(keyed, try decryption.sharing(info: [1], preSharedKey: other)) == "decryptionFailed")
    #expect(outcome(keyed, try decryption.sharing(info: [1])) == "keyMismatch(psk_id)")
    #expect(
      outcome(keyed, try decryption.sharing(info: [1], preSharedKey: (secret, [7]))) == "keyMismatch(psk_id)")
    // With a pre-shared key nobody is heard who doesn't have it.
    let plain = try JWE.encrypt(Self.text, to: encryption)
    #expect(outcome(plain, decryption) == "accepted")
    #expect(outcome(plain, try decryption.sharing(preSharedKey: one)) == "keyMismatch(psk_id)")
  }

  @Test("an invalid pre-shared key or info is refused, and so is one for other algorithms")
  func sharingRefusals() throws {
    let key = try EncryptionKey(JWK.generate(.hpke(.x25519SHA256ChaChaPoly)))
    let secret = SecretBytes.random(count: 32)
    func refused(_ make: () throws -> EncryptionKey) -> String { refusal { _ = try make() } }
    #expect(refused { try key.sharing(preSharedKey: (.random(count: 31), [1])) } == "keyInvalid(psk)")
    #expect(refused { try key.sharing(preSharedKey: (.random(count: 65_536), [1])) } == "keyInvalid(psk)")
    #expect(refused { try key.sharing(preSharedKey: (secret, [])) } == "keyInvalid(psk_id)")
    #expect(
      refused { try key.sharing(preSharedKey: (secret, [UInt8](repeating: 1, count: 70_000))) }
        == "limitExceeded(keyIDByteCount)")
    #expect(refused { try key.sharing(info: [UInt8](repeating: 1, count: 65_001)) } == "limitExceeded(info)")
    #expect(refused { try key.sharing(info: [UInt8](repeating: 1, count: 65_000)) } == "accepted")
    for other in [KeyManagementAlgorithm.ecdhES, .a128kw] {
      #expect(refused { try EncryptionKey(JWK.generate(other)).sharing(info: [1]) } == "callerMisuse(alg)")
      #expect(refusal { _ = try DecryptionKey(JWK.generate(other)).sharing(info: [1]) } == "callerMisuse(alg)")
    }
    let failure = #expect(throws: JOSEError.self) { try key.sharing(preSharedKey: (.random(count: 31), [1])) }
    #expect(failure?.fault == .callerMisuse)
  }

  // MARK: Keys

  @Test("a key serves one algorithm", arguments: integrated + keyEncryption)
  func oneAlgorithm(_ algorithm: KeyManagementAlgorithm) throws {
    let jwk = try JWK.generate(algorithm)
    var unnamed = jwk
    unnamed.algorithm = nil
    let token = try JWE.encrypt(Self.text, to: EncryptionKey(jwk))
    for other in Self.integrated + Self.keyEncryption + [.ecdhES, .ecdhESA256KW] where other != algorithm {
      let fits = other.row.suite.map { $0.kem == algorithm.row.suite?.kem } ?? (jwk.keyType != .akp)
      let expected = fits ? "keyMismatch(alg)" : "keyMismatch(kty)"
      #expect(refusal { _ = try EncryptionKey(jwk, algorithm: other) } == expected)
      #expect(refusal { _ = try DecryptionKey(jwk, algorithm: other) } == expected)
      guard fits else { continue }
      // Bound to another by the caller, the key opens nothing of this one.
      #expect(outcome(token, try DecryptionKey(unnamed, algorithm: other)) == "algorithmNotAllowed(alg)")
      // A key without a name serves no choice between two.
      #expect(
        refusal {
          _ = try JWE.decrypt(
            token, with: JWKSet([unnamed]), keyManagement: [algorithm, other], contentEncryption: Self.all)
        } == "keyNotFound(kid)")
    }
    #expect(
      try JWE.decrypt(token, with: JWKSet([unnamed]), keyManagement: [algorithm], contentEncryption: Self.all)
        .plaintext == Self.text)
    #expect(refusal { _ = try SigningKey(jwk) } != "accepted")
    #expect(
      refusal { _ = try DecryptionKey(JWK.generate(algorithm, curve: .p256)) }
        == (jwk.curve == .p256 ? "accepted" : "callerMisuse(crv)"))
  }

  @Test("key_ops may name encryption or derivation, and for key encryption also wrapping")
  func keyOperations() throws {
    let suite = HPKE.Ciphersuite.p256SHA256AES256GCM
    let names = ["encrypt", "decrypt", "wrapKey", "unwrapKey", "deriveKey", "deriveBits", "sign", "verify"]
    func accepted(_ algorithm: KeyManagementAlgorithm, _ make: (JWK) throws -> Void) throws -> [String] {
      let jwk = try JWK.generate(algorithm)
      return names.filter { name in
        var copy = jwk
        (copy.keyOperations, copy.use) = ([name], nil)
        return refusal { try make(copy) } == "accepted"
      }
    }
    let (whole, key) = (KeyManagementAlgorithm.hpke(suite), KeyManagementAlgorithm.hpkeKeyEncryption(suite))
    #expect(try accepted(whole) { _ = try DecryptionKey($0) } == ["decrypt", "deriveKey", "deriveBits"])
    #expect(try accepted(key) { _ = try DecryptionKey($0) } == ["decrypt", "unwrapKey", "deriveKey", "deriveBits"])
    func publicKey(_ jwk: JWK) throws -> EncryptionKey {
      var copy = try #require(jwk.publicKey)
      copy.keyOperations = jwk.keyOperations
      return try EncryptionKey(copy)
    }
    #expect(try accepted(whole) { _ = try publicKey($0) } == ["encrypt", "deriveKey", "deriveBits"])
    #expect(try accepted(key) { _ = try publicKey($0) } == ["encrypt", "wrapKey", "deriveKey", "deriveBits"])
  }

  @Test("names are those of the draft")
  func names() {
    #expect(
      Self.integrated.map(\.name)
        == [0, 1, 2, 3, 4, 7, 8, 9, 10, 12, 13].map { "HPKE-\($0)" })
    #expect(Self.keyEncryption.map(\.name) == Self.integrated.map { $0.name + "-KE" })
    for algorithm in Self.integrated + Self.keyEncryption {
      #expect(KeyManagementAlgorithm(name: algorithm.name) == algorithm)
    }
    #expect(KeyManagementAlgorithm.hpke(.p384SHA384AES256GCM).name == "HPKE-1")
    #expect(KeyManagementAlgorithm.hpkeKeyEncryption(.p521SHA512AES256GCM).name == "HPKE-2-KE")
    for name in ["HPKE-5", "HPKE-6", "HPKE-0-ke", "HPKE-P256-SHA256-A256GCM"] {
      #expect(KeyManagementAlgorithm(name: name) == nil)
    }
  }

  @Test("a nested token and compressed text are opened as from any JWE")
  func nested() throws {
    let jwk = try JWK.generate(.hpke(.p256SHA256AES256GCM))
    let signer = JWK.generate(.es256)
    let policy = JWTPolicy(issuer: .notChecked, audience: .notChecked, type: .notChecked, requiredClaims: [])
    let token = try JWT.signAndEncrypt(
      ["sub": "a"] as JSONObject, with: SigningKey(signer), to: EncryptionKey(jwk))
    let verified = try NestedJWTVerifier(
      decryptionKey: DecryptionKey(jwk), contentEncryption: [.a256gcm],
      verifier: JWTVerifier(key: VerificationKey(signer), policy: policy)
    ).verify(token)
    #expect(verified.claims["sub"]?.stringValue == "a")
  }
}

extension JSONObject {
  fileprivate var text: String { String(decoding: serialized(), as: UTF8.self) }
}
