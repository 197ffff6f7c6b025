import JOSE

/// Messages that only the holder of the private key can read.
struct Mailbox {
  let decryptionKey: DecryptionKey

  /// - Parameter pem: a P-256 private key.
  init(pem: String) throws {
    decryptionKey = try DecryptionKey(pemRepresentation: pem, algorithm: .ecdhES, keyID: "mailbox")
  }

  /// Both algorithms are stated, the key's and the content's; a token that names others is refused.
  func open(_ token: String) throws -> [UInt8] {
    try JWE.decrypt(token, with: decryptionKey, contentEncryption: [.a256gcm]).plaintext
  }

  /// - Parameter jwk: the recipient's public key as JSON.
  static func seal(_ message: [UInt8], toJWK jwk: String) throws -> String {
    let recipient = try EncryptionKey(JWK(parsing: jwk), algorithm: .ecdhES)
    return try JWE.encrypt(message, to: recipient, contentEncryption: .a256gcm)
  }
}
