import JOSE
import PureCrypto
import StrictJSON

/// A mistake of a first day, made by a closure, and what its error must say.
struct Mistake: Sendable {
  let name: String
  /// What the text must hold, in any case of letters. Empty for a mistake that does no harm.
  let says: [String]
  let make: @Sendable () async throws -> Void

  init(_ name: String, says: String..., make: @escaping @Sendable () async throws -> Void) {
    (self.name, self.says, self.make) = (name, says, make)
  }

  /// What a developer reads, or nil if nothing was refused.
  func text() async -> String? {
    do {
      try await make()
      return nil
    } catch {
      return "\(error)"
    }
  }

  static let all = keyFiles + keys + json + tokens + claims + proofs + encryption + documents + kits
}

/// What the mistakes are made with.
enum Bench {
  static let issuer = "https://idp.example.com"
  static let now = 1_800_000_000
  static let clock = WallClock.fixed(at: NumericDate(now))
  static let jwk = JWK.generate(.es256, keyID: "first")
  static let other = JWK.generate(.es256, keyID: "second")
  static let pem = jwk.privatePEMRepresentation ?? ""
  static let publicPEM = jwk.publicPEMRepresentation ?? ""
  static let rsa = JWK.generate(.rs256, keyID: "rsa")

  static func signingKey() throws -> SigningKey { try SigningKey(jwk) }
  static func keySet() throws -> JWKSet { JWKSet([try publicJWK()]) }

  static func publicJWK() throws -> JWK { try JWK(jwk.publicJSONObject()) }

  /// The members of the public key, with some of them replaced; nil takes one away.
  static func members(
    of key: JWK? = nil, isPrivate: Bool = false, _ changes: [String: JSONValue?] = [:]
  ) throws -> JSONObject {
    let key = key ?? jwk
    var members = isPrivate ? try JSONObject(parsing: key.serializedWithPrivateKey()) : try key.publicJSONObject()
    for (name, value) in changes {
      members[name] = value
    }
    return members
  }

  /// Sound claims, with some of them replaced; nil takes one away.
  static func claims(_ changes: [String: JSONValue?] = [:]) -> JSONObject {
    var claims: JSONObject = [
      "iss": .string(issuer), "aud": "api", "sub": "jane", "exp": number(now + 300), "iat": number(now),
    ]
    for (name, value) in changes { claims[name] = value }
    return claims
  }

  static func number(_ value: Int) -> JSONValue { .number(JSONNumber(value)) }

  static func token(_ changes: [String: JSONValue?] = [:], type: String? = "JWT") throws -> String {
    try JWT.sign(claims(changes), with: signingKey(), type: type)
  }

  /// A token with a header of one's own, and a signature that means nothing.
  static func token(header: String, payload: String = "{}", signature: [UInt8] = [UInt8](repeating: 1, count: 64))
    -> String
  {
    [Array(header.utf8), Array(payload.utf8), signature].map { Base64URL.encode($0) }.joined(separator: ".")
  }

  static let policy = JWTPolicy(issuer: .anyOf([issuer]), audience: .anyOf(["api"]), clock: clock)

  static func verifier(_ policy: JWTPolicy = policy) throws -> JWTVerifier {
    JWTVerifier(keys: try keySet(), algorithms: [.es256], policy: policy)
  }

  static func verify(_ token: String) throws { _ = try verifier().verify(token) }

  static func encrypted(_ text: String = "{}") throws -> String {
    try JWE.encrypt(text.utf8, to: EncryptionKey(password: password, algorithm: .pbes2HS256A128KW))
  }

  static let password = Array("correct horse battery staple".utf8)

  /// A signer elsewhere, whose answer the closure makes of the right one.
  struct Signer: ExternalSigner {
    let verificationKey: VerificationKey
    let answer: @Sendable ([UInt8]) throws -> [UInt8]
    func signature(for signingInput: [UInt8]) throws -> [UInt8] { try answer(signingInput) }
  }

  static func sign(with answer: @escaping @Sendable ([UInt8]) throws -> [UInt8]) throws {
    _ = try JWT.sign(claims(), with: SigningKey(Signer(verificationKey: VerificationKey(publicJWK()), answer: answer)))
  }

  /// Asks for an issuer's keys, whose server answers the same to everything.
  static func fetch(
    _ body: String, status: Int = 200, url: String = "https://idp.example.com/keys",
    policy: RemoteKeySetPolicy = .default
  ) async throws {
    let set = RemoteKeySet(url: url, policy: policy, clock: clock) { _ in
      HTTPResponseValue(status: status, body: Array(body.utf8))
    }
    _ = try await set.keys()
  }

  static func metadata(_ body: String, issuer: String = issuer) throws {
    _ = try IssuerMetadata(parsing: body.utf8, issuer: issuer)
  }
}
