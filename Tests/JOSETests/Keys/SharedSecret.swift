import JOSE
import PureCrypto

/// Z of a private JWK and a point given as X9.63 octets.
func sharedSecretOctets(_ key: JWK, _ publicKey: [UInt8]) throws -> [UInt8] {
  guard case .privateKey(.ec(.p256(let privateKey))) = key.material else {
    throw CryptoError(.invalidPrivateKey, "no private key")
  }
  let secret = try privateKey.sharedSecret(with: P256PublicKey(x963Representation: publicKey))
  return secret.withUnsafeBytes { Array($0) }
}
