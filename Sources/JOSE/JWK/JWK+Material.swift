import PureCrypto
import StrictJSON

extension JWK.Material {
  /// Reads the members that hold the key.
  ///
  /// - Throws: ``ErrorCode/keyInvalid``, ``ErrorCode/keyTooWeak``, and ``ErrorCode/algorithmUnsupported``
  ///   if key type or curve is not implemented.
  /// Source: RFC 7518 §6, RFC 8037 §2, RFC 9964 §3.
  init(_ object: JSONObject) throws(JOSEError) {
    guard object["kty"] != nil || object["keys"] == nil else {
      throw JOSEError(.keyInvalid, "this is a key set: read it with JWKSet(parsing:)", name: "kty")
    }
    let keyType = WireName(try object.string("kty", orThrow: .keyInvalid))
    if keyType == "EC" {
      self = try Self.ellipticCurveKey(object)
    } else if keyType == "RSA" {
      self = try Self.rsaKey(object)
    } else if keyType == "OKP" {
      self = try Self.octetKeyPair(object)
    } else if keyType == "AKP" {
      self = try Self.algorithmKeyPair(object)
    } else if keyType == "oct" {
      let octets = try object.secret("k")
      guard octets.count > 0 else { throw JOSEError(.keyInvalid, "the key is empty", name: "k") }
      self = .octets(octets)
    } else {
      throw JOSEError(
        .algorithmUnsupported, "the key type is not implemented: those that are are EC, RSA, OKP, AKP and oct",
        name: "kty")
    }
  }

  private static func ellipticCurveKey(_ object: JSONObject) throws(JOSEError) -> JWK.Material {
    guard case .named(let curve)? = Curve(name: try object.string("crv", orThrow: .keyInvalid))?.identifier else {
      throw otherCurve
    }
    // The key takes exactly the length of the field for each coordinate and checks the point (RFC 7518 §6.2.1.2).
    let x = try object.octets("x", orThrow: .keyInvalid)
    let y = try object.octets("y", orThrow: .keyInvalid)
    guard let publicKey = try? AnyECPublicKey(curve, x: x, y: y) else {
      throw JOSEError(.keyInvalid, "the coordinates are not those of a point on the curve", name: "x")
    }
    return try key(.ec(publicKey), object) { d throws(CryptoError) in
      .ec(try AnyECPrivateKey(curve, rawRepresentation: d))
    }
  }

  /// Any 32 octets are a public key of X25519; those with which no secret can be agreed are refused at the agreement
  /// (RFC 7748 §6.1).
  private static func octetKeyPair(_ object: JSONObject) throws(JOSEError) -> JWK.Material {
    let curve = Curve(name: try object.string("crv", orThrow: .keyInvalid))
    guard curve == .ed25519 || curve == .x25519 else { throw otherCurve }
    let x = try object.octets("x", orThrow: .keyInvalid)
    let publicKey: PublicKey? =
      curve == .ed25519
      ? (try? Ed25519PublicKey(rawRepresentation: x)).map { .ed25519($0) }
      : (try? X25519PublicKey(rawRepresentation: x)).map { .x25519($0) }
    guard let publicKey else {
      throw JOSEError(.keyInvalid, "not the canonical encoding of a public key in 32 octets", name: "x")
    }
    return try key(publicKey, object) { d throws(CryptoError) in
      curve == .ed25519
        ? .ed25519(try Ed25519PrivateKey(rawRepresentation: d)) : .x25519(try X25519PrivateKey(rawRepresentation: d))
    }
  }

  /// A key type whose `alg` says what its members hold: they are read for ML-DSA and for the KEMs of HPKE with ML-KEM
  /// in them. The private key is the seed; an expanded one has no place in a JWK.
  private static func algorithmKeyPair(_ object: JSONObject) throws(JOSEError) -> JWK.Material {
    let name = try object.string("alg", orThrow: .keyInvalid)
    if let kem = KeyManagementAlgorithm(name: name)?.row.suite?.kem, let lattice = LatticeKEM(kem) {
      let octets = try object.octets("pub", orThrow: .keyInvalid)
      guard let publicKey = try? LatticeKEMPublicKey(lattice, rawRepresentation: octets) else {
        throw JOSEError(.keyInvalid, "not a public key of the KEM that alg names", name: "pub")
      }
      return try key(.lattice(publicKey), object, "priv") { seed throws(CryptoError) in
        .lattice(try LatticeKEMPrivateKey(lattice, seed: seed))
      }
    }
    guard let parameterSet = SignatureAlgorithm(name: name)?.row.parameterSet else {
      throw JOSEError(
        .algorithmUnsupported,
        "the alg of an AKP key must be ML-DSA-44, ML-DSA-65 or ML-DSA-87, or HPKE-8, -9, -10, -12 or -13 or their -KE",
        name: "alg")
    }
    let octets = try object.octets("pub", orThrow: .keyInvalid)
    guard let publicKey = try? MLDSAVerificationKey(parameterSet, rawRepresentation: octets) else {
      throw JOSEError(
        .keyInvalid, "a public key has 1312 octets for ML-DSA-44, 1952 for ML-DSA-65, 2592 for ML-DSA-87", name: "pub")
    }
    return try key(.mlDSA(publicKey), object, "priv") { seed throws(CryptoError) in
      .mlDSA(try MLDSASigningKey(parameterSet, seed: seed))
    }
  }

  /// The private key if there is a member for one, or else the public one.
  private static func key(
    _ publicKey: PublicKey, _ object: JSONObject, _ member: String = "d",
    reading: (SecretBytes) throws(CryptoError) -> PrivateKey
  ) throws(JOSEError) -> JWK.Material {
    guard object[member] != nil else { return .publicKey(publicKey) }
    let d = try object.secret(member)
    guard let privateKey = try? reading(d) else {
      throw JOSEError(.keyInvalid, "the private key is out of range or of a wrong length", name: member)
    }
    // A private key beside somebody else's public key would be used as one and published as another.
    guard privateKey.publicKey == publicKey else {
      throw JOSEError(
        .keyInvalid, "private and public part do not belong together: take all members from one JWK", name: member)
    }
    return .privateKey(privateKey)
  }

  private static var otherCurve: JOSEError {
    JOSEError(
      .algorithmUnsupported,
      "the curve must be P-256, P-384, P-521, secp256k1, Ed25519 or X25519", name: "crv"
    )
  }

  // MARK: RSA

  /// The members of a private RSA key besides `d`, all or none of which are present.
  private static let factorMembers = ["p", "q", "dp", "dq", "qi"]

  private static func rsaKey(_ object: JSONObject) throws(JOSEError) -> JWK.Material {
    let publicKey = try rsaPublicKey(object)
    guard object["oth"] == nil else {
      throw JOSEError(.algorithmUnsupported, "a key with more than two primes is not implemented", name: "oth")
    }
    let present = factorMembers.filter { object[$0] != nil }
    guard object["d"] != nil else {
      guard present.isEmpty else { throw JOSEError(.keyInvalid, "the member is absent", name: "d") }
      return .publicKey(.rsa(publicKey))
    }
    let d = try object.secret("d")
    // A producer that writes one of the factors writes all of them (RFC 7518 §6.3.2).
    var factors: [SecretBytes] = []
    if !present.isEmpty {
      for name in factorMembers { factors.append(try object.secret(name)) }
    }
    do throws(CryptoError) {
      return .privateKey(
        .rsa(
          factors.isEmpty
            ? try AnyRSAPrivateKey(publicKey: publicKey, d: d)
            : try AnyRSAPrivateKey(
              publicKey: publicKey, d: d, p: factors[0], q: factors[1], dp: factors[2], dq: factors[3], qi: factors[4]))
      )
    } catch {
      throw JOSEError(.keyInvalid, "the private members are out of range or do not belong together", name: "d")
    }
  }

  private static func rsaPublicKey(_ object: JSONObject) throws(JOSEError) -> AnyRSAPublicKey {
    let modulus = try object.octets("n", orThrow: .keyInvalid)
    let exponent = try object.octets("e", orThrow: .keyInvalid)
    do throws(CryptoError) {
      return try AnyRSAPublicKey(modulus: modulus, exponent: exponent)
    } catch {
      guard error.code == .invalidKeyLength else {
        throw JOSEError(.keyInvalid, "modulus or exponent is even, out of range, or has leading zeros", name: "n")
      }
      guard modulus.count <= 256 else {
        throw JOSEError(.keyInvalid, "the modulus has more than 8192 bits", name: "n")
      }
      throw JOSEError(
        .keyTooWeak, "an RSA modulus needs 2048 bits or more (RFC 7518 §3.3): make a new key", name: "n")
    }
  }

  // MARK: Writing

  /// The members that describe the public key, or only `kty` of a symmetric one.
  var publicMembers: JSONObject {
    guard let publicKey else { return ["kty": "oct"] }
    var members: JSONObject = ["kty": .string(publicKey.keyType.description)]
    if let curve = publicKey.curve { members["crv"] = .string(curve.description) }
    if let parameterSet = publicKey.parameterSet { members["alg"] = .string(parameterSet.algorithm.name) }
    let octets: [(String, [UInt8])] =
      switch publicKey {
      case .ec(let key): [("x", key.x), ("y", key.y)]
      case .rsa(let key): [("n", key.modulus), ("e", key.publicExponent)]
      case .ed25519(let key): [("x", key.rawRepresentation)]
      case .x25519(let key): [("x", key.rawRepresentation)]
      case .mlDSA(let key): [("pub", key.rawRepresentation)]
      case .lattice(let key): [("pub", key.rawRepresentation)]
      }
    for (name, octets) in octets { members[name] = .string(Base64URL.encode(octets)) }
    return members
  }

  /// The members that only a private or symmetric key has; none for a public key.
  var privateMembers: JSONObject {
    switch self {
    case .publicKey: [:]
    case .octets(let octets): ["k": Self.encoded(octets)]
    case .privateKey(.ec(let key)): ["d": Self.encoded(key.rawRepresentation)]
    case .privateKey(.ed25519(let key)): ["d": Self.encoded(key.rawRepresentation)]
    case .privateKey(.x25519(let key)): ["d": Self.encoded(key.rawRepresentation)]
    case .privateKey(.mlDSA(let key)): ["priv": Self.encoded(key.seed)]
    case .privateKey(.lattice(let key)): ["priv": Self.encoded(key.seed)]
    case .privateKey(.rsa(let key)):
      JSONObject(
        zip(["d"] + Self.factorMembers, [key.numbers.d] + key.numbers.factors).map { name, number in
          // Base64urlUInt: without leading zeros (RFC 7518 §2), as the key gives it.
          (name, Self.encoded(number))
        })
    }
  }

  private static func encoded(_ octets: SecretBytes) -> JSONValue {
    .string(Base64URL.encode(octets))
  }
}

extension JSONObject {
  /// The octets of a key's member as a secret.
  fileprivate func secret(_ name: String) throws(JOSEError) -> SecretBytes {
    try secretOctets(name, orThrow: .keyInvalid)
  }
}
