import JOSE

/// Tokens that are signed, then encrypted: opened and checked in one call.
func nestedTokenVerifier(decryptionKey: DecryptionKey, issuerKeys: JWKSet) -> NestedJWTVerifier {
  NestedJWTVerifier(
    decryptionKey: decryptionKey, contentEncryption: [.a256gcm],
    verifier: JWTVerifier(
      keys: issuerKeys, algorithms: [.es256],
      issuer: "https://idp.example.com", audience: "https://api.example.com"))
}
