import Crypto
import Foundation
import PureCrypto
import PureJOSEBenchmarking

/// HPKE in the mode base: one message of a kilobyte, under a key for one use that is made each time.
enum HPKEComparisons {
  static func all() throws -> [Comparison] {
    let message = SampleBytes.make(count: 1024)
    let suite = PureCrypto.HPKE.Ciphersuite.p256SHA256AES128GCM
    let theirSuite = Crypto.HPKE.Ciphersuite(kem: .P256_HKDF_SHA256, kdf: .HKDF_SHA256, aead: .AES_GCM_128)
    let ourKey = P256AgreementPrivateKey()
    let ourPublicKey = ourKey.publicKey
    let theirKey = try P256.KeyAgreement.PrivateKey(pemRepresentation: ourKey.pemRepresentation)
    let theirPublicKey = theirKey.publicKey
    let seal = { try PureCrypto.HPKE.seal(message, to: ourPublicKey, suite: suite) }
    let theirSeal = {
      var sender = try Crypto.HPKE.Sender(recipientKey: theirPublicKey, ciphersuite: theirSuite, info: Data())
      return (sender.encapsulatedKey, try sender.seal(message))
    }
    let sealed = try seal()
    let encapsulatedKey = Data(sealed.encapsulatedKey)
    let open = {
      try PureCrypto.HPKE.open(sealed.ciphertext, with: ourKey, encapsulatedKey: sealed.encapsulatedKey, suite: suite)
    }
    let theirOpen = {
      var recipient = try Crypto.HPKE.Recipient(
        privateKey: theirKey, ciphersuite: theirSuite, info: Data(), encapsulatedKey: encapsulatedKey)
      return try recipient.open(sealed.ciphertext)
    }
    let (theirEncapsulatedKey, theirCiphertext) = try theirSeal()
    let theirs = try PureCrypto.HPKE.open(
      theirCiphertext, with: ourKey, encapsulatedKey: Array(theirEncapsulatedKey), suite: suite)
    guard try open() == message, try theirOpen().elementsEqual(message), theirs == message
    else { throw Disagreement("hpke.p256.aes128gcm") }
    return [
      Comparison("hpke.p256.aes128gcm.seal.1k", ours: seal, theirs: theirSeal),
      Comparison("hpke.p256.aes128gcm.open.1k", ours: open, theirs: theirOpen),
    ]
  }
}
