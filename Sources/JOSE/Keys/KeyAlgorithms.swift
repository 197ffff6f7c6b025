import PureCrypto

extension PrivateKey {
  /// Signs with the algorithm that the key is bound to.
  ///
  /// Timing: depends on the input's length only; of ML-DSA on the number of tries as well, which tells nothing of the
  /// key.
  func signature(for signingInput: [UInt8], algorithm: SignatureAlgorithm) throws(JOSEError) -> [UInt8] {
    switch self {
    case .ec(let key): return key.signature(for: signingInput)
    case .rsa(let key): return try key.signature(for: signingInput, algorithm: algorithm)
    case .ed25519(let key): return key.signature(for: signingInput)
    case .mlDSA(let key):
      do throws(CryptoError) {
        // Hedged: each signature is another one.
        return try key.signature(for: signingInput)
      } catch {
        throw JOSEError(.keyInvalid, "the key can't sign")
      }
    case .x25519:
      throw JOSEError(.keyMismatch, "X25519 is for key agreement and can't sign: sign with Ed25519", name: "crv")
    case .lattice:
      throw JOSEError(.keyMismatch, "a key of ML-KEM is for encryption and can't sign: sign with ML-DSA", name: "alg")
    }
  }
}

extension PublicKey {
  /// Whether `signature` is one of `signingInput` by the algorithm that the key is bound to.
  ///
  /// Timing: depends on its input, all of which is public.
  func isValidSignature(
    _ signature: UnsafeRawBufferPointer, for signingInput: UnsafeRawBufferPointer, algorithm: SignatureAlgorithm
  ) -> Bool {
    switch self {
    case .ec(let key): unsafe key.isValidSignature(signature, for: signingInput)
    // The modulus says how long the signature must be.
    case .rsa(let key): unsafe key.isValidSignature(signature, for: signingInput, algorithm: algorithm)
    case .ed25519(let key): unsafe key.isValidSignature(signature, for: signingInput)
    case .mlDSA(let key): unsafe key.isValidSignature(signature, for: signingInput)
    case .x25519, .lattice: false
    }
  }
}

extension AnyRSAPublicKey {
  /// Whether `signature` is one of `signingInput` by one of the RSA algorithms. False for any other algorithm.
  func isValidSignature(
    _ signature: UnsafeRawBufferPointer, for signingInput: UnsafeRawBufferPointer, algorithm: SignatureAlgorithm
  ) -> Bool {
    guard let padding = algorithm.rsaPadding else { return false }
    return switch algorithm.identifier {
    case .rs384, .ps384:
      unsafe isValidSignature(signature, for: signingInput, padding: padding, function: SHA2.SHA384.self)
    case .rs512, .ps512:
      unsafe isValidSignature(signature, for: signingInput, padding: padding, function: SHA2.SHA512.self)
    default:
      unsafe isValidSignature(signature, for: signingInput, padding: padding, function: SHA2.SHA256.self)
    }
  }
}

extension AnyRSAPrivateKey {
  /// Signs with one of the RSA algorithms.
  func signature(for signingInput: [UInt8], algorithm: SignatureAlgorithm) throws(JOSEError) -> [UInt8] {
    guard let padding = algorithm.rsaPadding else {
      throw JOSEError(.keyMismatch, "the key type is not the algorithm's", name: "kty")
    }
    do throws(CryptoError) {
      return switch algorithm.identifier {
      case .rs384, .ps384: try signature(for: signingInput, padding: padding, function: SHA2.SHA384.self)
      case .rs512, .ps512: try signature(for: signingInput, padding: padding, function: SHA2.SHA512.self)
      default: try signature(for: signingInput, padding: padding, function: SHA2.SHA256.self)
      }
    } catch {
      throw JOSEError(.keyInvalid, "the key's signatures do not verify")
    }
  }

  /// A key of 3072 bits, which is as strong as P-256.
  static func generate() -> AnyRSAPrivateKey {
    while true {
      // A chance of 2⁻¹⁰⁰ that a composite passed for a prime is the one reason to try again.
      if let key = try? AnyRSAPrivateKey(bitCount: 3072) { return key }
    }
  }
}

extension SignatureAlgorithm {
  /// How the digest is encoded; nil for algorithms other than RSA.
  fileprivate var rsaPadding: RSASignaturePadding? {
    switch identifier {
    case .rs256, .rs384, .rs512: .pkcs1v15
    case .ps256, .ps384, .ps512: .pss
    default: nil
    }
  }
}

extension KeyManagementAlgorithm {
  /// How the content encryption key is encoded: by the algorithms of RSA alone.
  fileprivate var rsaPadding: RSAEncryptionPadding {
    switch identifier {
    case .rsaOAEP384: .oaepSHA384
    case .rsaOAEP512: .oaepSHA512
    case .rsaOAEP: .oaepSHA1
    default: .oaepSHA256
    }
  }
}

extension AnyRSAPublicKey {
  /// Encrypts a content encryption key.
  func wrapped(_ key: SecretBytes, algorithm: KeyManagementAlgorithm) throws(JOSEError) -> [UInt8] {
    guard let encryptedKey = try? encrypt(key, padding: algorithm.rsaPadding) else {
      throw JOSEError(.keyInvalid, "the content encryption key can't be encrypted")
    }
    return encryptedKey
  }
}

extension AnyRSAPrivateKey {
  /// The content encryption key, or a random one if the encrypted key is not intact: the tag will tell (RFC 7516
  /// §11.5).
  ///
  /// Timing: depends on lengths, not on whether the encrypted key is intact.
  func unwrappedOrRandom(_ encryptedKey: [UInt8], byteCount: Int, algorithm: KeyManagementAlgorithm) -> SecretBytes {
    decryptKey(encryptedKey, padding: algorithm.rsaPadding, byteCount: byteCount)
  }
}
