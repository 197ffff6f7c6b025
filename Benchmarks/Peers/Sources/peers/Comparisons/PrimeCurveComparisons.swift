import Crypto
import PureCrypto
import PureJOSEBenchmarking

/// ECDSA on P-384 and P-521 with keys that are kept, on a message of 300 bytes, SHA-384 or SHA-512 included.
enum PrimeCurveComparisons {
  static func all() throws -> [Comparison] { try p384() + p521() }

  private static func p384() throws -> [Comparison] {
    let message = SampleBytes.make(count: 300)
    let theirKey = P384.Signing.PrivateKey()
    let ourKey = try P384SigningKey(rawRepresentation: Array(theirKey.rawRepresentation))
    let ourPublicKey = ourKey.publicKey
    let theirPublicKey = theirKey.publicKey
    let ourSignature = ourKey.signature(for: message)
    let theirSignature = try P384.Signing.ECDSASignature(rawRepresentation: ourSignature.rawRepresentation)
    guard ourPublicKey.isValidSignature(ourSignature, for: message),
      theirPublicKey.isValidSignature(theirSignature, for: message)
    else { throw Disagreement("es384.verify") }
    return [
      Comparison(
        "es384.sign", ours: { ourKey.signature(for: message) }, theirs: { try theirKey.signature(for: message) }),
      Comparison(
        "es384.verify", ours: { ourPublicKey.isValidSignature(ourSignature, for: message) },
        theirs: { theirPublicKey.isValidSignature(theirSignature, for: message) }),
    ]
  }

  private static func p521() throws -> [Comparison] {
    let message = SampleBytes.make(count: 300)
    let theirKey = P521.Signing.PrivateKey()
    let ourKey = try P521SigningKey(rawRepresentation: Array(theirKey.rawRepresentation))
    let ourPublicKey = ourKey.publicKey
    let theirPublicKey = theirKey.publicKey
    let ourSignature = ourKey.signature(for: message)
    let theirSignature = try P521.Signing.ECDSASignature(rawRepresentation: ourSignature.rawRepresentation)
    guard ourPublicKey.isValidSignature(ourSignature, for: message),
      theirPublicKey.isValidSignature(theirSignature, for: message)
    else { throw Disagreement("es512.verify") }
    return [
      Comparison(
        "es512.sign", ours: { ourKey.signature(for: message) }, theirs: { try theirKey.signature(for: message) }),
      Comparison(
        "es512.verify", ours: { ourPublicKey.isValidSignature(ourSignature, for: message) },
        theirs: { theirPublicKey.isValidSignature(theirSignature, for: message) }),
    ]
  }
}
