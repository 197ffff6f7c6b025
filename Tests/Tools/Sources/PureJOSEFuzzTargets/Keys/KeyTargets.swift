import JOSE
import PureCrypto
import StrictJSON

extension FuzzTarget {
  static let keyTargets = [jwk, jwkSet, der, pem, ecdsaDER, hmacSecret, encryptedJWK]

  private static let words = [
    "\"kty\":\"EC\"", "\"kty\":\"RSA\"", "\"kty\":\"oct\"", "\"kty\":\"OKP\"", "\"kty\":\"AKP\"",
    "\"alg\":\"ML-DSA-44\"", "\"pub\":", "\"priv\":", "\"crv\":\"P-256\"", "\"crv\":\"P-384\"", "\"crv\":\"secp256k1\"",
    "\"crv\":\"P-521\"", "\"crv\":\"Ed25519\"", "\"crv\":\"X25519\"", "\"x\":", "\"y\":", "\"d\":", "\"k\":", "\"n\":",
    "\"e\":\"AQAB\"", "\"p\":", "\"q\":", "\"dp\":", "\"dq\":", "\"qi\":", "\"oth\":", "\"use\":\"sig\"",
    "\"use\":\"enc\"",
    "\"key_ops\":[\"sign\"]", "\"key_ops\":[\"verify\",\"deriveKey\"]", "\"alg\":\"ES256\"", "\"alg\":\"RS256\"",
    "\"kid\":",
    "\"x5c\":[\"MAA=\"]", "\"keys\":[",
  ]

  /// One key: what is accepted survives being written, in every form that it has.
  private static let jwk = FuzzTarget(
    "jwk", maximumByteCount: 4096, dictionary: words,
    seeds: { vectors in
      try vectors.texts("jwk.json", "ml_dsa_jose.json", member: "jwk")
        + vectors.objects("jwk_thumbprint.json", "jws.json", "jwe.json", member: "jwk")
        + vectors.objects("jws.json", "jwe.json", "jwt.json", member: "key")
    },
    run: { input in
      guard let key = try? JWK(parsing: input) else { return false }
      let written = try JWK(parsing: key.serializedWithPrivateKey())
      try require(
        written.serializedWithPrivateKey() == key.serializedWithPrivateKey(), "a key is written as it is read")
      let thumbprint = key.secretKeyThumbprint()
      try require(written.secretKeyThumbprint() == thumbprint, "a key keeps its thumbprint")
      if let publicKey = key.publicKey {
        try require(!publicKey.isPrivate, "the public half is public")
        try require(publicKey.secretKeyThumbprint() == thumbprint, "both halves have one thumbprint")
        try require(
          try JWK(parsing: publicKey.serialized()).secretKeyThumbprint() == thumbprint, "a public key survives")
      }
      for text in [key.publicPEMRepresentation, key.privatePEMRepresentation].compactMap({ $0 }) {
        try require(try JWK(pemRepresentation: text).secretKeyThumbprint() == thumbprint, "PEM holds the same key")
      }
      for algorithm in SignatureAlgorithm.allCases {
        _ = try? VerificationKey(key, algorithm: algorithm)
        _ = try? SigningKey(key, algorithm: algorithm)
      }
      for algorithm in KeyManagementAlgorithm.allCases {
        _ = try? EncryptionKey(key, algorithm: algorithm)
        _ = try? DecryptionKey(key, algorithm: algorithm)
      }
      return true
    })

  /// A set: what is supported in it is what each key alone would be.
  private static let jwkSet = FuzzTarget(
    "jwk-set", maximumByteCount: 4096, dictionary: words,
    seeds: { vectors in
      let keys = try vectors.texts("jwk.json", "ml_dsa_jose.json", member: "jwk").map {
        String(decoding: $0, as: UTF8.self)
      }
      let some = [0, 8, 16, 24, 32].map { keys.dropFirst($0).prefix(3).joined(separator: ",") } + keys.suffix(1)
      return some.map { Array("{\"keys\":[\($0)]}".utf8) }
        + (try vectors.objects("jws.json", "platform_sso.json", member: "jwks"))
    },
    run: { input in
      guard let set = try? JWKSet(parsing: input) else { return false }
      let again = try JWKSet(parsing: set.serialized())
      try require(again.serialized() == set.serialized(), "a set is written as it is read")
      try require(set.keys.allSatisfy { !$0.isPrivate }, "no secret is taken from a set by default")
      let token = TokenKeys.signed(header: Array(#"{"alg":"HS256"}"#.utf8), payload: [])
      try require(
        (try? JWS.verify(token, with: set, algorithms: [.es256, .rs256, .eddsa, .hs256])) == nil,
        "a foreign set verifies nothing")
      return !set.keys.isEmpty
    })

  /// DER of every key type.
  private static let der = FuzzTarget(
    "der-key", maximumByteCount: 2700,
    dictionary: [
      "\u{30}\u{59}", "\u{06}\u{07}*\u{86}", "\u{03}\u{42}\u{00}\u{04}", "\u{02}\u{01}\u{00}", "\u{04}\u{20}",
    ],
    seeds: { vectors in
      let keys = try vectors.texts("jwk.json", "ml_dsa_jose.json", member: "jwk").compactMap { try? JWK(parsing: $0) }
      let texts = keys.flatMap { [$0.publicPEMRepresentation, $0.privatePEMRepresentation] }.compactMap { $0 }
      let lattice = try MLKEMPrivateKey(.mlKEM768, seed: SecretBytes(copying: [UInt8](repeating: 1, count: 64)))
      let latticeFiles = [lattice.publicKey.derRepresentation, lattice.derRepresentation.withUnsafeBytes(Array.init)]
      return texts.compactMap(derOfPEM).filter { $0.count <= 2700 } + [sec1, ed25519Private] + latticeFiles
    },
    run: { input in
      if let key = try? P256PublicKey(derRepresentation: input) {
        try require((try P256PublicKey(derRepresentation: key.derRepresentation)) == key, "a P-256 key survives")
      }
      if let key = try? P256PrivateKey(derRepresentation: input) {
        let octets = key.derRepresentation.withUnsafeBytes(Array.init)
        let again = try P256PrivateKey(derRepresentation: octets)
        try require(again.publicKey == key.publicKey, "a private P-256 key survives")
      }
      if let key = try? Ed25519PublicKey(derRepresentation: input) {
        try require(key.derRepresentation == input, "an Ed25519 key has one encoding")
      }
      _ = try? Ed25519PrivateKey(derRepresentation: input)
      if let key = try? MLDSAVerificationKey(derRepresentation: input) {
        try require(key.derRepresentation == input, "a key of ML-DSA has one encoding")
      }
      _ = try? MLDSASigningKey(derRepresentation: input)
      if let key = try? MLKEMPublicKey(derRepresentation: input) {
        try require(key.derRepresentation == input, "a key of ML-KEM has one encoding")
      }
      if let key = try? MLKEMPrivateKey(derRepresentation: input) {
        let octets = key.derRepresentation.withUnsafeBytes(Array.init)
        let again = try MLKEMPrivateKey(derRepresentation: octets)
        try require(again.publicKey == key.publicKey, "a private key of ML-KEM survives")
      }
      _ = try? X25519PublicKey(derRepresentation: input)
      _ = try? X25519PrivateKey(derRepresentation: input)
      if let key = try? AnyRSAPublicKey(derRepresentation: input) {
        try require((try AnyRSAPublicKey(derRepresentation: key.derRepresentation)) == key, "an RSA key survives")
      }
      _ = try? AnyRSAPrivateKey(derRepresentation: input)
      return (try? JWK(derRepresentation: input)) != nil
    })

  /// A header and a JWK or a set, sealed rightly.
  private static let encryptedJWK = FuzzTarget(
    "encrypted-jwk", maximumByteCount: 1024,
    dictionary: words + ["\"cty\":\"jwk+json\"", "\"cty\":\"jwk-set+json\"", "\"zip\":\"DEF\""],
    seeds: { _ in
      let key = JWK(.octets(SecretBytes(copying: TokenKeys.secret))).serializedWithPrivateKey()
      return [
        InputParts.joined(Array(#"{"alg":"dir","enc":"A128GCM","cty":"jwk+json"}"#.utf8), key),
        InputParts.joined(
          Array(#"{"alg":"dir","enc":"A128GCM","cty":"jwk-set+json"}"#.utf8),
          Array("{\"keys\":[".utf8) + key + Array("]}".utf8)),
      ]
    },
    run: { input in
      let parts = InputParts(input)
      let token = try TokenKeys.sealed(header: parts[0], plaintext: parts[1])
      let key = try TokenKeys.shared.get().decryptionKeys[1]
      if let set = try? JWKSet(decrypting: token, with: key, contentEncryption: [.a128gcm]) {
        try require(
          (try? JWKSet(parsing: parts[1], acceptsSecretKeys: true)) == set, "encryption changes nothing in a set")
        return true
      }
      guard let opened = try? JWK(decrypting: token, with: key, contentEncryption: [.a128gcm]) else { return false }
      try require(try JWK(parsing: parts[1]) == opened, "encryption changes nothing in a key")
      return true
    })

  /// Octets that somebody takes for an HMAC secret.
  private static let hmacSecret = FuzzTarget(
    "hmac-secret", maximumByteCount: 512,
    dictionary: [
      "-----BEGIN ", "---- BEGIN ", "ssh-rsa ", "ssh-ed25519 ", "ecdsa-sha2-nistp256 ", "AAAAB3NzaC1yc2E", "{\"kty\":",
      "{\"keys\":[", "\u{FEFF}", "MFkwEwYHKoZI", "# ",
    ],
    seeds: { vectors in
      let texts = try vectors.texts("jwk.json", member: "jwk")
      let keys = texts.compactMap { try? JWK(parsing: $0) }
      let files = keys.flatMap { [$0.publicPEMRepresentation, $0.privatePEMRepresentation] }.compactMap { $0 }
      return (texts + files.map { Array($0.utf8) } + files.compactMap(derOfPEM)).filter { $0.count <= 512 }
        + [TokenKeys.secret, Array("\u{FEFF}-----BEGIN PUBLIC KEY-----".utf8)]
    },
    run: { input in
      guard (try? SigningKey(secret: input, algorithm: .hs256)) != nil else { return false }
      try require(input.count >= 32, "a secret of HS256 has 32 octets")
      for file in [input, (try? Base64URL.decode(utf8: input)) ?? []] {
        try require((try? JWK(derRepresentation: file)) == nil, "a key in DER is no secret")
        try require((try? JWK(parsing: file)) == nil, "a JWK is no secret")
        let text = String(decoding: file, as: UTF8.self)
        try require((try? JWK(pemRepresentation: text)) == nil, "a key in PEM is no secret")
      }
      return true
    })

  /// PEM text.
  private static let pem = FuzzTarget(
    "pem-key", maximumByteCount: 640,
    dictionary: [
      "-----BEGIN ", "-----END ", "PUBLIC KEY-----", "PRIVATE KEY-----", "EC PRIVATE KEY-----", "RSA PUBLIC KEY-----",
      "CERTIFICATE-----", "\r\n", "\n", "==",
    ],
    seeds: { vectors in
      let keys = try vectors.texts("jwk.json", member: "jwk").compactMap { try? JWK(parsing: $0) }
      return keys.flatMap { [$0.publicPEMRepresentation, $0.privatePEMRepresentation] }
        .compactMap { $0.map { Array($0.utf8) } }.filter { $0.count <= 640 }
    },
    run: { input in
      let text = String(decoding: input, as: UTF8.self)
      let key = try? JWK(pemRepresentation: text)
      if let key {
        guard let again = key.privatePEMRepresentation ?? key.publicPEMRepresentation else {
          throw LawBroken(description: "a key from PEM can be written as PEM")
        }
        try require(
          try JWK(pemRepresentation: again).secretKeyThumbprint() == key.secretKeyThumbprint(), "a key survives")
      }
      _ = try? P256PublicKey(pemRepresentation: text)
      _ = try? P256PrivateKey(pemRepresentation: text)
      _ = try? AnyRSAPublicKey(pemRepresentation: text)
      _ = try? Ed25519PrivateKey(pemRepresentation: text)
      _ = try? X25519PublicKey(pemRepresentation: text)
      return key != nil
    })

  /// A signature in DER has exactly one encoding.
  private static let ecdsaDER = FuzzTarget(
    "ecdsa-der", maximumByteCount: 80,
    seeds: { vectors in
      try vectors.tests("ecdsa_p256.json").compactMap { $0["sig"]?.stringValue.flatMap(octets) }
    },
    run: { input in
      if let signature = try? P256Signature(derRepresentation: input) {
        try require(signature.derRepresentation == input, "DER is the one encoding")
        try require(
          (try P256Signature(rawRepresentation: signature.rawRepresentation)) == signature,
          "r ‖ s is the same signature")
      }
      if let signature = try? P256Signature(rawRepresentation: input) {
        try require(
          (try P256Signature(derRepresentation: signature.derRepresentation)) == signature, "DER is the same signature")
        let key = try TokenKeys.p256("sign").publicKey
        try require(!key.isValidSignature(signature, for: [0x61]), "nobody guesses a signature")
      }
      return (try? P256Signature(derRepresentation: input)) != nil
    })

  private static func derOfPEM(_ text: String) -> [UInt8]? {
    let lines = text.split(separator: "\n").dropFirst().dropLast()
    return try? Base64.decode(lines.joined())
  }

  static func octets(_ hexadecimal: String) -> [UInt8]? {
    let digits = Array(hexadecimal.utf8)
    guard digits.count % 2 == 0 else { return nil }
    return stride(from: 0, to: digits.count, by: 2).compactMap {
      UInt8(String(decoding: digits[$0..<($0 + 2)], as: UTF8.self), radix: 16)
    }
  }

  private static let sec1: [UInt8] =
    [0x30, 0x31, 0x02, 0x01, 0x01, 0x04, 0x20] + Array(1...32)
    + [0xA0, 0x0A, 0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]

  private static let ed25519Private: [UInt8] =
    [0x30, 0x2E, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20] + Array(1...32)
}
