import PureCrypto

// Curves besides P-256, and RSA's decryption.

extension Operation {
  /// The answer of an operation on private or public keys, or nil if this is another one.
  func asymmetric() throws(CryptoError) -> [UInt8]? {
    if isNamed("ed25519-verify", 3) {
      let key = try Ed25519PublicKey(rawRepresentation: arguments[0])
      return key.isValidSignature(arguments[2], for: arguments[1]) ? [1] : [0]
    }
    if isNamed("ed25519-sign", 2) {
      return try Ed25519PrivateKey(rawRepresentation: arguments[0]).signature(for: arguments[1])
    }
    if isNamed("ed25519-public", 1) {
      return try Ed25519PrivateKey(rawRepresentation: arguments[0]).publicKey.rawRepresentation
    }
    if isNamed("x25519", 2) {
      let key = try X25519PrivateKey(rawRepresentation: arguments[0])
      return octets(try key.sharedSecret(with: X25519PublicKey(rawRepresentation: arguments[1])))
    }
    if isNamed("rsa-oaep-sha1", 9) { return try decrypted(.oaepSHA1) }
    if isNamed("rsa-oaep-sha256", 9) { return try decrypted(.oaepSHA256) }
    if let answer = try curved("p384", P384Curve.self) { return answer }
    if let answer = try curved("p521", P521Curve.self) { return answer }
    return try curved("secp256k1", Secp256k1Curve.self)
  }

  /// n, e, d, p, q, dp, dq, qi and the ciphertext.
  private func decrypted(_ padding: RSAEncryptionPadding) throws(CryptoError) -> [UInt8] {
    let publicKey = try AnyRSAPublicKey(modulus: arguments[0], exponent: arguments[1])
    let key = try AnyRSAPrivateKey(
      publicKey: publicKey, d: secret(2), p: secret(3), q: secret(4), dp: secret(5), dq: secret(6), qi: secret(7))
    return octets(try key.decrypt(arguments[8], padding: padding))
  }

  private func curved<Curve: EllipticCurve>(
    _ name: StaticString, _ curve: Curve.Type
  ) throws(CryptoError) -> [UInt8]? {
    if isNamed(name, "verify", 3) {
      return try verified(ECDSASignature<Curve>(rawRepresentation: arguments[2]))
    }
    if isNamed(name, "verify-der", 3) {
      return try verified(ECDSASignature<Curve>(derRepresentation: arguments[2]))
    }
    if isNamed(name, "sign", 2) {
      return try ECPrivateKey<Curve, KeyUse.All>(rawRepresentation: arguments[0])
        .signature(for: arguments[1], nonce: .deterministic).rawRepresentation
    }
    if isNamed(name, "sign-with-nonce", 3) {
      return try ECPrivateKey<Curve, KeyUse.All>(rawRepresentation: arguments[0])
        .signature(forDigest: Curve.HashFunction.hash(arguments[2]), givenNonce: arguments[1]).rawRepresentation
    }
    if isNamed(name, "public", 1) {
      return try ECPrivateKey<Curve, KeyUse.All>(rawRepresentation: arguments[0]).publicKey.x963Representation
    }
    if isNamed(name, "point", 1) {
      return try ECPublicKey<Curve, KeyUse.All>(x963Representation: arguments[0]).x963Representation
    }
    if isNamed(name, "agree", 2) {
      let peer = try ECPublicKey<Curve, KeyUse.All>(x963Representation: arguments[1])
      return octets(try ECPrivateKey<Curve, KeyUse.All>(rawRepresentation: arguments[0]).sharedSecret(with: peer))
    }
    return nil
  }

  private func verified<Curve: EllipticCurve>(_ signature: ECDSASignature<Curve>) throws(CryptoError) -> [UInt8] {
    try ECPublicKey<Curve, KeyUse.All>(x963Representation: arguments[0]).isValidSignature(signature, for: arguments[1])
      ? [1] : [0]
  }
}
