import PureCrypto

extension JWK {
  /// Reads a key from PEM text: `PUBLIC KEY` (SPKI), `PRIVATE KEY` (PKCS#8), `EC PRIVATE KEY` (SEC1), `RSA PUBLIC KEY` or
  /// `RSA PRIVATE KEY` (PKCS#1).
  ///
  /// - Throws: ``JOSEError/Code/malformed`` if the text is no such PEM, ``JOSEError/Code/keyInvalid`` if the key in it is wrong,
  ///   ``JOSEError/Code/keyTooWeak``, ``JOSEError/Code/algorithmUnsupported`` if its algorithm or curve is not implemented.
  public init(pemRepresentation text: String, keyID: String? = nil) throws(JOSEError) {
    var file = KeyFile()
    let material = file.readPublicKey(pem: text) ?? file.readPrivateKey(pem: text)
    guard let material else { throw file.failure }
    self.init(material, keyID: keyID)
  }

  /// Reads a key from DER: SPKI, PKCS#8, SEC1 or PKCS#1.
  ///
  /// - Throws: as ``init(pemRepresentation:keyID:)``.
  public init(derRepresentation bytes: some Collection<UInt8>, keyID: String? = nil) throws(JOSEError) {
    let bytes = SecretBytes(copying: bytes)
    var file = KeyFile()
    let material: Material? = bytes.withUnsafeBytes { bytes in
      file.readPublicKey(der: bytes) ?? file.readPrivateKey(der: bytes)
    }
    guard let material else { throw file.failure }
    self.init(material, keyID: keyID)
  }

  /// Reads a public key from DER: SPKI or PKCS#1.
  ///
  /// - Throws: as ``init(pemRepresentation:keyID:)``.
  init(publicKeyDERRepresentation bytes: [UInt8]) throws(JOSEError) {
    var file = KeyFile()
    guard let material = bytes.withUnsafeBytes({ file.readPublicKey(der: $0) }) else { throw file.failure }
    self.init(material)
  }

  /// The public key as SPKI in PEM, or nil for a symmetric key.
  public var publicPEMRepresentation: String? {
    switch material.publicMaterial {
    case .p256Public(let key): key.pemRepresentation
    case .p384Public(let key): key.pemRepresentation
    case .p521Public(let key): key.pemRepresentation
    case .rsaPublic(let key): key.pemRepresentation
    case .ed25519Public(let key): key.pemRepresentation
    case .x25519Public(let key): key.pemRepresentation
    default: nil
    }
  }

  /// The private key as PKCS#8 in PEM, or nil if there is none, or if it is an RSA key without its prime factors. Keep it as you would
  /// keep the key.
  public var privatePEMRepresentation: String? {
    switch material {
    case .p256Private(let key): key.pemRepresentation
    case .p384Private(let key): key.pemRepresentation
    case .p521Private(let key): key.pemRepresentation
    case .rsaPrivate(let key): key.pemRepresentation
    case .ed25519Private(let key): key.pemRepresentation
    case .x25519Private(let key): key.pemRepresentation
    case .p256Public, .p384Public, .p521Public, .rsaPublic, .ed25519Public, .x25519Public, .octets: nil
    }
  }
}

/// Attempts to read a key file as one kind of key after the other.
private struct KeyFile {
  /// The error of the attempt that came furthest.
  private var furthest = CryptoError(.malformedPEM, "nothing has been tried")

  /// The key, or nil if the file is not of this kind.
  private mutating func read(_ attempt: () throws(CryptoError) -> JWK.Material) -> JWK.Material? {
    do throws(CryptoError) {
      return try attempt()
    } catch {
      if Self.progress(error) > Self.progress(furthest) { furthest = error }
      return nil
    }
  }

  /// The key, or nil if the text is not one of a public key.
  mutating func readPublicKey(pem text: String) -> JWK.Material? {
    if let key = read({ () throws(CryptoError) in .p256Public(try P256PublicKey(pemRepresentation: text)) }) {
      return key
    }
    if let key = read({ () throws(CryptoError) in .p384Public(try P384PublicKey(pemRepresentation: text)) }) {
      return key
    }
    if let key = read({ () throws(CryptoError) in .p521Public(try P521PublicKey(pemRepresentation: text)) }) {
      return key
    }
    if let key = read({ () throws(CryptoError) in .rsaPublic(try RSAPublicKey(pemRepresentation: text)) }) {
      return key
    }
    if let key = read({ () throws(CryptoError) in .ed25519Public(try Ed25519PublicKey(pemRepresentation: text)) }) {
      return key
    }
    return read { () throws(CryptoError) in .x25519Public(try X25519PublicKey(pemRepresentation: text)) }
  }

  /// The key, or nil if the text is not one of a private key.
  mutating func readPrivateKey(pem text: String) -> JWK.Material? {
    if let key = read({ () throws(CryptoError) in .p256Private(try P256PrivateKey(pemRepresentation: text)) }) {
      return key
    }
    if let key = read({ () throws(CryptoError) in .p384Private(try P384PrivateKey(pemRepresentation: text)) }) {
      return key
    }
    if let key = read({ () throws(CryptoError) in .p521Private(try P521PrivateKey(pemRepresentation: text)) }) {
      return key
    }
    if let key = read({ () throws(CryptoError) in .rsaPrivate(try RSAPrivateKey(pemRepresentation: text)) }) {
      return key
    }
    if let key = read({ () throws(CryptoError) in .ed25519Private(try Ed25519PrivateKey(pemRepresentation: text)) }) {
      return key
    }
    return read { () throws(CryptoError) in .x25519Private(try X25519PrivateKey(pemRepresentation: text)) }
  }

  /// The key, or nil if the DER is not one of a public key.
  mutating func readPublicKey(der bytes: UnsafeRawBufferPointer) -> JWK.Material? {
    if let key = read({ () throws(CryptoError) in .p256Public(try P256PublicKey(derRepresentation: bytes)) }) {
      return key
    }
    if let key = read({ () throws(CryptoError) in .p384Public(try P384PublicKey(derRepresentation: bytes)) }) {
      return key
    }
    if let key = read({ () throws(CryptoError) in .p521Public(try P521PublicKey(derRepresentation: bytes)) }) {
      return key
    }
    if let key = read({ () throws(CryptoError) in .rsaPublic(try RSAPublicKey(derRepresentation: bytes)) }) {
      return key
    }
    if let key = read({ () throws(CryptoError) in .ed25519Public(try Ed25519PublicKey(derRepresentation: bytes)) }) {
      return key
    }
    return read { () throws(CryptoError) in .x25519Public(try X25519PublicKey(derRepresentation: bytes)) }
  }

  /// The key, or nil if the DER is not one of a private key.
  mutating func readPrivateKey(der bytes: UnsafeRawBufferPointer) -> JWK.Material? {
    if let key = read({ () throws(CryptoError) in .p256Private(try P256PrivateKey(derRepresentation: bytes)) }) {
      return key
    }
    if let key = read({ () throws(CryptoError) in .p384Private(try P384PrivateKey(derRepresentation: bytes)) }) {
      return key
    }
    if let key = read({ () throws(CryptoError) in .p521Private(try P521PrivateKey(derRepresentation: bytes)) }) {
      return key
    }
    if let key = read({ () throws(CryptoError) in .rsaPrivate(try RSAPrivateKey(derRepresentation: bytes)) }) {
      return key
    }
    if let key = read({ () throws(CryptoError) in .ed25519Private(try Ed25519PrivateKey(derRepresentation: bytes)) }) {
      return key
    }
    return read { () throws(CryptoError) in .x25519Private(try X25519PrivateKey(derRepresentation: bytes)) }
  }

  /// Why no attempt succeeded.
  var failure: JOSEError { JOSEError(keyFile: furthest) }

  /// How far an attempt came: label, algorithm, structure, key.
  private static func progress(_ error: CryptoError) -> Int {
    switch error.code {
    case .malformedPEM: 0
    case .unsupportedKey: 1
    case .malformedDER: 2
    default: 3
    }
  }
}

extension JOSEError {
  /// The error of a key file as JOSE names it.
  init(keyFile error: CryptoError) {
    switch error.code {
    case .malformedPEM: self.init(.malformed, "not PEM of a supported key")
    case .malformedDER: self.init(.malformed, "not DER of a supported key")
    case .unsupportedKey: self.init(.algorithmUnsupported, "the key's algorithm or curve is not implemented")
    case .invalidKeyLength: self.init(.keyTooWeak, "the modulus is not between 2048 and 8192 bits long")
    default: self.init(.keyInvalid, "the key is out of range, off the curve or contradictory")
    }
  }
}
