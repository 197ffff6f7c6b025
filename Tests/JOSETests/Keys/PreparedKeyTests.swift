import Testing

@testable import JOSE

@Suite("Keys and headers that are met again")
struct PreparedKeyTests {
  private func table(_ key: VerificationKey) -> PreparableP256Key? {
    guard case .p256(let key) = key.material else { return nil }
    return key
  }

  @Test("a key prepares itself after several uses, and all its copies with it; verdicts stay the same")
  func automaticPreparation() throws {
    let signer = try SigningKey.generate(.es256)
    let key = signer.verificationKey
    let copy = key
    let good = try JWS.sign([1], with: signer)
    let forged = try JWS.sign([1], with: SigningKey.generate(.es256))
    for use in 1...8 {
      #expect(try JWS.verify(good, with: key).payload == [1])
      #expect(code { _ = try JWS.verify(forged, with: key) } == .signatureInvalid)
      #expect(try #require(table(copy)).isPrepared == (use >= 2))
    }
  }

  @Test("a key can be prepared beforehand")
  func explicitPreparation() throws {
    let key = try SigningKey.generate(.es256).verificationKey
    #expect(try #require(table(key)).isPrepared == false)
    #expect(try #require(table(key.prepared())).isPrepared)
    #expect(try #require(table(key)).isPrepared)
    #expect(try TestKeys.hmac().verificationKey.prepared().algorithm == .hs256)
  }

  @Test("a set keeps what its keys prepared, for sixteen keys at most")
  func boundedSet() throws {
    let signers = try (0..<20).map { try SigningKey.generate(.es256, keyID: "k\($0)") }
    let set = JWKSet(try signers.map { try #require($0.verificationKey.publicJWK) })
    let tokens = try signers.map { try JWS.sign([], with: $0) }
    for _ in 0..<5 { _ = try JWS.verify(tokens[0], with: set, algorithms: [.es256]) }
    let first = try JWS.verify(tokens[0], with: set, algorithms: [.es256]).key
    #expect(try #require(table(first)).isPrepared)
    #expect(set.boundKeys.count == 1)
    for token in tokens[1..<16] { _ = try JWS.verify(token, with: set, algorithms: [.es256]) }
    _ = try JWS.verify(tokens[0], with: set, algorithms: [.es256])
    for token in tokens[16...] { _ = try JWS.verify(token, with: set, algorithms: [.es256]) }
    #expect(set.boundKeys.count == BoundKeyCache.keyCapacity)
    let kept = try JWS.verify(tokens[0], with: set, algorithms: [.es256]).key
    #expect(table(kept) === table(first))
    let evicted = try JWS.verify(tokens[1], with: set, algorithms: [.es256]).key
    #expect(try #require(table(evicted)).isPrepared == false)
  }

  @Test("many tasks use one set while its keys prepare themselves")
  func concurrency() async throws {
    let signers = try (0..<20).map { try SigningKey.generate(.es256, keyID: "k\($0)") }
    let set = JWKSet(try signers.map { try #require($0.verificationKey.publicJWK) })
    let tokens = try signers.map { try JWS.sign([7], with: $0) }
    try await withThrowingTaskGroup(of: [UInt8].self) { group in
      for round in 0..<400 {
        group.addTask { try JWS.verify(tokens[round % 20], with: set, algorithms: [.es256]).payload }
      }
      for try await payload in group { #expect(payload == [7]) }
    }
    #expect(set.boundKeys.count == BoundKeyCache.keyCapacity)
  }

  @Test("headers of verified tokens are kept, eight at most, and those of forged ones are not")
  func headers() throws {
    let signer = try TestKeys.signing()
    let cache = HeaderCache()
    let claims = Array("{}".utf8)
    func meet(_ token: String, _ key: VerificationKey) throws {
      try token.utf8.withContiguousStorageIfAvailable { bytes in
        let parsed = try ParsedJWS(
          UnsafeRawBufferPointer(bytes), byteLimit: 100_000, understanding: [], limits: .default, headers: cache)
        _ = try parsed.claims(verifiedWith: .key(key), limits: .default, keepingHeaderIn: cache)
      }
    }
    let forged = try JWS.sign(claims, with: SigningKey.generate(.es256), header: HeaderParameters(type: "forged"))
    #expect(throws: JOSEError.self) { try meet(forged, signer.verificationKey) }
    #expect(cache.count == 0)
    for number in 0..<12 {
      let token = try JWS.sign(claims, with: signer, header: HeaderParameters(type: "t\(number)"))
      try meet(token, signer.verificationKey)
      try meet(token, signer.verificationKey)
      #expect(cache.count == min(number + 1, HeaderCache.headerCapacity))
    }
    let long = HeaderParameters(additional: ["pad": .string(String(repeating: "x", count: 1000))])
    try meet(try JWS.sign(claims, with: signer, header: long), signer.verificationKey)
    #expect(cache.count == HeaderCache.headerCapacity)
  }

  @Test("a known header still has to fit the key, the policy and the signature")
  func knownHeaderIsNoPass() throws {
    let signer = try TestKeys.signing()
    var verifier = JWTVerifier(key: signer.verificationKey, policy: JWTVerifierTests.policy())
    let token = try JWT.sign(
      ["sub": "a"], with: signer, header: HeaderParameters(additional: ["u": 1], critical: ["u"]))
    #expect(code { _ = try verifier.verify(token) } == .criticalHeaderUnsupported)
    verifier.policy.understoodCriticalParameters = ["u"]
    #expect(try verifier.verify(token).header.critical == ["u"])
    verifier.policy.understoodCriticalParameters = []
    #expect(code { _ = try verifier.verify(token) } == .criticalHeaderUnsupported)
    let plain = try JWT.sign(["sub": "a"], with: signer)
    #expect(try verifier.verify(plain).registeredClaims.subject == "a")
    let forged = try JWT.sign(["sub": "b"], with: SigningKey.generate(.es256))
    #expect(code { _ = try verifier.verify(forged) } == .signatureInvalid)
  }
}
