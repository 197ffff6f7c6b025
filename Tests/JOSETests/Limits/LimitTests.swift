import JOSE
import PureCrypto
import StrictJSON
import PureJOSETestSupport
import Testing

/// Every member of ``Limits``: what is exactly as large as allowed is accepted, the first one past it refused.
/// LIMITS.md lists them.
@Suite("Limits, at the edge and one past it")
struct LimitTests {
  /// Sets a limit to what a message needs, then to one less.
  private func edge(
    _ limit: WritableKeyPath<Limits, Int>, _ size: Int, _ expected: String,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: (Limits) throws -> Void
  ) {
    var limits = Limits()
    limits[keyPath: limit] = size
    #expect(refusal { try body(limits) } == "accepted", sourceLocation: sourceLocation)
    limits[keyPath: limit] = size - 1
    #expect(refusal { try body(limits) } == expected, sourceLocation: sourceLocation)
  }

  private func policy(_ limits: Limits) -> JWTPolicy {
    JWTPolicy(issuer: .notChecked, audience: .notChecked, requiredClaims: [], limits: limits)
  }

  private func signed(_ header: String, _ payload: String) throws -> String {
    let input = Base64URL.encode(header.utf8) + "." + Base64URL.encode(payload.utf8)
    return input + "." + Base64URL.encode(try TestKeys.hmac().signature(for: Array(input.utf8)))
  }

  @Test("the longest signatures, and three certificates with the longest keys, are within the defaults")
  func postQuantum() throws {
    let key = try SigningKey.generate(.mlDSA87)
    // As long as those that RFC 9881 makes with short names.
    let certificates = [[UInt8]](repeating: [UInt8](repeating: 0x30, count: 7500), count: 3)
    let token = try JWS.sign([1], with: key, header: HeaderParameters(certificates: certificates))
    #expect(try JWS.verify(token, with: key.verificationKey).payload == [1])
    edge(\.signatureByteCount, 4627, "limitExceeded(signatureByteCount)") {
      _ = try JWS.verify(token, with: key.verificationKey, limits: $0)
    }
    let head = token.prefix { $0 != "." }
    for (count, expected) in [(8 * 1024, "signatureInvalid"), (8 * 1024 + 1, "limitExceeded(signatureByteCount)")] {
      let forged = "\(head).AQ.\(Base64URL.encode([UInt8](repeating: 1, count: count)))"
      #expect(refusal { _ = try JWS.verify(forged, with: key.verificationKey) } == expected)
    }
  }

  @Test("octets of tokens, headers, claims and signatures")
  func octets() throws {
    let key = try TestKeys.hmac()
    let claims: JSONObject = ["sub": "somebody"]
    let token = try JWT.sign(claims, with: key)
    func verify(_ token: String) -> (Limits) throws -> Void {
      { _ = try JWTVerifier(key: key.verificationKey, policy: policy($0)).verify(token) }
    }
    edge(\.tokenByteCount, token.utf8.count, "limitExceeded(tokenByteCount)", verify(token))
    edge(\.claimsByteCount, claims.serialized().count, "limitExceeded(claimsByteCount)", verify(token))
    // Four characters hold three octets: the segment is measured before it is decoded, the text after.
    for count in 30...33 {
      let header = "{\"alg\":\"HS256\"" + String(repeating: " ", count: count - 15) + "}"
      let token = try signed(header, "{}")
      var limits = Limits()
      limits.headerByteCount = count
      #expect(refusal { try verify(token)(limits) } == "accepted")
      limits.headerByteCount = count - 1
      #expect(refusal { try verify(token)(limits) }.hasPrefix("limitExceeded"))
    }
    edge(\.signatureByteCount, 32, "limitExceeded(signatureByteCount)", verify(token))
    let message = try JWS.sign([1, 2, 3], with: key)
    edge(\.messageByteCount, message.utf8.count, "limitExceeded(messageByteCount)") {
      _ = try JWS.verify(message, with: key.verificationKey, limits: $0)
    }
    let json = try JWS.signJSON([1, 2, 3], with: [JWSSigner(key: key)])
    edge(\.messageByteCount, json.utf8.count, "limitExceeded(messageByteCount)") {
      _ = try JWS.verifyJSON(json, requiring: .key(key.verificationKey), limits: $0)
    }
    // The payload that comes apart is measured like the message, which is shorter here.
    let payload = [UInt8](repeating: 1, count: 500)
    let detached = try JWS.signDetached(payload, with: key)
    edge(\.messageByteCount, 500, "limitExceeded(messageByteCount)") {
      _ = try JWS.verifyDetached(detached, payload: payload, with: key.verificationKey, limits: $0)
    }
  }

  @Test("values of claims, and of a key set")
  func values() throws {
    let key = try TestKeys.hmac()
    func zeros(_ count: Int) -> String { "[" + String(repeating: "0,", count: count - 1) + "0]" }
    // The object and the array are values, too.
    let claims = try signed(#"{"alg":"HS256"}"#, #"{"x":\#(zeros(1023))}"#)
    edge(\.claimsByteCount, 8200, "limitExceeded(json)") {
      _ = try JWTVerifier(key: key.verificationKey, policy: policy($0)).verify(claims)
    }
    edge(\.keySetKeyCount, 17, "limitExceeded(json)") {
      _ = try JWKSet(parsing: #"{"keys":[],"x":\#(zeros(17 * 64 - 3))}"#, limits: $0)
    }
  }

  @Test("depth and width of headers and claims")
  func structure() throws {
    let key = try TestKeys.hmac().verificationKey
    func nested(_ depth: Int) -> String {
      String(repeating: "[", count: depth - 1) + String(repeating: "]", count: depth - 1)
    }
    let deepHeader = try signed("{\"alg\":\"HS256\",\"x\":\(nested(5))}", "{}")
    edge(\.headerDepth, 5, "limitExceeded(json)") { _ = try JWS.verify(deepHeader, with: key, limits: $0) }
    let deepClaims = try signed("{\"alg\":\"HS256\"}", "{\"x\":\(nested(5))}")
    edge(\.claimsDepth, 5, "limitExceeded(json)") {
      _ = try JWTVerifier(key: key, policy: policy($0)).verify(deepClaims)
    }
    let wide = try signed("{\"alg\":\"HS256\"}", "{\"a\":1,\"b\":2,\"c\":3}")
    edge(\.objectMemberCount, 3, "limitExceeded(json)") {
      _ = try JWTVerifier(key: key, policy: policy($0)).verify(wide)
    }
    let critical = try signed("{\"alg\":\"HS256\",\"crit\":[\"a\",\"b\",\"c\"],\"a\":1,\"b\":1,\"c\":1}", "{}")
    edge(\.criticalCount, 3, "limitExceeded(criticalCount)") {
      _ = try JWS.verify(critical, with: key, understanding: ["a", "b", "c"], limits: $0)
    }
    let named = try signed("{\"alg\":\"HS256\",\"kid\":\"four\"}", "{}")
    edge(\.keyIDByteCount, 4, "limitExceeded(keyIDByteCount)") { _ = try JWS.verify(named, with: key, limits: $0) }
    let certified = try signed("{\"alg\":\"HS256\",\"x5c\":[\"MAA=\",\"MAA=\"]}", "{}")
    edge(\.certificateCount, 2, "limitExceeded(certificateCount)") {
      _ = try JWS.verify(certified, with: key, limits: $0).header.certificates(limits: $0)
    }
  }

  @Test("keys of a set, and those that are tried")
  func keySets() throws {
    let keys = try (0..<4).map { _ in try TestKeys.signing().verificationKey.publicJWK }.compactMap { $0 }
    let set = JWKSet(keys).serialized()
    edge(\.keySetKeyCount, 4, "limitExceeded(keySetKeyCount)") { _ = try JWKSet(parsing: set, limits: $0) }
    edge(\.keySetByteCount, set.count, "limitExceeded(keySetByteCount)") { _ = try JWKSet(parsing: set, limits: $0) }
    let token = try JWS.sign([], with: TestKeys.signing())
    edge(\.candidateKeyCount, 4, "keyNotFound(candidateKeyCount)") {
      _ = try JWS.verify(token, with: JWKSet(parsing: set), algorithms: [.es256], limits: $0)
    }
    let key = keys[0]
    let text = try key.serialized()
    edge(\.headerByteCount, text.count, "limitExceeded(json)") { _ = try JWK(parsing: text, limits: $0) }
    var named = key
    named.keyID = "four"
    let namedText = try named.serialized()
    edge(\.keyIDByteCount, 4, "limitExceeded(kid)") { _ = try JWK(parsing: namedText, limits: $0) }
  }

  @Test("signatures and recipients of one message")
  func participants() throws {
    let (first, second) = try JSONSignatureTests.keys()
    let signed = try JWS.signJSON([1], with: [JWSSigner(key: first), JWSSigner(key: second)])
    edge(\.signatureCount, 2, "limitExceeded(signatureCount)") {
      _ = try JWS.verifyJSON(signed, requiring: .key(first.verificationKey), limits: $0)
    }
    let keys = try ["1", "2"].map { try DecryptionKey(JWK.generate(KeyManagementAlgorithm.a128kw, keyID: $0)) }
    let sealed = try JWE.encryptJSON([1], to: keys.map { JWERecipient(key: $0.encryptionKey) })
    edge(\.recipientCount, 2, "limitExceeded(recipientCount)") {
      _ = try JWE.decryptJSON(sealed, with: keys[0], contentEncryption: ContentEncryptionAlgorithm.allCases, limits: $0)
    }
    let token = try JWE.encrypt([1], to: keys[0].encryptionKey, contentEncryption: .a256gcm)
    edge(\.encryptedKeyByteCount, 40, "limitExceeded(encryptedKeyByteCount)") {
      // 40 octets have 54 characters, 39 have 52.
      _ = try JWE.decrypt(token, with: keys[0], contentEncryption: [.a256gcm], limits: $0)
    }
    edge(\.messageByteCount, token.utf8.count, "limitExceeded(messageByteCount)") {
      _ = try JWE.decrypt(token, with: keys[0], contentEncryption: [.a256gcm], limits: $0)
    }
  }

  /// Limits, each just below what a token inside or around claims needs.
  static let tightenings: [(String, @Sendable (inout Limits) -> Void)] = [
    ("tokenByteCount", { $0.tokenByteCount = 100 }), ("messageByteCount", { $0.messageByteCount = 100 }),
    ("headerByteCount", { $0.headerByteCount = 30 }), ("headerMemberCount", { $0.headerMemberCount = 3 }),
    ("headerDepth", { $0.headerDepth = 1 }), ("objectMemberCount", { $0.objectMemberCount = 1 }),
    ("keyIDByteCount", { $0.keyIDByteCount = 3 }), ("criticalCount", { $0.criticalCount = 0 }),
    ("encryptedKeyByteCount", { $0.encryptedKeyByteCount = 20 }), ("claimsByteCount", { $0.claimsByteCount = 10 }),
    ("claimsDepth", { $0.claimsDepth = 1 }), ("additionalWork", { $0.additionalWork = 0 }),
    ("minimumPasswordIterationCount", { $0.minimumPasswordIterationCount = 9000 }),
  ]

  private func understanding(_ limits: Limits) -> JWTPolicy {
    var policy = policy(limits)
    policy.understoodCriticalParameters = ["ext"]
    return policy
  }

  @Test("a verifier's limits hold for what was taken apart within others", arguments: tightenings.map(\.0))
  func takenApart(_ name: String) throws {
    let tighten = try #require(Self.tightenings.first { $0.0 == name }).1
    var limits = Limits()
    tighten(&limits)
    let header = HeaderParameters(additional: ["x": ["y": 1], "ext": 1], critical: ["ext"])
    let claims: JSONObject = ["sub": "somebody", "nested": ["a": ["b": 1]]]
    let signer = try SigningKey(secret: [UInt8](repeating: 7, count: 32), algorithm: .hs256, keyID: "four")
    for algorithm in [KeyManagementAlgorithm.a128kw, .pbes2HS256A128KW] {
      let key =
        try algorithm.usesPassword
        ? DecryptionKey(password: [1, 2, 3], algorithm: algorithm, keyID: "four")
        : DecryptionKey(JWK.generate(algorithm, keyID: "four"))
      let sealed = try JWT.encrypt(claims, to: key.encryptionKey, contentEncryption: .a128gcm, header: header)
      let nested = try JWT.signAndEncrypt(
        claims, with: signer, to: key.encryptionKey, contentEncryption: .a128gcm, header: header,
        encryptionHeader: header)
      for policy in [understanding(.default), understanding(limits)] {
        let encrypted = EncryptedJWTVerifier(decryptionKey: key, contentEncryption: [.a128gcm], policy: policy)
        let whole = refusal { _ = try encrypted.verify(sealed) }
        #expect(refusal { _ = try encrypted.verify(parsed: UnverifiedJWE(parsing: sealed)) } == whole)
        let both = NestedJWTVerifier(
          decryptionKey: key, contentEncryption: [.a128gcm],
          verifier: JWTVerifier(key: signer.verificationKey, policy: policy))
        let around = refusal { _ = try both.verify(nested) }
        #expect(refusal { _ = try both.verify(parsed: UnverifiedJWE(parsing: nested)) } == around)
        let isTight = policy.limits != .default && (name != "minimumPasswordIterationCount" || algorithm.usesPassword)
        if name != "additionalWork" {
          #expect((whole == "accepted") == !isTight && (around == "accepted") == !isTight, "\(whole) \(around)")
        }
      }
    }
    let token = try JWT.sign(claims, with: signer, header: header)
    let verifier = JWTVerifier(key: signer.verificationKey, policy: understanding(limits))
    #expect(
      refusal { _ = try verifier.verify(parsed: UnverifiedJWS(parsing: token)) }
        == refusal { _ = try verifier.verify(token) })
  }

  @Test("iterations of a password, at both ends")
  func iterations() throws {
    let key = try EncryptionKey(password: "password".utf8, algorithm: .pbes2HS256A128KW, iterationCount: 1000)
    let token = try JWE.encrypt([1], to: key, contentEncryption: .a128gcm)
    let opening = try DecryptionKey(password: "password".utf8, algorithm: .pbes2HS256A128KW)
    edge(\.maximumPasswordIterationCount, 1000, "limitExceeded(p2c)") {
      _ = try JWE.decrypt(token, with: opening, contentEncryption: [.a128gcm], limits: $0)
    }
    var limits = Limits()
    limits.minimumPasswordIterationCount = 1001
    #expect(
      refusal { _ = try JWE.decrypt(token, with: opening, contentEncryption: [.a128gcm], limits: limits) }
        == "limitExceeded(p2c)")
  }

  @Test(
    "seconds by which clocks may differ",
    arguments: [(600.0, "accepted"), (600.5, "callerMisuse(leeway)"), (-1, "callerMisuse(leeway)")])
  func leeway(seconds: Double, expected: String) throws {
    let key = try TestKeys.hmac()
    var policy = policy(.default)
    policy.leeway = .seconds(seconds)
    let token = try JWT.sign(["sub": "s"], with: key)
    #expect(refusal { _ = try JWTVerifier(key: key.verificationKey, policy: policy).verify(token) } == expected)
  }

  @Test("a secret is no key file by its first octets alone: the smallest key in DER has 44")
  func secretsLikeDER() throws {
    func secret(_ count: Int) -> [UInt8] { [0x30, UInt8(count - 2), 0x30] + [UInt8](repeating: 7, count: count - 3) }
    _ = try SigningKey(secret: secret(32), algorithm: .hs256)
    _ = try SigningKey(secret: secret(43), algorithm: .hs256)
    #expect(throws: JOSEError.self) { try SigningKey(secret: secret(44), algorithm: .hs256) }
  }

  @Test("the shortest HMAC secrets", arguments: [(SignatureAlgorithm.hs256, 32), (.hs384, 48), (.hs512, 64)])
  func secrets(algorithm: SignatureAlgorithm, byteCount: Int) throws {
    func key(_ count: Int) throws {
      let octets = Base64URL.encode([UInt8](repeating: 7, count: count))
      _ = try SigningKey(JWK(["kty": "oct", "k": .string(octets)]), algorithm: algorithm)
    }
    #expect(code { try key(byteCount) } == nil)
    #expect(code { try key(byteCount - 1) } == .keyTooWeak)
  }

  @Test("LIMITS.md names every limit, with its default")
  func page() throws {
    let page = String(decoding: try PackageFile.octets("LIMITS.md"), as: UTF8.self)
    for (name, value) in Mirror(reflecting: Limits.default).children {
      let name = try #require(name)
      let row = try #require(
        page.split(separator: "\n").first { $0.hasPrefix("| `\(name)`") }, "\(name) is not listed")
      let number = value as? Int ?? 0
      let forms = [number, number / 1024, number / 1_048_576].map(String.init) + ["refused"]
      #expect(
        forms.contains { row.replacing(" ", with: "").contains($0 == "refused" ? "refused" : $0) },
        "\(name): \(value)")
    }
  }
}
