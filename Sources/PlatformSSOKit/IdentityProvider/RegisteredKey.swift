import JOSE
import PureCrypto
import StrictJSON

/// A public key that a device or a user registered: on P-256, or, for signing keys of devices whose extension chose so,
/// on P-384 or Ed25519.
public struct RegisteredKey: Sendable, Hashable {
  /// The point: 65 octets `04 ‖ X ‖ Y` on P-256, 97 on P-384, the 32 octets of a key for Ed25519.
  public let x963Representation: [UInt8]

  /// The key's identifier, computed from the point.
  public let keyID: KeyIdentifier

  let algorithm: SignatureAlgorithm

  private init(_ octets: [UInt8], _ algorithm: SignatureAlgorithm) {
    (x963Representation, keyID, self.algorithm) = (octets, KeyIdentifier(ofCheckedPoint: octets), algorithm)
  }

  private init(_ key: PublicKey, among algorithms: [SignatureAlgorithm], claimedKeyID: String?) throws(JOSEError) {
    switch key {
    case .ec(.p256(let key)): self.init(key.x963Representation, .es256)
    case .ec(.p384(let key)): self.init(key.x963Representation, .es384)
    case .ed25519(let key): self.init(Array(key.rawRepresentation), .ed25519)
    default: throw Self.invalid
    }
    guard algorithms.contains(algorithm) else {
      throw JOSEError(.keyInvalid, "the key is of an algorithm that is not accepted")
    }
    if let claimedKeyID, try KeyIdentifier(parsing: claimedKeyID) != keyID {
      throw JOSEError(.keyIdentifierInvalid, "the key identifier must be that of the key", name: "kid")
    }
  }

  /// A key of a record, of the algorithm that its length tells. Whether it is on its curve is found when it is used.
  init?(stored octets: [UInt8]) {
    switch octets.count {
    case 65: self.init(octets, .es256)
    case 97: self.init(octets, .es384)
    case 32: self.init(octets, .ed25519)
    default: return nil
    }
  }

  /// A device's signing key of another algorithm than ES256 as well: ES384 or Ed25519. A provider takes its requests
  /// only if ``IdentityProviderConfiguration/deviceSignatureAlgorithms`` has the algorithm.
  ///
  /// Apple gives neither the names of these algorithms on the wire nor what is hashed for the identifier: here it is
  /// the point, or the 32 octets of Ed25519.
  /// - Throws: `ErrorCode.keyMismatch` for a key of yet another algorithm.
  public init(signingKey: VerificationKey) throws(JOSEError) {
    guard SigningRules.device.contains(signingKey.algorithm), let octets = signingKey.deviceKeyOctets else {
      throw JOSEError(.keyMismatch, "a device signs ES256, ES384 or Ed25519", name: "signingKey")
    }
    self.init(octets, signingKey.algorithm)
  }

  /// A key given as 65 octets `04 ‖ X ‖ Y`.
  ///
  /// - Throws: `ErrorCode.keyInvalid`.
  public init(x963Representation octets: some Collection<UInt8>) throws(JOSEError) {
    guard let key = try? P256PublicKey(x963Representation: octets) else { throw Self.invalid }
    self.init(key.x963Representation, .es256)
  }

  /// A key in any form that extensions register it in: the 65 octets or SPKI, each in DER, base64 of either alphabet,
  /// or PEM.
  ///
  /// - Parameters:
  ///   - text: base64 or PEM.
  ///   - claimedKeyID: the identifier that came with the key, if any.
  ///   - signatureAlgorithms: what the key may be for. Those but ES256 come as SPKI.
  /// - Throws: `ErrorCode.keyInvalid`; `ErrorCode.keyIdentifierInvalid` if the identifier is
  ///   not the key's.
  public init(
    registering text: String, claimedKeyID: String? = nil, signatureAlgorithms: [SignatureAlgorithm] = [.es256]
  ) throws(JOSEError) {
    try self.init(
      registering: Self.octets(text), claimedKeyID: claimedKeyID, signatureAlgorithms: signatureAlgorithms)
  }

  /// The 65 octets, or SPKI in DER.
  package init(
    registering octets: [UInt8], claimedKeyID: String? = nil, signatureAlgorithms: [SignatureAlgorithm] = [.es256]
  ) throws(JOSEError) {
    let point = octets.count == 65 ? try? P256PublicKey(x963Representation: octets) : nil
    let key = point.map { .ec(.p256($0)) } ?? (try? PublicKey(derRepresentation: octets))
    guard let key else { throw Self.invalid }
    try self.init(key, among: signatureAlgorithms, claimedKeyID: claimedKeyID)
  }

  /// A device's key as a JWK: public, on P-256 unless another algorithm is accepted.
  init(
    registering members: JSONObject, claimedKeyID: String, signatureAlgorithms: [SignatureAlgorithm]
  ) throws(JOSEError) {
    // What it says of its use does not matter: which key it is decides.
    guard let jwk = try? JWK(members), case .publicKey(let key) = jwk.material else { throw Self.invalid }
    try self.init(key, among: signatureAlgorithms, claimedKeyID: claimedKeyID)
  }

  private var publicKey: PublicKey? {
    switch algorithm {
    case .es384: (try? P384PublicKey(x963Representation: x963Representation)).map { .ec(.p384($0)) }
    case .ed25519: (try? Ed25519PublicKey(rawRepresentation: x963Representation)).map { .ed25519($0) }
    default: (try? P256PublicKey(x963Representation: x963Representation)).map { .ec(.p256($0)) }
    }
  }

  /// The key for verifying what it signs. The key of a record is parsed here, and not with the record.
  ///
  /// - Throws: `ErrorCode.keyInvalid` if a record's octets are not on the curve.
  var verificationKey: VerificationKey {
    get throws(JOSEError) {
      guard algorithm != .es256 else { return try VerificationKey(es256X963Representation: x963Representation) }
      guard let publicKey else { throw Self.invalid }
      return try VerificationKey(JWK(.publicKey(publicKey)), algorithm: algorithm)
    }
  }

  /// The key as SPKI in DER.
  var subjectPublicKeyInfo: [UInt8] {
    get throws(JOSEError) {
      guard let octets = publicKey?.derRepresentation else { throw Self.invalid }
      return octets
    }
  }

  /// Whether the key is on P-256, as all keys are that no option allows otherwise.
  var isP256: Bool { algorithm == .es256 }

  /// The octets of PEM or base64 text.
  private static func octets(_ text: String) throws(JOSEError) -> [UInt8] {
    var characters = Array(text.utf8)
    let boundary = Array("-----".utf8)
    if characters.starts(with: boundary) {
      // Between the end of the first line and the last line: some servers wrap the bare point, which is not legal PEM
      // of a key.
      let lines = characters.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D })
      guard lines.count >= 3, lines[lines.count - 1].starts(with: boundary) else { throw invalid }
      characters = Array(lines[1..<(lines.count - 1)].joined())
    }
    guard let octets = AnyBase64.decode(String(decoding: characters, as: UTF8.self)) else { throw invalid }
    return octets
  }

  /// The key for encrypting by ECDH-ES.
  var recipient: EncryptionKey {
    get throws(JOSEError) { try EncryptionKey(ecdhESX963Representation: x963Representation) }
  }

  private static var invalid: JOSEError {
    JOSEError(.keyInvalid, "the key is not a public key on P-256 in a known form")
  }
}

extension RegisteredKey: Codable {
  /// Reads base64 of the 65 octets, or of another algorithm's key behind that one's name and a colon. Whether a key is
  /// on its curve is found when it is used.
  ///
  /// - Throws: `DecodingError` if it is not text, `ErrorCode.keyInvalid` for another text.
  public init(from decoder: any Decoder) throws {
    let text = try decoder.singleValueContainer().decode(String.self)
    let parts = text.utf8.split(separator: 0x3A, maxSplits: 1, omittingEmptySubsequences: false)
      .map { String(Substring($0)) }
    let algorithm = parts.count == 1 ? .es256 : SignatureAlgorithm(name: parts[0])
    guard let octets = try? Base64.decode(parts[parts.count - 1]), let key = RegisteredKey(stored: octets),
      key.algorithm == algorithm
    else { throw Self.invalid }
    self = key
  }

  /// Writes base64 of the 65 octets; a key of another algorithm behind that one's name and a colon.
  ///
  /// - Throws: what the encoder throws.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    let text = Base64.encode(x963Representation)
    try container.encode(isP256 ? text : "\(algorithm.name):\(text)")
  }
}
