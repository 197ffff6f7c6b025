import JOSE
import JWTKit
import PureCrypto
import PureJOSEBenchmarking

/// ES256, RS256 and HS256 tokens with the same claims, and the same checks: signature, `iss`, `aud`, `exp` and `nonce`.
///
/// jwt-kit keeps its keys in an actor, which is awaited from outside the main actor, so that no thread has to be
/// switched.
enum JWTComparisons {
  static func all() async throws -> [Comparison] {
    try await es256() + rs256() + hs256()
  }

  private static func hs256() async throws -> [Comparison] {
    let secret = SampleBytes.make(count: 32)
    let signingKey = try SigningKey(secret: secret, algorithm: .hs256)
    let ourClaims = SampleClaims()
    let theirClaims = PeerClaims(ourClaims)
    let keys = await JWTKeyCollection().add(hmac: HMACKey(from: secret), digestAlgorithm: .sha256)
    let verifier = JWTVerifier(key: signingKey.verificationKey, issuer: ourClaims.iss, audience: ourClaims.aud)
    let token = try JWT.sign(ourClaims, with: signingKey)
    guard try verify(token, with: verifier) == ourClaims,
      try await keys.verify(token, as: PeerClaims.self) == theirClaims,
      try await verify(keys.sign(theirClaims), with: verifier) == ourClaims
    else { throw Disagreement("jwt.hs256") }
    return [
      Comparison(
        "jwt.hs256.sign", peer: "jwt-kit", ours: { try JWT.sign(ourClaims, with: signingKey) },
        awaitingTheirs: { try await keys.sign(theirClaims) }),
      Comparison(
        "jwt.hs256.verify", peer: "jwt-kit", ours: { try verify(token, with: verifier) },
        awaitingTheirs: { try await keys.verify(token, as: PeerClaims.self) }),
    ]
  }

  private static func es256() async throws -> [Comparison] {
    let privateKey = P256SigningKey()
    let signingKey = try SigningKey(pemRepresentation: privateKey.pemRepresentation, algorithm: .es256)
    let theirKey = try ES256PrivateKey(pem: privateKey.pemRepresentation)
    let ourClaims = SampleClaims()
    let theirClaims = PeerClaims(ourClaims)
    let signers = await JWTKeyCollection().add(ecdsa: theirKey)
    let verifiers = await JWTKeyCollection().add(ecdsa: theirKey.publicKey)
    let verifier = JWTVerifier(key: signingKey.verificationKey, issuer: ourClaims.iss, audience: ourClaims.aud)

    let token = try JWT.sign(ourClaims, with: signingKey)
    guard try verify(token, with: verifier) == ourClaims,
      try await verifiers.verify(token, as: PeerClaims.self) == theirClaims,
      try await verify(signers.sign(theirClaims), with: verifier) == ourClaims
    else { throw Disagreement("jwt.es256") }
    return [
      Comparison(
        "jwt.es256.sign", peer: "jwt-kit", ours: { try JWT.sign(ourClaims, with: signingKey) },
        awaitingTheirs: { try await signers.sign(theirClaims) }),
      Comparison(
        "jwt.es256.verify", peer: "jwt-kit", ours: { try verify(token, with: verifier) },
        awaitingTheirs: { try await verifiers.verify(token, as: PeerClaims.self) }),
    ]
  }

  private static func rs256() async throws -> [Comparison] {
    guard let pem = try RSASigningKey(bitCount: 2048).pemRepresentation else { throw Disagreement("jwt.rs256") }
    let signingKey = try SigningKey(pemRepresentation: pem, algorithm: .rs256)
    let theirKey = try Insecure.RSA.PrivateKey(pem: pem)
    let ourClaims = SampleClaims()
    let theirClaims = PeerClaims(ourClaims)
    let signers = await JWTKeyCollection().add(rsa: theirKey, digestAlgorithm: .sha256)
    let verifiers = await JWTKeyCollection().add(rsa: theirKey.publicKey, digestAlgorithm: .sha256)
    let verifier = JWTVerifier(key: signingKey.verificationKey, issuer: ourClaims.iss, audience: ourClaims.aud)

    let token = try JWT.sign(ourClaims, with: signingKey)
    guard try verify(token, with: verifier) == ourClaims,
      try await verifiers.verify(token, as: PeerClaims.self) == theirClaims,
      try await verify(signers.sign(theirClaims), with: verifier) == ourClaims
    else { throw Disagreement("jwt.rs256") }
    return [
      Comparison(
        "jwt.rs256.sign", peer: "jwt-kit", ours: { try JWT.sign(ourClaims, with: signingKey) },
        awaitingTheirs: { try await signers.sign(theirClaims) }),
      Comparison(
        "jwt.rs256.verify", peer: "jwt-kit", ours: { try verify(token, with: verifier) },
        awaitingTheirs: { try await verifiers.verify(token, as: PeerClaims.self) }),
    ]
  }

  private static func verify(_ token: String, with verifier: JWTVerifier) throws -> SampleClaims {
    let claims = try verifier.verify(token, as: SampleClaims.self).claims
    guard claims.nonce == SampleClaims().nonce else { throw Disagreement("nonce") }
    return claims
  }
}

/// The sample claims as jwt-kit wants them.
private struct PeerClaims: JWTPayload, Equatable {
  let iss: IssuerClaim
  let sub: SubjectClaim
  let aud: AudienceClaim
  let exp: ExpirationClaim
  let iat: IssuedAtClaim
  let nonce: String

  init(_ claims: SampleClaims) {
    self.iss = IssuerClaim(value: claims.iss)
    self.sub = SubjectClaim(value: claims.sub)
    self.aud = AudienceClaim(value: [claims.aud])
    self.exp = ExpirationClaim(value: .init(timeIntervalSince1970: Double(claims.exp)))
    self.iat = IssuedAtClaim(value: .init(timeIntervalSince1970: Double(claims.iat)))
    self.nonce = claims.nonce
  }

  func verify(using algorithm: some JWTAlgorithm) throws {
    let expected = SampleClaims()
    guard iss.value == expected.iss, nonce == expected.nonce else { throw Disagreement("claims") }
    try aud.verifyIntendedAudience(includes: expected.aud)
    try exp.verifyNotExpired()
  }
}
