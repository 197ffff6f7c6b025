import StrictJSON

/// The two families of files with an envelope. They name their groups alike, but not everything in them.
enum VectorSchema {
  /// The package's own files, of schema `jose_vectors_v1`.
  case own
  /// Wycheproof's own schemas, one for each group type.
  case wycheproof

  init(name: String) throws(VectorFault) {
    if name == "jose_vectors_v1" {
      self = .own
    } else if name.hasSuffix("_schema_v1.json") || name.hasSuffix("_schema.json") {
      self = .wycheproof
    } else {
      throw .unknown("schema \(name)")
    }
  }

  /// Reads the members of a file that say where it comes from.
  func readPreamble(of file: MemberReader, notes: JSONObject) throws(VectorFault) {
    switch self {
    case .own:
      let source = try file.jsonObject("source")
      for (name, value) in source.members + notes.members where value.stringValue == nil {
        throw .malformed("member \(name) is not a text")
      }
    case .wycheproof:
      _ = try file.strings(ifPresent: "header")
      _ = try file.string(ifPresent: "generatorVersion")
      for (name, value) in notes.members {
        guard let note = value.objectValue else { throw .malformed("member \(name) is not an object") }
        let reader = MemberReader(note)
        _ = try reader.string("bugType")
        _ = try reader.string(ifPresent: "description")
        _ = try reader.string(ifPresent: "effect")
        _ = try reader.strings(ifPresent: "cves")
        _ = try reader.strings(ifPresent: "links")
        if let unread = reader.unread.first { throw .malformed("unread field \(unread) of the note \(name)") }
      }
    }
  }

  /// Reads the members that every group of the family has.
  func readGroupPreamble(_ group: MemberReader) throws(VectorFault) {
    guard self == .wycheproof else { return }
    let source = try group.object("source")
    _ = try source.string("name")
    _ = try source.string("version")
  }

  /// The runner for a group.
  /// - Throws: ``VectorFault/notImplemented(_:)`` when the group, or its file, is about something that the package
  ///   doesn't have; ``VectorFault/malformed(_:)`` for a type that can't be told from a slip of the pen.
  func group(
    ofType type: String, reading group: MemberReader, in file: FileContext
  ) throws(VectorFault) -> any VectorGroup {
    if let known = groupTypes[type] { return try known.init(reading: group, in: file) }
    if let missing = Self.missing[type] { throw .notImplemented(missing) }
    // An unknown type is a mistake where the package claims the algorithm; Wycheproof has more types than the package.
    guard file.algorithm.isEmpty || Self.claimedAlgorithms.contains(file.algorithm) else {
      throw .notImplemented(file.algorithm)
    }
    switch self {
    case .own: throw .unknown("group type \(type)")
    case .wycheproof: throw .notImplemented("group type \(type)")
    }
  }

  /// The operation table.
  private var groupTypes: [String: any VectorGroup.Type] {
    switch self {
    case .own:
      [
        "Hash": HashGroup.self,
        "HashRepeated": HashRepeatedGroup.self,
        "HashMonteCarlo": HashMonteCarloGroup.self,
        "Xof": XOFGroup.self,
        "KemDecaps": KEMGroup.self,
        "MlKemAccumulated": MLKEMAccumulatedGroup.self,
        "HpkeContext": HPKEContextGroup.self,
        "HpkeAccumulated": HPKEAccumulatedGroup.self,
        "MlDsaAccumulated": MLDSAAccumulatedGroup.self,
        "MlKemKey": MLKEMKeyGroup.self,
        "MlKemEncapsulation": MLKEMEncapsulationGroup.self,
        "MlKemDecapsulation": MLKEMDecapsulationGroup.self,
        "MlKemExpandedKey": MLKEMExpandedKeyGroup.self,
        "MlDsaSign": MLDSASignGroup.self,
        "MlDsaVerify": MLDSAVerifyGroup.self,
        "MacTest": MacGroup.self,
        "AesBlock": AESBlockGroup.self,
        "AeadTest": AEADGroup.self,
        "AesCbc": AESCBCGroup.self,
        "KeywrapTest": KeyWrapGroup.self,
        "HkdfTest": HKDFGroup.self,
        "PbkdfTest": PBKDFGroup.self,
        "Pbes2KeyDerivation": PBES2KeyDerivationGroup.self,
        "EcdsaDeterministicSign": ECDSADeterministicSignGroup.self,
        "EcdsaSignWithK": ECDSASignWithNonceGroup.self,
        "EcdsaP1363Verify": ECDSAVerifyGroup.self,
        "EcdsaVerify": ECDSAVerifyGroup.self,
        "EcPublicKey": ECPublicKeyGroup.self,
        "EcKeyPair": ECKeyPairGroup.self,
        "EcPointEncoding": ECPointEncodingGroup.self,
        "EcdhTest": ECDHGroup.self,
        "RsassaPkcs1Verify": RSAPKCS1VerifyGroup.self,
        "RsassaPssVerify": RSAPSSVerifyGroup.self,
        "RsaesOaepDecrypt": RSAOAEPDecryptGroup.self,
        "XdhComp": X25519Group.self,
        "XdhIterated": X25519IteratedGroup.self,
        "EddsaVerify": Ed25519VerifyGroup.self,
        "EddsaSign": Ed25519SignGroup.self,
        "ConcatKdf": ConcatKDFGroup.self,
        "EcdhEsKeyAgreement": ECDHESGroup.self,
        "Base64Url": Base64URLGroup.self,
        "JwkImport": JWKImportGroup.self,
        "JwkThumbprint": JWKThumbprintGroup.self,
        "JwsSign": JWSSignGroup.self,
        "JwsVerify": JWSVerifyGroup.self,
        "JweDecrypt": JWEDecryptGroup.self,
        "JwtVerify": JWTVerifyGroup.self,
        "SdJwtVerify": SDJWTVerifyGroup.self,
        "StatusListDecode": StatusListDecodeGroup.self,
        "StatusListVerify": StatusListVerifyGroup.self,
        "DpopVerify": DPoPVerifyGroup.self,
        "LeafCertificate": LeafCertificateGroup.self,
        "CertificateHeader": CertificateHeaderGroup.self,
      ]
    case .wycheproof:
      [
        "MacTest": MacGroup.self,
        "AeadTest": AEADGroup.self,
        "KeywrapTest": KeyWrapGroup.self,
        "HkdfTest": HKDFGroup.self,
        "PbkdfTest": PBKDFGroup.self,
        "EcdsaVerify": WycheproofECDSAGroup.self,
        "EcdsaP1363Verify": WycheproofECDSAGroup.self,
        "EcdhTest": WycheproofECDHGroup.self,
        "EcdhEcpointTest": WycheproofECDHGroup.self,
        "EcdhWebcryptoTest": WycheproofECDHWebCryptoGroup.self,
        "RsassaPkcs1Verify": WycheproofRSAPKCS1Group.self,
        "RsassaPssVerify": WycheproofRSAPSSGroup.self,
        "RsaesOaepDecrypt": WycheproofRSAOAEPGroup.self,
        "XdhComp": X25519Group.self,
        "XdhJwkComp": WycheproofXDHJWKGroup.self,
        "EddsaVerify": WycheproofEd25519Group.self,
        "JsonWebKey": WycheproofKeySetGroup.self,
        "MlDsaSign": WycheproofMLDSASignGroup.self,
        "MlDsaVerify": WycheproofMLDSAVerifyGroup.self,
        "MLKEMTest": MLKEMDecapsulationGroup.self,
        "MLKEMEncapsTest": MLKEMEncapsulationGroup.self,
        "MLKEMKeyGen": MLKEMKeyGroup.self,
        "MLKEMDecapsValidationTest": WycheproofMLKEMExpandedKeyGroup.self,
      ]
    }
  }

  /// Group types of algorithms that the package doesn't have.
  private static let missing = [
    "RsaesPkcs1Decrypt": "RSAES-PKCS1-v1_5"
  ]

  /// What files call the algorithms of the table above.
  private static let claimedAlgorithms: Set<String> = [
    "SHA-2", "SHA-256", "SHA-384", "SHA-512", "SHA-3", "HMAC", "HMACSHA256", "HMACSHA384", "HMACSHA512", "AES",
    "AES-ECB",
    "AES-GCM", "AES-CBC", "AES-KW", "AES-WRAP", "AES_CBC_HMAC_SHA2", "HKDF-SHA-256", "PBKDF2", "PBKDF2-HMACSHA256",
    "CHACHA20-POLY1305",
    "RSASSA-PKCS1-v1_5", "RSASSA-PSS", "RSAES-OAEP", "X25519", "Ed25519", "EDDSA", "Concat KDF", "ECDSA", "ECDH",
    "EC keys", "ECDH-ES", "base64url", "JWK", "JWK thumbprint", "JWS", "JWE",
    "JWT", "SD-JWT", "JOSE", "DPoP", "X.509", "Platform SSO", "KEM", "ML-KEM", "HPKE",
    "ML-DSA", "ML-DSA-44", "ML-DSA-65", "ML-DSA-87",
  ]
}
