import PureCrypto

/// ChaCha20-Poly1305 with any key and plaintext, and with right and wrong tags.
extension TaintedOperations {
  /// Lengths that enter every loop: of whole batches of blocks, what is left of one, groups of blocks for Poly1305, and
  /// single ones.
  private static let chachaMessages = messages + [449, 960, 1300].map { [UInt8](repeating: 0x62, count: $0) }

  private static let nonce = try? ChaCha20Poly1305.Nonce([UInt8](repeating: 7, count: 12))

  static var chacha: [TaintedOperation] {
    guard let nonce else { return [] }
    return [
      TaintedOperation("chacha20poly1305.seal with any key", octets(32)) { secret in
        let cipher = try ChaCha20Poly1305(key: secret)
        return try chachaMessages.flatMap { message in
          let sealed = try cipher.seal(message, authenticating: message, uniqueNonce: nonce)
          return sealed.ciphertext + sealed.authenticationTag
        }
      },
      TaintedOperation("chacha20poly1305.open with any key", octets(32)) { secret in
        let cipher = try ChaCha20Poly1305(key: SecretBytes(copying: secret))
        return try chachaMessages.flatMap { message in
          let sealed = try cipher.seal(message, authenticating: message, uniqueNonce: nonce)
          return try cipher.open(
            ciphertext: sealed.ciphertext, authenticationTag: sealed.authenticationTag, nonce: nonce,
            authenticating: message)
        }
      },
      TaintedOperation("chacha20poly1305.seal of any plaintext", octets(1300) + octets(300) + octets(5)) { secret in
        let cipher = try ChaCha20Poly1305(key: [UInt8](repeating: 9, count: 32))
        let sealed = try cipher.seal(secret, authenticating: message, uniqueNonce: nonce)
        return sealed.ciphertext + sealed.authenticationTag
      },
      TaintedOperation("chacha20poly1305.seal under a random nonce", octets(32)) { secret in
        let sealed = try ChaCha20Poly1305(key: secret).seal(secret, authenticating: secret)
        return sealed.nonce + sealed.ciphertext + sealed.authenticationTag
      },
      TaintedOperation("chacha20poly1305.seal in place", octets(64)) { secret in
        var bytes = secret
        let cipher = try ChaCha20Poly1305(key: SecretBytes(copying: secret[..<32]))
        let tag = try bytes.withUnsafeMutableBytes {
          try cipher.sealInPlace($0, authenticating: message, uniqueNonce: nonce)
        }
        return bytes + tag
      },
      TaintedOperation("chacha20poly1305.open, right or wrong tag", decides: true, changes(16)) { secret in
        let cipher = try ChaCha20Poly1305(key: [UInt8](repeating: 9, count: 32))
        let sealed = try cipher.seal(message, authenticating: message, uniqueNonce: nonce)
        return try cipher.open(
          ciphertext: sealed.ciphertext, authenticationTag: changed(sealed.authenticationTag, by: secret), nonce: nonce,
          authenticating: message)
      },
      TaintedOperation("chacha20poly1305.open in place, right or wrong tag", decides: true, changes(16)) { secret in
        let cipher = try ChaCha20Poly1305(key: [UInt8](repeating: 9, count: 32))
        var bytes = secret + message
        let tag = try bytes.withUnsafeMutableBytes {
          try cipher.sealInPlace($0, authenticating: message, uniqueNonce: nonce)
        }
        try bytes.withUnsafeMutableBytes {
          try cipher.openInPlace(
            $0, authenticationTag: changed(Array(tag), by: secret), nonce: nonce, authenticating: message)
        }
        return bytes
      },
    ]
  }
}
