import Crypto
import PureCrypto
import PureJOSEBenchmarking

/// On digests, so that the rows show the curve and not the hash function. Both sides sign with hedged nonces, their
/// default.
enum P256Comparisons {
  static func all() throws -> [Comparison] {
    let scalar = SampleBytes.make(count: 32)
    let ourKey = try P256SigningKey(rawRepresentation: scalar)
    let theirKey = try P256.Signing.PrivateKey(rawRepresentation: scalar)
    return try [keyGeneration(), sign(ourKey, theirKey)] + verify(ourKey, theirKey) + [keyAgreement(scalar)]
  }

  /// A fresh private key and its public key in X9.63 form. By default the peer draws keys until one has a compact
  /// representation, twice on average, which we don't do and hardly anybody needs.
  private static func keyGeneration() -> Comparison {
    Comparison(
      "p256.keygen", ours: { P256SigningKey().publicKey.x963Representation },
      theirs: { P256.Signing.PrivateKey(compactRepresentable: false).publicKey.x963Representation })
  }

  private static func sign(_ ourKey: P256SigningKey, _ theirKey: P256.Signing.PrivateKey) throws -> Comparison {
    let message = SampleBytes.make(count: 300)
    let ourDigest = SHA2.SHA256.hash(message)
    let theirDigest = SHA256.hash(data: message)
    let signature = try P256.Signing.ECDSASignature(
      rawRepresentation: ourKey.signature(forDigest: ourDigest).rawRepresentation)
    guard theirKey.publicKey.isValidSignature(signature, for: theirDigest) else { throw Disagreement("p256.sign") }
    return Comparison(
      "p256.sign", ours: { ourKey.signature(forDigest: ourDigest) },
      theirs: { try theirKey.signature(for: theirDigest) })
  }

  /// With the public key decoded anew each time, then with a key that is kept: prepared on our side, decoded on the
  /// peer's.
  private static func verify(_ ourKey: P256SigningKey, _ theirKey: P256.Signing.PrivateKey) throws -> [Comparison] {
    let message = SampleBytes.make(count: 300)
    let ourDigest = SHA2.SHA256.hash(message)
    let theirDigest = SHA256.hash(data: message)
    let theirSignature = try theirKey.signature(for: theirDigest)
    let ourSignature = try P256Signature(rawRepresentation: theirSignature.rawRepresentation)
    let publicKey = ourKey.publicKey.x963Representation
    let ourPrepared = ourKey.publicKey.prepared()
    let theirPublicKey = theirKey.publicKey
    guard ourKey.publicKey.isValidSignature(ourSignature, forDigest: ourDigest),
      ourPrepared.isValidSignature(ourSignature, forDigest: ourDigest),
      theirPublicKey.isValidSignature(theirSignature, for: theirDigest)
    else { throw Disagreement("p256.verify") }
    return [
      Comparison(
        "p256.verify",
        ours: {
          try P256VerificationKey(x963Representation: publicKey).isValidSignature(ourSignature, forDigest: ourDigest)
        },
        theirs: {
          try P256.Signing.PublicKey(x963Representation: publicKey).isValidSignature(theirSignature, for: theirDigest)
        }),
      Comparison(
        "p256.verify.prepared", ours: { ourPrepared.isValidSignature(ourSignature, forDigest: ourDigest) },
        theirs: { theirPublicKey.isValidSignature(theirSignature, for: theirDigest) }),
    ]
  }

  private static func keyAgreement(_ scalar: [UInt8]) throws -> Comparison {
    let ourKey = try P256AgreementPrivateKey(rawRepresentation: scalar)
    let theirKey = try P256.KeyAgreement.PrivateKey(rawRepresentation: scalar)
    let other = P256AgreementPrivateKey().publicKey
    let theirOther = try P256.KeyAgreement.PublicKey(x963Representation: other.x963Representation)
    let ourSecret = try ourKey.sharedSecret(with: other)
    let theirSecret = try theirKey.sharedSecretFromKeyAgreement(with: theirOther).withUnsafeBytes {
      SecretBytes(copying: $0)
    }
    guard ourSecret.isSame(as: theirSecret) else { throw Disagreement("p256.ecdh") }
    return Comparison(
      "p256.ecdh", ours: { try ourKey.sharedSecret(with: other) },
      theirs: { try theirKey.sharedSecretFromKeyAgreement(with: theirOther) })
  }
}
