/// What a key is about to be used for, against `use` and `key_ops` of its JWK.
///
/// Source: RFC 7517 §4.2 and §4.3.
package enum KeyOperation: Sendable {
  case sign, verify
  case encrypt, decrypt
  /// Encrypting and decrypting other keys.
  case wrapKey, unwrapKey
  /// ECDH with the private half. The public half needs no operation of its own.
  case deriveKey

  /// The `use` that covers the operation.
  var use: StaticString {
    switch self {
    case .sign, .verify: "sig"
    case .encrypt, .decrypt, .wrapKey, .unwrapKey, .deriveKey: "enc"
    }
  }

  /// The `key_ops` values that cover the operation.
  var names: [String] {
    switch self {
    case .sign: ["sign"]
    case .verify: ["verify"]
    case .encrypt: ["encrypt"]
    case .decrypt: ["decrypt"]
    // AES-GCM wraps by plain encryption, and a password derives before it wraps.
    case .wrapKey: ["wrapKey", "encrypt", "deriveKey", "deriveBits"]
    case .unwrapKey: ["unwrapKey", "decrypt", "deriveKey", "deriveBits"]
    case .deriveKey: ["deriveKey", "deriveBits"]
    }
  }

  /// The registered operations of each `use`, to check that the two members agree.
  static func operations(ofUse use: String) -> [String]? {
    if use.hasSameBytes(as: "sig") { return ["sign", "verify"] }
    if use.hasSameBytes(as: "enc") {
      return ["encrypt", "decrypt", "wrapKey", "unwrapKey", "deriveKey", "deriveBits"]
    }
    return nil
  }
}
