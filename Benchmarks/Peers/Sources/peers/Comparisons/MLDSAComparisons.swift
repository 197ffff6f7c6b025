import Crypto
import PureCrypto
import PureJOSEBenchmarking

/// ML-DSA-65 on a message of 300 bytes, with keys that are kept. Both sides sign with fresh randomness, their default.
enum MLDSAComparisons {
  /// Signing tries until a candidate is accepted, 5 times on average: one call signs often enough to come near it.
  private static let signaturesPerCall = 64

  static func all() throws -> [Comparison] {
    guard #available(macOS 26, *) else { return [] }
    return try mlDSA65()
  }

  @available(macOS 26, *)
  private static func mlDSA65() throws -> [Comparison] {
    let seed = SampleBytes.make(count: 32)
    let message = SampleBytes.make(count: 300)
    let ourKey = try MLDSASigningKey(.mlDSA65, seed: SecretBytes(copying: seed))
    let theirKey = try MLDSA65.PrivateKey(seedRepresentation: seed, publicKey: nil)
    let ourPublicKey = ourKey.publicKey
    let theirPublicKey = theirKey.publicKey
    let signature = try ourKey.signature(for: message)
    guard theirPublicKey.rawRepresentation.elementsEqual(ourPublicKey.rawRepresentation),
      theirPublicKey.isValidSignature(signature, for: message),
      ourPublicKey.isValidSignature(signature, for: message),
      ourPublicKey.isValidSignature(try theirKey.signature(for: message), for: message)
    else { throw Disagreement("mldsa65") }
    return [
      Comparison(
        "mldsa65.keygen", ours: { MLDSASigningKey(.mlDSA65).publicKey.rawRepresentation },
        theirs: { try MLDSA65.PrivateKey().publicKey.rawRepresentation }),
      Comparison(
        "mldsa65.sign", operationsPerCall: signaturesPerCall,
        ours: { for _ in 0..<signaturesPerCall { blackHole(try ourKey.signature(for: message)) } },
        theirs: { for _ in 0..<signaturesPerCall { blackHole(try theirKey.signature(for: message)) } }),
      Comparison(
        "mldsa65.verify", ours: { ourPublicKey.isValidSignature(signature, for: message) },
        theirs: { theirPublicKey.isValidSignature(signature, for: message) }),
    ]
  }
}
