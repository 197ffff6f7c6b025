import JOSE
import PureCrypto

/// What tokens do with secrets. A token is public once it is made, so it is published before it is opened.
extension TaintedOperations {
  static var tokens: [TaintedOperation] { authenticated + signed + encrypted + encryptedByHPKE + others }

  /// A text, no longer tainted.
  static func published(_ text: String) -> String { Taint.text(Taint.published(Array(text.utf8))) }

  private static var authenticated: [TaintedOperation] {
    let algorithms: [(SignatureAlgorithm, Int)] = [(.hs256, 32), (.hs384, 48), (.hs512, 64)]
    return algorithms.map { algorithm, length in
      TaintedOperation("jws.\(algorithm.name.lowercased()).sign, verify with any secret", octets(length)) { secret in
        let key = try SigningKey(secret: secret, algorithm: algorithm)
        let token = try JWS.sign(message, with: key)
        _ = try JWS.verify(published(token), with: key.verificationKey)
        return Array(token.utf8)
      }
    }
      + disguises.map { name, disguise in
        // What looks like a key file is refused. Beside it one that doesn't.
        TaintedOperation("jws.secret that may be \(name)", [octets(48)[5], disguise]) { secret in
          let key = try? SigningKey(secret: secret, algorithm: .hs256)
          return try key.map { Array(try JWS.sign(message, with: $0).utf8) } ?? []
        }
      } + [
        TaintedOperation("jws.hs256.verify, right or wrong code", decides: true, changes(32)) { secret in
          let key = try SigningKey(secret: [UInt8](repeating: 9, count: 32), algorithm: .hs256)
          let segments = try JWS.sign(message, with: key).split(separator: ".")
          let code = changed(try Base64URL.decode(String(segments[2])), by: secret)
          // The code itself is public. What is tainted is the key.
          let forged = published("\(segments[0]).\(segments[1]).\(Base64URL.encode(code))")
          let tainted = try SigningKey(secret: secret.map { $0 & 0 ^ 9 }, algorithm: .hs256)
          return try JWS.verify(forged, with: tainted.verificationKey).payload
        },
        TaintedOperation("jwk.generate for HMAC, for wrapping, for content", [[0]]) { _ in
          try JWK.generate(.hs256).serializedWithPrivateKey() + JWK.generate(.a128kw).serializedWithPrivateKey()
            + JWK.generate(ContentEncryptionAlgorithm.a128gcm).serializedWithPrivateKey()
        },
      ]
  }

  /// Secrets of 48 octets that begin like key files; some are such files.
  private static var disguises: [(String, [UInt8])] {
    // White space behind, so that what is JSON stays JSON.
    func padded(_ begin: String) -> [UInt8] {
      Array(begin.utf8) + [UInt8](repeating: 0x20, count: 48 - begin.utf8.count)
    }
    let any = octets(48)[5]
    return [
      ("PEM", padded("-----BEGIN ")), ("PEM, and is not", padded("-----BEGIX ")), ("JSON", padded("{\"kty\":\"oct\"}")),
      ("indented", padded(" \n\t{\"kty\":")),
      ("DER", [0x30, 46, 0x30, 44] + any.prefix(44)), ("long DER", [0x30, 0x81, 45, 0x02] + any.prefix(44)),
      ("DER, and is not", [0x30, 0x82, 0, 40] + any.prefix(44)),
    ]
  }

  private static var signed: [TaintedOperation] {
    let algorithms: [SignatureAlgorithm] = [.es256, .es384, .es512, .es256k, .eddsa]
    return algorithms.map { algorithm in
      TaintedOperation("jws.\(algorithm.name.lowercased()).generate, sign", [[0]]) { _ in
        Array(try JWS.sign(message, with: SigningKey.generate(algorithm)).utf8)
      }
    } + [
      TaintedOperation("jws.rs256.sign", [rsaTestKeys[0].secret]) { secret in
        let key = try SigningKey(JWK(.privateKey(.rsa(rsaTestKeys[0].key(secret)))), algorithm: .rs256)
        return Array(try JWS.sign(message, with: key).utf8)
      },
      TaintedOperation("jws.ps256.sign", [rsaTestKeys[0].secret]) { secret in
        let key = try SigningKey(JWK(.privateKey(.rsa(rsaTestKeys[0].key(secret)))), algorithm: .ps256)
        return Array(try JWS.sign(message, with: key).utf8)
      },
      TaintedOperation("jws.es256.sign as JSON and detached", [Secrets.scalars(count: 3)[2]]) { secret in
        let key = try SigningKey(
          JWK(.privateKey(.ec(.p256(P256PrivateKey(rawRepresentation: secret))))), algorithm: .es256)
        return Array(try JWS.signDetached(message, with: key).utf8)
          + Array(try JWS.signJSON(message, with: [JWSSigner(key: key)], serialization: .flattened).utf8)
      },
      TaintedOperation("dpop.proof", [Secrets.scalars(count: 3)[2]]) { secret in
        let key = try SigningKey(
          JWK(.privateKey(.ec(.p256(P256PrivateKey(rawRepresentation: secret))))), algorithm: .es256)
        guard let date = NumericDate(secondsSince1970: 1) else { return nil }
        return Array(
          try DPoP.proof(method: "GET", url: "https://example.org", key: key, clock: .fixed(at: date)).utf8)
      },
      TaintedOperation("dpop.nonces, made and checked", decides: true, numbered: octets(64)) { secret, number in
        guard let date = NumericDate(secondsSince1970: 1_700_000_000) else { return nil }
        let (new, old) = (SecretBytes(copying: secret[..<32]), SecretBytes(copying: secret[32...]))
        // Half of them were given under the secret before.
        var nonce = published(try DPoPNonces(secret: number % 2 == 0 ? new : old).nonce(at: date))
        if number > 3 { nonce = String(nonce.dropLast()) + (nonce.last == "A" ? "Q" : "A") }
        return try DPoPNonces(secret: new, previousSecrets: [old]).isGood(nonce, at: date) ? Array(nonce.utf8) : nil
      },
    ]
  }

  private static var encrypted: [TaintedOperation] {
    wrappedKeys + forgedKeys + directKeys + agreedKeys + passwords
  }

  static func named(_ algorithm: KeyManagementAlgorithm, _ what: String) -> String {
    "jwe.\(algorithm.name.lowercased()).\(what)"
  }

  private static var wrappedKeys: [TaintedOperation] {
    let algorithms: [(KeyManagementAlgorithm, Int)] = [
      (.a128kw, 16), (.a192kw, 24), (.a256kw, 32), (.a128gcmKW, 16), (.a192gcmKW, 24), (.a256gcmKW, 32),
    ]
    return algorithms.map { algorithm, length in
      TaintedOperation(named(algorithm, "encrypt, decrypt"), octets(length)) { secret in
        try exchanged(JWK(.octets(SecretBytes(copying: secret))), algorithm, .a128gcm)
      }
    }
  }

  private static var forgedKeys: [TaintedOperation] {
    let symmetric: [KeyManagementAlgorithm] = [.a256kw, .a256gcmKW]
    let rsa: [KeyManagementAlgorithm] = [.rsaOAEP, .rsaOAEP256]
    return symmetric.map { algorithm in
      TaintedOperation(named(algorithm, "decrypt, authentic or not"), decides: true, numbered: octets(32)) {
        secret, number in
        try forged(JWK(.octets(SecretBytes(copying: secret))), algorithm, number)
      }
    }
      + rsa.map { algorithm in
        TaintedOperation(
          named(algorithm, "decrypt, authentic or not"), decides: true,
          numbered: [rsaTestKeys[0].secret, rsaTestKeys[0].secret]
        ) {
          secret, number in
          try forged(JWK(.privateKey(.rsa(rsaTestKeys[0].key(secret)))), algorithm, number)
        }
      }
  }

  private static var directKeys: [TaintedOperation] {
    let algorithms: [(ContentEncryptionAlgorithm, Int)] = [
      (.a128gcm, 16), (.a192gcm, 24), (.a256gcm, 32), (.a128cbcHS256, 32), (.a192cbcHS384, 48), (.a256cbcHS512, 64),
    ]
    return algorithms.map { encryption, length in
      TaintedOperation("jwe.dir.\(encryption.name.lowercased()).encrypt, decrypt", octets(length)) { secret in
        try exchanged(JWK(.octets(SecretBytes(copying: secret))), .dir, encryption)
      }
    }
  }

  private static var agreedKeys: [TaintedOperation] {
    let algorithms: [KeyManagementAlgorithm] = [.ecdhES, .ecdhESA128KW, .ecdhESA192KW, .ecdhESA256KW]
    let curves: [Curve] = [.p256, .p384, .p521, .x25519]
    let scalars = [Secrets.scalars(count: 3)[2]]
    return algorithms.map { algorithm in
      TaintedOperation(named(algorithm, "encrypt, decrypt"), scalars) { secret in
        try exchanged(JWK(.privateKey(.ec(.p256(P256PrivateKey(rawRepresentation: secret))))), algorithm, .a256gcm)
      }
    }
      + curves.map { curve in
        TaintedOperation("jwe.ecdh-es on \(String(describing: curve).lowercased()), generate, encrypt, decrypt", [[0]])
        { _ in
          try exchanged(JWK.generate(.ecdhES, curve: curve), .ecdhES, .a256gcm)
        }
      }
  }

  private static var passwords: [TaintedOperation] {
    let algorithms: [KeyManagementAlgorithm] = [.pbes2HS256A128KW, .pbes2HS384A192KW, .pbes2HS512A256KW]
    return algorithms.map { algorithm in
      TaintedOperation(named(algorithm, "encrypt, decrypt"), [octets(20)[5]]) { secret in
        let key = try DecryptionKey(password: secret, algorithm: algorithm)
        let encryptionKey = try EncryptionKey(password: secret, algorithm: algorithm, iterationCount: 1000)
        let token = try published(JWE.encrypt(message, to: encryptionKey, contentEncryption: .a128gcm))
        return try JWE.decrypt(token, with: key, contentEncryption: [.a128gcm]).plaintext
      }
    }
  }

  private struct Claims: Codable {
    var iss: String
  }

  /// JSON serializations, several keys, a shared secret from elsewhere, tokens in tokens.
  private static var others: [TaintedOperation] {
    [
      TaintedOperation("jwe.json.encrypt, decrypt", octets(32)) { secret in
        let jwk = JWK(.octets(SecretBytes(copying: secret)))
        let key = try DecryptionKey(jwk, algorithm: .a256kw)
        let recipients = [JWERecipient(key: key.encryptionKey)]
        let text = try published(JWE.encryptJSON(message, to: recipients, contentEncryption: .a128gcm))
        let keys = JWKSet([jwk])
        return try JWE.decryptJSON(text, with: key, contentEncryption: [.a128gcm]).plaintext
          + JWE.decryptJSON(text, with: keys, keyManagement: [.a256kw], contentEncryption: [.a128gcm]).plaintext
      },
      TaintedOperation("jwe.keys of a set", octets(32)) { secret in
        let jwk = JWK(.octets(SecretBytes(copying: secret)))
        let key = try EncryptionKey(jwk, algorithm: .a256kw)
        let token = try published(JWE.encrypt(message, to: key, contentEncryption: .a128gcm))
        return try JWE.decrypt(
          token, with: JWKSet([jwk]), keyManagement: [.a256kw], contentEncryption: [.a128gcm]
        ).plaintext
      },
      TaintedOperation("jwe.shared secret from elsewhere, right or wrong", decides: true, changes(32)) { secret in
        let key = P256PrivateKey()
        let token = try published(
          JWE.encrypt(
            message, to: encryptionKey(DecryptionKey(JWK(.privateKey(.ec(.p256(key)))), algorithm: .ecdhES)),
            contentEncryption: .a128gcm))
        let prepared = try JWE.prepareDecryption(token, contentEncryption: [.a128gcm])
        let other = try P256PublicKey(x963Representation: prepared.ephemeralPublicKey)
        let sharedSecret = try key.sharedSecret(with: other).withUnsafeBytes { changed($0, by: secret) }
        return try prepared.finish(sharedSecret: sharedSecret).plaintext
      },
      TaintedOperation("jwt.hs256.sign, verify", octets(32)) { secret in
        let key = try SigningKey(secret: secret, algorithm: .hs256)
        let token = try published(JWT.sign(Claims(iss: "a"), with: key))
        let set = JWKSet([JWK(.octets(SecretBytes(copying: secret)))])
        return try JWS.verify(token, with: set, algorithms: [.hs256]).payload
          + Array(JWT.sign(Claims(iss: "a"), with: key).utf8)
      },
      TaintedOperation("jwt.signed and encrypted", octets(32)) { secret in
        let signing = try SigningKey(secret: secret, algorithm: .hs256)
        let encryption = try EncryptionKey(JWK(.octets(SecretBytes(copying: secret))), algorithm: .a256kw)
        return Array(
          try JWT.signAndEncrypt(Claims(iss: "a"), with: signing, to: encryption, contentEncryption: .a128gcm).utf8)
      },
    ]
  }

  /// The key to encrypt with. A public key is published, which a symmetric one must not be.
  static func encryptionKey(_ key: DecryptionKey) throws -> EncryptionKey {
    guard let jwk = key.encryptionKey.publicJWK else { return key.encryptionKey }
    return try EncryptionKey(JWK(parsing: Taint.published(jwk.serialized())), algorithm: key.algorithm)
  }

  /// The token and what it decrypts to.
  private static func exchanged(
    _ jwk: JWK, _ algorithm: KeyManagementAlgorithm, _ encryption: ContentEncryptionAlgorithm
  ) throws -> [UInt8] {
    let key = try DecryptionKey(jwk, algorithm: algorithm)
    let token = try JWE.encrypt(message, to: encryptionKey(key), contentEncryption: encryption)
    return try Array(token.utf8)
      + JWE.decrypt(published(token), with: key, contentEncryption: [encryption]).plaintext
  }

  /// What a token decrypts to, whose encrypted key is changed unless the number is 0.
  private static func forged(_ jwk: JWK, _ algorithm: KeyManagementAlgorithm, _ number: Int) throws -> [UInt8] {
    let key = try DecryptionKey(jwk, algorithm: algorithm)
    let token = try published(JWE.encrypt(message, to: encryptionKey(key), contentEncryption: .a128gcm))
    var segments = token.split(separator: ".").map(String.init)
    if number > 0 {
      var encryptedKey = try Base64URL.decode(segments[1])
      encryptedKey[number] ^= 0x20
      segments[1] = Base64URL.encode(encryptedKey)
    }
    return try JWE.decrypt(segments.joined(separator: "."), with: key, contentEncryption: [.a128gcm]).plaintext
  }
}
