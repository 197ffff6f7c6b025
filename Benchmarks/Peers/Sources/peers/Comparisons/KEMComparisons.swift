import Crypto
import Foundation
import PureCrypto
import PureJOSEBenchmarking

/// ML-KEM-768 and X-Wing with keys that are kept.
enum KEMComparisons {
  static func all() throws -> [Comparison] {
    guard #available(macOS 26, *) else { return [] }
    return try mlKEM768() + xWing()
  }

  @available(macOS 26, *)
  private static func mlKEM768() throws -> [Comparison] {
    let seed = SampleBytes.make(count: 64)
    let ourKey = try MLKEMPrivateKey(.mlKEM768, seed: SecretBytes(copying: seed))
    let theirKey = try MLKEM768.PrivateKey(seedRepresentation: seed, publicKey: nil)
    let ourPublicKey = ourKey.publicKey
    let theirPublicKey = theirKey.publicKey
    let sent = ourPublicKey.encapsulate()
    let theirs = try theirPublicKey.encapsulate()
    let ciphertext = Data(sent.ciphertext)
    guard theirPublicKey.rawRepresentation.elementsEqual(ourPublicKey.rawRepresentation),
      agree(sent.sharedSecret, try theirKey.decapsulate(ciphertext)),
      agree(try ourKey.decapsulate(theirs.encapsulated), theirs.sharedSecret)
    else { throw Disagreement("mlkem768") }
    return [
      Comparison(
        "mlkem768.keygen", ours: { MLKEMPrivateKey(.mlKEM768).publicKey.rawRepresentation },
        theirs: { try MLKEM768.PrivateKey().publicKey.rawRepresentation }),
      Comparison(
        "mlkem768.encapsulate", ours: { ourPublicKey.encapsulate() }, theirs: { try theirPublicKey.encapsulate() }),
      Comparison(
        "mlkem768.decapsulate", ours: { try ourKey.decapsulate(sent.ciphertext) },
        theirs: { try theirKey.decapsulate(ciphertext) }),
    ]
  }

  @available(macOS 26, *)
  private static func xWing() throws -> [Comparison] {
    let seed = SampleBytes.make(count: 32)
    let ourKey = try XWingPrivateKey(seed: SecretBytes(copying: seed))
    let theirKey = try XWingMLKEM768X25519.PrivateKey(seedRepresentation: seed, publicKey: nil)
    let ourPublicKey = ourKey.publicKey
    let theirPublicKey = theirKey.publicKey
    let sent = try ourPublicKey.encapsulate()
    let theirs = try theirPublicKey.encapsulate()
    let ciphertext = Data(sent.ciphertext)
    guard theirPublicKey.rawRepresentation.elementsEqual(ourPublicKey.rawRepresentation),
      agree(sent.sharedSecret, try theirKey.decapsulate(ciphertext)),
      agree(try ourKey.decapsulate(theirs.encapsulated), theirs.sharedSecret)
    else { throw Disagreement("xwing") }
    return [
      Comparison(
        "xwing.keygen", ours: { XWingPrivateKey().publicKey.rawRepresentation },
        theirs: { try XWingMLKEM768X25519.PrivateKey().publicKey.rawRepresentation }),
      Comparison(
        "xwing.encapsulate", ours: { try ourPublicKey.encapsulate() }, theirs: { try theirPublicKey.encapsulate() }),
      Comparison(
        "xwing.decapsulate", ours: { try ourKey.decapsulate(sent.ciphertext) },
        theirs: { try theirKey.decapsulate(ciphertext) }),
    ]
  }

  private static func agree(_ ours: SecretBytes, _ theirs: SymmetricKey) -> Bool {
    ours.withBytes { ours in ours.withUnsafeBytes { ours in theirs.withUnsafeBytes { ours.elementsEqual($0) } } }
  }
}
