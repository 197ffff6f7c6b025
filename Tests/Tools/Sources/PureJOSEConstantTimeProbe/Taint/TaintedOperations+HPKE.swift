import PureCrypto

/// HPKE with any key of both sides, any pre-shared key, and right and wrong tags.
extension TaintedOperations {
  /// Every KDF and every AEAD.
  private static let suites: [HPKE.Ciphersuite] = [
    .x25519SHA256AES128GCM, .x25519SHA256ChaChaPoly,
    HPKE.Ciphersuite(kem: .x25519, kdf: .hkdfSHA512, aead: .aes256GCM),
    HPKE.Ciphersuite(kem: .x25519, kdf: .shake256, aead: .chaCha20Poly1305),
  ]

  private static func key(_ octet: UInt8) throws -> X25519PrivateKey {
    try X25519PrivateKey(rawRepresentation: [UInt8](repeating: octet, count: 32))
  }

  private static func bytes(_ secret: SecretBytes) -> [UInt8] { secret.withUnsafeBytes { Array($0) } }

  static var hpke: [TaintedOperation] {
    [
      TaintedOperation("hpke.base.seal", octets(32)) { secret in
        let (ephemeral, recipient) = (try X25519PrivateKey(rawRepresentation: secret), try key(5).publicKey)
        return try suites.flatMap { suite in
          var sender = try HPKE.Sender(
            to: recipient, ephemeral: ephemeral, suite: suite, info: message, preSharedKey: nil)
          let ciphertext = try sender.seal(secret, authenticating: message) + sender.seal(message)
          return sender.encapsulatedKey + ciphertext + bytes(try sender.export(context: message, byteCount: 100))
        }
      },
      TaintedOperation("hpke.base.open", octets(32)) { secret in
        let (ephemeral, recipient) = (try key(3), try X25519PrivateKey(rawRepresentation: secret))
        return try suites.flatMap { suite in
          var sender = try HPKE.Sender(
            to: recipient.publicKey, ephemeral: ephemeral, suite: suite, info: message, preSharedKey: nil)
          var receiver = try HPKE.Recipient(
            recipient, encapsulatedKey: sender.encapsulatedKey, suite: suite, info: message)
          let plaintext = try receiver.open(sender.seal(secret)) + receiver.open(sender.seal(message))
          return plaintext + bytes(try receiver.export(context: message, byteCount: 100))
        }
      },
      TaintedOperation("hpke.psk.seal, open, export", octets(32)) { secret in
        let (ephemeral, recipient) = (try key(3), try key(5))
        let preSharedKey = (key: SecretBytes(copying: secret), identifier: message)
        return try suites.flatMap { suite in
          var sender = try HPKE.Sender(
            to: recipient.publicKey, ephemeral: ephemeral, suite: suite, info: message, preSharedKey: preSharedKey)
          var receiver = try HPKE.Recipient(
            recipient, encapsulatedKey: sender.encapsulatedKey, suite: suite, info: message,
            preSharedKey: preSharedKey)
          let ciphertext = try sender.seal(message)
          return ciphertext + (try receiver.open(ciphertext))
            + bytes(try receiver.export(context: message, byteCount: 100))
        }
      },
      TaintedOperation("hpke.open, right or wrong tag", decides: true, changes(16)) { secret in
        let (recipient, suite) = (try key(5), HPKE.Ciphersuite.x25519SHA256AES128GCM)
        let (encapsulated, sealed) = try HPKE.seal(message, to: recipient.publicKey, suite: suite)
        let tag = changed(Array(sealed.suffix(16)), by: secret)
        return try HPKE.open(
          sealed.dropLast(16) + tag, with: recipient, encapsulatedKey: encapsulated, suite: suite)
      },
      TaintedOperation("hpke.lattice.seal, open", octets(32)) { secret in
        let suite = HPKE.Ciphersuite.mlKEM768X25519SHAKE256AES256GCM
        let key = try LatticeKEMPrivateKey(.mlKEM768X25519, seed: SecretBytes(copying: secret))
        var sender = try HPKE.Sender(key: key.publicKey, suite: suite, info: message, preSharedKey: nil)
        var receiver = try HPKE.Recipient(
          key: key, encapsulatedKey: sender.encapsulatedKey, suite: suite, info: message, preSharedKey: nil)
        return try receiver.open(sender.seal(secret))
      },
      TaintedOperation("hpke.derive-key", octets(66)) { secret in
        let material = SecretBytes(copying: secret)
        return bytes(try P256AgreementPrivateKey(deriving: material, for: .p256).rawRepresentation)
          + bytes(try P521AgreementPrivateKey(deriving: material, for: .p521).rawRepresentation)
          + bytes(try X25519PrivateKey(deriving: material, for: .x25519).rawRepresentation)
          + bytes(try LatticeKEMPrivateKey(deriving: material, for: .lattice(.mlKEM768P256)).seed)
      },
    ]
  }
}
