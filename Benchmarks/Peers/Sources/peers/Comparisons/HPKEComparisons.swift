import Crypto
import Foundation
import PureCrypto
import PureJOSEBenchmarking

/// HPKE in the mode base: one message of a kilobyte, under a key for one use that is made each time.
enum HPKEComparisons {
  static func all() throws -> [Comparison] {
    let message = SampleBytes.make(count: 1024)
    let suite = Crypto.HPKE.Ciphersuite(kem: .P256_HKDF_SHA256, kdf: .HKDF_SHA256, aead: .AES_GCM_256)
    let ourKey = P256AgreementPrivateKey()
    let ourPublic = ourKey.publicKey
    let theirKey = try ourKey.rawRepresentation.withBytes { bytes in
      try P256.KeyAgreement.PrivateKey(rawRepresentation: (0..<bytes.byteCount).map { bytes[$0] })
    }
    let theirPublic = theirKey.publicKey
    let sealed = try PureCrypto.HPKE.seal(message, to: ourPublic, suite: .p256SHA256AES256GCM)
    let ours = {
      try PureCrypto.HPKE.open(
        sealed.ciphertext, with: ourKey, encapsulatedKey: sealed.encapsulatedKey, suite: .p256SHA256AES256GCM)
    }
    let theirs = {
      var recipient = try Crypto.HPKE.Recipient(
        privateKey: theirKey, ciphersuite: suite, info: Data(), encapsulatedKey: Data(sealed.encapsulatedKey))
      return try recipient.open(sealed.ciphertext)
    }
    guard try ours() == message, try theirs().elementsEqual(message) else { throw Disagreement("hpke.p256.open.1k") }
    return [
      Comparison(
        "hpke.p256.seal.1k", ours: { try PureCrypto.HPKE.seal(message, to: ourPublic, suite: .p256SHA256AES256GCM) },
        theirs: {
          var sender = try Crypto.HPKE.Sender(recipientKey: theirPublic, ciphersuite: suite, info: Data())
          return try sender.seal(message)
        }),
      Comparison("hpke.p256.open.1k", ours: ours, theirs: theirs),
    ]
  }
}
