import PureJOSEBenchmarking
import JOSE
import PureCrypto

enum JOSEWorkloads {
  static func all() throws -> [Workload] {
    try signatures(.es256, "es256") + [verificationWithNewKey()] + signatures(.hs256, "hs256") + encryption()
      + integratedEncryption(.p256SHA256AES128GCM) + integratedEncryption(.x25519SHA256AES128GCM)
      + integratedEncryption(.mlKEM768P256SHAKE256AES256GCM)
      + [verificationOnTwoCores(.es256, "es256"), verificationOnTwoCores(.hs256, "hs256")]
  }

  /// Tokens of one issuer, by one verifier in two tasks: on two idle cores the time of one operation is half that of
  /// `jwt.….verify`, as far as the tasks don't wait for each other.
  private static func verificationOnTwoCores(_ algorithm: SignatureAlgorithm, _ name: String) throws -> Workload {
    let claims = SampleClaims()
    let key = try SigningKey.generate(algorithm)
    let verifier = JWTVerifier(key: key.verificationKey.prepared(), issuer: claims.iss, audience: claims.aud)
    let jwt = try JWT.sign(claims, with: key)
    return Workload(asynchronous: "jwt.\(name).verify.two-tasks", operationsPerCall: 2048) {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<2 {
          group.addTask { for _ in 0..<1024 { blackHole(try verifier.verify(jwt, as: SampleClaims.self)) } }
        }
        try await group.waitForAll()
      }
    }
  }

  /// A JWS over 300 bytes, and a JWT with an identity token's claims. The keys stay the same, so that verification
  /// keeps what it has learnt of them.
  private static func signatures(_ algorithm: SignatureAlgorithm, _ name: String) throws -> [Workload] {
    let payload = SampleBytes.make(count: 300)
    let claims = SampleClaims()
    let key = try SigningKey.generate(algorithm)
    let verificationKey = key.verificationKey
    let verifier = JWTVerifier(key: verificationKey, issuer: claims.iss, audience: claims.aud)
    let jws = try JWS.sign(payload, with: key)
    let jwt = try JWT.sign(claims, with: key)
    return [
      Workload("jws.\(name).sign") { try JWS.sign(payload, with: key) },
      Workload("jws.\(name).verify") { try JWS.verify(jws, with: verificationKey) },
      Workload("jwt.\(name).sign") { try JWT.sign(claims, with: key) },
      Workload("jwt.\(name).verify") { try verifier.verify(jwt, as: SampleClaims.self) },
    ]
  }

  /// With a public key that was never seen before.
  private static func verificationWithNewKey() throws -> Workload {
    let key = try SigningKey.generate(.es256)
    let publicKey = key.verificationKey.x963Representation ?? []
    let jws = try JWS.sign(SampleBytes.make(count: 300), with: key)
    return Workload("jws.es256.verify.new-key") {
      try JWS.verify(jws, with: VerificationKey(es256X963Representation: publicKey))
    }
  }

  /// A plaintext of 300 bytes.
  private static func encryption() throws -> [Workload] {
    let plaintext = SampleBytes.make(count: 300)
    let key = try DecryptionKey.generateForKeyAgreement()
    let publicKey = key.encryptionKey
    let token = try JWE.encrypt(plaintext, to: publicKey, contentEncryption: .a256gcm)
    return [
      Workload("jwe.ecdh-es.a256gcm.encrypt") {
        try JWE.encrypt(plaintext, to: publicKey, contentEncryption: .a256gcm)
      },
      Workload("jwe.ecdh-es.a256gcm.decrypt") { try JWE.decrypt(token, with: key, contentEncryption: [.a256gcm]) },
    ]
  }

  /// A plaintext of a kilobyte, which HPKE encrypts itself.
  private static func integratedEncryption(_ suite: HPKE.Ciphersuite) throws -> [Workload] {
    let plaintext = SampleBytes.make(count: 1024)
    let algorithm = KeyManagementAlgorithm.hpke(suite)
    let name = "jwe.\(algorithm.name.lowercased())"
    let key = try DecryptionKey(JWK.generate(algorithm))
    let publicKey = key.encryptionKey
    let token = try JWE.encrypt(plaintext, to: publicKey)
    return [
      Workload("\(name).encrypt.1k") { try JWE.encrypt(plaintext, to: publicKey) },
      Workload("\(name).decrypt.1k") { try JWE.decrypt(token, with: key, contentEncryption: []) },
    ]
  }
}
