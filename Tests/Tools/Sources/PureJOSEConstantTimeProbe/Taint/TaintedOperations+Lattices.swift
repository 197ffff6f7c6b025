import PureCrypto

extension TaintedOperations {
  static var lattices: [TaintedOperation] {
    mlKEM("mlkem768", .mlKEM768) + mlKEM("mlkem1024", .mlKEM1024) + xWing
      + mlDSA("mldsa44", .mlDSA44) + mlDSA("mldsa65", .mlDSA65) + mlDSA("mldsa87", .mlDSA87)
  }

  private static func bytes(_ secret: SecretBytes) -> [UInt8] { secret.withUnsafeBytes { Array($0) } }

  private static func mlKEM(_ name: String, _ set: MLKEMParameterSet) -> [TaintedOperation] {
    [
      TaintedOperation("\(name).import", octets(64)) { secret in
        let key = try MLKEMPrivateKey(set, seed: SecretBytes(copying: secret))
        return key.publicKey.rawRepresentation + bytes(key.seed)
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
