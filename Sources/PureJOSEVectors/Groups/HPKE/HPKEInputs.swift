import PureCrypto

/// What a run of HPKE begins with: algorithms, the material of both key pairs, and what both sides know.
struct HPKEInputs {
  let suite: HPKE.Ciphersuite
  let info: [UInt8]
  let preSharedKey: (key: SecretBytes, identifier: [UInt8])?
  let ephemeralMaterial: SecretBytes
  let recipientMaterial: SecretBytes

  init(reading members: MemberReader) throws(VectorFault) {
    suite = HPKE.Ciphersuite(
      kem: try Self.algorithm([.p256, .p384, .p521, .x25519], "KEM", try members.integer("kemId"), \.identifier),
      kdf: try Self.algorithm(
        [.hkdfSHA256, .hkdfSHA384, .hkdfSHA512, .shake256], "KDF", try members.integer("kdfId"), \.identifier),
      aead: try Self.algorithm(
        [.aes128GCM, .aes256GCM, .chaCha20Poly1305, .exportOnly], "AEAD", try members.integer("aeadId"), \.identifier))
    info = try members.octets("info")
    switch try members.integer("mode") {
    case 0: preSharedKey = nil
    case 1: preSharedKey = (SecretBytes(copying: try members.octets("psk")), try members.octets("pskId"))
    case let mode: throw .notImplemented("mode \(mode) of HPKE")
    }
    ephemeralMaterial = SecretBytes(copying: try members.octets("ikmE"))
    recipientMaterial = SecretBytes(copying: try members.octets("ikmR"))
  }

  private static func algorithm<Algorithm>(
    _ known: [Algorithm], _ kind: String, _ number: Int, _ identifier: (Algorithm) -> UInt16
  ) throws(VectorFault) -> Algorithm {
    guard let algorithm = known.first(where: { Int(identifier($0)) == number }) else {
      throw .notImplemented("\(kind) \(number) of HPKE")
    }
    return algorithm
  }

  /// Calls `body` with the key pairs.
  func withKeys<Result>(_ body: any HPKEKeyUser<Result>) throws -> Result {
    switch suite.kem {
    case .p256: try body.use(derived(P256AgreementPrivateKey.self), derived(P256AgreementPrivateKey.self, of: true))
    case .p384: try body.use(derived(P384AgreementPrivateKey.self), derived(P384AgreementPrivateKey.self, of: true))
    case .p521: try body.use(derived(P521AgreementPrivateKey.self), derived(P521AgreementPrivateKey.self, of: true))
    default: try body.use(derived(X25519PrivateKey.self), derived(X25519PrivateKey.self, of: true))
    }
  }

  private func derived<Key: HPKEPrivateKey>(_ type: Key.Type, of isRecipient: Bool = false) throws(CryptoError) -> Key {
    try suite.kem.deriveKey(type, from: isRecipient ? recipientMaterial : ephemeralMaterial)
  }
}

/// What is done with key pairs of any KEM.
protocol HPKEKeyUser<Result> {
  associatedtype Result

  func use<Key: HPKEPrivateKey>(_ ephemeral: Key, _ recipient: Key) throws -> Result
}
