import PureCrypto
import StrictJSON

/// A JSON Web Key: key material, and what it may be used for.
///
/// A JWK is how a key travels. To use it, make a ``SigningKey``, ``VerificationKey``, ``EncryptionKey`` or ``DecryptionKey`` of it,
/// which binds it to exactly one algorithm. Unknown members are kept.
///
/// The value may hold a private or symmetric key: ``isPrivate`` tells. ``serialized()`` writes public members only.
/// Source: RFC 7517.
public struct JWK: Sendable {
  package enum Material: Sendable {
    case p256Public(P256PublicKey)
    case p256Private(P256PrivateKey)
    indirect case p384Public(P384PublicKey)
    indirect case p384Private(P384PrivateKey)
    indirect case p521Public(P521PublicKey)
    indirect case p521Private(P521PrivateKey)
    case rsaPublic(RSAPublicKey)
    case rsaPrivate(RSAPrivateKey)
    case ed25519Public(Ed25519PublicKey)
    case ed25519Private(Ed25519PrivateKey)
    case x25519Public(X25519PublicKey)
    case x25519Private(X25519PrivateKey)
    case octets(SecretBytes)
  }

  package let material: Material

  /// `kid`: the sender's name for the key. Compare it as bytes.
  public var keyID: String?

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
    self.material = material
    self.keyID = keyID
    self.algorithm = algorithm
    self.use = use
    self.keyOperations = keyOperations
    self.otherMembers = otherMembers
  }

  /// `kty`.
  public var keyType: KeyType {
    switch material {
    case .p256Public, .p256Private, .p384Public, .p384Private, .p521Public, .p521Private: .ec
    case .rsaPublic, .rsaPrivate: .rsa
    case .ed25519Public, .ed25519Private, .x25519Public, .x25519Private: .okp
    case .octets: .oct
    }
  }

  /// `crv`, of a key that is on a curve.
  public var curve: Curve? {
    switch material {
    case .p256Public, .p256Private: .p256
    case .p384Public, .p384Private: .p384
    case .p521Public, .p521Private: .p521
    case .ed25519Public, .ed25519Private: .ed25519
    case .x25519Public, .x25519Private: .x25519
    case .rsaPublic, .rsaPrivate, .octets: nil
    }
  }

  /// Whether the value holds a private or symmetric key.
  public var isPrivate: Bool {
    switch material {
    case .p256Public, .p384Public, .p521Public, .rsaPublic, .ed25519Public, .x25519Public: false
    case .p256Private, .p384Private, .p521Private, .rsaPrivate, .ed25519Private, .x25519Private, .octets: true
    }
  }

  /// The public half with the same metadata, or nil for a symmetric key, which has none.
  ///
  /// `key_ops` keeps the operations of a public key only.
  public var publicKey: JWK? {
    guard let publicMaterial = material.publicMaterial else { return nil }
    var operations: [String] = []
    for name in keyOperations ?? [] {
      let publicName = name.hasSameBytes(as: "sign") ? "verify" : name
      guard Self.publicOperations.containsBytes(of: publicName), !operations.containsBytes(of: publicName) else {
        continue
      }
      operations.append(publicName)
    }
    return JWK(
      publicMaterial, keyID: keyID, algorithm: algorithm, use: use,
      keyOperations: operations.isEmpty ? nil : operations, otherMembers: otherMembers)
  }

  /// The `key_ops` values that a public key can have.
  private static let publicOperations = ["verify", "encrypt", "wrapKey"]

  /// The public point as 65 octets `04 ‖ X ‖ Y`, of a key on P-256.
  public var x963Representation: [UInt8]? {
    switch material {
    case .p256Public(let key): key.x963Representation
    case .p256Private(let key): key.publicKey.x963Representation
    default: nil
    }
  }

  /// Requires that `use`, `key_ops` and `alg`, as far as present, allow the operation.
  ///
  /// - Throws: ``JOSEError/Code/keyMismatch``.
  package func requireAllowed(_ operation: KeyOperation, algorithmNames: [String]) throws(JOSEError) {
    if let use, !use.hasSameBytes(as: "\(operation.use)") {
      throw JOSEError(.keyMismatch, "the key's use is another one", name: "use")
    }
    if let keyOperations, !operation.names.contains(where: { keyOperations.containsBytes(of: $0) }) {
      throw JOSEError(.keyMismatch, "the key's operations do not include this one", name: "key_ops")
    }
    if let algorithm, !algorithmNames.containsBytes(of: algorithm) {
      throw JOSEError(.keyMismatch, "the key is for another algorithm", name: "alg")
    }
  }
}

extension JWK: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Type and curve, and whether the key is private. Never key material.
  public var description: String {
    "JWK(\(keyType)\(curve.map { " \($0)" } ?? ""), \(isPrivate ? "private" : "public"))"
  }

  /// The same as `description`.
  public var debugDescription: String { description }

  /// Shows no key material to `dump` and to test failures.
  public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension JWK.Material {
  /// The public half, which is the whole of a public key; nil for a symmetric key.
  var publicMaterial: JWK.Material? {
    switch self {
    case .p256Public, .p384Public, .p521Public, .rsaPublic, .ed25519Public, .x25519Public: self
    case .p256Private(let key): .p256Public(key.publicKey)
    case .p384Private(let key): .p384Public(key.publicKey)
    case .p521Private(let key): .p521Public(key.publicKey)
    case .rsaPrivate(let key): .rsaPublic(key.publicKey)
    case .ed25519Private(let key): .ed25519Public(key.publicKey)
    case .x25519Private(let key): .x25519Public(key.publicKey)
    case .octets: nil
    }
  }
}
