import JOSE
import PureCrypto

/// Encrypts under a header text of any form: for tokens that no correct sender would make.
enum DirectToken {
  static func make(header: String, plaintext: [UInt8], key: JWK) throws -> String {
    guard case .octets(let octets) = key.material else { throw CryptoError(.invalidKeyLength, "no symmetric key") }
    let protected = Base64URL.encode(header.utf8)
    let sealed = try AESGCM(key: octets).seal(plaintext, authenticating: Array(protected.utf8))
    return [
      protected, "", Base64URL.encode(sealed.initializationVector), Base64URL.encode(sealed.ciphertext),
      Base64URL.encode(sealed.authenticationTag),
    ].joined(separator: ".")
  }
}
