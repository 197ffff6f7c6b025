import PureCrypto

extension Commands {
  static var lattices: [String: Command] {
    var commands: [String: Command] = [
      // Operands: message, where to split it. The answer of SHAKE has as many octets as the third one says.
      "sha3 256": { request in [sha3(.bits256, request)] },
      "sha3 384": { request in [sha3(.bits384, request)] },
      "sha3 512": { request in [sha3(.bits512, request)] },
      "shake128": { request in [shake(.shake128, request)] },
      "shake256": { request in [shake(.shake256, request)] },
    ]
    for (name, set) in [("768", MLKEMParameterSet.mlKEM768), ("1024", .mlKEM1024)] {
      // Operands: seed; seed, ciphertext; public key.
      commands["mlkem\(name) public"] = { request in
        [try MLKEMPrivateKey(set, seed: request.secret(0)).publicKey.rawRepresentation]
      }
      commands["mlkem\(name) decapsulate"] = { request in
        [octets(try MLKEMPrivateKey(set, seed: request.secret(0)).decapsulate(request[1]))]
      }
      commands["mlkem\(name) encapsulate"] = { request in
        let (secret, ciphertext) = try MLKEMPublicKey(set, rawRepresentation: request[0]).encapsulate()
        return [octets(secret) + ciphertext]
      }
    }
    for (name, set) in [("44", MLDSAParameterSet.mlDSA44), ("65", .mlDSA65), ("87", .mlDSA87)] {
      // Operands: seed; seed, message, context; public key, message, context, signature.
      commands["mldsa\(name) public"] = { request in
        [try MLDSASigningKey(set, seed: request.secret(0)).publicKey.rawRepresentation]
      }
      commands["mldsa\(name) sign"] = { request in
        [try MLDSASigningKey(set, seed: request.secret(0)).signature(for: request[1], context: request.octets(2))]
      }
      commands["mldsa\(name) verify"] = { request in
        let key = try MLDSAVerificationKey(set, rawRepresentation: request[0])
        return verdict(key.isValidSignature(request[3], for: request[1], context: request.octets(2)))
      }
    }
    return commands
  }

  private static func sha3(_ size: SHA3.Size, _ request: Request) -> [UInt8] {
    var hash = SHA3(size)
    hash.update(UnsafeRawBufferPointer(rebasing: request[0][..<request.number(1)]))
    hash.update(UnsafeRawBufferPointer(rebasing: request[0][request.number(1)...]))
    return hash.finalize()
  }

  private static func shake(_ start: SHAKE, _ request: Request) -> [UInt8] {
    var shake = start
    shake.update(UnsafeRawBufferPointer(rebasing: request[0][..<request.number(1)]))
    shake.update(UnsafeRawBufferPointer(rebasing: request[0][request.number(1)...]))
    return shake.output(byteCount: request.number(2))
  }
}
