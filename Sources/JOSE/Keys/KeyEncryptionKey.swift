import PureCrypto
import StrictJSON

/// A symmetric key, or a password, that encrypts content encryption keys.
package struct KeyEncryptionKey: Sendable {
  private enum Method: Sendable {
    case aesKeyWrap(AESKeyWrap)
    case aesGCM(AESGCM)
    case password(SecretBytes, iterationCount: Int)
  }

  private let method: Method
  private let algorithm: KeyManagementAlgorithm

  /// - Parameter iterationCount: `p2c` of what is encrypted with a password; nil takes the default.
  /// - Throws: ``ErrorCode/keyInvalid`` if the length is not the algorithm's, or a password is empty.
  init(_ octets: SecretBytes, algorithm: KeyManagementAlgorithm, iterationCount: Int? = nil) throws(JOSEError) {
    self.algorithm = algorithm
    let row = algorithm.row
    let invalid = JOSEError(
      .keyInvalid, "the key does not have its algorithm's length: 32 octets for A256KW", name: "k")
    switch row.wrapping {
    case .aesKeyWrap:
      guard octets.count == row.wrappingKeyByteCount, let wrap = try? AESKeyWrap(key: octets) else { throw invalid }
      method = .aesKeyWrap(wrap)
    case .aesGCM:
      guard octets.count == row.wrappingKeyByteCount, let cipher = try? AESGCM(key: octets) else { throw invalid }
      method = .aesGCM(cipher)
    case .password:
      guard octets.count > 0 else { throw invalid }
      method = .password(octets, iterationCount: iterationCount ?? PasswordKey.defaultIterationCount)
    case nil:
      throw JOSEError(.keyMismatch, "the key management algorithm doesn't wrap keys", name: "alg")
    }
  }

  /// An encrypted content encryption key and the header parameters that belong to it.
  struct Wrapped {
    let encryptedKey: [UInt8]
    let parameters: JSONObject
  }

  /// Encrypts a content encryption key under a fresh initialization vector or salt, where the method has one.
  ///
  /// Timing: depends on lengths and, with a password, on the iteration count.
  func wrap(_ key: SecretBytes) throws(JOSEError) -> Wrapped {
    switch method {
    case .aesKeyWrap(let wrap):
      return Wrapped(encryptedKey: try wrap.wrapped(key), parameters: [:])
    case .aesGCM(let cipher):
      let sealed = unsafe key.withUnsafeBytes { try? unsafe cipher.seal($0, authenticating: []) }
      guard let sealed else { throw JOSEError(.keyMismatch, "the key has encrypted as often as it may") }
      let parameters: JSONObject = [
        "iv": .string(Base64URL.encode(sealed.initializationVector)),
        "tag": .string(Base64URL.encode(sealed.authenticationTag)),
      ]
      return Wrapped(encryptedKey: sealed.ciphertext, parameters: parameters)
    case .password(let password, let iterationCount):
      let saltInput = SystemRandom.bytes(count: 16)
      let wrappingKey = try PasswordKey.derive(
        algorithm, password: password, saltInput: saltInput, iterationCount: iterationCount)
      let parameters: JSONObject = [
        "p2s": .string(Base64URL.encode(saltInput)), "p2c": .number(JSONNumber(iterationCount)),
      ]
      return Wrapped(encryptedKey: try AESKeyWrap(keyOrRefusal: wrappingKey).wrapped(key), parameters: parameters)
    }
  }

  /// The content encryption key, or a random one if the encrypted key is not intact: the tag will tell.
  ///
  /// Timing: depends on lengths and header parameters; with AES Key Wrap not on whether the encrypted key is intact.
  /// - Throws: ``ErrorCode/headerInvalid``, ``ErrorCode/limitExceeded`` for what the header says, before any
  ///   secret is used.
  func unwrap(
    _ encryptedKey: [UInt8], parameters: JSONObject, byteCount: Int, limits: Limits
  ) throws(JOSEError) -> SecretBytes {
    switch method {
    case .aesKeyWrap(let wrap):
      return wrap.unwrapOrRandom(encryptedKey, byteCount: byteCount)
    case .aesGCM(let cipher):
      let octets = try Self.headerOctets("iv", parameters, byteCount: AESGCM.InitializationVector.byteCount)
      let tag = try Self.headerOctets("tag", parameters, byteCount: AESGCM.tagByteCount)
      let random = SecretBytes.random(count: byteCount)
      guard encryptedKey.count == byteCount, let vector = try? AESGCM.InitializationVector(octets) else {
        return random
      }
      // In storage that is wiped: an array would keep the key.
      let key = try? unsafe SecretBytes(count: byteCount) { key throws(CryptoError) in
        unsafe key.copyBytes(from: encryptedKey)
        try unsafe cipher.openInPlace(key, authenticationTag: tag, initializationVector: vector, authenticating: [])
      }
      return key ?? random
    case .password(let password, _):
      let (saltInput, iterationCount) = try PasswordKey.parameters(parameters, limits: limits)
      let wrappingKey = try PasswordKey.derive(
        algorithm, password: password, saltInput: saltInput, iterationCount: iterationCount)
      return try AESKeyWrap(keyOrRefusal: wrappingKey).unwrapOrRandom(encryptedKey, byteCount: byteCount)
    }
  }
}

extension KeyEncryptionKey {
  private static func headerOctets(
    _ name: String, _ header: JSONObject, byteCount: Int
  ) throws(JOSEError) -> [UInt8] {
    let octets = try header.octets(name, orThrow: .headerInvalid)
    guard octets.count == byteCount else {
      throw JOSEError(.headerInvalid, "the length of the parameter is not that of the algorithm", name: name)
    }
    return octets
  }
}

extension AESKeyWrap {
  /// A wrapping key whose length the algorithm table gives.
  init(keyOrRefusal key: SecretBytes) throws(JOSEError) {
    guard let wrap = try? AESKeyWrap(key: key) else {
      throw JOSEError(.keyInvalid, "the wrapping key must have 16, 24 or 32 bytes")
    }
    self = wrap
  }

  func wrapped(_ key: SecretBytes) throws(JOSEError) -> [UInt8] {
    guard let wrapped = try? wrap(key) else {
      throw JOSEError(.keyInvalid, "the content encryption key can't be wrapped")
    }
    return wrapped
  }
}
