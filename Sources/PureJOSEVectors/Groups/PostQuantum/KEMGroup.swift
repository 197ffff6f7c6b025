import PureCrypto

/// Key derivation, encapsulation with given randomness, and decapsulation of the KEMs of HPKE with ML-KEM in them.
struct KEMGroup: VectorGroup {
  private let kem: LatticeKEM

  private static let names: [LatticeKEM: String] = [
    .mlKEM768: "ML-KEM-768", .mlKEM1024: "ML-KEM-1024", .mlKEM768P256: "MLKEM768-P256",
    .mlKEM1024P384: "MLKEM1024-P384", .mlKEM768X25519: "MLKEM768-X25519",
  ]

  init(reading group: MemberReader, in file: FileContext) throws(VectorFault) {
    let (name, number) = (try group.string("kem"), try group.integer("kemId"))
    guard let kem = UInt16(exactly: number).flatMap(LatticeKEM.init), Self.names[kem] == name else {
      throw .notImplemented(name)
    }
    self.kem = kem
  }

  func run(_ test: MemberReader) throws -> Verdict {
    let seed = try test.octets("sk")
    let key = try LatticeKEMPrivateKey(kem, seed: SecretBytes(copying: seed))
    let (ciphertext, secret) = (try test.octets("ct"), try test.octets("ss"))
    // A ciphertext that was changed comes without what it was made of.
    if let material = try test.octets(ifPresent: "ikm") {
      let publicKeyDigest = try test.octets("pkSha256")
      let randomness = try test.octets("randomness")
      guard randomness.count == kem.randomnessByteCount else {
        throw VectorFault.malformed("member randomness is not \(kem.randomnessByteCount) octets long")
      }
      let derived = try LatticeKEMPrivateKey(deriving: SecretBytes(copying: material), for: .lattice(kem))
      guard derived.seed.octets == seed else { return .wrong("the derived seed differs") }
      guard Array(SHA2.SHA256.hash(key.publicKey.rawRepresentation)) == publicKeyDigest else {
        return .wrong("the public key differs")
      }
      // To the public key as its bytes say it.
      let made = try LatticeKEMPublicKey(kem, rawRepresentation: key.publicKey.rawRepresentation)
        .encapsulate(randomness: SecretBytes(copying: randomness))
      guard made.ciphertext == ciphertext, made.sharedSecret.octets == secret else {
        return .wrong("the encapsulated secret differs")
      }
    }
    return .accepted(if: try key.decapsulate(ciphertext).octets == secret, otherwise: "the secret differs")
  }
}
