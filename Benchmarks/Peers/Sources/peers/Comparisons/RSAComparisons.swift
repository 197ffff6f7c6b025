import Crypto
import CryptoExtras
import Foundation
import PureCrypto

/// RSASSA-PKCS1-v1_5 with SHA-256 and a key of 2048 bits that is kept, on digests, so that the rows show the arithmetic.
enum RSAComparisons {
  static func all() throws -> [Comparison] {
    let ourKey = try RSAPrivateKey(bitCount: 2048)
    let ourPublicKey = ourKey.publicKey
    let theirPublicKey = try _RSA.Signing.PublicKey(derRepresentation: Data(ourPublicKey.derRepresentation))
    let message = SampleBytes.make(count: 300)
    let ourDigest = SHA2.SHA256.hash(message)
    let theirDigest = SHA256.hash(data: message)
    let ourSignature = try ourKey.signature(forDigest: ourDigest, padding: .pkcs1v15, function: SHA2.SHA256.self)
    let theirSignature = _RSA.Signing.RSASignature(rawRepresentation: ourSignature)
    guard
      ourPublicKey.isValidSignature(
        ourSignature, forDigest: ourDigest, padding: .pkcs1v15, function: SHA2.SHA256.self),
      theirPublicKey.isValidSignature(theirSignature, for: theirDigest, padding: .insecurePKCS1v1_5)
    else { throw Disagreement("rs256.verify") }
    return [
      Comparison(
        "rs256.verify",
        ours: {
          ourPublicKey.isValidSignature(
            ourSignature, forDigest: ourDigest, padding: .pkcs1v15, function: SHA2.SHA256.self)
        },
        theirs: { theirPublicKey.isValidSignature(theirSignature, for: theirDigest, padding: .insecurePKCS1v1_5) })
    ]
  }
}
