import PureCrypto

extension Commands {
  static var ciphers: [String: Command] {
    [
      // Operands: backend, key, initialization vector, authenticated data, plaintext.
      "gcm seal": { request in
        let cipher = try AESGCM(key: request[1], backend: try backend(request.text(0)))
        guard let vector = try? AESGCM.InitializationVector(request[2]) else {
          // J₀ is a hash: a form that vectors need, and nobody else has.
          let (ciphertext, tag) = try cipher.seal(
            request.octets(4), authenticating: request.octets(3), anyInitializationVector: request.octets(2))
          return [ciphertext, tag]
        }
        let tag = try cipher.sealInPlace(
          request.mutable(4), authenticating: request[3], uniqueInitializationVector: vector)
        return [request.octets(4), Array(tag)]
      },
      // Operands: backend, key, initialization vector, authenticated data, ciphertext, tag.
      "gcm open": { request in
        let cipher = try AESGCM(key: request[1], backend: try backend(request.text(0)))
        guard let vector = try? AESGCM.InitializationVector(request[2]) else {
          return [
            try cipher.open(
              ciphertext: request.octets(4), truncatedTag: request.octets(5),
              anyInitializationVector: request.octets(2), authenticating: request.octets(3))
          ]
        }
        try cipher.openInPlace(
          request.mutable(4), authenticationTag: request[5], initializationVector: vector, authenticating: request[3])
        return [request.octets(4)]
      },
      // Operands: backend, key, initialization vector, whole blocks, 1 to encrypt.
      "cbc": { request in
        let cipher = try AESCBC(key: request[1], backend: try backend(request.text(0)))
        let isEncrypting = request.number(4) == 1
        let vector = request[2].loadUnaligned(as: SIMD2<UInt64>.self)
        let output = request.output(count: request[3].count)
        if isEncrypting {
          cipher.encrypt(request[3], to: output, initializationVector: vector)
        } else {
          cipher.decrypt(request[3], to: output, initializationVector: vector)
        }
        return [Array(output)]
      },
      // Operands: backend, key, initialization vector, authenticated data, plaintext.
      "cbc hmac seal": { request in
        let cipher = try AESCBCHMAC(key: request.secret(1), backend: try backend(request.text(0)))
        let box = try cipher.seal(request[4], authenticating: request[3], initializationVector: request.octets(2))
        return [box.ciphertext, box.authenticationTag]
      },
      // Operands: backend, key, initialization vector, authenticated data, ciphertext, tag.
      "cbc hmac open": { request in
        let cipher = try AESCBCHMAC(key: request.secret(1), backend: try backend(request.text(0)))
        return [
          try cipher.open(
            ciphertext: request.octets(4), authenticationTag: request.octets(5),
            initializationVector: request.octets(2), authenticating: request[3])
        ]
      },
      // Operands: backend, key-encryption key, key.
      "wrap": { request in
        [try AESKeyWrap(key: request.secret(1), backend: try backend(request.text(0))).wrap(request.secret(2))]
      },
      "unwrap": { request in
        [octets(try AESKeyWrap(key: request.secret(1), backend: try backend(request.text(0))).unwrap(request[2]))]
      },
      "equal": { request in verdict(ConstantTime.equal(request[0], request[1])) },
    ]
  }
}
