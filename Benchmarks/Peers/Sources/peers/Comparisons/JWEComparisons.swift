import Crypto
import JOSE
import PureCrypto
import PureJOSEBenchmarking

/// A plaintext of 300 bytes, encrypted with ECDH-ES and A256GCM in compact form.
enum JWEComparisons {
  static func all() throws -> [Comparison] {
    let plaintext = SampleBytes.make(count: 300)
    let privateKey = P256AgreementPrivateKey()
    let ourKey = try DecryptionKey(pemRepresentation: privateKey.pemRepresentation, algorithm: .ecdhES)
    let ourPublicKey = ourKey.encryptionKey
    let theirKey = try P256.KeyAgreement.PrivateKey(pemRepresentation: privateKey.pemRepresentation)
    let theirPublicKey = theirKey.publicKey
    let peer = ComposedJWE()

    let ourToken = try JWE.encrypt(plaintext, to: ourPublicKey, contentEncryption: .a256gcm)
    let theirToken = try peer.encrypt(plaintext, to: theirPublicKey)
    guard try JWE.decrypt(theirToken, with: ourKey, contentEncryption: [.a256gcm]).plaintext == plaintext,
      try peer.decrypt(ourToken, with: theirKey).elementsEqual(plaintext)
    else { throw Disagreement("jwe.ecdh-es.a256gcm") }
    return [
      Comparison(
        "jwe.ecdh-es.a256gcm.encrypt",
        ours: { try JWE.encrypt(plaintext, to: ourPublicKey, contentEncryption: .a256gcm) },
        theirs: { try peer.encrypt(plaintext, to: theirPublicKey) }),
      Comparison(
        "jwe.ecdh-es.a256gcm.decrypt",
        ours: { try JWE.decrypt(ourToken, with: ourKey, contentEncryption: [.a256gcm]) },
        theirs: { try peer.decrypt(ourToken, with: theirKey) }),
    ]
  }
}
