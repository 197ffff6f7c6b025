import PureCrypto

extension FuzzTarget {
  static let kernelTargets = [aesGCM, chacha, sha256, aesCBC, keyWrap]

  /// AES-GCM on every backend: the same octets, and damage is refused by all.
  private static let aesGCM = FuzzTarget(
    "kernel-gcm", maximumByteCount: 4096,
    seeds: { _ in seeds },
    run: { input in
      let cut = Cuts(input)
      let key = Array(cut.key.prefix([16, 24, 32][cut.first % 3]))
      let iv = cut.first & 0x80 == 0 ? Array(cut.key.prefix(12)) : Array(cut.key.prefix(cut.second % 33 + 1))
      let aad = Array(cut.rest.prefix(cut.second))
      let plaintext = Array(cut.rest.dropFirst(cut.second))
      var ciphertext: [UInt8] = []
      var tag: [UInt8] = []
      for (index, backend) in Backend.available.enumerated() {
        let cipher = try AESGCM(key: key, backend: backend)
        if !iv.isEmpty {
          let sealed = try cipher.seal(plaintext, authenticating: aad, anyInitializationVector: iv)
          if index == 0 { (ciphertext, tag) = (sealed.ciphertext, sealed.authenticationTag) }
          try require(sealed.ciphertext == ciphertext && sealed.authenticationTag == tag, "\(backend) seals alike")
          try require(
            try cipher.open(
              ciphertext: ciphertext, truncatedTag: tag, anyInitializationVector: iv, authenticating: aad)
              == plaintext,
            "\(backend) opens what was sealed")
        }
        var damaged = tag.isEmpty ? Array(repeating: 0, count: 16) : tag
        damaged[cut.first & 15] ^= 1 << UInt8(cut.second & 7)
        try require(
          (try? cipher.open(
            ciphertext: plaintext, truncatedTag: damaged, anyInitializationVector: iv, authenticating: aad)) == nil,
          "\(backend) refuses a damaged tag")
      }
      return true
    })

  /// ChaCha20-Poly1305 on every backend: the same octets, and damage is refused by all.
  private static let chacha = FuzzTarget(
    "kernel-chacha", maximumByteCount: 4096,
    seeds: { _ in seeds },
    run: { input in
      let cut = Cuts(input)
      let key = SecretBytes(copying: cut.key)
      let nonce = try ChaCha20Poly1305.Nonce(cut.key.prefix(12))
      let aad = Array(cut.rest.prefix(cut.second))
      let plaintext = Array(cut.rest.dropFirst(cut.second))
      var first: ChaCha20Poly1305.SealedBox?
      for backend in Backend.available {
        let cipher = try ChaCha20Poly1305(key: key, backend: backend)
        let sealed = try cipher.seal(plaintext, authenticating: aad, uniqueNonce: nonce)
        if let first { try require(first == sealed, "\(backend) seals alike") }
        first = sealed
        try require(
          try cipher.open(
            ciphertext: sealed.ciphertext, authenticationTag: sealed.authenticationTag, nonce: nonce,
            authenticating: aad) == plaintext,
          "\(backend) opens what was sealed")
        var damaged = sealed.authenticationTag
        damaged[cut.first & 15] ^= 1 << UInt8(cut.second & 7)
        try require(
          (try? cipher.open(
            ciphertext: sealed.ciphertext, authenticationTag: damaged, nonce: nonce, authenticating: aad)) == nil,
          "\(backend) refuses a damaged tag")
      }
      return true
    })

  /// SHA-256 on every backend, in one piece and in three; SHA-512 in one and in three.
  private static let sha256 = FuzzTarget(
    "kernel-sha2", maximumByteCount: 1024,
    seeds: { _ in seeds },
    run: { input in
      let cut = Cuts(input)
      let (first, second) = (input.prefix(cut.first), input.dropFirst(cut.first))
      let pieces = [first, second.prefix(cut.second), second.dropFirst(cut.second)]
      let expected = SHA2.SHA256.hash(input)
      for backend in Backend.available {
        var hash = SHA2.SHA256(backend: backend)
        for piece in pieces { hash.update(piece) }
        try require(hash.finalize() == expected, "\(backend) hashes alike")
      }
      var hash = SHA2.SHA512()
      for piece in pieces { hash.update(piece) }
      try require(hash.finalize() == SHA2.SHA512.hash(input), "pieces hash as the whole does")
      return true
    })

  /// AES-CBC with HMAC on every backend, and any octets as a message to open.
  private static let aesCBC = FuzzTarget(
    "kernel-cbc", maximumByteCount: 1024,
    seeds: { _ in seeds },
    run: { input in
      let cut = Cuts(input)
      let key = SecretBytes(copying: (cut.key + cut.key).prefix([32, 48, 64][cut.first % 3]))
      let iv = Array(cut.key.prefix(16))
      var first: ([UInt8], [UInt8])?
      for backend in Backend.available {
        let cipher = try AESCBCHMAC(key: key, backend: backend)
        let sealed = try cipher.seal(cut.rest, authenticating: cut.key, initializationVector: iv)
        let (ciphertext, tag) = (sealed.ciphertext, sealed.authenticationTag)
        if let first { try require(first.0 == ciphertext && first.1 == tag, "\(backend) seals alike") }
        first = (ciphertext, tag)
        try require(
          try cipher.open(
            ciphertext: ciphertext, authenticationTag: tag, initializationVector: iv, authenticating: cut.key)
            == cut.rest,
          "\(backend) opens what was sealed")
        try require(
          (try? cipher.open(
            ciphertext: cut.rest, authenticationTag: tag, initializationVector: iv, authenticating: cut.key)) == nil,
          "\(backend) refuses another ciphertext")
      }
      return true
    })

  /// AES key wrap on every backend, and any octets as a wrapped key.
  private static let keyWrap = FuzzTarget(
    "kernel-keywrap", maximumByteCount: 128,
    seeds: { _ in seeds },
    run: { input in
      let cut = Cuts(input)
      let key = SecretBytes(copying: cut.key.prefix([16, 24, 32][cut.first % 3]))
      var first: [UInt8]?
      for backend in Backend.available {
        let cipher = try AESKeyWrap(key: key, backend: backend)
        try require((try? cipher.unwrap(cut.rest)) == nil, "\(backend) refuses any octets")
        _ = cipher.unwrapOrRandom(cut.rest, byteCount: 16)
        guard let wrapped = try? cipher.wrap(SecretBytes(copying: cut.rest)) else { continue }
        if let first { try require(first == wrapped, "\(backend) wraps alike") }
        first = wrapped
        try require(
          try cipher.unwrap(wrapped).withUnsafeBytes { $0.elementsEqual(cut.rest) },
          "\(backend) unwraps what was wrapped")
      }
      return first != nil
    })

  private static let seeds: [[UInt8]] = [0, 1, 15, 16, 17, 63, 64, 65, 127, 128, 129, 255, 256, 511, 512, 1024].map {
    [UInt8](0..<34) + (0..<$0).map { UInt8(truncatingIfNeeded: $0 &* 7) }
  }
}

/// Two small numbers, 32 octets for keys, and the rest of an input.
private struct Cuts {
  let first: Int
  let second: Int
  let key: [UInt8]
  let rest: [UInt8]

  init(_ input: [UInt8]) {
    let padded = input.prefix(34) + Array(repeating: 0, count: max(0, 34 - input.count))
    first = Int(padded[0])
    second = Int(padded[1])
    key = Array(padded[2...])
    rest = Array(input.dropFirst(34))
  }
}
