import JOSE

/// Encrypts values that an attacker who reads the database must not see, with a key that is kept outside it.
struct SealingKey: Sendable {
  private let encryption: EncryptionKey
  private let decryption: DecryptionKey

  init(_ octets: [UInt8]) throws(JOSEError) {
    let jwk = try JWK(["kty": "oct", "k": .string(Base64URL.encode(octets))])
    encryption = try EncryptionKey(jwk, algorithm: .a256kw)
    decryption = try DecryptionKey(jwk, algorithm: .a256kw)
  }

  func seal(_ octets: [UInt8]) throws(JOSEError) -> String {
    try JWE.encrypt(octets, to: encryption, contentEncryption: .a256gcm)
  }

  func open(_ text: String) throws(JOSEError) -> [UInt8] {
    try JWE.decrypt(text, with: decryption, contentEncryption: [.a256gcm]).plaintext
  }
}
