/// What a key is about to be used for, against `use` and `key_ops` of its JWK.
///
/// Source: RFC 7517 §4.2 and §4.3.
package enum KeyOperation: Sendable {
  case sign, verify
  case encrypt, decrypt
  /// Encrypting and decrypting other keys by AES Key Wrap.
  case wrapKey, unwrapKey
  /// Encrypting and decrypting other keys as if they were data: AES-GCM, RSA-OAEP.
  case encryptKey, decryptKey
  /// Making of a password the key that wraps and unwraps.
  case deriveWrappingKey
  /// ECDH with the private half. The public half needs no operation of its own.
  case deriveKey
  /// HPKE of a content. No document says which names it is under: those of what it does are taken, and of an agreement.
  case encapsulate, decapsulate
  /// HPKE of a key.
  case encapsulateKey, decapsulateKey

  /// The `use` that covers the operation.
  var use: WireName {
    switch self {
    case .sign, .verify: "sig"
    case .encrypt, .decrypt, .wrapKey, .unwrapKey, .encryptKey, .decryptKey, .deriveWrappingKey, .deriveKey: "enc"
    case .encapsulate, .decapsulate, .encapsulateKey, .decapsulateKey: "enc"
    }
  }

  /// The `key_ops` values that cover the operation.
  var names: [WireName] {
    switch self {
    case .sign: ["sign"]
    case .verify: ["verify"]
    case .encrypt: ["encrypt"]
    case .decrypt: ["decrypt"]
    case .wrapKey: ["wrapKey"]
    case .unwrapKey: ["unwrapKey"]
    case .encryptKey: ["wrapKey", "encrypt"]
    case .decryptKey: ["unwrapKey", "decrypt"]
    case .deriveKey, .deriveWrappingKey: ["deriveKey", "deriveBits"]
    case .encapsulate: ["encrypt", "deriveKey", "deriveBits"]
    case .decapsulate: ["decrypt", "deriveKey", "deriveBits"]
    case .encapsulateKey: ["wrapKey", "encrypt", "deriveKey", "deriveBits"]
    case .decapsulateKey: ["unwrapKey", "decrypt", "deriveKey", "deriveBits"]
    }
  }

  /// The registered operations of each `use`, to check that the two members agree.
  static func operations(ofUse use: WireName) -> [WireName]? {
    switch use {
    case "sig": ["sign", "verify"]
    case "enc": ["encrypt", "decrypt", "wrapKey", "unwrapKey", "deriveKey", "deriveBits"]
    default: nil
    }
  }
}
