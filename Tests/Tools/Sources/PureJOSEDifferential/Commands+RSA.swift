import PureCrypto

extension Commands {
  static var rsa: [String: Command] {
    var all: [String: Command] = [
      // Operands: modulus, exponent, hash of the padding, label, message.
      "rsa encrypt": { request in
        let key = try AnyRSAPublicKey(modulus: request[0], exponent: request[1])
        return [try key.encrypt(request[4], padding: padding(request.text(2)), label: request[3])]
      },
      // Operands: private key in DER, hash of the padding, label, ciphertext.
      "rsa decrypt": { request in
        let message = try privateKey(request[0])
          .decrypt(request[3], padding: padding(request.text(1)), label: request[2])
        return [octets(message)]
      },
    ]
    all.merge(signing("256", SHA2.SHA256.self)) { first, _ in first }
    all.merge(signing("384", SHA2.SHA384.self)) { first, _ in first }
    all.merge(signing("512", SHA2.SHA512.self)) { first, _ in first }
    return all
  }

  private static func signing<Function: SHA2Function>(_ name: String, _ function: Function.Type) -> [String: Command] {
    [
      // Operands: private key in DER, padding, message.
      "rsa sign \(name)": { request in
        [
          try privateKey(request[0]).signature(
            for: request[2], padding: request.text(1) == "pss" ? .pss : .pkcs1v15, function: function)
        ]
      },
      // Operands: modulus, exponent, padding, message, signature.
      "rsa verify \(name)": { request in
        let key = try AnyRSAPublicKey(modulus: request[0], exponent: request[1])
        return verdict(
          key.isValidSignature(
            request[4], for: request[3], padding: request.text(2) == "pss" ? .pss : .pkcs1v15, function: function))
      },
    ]
  }

  private static func padding(_ name: String) -> RSAEncryptionPadding {
    switch name {
    case "sha1": .oaepSHA1
    case "sha384": .oaepSHA384
    case "sha512": .oaepSHA512
    default: .oaepSHA256
    }
  }

  // Importing a key takes as long as using it, and the campaign has few keys. The driver has one thread.
  private nonisolated(unsafe) static var privateKeys: [[UInt8]: AnyRSAPrivateKey] = [:]

  private static func privateKey(_ der: UnsafeRawBufferPointer) throws -> AnyRSAPrivateKey {
    let octets = Array(der)
    if let known = privateKeys[octets] { return known }
    let key = try AnyRSAPrivateKey(derRepresentation: der)
    privateKeys[octets] = key
    return key
  }
}
