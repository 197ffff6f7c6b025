import PureCrypto
import StrictJSON

/// A JSON Web Key: key material, and what it may be used for.
///
/// A JWK is how a key travels. To use it, make a ``SigningKey``, ``VerificationKey``, ``EncryptionKey`` or
/// ``DecryptionKey`` of it, which binds it to exactly one algorithm. Unknown members are kept.
///
/// The value may hold a private or symmetric key: ``isPrivate`` tells. ``serialized()`` writes public members only.
/// Source: RFC 7517.
public struct JWK: Sendable {
  package enum Material: Sendable {
    case publicKey(PublicKey)
    case privateKey(PrivateKey)
    case octets(SecretBytes)

    /// The public half, which is the whole of a public key; nil for a symmetric key.
    package var publicKey: PublicKey? {
      switch self {
      case .publicKey(let key): key
      case .privateKey(let key): key.publicKey
      case .octets: nil
      }
    }
  }

  package let material: Material

  /// `kid`: the sender's name for the key. Compare it as bytes.
  public var keyID: String?

  /// `kid`, to be compared with that of a token.
  package var keyName: WireName? { keyID.map { WireName($0) } }

  /// `alg`: the one algorithm the key is meant for, as written. It may be one that is not implemented.
  public var algorithm: String?

  /// `use`: `sig` or `enc`, or another value as written.
  public var use: String?

  /// `key_ops`, as written.
  public var keyOperations: [String]?

  /// Every other member, `x5c` among them, in the order read. Never key material.
  public var otherMembers: JSONObject

  package init(
    _ material: Material, keyID: String? = nil, algorithm: String? = nil, use: String? = nil,
    keyOperations: [String]? = nil, otherMembers: JSONObject = [:]
  ) {
    // A key of ML-DSA is for one algorithm, wherever it comes from.
    let named = algorithm ?? material.publicKey?.parameterSet?.algorithm.name
    (self.material, self.keyID, self.algorithm, self.use) = (material, keyID, named, use)
    (self.keyOperations, self.otherMembers) = (keyOperations, otherMembers)
  }

  /// Which kind of key it is (`kty`).
  public var keyType: KeyType { material.publicKey?.keyType ?? .oct }

  /// `crv`, of a key that is on a curve.
  public var curve: Curve? { material.publicKey?.curve }

  /// Whether the value holds a private or symmetric key.
  public var isPrivate: Bool {
    guard case .publicKey = material else { return true }
    return false
  }

  /// The public half with the same metadata, or nil for a symmetric key, which has none.
  ///
  /// `key_ops` keeps the operations of a public key only.
  public var publicKey: JWK? {
    guard let key = material.publicKey else { return nil }
    var operations: [WireName] = []
    for name in (keyOperations ?? []).map({ WireName($0) }) {
      let publicName = name == "sign" ? "verify" : name
      guard Self.publicOperations.contains(publicName), !operations.contains(publicName) else { continue }
      operations.append(publicName)
    }
    return JWK(
      .publicKey(key), keyID: keyID, algorithm: algorithm, use: use,
      keyOperations: operations.isEmpty ? nil : operations.map(\.text), otherMembers: otherMembers)
  }

  /// The `key_ops` values that a public key can have.
  private static let publicOperations: [WireName] = ["verify", "encrypt", "wrapKey"]

  /// The public point as 65 octets `04 ‖ X ‖ Y`, of a key on P-256.
  public var x963Representation: [UInt8]? {
    guard case .ec(.p256(let key))? = material.publicKey else { return nil }
    return key.x963Representation
  }

  /// Requires that `use`, `key_ops` and `alg`, as far as present, allow the operation.
  ///
  /// - Throws: ``ErrorCode/keyMismatch``.
  package func requireAllowed(
    _ operation: KeyOperation, or other: KeyOperation? = nil, algorithmNames: [String]
  ) throws(JOSEError) {
    if let use, operation.use != use {
      throw JOSEError(
        .keyMismatch, "the key's use (sig or enc) is not the one needed here: signatures take sig, encryption enc",
        name: "use")
    }
    let names = operation.names + (other?.names ?? [])
    if let keyOperations, !names.contains(where: keyOperations.contains) {
      throw JOSEError(
        .keyMismatch, "the key's operations do not include this one: it was made for another purpose", name: "key_ops")
    }
    if let algorithm, !algorithmNames.contains(WireName(algorithm)) {
      throw JOSEError(.keyMismatch, "the key's own alg names another algorithm than the one asked for", name: "alg")
    }
  }
}

extension JWK: Redacted {
  /// Type and curve, and whether the key is private. Never key material.
  public var description: String {
    "JWK(\(keyType)\(curve.map { " \($0)" } ?? ""), \(isPrivate ? "private" : "public"))"
  }
}

extension JWK {
  /// The thumbprint as base64url, which names the key itself, whatever its other members: 43 characters with SHA-256.
  ///
  /// Private and public half have the same thumbprint.
  /// Source: RFC 7638.
  /// - Throws: ``ErrorCode/keyMismatch`` for a symmetric key; see ``secretKeyThumbprint()``.
  public func thumbprint(_ hash: ThumbprintHash = .sha256) throws(JOSEError) -> String {
    guard keyType != .oct else {
      throw JOSEError(.keyMismatch, "a symmetric key's thumbprint is made by name only", name: "kty")
    }
    guard keyType != .akp || algorithm != nil else {
      throw JOSEError(.keyMismatch, "the algorithm of a key of ML-KEM is part of its thumbprint: set it", name: "alg")
    }
    return
      switch hash
    {
    case .sha256: thumbprint(using: SHA2.SHA256.self)
    case .sha384: thumbprint(using: SHA2.SHA384.self)
    case .sha512: thumbprint(using: SHA2.SHA512.self)
    }
  }

  /// The thumbprint as a URI, for places that take one.
  ///
  /// - Parameter hash: of the thumbprint. Receivers know SHA-256 at least.
  ///
  /// Source: RFC 9278.
  /// - Throws: as ``thumbprint(_:)``.
  public func thumbprintURI(_ hash: ThumbprintHash = .sha256) throws(JOSEError) -> String {
    hash.uriPrefix + (try thumbprint(hash))
  }

  /// The SHA-256 thumbprint of a symmetric key.
  ///
  /// Guesses of the key can be tested against it. Publish it only if the key has 128 bits of entropy or more.
  /// Source: RFC 7638 §7.
  public func secretKeyThumbprint() -> String {
    thumbprint(using: SHA2.SHA256.self)
  }

  /// The thumbprint with another hash.
  package func thumbprint<Function: SHA2Function>(using function: Function.Type) -> String {
    Base64URL.encode(function.hash(thumbprintInput))
  }

  /// The required members only, in lexicographic order, without white space, encoded anew from the parsed key (RFC 7638
  /// §3.1).
  package var thumbprintInput: [UInt8] {
    var object = material.publicMembers
    // Of ML-KEM the material doesn't tell which use the key has.
    if keyType == .akp, let algorithm, object["alg"] == nil { object["alg"] = .string(algorithm) }
    var members = object.members
    if case .octets = material { members += material.privateMembers.members }
    return JSONObject(members.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }).serialized()
  }
}

extension JWK {
  /// A fresh private key for signing: on the algorithm's curve for ECDSA, as many random octets as the digest has for
  /// HMAC, a modulus of 3072 bits for RSA, a seed for Ed25519 and ML-DSA.
  ///
  /// An RSA key takes seconds to find.
  public static func generate(_ algorithm: SignatureAlgorithm, keyID: String? = nil) -> JWK {
    JWK(generateMaterial(for: algorithm.row), keyID: keyID, algorithm: algorithm.name, use: "sig")
  }

  /// A fresh private P-256 key for ECDH-ES.
  public static func generateForKeyAgreement(keyID: String? = nil) -> JWK {
    JWK(
      .privateKey(PrivateKey(on: .p256)), keyID: keyID, algorithm: KeyManagementAlgorithm.ecdhES.name, use: "enc")
  }

  /// A fresh key for a key management algorithm: a private key for agreement, or random octets of the algorithm's
  /// length.
  ///
  /// - Parameters:
  ///   - algorithm: what the key is for, written as its `alg`. An RSA key has a modulus of 3072 bits and takes seconds
  ///     to find.
  ///   - curve: of a key for agreement: ``Curve/p256``, ``Curve/p384``, ``Curve/p521`` or ``Curve/x25519``. Nil takes
  ///     P-256, or the curve of the suite of HPKE.
  ///   - keyID: the key's `kid`; nil for none.
  /// - Throws: ``ErrorCode/callerMisuse`` for `dir`, whose key is one of a content encryption algorithm, for
  ///   algorithms with passwords, which are not made here, and for a curve with an algorithm that has none, or the
  ///   wrong one.
  public static func generate(
    _ algorithm: KeyManagementAlgorithm, curve: Curve? = nil, keyID: String? = nil
  ) throws(JOSEError) -> JWK {
    JWK(try generateMaterial(for: algorithm, curve), keyID: keyID, algorithm: algorithm.name, use: "enc")
  }

  private static func generateMaterial(
    for algorithm: KeyManagementAlgorithm, _ curve: Curve?
  ) throws(JOSEError) -> Material {
    switch algorithm.row.mechanism {
    case .agreement:
      let curve = curve ?? .p256
      guard curve.isForAgreement else {
        throw JOSEError(.callerMisuse, "no secret can be agreed on this curve", name: "crv")
      }
      return .privateKey(PrivateKey(on: curve))
    case .hpke(let suite), .hpkeKeyEncryption(let suite):
      guard let key = PrivateKey(suite.kem), curve == nil || curve == key.publicKey.curve else {
        throw JOSEError(.callerMisuse, "the algorithm of HPKE has a curve of its own", name: "crv")
      }
      return .privateKey(key)
    case .rsaOAEP where curve == nil: return .privateKey(.rsa(.generate()))
    case .symmetric(let wrapping, let count) where curve == nil && wrapping != .password:
      return .octets(.random(count: count))
    case .direct, .symmetric, .rsaOAEP:
      guard curve == nil else { throw JOSEError(.callerMisuse, "the algorithm has no curve", name: "crv") }
      throw JOSEError(.callerMisuse, "no key can be generated for this algorithm", name: "alg")
    }
  }

  /// A fresh symmetric key for direct encryption (`dir`) with one content encryption algorithm.
  public static func generate(_ contentEncryption: ContentEncryptionAlgorithm, keyID: String? = nil) -> JWK {
    JWK(
      .octets(.random(count: contentEncryption.row.keyByteCount)), keyID: keyID, algorithm: contentEncryption.name,
      use: "enc")
  }

  private static func generateMaterial(for row: SignatureAlgorithm.Row) -> Material {
    if let curve = row.curve { return .privateKey(PrivateKey(on: curve)) }
    if let parameterSet = row.parameterSet { return .privateKey(.mlDSA(MLDSASigningKey(parameterSet))) }
    return row.keyType == .rsa
      ? .privateKey(.rsa(.generate())) : .octets(HMACSecret.random(count: row.minimumKeyByteCount))
  }
}
