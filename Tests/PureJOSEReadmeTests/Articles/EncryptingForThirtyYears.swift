import JOSE

/// Encrypts what must stay secret for years. The key's `alg` says how.
func sealed(_ document: [UInt8], for recipient: JWK, purpose: String) throws -> String {
  let key = try EncryptionKey(recipient).sharing(info: Array(purpose.utf8))
  return try JWE.encrypt(document, to: key)
}

/// Opens it. A message that was made for another purpose does not open.
func opened(_ message: String, with key: JWK, purpose: String) throws -> [UInt8] {
  let key = try DecryptionKey(key).sharing(info: Array(purpose.utf8))
  return try JWE.decrypt(message, with: key, contentEncryption: []).plaintext
}
