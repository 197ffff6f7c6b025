import Crypto
import PureCrypto
import PureJOSEBenchmarking

/// Ed25519 with keys that are kept, on a message of 300 bytes, and X25519 with a public key that is kept.
enum Curve25519Comparisons {
  static func all() throws -> [Comparison] { try signatures() + [keyAgreement()] }

  private static func signatures() throws -> [Comparison] {
    let seed = SampleBytes.make(count: 32)
    let message = SampleBytes.make(count: 300)
    let ourKey = try Ed25519PrivateKey(rawRepresentation: seed)
    let theirKey = try Curve25519.Signing.PrivateKey(rawRepresentation: seed)
    let ourPublicKey = ourKey.publicKey
    let theirPublicKey = theirKey.publicKey
    let signature = ourKey.signature(for: message)
    guard ourPublicKey.isValidSignature(signature, for: message),
      theirPublicKey.isValidSignature(signature, for: message),
      try ourPublicKey.isValidSignature(Array(theirKey.signature(for: message)), for: message)
    else { throw Disagreement("ed25519.verify") }
    return [
      Comparison(
        "ed25519.sign", ours: { ourKey.signature(for: message) }, theirs: { try theirKey.signature(for: message) }),
      Comparison(
        "ed25519.verify", ours: { ourPublicKey.isValidSignature(signature, for: message) },
        theirs: { theirPublicKey.isValidSignature(signature, for: message) }),
    ]
  }

  private static func keyAgreement() throws -> Comparison {
    let scalar = SampleBytes.make(count: 32)
    let ourKey = try X25519PrivateKey(rawRepresentation: scalar)
    let theirKey = try Curve25519.KeyAgreement.PrivateKey(rawRepresentation: scalar)
    let theirOther = Curve25519.KeyAgreement.PrivateKey().publicKey
    let other = try X25519PublicKey(rawRepresentation: Array(theirOther.rawRepresentation))
    let ourSecret = try ourKey.sharedSecret(with: other)
    let theirSecret = try theirKey.sharedSecretFromKeyAgreement(with: theirOther).withUnsafeBytes {
      SecretBytes(copying: $0)
    }
    guard ourSecret.isSame(as: theirSecret) else { throw Disagreement("x25519") }
    return Comparison(
      "x25519", ours: { try ourKey.sharedSecret(with: other) },
      theirs: { try theirKey.sharedSecretFromKeyAgreement(with: theirOther) })
  }
}
