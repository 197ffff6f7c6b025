import JOSE
import PureCrypto

/// JWE with HPKE of the content, and of the key that encrypts it: any key of the recipient, plaintext and pre-shared
/// key. What the sender draws is tainted as well: its key for one message, and the content encryption key.
extension TaintedOperations {
  static var encryptedByHPKE: [TaintedOperation] {
    suites.flatMap { suite in
      algorithms(suite).flatMap { algorithm in
        [
          TaintedOperation(named(algorithm, "encrypt, decrypt"), scalars) { secret in
            try exchanged(secret, by: recipientKey(secret, suite), algorithm)
          },
          TaintedOperation(named(algorithm, "decrypt, authentic or not"), decides: true, numbered: scalars + scalars) {
            secret, number in
            let key = try DecryptionKey(recipientKey(secret, suite), algorithm: algorithm)
            let token = try published(JWE.encrypt(message, to: encryptionKey(key)))
            // Of the ciphertext, or of the encrypted key.
            let changed = number == 0 ? token : try forged(token, segment: isIntegrated(algorithm) ? 3 : 1)
            return try JWE.decrypt(changed, with: key, contentEncryption: [.a256gcm]).plaintext
          },
        ]
      }
    }
      + algorithms(suites[0]).map { algorithm in
        TaintedOperation(named(algorithm, "encrypt, decrypt with a pre-shared key"), [octets(32)[5]]) { secret in
          // Here the recipient's key is no secret, nor is the plaintext.
          let key = try recipientKey(scalars[0], suites[0])
          return try exchanged(message, by: key, algorithm, preSharedKey: SecretBytes(copying: secret))
        }
      }
  }

  private static let suites: [HPKE.Ciphersuite] = [
    .p256SHA256AES128GCM, .x25519SHA256ChaChaPoly, .mlKEM768P256SHAKE256AES256GCM,
  ]

  private static func algorithms(_ suite: HPKE.Ciphersuite) -> [KeyManagementAlgorithm] {
    [.hpke(suite), .hpkeKeyEncryption(suite)]
  }

  /// A private key of P-256 and of X25519, and the seed of one with ML-KEM.
  private static var scalars: [[UInt8]] { [Secrets.scalars(count: 3)[2]] }

  private static func recipientKey(_ secret: [UInt8], _ suite: HPKE.Ciphersuite) throws -> JWK {
    switch suite {
    case .p256SHA256AES128GCM: JWK(.privateKey(.ec(.p256(try P256PrivateKey(rawRepresentation: secret)))))
    case .x25519SHA256ChaChaPoly: JWK(.privateKey(.x25519(try X25519PrivateKey(rawRepresentation: secret))))
    default: JWK(.privateKey(.lattice(try LatticeKEMPrivateKey(.mlKEM768P256, seed: SecretBytes(copying: secret)))))
    }
  }

  private static func isIntegrated(_ algorithm: KeyManagementAlgorithm) -> Bool { !algorithm.name.hasSuffix("-KE") }

  /// The token and what it decrypts to.
  private static func exchanged(
    _ plaintext: [UInt8], by jwk: JWK, _ algorithm: KeyManagementAlgorithm, preSharedKey: SecretBytes? = nil
  ) throws -> [UInt8] {
    let shared = preSharedKey.map { (key: $0, identifier: message) }
    let key = try DecryptionKey(jwk, algorithm: algorithm).sharing(info: message, preSharedKey: shared)
    let token = try JWE.encrypt(
      plaintext, to: encryptionKey(key).sharing(info: message, preSharedKey: shared),
      contentEncryption: isIntegrated(algorithm) ? nil : .a128gcm)
    return try Array(token.utf8) + JWE.decrypt(published(token), with: key, contentEncryption: [.a128gcm]).plaintext
  }

  private static func forged(_ token: String, segment: Int) throws -> String {
    var segments = token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    var octets = try Base64URL.decode(segments[segment])
    octets[1] ^= 0x20
    segments[segment] = Base64URL.encode(octets)
    return segments.joined(separator: ".")
  }
}
