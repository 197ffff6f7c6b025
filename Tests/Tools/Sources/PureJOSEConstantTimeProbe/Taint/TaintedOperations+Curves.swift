import PureCrypto

extension TaintedOperations {
  static var curves: [TaintedOperation] {
    curve("p256", P256Curve.self, length: 32) + curve("p384", P384Curve.self, length: 48)
      + curve("p521", P521Curve.self, length: 66) + curve("secp256k1", Secp256k1Curve.self, length: 32)
  }

  /// Scalars at the edges: in range, and not.
  private static func rejectedScalars(_ length: Int) -> [[UInt8]] {
    let none = [UInt8](repeating: 0, count: length)
    return [none, [UInt8](repeating: 0xFF, count: length), none.dropLast() + [1]]
  }

  private static func curve<Curve: EllipticCurve>(
    _ name: String, _: Curve.Type, length: Int
  ) -> [TaintedOperation] {
    let scalars = length == 32 ? Secrets.scalars(count: 8) : Secrets.scalars(count: 4, length: length)
    let few = Array(scalars.prefix(2)) + [scalars[scalars.count - 1]]
    let five = [UInt8](repeating: 0, count: length - 32) + [UInt8](repeating: 5, count: 32)
    return [
      TaintedOperation("\(name).import", scalars) { secret in
        let key = try ECPrivateKey<Curve, KeyUse.All>(rawRepresentation: secret)
        return key.publicKey.x963Representation + key.rawRepresentation.withUnsafeBytes { Array($0) }
      },
      TaintedOperation("\(name).import from secret storage, in range or not", decides: true, rejectedScalars(length)) {
        secret in
        try ECPrivateKey<Curve, KeyUse.All>(rawRepresentation: SecretBytes(copying: secret)).publicKey
          .x963Representation
      },
      TaintedOperation("\(name).generate", [[0]]) { _ in
        let key = ECPrivateKey<Curve, KeyUse.All>()
        return key.publicKey.x963Representation + key.rawRepresentation.withUnsafeBytes { Array($0) }
      },
      TaintedOperation("\(name).sign, hedged nonce", few) { secret in
        try ECPrivateKey<Curve, KeyUse.All>(rawRepresentation: secret).signature(for: message, nonce: .hedged)
          .rawRepresentation
      },
      TaintedOperation("\(name).sign, deterministic nonce", few) { secret in
        try ECPrivateKey<Curve, KeyUse.All>(rawRepresentation: secret).signature(for: message, nonce: .deterministic)
          .rawRepresentation
      },
      TaintedOperation("\(name).sign, given nonce, in range or not", decides: true, scalars + rejectedScalars(length)) {
        secret in
        try ECPrivateKey<Curve, KeyUse.All>(rawRepresentation: five).signature(
          forDigest: SHA2.SHA256.hash(message), givenNonce: secret
        ).rawRepresentation
      },
      TaintedOperation("\(name).shared-secret", few) { secret in
        let other = try ECPrivateKey<Curve, KeyUse.All>(rawRepresentation: five).publicKey
        return try ECPrivateKey<Curve, KeyUse.All>(rawRepresentation: secret).sharedSecret(with: other).withUnsafeBytes
        {
          Array($0)
        }
      },
      TaintedOperation("\(name).der, written and read", few) { secret in
        let der = try ECPrivateKey<Curve, KeyUse.All>(rawRepresentation: secret).derRepresentation.withUnsafeBytes {
          Array($0)
        }
        let outline = SecretBytes(copying: Taint.outline(der, around: [secret]))
        return try ECPrivateKey<Curve, KeyUse.All>(derRepresentation: outline).derRepresentation.withUnsafeBytes {
          Array($0)
        }
      },
      TaintedOperation("\(name).pem, written and read", few) { secret in
        let pem = try ECPrivateKey<Curve, KeyUse.All>(rawRepresentation: secret).pemRepresentation
        return Array(
          try ECPrivateKey<Curve, KeyUse.All>(pemRepresentation: Taint.pem(pem, around: [secret])).pemRepresentation
            .utf8)
      },
    ]
  }

  static var curve25519: [TaintedOperation] {
    [
      TaintedOperation("x25519.import", octets(32)) { secret in
        let key = try X25519PrivateKey(rawRepresentation: secret)
        return key.publicKey.rawRepresentation + key.rawRepresentation.withUnsafeBytes { Array($0) }
      },
      TaintedOperation("x25519.generate", [[0]]) { _ in
        let key = X25519PrivateKey()
        return key.publicKey.rawRepresentation + key.rawRepresentation.withUnsafeBytes { Array($0) }
      },
      TaintedOperation("x25519.shared-secret", octets(32)) { secret in
        let other = try X25519PrivateKey(rawRepresentation: [UInt8](repeating: 5, count: 32)).publicKey
        return try X25519PrivateKey(rawRepresentation: secret).sharedSecret(with: other).withUnsafeBytes { Array($0) }
      },
      TaintedOperation("x25519.der and pem, written and read", octets(32)) { secret in
        let key = try X25519PrivateKey(rawRepresentation: SecretBytes(copying: secret))
        let again = try X25519PrivateKey(derRepresentation: key.derRepresentation.withUnsafeBytes { Array($0) })
        let pem = try Taint.pem(again.pemRepresentation, around: [secret])
        return Array(try X25519PrivateKey(pemRepresentation: pem).pemRepresentation.utf8)
      },
      TaintedOperation("ed25519.import", octets(32)) { secret in
        let key = try Ed25519PrivateKey(rawRepresentation: secret)
        return key.publicKey.rawRepresentation + key.rawRepresentation.withUnsafeBytes { Array($0) }
      },
      TaintedOperation("ed25519.generate", [[0]]) { _ in
        let key = Ed25519PrivateKey()
        return key.publicKey.rawRepresentation + key.rawRepresentation.withUnsafeBytes { Array($0) }
      },
      TaintedOperation("ed25519.sign", octets(32)) { secret in
        try Ed25519PrivateKey(rawRepresentation: secret).signature(for: message)
      },
      TaintedOperation("ed25519.der and pem, written and read", octets(32)) { secret in
        let key = try Ed25519PrivateKey(rawRepresentation: SecretBytes(copying: secret))
        let again = try Ed25519PrivateKey(derRepresentation: key.derRepresentation.withUnsafeBytes { Array($0) })
        let pem = try Taint.pem(again.pemRepresentation, around: [secret])
        return Array(try Ed25519PrivateKey(pemRepresentation: pem).pemRepresentation.utf8)
      },
    ]
  }
}
