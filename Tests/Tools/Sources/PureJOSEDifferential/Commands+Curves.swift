import PureCrypto

extension Commands {
  static var primeCurves: [String: Command] {
    var all = commands("p256", P256PrivateKey.self)
    all.merge(commands("p384", P384PrivateKey.self)) { first, _ in first }
    all.merge(commands("p521", P521PrivateKey.self)) { first, _ in first }
    all.merge(commands("secp256k1", Secp256k1PrivateKey.self)) { first, _ in first }
    all["p256 verify prepared"] = { request in
      let key = try P256PublicKey(x963Representation: request[0]).prepared()
      let digest = digest(request[1], of: SHA2.SHA256.Digest.self)
      return verdict(key.isValidSignature(try P256Signature(rawRepresentation: request[2]), forDigest: digest))
    }
    return all
  }

  private static func commands<Curve: EllipticCurve>(
    _ name: String, _: ECPrivateKey<Curve, KeyUse.All>.Type
  ) -> [String: Command] {
    typealias Key = ECPrivateKey<Curve, KeyUse.All>
    typealias PublicKey = ECPublicKey<Curve, KeyUse.All>
    return [
      // Operand: scalar.
      "\(name) public": { request in [try Key(rawRepresentation: request[0]).publicKey.x963Representation] },
      // Operand: a point, 04 ‖ x ‖ y or compressed.
      "\(name) point": { request in
        let encoded = request[0]
        let key =
          encoded.first == 4
          ? try PublicKey(x963Representation: encoded) : try PublicKey(compressedRepresentation: encoded)
        return [key.x963Representation, key.compressedRepresentation]
      },
      // Operands: x, y.
      "\(name) coordinates": { request in [try PublicKey(x: request[0], y: request[1]).x963Representation] },
      // Operands: scalar, digest.
      "\(name) sign": { request in
        let key = try Key(rawRepresentation: request[0])
        let digest = digest(request[1], of: Curve.HashFunction.Digest.self)
        return [key.signature(forDigest: digest, nonce: .deterministic).rawRepresentation]
      },
      // Operands: scalar, message. With fresh randomness.
      "\(name) sign hedged": { request in
        [try Key(rawRepresentation: request[0]).signature(for: request[1], nonce: .hedged).rawRepresentation]
      },
      // Operands: scalar, digest, nonce.
      "\(name) sign with nonce": { request in
        let key = try Key(rawRepresentation: request[0])
        let digest = digest(request[1], of: Curve.HashFunction.Digest.self)
        return [try key.signature(forDigest: digest, givenNonce: request[2]).rawRepresentation]
      },
      // Operands: point, digest, r ‖ s.
      "\(name) verify": { request in
        let key = try PublicKey(x963Representation: request[0])
        let signature = try ECDSASignature<Curve>(rawRepresentation: request[2])
        return verdict(
          key.isValidSignature(signature, forDigest: digest(request[1], of: Curve.HashFunction.Digest.self)))
      },
      // Operands: scalar, point.
      "\(name) agree": { request in
        let key = try Key(rawRepresentation: request[0])
        return [octets(try key.sharedSecret(with: try PublicKey(x963Representation: request[1])))]
      },
    ]
  }

  static var curve25519: [String: Command] {
    [
      "ed25519 public": { request in [try Ed25519PrivateKey(rawRepresentation: request[0]).publicKey.rawRepresentation]
      },
      // Operands: seed, message.
      "ed25519 sign": { request in [try Ed25519PrivateKey(rawRepresentation: request[0]).signature(for: request[1])] },
      // Operands: public key, message, signature.
      "ed25519 verify": { request in
        let key = try Ed25519PublicKey(rawRepresentation: request[0])
        return verdict(key.isValidSignature(request[2], for: request[1]))
      },
      "x25519 public": { request in [try X25519PrivateKey(rawRepresentation: request[0]).publicKey.rawRepresentation] },
      // Operands: private key, public key.
      "x25519 agree": { request in
        let key = try X25519PrivateKey(rawRepresentation: request[0])
        return [octets(try key.sharedSecret(with: try X25519PublicKey(rawRepresentation: request[1])))]
      },
    ]
  }
}
