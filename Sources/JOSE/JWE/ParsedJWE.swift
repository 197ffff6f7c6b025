import PureCrypto
import StrictJSON

/// A compact JWE whose form, header and lengths are legal. Nothing secret has been touched yet, so its errors may differ.
struct ParsedJWE: Sendable {
  let header: ProtectedHeader
  let contentEncryption: ContentEncryptionAlgorithm
  /// The header's text as received: the additional authenticated data.
  private let protectedText: [UInt8]
  private let initializationVector: [UInt8]
  private let ciphertext: [UInt8]
  private let authenticationTag: [UInt8]
  private let encryptedKey: [UInt8]

  init(
    _ token: UnsafeRawBufferPointer, contentEncryption allowed: [ContentEncryptionAlgorithm],
    understanding understood: [String], limits: Limits
  ) throws(JOSEError) {
    guard !allowed.isEmpty else {
      throw JOSEError(.callerMisuse, "the list of accepted algorithms is empty", name: "contentEncryption")
    }
    let segments = try CompactSegments(token, count: 5, byteLimit: limits.messageByteCount)
    let headerBytes = try segments.decoded(0, byteLimit: limits.headerByteCount, limitName: "headerByteCount")
    encryptedKey = try segments.decoded(1, byteLimit: limits.encryptedKeyByteCount, limitName: "encryptedKeyByteCount")
    initializationVector = try segments.decoded(2, byteLimit: 64, limitName: "initializationVector")
    ciphertext = try segments.decoded(3, byteLimit: limits.messageByteCount, limitName: "messageByteCount")
    authenticationTag = try segments.decoded(4, byteLimit: 64, limitName: "authenticationTag")
    protectedText = Array(segments[0])
    header = try ProtectedHeader(parsing: headerBytes, understanding: understood, limits: limits)
    guard let name = try header.parameters.headerString("enc") else {
      throw JOSEError(.headerInvalid, "the parameter is absent", name: "enc")
    }
    guard header["zip"] == nil else {
      throw JOSEError(.algorithmNotAllowed, "compression is not accepted", name: "zip")
    }
    guard let contentEncryption = ContentEncryptionAlgorithm(name: name), allowed.contains(contentEncryption) else {
      throw JOSEError(.algorithmNotAllowed, "the content encryption algorithm is not one that is accepted", name: "enc")
    }
    self.contentEncryption = contentEncryption
  }

  /// Checks what the key management algorithm says about the other segments.
  func requireForm(of algorithm: KeyManagementAlgorithm) throws(JOSEError) {
    guard header.algorithm.hasSameBytes(as: algorithm.name) else { throw Self.notAllowed }
    guard encryptedKey.isEmpty == algorithm.row.isDirect else {
      throw JOSEError(.malformed, "the encrypted key must be empty with direct algorithms, and only with them")
    }
    let row = contentEncryption.row
    guard initializationVector.count == row.initializationVectorByteCount else {
      throw JOSEError(.malformed, "the initialization vector has not its algorithm's length")
    }
    guard authenticationTag.count == row.authenticationTagByteCount else {
      throw JOSEError(.malformed, "the authentication tag has not its algorithm's length")
    }
  }

  static var notAllowed: JOSEError {
    JOSEError(.algorithmNotAllowed, "the token's algorithm is not one that is accepted", name: "alg")
  }

  /// The checked ephemeral public key and both party infos.
  func agreement(_ agreed: AgreedParties) throws(JOSEError) -> Agreement {
    Agreement(
      ephemeralKey: try ephemeralPublicKey(),
      partyUInfo: try partyInfo("apu", agreed: agreed.partyUInfo),
      partyVInfo: try partyInfo("apv", agreed: agreed.partyVInfo))
  }

  struct Agreement: Sendable {
    let ephemeralKey: P256PublicKey
    let partyUInfo: [UInt8]
    let partyVInfo: [UInt8]
  }

  private func ephemeralPublicKey() throws(JOSEError) -> P256PublicKey {
    guard case .object(let members)? = header["epk"] else {
      throw JOSEError(.headerInvalid, "the ephemeral public key is absent or no object", name: "epk")
    }
    for name in JWK.privateMembers where members[name] != nil {
      throw JOSEError(.keyInvalid, "the ephemeral public key has a private member", name: "epk")
    }
    let key: JWK
    do throws(JOSEError) {
      key = try JWK(members)
    } catch {
      // Another curve or type is a sound key that may not be used here.
      let code: JOSEError.Code = error.code == .algorithmUnsupported ? .keyMismatch : .keyInvalid
      throw JOSEError(code, "the ephemeral public key is wrong or not on the recipient's curve", name: "epk")
    }
    guard case .p256Public(let point) = key.material else {
      throw JOSEError(.keyMismatch, "the ephemeral public key is not on the recipient's curve", name: "epk")
    }
    return point
  }

  /// The octets of the header as received, or those agreed on. If both exist they must be the same.
  private func partyInfo(_ name: String, agreed: [UInt8]?) throws(JOSEError) -> [UInt8] {
    let received = try header.octets(name)
    if let received, let agreed, received != agreed {
      throw JOSEError(.headerInvalid, "the party info is not the one agreed on", name: name)
    }
    return received ?? agreed ?? []
  }

  /// Opens the content. Whatever fails from here on looks the same.
  func open(with cipher: AESGCM) throws(JOSEError) -> DecryptedJWE {
    let plaintext = try? cipher.open(
      ciphertext: ciphertext, authenticationTag: authenticationTag, initializationVector: initializationVector,
      authenticating: protectedText)
    guard let plaintext else { throw Self.decryptionFailed }
    return DecryptedJWE(header: header, plaintext: plaintext)
  }

  func open(sharedSecret: SecretBytes, agreement: Agreement) throws(JOSEError) -> DecryptedJWE {
    let key = try KeyAgreement.contentEncryptionKey(
      sharedSecret: sharedSecret, contentEncryption: contentEncryption, partyUInfo: agreement.partyUInfo,
      partyVInfo: agreement.partyVInfo)
    guard let cipher = try? AESGCM(key: key) else { throw Self.decryptionFailed }
    return try open(with: cipher)
  }

  static var decryptionFailed: JOSEError { JOSEError(.decryptionFailed, "the message could not be opened") }
}
