import Crypto
import PureCrypto

/// Ed25519 with a public key that is kept, on a message of 300 bytes.
enum Ed25519Comparisons {
  static func all() throws -> [Comparison] {
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
        "ed25519.verify", ours: { ourPublicKey.isValidSignature(signature, for: message) },
        theirs: { theirPublicKey.isValidSignature(signature, for: message) })
    ]
  }
}
