import Crypto
import Foundation
import PureCrypto
import PureJOSEBenchmarking

/// AES-256-GCM without additional authenticated data. Our key is prepared once; the peer has keys that are not prepared
/// only.
///
/// Initialization vectors are given on both sides, so that the rows show the cipher and not the random number
/// generator, except where the name says so. The peer seals into fresh storage only, so we do that too.
enum AESGCMComparisons {
  private static let initializationVector = AESGCM.InitializationVector(fixedField: 1, invocationField: 1)

  static func all() throws -> [Comparison] {
    let keyBytes = SampleBytes.make(count: 32)
    let ourKey = try AESGCM(key: keyBytes)
    let theirKey = SymmetricKey(data: keyBytes)
    return try [
      seal("aes256gcm.seal.64", 64, ourKey, theirKey), sealWithRandomVector(64, ourKey, theirKey),
      seal("aes256gcm.seal.1k", 1024, ourKey, theirKey), seal("aes256gcm.seal.16k", 16 * 1024, ourKey, theirKey),
      seal("aes256gcm.seal.1m", 1024 * 1024, ourKey, theirKey), open("aes256gcm.open.1k", 1024, ourKey, theirKey),
      open("aes256gcm.open.16k", 16 * 1024, ourKey, theirKey),
    ]
  }

  private static func seal(
    _ name: String, _ byteCount: Int, _ ourKey: AESGCM, _ theirKey: SymmetricKey
  ) throws -> Comparison {
    let plaintext = SampleBytes.make(count: byteCount)
    let vector = initializationVector
    let nonce = try AES.GCM.Nonce(data: Array(vector))
    let ours = try ourKey.seal(plaintext, uniqueInitializationVector: vector)
    let theirs = try AES.GCM.seal(plaintext, using: theirKey, nonce: nonce)
    guard ours.ciphertext.elementsEqual(theirs.ciphertext), ours.authenticationTag.elementsEqual(theirs.tag) else {
      throw Disagreement(name)
    }
    return Comparison(
      name, ours: { try ourKey.seal(plaintext, uniqueInitializationVector: vector) },
      theirs: { try AES.GCM.seal(plaintext, using: theirKey, nonce: nonce) })
  }

  private static func sealWithRandomVector(
    _ byteCount: Int, _ ourKey: AESGCM, _ theirKey: SymmetricKey
  ) -> Comparison {
    let plaintext = SampleBytes.make(count: byteCount)
    return Comparison(
      "aes256gcm.seal.\(byteCount).random-iv", ours: { try ourKey.seal(plaintext) },
      theirs: { try AES.GCM.seal(plaintext, using: theirKey) })
  }

  private static func open(
    _ name: String, _ byteCount: Int, _ ourKey: AESGCM, _ theirKey: SymmetricKey
  ) throws -> Comparison {
    let plaintext = SampleBytes.make(count: byteCount)
    let box = try ourKey.seal(plaintext, uniqueInitializationVector: initializationVector)
    let theirBox = try AES.GCM.SealedBox(
      nonce: AES.GCM.Nonce(data: Array(box.initializationVector)), ciphertext: box.ciphertext,
      tag: box.authenticationTag)
    let ours = {
      try ourKey.open(
        ciphertext: box.ciphertext, authenticationTag: box.authenticationTag,
        initializationVector: box.initializationVector)
    }
    let theirs = { try AES.GCM.open(theirBox, using: theirKey) }
    guard try ours() == plaintext, try theirs().elementsEqual(plaintext) else { throw Disagreement(name) }
    return Comparison(name, ours: ours, theirs: theirs)
  }
}
