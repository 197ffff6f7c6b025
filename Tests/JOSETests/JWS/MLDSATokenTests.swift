import JOSE
import PureCrypto
import StrictJSON
import Testing

/// What RFC 9964 adds; its examples stand in TestVectors.
@Suite("ML-DSA in JOSE")
struct MLDSATokenTests {
  static let algorithms: [SignatureAlgorithm] = [.mlDSA44, .mlDSA65, .mlDSA87]

  @Test("tokens are signed anew each time, verify by the right key, and stand no change", arguments: algorithms)
  func tokens(_ algorithm: SignatureAlgorithm) throws {
    let jwk = JWK.generate(algorithm, keyID: "k")
    #expect(jwk.keyType == .akp && jwk.curve == nil && jwk.algorithm == algorithm.name && jwk.isPrivate)
    let key = try SigningKey(jwk)
    let token = try JWS.sign(Array("{}".utf8), with: key)
    #expect(try JWS.sign(Array("{}".utf8), with: key) != token)
    let signature = try Base64URL.decode(String(token.split(separator: ".")[2]))
    #expect(signature.count == [.mlDSA44: 2420, .mlDSA65: 3309, .mlDSA87: 4627][algorithm])
    let publicKey = try #require(jwk.publicKey)
    #expect(try JWS.verify(token, with: VerificationKey(publicKey)).payload == Array("{}".utf8))
    let set = JWKSet([JWK.generate(.es256), publicKey] + Self.algorithms.map { JWK.generate($0, keyID: "other") })
    #expect(try JWS.verify(token, with: set, algorithms: Self.algorithms).key.algorithm == algorithm)
    #expect(refusal { _ = try JWS.verify(token, with: set, algorithms: [.es256]) } == "algorithmNotAllowed(alg)")
    let stranger = try SigningKey.generate(algorithm).verificationKey
    #expect(code { _ = try JWS.verify(token, with: stranger) } == .signatureInvalid)
    let head = token.prefix(token.utf8.count - Base64URL.encode(signature).utf8.count)
    var changes: [[UInt8]] = [Array(signature.dropLast()), signature + [0], [0] + signature, []]
    changes.append([UInt8](repeating: 0, count: signature.count))
    for place in [0, signature.count / 2, signature.count - 1] {
      var changed = signature
      changed[place] ^= 1
      changes.append(changed)
    }
    for changed in changes {
      let forged = head + Base64URL.encode(changed)
      #expect(code { _ = try JWS.verify(String(forged), with: key.verificationKey) } == .signatureInvalid)
    }
    // The other serialization, and a payload beside the message.
    let json = try JWS.signJSON([1, 2], with: [JWSSigner(key: key)])
    #expect(try JWS.verifyJSON(json, requiring: .key(key.verificationKey)).payload == [1, 2])
    let detached = try JWS.signDetached([1, 2], with: key)
    #expect(try JWS.verifyDetached(detached, payload: [1, 2], with: key.verificationKey).payload == [1, 2])
  }

  @Test("a key is for the one algorithm of its parameter set, with alg or without", arguments: algorithms)
  func bound(_ algorithm: SignatureAlgorithm) throws {
    var jwk = JWK.generate(algorithm)
    for other in SignatureAlgorithm.allCases where other != algorithm {
      #expect(refusal { _ = try SigningKey(jwk, algorithm: other) } == "keyMismatch(alg)")
    }
    for algorithm in KeyManagementAlgorithm.allCases {
      #expect(code { _ = try EncryptionKey(jwk, algorithm: algorithm) } == .keyMismatch)
      #expect(code { _ = try DecryptionKey(jwk, algorithm: algorithm) } == .keyMismatch)
    }
    #expect(code { _ = try EncryptionKey(jwk) } == .keyMismatch)
    // Whatever is set, the key itself knows what it is for, and says so where it is written.
    let thumbprint = try jwk.thumbprint()
    for name in [nil, "ES256", "ML-DSA-66"] {
      jwk.algorithm = name
      let copy = try JWK(parsing: jwk.serializedWithPrivateKey())
      #expect(try copy.algorithm == algorithm.name && copy.isPrivate && copy.thumbprint() == thumbprint)
      #expect(try JWK(parsing: jwk.serialized()).algorithm == algorithm.name)
    }
    jwk.algorithm = nil
    for other in SignatureAlgorithm.allCases where other != algorithm {
      #expect(refusal { _ = try VerificationKey(jwk, algorithm: other) } == "keyMismatch(kty)")
    }
    let token = try JWS.sign([], with: SigningKey(jwk, algorithm: algorithm))
    let set = JWKSet([try #require(jwk.publicKey)])
    #expect(try JWS.verify(token, with: set, algorithms: SignatureAlgorithm.allCases).key.algorithm == algorithm)
  }

  @Test("keys keep through JWK and PEM, and know their algorithm there", arguments: algorithms)
  func forms(_ algorithm: SignatureAlgorithm) throws {
    let key = JWK.generate(algorithm, keyID: "k")
    let text = key.serializedWithPrivateKey()
    #expect(try JWK(parsing: text) == key)
    let members = try JSONObject(parsing: text)
    #expect(members.members.map { $0.name } == ["kty", "alg", "pub", "priv", "use", "kid"])
    let publicMembers = try JSONObject(parsing: key.serialized())
    #expect(publicMembers.members.map { $0.name } == ["kty", "alg", "pub", "use", "kid"])
    let pem = try JWK(pemRepresentation: #require(key.privatePEMRepresentation))
    let publicPEM = try JWK(pemRepresentation: #require(key.publicPEMRepresentation))
    #expect(try pem.isPrivate && pem.algorithm == algorithm.name && pem.thumbprint() == key.thumbprint())
    #expect(
      try !publicPEM.isPrivate && publicPEM.algorithm == algorithm.name && publicPEM.thumbprint() == key.thumbprint())
    #expect(try SigningKey(pem).algorithm == algorithm)
    let signer = try SigningKey(key)
    for text in ["\(key)", String(reflecting: key), "\(signer)", String(reflecting: signer)] {
      guard case .string(let seed)? = members["priv"] else { return #expect(Bool(false)) }
      #expect(!text.contains(seed))
    }
    var unknown = members
    unknown["seed"] = "x"
    unknown["ext"] = true
    #expect(try JWK(unknown).otherMembers == ["seed": "x", "ext": true])
  }

  @Test("a private key in a fetched set is refused as such, before it is expanded")
  func fetchedPrivateKey() throws {
    let key = JWK.generate(.mlDSA44, keyID: "k")
    var members = try JSONObject(parsing: key.serializedWithPrivateKey())
    members["priv"] = "AA"
    let text = String(decoding: (["keys": [.object(members)]] as JSONObject).serialized(), as: UTF8.self)
    let fetched = try JWKSet(parsing: text).unsupportedKeys.first?.reason
    #expect(fetched?.code == .keyInvalid && fetched?.name == "kty")
    let own = try JWKSet(parsing: text, acceptsSecretKeys: true).unsupportedKeys.first?.reason
    #expect(own?.code == .keyInvalid && own?.name == "priv")
    #expect(!String(decoding: JWKSet([key]).serialized(), as: UTF8.self).contains("\"priv\""))
  }

  /// A device that signs µ, and never sees the message.
  private struct MuSigner: ExternalSigner {
    let key: MLDSASigningKey
    let verificationKey: VerificationKey

    func signature(for signingInput: [UInt8]) throws -> [UInt8] {
      guard let mu = verificationKey.externalMu(for: signingInput) else { return [] }
      return try key.signature(externalMu: mu)
    }
  }

  @Test("a signer elsewhere is given the digest of what it signs", arguments: algorithms)
  func externalMu(_ algorithm: SignatureAlgorithm) throws {
    let jwk = JWK.generate(algorithm)
    guard case .privateKey(.mlDSA(let key)) = jwk.material else { return #expect(Bool(false)) }
    let signer = MuSigner(key: key, verificationKey: try VerificationKey(jwk))
    let token = try JWS.sign([1], with: SigningKey(signer))
    #expect(try JWS.verify(token, with: signer.verificationKey).payload == [1])
    let prepared = try JWS.prepare([2], for: signer.verificationKey)
    let mu = try #require(signer.verificationKey.externalMu(for: prepared.signingInput))
    #expect(mu.count == 64)
    let finished = try prepared.finish(signature: key.signature(externalMu: mu))
    #expect(try JWS.verify(finished, with: signer.verificationKey).payload == [2])
    let wrong = try key.signature(externalMu: [UInt8](repeating: 0, count: 64))
    #expect(code { _ = try prepared.finish(signature: wrong) } == .externalKeyFailed)
    #expect(try TestKeys.signing().verificationKey.externalMu(for: []) == nil)
  }

  @Test("a DPoP proof carries the key, and its thumbprint is the key's", arguments: algorithms)
  func proof(_ algorithm: SignatureAlgorithm) async throws {
    let jwk = JWK.generate(algorithm, keyID: "k")
    let proof = try DPoPTests.proof(SigningKey(jwk))
    var verifier = DPoPTests.verifier()
    #expect(await DPoPTests.refusal(proof, by: verifier) == "algorithmNotAllowed(alg)")
    verifier.algorithms = [algorithm]
    let verified = try await verifier.verify(proof, method: "POST", url: DPoPTests.url, binding: .none)
    #expect(try verified.thumbprint == jwk.thumbprint() && !verified.publicKey.isPrivate)
  }

  @Test("a whole JWT, by a verifier whose set has keys of both worlds")
  func jwt() throws {
    let clock = WallClock.fixed(at: NumericDate(1_700_000_000))
    let keys = try [SigningKey.generate(.es256, keyID: "classical"), .generate(.mlDSA65, keyID: "quantum-safe")]
    let set = JWKSet(keys.compactMap(\.verificationKey.publicJWK))
    let fetched = try JWKSet(parsing: set.serialized())
    #expect(fetched == set && fetched.unsupportedKeys.isEmpty)
    let policy = JWTPolicy(
      issuer: .anyOf(["https://a.example"]), audience: .anyOf(["api"]), type: .jwtOrAbsent, clock: clock)
    let verifier = JWTVerifier(keys: fetched, algorithms: [.es256, .mlDSA65], policy: policy)
    let claims: JSONObject = ["iss": "https://a.example", "sub": "jane", "aud": "api", "exp": 1_700_000_600]
    for key in keys {
      let token = try JWT.sign(claims, with: key)
      #expect(try verifier.verify(token).header.keyID == key.keyID)
      #expect(code { _ = try verifier.verify(withAnotherTag(token)) } == .signatureInvalid)
    }
  }
}
