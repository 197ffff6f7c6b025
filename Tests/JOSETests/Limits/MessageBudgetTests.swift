import PureCrypto
import StrictJSON
import Testing

@testable import JOSE

/// What one message may cost, however its sender divides it among headers, signatures and recipients.
@Suite("The budget of a message")
struct MessageBudgetTests {
  private static func members(_ count: Int, prefix: String = "m") -> String {
    "{" + (0..<count).map { "\"\(prefix)\($0)\":0" }.joined(separator: ",") + "}"
  }

  /// A JWE in JSON serialization that opens with `key`, with text put in before its first member.
  private static func sealed(_ key: DecryptionKey, _ inserted: String = "") throws -> String {
    let text = try JWE.encryptJSON([1], to: [JWERecipient(key: key.encryptionKey)])
    return "{\(inserted)" + text.dropFirst()
  }

  private static func signed(_ unprotected: [String]) throws -> String {
    let key = try TestKeys.signing()
    return JSONSignatureTests.message(
      try unprotected.map { try JSONSignatureTests.entry(#"{"alg":"ES256"}"#, key, unprotected: $0) })
  }

  private func verdict(opening text: String, with key: DecryptionKey, _ limits: Limits = .default) -> String {
    refusal { _ = try JWE.decryptJSON(text, with: key, contentEncryption: [.a256gcm], limits: limits) }
  }

  private func verdict(verifying text: String, _ limits: Limits = .default) -> String {
    refusal { _ = try JWS.verifyJSON(text, requiring: .key(TestKeys.signing().verificationKey), limits: limits) }
  }

  @Test("members of all headers together, at the edge and one past it")
  func memberCount() throws {
    let key = try DecryptionKey(JWK.generate(KeyManagementAlgorithm.a128kw))
    // `alg` and `enc` are protected.
    #expect(verdict(opening: try Self.sealed(key, #""unprotected":\#(Self.members(510)),"#), with: key) == "accepted")
    #expect(
      verdict(opening: try Self.sealed(key, #""unprotected":\#(Self.members(511)),"#), with: key)
        == "limitExceeded(headerMemberCount)")
    // Each of two signatures has `alg`.
    #expect(verdict(verifying: try Self.signed([Self.members(255), Self.members(255)])) == "accepted")
    #expect(
      verdict(verifying: try Self.signed([Self.members(255), Self.members(256)]))
        == "limitExceeded(headerMemberCount)")
    let token = try JWS.sign([], with: TestKeys.signing())
    var limits = Limits()
    limits.headerMemberCount = 1
    #expect(
      refusal { _ = try JWS.verify(token, with: TestKeys.signing().verificationKey, limits: limits) } == "accepted")
    limits.headerMemberCount = 0
    #expect(
      refusal { _ = try JWS.verify(token, with: TestKeys.signing().verificationKey, limits: limits) }
        == "limitExceeded(headerMemberCount)")
  }

  @Test("octets of all headers together, protected or not, at the edge and one past it")
  func headerOctets() throws {
    let key = try DecryptionKey(JWK.generate(KeyManagementAlgorithm.a128kw))
    let protectedCount = #"{"alg":"A128KW","enc":"A256GCM"}"#.utf8.count
    func note(_ count: Int) -> String { #"{"n":"\#(String(repeating: "x", count: count - 8))"}"# }
    let rest = 32 * 1024 - protectedCount
    #expect(verdict(opening: try Self.sealed(key, #""unprotected":\#(note(rest)),"#), with: key) == "accepted")
    #expect(
      verdict(opening: try Self.sealed(key, #""unprotected":\#(note(rest + 1)),"#), with: key)
        == "limitExceeded(headerByteCount)")
    let half = (32 * 1024 - 2 * #"{"alg":"ES256"}"#.utf8.count) / 2
    #expect(verdict(verifying: try Self.signed([note(half), note(half)])) == "accepted")
    #expect(verdict(verifying: try Self.signed([note(half), note(half + 1)])) == "limitExceeded(headerByteCount)")
  }

  @Test("algorithms are judged before any header is compared with another")
  func algorithmsFirst() throws {
    let key = try DecryptionKey(JWK.generate(KeyManagementAlgorithm.a128kw))
    let text = try Self.sealed(key, #""unprotected":{"alg":"x"},"#)
    #expect(verdict(opening: text, with: key) == "headerInvalid(header)")
    let other = try DecryptionKey(JWK.generate(KeyManagementAlgorithm.a192kw))
    #expect(verdict(opening: text, with: other) == "algorithmNotAllowed(alg)")
    #expect(
      refusal { _ = try JWE.decryptJSON(text, with: key, contentEncryption: [.a128gcm]) } == "algorithmNotAllowed(enc)")
    let signed = try Self.signed([#"{"alg":"x"}"#])
    #expect(verdict(verifying: signed) == "headerInvalid(header)")
    #expect(
      refusal { _ = try JWS.verifyJSON(signed, requiring: .key(TestKeys.hmac().verificationKey)) }
        == "algorithmNotAllowed(alg)")
  }

  /// Sixteen recipients without a name, for nobody's key.
  private static func recipients(_ algorithm: KeyManagementAlgorithm, curve: Curve? = nil) throws -> String {
    let stranger = try EncryptionKey(JWK.generate(algorithm, curve: curve))
    return try JWE.encryptJSON([1], to: Array(repeating: JWERecipient(key: stranger), count: 16))
  }

  @Test("attempts of all keys with all recipients share one work budget")
  func privateOperations() throws {
    let keys = try (0..<4).map { _ in try JWK.generate(.ecdhESA128KW, curve: .p521) }
    let text = try Self.recipients(.ecdhESA128KW, curve: .p521)
    func verdict(_ work: Int, keyCount: Int = 4) -> String {
      var limits = Limits()
      limits.additionalWork = work
      return refusal {
        _ = try JWE.decryptJSON(
          text, with: JWKSet(Array(keys.prefix(keyCount))), keyManagement: [.ecdhESA128KW],
          contentEncryption: [.a256gcm], limits: limits)
      }
    }
    #expect(verdict(Limits.default.additionalWork) == "limitExceeded(additionalWork)")
    // Sixteen recipients and one key: the first operation is free.
    #expect(verdict(15 * 500, keyCount: 1) == "decryptionFailed")
    #expect(verdict(15 * 500 - 1, keyCount: 1) == "limitExceeded(additionalWork)")
    #expect(verdict(31 * 500, keyCount: 2) == "decryptionFailed")
    #expect(verdict(31 * 500 - 1, keyCount: 2) == "limitExceeded(additionalWork)")
    #expect(verdict(63 * 500) == "decryptionFailed")
    #expect(verdict(63 * 500 - 1) == "limitExceeded(additionalWork)")
  }

  @Test(
    "a message costs 20 ms or three of its most expensive operations, whatever its sender writes",
    arguments: [1, 30, 500, 640, 2160, 5120, 6600, 9000, 40_960, 65_536])
  func greatestCost(_ operation: Int) throws {
    var work = WorkBudget(.default)
    var (spent, count) = (0, 0)
    while count < 100_000, (try? work.spend(Work(operation: operation, pass: 0))) != nil {
      spent += operation
      count += 1
    }
    #expect(spent <= max(20_000, 3 * operation))
    // Honest messages for several keys are opened.
    #expect(count >= 3 && (operation > 640 || count >= 16))
    // What each attempt works through besides doesn't take the three away.
    var long = WorkBudget(.default)
    #expect((0..<3).allSatisfy { _ in (try? long.spend(Work(operation: operation, pass: 100))) != nil })
    // One that begins with cheap attempts costs no more.
    var mixed = WorkBudget(.default)
    spent = 0
    for cost in [1, operation / 2, operation] + Array(repeating: operation, count: 1000) {
      guard (try? mixed.spend(Work(operation: cost, pass: 0))) != nil else { break }
      spent += cost
    }
    #expect(spent <= max(20_000, 3 * operation))
  }

  @Test("recipients without a name for an RSA key: three operations at least, and no more than the budget")
  func rsa() throws {
    let keys = try (0..<2).map { _ in JWK(.privateKey(.rsa(try AnyRSAPrivateKey(bitCount: 2048)))) }
    let stranger = JWERecipient(key: try EncryptionKey(keys[0], algorithm: .rsaOAEP256))
    let text = try JWE.encryptJSON([1], to: Array(repeating: stranger, count: 16))
    let key = try DecryptionKey(keys[1], algorithm: .rsaOAEP256)
    var limits = Limits()
    func verdict() -> String {
      refusal {
        _ = try JWE.decryptJSON(text, with: key, contentEncryption: [.a256gcm], limits: limits)
      }
    }
    #expect(verdict() == "decryptionFailed")
    limits.additionalWork = 0
    #expect(verdict() == "limitExceeded(additionalWork)")
  }

  @Test("four keys of a cheap algorithm are all tried with sixteen recipients")
  func cheapOperations() throws {
    let keys = try (0..<4).map { _ in try JWK.generate(KeyManagementAlgorithm.a128kw) }
    let strangers = try (0..<15).map { _ in try JWK.generate(KeyManagementAlgorithm.a128kw) }
    let text = try JWE.encryptJSON(
      [1], to: (strangers + [keys[3]]).map { JWERecipient(key: try EncryptionKey($0)) })
    let opened = try JWE.decryptJSON(
      text, with: JWKSet(keys), keyManagement: [.a128kw], contentEncryption: [.a256gcm])
    #expect(opened.plaintext == [1])
  }

  @Test("iterations of passwords add up over all recipients")
  func iterations() throws {
    func recipient(_ count: Int) -> String {
      #"{"header":{"p2s":"AAAAAAAAAAA","p2c":\#(count)},"encrypted_key":"\#(String(repeating: "A", count: 32))"}"#
    }
    func message(_ counts: [Int]) -> String {
      let protected = Base64URL.encode(#"{"alg":"PBES2-HS256+A128KW","enc":"A128GCM"}"#.utf8)
      return #"{"protected":"\#(protected)","recipients":[\#(counts.map(recipient).joined(separator: ","))],"#
        + #""iv":"AAAAAAAAAAAAAAAA","ciphertext":"AA","tag":"AAAAAAAAAAAAAAAAAAAAAA"}"#
    }
    let key = try DecryptionKey(password: "entrap".utf8, algorithm: .pbes2HS256A128KW)
    func verdict(_ counts: [Int]) -> String {
      refusal { _ = try JWE.decryptJSON(message(counts), with: key, contentEncryption: [.a128gcm]) }
    }
    // The largest is free; of the others, two iterations cost one.
    #expect(verdict([1000, 50_000, 25_000]) == "decryptionFailed")
    #expect(verdict([1000, 50_000, 25_002]) == "limitExceeded(additionalWork)")
    #expect(verdict([50_000, 50_000]) == "limitExceeded(additionalWork)")
  }

  @Test("attempts to verify share one work budget, and required signatures are free")
  func verifications() throws {
    let keys = try (0..<4).map { _ in try SigningKey.generate(.es512) }
    let forged = try JWS.signJSON([1], with: Array(repeating: JWSSigner(key: .generate(.es512)), count: 16))
    let all = keys.map(\.verificationKey)
    #expect(
      refusal { _ = try JWS.verifyJSON(forged, requiring: .any(of: all)) } == "limitExceeded(additionalWork)")
    var tight = Limits()
    tight.additionalWork = 15 * 500 - 1
    #expect(
      refusal { _ = try JWS.verifyJSON(forged, requiring: .key(all[0]), limits: tight) }
        == "limitExceeded(additionalWork)")
    #expect(refusal { _ = try JWS.verifyJSON(forged, requiring: .key(all[0])) } == "signatureInvalid")
    let signers = try (0..<12).map { try SigningKey(JWK.generate(.es512, keyID: "\($0)")) }
    let many = try JWS.signJSON([1], with: signers.map { JWSSigner(key: $0) })
    let verified = try JWS.verifyJSON(many, requiring: .all(of: signers.map(\.verificationKey)))
    #expect(verified.signatures.count == 12)
    var limits = Limits()
    limits.additionalWork = 100_000
    #expect(
      refusal { _ = try JWS.verifyJSON(forged, requiring: .any(of: all), limits: limits) } == "signatureInvalid")
  }

  @Test("verifications count with the payload that each of them hashes")
  func payloads() throws {
    let payload = [UInt8](repeating: 0, count: 600_000)
    let stranger = try SigningKey.generate(.hs256)
    let text = try JWS.signJSON(payload, with: [JWSSigner(key: stranger), JWSSigner(key: stranger)])
    func verdict(_ work: Int) -> String {
      var limits = Limits()
      limits.additionalWork = work
      return refusal {
        _ = try JWS.verifyJSON(text, requiring: .key(TestKeys.hmac().verificationKey), limits: limits)
      }
    }
    // 800 000 characters and a header at 2.5 ns each.
    #expect(verdict(2000) == "signatureInvalid")
    #expect(verdict(1999) == "limitExceeded(additionalWork)")
  }

  /// Every number in ``Limits``.
  static let members: [WritableKeyPath<Limits, Int> & Sendable] = [
    \.tokenByteCount, \.messageByteCount, \.headerByteCount, \.headerMemberCount, \.claimsByteCount,
    \.signatureByteCount, \.encryptedKeyByteCount, \.keySetByteCount, \.keySetKeyCount, \.candidateKeyCount,
    \.additionalWork, \.headerDepth, \.claimsDepth, \.objectMemberCount, \.keyIDByteCount, \.criticalCount,
    \.certificateCount, \.certificateChainByteCount, \.signatureCount, \.recipientCount, \.disclosureCount,
    \.disclosureByteCount, \.statusListByteCount,
    \.minimumPasswordIterationCount, \.maximumPasswordIterationCount, \.formByteCount, \.formFieldCount,
  ]

  @Test("no value of a limit traps in any call", arguments: [Int.max, .max - 1, .min, .min + 1, 0, -1])
  func extremes(value: Int) async throws {
    #expect(Self.members.count + 1 == Mirror(reflecting: Limits.default).children.count)
    var all = Limits()
    for member in Self.members {
      var limits = Limits()
      limits[keyPath: member] = value
      all[keyPath: member] = value
      try await use(limits)
    }
    all.decompressedByteCount = value
    try await use(all)
    var compressed = Limits()
    compressed.decompressedByteCount = value
    try await use(compressed)
  }

  /// Every call that takes limits, with a message that the defaults accept. Whether these do is of no interest here.
  private func use(_ limits: Limits) async throws {
    _ = try? FormFields(decoding: "a=b&c=d".utf8, limits: limits)
    let signer = try TestKeys.signing(keyID: "k")
    let key = signer.verificationKey
    let jwk = try #require(key.publicJWK)
    let set = JWKSet([jwk])
    let token = try JWT.sign(["sub": "s"] as JSONObject, with: signer)
    _ = try? JWS.verify(token, with: key, limits: limits)
    _ = try? JWS.verify(token, with: set, algorithms: [.es256], limits: limits)
    _ = try? JWS.verifyDetached(JWS.signDetached([1], with: signer), payload: [1], with: key, limits: limits)
    let json = try JWS.signJSON(
      [1], with: [JWSSigner(key: signer), JWSSigner(key: signer, unprotectedHeader: ["a": 1])])
    _ = try? JWS.verifyJSON(json, requiring: .all(of: [key]), limits: limits)
    _ = try? JWS.verifyJSON(json, requiring: .any(of: set, algorithms: [.es256]), limits: limits)
    _ = try? UnverifiedJWS(parsing: token, limits: limits)
    let policy = JWTPolicy(issuer: .notChecked, audience: .notChecked, requiredClaims: [], limits: limits)
    let verifier = JWTVerifier(key: key, policy: policy)
    _ = try? verifier.verify(token)
    _ = try? verifier.verify(token, as: [String: String].self)
    let list = try StatusList(bits: 1, count: 8)
    _ = try? StatusList(list.claim, limits: limits)
    let uri = "https://issuer.example/1"
    let signedList = try list.signed(for: uri, timeToLive: .seconds(60), with: signer)
    _ = try? StatusListToken(verifying: signedList, at: uri, by: verifier)
    _ = try? CredentialQuery(
      parsing: #"{"credentials":[{"id":"a","format":"dc+sd-jwt","meta":{"vct_values":["t"]}}]}"#.utf8, limits: limits)
    let receiver = try TestKeys.decryption()
    let password = try EncryptionKey(password: "p".utf8, algorithm: .pbes2HS256A128KW, iterationCount: 1000)
    let opening = try DecryptionKey(password: "p".utf8, algorithm: .pbes2HS256A128KW)
    let sealed = try JWT.signAndEncrypt(["sub": "s"] as JSONObject, with: signer, to: receiver.encryptionKey)
    _ = try? NestedJWTVerifier(decryptionKey: receiver, contentEncryption: [.a256gcm], verifier: verifier).verify(
      sealed)
    _ = try? JWE.decrypt(sealed, with: receiver, contentEncryption: [.a256gcm], limits: limits)
    _ = try? JWE.prepareDecryption(sealed, contentEncryption: [.a256gcm], limits: limits)
    _ = try? JWE.decrypt(JWE.encrypt([1], to: password), with: opening, contentEncryption: [.a256gcm], limits: limits)
    let general = try JWE.encryptJSON([1], to: [JWERecipient(key: password), JWERecipient(key: password)])
    _ = try? JWE.decryptJSON(general, with: opening, contentEncryption: [.a256gcm], limits: limits)
    let deflated = Base64URL.encode(#"{"alg":"dir","enc":"A128GCM","zip":"DEF"}"#.utf8) + "..AAAAAAAAAAAAAAAA.AA.AAAA"
    _ = try? JWE.decrypt(deflated, with: receiver, contentEncryption: [.a128gcm], limits: limits)
    _ = try? JWK(parsing: jwk.serialized(), limits: limits)
    _ = try? JWKSet(parsing: set.serialized(), limits: limits)
    let proof = try DPoP.proof(method: "GET", url: "https://a.example/", key: TestKeys.signing())
    let proofs = DPoPVerifier(limits: limits, records: MemoryRecordStore())
    _ = try? await proofs.verify(proof, method: "GET", url: "https://a.example/", binding: .none)
    var remote = RemoteKeySetPolicy.patient
    remote.limits = limits
    let keys = RemoteKeySet(url: "https://idp.example.com/jwks", policy: remote) { _ in
      HTTPResponseValue(status: 200, body: set.serialized())
    }
    _ = try? await RemoteJWTVerifier(keys: keys, algorithms: [.es256], policy: policy).verify(token)
  }
}
