import PureCrypto

extension Commands {
  static var hashing: [String: Command] {
    [
      // Operands: backend, message, where to split it.
      "sha256": { request in
        let function = SHA2.SHA256(backend: try backend(request.text(0)))
        return [hash(function, request[1], splitAt: request.number(2))]
      },
      "sha384": { request in [hash(SHA2.SHA384(), request[1], splitAt: request.number(2))] },
      "sha512": { request in [hash(SHA2.SHA512(), request[1], splitAt: request.number(2))] },
    ]
    .merging(keyed("256", SHA2.SHA256.self)) { first, _ in first }
    .merging(keyed("384", SHA2.SHA384.self)) { first, _ in first }
    .merging(keyed("512", SHA2.SHA512.self)) { first, _ in first }
  }

  private static func hash<Function: SHA2Function>(
    _ prepared: Function, _ message: UnsafeRawBufferPointer, splitAt place: Int
  ) -> [UInt8] {
    var function = prepared
    function.update(UnsafeRawBufferPointer(rebasing: message[..<place]))
    function.update(UnsafeRawBufferPointer(rebasing: message[place...]))
    return Array(function.finalize())
  }

  private static func keyed<Function: SHA2Function>(_ name: String, _: Function.Type) -> [String: Command] {
    [
      // Operands: key, message, where to split it.
      "hmac\(name)": { request in
        var code = HMACSHA2<Function>(anyKey: request[0])
        let place = request.number(2)
        code.update(UnsafeRawBufferPointer(rebasing: request[1][..<place]))
        code.update(UnsafeRawBufferPointer(rebasing: request[1][place...]))
        return [Array(code.finalize())]
      },
      // Operands: key, message, code.
      "hmac\(name) verify": { request in
        var code = HMACSHA2<Function>(anyKey: request[0])
        code.update(request[1])
        return verdict(code.isValid(request[2]))
      },
      // Operands: password, salt, iterations, length.
      "pbkdf2 \(name)": { request in
        [
          octets(
            try PBKDF2<Function>.deriveKey(
              password: request.secret(0), salt: request[1], iterationCount: request.number(2),
              byteCount: request.number(3)))
        ]
      },
      // Operands: key material, salt, info, length.
      "hkdf \(name)": { request in
        let key = HKDFSHA2<Function>.extract(inputKeyMaterial: request.secret(0), salt: request[1])
        return [
          octets(try HKDFSHA2<Function>.expand(pseudorandomKey: key, info: request[2], byteCount: request.number(3)))
        ]
      },
      // Operands: shared secret, other info, length in bits.
      "concat kdf \(name)": { request in
        [
          octets(
            try ConcatKDF.deriveKey(
              Function.self, sharedSecret: SharedSecret(request.secret(0)), otherInfo: request[1],
              bitCount: request.number(2)))
        ]
      },
    ]
  }
}
