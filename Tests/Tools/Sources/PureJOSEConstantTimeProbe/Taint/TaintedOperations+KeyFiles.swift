import JOSE
import PureCrypto

/// Private keys as JWK, PEM and DER.
extension TaintedOperations {
  private static var primeCurveFiles: [TaintedOperation] {
    keyFile("p256", length: 32) { .ec(.p256(try P256PrivateKey(rawRepresentation: $0))) }
      + keyFile("p384", length: 48) { .ec(.p384(try P384PrivateKey(rawRepresentation: $0))) }
      + keyFile("p521", length: 66) { .ec(.p521(try P521PrivateKey(rawRepresentation: $0))) }
      + keyFile("secp256k1", length: 32) { .ec(.secp256k1(try Secp256k1PrivateKey(rawRepresentation: $0))) }
  }

  static var keyFiles: [TaintedOperation] {
    primeCurveFiles
      + keyFile("x25519", length: 32) { .x25519(try X25519PrivateKey(rawRepresentation: $0)) }
      + keyFile("ed25519", length: 32) { .ed25519(try Ed25519PrivateKey(rawRepresentation: $0)) }
      + keyFile("mldsa44", length: 32, member: "priv") {
        .mlDSA(try MLDSASigningKey(.mlDSA44, seed: SecretBytes(copying: $0)))
      }
      + [
        TaintedOperation("jwk.rsa.json, parsed and written", [rsaTestKeys[0].secret]) { secret in
          var text = try JWK(.publicKey(.rsa(rsaTestKeys[0].publicKey))).serialized().dropLast()
          for (name, part) in zip(["d", "p", "q", "dp", "dq", "qi"], rsaParts(secret)) {
            text += Array(",\"\(name)\":".utf8) + Taint.jsonString(part)
          }
          return try JWK(parsing: text + Array("}".utf8)).serializedWithPrivateKey()
        },
        TaintedOperation("jwk.rsa.pem, parsed and written", [rsaTestKeys[0].secret]) { secret in
          guard let pem = try JWK(.privateKey(.rsa(rsaTestKeys[0].key(secret)))).privatePEMRepresentation else {
            return nil
          }
          return try JWK(pemRepresentation: Taint.pem(pem, around: rsaParts(secret))).privatePEMRepresentation.map {
            Array($0.utf8)
          }
        },
        TaintedOperation("jwk.oct.json, parsed and written", octets(32)) { secret in
          let text = Array(#"{"kty":"oct","k":"#.utf8) + Taint.jsonString(secret) + Array("}".utf8)
          let set = try JWKSet(parsing: Array(#"{"keys":["#.utf8) + text + Array("]}".utf8), acceptsSecretKeys: true)
          return try JWK(parsing: text).serializedWithPrivateKey() + set.keys[0].serializedWithPrivateKey()
        },
        // What the right password opens is read as every other key file is, of which only the key itself is secret.
        TaintedOperation("encrypted-key.decrypt, right or wrong password", decides: true, changes(8)) { secret in
          let password = SecretBytes(copying: changed("password".utf8, by: secret))
          let file = try Base64.decode(encryptedKey).withUnsafeBytes { bytes in
            try EncryptedPrivateKeyFile(bytes, maximumIterationCount: 3)
          }
          return (try? file.decrypted(password: password))?.withUnsafeBytes { Array($0) }
        },
        TaintedOperation("jwk.oct.thumbprint", octets(32)) { secret in
          Array(JWK(.octets(SecretBytes(copying: secret))).secretKeyThumbprint().utf8)
        },
      ]
  }

  /// A key on P-256 that OpenSSL encrypted with the password "password": three iterations of PBKDF2 with SHA-256,
  /// AES-128-CBC.
  private static let encryptedKey = """
    MIHrMFYGCSqGSIb3DQEFDTBJMCgGCSqGSIb3DQEFDDAbBAjoCZ9xngEaQAIBAzAMBggqhkiG9w0CCQUAMB0GCWCGSAFlAwQBAgQQ\
    8eW+huA1uzacwZE3y3AjSASBkNrKfyo1VIGyYHb7ovEQdySYNINaAFxqr+g5R5Dheucz1y6dlQaAt+rwpvS0O0Fp7t/Mh4Z5HV0l\
    QCisbS1QU54nkkDfZ1pYg//zMCAiNyqRljBXYIVMMXLE0hW78wOS6BLXTiIW/XQqoFRsWfAMH65w8bt4by0NW9qTpmk0KFwrz+Mn\
    L/tRSAMuM002Zwum8g==
    """

  /// The public half is published first, as it is where a key comes from outside.
  private static func keyFile(
    _ name: String, length: Int, member: String = "d", _ key: @escaping ([UInt8]) throws -> PrivateKey
  ) -> [TaintedOperation] {
    let secrets = length == 32 ? Secrets.scalars(count: 3) : Secrets.scalars(count: 2, length: length)
    return [
      TaintedOperation("jwk.\(name).json, parsed and written", numbered: secrets) { secret, number in
        let members = try JWK(.privateKey(key(secrets[number]))).serialized()
        let text = members.dropLast() + Array(",\"\(member)\":".utf8) + Taint.jsonString(secret) + Array("}".utf8)
        return try JWK(parsing: text).serializedWithPrivateKey()
      },
      TaintedOperation("jwk.\(name).json, of another public key", decides: true, numbered: [secrets[0], secrets[1]]) {
        secret, number in
        var members = try JWK(.privateKey(key(secrets[0]))).publicJSONObject()
        members[member] = .string(Base64URL.encode(secret))
        return try JWK(members).serializedWithPrivateKey()
      },
      TaintedOperation("jwk.\(name).pem, parsed and written", secrets) { secret in
        guard let pem = try JWK(.privateKey(key(secret))).privatePEMRepresentation else { return nil }
        return try JWK(pemRepresentation: Taint.pem(pem, around: [secret])).privatePEMRepresentation.map {
          Array($0.utf8)
        }
      },
    ]
  }
}
