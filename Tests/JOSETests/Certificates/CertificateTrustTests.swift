import JOSE
import PureCrypto
import PureJOSETestSupport
import Testing

/// What the mutations don't say: other keys, and how trust is made and used.
@Suite("Trust in certificate chains")
struct CertificateTrustTests {
  let world = CertificateWorld.shared

  @Test("a validated chain says whose key it is, how long and what the leaf's extensions say")
  func chain() throws {
    let chain = try world.validate()
    #expect(chain.certificates.count == 2)
    #expect(try chain.publicKey.thumbprint() == JWK(.publicKey(.ec(.p256(world.leafKey.publicKey)))).thumbprint())
    // 2026-01-01 to 2027-01-01
    #expect(chain.validity == NumericDate(1_767_225_600)...NumericDate(1_798_761_600))
    #expect(chain.extensionValue("1.2.840.113635.100.8.11.1") == [0xCA, 0xFE])
    #expect(chain.extensionValue("2.5.29.15") == [0x03, 2, 7, 0x80])
    for absent in ["1.2.840.113635.100.8.11.2", "", "1", "3.1", "1.40", "1..2", "1.02", "1.2.a", "-1.2", "1.2."] {
      #expect(chain.extensionValue(absent) == nil)
    }
    #expect(!"\(chain)".contains("Leaf"))
  }

  @Test("a token is verified by the key of its own header, if its chain leads to a root")
  func token() throws {
    let trust = try world.trust()
    let jwk = JWK(.privateKey(.ec(.p256(world.leafKey))))
    let header = HeaderParameters(certificates: world.chain(world))
    let token = try JWS.sign([1, 2], with: SigningKey(jwk, algorithm: .es256), header: header)
    let chain = try trust.validate(UnverifiedJWS(parsing: token).unverifiedHeader)
    #expect(try JWS.verify(token, with: VerificationKey(chain.publicKey, algorithm: .es256)).payload == [1, 2])
    // The header names a chain that leads to the root, and another key made the token.
    let other = JWK(.privateKey(.ec(.p256(world.otherKey))))
    let forged = try JWS.sign([1, 2], with: SigningKey(other, algorithm: .es256), header: header)
    let key = try VerificationKey(
      trust.validate(UnverifiedJWS(parsing: forged).unverifiedHeader).publicKey, algorithm: .es256)
    #expect(refusal { _ = try JWS.verify(forged, with: key) } == "signatureInvalid")
    #expect(refusal { _ = try VerificationKey(chain.publicKey, algorithm: .es384) } == "keyMismatch(kty)")
    let bare = try UnverifiedJWS(parsing: JWS.sign([1], with: TestKeys.signing())).unverifiedHeader
    #expect(refusal { _ = try trust.validate(bare) } == "headerInvalid(x5c)")
  }

  @Test("a thumbprint must match the leaf of x5c, and a malformed x5c is refused")
  func headers() throws {
    let trust = try world.trust()
    func refused(_ members: [String: JSONValue]) throws -> String {
      let text = Base64URL.encode(JSONObject([("alg", "ES256")] + members.map { ($0.key, $0.value) }).serialized())
      let header = try UnverifiedJWS(parsing: text + ".AA.AA").unverifiedHeader
      return refusal { _ = try trust.validate(header) }
    }
    let octets = world.chain(world)
    let certificates = octets.map(Base64.encode)
    let chain: JSONValue = .array(certificates.map { .string($0) })
    let leaf = try LeafCertificate(derRepresentation: octets[0])
    #expect(try refused(["x5c": chain]) == "accepted")
    #expect(try refused(["x5c": chain, "x5t#S256": .string(leaf.sha256Thumbprint)]) == "accepted")
    #expect(try refused(["x5c": chain, "x5t#S256": .string(leaf.sha1Thumbprint)]) == "headerInvalid(x5t#S256)")
    for wrong: JSONValue in [
      [], .string(certificates[0]), .array([.string(Base64URL.encode([0xFB, 0xFF]))]),
      .array([.string(certificates[0] + "\n")]), .array([.string(leaf.pemRepresentation)]), [1],
    ] {
      #expect(try refused(["x5c": wrong]) == "headerInvalid(x5c)")
    }
  }

  @Test("the key of a JWK must be that of its certificate")
  func jwk() throws {
    let trust = try world.trust()
    let x5c: JSONValue = .array(world.chain(world).map { .string(Base64.encode($0)) })
    let own = JWK(.publicKey(.ec(.p256(world.leafKey.publicKey))), otherMembers: ["x5c": x5c])
    #expect(try trust.validate(own).publicKey.thumbprint() == own.thumbprint())
    let other = JWK(.publicKey(.ec(.p256(world.otherKey.publicKey))), otherMembers: ["x5c": x5c])
    #expect(refusal { _ = try trust.validate(other) } == "keyMismatch(x5c)")
    let bare = JWK(.publicKey(.ec(.p256(world.leafKey.publicKey))))
    #expect(refusal { _ = try trust.validate(bare) } == "keyInvalid(x5c)")
  }

  @Test("limits, at and one past them")
  func limits() throws {
    let certificates = world.chain(world)
    var trust = try world.trust()
    trust.limits.certificateCount = 2
    trust.limits.certificateChainByteCount = certificates[0].count + certificates[1].count
    #expect(throws: Never.self) { try trust.validate(certificates) }
    trust.limits.certificateChainByteCount -= 1
    #expect(refusal { _ = try trust.validate(certificates) } == "limitExceeded(certificateChainByteCount)")
    trust.limits.certificateChainByteCount = .max
    #expect(throws: Never.self) { try trust.validate(certificates) }
    trust.limits.certificateCount = 1
    #expect(refusal { _ = try trust.validate(certificates) } == "limitExceeded(certificateCount)")
    trust.limits = .default
    let many = [[UInt8]](repeating: certificates[0], count: 11)
    #expect(refusal { _ = try trust.validate(many) } == "limitExceeded(certificateCount)")
  }

  @Test("an explanation has all that is wrong, where validation stops at the first")
  func explanation() throws {
    var world = world
    // A second after all certificates have expired.
    world.now = 1_798_761_601
    world.extendedKeyUsage = "1.3.6.1.5.5.7.3.8"
    let chain = world.chain(world)
    let explanation = try world.trust().explain(chain)
    let names: [String?] = ["x5c[0].extKeyUsage", "x5c[0].notAfter", "x5c[1].notAfter", "root[0].notAfter"]
    #expect(explanation.refusals.map(\.name) == names)
    let text = explanation.description
    #expect(text.hasPrefix("refused\n"))
    #expect(text.contains(#"x5c[0] "CN=Leaf,O=Example" of "CN=Authority,O=Example", notBefore 365 d"#), "\(text)")
    #expect(text.contains("notAfter 1 s ago"), "\(text)")
    #expect(try world.trust().explain([]).refusals.map(\.name) == ["x5c"])
    #expect(
      try world.trust().explain([[UInt8]](repeating: chain[0], count: 11)).refusals.map(\.name)
        == ["certificateCount"])
  }

  @Test("an explanation says why each root with an issuer's name has not issued the chain")
  func explainedRoots() throws {
    var world = world
    let key = world.otherKey
    var namesake = world.root
    namesake.publicKey = key.publicKey.derRepresentation
    namesake.innerAlgorithm = DER.ecdsaSHA256
    namesake.sign = { key.signature(for: $0).derRepresentation }
    let (other, own) = (namesake.certificate, world.root.certificate)
    world.roots = { _ in [other, own] }
    let accepted = try world.trust().explain(world.chain(world))
    #expect(accepted.refusals.isEmpty)
    #expect(accepted.description.hasPrefix("accepted\n"))
    #expect(accepted.description.contains("certificateInvalid(x5c[1].signature)"), "\(accepted)")
    #expect(accepted.description.contains("by root[1]"), "\(accepted)")
    world.roots = { _ in [other, other] }
    let refused = try world.trust().explain(world.chain(world))
    #expect(refused.refusals.map(\.name) == ["x5c[1].signature"])
    #expect(refused.description.contains("by root[0]") && refused.description.contains("by root[1]"), "\(refused)")
  }

  @Test("roots are given, whole and authorities")
  func roots() throws {
    #expect(refusal { _ = try CertificateTrust(roots: []) } == "callerMisuse(roots)")
    #expect(refusal { _ = try CertificateTrust(roots: [[0x30]]) } == "certificateInvalid(root[0].encoding)")
    #expect(
      refusal { _ = try CertificateTrust(roots: [world.leaf.certificate, [0x30]]) }
        == "certificateInvalid(root[0].basicConstraints)")
    var trust = try world.trust()
    trust.extendedKeyUsage = "timestamps"
    #expect(refusal { _ = try trust.validate(world.chain(world)) } == "callerMisuse(extendedKeyUsage)")
  }

  @Test("a list of roots keeps those that can be used, and says why the rest can't")
  func unusableRoots() throws {
    var unknownCurve = world.root
    unknownCurve.publicKey = DER.element(
      0x30, DER.algorithm("1.2.840.10045.2.1", DER.identifier("1.3.132.0.10")), DER.element(0x03, [0, 4]))
    var short = world.root
    let modulus = DER.element(0x02, [0], [UInt8](repeating: 0xFF, count: 128))
    let key = DER.element(0x30, modulus, DER.element(0x02, [1, 0, 1]))
    short.publicKey = DER.element(
      0x30, DER.algorithm("1.2.840.113549.1.1.1", DER.null), DER.element(0x03, [0], key))
    var critical = world.root
    critical.extensions.append(DER.ext("1.2.3.4", critical: DER.critical, [1]))
    let unusable: [([UInt8], String)] = [
      (unknownCurve.certificate, "subjectPublicKeyInfo"), (short.certificate, "subjectPublicKeyInfo"),
      ([0x30], "encoding"), ([], "encoding"), (world.leaf.certificate, "basicConstraints"),
      (critical.certificate, "extensions"),
    ]
    for position in 0...unusable.count {
      var roots = unusable.map(\.0)
      roots.insert(world.root.certificate, at: position)
      let trust = try CertificateTrust(roots: roots, clock: .fixed(at: NumericDate(world.now)))
      let names = unusable.indices.map { "root[\($0 + ($0 < position ? 0 : 1))].\(unusable[$0].1)" }
      #expect(trust.unusableRoots.map(\.name) == names)
      #expect(trust.unusableRoots.allSatisfy { $0.code == .certificateInvalid })
      #expect(throws: Never.self) { try trust.validate(world.chain(world)) }
    }
    #expect(
      refusal { _ = try CertificateTrust(roots: unusable.map(\.0)) }
        == "certificateInvalid(root[0].subjectPublicKeyInfo)")
    #expect(try world.trust().unusableRoots.isEmpty)
  }

  @Test("the path ends at the root, and certificates after the root are ignored")
  func end() throws {
    let (certificates, root) = (world.chain(world), world.root.certificate)
    let trust = try CertificateTrust(roots: [root], clock: .fixed(at: NumericDate(world.now)))
    let chain = try trust.validate(certificates + [root, [1]])
    #expect(chain.certificates == certificates && chain.root == root)
  }

  @Test("PEM of several certificates, with any line ends and text around each", arguments: ["\n", "\r\n", "\r"])
  func pem(_ lineEnd: String) throws {
    func pem(_ certificate: [UInt8]) throws -> String {
      try LeafCertificate(derRepresentation: certificate).pemRepresentation.replacing("\n", with: lineEnd)
    }
    let clock = WallClock.fixed(at: NumericDate(world.now))
    let trust = try CertificateTrust(pemRoots: "Root:\(lineEnd)" + pem(world.root.certificate), clock: clock)
    let blocks = try world.chain(world).map(pem)
    #expect(
      try trust.validate(pemRepresentation: blocks.joined(separator: "issuer\(lineEnd)") + "end").certificates.count
        == 2)
    let mail = ["-----", "-----Original Message-----", "-----BEGIN PGP SIGNED MESSAGE-----", "----------", "-- "]
    let around = mail.map { $0 + lineEnd }.joined() + blocks[0] + mail.joined(separator: lineEnd) + lineEnd + blocks[1]
    #expect(try trust.validate(pemRepresentation: around + "-----").certificates.count == 2)
    for wrong in [
      "", "text", "-----", blocks[0] + "-----BEGIN CERTIFICATE-----", blocks[0] + "-----END CERTIFICATE-----",
      blocks[0] + blocks[1].replacing("-----BEGIN CERTIFICATE-----", with: "-----BEGIN CERTIFICATE----"),
      blocks[0].replacing("CERTIFICATE", with: "TRUSTED CERTIFICATE"),
    ] {
      #expect(refusal { _ = try trust.validate(pemRepresentation: wrong) } == "malformed(x5c)")
    }
    let many = String(repeating: blocks[0], count: 11)
    #expect(refusal { _ = try trust.validate(pemRepresentation: many) } == "limitExceeded(certificateCount)")
  }

  // MARK: Other algorithms

  private static let rsa = try? AnyRSAPrivateKey(bitCount: 2048)

  /// The parameters of PSS with SHA-256, some of which a test may replace.
  private func pss(
    hash: [UInt8] = DER.algorithm("2.16.840.1.101.3.4.2.1"), maskHash: [UInt8]? = nil, salt: UInt8 = 32,
    more: [UInt8] = []
  ) -> [UInt8] {
    let mask = DER.algorithm("1.2.840.113549.1.1.8", maskHash ?? hash)
    return DER.algorithm(
      "1.2.840.113549.1.1.10",
      DER.element(
        0x30, DER.element(0xA0, hash), DER.element(0xA1, mask), DER.element(0xA2, [0x02, 1, salt]), more))
  }

  @Test("authorities with RSA keys: PKCS#1 v1.5 and PSS, with the parameters that are good and those that aren't")
  func rsa() throws {
    let key = try #require(Self.rsa)
    func refused(
      _ algorithm: [UInt8], _ padding: RSASignaturePadding = .pss, _ function: some SHA2Function = SHA2.SHA256()
    ) -> String {
      var world = world
      world.authority.publicKey = key.publicKey.derRepresentation
      world.leaf.innerAlgorithm = algorithm
      world.leaf.sign = { body in
        (try? key.signature(for: body, padding: padding, function: type(of: function))) ?? []
      }
      let changed = world
      return refusal { _ = try changed.validate() }
    }
    let wrongAlgorithm = "certificateInvalid(x5c[0].signatureAlgorithm)"
    let wrongSignature = "certificateInvalid(x5c[0].signature)"
    let pkcs1 = DER.algorithm("1.2.840.113549.1.1.11", DER.null)
    #expect(refused(pkcs1, .pkcs1v15) == "accepted")
    #expect(refused(DER.algorithm("1.2.840.113549.1.1.12", DER.null), .pkcs1v15, SHA2.SHA384()) == "accepted")
    #expect(refused(DER.algorithm("1.2.840.113549.1.1.13", DER.null), .pkcs1v15, SHA2.SHA512()) == "accepted")
    // Absent parameters are to be accepted (RFC 4055 §5), others are not.
    #expect(refused(DER.algorithm("1.2.840.113549.1.1.11"), .pkcs1v15) == "accepted")
    #expect(refused(DER.algorithm("1.2.840.113549.1.1.11", [0x02, 1, 1]), .pkcs1v15) == wrongAlgorithm)
    #expect(refused(pkcs1, .pss) == wrongSignature)
    #expect(refused(pss()) == "accepted")
    #expect(refused(pss(hash: DER.algorithm("2.16.840.1.101.3.4.2.1", DER.null))) == "accepted")
    #expect(
      refused(pss(hash: DER.algorithm("2.16.840.1.101.3.4.2.2"), salt: 48), .pss, SHA2.SHA384()) == "accepted")
    #expect(
      refused(pss(hash: DER.algorithm("2.16.840.1.101.3.4.2.3"), salt: 64), .pss, SHA2.SHA512()) == "accepted")
    #expect(refused(pss(), .pkcs1v15) == wrongSignature)
    #expect(refused(pss(hash: DER.algorithm("2.16.840.1.101.3.4.2.2"), salt: 48)) == wrongSignature)
    #expect(refused(pss(maskHash: DER.algorithm("2.16.840.1.101.3.4.2.2"))) == wrongAlgorithm)
    #expect(refused(pss(hash: DER.algorithm("1.3.14.3.2.26"))) == wrongAlgorithm)
    #expect(refused(pss(salt: 0)) == wrongAlgorithm)
    #expect(refused(pss(salt: 20)) == wrongAlgorithm)
    #expect(refused(pss(more: DER.element(0xA3, [0x02, 1, 1]))) == wrongAlgorithm)
    #expect(refused(pss(more: DER.element(0xA3, [0x02, 1, 2]))) == wrongAlgorithm)
    #expect(refused(DER.algorithm("1.2.840.113549.1.1.10")) == wrongAlgorithm)
    #expect(refused(DER.algorithm("1.2.840.113549.1.1.10", DER.element(0x30))) == wrongAlgorithm)
  }

  @Test("an authority with an Ed25519 key, one on P-521 and one on secp256k1")
  func otherKeys() throws {
    var world = world
    let edwards = Ed25519PrivateKey()
    world.authority.publicKey = edwards.publicKey.derRepresentation
    world.leaf.innerAlgorithm = DER.algorithm("1.3.101.112")
    world.leaf.sign = { edwards.signature(for: $0) }
    #expect(throws: Never.self) { try world.validate() }
    world.leaf.spoilSignature = { $0[40] ^= 1 }
    #expect(refusal { _ = try world.validate() } == "certificateInvalid(x5c[0].signature)")
    world.purpose = .attestation
    #expect(refusal { _ = try world.validate() } == "certificateInvalid(x5c[0].signatureAlgorithm)")
    let p521 = P521PrivateKey()
    var large = CertificateWorld.shared
    large.authority.publicKey = p521.publicKey.derRepresentation
    large.leaf.innerAlgorithm = DER.algorithm("1.2.840.10045.4.3.4")
    large.leaf.sign = { p521.signature(for: $0).derRepresentation }
    #expect(throws: Never.self) { try large.validate() }
    large.purpose = .attestation
    #expect(refusal { _ = try large.validate() } == "certificateInvalid(x5c[1].subjectPublicKeyInfo)")
    let secp256k1 = Secp256k1PrivateKey()
    var other = CertificateWorld.shared
    other.authority.publicKey = secp256k1.publicKey.derRepresentation
    other.leaf.sign = { secp256k1.signature(for: $0).derRepresentation }
    #expect(throws: Never.self) { try other.validate() }
    other.leaf.spoilSignature = { $0[40] ^= 1 }
    #expect(refusal { _ = try other.validate() } == "certificateInvalid(x5c[0].signature)")
    other.leaf.spoilSignature = { _ in }
    other.purpose = .attestation
    #expect(refusal { _ = try other.validate() } == "certificateInvalid(x5c[1].subjectPublicKeyInfo)")
  }

  @Test(
    "a chain with keys of ML-DSA throughout: root, authority and leaf",
    arguments: [MLDSAParameterSet.mlDSA44, .mlDSA65, .mlDSA87])
  func mlDSA(_ set: MLDSAParameterSet) throws {
    let (root, authority, leaf) = (MLDSASigningKey(set), MLDSASigningKey(set), MLDSASigningKey(set))
    let lasts: [MLDSAParameterSet: Int] = [.mlDSA44: 17, .mlDSA65: 18, .mlDSA87: 19]
    let algorithm = DER.algorithm("2.16.840.1.101.3.4.3.\(lasts[set] ?? 0)")
    var world = world
    world.root.publicKey = root.publicKey.derRepresentation
    world.authority.publicKey = authority.publicKey.derRepresentation
    world.leaf.publicKey = leaf.publicKey.derRepresentation
    world.authority.innerAlgorithm = algorithm
    world.leaf.innerAlgorithm = algorithm
    world.authority.sign = { (try? root.signature(for: $0)) ?? [] }
    world.leaf.sign = { (try? authority.signature(for: $0)) ?? [] }
    let own = JWK(.privateKey(.mlDSA(leaf)))
    let key = try SigningKey(own)
    // Signatures are hedged: what is sent is made once.
    let certificates = world.chain(world)
    let token = try JWS.sign([1, 2], with: key, header: HeaderParameters(certificates: certificates))
    let chain = try world.trust().validate(UnverifiedJWS(parsing: token).unverifiedHeader)
    #expect(try chain.publicKey.thumbprint() == own.thumbprint() && chain.publicKey.keyType == .akp)
    #expect(try JWS.verify(token, with: VerificationKey(chain.publicKey)).payload == [1, 2])
    let x5c: JSONValue = .array(certificates.map { .string(Base64.encode($0)) })
    let published = JWK(.publicKey(.mlDSA(leaf.publicKey)), otherMembers: ["x5c": x5c])
    #expect(try world.trust().validate(published).publicKey.algorithm == key.algorithm.name)
    world.purpose = .attestation
    #expect(refusal { _ = try world.validate() } == "certificateInvalid(x5c[0].subjectPublicKeyInfo)")
  }

  @Test("chains with ML-DSA in which one thing is wrong")
  func wrongMLDSA() throws {
    let authority = MLDSASigningKey(.mlDSA65)
    var world = world
    world.authority.publicKey = authority.publicKey.derRepresentation
    world.leaf.innerAlgorithm = DER.algorithm("2.16.840.1.101.3.4.3.18")
    world.leaf.sign = { (try? authority.signature(for: $0)) ?? [] }
    #expect(throws: Never.self) { try world.validate() }
    func refused(_ change: (inout CertificateWorld) -> Void) -> String {
      var changed = world
      change(&changed)
      return refusal { _ = try changed.validate() }
    }
    #expect(refused { $0.leaf.spoilSignature = { $0[40] ^= 1 } } == "certificateInvalid(x5c[0].signature)")
    #expect(refused { $0.leaf.spoilSignature = { $0[3308] ^= 1 } } == "certificateInvalid(x5c[0].signature)")
    #expect(
      refused { $0.leaf.spoilSignature = { $0 = Array($0.dropLast()) } } == "certificateInvalid(x5c[0].signature)")
    #expect(refused { $0.leaf.spoilBody = { $0[11] ^= 1 } } == "certificateInvalid(x5c[0].signature)")
    // Signed with a context, which certificates don't have.
    let context: [UInt8] = [1]
    #expect(
      refused { $0.leaf.sign = { (try? authority.signature(for: $0, context: context)) ?? [] } }
        == "certificateInvalid(x5c[0].signature)")
    for (name, expected) in [
      // Another parameter set than the key's; a digest of the message signed; NULL as parameters.
      (DER.algorithm("2.16.840.1.101.3.4.3.17"), "certificateInvalid(x5c[0].signature)"),
      (DER.algorithm("2.16.840.1.101.3.4.3.33"), "certificateInvalid(x5c[0].signatureAlgorithm)"),
      (DER.algorithm("2.16.840.1.101.3.4.3.18", DER.null), "certificateInvalid(x5c[0].signatureAlgorithm)"),
    ] {
      #expect(refused { $0.leaf.innerAlgorithm = name } == expected)
    }
    let stranger = MLDSASigningKey(.mlDSA65).publicKey.derRepresentation
    #expect(refused { $0.authority.publicKey = stranger } == "certificateInvalid(x5c[0].signature)")
    #expect(
      refused { $0.authority.publicKey = DER.element(0x30, DER.element(0x30), DER.element(0x03, [0])) }
        == "certificateInvalid(x5c[1].subjectPublicKeyInfo)")
  }

  @Test("no changed octet of a leaf is accepted, and none traps")
  func changedOctets() throws {
    let trust = try world.trust()
    var chain = world.chain(world)
    for index in chain[0].indices {
      for change: UInt8 in [1, 0x80] {
        chain[0][index] ^= change
        #expect((try? trust.validate(chain)) == nil)
        chain[0][index] ^= change
      }
    }
    #expect(throws: Never.self) { try trust.validate(chain) }
  }
}
