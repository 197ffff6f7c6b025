import JOSE

/// A device's two keys on P-256: one that signs its requests, one that opens the responses.
///
/// Either may live elsewhere, as a Mac's do in its Secure Enclave: make a `SigningKey` of an `ExternalSigner`, a
/// `DecryptionKey` of an `ExternalKeyAgreement`. Keys that can only answer asynchronously are given by their public
/// halves; requests and responses then go through the two-step forms.
public struct DeviceKeys: Sendable {
  /// The public half of the signing key.
  package let signingVerificationKey: VerificationKey

  /// The signing key's identifier: `kid` of requests.
  package let signingKeyID: KeyIdentifier

  /// The public signing key, as 65 octets `04 ‖ X ‖ Y`; 97 on P-384, and the 32 octets of Ed25519.
  public let signingKeyX963Representation: [UInt8]

  /// The public encryption key, as 65 octets `04 ‖ X ‖ Y`.
  public let encryptionKeyX963Representation: [UInt8]

  /// The encryption key's identifier.
  package let encryptionKeyID: KeyIdentifier

  /// The signing key's certificate in DER. If set, requests carry it as `x5c`.
  package var signingCertificate: [UInt8]?

  package let signingKey: SigningKey?
  let encryptionKey: DecryptionKey?

  /// The keys of a device.
  ///
  /// - Parameters:
  ///   - signingKey: for ES256, or for another algorithm that is allowed.
  ///   - encryptionKey: for ECDH-ES.
  ///   - signingCertificate: the signing key's certificate in DER, if requests are to carry it.
  ///   - signatureAlgorithms: of ES256, ES384 and Ed25519. Apple gives the name of the first one only.
  /// - Throws: `ErrorCode.keyMismatch`.
  public init(
    signingKey: SigningKey, encryptionKey: DecryptionKey, signingCertificate: [UInt8]? = nil,
    signatureAlgorithms: [SignatureAlgorithm] = [.es256]
  ) throws(JOSEError) {
    try self.init(
      verificationKey: signingKey.verificationKey, encryptionKey: encryptionKey.encryptionKey, signingKey: signingKey,
      decryptionKey: encryptionKey, signingCertificate: signingCertificate, signatureAlgorithms: signatureAlgorithms)
  }

  /// The public keys of a device whose private keys answer asynchronously, for the two-step forms.
  ///
  /// - Throws: `ErrorCode.keyMismatch`.
  public init(
    publicSigningKey: VerificationKey, publicEncryptionKey: EncryptionKey, signingCertificate: [UInt8]? = nil
  ) throws(JOSEError) {
    try self.init(
      verificationKey: publicSigningKey, encryptionKey: publicEncryptionKey, signingKey: nil, decryptionKey: nil,
      signingCertificate: signingCertificate, signatureAlgorithms: [.es256])
  }

  private init(
    verificationKey: VerificationKey, encryptionKey: EncryptionKey, signingKey: SigningKey?,
    decryptionKey: DecryptionKey?, signingCertificate: [UInt8]?, signatureAlgorithms: [SignatureAlgorithm]
  ) throws(JOSEError) {
    let algorithm = verificationKey.algorithm
    guard signatureAlgorithms.contains(algorithm), SigningRules.device.contains(algorithm),
      let signingPoint = verificationKey.deviceKeyOctets
    else {
      throw JOSEError(
        .keyMismatch, "the signing key is not for an algorithm that is allowed", name: "signingKey")
    }
    guard encryptionKey.algorithm == .ecdhES, let encryptionPoint = encryptionKey.x963Representation else {
      throw JOSEError(
        .keyMismatch, "the encryption key is not for ECDH-ES", name: "encryptionKey", fault: .callerMisuse)
    }
    signingVerificationKey = verificationKey
    signingKeyID = KeyIdentifier(ofCheckedPoint: signingPoint)
    signingKeyX963Representation = signingPoint
    encryptionKeyX963Representation = encryptionPoint
    encryptionKeyID = KeyIdentifier(ofCheckedPoint: encryptionPoint)
    self.signingKey = signingKey
    self.encryptionKey = decryptionKey
    self.signingCertificate = signingCertificate
  }

  /// Fresh keys in this process, for tests and demonstrations.
  ///
  /// - Throws: as ``init(signingKey:encryptionKey:signingCertificate:signatureAlgorithms:)``, for which fresh keys give
  ///   no cause.
  public static func generate() throws(JOSEError) -> DeviceKeys {
    let signingKey = try SigningKey.generate(.es256)
    let encryptionKey = try DecryptionKey.generateForKeyAgreement()
    return try DeviceKeys(signingKey: signingKey, encryptionKey: encryptionKey)
  }
}
