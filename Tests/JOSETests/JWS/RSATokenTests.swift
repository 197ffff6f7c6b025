import JOSE
import Testing

@Suite("Tokens signed with RSA")
struct RSATokenTests {
  /// One key for all tests, since making one takes a while.
  static let jwk = JWK.generate(.rs256, keyID: "rsa")
  static let algorithms: [SignatureAlgorithm] = [.rs256, .rs384, .rs512, .ps256, .ps384, .ps512]

  private func key(_ algorithm: SignatureAlgorithm) throws -> SigningKey {
    var jwk = Self.jwk
    jwk.algorithm = nil
    return try SigningKey(jwk, algorithm: algorithm)
  }

  @Test("each algorithm verifies its own tokens and no other's", arguments: algorithms)
  func roundTrip(_ algorithm: SignatureAlgorithm) throws {
    let key = try key(algorithm)
    let token = try JWS.sign([1, 2, 3], with: key)
    #expect(try JWS.verify(token, with: key.verificationKey).payload == [1, 2, 3])
    for other in Self.algorithms where other != algorithm {
      let otherKey = try self.key(other)
      #expect(code { _ = try JWS.verify(token, with: otherKey.verificationKey) } == .algorithmNotAllowed)
      // The same signature under a header that names another algorithm.
      let relabelled = try JWS.sign([1, 2, 3], with: otherKey)
      let segments = relabelled.split(separator: ".")
      let signature = token.split(separator: ".")[2]
      let mixed = "\(segments[0]).\(segments[1]).\(signature)"
      #expect(code { _ = try JWS.verify(mixed, with: otherKey.verificationKey) } == .signatureInvalid)
    }
  }

  @Test("a key without alg is bound to exactly one accepted algorithm")
  func binding() throws {
    var jwk = try #require(Self.jwk.publicKey)
    let token = try JWS.sign([], with: SigningKey(Self.jwk))
    #expect(try JWS.verify(token, with: JWKSet([jwk]), algorithms: [.rs256, .ps256]).key.algorithm == .rs256)
    jwk.algorithm = nil
    #expect(try JWS.verify(token, with: JWKSet([jwk]), algorithms: [.rs256, .es256]).key.algorithm == .rs256)
    #expect(code { _ = try JWS.verify(token, with: JWKSet([jwk]), algorithms: [.rs256, .ps256]) } == .keyMismatch)
    #expect(code { _ = try VerificationKey(jwk) } == .keyMismatch)
    #expect(code { _ = try VerificationKey(jwk, algorithm: .es256) } == .keyMismatch)
    #expect(code { _ = try VerificationKey(jwk, algorithm: .hs256) } == .keyMismatch)
    #expect(code { _ = try EncryptionKey(jwk, algorithm: .ecdhES) } == .keyMismatch)
    #expect(code { _ = try SigningKey(jwk, algorithm: .rs256) } == .keyMismatch)
    jwk.algorithm = "PS256"
    #expect(code { _ = try JWS.verify(token, with: JWKSet([jwk]), algorithms: [.rs256, .ps256]) } == .keyMismatch)
  }

  @Test("the public key is no HMAC secret")
  func confusion() throws {
    let pem = try #require(Self.jwk.publicPEMRepresentation)
    #expect(code { _ = try SigningKey(secret: pem.utf8, algorithm: .hs256) } == .keyMismatch)
    #expect(code { _ = try SigningKey(secret: Self.jwk.serialized(), algorithm: .hs256) } == .keyMismatch)
  }

  @Test("keys keep through JWK and PEM")
  func keys() throws {
    let key = Self.jwk
    #expect(key.keyType == .rsa && key.curve == nil && key.isPrivate && key.x963Representation == nil)
    #expect(
      try JWK(parsing: key.serializedWithPrivateKey()).serializedWithPrivateKey() == key.serializedWithPrivateKey())
    let published = try JWK(parsing: key.serialized())
    #expect(!published.isPrivate)
    #expect(try published.thumbprint() == key.thumbprint())
    let privatePEM = try #require(key.privatePEMRepresentation)
    #expect(try JWK(pemRepresentation: privatePEM).privatePEMRepresentation == privatePEM)
    let publicPEM = try #require(key.publicPEMRepresentation)
    #expect(try JWK(pemRepresentation: publicPEM).publicPEMRepresentation == publicPEM)
    #expect(published.privatePEMRepresentation == nil)
    #expect(code { _ = try JWK(pemRepresentation: String(publicPEM.dropFirst(60))) } == .malformed)
    #expect(!"\(key) \(String(reflecting: key))".contains("0x"))
  }

  @Test("members that are missing, weak or another key's are refused")
  func badMembers() throws {
    let members = try JSONObject(parsing: Self.jwk.serializedWithPrivateKey())
    func refusal(_ change: (inout JSONObject) -> Void) -> String {
      var changed = members
      change(&changed)
      return JOSETests.refusal { _ = try JWK(changed) }
    }
    #expect(refusal { _ in } == "accepted")
    for name in ["p", "q", "dp", "dq", "qi"] {
      #expect(refusal { $0 = $0.removing(name) } == "keyInvalid(\(name))")
    }
    #expect(refusal { $0 = $0.removing("d") } == "keyInvalid(d)")
    #expect(refusal { $0 = $0.removing("n") } == "keyInvalid(n)")
    #expect(refusal { $0["oth"] = [] } == "algorithmUnsupported(oth)")
    #expect(refusal { $0["e"] = "AQ" } == "keyInvalid(n)")
    #expect(refusal { $0["d"] = "AQAB" } == "keyInvalid(d)")
    #expect(refusal { $0["n"] = .string(String(repeating: "_", count: 170) + "8") } == "keyTooWeak(n)")
    #expect(refusal { $0["n"] = .string(String(repeating: "_", count: 1368)) } == "keyInvalid(n)")
  }
}

extension JSONObject {
  fileprivate func removing(_ name: String) -> JSONObject {
    var rest: JSONObject = [:]
    for (member, value) in members where member != name { rest[member] = value }
    return rest
  }
}
