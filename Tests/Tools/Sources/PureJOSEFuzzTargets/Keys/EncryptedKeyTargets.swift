import JOSE
import PureCrypto

extension FuzzTarget {
  static let encryptedKeyTargets = [encryptedKey]

  /// A private key that is encrypted with a password: what opens is a key, and nothing opens without the password.
  private static let encryptedKey = FuzzTarget(
    "encrypted-key", maximumByteCount: 512,
    dictionary: [
      "\u{06}\u{09}*\u{86}H\u{86}", "\u{02}\u{01}\u{01}", "\u{02}\u{01}\u{02}", "\u{02}\u{03}\u{01}\u{00}\u{00}",
      "\u{04}\u{10}", "\u{05}\u{00}", "\u{30}\u{0C}",
    ],
    seeds: { _ in
      try EncryptedKeyFile.functions.flatMap { function in
        try EncryptedKeyFile.ciphers.map { cipher in try EncryptedKeyFile.seed(function, cipher) }
      }
    },
    run: { input in
      // Few iterations: it is formats that are tried here, not patience.
      func read(_ password: [UInt8]) throws(JOSEError) -> JWK {
        try JWK(encryptedDERRepresentation: input, password: password, maximumIterationCount: 4)
      }
      try require(
        (try? JWK(derRepresentation: input)) == nil || (try? read(EncryptedKeyFile.password)) == nil,
        "a key is encrypted or not")
      guard let key = try? read(EncryptedKeyFile.password) else { return false }
      try require(key.isPrivate, "what is encrypted is a private key")
      let text = try key.privatePEMRepresentation.map { try JWK(pemRepresentation: $0).secretKeyThumbprint() }
      try require(text == nil || text == key.secretKeyThumbprint(), "an opened key survives")
      try require((try? read(EncryptedKeyFile.password + [0x21])) == nil, "another password opens nothing")
      return true
    })
}

/// Encrypts one key as PKCS #8 with PBES2.
private enum EncryptedKeyFile {
  static let password = Array("password".utf8)

  /// The last octet of hmacWithSHA1, hmacWithSHA256, and its kin.
  static let functions: [UInt8] = [7, 9, 10, 11]
  /// The last octet of AES-CBC, and the length of its keys.
  static let ciphers: [(identifier: UInt8, keyByteCount: Int)] = [(2, 16), (0x16, 24), (0x2A, 32)]

  private static let salt: [UInt8] = Array(1...8)

  static func seed(_ function: UInt8, _ cipher: (identifier: UInt8, keyByteCount: Int)) throws -> [UInt8] {
    let key = try P256PrivateKey(rawRepresentation: [UInt8](repeating: 1, count: 32))
    var plaintext = key.derRepresentation.withUnsafeBytes { Array($0) }
    let paddingCount = 16 - plaintext.count % 16
    plaintext += [UInt8](repeating: UInt8(paddingCount), count: paddingCount)
    let vector = [UInt8](repeating: 7, count: 16)
    let ciphertext = try derived(function, cipher.keyByteCount).withUnsafeBytes { key in
      try AESCBC(key: key).map(plaintext, initializationVector: vector, isEncrypting: true)
    }
    var writer = DERWriter(capacity: 512)
    writer.constructed(.sequence) { file in
      file.constructed(.sequence) { scheme in
        scheme.objectIdentifier(identifier("1.2.840.113549.1.5.13"))
        scheme.constructed(.sequence) { parameters in
          parameters.constructed(.sequence) { derivation in
            derivation.objectIdentifier(identifier("1.2.840.113549.1.5.12"))
            derivation.constructed(.sequence) { work in
              work.primitive(.octetString, salt)
              work.unsignedInteger([2])
              work.unsignedInteger([UInt8(cipher.keyByteCount)])
              work.constructed(.sequence) { prf in
                prf.objectIdentifier(identifier("1.2.840.113549.2.\(function)"))
                prf.primitive(.null, [])
              }
            }
          }
          parameters.constructed(.sequence) { scheme in
            scheme.objectIdentifier(identifier("2.16.840.1.101.3.4.1.\(cipher.identifier)"))
            scheme.primitive(.octetString, vector)
          }
        }
      }
      file.primitive(.octetString, ciphertext)
    }
    return writer.bytes
  }

  private static func identifier(_ text: String) -> DERObjectIdentifier {
    DERObjectIdentifier(text) ?? DERObjectIdentifier(contents: [])
  }

  private static func derived(_ function: UInt8, _ byteCount: Int) throws -> SecretBytes {
    let password = SecretBytes(copying: password)
    return switch function {
    case 7: try PBKDF2SHA1.deriveKey(password: password, salt: salt, iterationCount: 2, byteCount: byteCount)
    case 9:
      try PBKDF2<SHA2.SHA256>.deriveKey(password: password, salt: salt, iterationCount: 2, byteCount: byteCount)
    case 10:
      try PBKDF2<SHA2.SHA384>.deriveKey(password: password, salt: salt, iterationCount: 2, byteCount: byteCount)
    default:
      try PBKDF2<SHA2.SHA512>.deriveKey(password: password, salt: salt, iterationCount: 2, byteCount: byteCount)
    }
  }
}
