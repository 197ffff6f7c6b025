import Crypto
import Foundation
import PureCrypto
import PureJOSEBenchmarking

/// ChaCha20-Poly1305 with a given nonce, into fresh storage.
enum ChaChaPolyComparisons {
  static func all() throws -> [Comparison] {
    let keyBytes = SampleBytes.make(count: 32)
    let (ourKey, theirKey) = (try ChaCha20Poly1305(key: keyBytes), SymmetricKey(data: keyBytes))
    return try [
      seal("chacha20poly1305.seal.64", 64, ourKey, theirKey),
      seal("chacha20poly1305.seal.1k", 1024, ourKey, theirKey),
      seal("chacha20poly1305.seal.16k", 16 * 1024, ourKey, theirKey),
      open("chacha20poly1305.open.16k", 16 * 1024, ourKey, theirKey),
    ]
  }

  private static func seal(
    _ name: String, _ byteCount: Int, _ ourKey: ChaCha20Poly1305, _ theirKey: SymmetricKey
  ) throws -> Comparison {
    let (plaintext, bytes) = (SampleBytes.make(count: byteCount), SampleBytes.make(count: 12))
    let (nonce, theirNonce) = (try ChaCha20Poly1305.Nonce(bytes), try ChaChaPoly.Nonce(data: bytes))
    let ours = try ourKey.seal(plaintext, uniqueNonce: nonce)
    let theirs = try ChaChaPoly.seal(plaintext, using: theirKey, nonce: theirNonce)
    let isSameTag = ours.authenticationTag.elementsEqual(theirs.tag)
    guard ours.ciphertext.elementsEqual(theirs.ciphertext), isSameTag else { throw Disagreement(name) }
    return Comparison(
      name, byteCount: byteCount, ours: { try ourKey.seal(plaintext, uniqueNonce: nonce) },
      theirs: { try ChaChaPoly.seal(plaintext, using: theirKey, nonce: theirNonce) })
  }

  private static func open(
    _ name: String, _ byteCount: Int, _ ourKey: ChaCha20Poly1305, _ theirKey: SymmetricKey
  ) throws -> Comparison {
    let (plaintext, bytes) = (SampleBytes.make(count: byteCount), SampleBytes.make(count: 12))
    let box = try ourKey.seal(plaintext, uniqueNonce: ChaCha20Poly1305.Nonce(bytes))
    let theirBox = try ChaChaPoly.seal(plaintext, using: theirKey, nonce: ChaChaPoly.Nonce(data: bytes))
    let ours = {
      try ourKey.open(ciphertext: box.ciphertext, authenticationTag: box.authenticationTag, nonce: box.nonce)
    }
    let theirs = { try ChaChaPoly.open(theirBox, using: theirKey) }
    guard try ours() == plaintext, try theirs().elementsEqual(plaintext) else { throw Disagreement(name) }
    return Comparison(name, byteCount: byteCount, ours: ours, theirs: theirs)
  }
}
