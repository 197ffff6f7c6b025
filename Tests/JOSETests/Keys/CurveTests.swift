import JOSE
import PureCrypto
import Testing

@Suite("Curves in JOSE")
struct CurveTests {
  static let signing: [SignatureAlgorithm] = [.es256, .es384, .es512, .es256k]
  static let agreement: [Curve] = [.p256, .p384, .p521, .x25519]
  static let agreementAlgorithms = KeyManagementAlgorithm.allCases.filter(\.row.isAgreement)

  @Test("signatures have the length of the curve and verify with the right key only", arguments: signing)
  func signatures(_ algorithm: SignatureAlgorithm) throws {
    let jwk = JWK.generate(algorithm, keyID: "k")
    let key = try SigningKey(jwk)
    let token = try JWS.sign(Array("{}".utf8), with: key)
    let signature = try Base64URL.decode(String(token.split(separator: ".")[2]))
    #expect(signature.count == [.es256: 64, .es384: 96, .es512: 132, .es256k: 64][algorithm])
    #expect(try JWS.verify(token, with: key.verificationKey).payload == Array("{}".utf8))
    let set = JWKSet([try #require(jwk.publicKey)])
    #expect(try JWS.verify(token, with: set, algorithms: Self.signing).key.algorithm == algorithm)
    #expect(
      code { _ = try JWS.verify(token, with: SigningKey.generate(algorithm).verificationKey) } == .signatureInvalid)
    let head = token.prefix(token.utf8.count - Base64URL.encode(signature).utf8.count)
    for changed in [
      Array(signature.dropLast()), signature + [0], [0] + signature, [], signature.map { ~$0 },
      [UInt8](repeating: 0, count: signature.count), Array(signature.dropLast()) + [(signature.last ?? 0) ^ 1],
    ] {
      let forged = head + Base64URL.encode(changed)
      #expect(code { _ = try JWS.verify(String(forged), with: key.verificationKey) } == .signatureInvalid)
    }
  }

  @Test("a key serves the algorithm of its curve only", arguments: signing)
  func boundCurves(_ algorithm: SignatureAlgorithm) throws {
    var jwk = JWK.generate(algorithm)
    for other in SignatureAlgorithm.allCases where other != algorithm {
      #expect(code { _ = try SigningKey(jwk, algorithm: other) } == .keyMismatch)
    }
    jwk.algorithm = nil
    for other in SignatureAlgorithm.allCases where other != algorithm {
      #expect(code { _ = try VerificationKey(jwk, algorithm: other) } == .keyMismatch)
    }
    jwk.use = "enc"
    #expect(code { _ = try VerificationKey(jwk, algorithm: algorithm) } == .keyMismatch)
    jwk.use = nil
    jwk.keyOperations = ["verify"]
    #expect(code { _ = try SigningKey(jwk, algorithm: algorithm) } == .keyMismatch)
    #expect(try VerificationKey(jwk, algorithm: algorithm).algorithm == algorithm)
  }

  @Test("a key whose key_ops are those of signatures can't be used to encrypt", arguments: [Curve.p256, .p384, .p521])
  func signersOperations(_ curve: Curve) throws {
    var jwk = try JWK.generate(.ecdhES, curve: curve)
    jwk.use = nil
    for operations in [["verify"], ["sign"], ["sign", "verify"]] {
      jwk.keyOperations = operations
      #expect(refusal { _ = try EncryptionKey(jwk) } == "keyMismatch(key_ops)")
    }
    // The public half of an agreement has no operation of its own: it says none, or what the private one does.
    for operations in [nil, [], ["deriveKey"], ["deriveBits"]] {
      jwk.keyOperations = operations
      #expect(try EncryptionKey(jwk).algorithm == .ecdhES)
    }
  }

  @Test("each agreement comes back on each curve", arguments: agreementAlgorithms, agreement)
  func agreements(_ algorithm: KeyManagementAlgorithm, _ curve: Curve) throws {
    let jwk = try JWK.generate(algorithm, curve: curve, keyID: "k")
    #expect(jwk.curve == curve && jwk.use == "enc")
    let key = try DecryptionKey(jwk)
    let token = try JWE.encrypt(
      [1, 2, 3], to: EncryptionKey(try #require(jwk.publicKey)), agreementPartyUInfo: .octets([0, 7]))
    let opened = try JWE.decrypt(token, with: key, contentEncryption: [.a256gcm])
    #expect(opened.plaintext == [1, 2, 3])
    guard case .object(let epk)? = opened.header["epk"] else { throw CurveFault() }
    #expect(epk["crv"]?.stringValue == curve.description && epk["d"] == nil)
    // Somebody else's key on the same curve, and keys on the other curves
    let stranger = try DecryptionKey(JWK.generate(algorithm, curve: curve))
    #expect(code { _ = try JWE.decrypt(token, with: stranger, contentEncryption: [.a256gcm]) } == .decryptionFailed)
    for other in Self.agreement where other != curve {
      let key = try DecryptionKey(JWK.generate(algorithm, curve: other))
      #expect(refusal { _ = try JWE.decrypt(token, with: key, contentEncryption: [.a256gcm]) } == "keyMismatch(epk)")
    }
  }

  @Test("a key elsewhere agrees on each curve, and its answer is checked", arguments: agreement)
  func external(_ curve: Curve) throws {
    guard case .privateKey(let key) = try JWK.generate(.ecdhES, curve: curve).material else { throw CurveFault() }
    let external = try DecryptionKey(Elsewhere(key: key))
    let token = try JWE.encrypt([5], to: external.encryptionKey)
    #expect(try JWE.decrypt(token, with: external, contentEncryption: [.a256gcm]).plaintext == [5])
    let short = try DecryptionKey(Elsewhere(key: key, change: { Array($0.dropLast()) }))
    #expect(code { _ = try JWE.decrypt(token, with: short, contentEncryption: [.a256gcm]) } == .externalKeyFailed)
    let zero = try DecryptionKey(Elsewhere(key: key, change: { [UInt8](repeating: 0, count: $0.count) }))
    #expect(code { _ = try JWE.decrypt(token, with: zero, contentEncryption: [.a256gcm]) } == .decryptionFailed)
    let prepared = try JWE.prepareDecryption(token, contentEncryption: [.a256gcm])
    let other = try #require(PublicKey(agreementOctets: prepared.ephemeralPublicKey))
    let secret = try #require(key.sharedSecret(with: other)).withUnsafeBytes { Array($0) }
    #expect(try prepared.finish(sharedSecret: secret).plaintext == [5])
    #expect(code { _ = try prepared.finish(sharedSecret: secret + [0]) } == .externalKeyFailed)
  }

  /// DH-2: points of small order, RFC 7748 §6.1.
  @Test("an X25519 key of small order agrees on nothing", arguments: [[0], [1]] as [[UInt8]])
  func smallOrder(_ low: [UInt8]) throws {
    let u = low + [UInt8](repeating: 0, count: 31)
    let jwk = try JWK(["kty": "OKP", "crv": "X25519", "x": .string(Base64URL.encode(u))])
    #expect(code { _ = try JWE.encrypt([1], to: EncryptionKey(jwk, algorithm: .ecdhES)) } == .keyInvalid)
    let key = try DecryptionKey(JWK.generate(.ecdhES, curve: .x25519))
    let epk = #"{"alg":"ECDH-ES","enc":"A256GCM","epk":{"kty":"OKP","crv":"X25519","x":"\#(Base64URL.encode(u))"}}"#
    let token = "\(Base64URL.encode(epk.utf8))..AAAAAAAAAAAAAAAA.AA.AAAAAAAAAAAAAAAAAAAAAA"
    #expect(code { _ = try JWE.decrypt(token, with: key, contentEncryption: [.a256gcm]) } == .decryptionFailed)
  }

  /// RFC 8032 §5.1.7 lets anybody sign for such a key: with A = (0, 1), S = 0 and R = (0, 1) satisfy every message.
  @Test("an Ed25519 key of small order is refused as a JWK, alone and in a set", arguments: [0, 1])
  func smallOrderSigner(_ y: UInt8) throws {
    let x = JSONValue.string(Base64URL.encode([y] + [UInt8](repeating: 0, count: 31)))
    #expect(code { _ = try JWK(["kty": "OKP", "crv": "Ed25519", "x": x]) } == .keyInvalid)
    let set = JSONObject(dictionaryLiteral: ("keys", .array([.object(["kty": "OKP", "crv": "Ed25519", "x": x])])))
    #expect(try JWKSet(parsing: set.serialized()).keys.isEmpty)
  }

  static func key(_ curve: Curve) throws -> JWK {
    switch curve {
    case .ed25519: JWK.generate(.ed25519, keyID: "k")
    case .secp256k1: JWK.generate(.es256k, keyID: "k")
    default: try JWK.generate(.ecdhES, curve: curve, keyID: "k")
    }
  }

  @Test("keys keep through JWK, PEM and DER, and wrong ones are refused", arguments: agreement + [Curve.secp256k1])
  func keys(_ curve: Curve) throws {
    let key = try Self.key(curve)
    let text = key.serializedWithPrivateKey()
    #expect(try JWK(parsing: text).serializedWithPrivateKey() == text)
    let thumbprint = try key.thumbprint()
    #expect(try JWK(parsing: key.serialized()).thumbprint() == thumbprint)
    let pem = try #require(key.privatePEMRepresentation)
    #expect(try JWK(pemRepresentation: pem).thumbprint() == thumbprint)
    #expect(try JWK(pemRepresentation: pem).isPrivate)
    let publicPEM = try #require(key.publicPEMRepresentation)
    #expect(try JWK(pemRepresentation: publicPEM).thumbprint() == thumbprint)
    #expect(try !JWK(pemRepresentation: publicPEM).isPrivate)
    let members = try JSONObject(parsing: text)
    let other = try JSONObject(parsing: Self.key(curve).serializedWithPrivateKey())
    for name in ["x", "y", "d"] where members[name] != nil {
      var changed = members
      guard case .string(let value)? = members[name] else { throw CurveFault() }
      let octets = try Base64URL.decode(value)
      for replacement in [[0] + octets, Array(octets.dropLast()), []] {
        changed[name] = .string(Base64URL.encode(replacement))
        #expect(code { _ = try JWK(changed) } == .keyInvalid)
      }
      changed[name] = other[name]
      #expect(code { _ = try JWK(changed) } == .keyInvalid)
      changed[name] = 5
      #expect(code { _ = try JWK(changed) } == .keyInvalid)
    }
    for name in ["P-256", "P-384", "P-521", "secp256k1", "X25519", "Ed25519", "p-384", "P-224", "P-256K"]
    where name != curve.description {
      var changed = members
      changed["crv"] = .string(name)
      #expect(throws: JOSEError.self) { try JWK(changed) }
    }
    #expect("\(key)".contains("redacted") || !"\(key)".contains(Base64URL.encode(text).prefix(20)))
  }

  /// RFC 8812 §3.1 registers the curve for signatures alone.
  @Test("a key on secp256k1 serves ES256K and no agreement, and ES256K is for no other curve")
  func secp256k1() throws {
    var jwk = JWK.generate(.es256k, keyID: "k")
    #expect(jwk.curve == .secp256k1 && jwk.algorithm == "ES256K" && jwk.keyType == .ec)
    #expect(Curve(name: "secp256k1") == .secp256k1 && Curve(name: "secp256K1") == nil && Curve(name: "P-256K") == nil)
    #expect(SignatureAlgorithm(name: "ES256K") == .es256k && SignatureAlgorithm(name: "ES256k") == nil)
    (jwk.algorithm, jwk.use) = (nil, nil)
    for algorithm in Self.agreementAlgorithms {
      #expect(code { _ = try EncryptionKey(jwk, algorithm: algorithm) } == .keyMismatch)
      #expect(code { _ = try DecryptionKey(jwk, algorithm: algorithm) } == .keyMismatch)
      #expect(refusal { _ = try JWK.generate(algorithm, curve: .secp256k1) } == "callerMisuse(crv)")
    }
    #expect(!Curve.secp256k1.isForAgreement)
    #expect(code { _ = try VerificationKey(JWK.generate(.es256), algorithm: .es256k) } == .keyMismatch)
    guard case .privateKey(let key) = jwk.material else { throw CurveFault() }
    #expect(key.publicKey.agreementOctets.isEmpty)
    let point = Array(try #require(key.publicKey.derRepresentation).suffix(65))
    #expect(PublicKey(agreementOctets: point) == nil)
    #expect(refusal { _ = try DecryptionKey(PointElsewhere(publicKeyX963Representation: point)) } == "keyInvalid")
    // An ephemeral key on the curve, for a recipient on P-256.
    let recipient = try DecryptionKey(JWK.generateForKeyAgreement())
    let epk = try #require(jwk.publicKey).publicJSONObject()
    let header: JSONObject = [
      "alg": "ECDH-ES", "enc": "A256GCM",
      "epk": .object(["kty": "EC", "crv": "secp256k1", "x": epk["x"] ?? 0, "y": epk["y"] ?? 0]),
    ]
    let token = "\(Base64URL.encode(header.serialized()))..AAAAAAAAAAAAAAAA.AA.AAAAAAAAAAAAAAAAAAAAAA"
    #expect(
      refusal { _ = try JWE.decrypt(token, with: recipient, contentEncryption: [.a256gcm]) } == "keyMismatch(epk)")
    #expect(refusal { _ = try JWE.prepareDecryption(token, contentEncryption: [.a256gcm]) } == "keyMismatch(epk)")
    // A token of the one algorithm under the name of the other.
    let signer = try SigningKey(jwk, algorithm: .es256k)
    let signed = try JWS.sign([1], with: signer)
    let set = JWKSet([try #require(jwk.publicKey)])
    #expect(code { _ = try JWS.verify(signed, with: set, algorithms: [.es256]) } == .algorithmNotAllowed)
    let parts = signed.split(separator: ".")
    let renamed = "\(Base64URL.encode(Array(#"{"alg":"ES256","kid":"k"}"#.utf8))).\(parts[1]).\(parts[2])"
    let both: [SignatureAlgorithm] = [.es256, .es256k]
    #expect(code { _ = try JWS.verify(renamed, with: set, algorithms: both) } == .keyMismatch)
    #expect(code { _ = try JWS.verify(renamed, with: signer.verificationKey) } == .algorithmNotAllowed)
  }

  @Test("keys of one kind do not serve the other")
  func kinds() throws {
    let x25519 = try JWK.generate(.ecdhES, curve: .x25519)
    #expect(code { _ = try VerificationKey(x25519, algorithm: .ed25519) } == .keyMismatch)
    #expect(code { _ = try SigningKey(x25519, algorithm: .eddsa) } == .keyMismatch)
    let ed25519 = JWK.generate(.ed25519)
    #expect(code { _ = try DecryptionKey(ed25519, algorithm: .ecdhES) } == .keyMismatch)
    #expect(refusal { _ = try JWK.generate(.ecdhES, curve: .ed25519) } == "callerMisuse(crv)")
    #expect(refusal { _ = try JWK.generate(.a128kw, curve: .p384) } == "callerMisuse(crv)")
    #expect(Curve(name: "P-384") == .p384 && Curve(name: "p-384") == nil && Curve(name: "P\u{2010}384") == nil)
    var derivation = try JWK.generate(.ecdhES, curve: .p384)
    derivation.use = nil
    derivation.keyOperations = ["sign"]
    #expect(code { _ = try DecryptionKey(derivation) } == .keyMismatch)
    derivation.keyOperations = ["deriveBits"]
    #expect(try DecryptionKey(derivation).algorithm == .ecdhES)
  }
}

private struct CurveFault: Error {}

/// A key elsewhere that says which it is, and no more.
private struct PointElsewhere: ExternalKeyAgreement {
  let publicKeyX963Representation: [UInt8]

  func sharedSecret(withPublicKeyX963Representation publicKey: [UInt8]) throws -> [UInt8] { throw CurveFault() }
}

private struct Elsewhere: ExternalKeyAgreement {
  let key: PrivateKey
  var change: @Sendable ([UInt8]) -> [UInt8] = { $0 }

  var publicKeyX963Representation: [UInt8] { key.publicKey.agreementOctets }

  func sharedSecret(withPublicKeyX963Representation publicKey: [UInt8]) throws -> [UInt8] {
    guard let publicKey = PublicKey(agreementOctets: publicKey), let secret = key.sharedSecret(with: publicKey) else {
      throw CurveFault()
    }
    return change(secret.withUnsafeBytes { Array($0) })
  }
}
