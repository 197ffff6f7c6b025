import Crypto
import CryptoExtras
import Foundation
import PureCrypto
import PureJOSEBenchmarking

/// RSASSA-PKCS1-v1_5 with SHA-256 and keys of 2048 bits that are kept, on digests, so that the rows show the
/// arithmetic.
enum RSAComparisons {
  static func all() throws -> [Comparison] {
    let ourKey = try RSASigningKey(bitCount: 2048)
    let ourPublicKey = ourKey.publicKey
    guard let pem = ourKey.pemRepresentation else { throw Disagreement("rs256") }
    let theirKey = try _RSA.Signing.PrivateKey(pemRepresentation: pem)
    let theirPublicKey = try _RSA.Signing.PublicKey(derRepresentation: Data(ourPublicKey.derRepresentation))
    let message = SampleBytes.make(count: 300)
    let ourDigest = SHA2.SHA256.hash(message)
    let theirDigest = SHA256.hash(data: message)
    let ourSignature = try ourKey.signature(forDigest: ourDigest, padding: .pkcs1v15, function: SHA2.SHA256.self)
    let theirSignature = _RSA.Signing.RSASignature(rawRepresentation: Data(ourSignature))
    guard
      ourPublicKey.isValidSignature(
        ourSignature, forDigest: ourDigest, padding: .pkcs1v15, function: SHA2.SHA256.self),
      theirPublicKey.isValidSignature(theirSignature, for: theirDigest, padding: .insecurePKCS1v1_5)
    else { throw Disagreement("rs256.verify") }
    let theirOwn = try theirKey.signature(for: theirDigest, padding: .insecurePKCS1v1_5)
    guard theirOwn.rawRepresentation.elementsEqual(ourSignature) else { throw Disagreement("rs256.sign") }
    return [
      Comparison(
        "rs256.sign",
        ours: { try ourKey.signature(forDigest: ourDigest, padding: .pkcs1v15, function: SHA2.SHA256.self) },
        theirs: { try theirKey.signature(for: theirDigest, padding: .insecurePKCS1v1_5) }),
      Comparison(
        "rs256.verify",
        ours: {
          ourPublicKey.isValidSignature(
            ourSignature, forDigest: ourDigest, padding: .pkcs1v15, function: SHA2.SHA256.self)
        },
        theirs: { theirPublicKey.isValidSignature(theirSignature, for: theirDigest, padding: .insecurePKCS1v1_5) }),
    ]
  }
}
