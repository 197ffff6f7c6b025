import PureCrypto

extension JWK {
  /// Reads a P-256 key from PEM text: `PUBLIC KEY` (SPKI), `PRIVATE KEY` (PKCS#8) or `EC PRIVATE KEY` (SEC1).
  ///
  /// - Throws: ``JOSEError/Code/malformed`` if the text is no such PEM, ``JOSEError/Code/keyInvalid`` if the key in it is wrong,
  ///   ``JOSEError/Code/algorithmUnsupported`` if it is on another curve.
  public init(pemRepresentation text: String, keyID: String? = nil) throws(JOSEError) {
    do throws(CryptoError) {
      let material: Material
      if let publicKey = try Self.publicKeyIfLabelled(text) {
        material = .p256Public(publicKey)
      } else {
        material = .p256Private(try P256PrivateKey(pemRepresentation: text))
      }
      self.init(material, keyID: keyID)
    } catch {
      throw JOSEError(keyFile: error)
    }
  }

  /// Reads a P-256 key from DER: SPKI, PKCS#8 or SEC1.
  ///
  /// - Throws: as ``init(pemRepresentation:keyID:)``.
  public init(derRepresentation bytes: some Collection<UInt8>, keyID: String? = nil) throws(JOSEError) {
    if let publicKey = try? P256PublicKey(derRepresentation: bytes) {
      self.init(.p256Public(publicKey), keyID: keyID)
      return
    }
    do throws(CryptoError) {
      self.init(.p256Private(try P256PrivateKey(derRepresentation: bytes)), keyID: keyID)
    } catch {
      throw JOSEError(keyFile: error)
    }
  }

  /// The public key as SPKI in PEM, or nil for a symmetric key.
  public var publicPEMRepresentation: String? {
    switch material {
    case .p256Public(let key): key.pemRepresentation
    case .p256Private(let key): key.publicKey.pemRepresentation
    case .octets: nil
    }
  }

  /// The private key as PKCS#8 in PEM, or nil if there is none. Keep it as you would keep the key.
  public var privatePEMRepresentation: String? {
    switch material {
    case .p256Private(let key): key.pemRepresentation
    case .p256Public, .octets: nil
    }
  }

  /// The public key if the text's label says so, nil if the label is another one.
  private static func publicKeyIfLabelled(_ text: String) throws(CryptoError) -> P256PublicKey? {
    do throws(CryptoError) {
      return try P256PublicKey(pemRepresentation: text)
    } catch {
      guard error.code == .malformedPEM else { throw error }
      return nil
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
    default: self.init(.keyInvalid, "the key is out of range, off the curve or contradictory")
    }
  }
}
