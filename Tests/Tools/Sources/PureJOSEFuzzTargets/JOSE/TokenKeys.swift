import JOSE
import PureCrypto
import StrictJSON

/// The keys of all token targets. They are printed here so that an input means the same in every process.
struct TokenKeys: Sendable {
  /// 00 01 … 1F.
  static let secret: [UInt8] = Array(0..<32)

  let hs256: SigningKey
  let es256: SigningKey
  let keySet: JWKSet
  let verificationKeys: [VerificationKey]
  let decryptionKeys: [DecryptionKey]
  let decryptionKeySet: JWKSet

  static let shared = Result { try TokenKeys() }

  private init() throws {
    let hmac = try JWK(["kty": "oct", "kid": "h", "k": .string(Base64URL.encode(Self.secret)), "alg": "HS256"])
    let elliptic = try Self.jwk(Self.p256("sign"), "e", "ES256")
    let edwards = try JWK([
      "kty": "OKP", "crv": "Ed25519", "kid": "d", "alg": "EdDSA",
      "d": "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
    ])
    hs256 = try SigningKey(hmac)
    es256 = try SigningKey(elliptic)
    keySet = JWKSet([hmac, elliptic, edwards].map { $0.publicKey ?? $0 })
    verificationKeys = [
      hs256.verificationKey, es256.verificationKey, try SigningKey(edwards).verificationKey,
    ]

    let agreement = try Self.jwk(Self.p256("agree"), "a", "ECDH-ES")
    func symmetric(_ name: String, _ count: Int) throws -> JWK {
      try JWK([
        "kty": "oct", "kid": .string(name), "alg": .string(name),
        "k": .string(Base64URL.encode(Self.secret.prefix(count))),
      ])
    }
    let direct = try symmetric("A128GCM", 16)
    let wrapping = try ["A128KW", "A128GCMKW"].map { try symmetric($0, 16) }
    let encapsulation = try ["HPKE-0", "HPKE-7-KE"].map { try Self.jwk(Self.p256($0), $0, $0) }
    decryptionKeys =
      try [DecryptionKey(agreement), DecryptionKey(direct, algorithm: .dir)] + wrapping.map { try DecryptionKey($0) }
      + [DecryptionKey(password: "password".utf8, algorithm: .pbes2HS256A128KW)]
      + encapsulation.map { try DecryptionKey($0) }
    decryptionKeySet = JWKSet([agreement] + wrapping + encapsulation)
  }

  /// A scalar that its name fixes.
  static func p256(_ name: String) throws -> P256PrivateKey {
    try P256PrivateKey(rawRepresentation: SHA2.SHA256.hash("fuzz/\(name)".utf8))
  }

  /// A private key as a JWK that is bound to an algorithm.
  static func jwk(_ key: P256PrivateKey, _ keyID: String, _ algorithm: String) throws -> JWK {
    var jwk = try JWK(pemRepresentation: key.pemRepresentation, keyID: keyID)
    jwk.algorithm = algorithm
    return jwk
  }

  /// Limits that let every feature be reached and keep each run short.
  static var limits: Limits {
    var limits = Limits.default
    limits.decompressedByteCount = 4096
    limits.minimumPasswordIterationCount = 1
    limits.maximumPasswordIterationCount = 16
    return limits
  }

  /// The compact JWS of any header and payload octets, with a right HS256 code.
  static func signed(header: [UInt8], payload: [UInt8]) -> String {
    let input = Base64URL.encode(header) + "." + Base64URL.encode(payload)
    return input + "." + Base64URL.encode(HMACSHA256.authenticate(input.utf8, anyKey: secret))
  }

  /// The compact JWS of any header and payload octets, with a right ES256 signature.
  static func signed(header: [UInt8], payload: [UInt8], by key: P256PrivateKey) -> String {
    let input = Base64URL.encode(header) + "." + Base64URL.encode(payload)
    return input + "." + Base64URL.encode(key.signature(for: input.utf8).rawRepresentation)
  }

  /// A key of ML-DSA-44 whose seed is the secret.
  static func mlDSA() throws -> MLDSASigningKey {
    try MLDSASigningKey(.mlDSA44, seed: SecretBytes(copying: secret))
  }

  /// The compact JWS of any header and payload octets, with a right signature of ML-DSA-44, always the same one.
  static func signed(header: [UInt8], payload: [UInt8], by key: MLDSASigningKey) throws -> String {
    let input = Base64URL.encode(header) + "." + Base64URL.encode(payload)
    let signature = try key.signature(for: input.utf8, deterministically: true)
    return input + "." + Base64URL.encode(signature)
  }

  /// The compact JWE of any header and plaintext, sealed rightly with A128GCM under the first half of the secret.
  static func sealed(header: [UInt8], plaintext: [UInt8], encryptedKey: [UInt8] = []) throws -> String {
    let header = Base64URL.encode(header)
    let sealed = try AESGCM(key: secret.prefix(16)).seal(plaintext, authenticating: header.utf8)
    return [
      header, Base64URL.encode(encryptedKey), Base64URL.encode(sealed.initializationVector),
      Base64URL.encode(sealed.ciphertext), Base64URL.encode(sealed.authenticationTag),
    ].joined(separator: ".")
  }
}

extension FuzzTarget {
  /// Words of every kind of token header.
  static let headerWords = [
    "\"alg\":\"HS256\"", "\"alg\":\"ES256\"", "\"alg\":\"none\"", "\"typ\":\"JWT\"", "\"cty\":\"JWT\"", "\"kid\":\"h\"",
    "\"crit\":[\"b64\"]", "\"b64\":false", "\"b64\":true", "\"jwk\":{}", "\"x5c\":[\"MAA=\"]", "\"jku\":", "\"x5u\":",
    "\"enc\":\"A128GCM\"", "\"alg\":\"dir\"", "\"zip\":\"DEF\"", "\"epk\":{\"kty\":\"EC\",\"crv\":\"P-256\"}",
    "\"apu\":",
    "\"apv\":", "\"p2s\":", "\"p2c\":", "\"iv\":", "\"tag\":", "\"alg\":\"ECDH-ES\"", "\"alg\":\"A128KW\"",
    "\"alg\":\"A128GCMKW\"", "\"alg\":\"PBES2-HS256+A128KW\"",
    "\"alg\":\"HPKE-0\"", "\"alg\":\"HPKE-7-KE\"", "\"ek\":", "\"psk_id\":",
  ]

  /// Words of claims sets.
  static let claimWords = [
    "\"iss\":", "\"sub\":", "\"aud\":", "\"exp\":", "\"nbf\":", "\"iat\":", "\"jti\":", "\"nonce\":", "1700000000",
    "1e400",
    "-1", "0.5", "[\"a\",\"b\"]", "null", "true",
  ]
}
