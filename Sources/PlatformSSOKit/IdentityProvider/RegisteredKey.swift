import JOSE
import PureCrypto

/// A public key that a device or a user registered: on P-256, or, for signing keys of devices whose extension chose so,
/// on P-384 or Ed25519.
public struct RegisteredKey: Sendable, Hashable {
  /// The point: 65 octets `04 ‖ X ‖ Y` on P-256, 97 on P-384, the 32 octets of a key for Ed25519.
  public let x963Representation: [UInt8]

  /// The key's identifier, computed from the point.
  public let keyID: KeyIdentifier

  /// The key for verifying what it signs. Copies share what it learns, so that a store in memory verifies faster after
  /// some requests.
  let verificationKey: VerificationKey

  private init(_ key: P256PublicKey) throws(PlatformSSOError) {
    let point = key.x963Representation
    x963Representation = point
    keyID = KeyIdentifier(ofCheckedPoint: point)
    verificationKey = try VerificationKey(es256X963Representation: point)
  }

  /// A device's signing key of another algorithm than ES256 as well: ES384 or Ed25519. A provider takes its requests
  /// only if ``IdentityProviderConfiguration/deviceSignatureAlgorithms`` has the algorithm.
  ///
  /// Apple gives neither the names of these algorithms on the wire nor what is hashed for the identifier: here it is
  /// the point, or the 32 octets of Ed25519.
  /// - Throws: `ErrorCode.keyMismatch` for a key of yet another algorithm.
  public init(signingKey: VerificationKey) throws(PlatformSSOError) {
    guard DeviceKeyRules.algorithms.contains(signingKey.algorithm), let octets = signingKey.deviceKeyOctets else {
      throw PlatformSSOError(.keyMismatch, "a device signs ES256, ES384 or Ed25519", name: "signingKey")
    }
    x963Representation = octets
    keyID = KeyIdentifier(ofCheckedPoint: octets)
    verificationKey = signingKey
  }

  /// Compares the points.
  public static func == (lhs: RegisteredKey, rhs: RegisteredKey) -> Bool {
    lhs.x963Representation == rhs.x963Representation
  }

  /// Hashes the point.
  public func hash(into hasher: inout Hasher) { hasher.combine(x963Representation) }

  /// A key given as 65 octets `04 ‖ X ‖ Y`.
  ///
  /// - Throws: `ErrorCode.keyInvalid`.
  public init(x963Representation octets: some Collection<UInt8>) throws(PlatformSSOError) {
    guard let key = try? P256PublicKey(x963Representation: octets) else { throw Self.invalid }
    try self.init(key)
  }

  /// A key in any form that extensions register it in: the 65 octets or SPKI, each in DER, base64 of either alphabet,
  /// or PEM.
  ///
  /// - Parameters:
  ///   - text: base64 or PEM.
  ///   - claimedKeyID: the identifier that came with the key, if any.
  /// - Throws: `ErrorCode.keyInvalid`; `ErrorCode.keyIdentifierInvalid` if the identifier is
  ///   not the key's.
  public init(registering text: String, claimedKeyID: String? = nil) throws(PlatformSSOError) {
    try self.init(registering: Self.octets(text), claimedKeyID: claimedKeyID)
  }

  /// A key in any form that extensions register it in: the 65 octets, or SPKI in DER.
  ///
  /// - Throws: as ``init(registering:claimedKeyID:)-(String,_)``.
  public init(registering octets: [UInt8], claimedKeyID: String? = nil) throws(PlatformSSOError) {
    let key =
      octets.count == 65
      ? try? P256PublicKey(x963Representation: octets) : try? P256PublicKey(derRepresentation: octets)
    guard let key else { throw Self.invalid }
    try self.init(key)
    if let claimedKeyID { try requireKeyID(claimedKeyID) }
  }

  /// A device's signing key that may be of one of some algorithms: those but ES256 in SPKI alone.
  ///
  /// - Throws: as ``init(registering:claimedKeyID:)-(String,_)``.
  init(
    registering text: String, claimedKeyID: String, signatureAlgorithms: [SignatureAlgorithm]
  ) throws(PlatformSSOError) {
    let octets = try Self.octets(text)
    let algorithm: SignatureAlgorithm
    let other = octets.count == 65 ? nil : try? PublicKey(derRepresentation: octets)
    switch other {
    case .ec(.p384)?: algorithm = .es384
    case .ed25519?: algorithm = .ed25519
    default: algorithm = .es256
    }
    guard DeviceKeyRules.algorithms.contains(algorithm), signatureAlgorithms.contains(algorithm) else {
      throw PlatformSSOError(.keyInvalid, "the key is of an algorithm that is not accepted")
    }
    guard algorithm != .es256, let other else {
      try self.init(registering: octets, claimedKeyID: claimedKeyID)
      return
    }
    try self.init(
      signingKey: try VerificationKey(JWK(.publicKey(other)), algorithm: algorithm))
    try requireKeyID(claimedKeyID)
  }

  /// A device's key as a JWK: public, on P-256 unless another algorithm is accepted.
  ///
  /// - Throws: as ``init(registering:claimedKeyID:)-(String,_)``.
  init(
    registering members: JSONObject, claimedKeyID: String, signatureAlgorithms: [SignatureAlgorithm]
  ) throws(PlatformSSOError) {
    // What it says of its use does not matter: which key it is decides.
    guard let jwk = try? JWK(members), case .publicKey(let key) = jwk.material else { throw Self.invalid }
    try self.init(
      registering: Base64.encode(key.derRepresentation), claimedKeyID: claimedKeyID,
      signatureAlgorithms: signatureAlgorithms)
  }

  private func requireKeyID(_ claimed: String) throws(PlatformSSOError) {
    guard try KeyIdentifier(parsing: claimed) == keyID else {
      throw PlatformSSOError(.keyIdentifierInvalid, "the identifier is not the key's", name: "kid")
    }
  }

  /// The key as SPKI in DER.
  var subjectPublicKeyInfo: [UInt8] {
    get throws(PlatformSSOError) {
      if let key = try? P256PublicKey(x963Representation: x963Representation) { return key.derRepresentation }
      guard case .publicKey(let key) = verificationKey.material else { throw Self.invalid }
      return key.derRepresentation
    }
  }

  /// Whether the key is on P-256, as all keys are that no option allows otherwise.
  var isP256: Bool { verificationKey.algorithm == .es256 }

  /// The octets of PEM or base64 text.
  private static func octets(_ text: String) throws(PlatformSSOError) -> [UInt8] {
    var characters = Array(text.utf8)
    let boundary = Array("-----".utf8)
    if characters.starts(with: boundary) {
      // Between the end of the first line and the last line: some servers wrap the bare point, which is not legal PEM
      // of a key.
      let lines = characters.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D })
      guard lines.count >= 3, lines[lines.count - 1].starts(with: boundary) else { throw invalid }
      characters = Array(lines[1..<(lines.count - 1)].joined())
    }
    while characters.last == 0x3D { characters.removeLast() }
    characters = characters.map { $0 == 0x2B ? 0x2D : $0 == 0x2F ? 0x5F : $0 }
    guard let octets = try? Base64URL.decode(utf8: characters) else { throw invalid }
    return octets
  }

  /// The key for encrypting by ECDH-ES.
  var recipient: EncryptionKey {
    get throws(PlatformSSOError) {
      try EncryptionKey(ecdhESX963Representation: x963Representation)
    }
  }

  private static var invalid: PlatformSSOError {
    PlatformSSOError(.keyInvalid, "the key is not a public key on P-256 in a known form")
  }
}

extension RegisteredKey: Codable {
  /// Reads base64 of the 65 octets, or of another algorithm's key behind that one's name and a colon.
  ///
  /// - Throws: `DecodingError` if it is not text; otherwise as ``init(registering:claimedKeyID:)-(String,_)``.
  public init(from decoder: any Decoder) throws {
    let text = try decoder.singleValueContainer().decode(String.self)
    guard let colon = text.utf8.firstIndex(of: 0x3A) else {
      try self.init(registering: text)
      return
    }
    guard let octets = try? Base64.decode(String(Substring(text.utf8[text.utf8.index(after: colon)...]))) else {
      throw Self.invalid
    }
    try self.init(algorithm: String(Substring(text.utf8[..<colon])), octets: octets)
  }

  /// Writes base64 of the 65 octets; a key of another algorithm behind that one's name and a colon.
  ///
  /// - Throws: what the encoder throws.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    let text = Base64.encode(x963Representation)
    let algorithm = verificationKey.algorithm
    try container.encode(algorithm == .es256 ? text : "\(algorithm.name):\(text)")
  }

  private init(algorithm name: String, octets: [UInt8]) throws(PlatformSSOError) {
    let key: JWK
    if name.hasSameBytes(as: SignatureAlgorithm.es384.name), let point = try? P384PublicKey(x963Representation: octets)
    {
      key = JWK(.publicKey(.ec(.p384(point))))
    } else if name.hasSameBytes(as: SignatureAlgorithm.ed25519.name),
      let point = try? Ed25519PublicKey(rawRepresentation: octets)
    {
      key = JWK(.publicKey(.ed25519(point)))
    } else {
      throw Self.invalid
    }
    let algorithm = SignatureAlgorithm(name: name)
    try self.init(
      signingKey: try VerificationKey(key, orNamed: algorithm))
  }
}
