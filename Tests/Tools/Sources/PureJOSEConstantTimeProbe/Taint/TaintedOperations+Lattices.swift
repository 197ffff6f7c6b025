import PureCrypto

extension TaintedOperations {
  static var lattices: [TaintedOperation] {
    mlKEM("mlkem768", .mlKEM768) + mlKEM("mlkem1024", .mlKEM1024) + xWing
      + hybrid("mlkem768p256", .mlKEM768P256) + hybrid("mlkem1024p384", .mlKEM1024P384)
      + mlDSA("mldsa44", .mlDSA44) + mlDSA("mldsa65", .mlDSA65) + mlDSA("mldsa87", .mlDSA87)
  }

  private static func bytes(_ secret: SecretBytes) -> [UInt8] { secret.withUnsafeBytes { Array($0) } }

  private static func mlKEM(_ name: String, _ set: MLKEMParameterSet) -> [TaintedOperation] {
    [
      TaintedOperation("\(name).import", octets(64)) { secret in
        let key = try MLKEMPrivateKey(set, seed: SecretBytes(copying: secret))
        return key.publicKey.rawRepresentation + bytes(key.seed)
      },
      TaintedOperation("\(name).pem, parsed and written", octets(64)) { secret in
        let key = try MLKEMPrivateKey(set, seed: SecretBytes(copying: secret))
        let pem = try Taint.pem(key.pemRepresentation, around: [secret])
        return Array(try MLKEMPrivateKey(pemRepresentation: pem).pemRepresentation.utf8)
      },
      TaintedOperation("\(name).generate", [[0]]) { _ in MLKEMPrivateKey(set).publicKey.rawRepresentation },
      TaintedOperation("\(name).encapsulate", octets(32)) { secret in
        let key = try MLKEMPrivateKey(set, seed: SecretBytes(copying: [UInt8](repeating: 5, count: 64)))
        let made = key.publicKey.encapsulate(SecretBytes(copying: secret))
        return bytes(made.sharedSecret) + made.ciphertext
      },
      TaintedOperation("\(name).decapsulate, a right and a wrong ciphertext", octets(64)) { secret in
        let key = try MLKEMPrivateKey(set, seed: SecretBytes(copying: secret))
        let message = SecretBytes(copying: [UInt8](repeating: 7, count: 32))
        var ciphertext = key.publicKey.encapsulate(message).ciphertext
        let right = try key.decapsulate(ciphertext)
        ciphertext[3] ^= 1
        return bytes(right) + bytes(try key.decapsulate(ciphertext))
      },
    ]
  }

  private static var xWing: [TaintedOperation] {
    [
      TaintedOperation("xwing.import, decapsulate", octets(32)) { secret in
        let key = try XWingPrivateKey(seed: SecretBytes(copying: secret))
        let made = try key.publicKey.encapsulate()
        return bytes(made.sharedSecret) + bytes(try key.decapsulate(made.ciphertext))
      },
      TaintedOperation("xwing.generate", [[0]]) { _ in XWingPrivateKey().publicKey.rawRepresentation },
    ]
  }

  /// A KEM with a curve, as HPKE uses it. The seeds are of ML-KEM, and candidates for a scalar.
  private static func hybrid(_ name: String, _ kem: LatticeKEM) -> [TaintedOperation] {
    [
      TaintedOperation("\(name).import, decapsulate", octets(32)) { secret in
        // Of another key, which is no secret here: the points in it and in a ciphertext are public, and ML-KEM by
        // itself has right and wrong ones.
        let other = try LatticeKEMPrivateKey(kem, seed: SecretBytes(copying: [UInt8](repeating: 5, count: 32)))
        let randomness = SecretBytes(copying: [UInt8](repeating: 9, count: kem.randomnessByteCount))
        let ciphertext = try other.publicKey.encapsulate(randomness: randomness).ciphertext
        return bytes(try LatticeKEMPrivateKey(kem, seed: SecretBytes(copying: secret)).decapsulate(ciphertext))
      },
      TaintedOperation("\(name).generate", [[0]]) { _ in LatticeKEMPrivateKey(kem).publicKey.rawRepresentation },
      TaintedOperation("\(name).encapsulate", octets(32)) { secret in
        let seed = SecretBytes(copying: [UInt8](repeating: 5, count: 32))
        // The message, candidates of which some are out of range, and a last one that is not.
        let scalarByteCount = kem == .mlKEM768P256 ? 32 : 48
        let last = ([1] + secret + [UInt8](repeating: 0, count: 16)).prefix(scalarByteCount)
        let candidates = kem == .mlKEM768P256 ? secret + secret + secret + last : Array(last)
        let made = try LatticeKEMPrivateKey(kem, seed: seed).publicKey.encapsulate(
          randomness: SecretBytes(copying: secret + candidates))
        return bytes(made.sharedSecret) + made.ciphertext
      },
    ]
  }

  private static func mlDSA(_ name: String, _ set: MLDSAParameterSet) -> [TaintedOperation] {
    [
      TaintedOperation("\(name).import", octets(32)) { secret in
        let key = try MLDSASigningKey(set, seed: SecretBytes(copying: secret))
        return key.publicKey.rawRepresentation + bytes(key.seed)
      },
      TaintedOperation("\(name).generate", [[0]]) { _ in MLDSASigningKey(set).publicKey.rawRepresentation },
      TaintedOperation("\(name).sign, hedged", octets(32)) { secret in
        try MLDSASigningKey(set, seed: SecretBytes(copying: secret)).signature(for: message)
      },
      TaintedOperation("\(name).sign, deterministic", octets(32)) { secret in
        try MLDSASigningKey(set, seed: SecretBytes(copying: secret)).signature(for: message, deterministically: true)
      },
    ]
  }
}
