import PureCrypto
import PureJOSETestSupport
import Testing

/// What a key file is, by its label, its tags and its object identifiers.
@Suite("Key files") struct KeyFileTests {
  private func refusal(_ body: () throws -> Void) -> CryptoError? {
    do {
      try body()
      return nil
    } catch {
      return error as? CryptoError
    }
  }

  private func publicKey(_ file: KeyFile) -> PublicKey {
    switch file {
    case .publicKey(let key): key
    case .privateKey(let key): key.publicKey
    }
  }

  private func read(der bytes: [UInt8]) throws -> KeyFile {
    try bytes.withUnsafeBytes { try KeyFile(derRepresentation: $0) }
  }

  /// What `openssl ecparam -name prime256v1 -genkey` writes.
  static let parameters = "-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n"
  static let otherParameters = "-----BEGIN EC PARAMETERS-----\nBgUrgQQAIg==\n-----END EC PARAMETERS-----\n"
  /// SEC 1 without parameters and public key.
  static let bareKey = """
    -----BEGIN EC PRIVATE KEY-----
    MCUCAQEEIMmvqdhFunUWa1whV2ex1pNOUMPbNuibEnuKYisSD2ch
    -----END EC PRIVATE KEY-----

    """

  @Test("every kind of key, in PEM and in DER")
  func everyKind() throws {
    let keys: [PrivateKey] = [
      .ec(AnyECPrivateKey(.p256)), .ec(AnyECPrivateKey(.p384)), .ec(AnyECPrivateKey(.p521)),
      .ec(AnyECPrivateKey(.secp256k1)),
      .ed25519(Ed25519PrivateKey()), .x25519(X25519PrivateKey()), .rsa(try AnyRSAPrivateKey(bitCount: 2048)),
      .mlDSA(MLDSASigningKey(.mlDSA44)), .mlDSA(MLDSASigningKey(.mlDSA65)), .mlDSA(MLDSASigningKey(.mlDSA87)),
    ]
    for key in keys {
      let der = try #require(key.derRepresentation).withUnsafeBytes { Array($0) }
      guard case .privateKey(let copy) = try read(der: der) else { throw NotTheKind() }
      #expect(copy.publicKey == key.publicKey)
      guard case .privateKey(let copy) = try KeyFile(pemRepresentation: #require(key.pemRepresentation)) else {
        throw NotTheKind()
      }
      #expect(copy.publicKey == key.publicKey)
      guard case .publicKey(let copy) = try read(der: #require(key.publicKey.derRepresentation)) else {
        throw NotTheKind()
      }
      #expect(copy == key.publicKey)
      guard case .publicKey(let copy) = try KeyFile(pemRepresentation: #require(key.publicKey.pemRepresentation)) else {
        throw NotTheKind()
      }
      #expect(copy == key.publicKey)
      guard case .rsa(let rsa) = key else { continue }
      #expect(try publicKey(read(der: rsa.publicKey.pkcs1Representation)) == .rsa(rsa.publicKey))
    }
  }

  /// RFC 7468 §2: data before the block is permitted.
  @Test(arguments: [
    "Bag Attributes\n    friendlyName: k\nKey Attributes: <No Attributes>\n", "x\n", "\u{FEFF}", "\u{FEFF}\n", "----\n",
    "\n\n",
    "a key of P-256, mine\r\n", "----BEGIN PUBLIC KEY-----\n",
  ])
  func textBefore(_ text: String) throws {
    let key = try P256PublicKey(pemRepresentation: PEMTests.publicKey)
    #expect(try P256PublicKey(pemRepresentation: text + PEMTests.publicKey) == key)
    #expect(try publicKey(KeyFile(pemRepresentation: text + PEMTests.privateKey)) == .ec(.p256(key)))
  }

  /// RFC 7468 §2: parsers skip data after the block as they skip what stands before it.
  @Test(arguments: [
    "x", "\n# rotated in March\r\n", "----BEGIN PUBLIC KEY-----\n", "----- END -----".replacing("-----", with: "----"),
  ])
  func textAfter(_ text: String) throws {
    let key = try P256PublicKey(pemRepresentation: PEMTests.publicKey)
    #expect(try P256PublicKey(pemRepresentation: PEMTests.publicKey + text) == key)
    #expect(try publicKey(KeyFile(pemRepresentation: PEMTests.privateKey + text)) == .ec(.p256(key)))
  }

  static let certificate = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"

  @Test("a private key may have its certificates in its file, before and after it")
  func keyWithCertificate() throws {
    let key = try P256PublicKey(pemRepresentation: PEMTests.publicKey)
    let chain = "subject=/CN=a\n" + Self.certificate + "\n" + Self.certificate
    for block in [PEMTests.privateKey, PEMTests.ecPrivateKey, Self.parameters + PEMTests.ecPrivateKey] {
      for text in [chain + block, block + chain, chain + block + "key\n" + chain, block + chain + "end"] {
        #expect(try P256PrivateKey(pemRepresentation: text).publicKey == key)
        #expect(try publicKey(KeyFile(pemRepresentation: text)) == .ec(.p256(key)))
      }
    }
    // Two keys, or a public key beside a certificate that may be for another: nobody can tell which is meant.
    for (text, reason) in [
      (PEMTests.privateKey + chain + PEMTests.privateKey, "more than one key"),
      (PEMTests.privateKey + PEMTests.publicKey, "more than one key"),
      (PEMTests.publicKey + Self.certificate, "certificate"), (Self.certificate + PEMTests.publicKey, "certificate"),
      (Self.certificate, "certificate"), ("MIIB", "BEGIN"), ("", "empty"),
      (PEMTests.privateKey.replacing("PRIVATE KEY", with: "OPENSSH PRIVATE KEY"), "ssh-keygen"),
      (PEMTests.privateKey.replacing("END PRIVATE", with: "END PUBLIC"), "END"),
    ] {
      let refusal = refusal { _ = try KeyFile(pemRepresentation: text) }
      #expect(refusal?.code == .malformedPEM && refusal?.reason.contains(reason) == true, "\(refusal?.reason ?? "")")
    }
  }

  @Test("a key encrypted as RFC 1421 says is refused with the word for what to do, with a password as without")
  func procType() {
    for label in ["EC", "RSA", "DSA"] {
      let text = PEMTests.ecPrivateKey.replacing("EC PRIVATE", with: "\(label) PRIVATE").replacing(
        "KEY-----\nMH", with: "KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\nMH")
      for refusal in [
        refusal { _ = try KeyFile(pemRepresentation: text) },
        refusal { _ = try P256PrivateKey(pemRepresentation: text) },
        refusal {
          _ = try KeyFile(
            encryptedPEMRepresentation: text, password: SecretBytes(copying: [1]), maximumIterationCount: 1)
        },
      ] {
        #expect(refusal?.code == .unsupportedKey && refusal?.reason.contains("openssl pkcs8 -topk8") == true)
      }
    }
  }

  @Test(arguments: [
    "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
    "-----BEGIN PUBLIC KEY-----\n", "-----END PUBLIC KEY-----\n", "text before, in the same line ",
  ])
  func notJustTextBefore(_ text: String) {
    #expect(refusal { _ = try P256PublicKey(pemRepresentation: text + PEMTests.publicKey) }?.code == .malformedPEM)
    #expect(refusal { _ = try KeyFile(pemRepresentation: text + PEMTests.publicKey) }?.code == .malformedPEM)
  }

  @Test("EC PARAMETERS before an elliptic curve key, and nowhere else")
  func ellipticCurveParameters() throws {
    let key = try P256PublicKey(pemRepresentation: PEMTests.publicKey)
    for text in [Self.parameters + PEMTests.ecPrivateKey, Self.parameters + "\n\n" + Self.bareKey] {
      #expect(try P256PrivateKey(pemRepresentation: text).publicKey == key)
      #expect(try publicKey(KeyFile(pemRepresentation: text)) == .ec(.p256(key)))
      #expect(try publicKey(KeyFile(pemRepresentation: "openssl\n" + text)) == .ec(.p256(key)))
      #expect(refusal { _ = try P384PrivateKey(pemRepresentation: text) }?.code == .unsupportedKey)
    }
    #expect(refusal { _ = try P256PrivateKey(pemRepresentation: Self.bareKey) }?.code == .unsupportedKey)
    // The curve that the key names itself must be the same.
    let contradictory = Self.otherParameters + PEMTests.ecPrivateKey
    #expect(refusal { _ = try P256PrivateKey(pemRepresentation: contradictory) }?.code == .unsupportedKey)
    for text in [
      Self.parameters, Self.parameters + PEMTests.privateKey, Self.parameters + PEMTests.publicKey,
      PEMTests.ecPrivateKey + Self.parameters, Self.parameters + Self.parameters + PEMTests.ecPrivateKey,
    ] {
      #expect(refusal { _ = try KeyFile(pemRepresentation: text) }?.code == .malformedPEM)
      #expect(refusal { _ = try P256PrivateKey(pemRepresentation: text) }?.code == .malformedPEM)
    }
    let notAName = Self.parameters.replacing("BggqhkjOPQMBBw==", with: "BQA=")
    #expect(refusal { _ = try KeyFile(pemRepresentation: notAName + PEMTests.ecPrivateKey) }?.code == .unsupportedKey)
    let cutOff = Self.parameters.replacing("BggqhkjOPQMBBw==", with: "BggqhkjOPQMB")
    #expect(refusal { _ = try KeyFile(pemRepresentation: cutOff + PEMTests.ecPrivateKey) }?.code == .malformedDER)
  }

  /// RFC 8410 §10.3: version 2, with attributes and the public key.
  static let withAttributes = """
    -----BEGIN PRIVATE KEY-----
    MHICAQEwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC
    oB8wHQYKKoZIhvcNAQkJFDEPDA1DdXJkbGUgQ2hhaXJzgSEAGb9ECWmEzf6FQbrB
    Z9w7lshQhqowtrbLDFw4rXAxZuE=
    -----END PRIVATE KEY-----
    """

  /// Version 2 as ring 0.16 and older write it: the tag [1] stands around the BIT STRING instead of in its place.
  static let ofRing =
    "3053020101300506032b6570042204203a133dabada2aa9ce54b0961cc3f1576b0943dc86ebf72a56e052c43f30fa3a5a123032100"
    + "a3a7eae3a8373830bc47e1167bc50e1db551999651e0e2dc587623438eac3f31"

  @Test("an Ed25519 key may have attributes and its public key beside it, in RFC 5958's form and in ring's")
  func publicKeyBesideEd25519() throws {
    let standard = try Ed25519PrivateKey(pemRepresentation: Self.withAttributes)
    #expect(
      try publicKey(KeyFile(pemRepresentation: Self.withAttributes)) == .ed25519(standard.publicKey)
        && standard.publicKey.rawRepresentation
          == hex("19bf44096984cdfe8541bac167dc3b96c85086aa30b6b6cb0c5c38ad703166e1")
    )
    let ring = try hex(Self.ofRing)
    let key = try Ed25519PrivateKey(derRepresentation: ring)
    #expect(key.publicKey.rawRepresentation == Array(ring.suffix(32)))
    #expect(try publicKey(read(der: ring)) == .ed25519(key.publicKey))
    // The same key by RFC 5958, and without a public key.
    let private48 = Array(ring[2..<48])
    let standardForm = [0x30, 0x51] + private48 + [0x81, 0x21, 0] + ring.suffix(32)
    #expect(try Ed25519PrivateKey(derRepresentation: standardForm).publicKey == key.publicKey)
    let attributes: [UInt8] = [0xA0, 2, 0x31, 0]
    for version: UInt8 in [0, 1] {
      var info = private48
      info[2] = version
      #expect(try Ed25519PrivateKey(derRepresentation: [0x30, 0x2E] + info).publicKey == key.publicKey)
      #expect(try Ed25519PrivateKey(derRepresentation: [0x30, 0x32] + info + attributes).publicKey == key.publicKey)
    }
    #expect(
      try Ed25519PrivateKey(derRepresentation: [0x30, 0x57] + private48 + attributes + ring.suffix(37)).publicKey
        == key.publicKey)
  }

  @Test("a public key beside an Ed25519 key must be its own, stand in version 2 and be the only one")
  func wrongPublicKeyBesideEd25519() throws {
    let ring = try hex(Self.ofRing)
    let standardForm = [0x30, 0x51] + ring[2..<48] + [0x81, 0x21, 0] + ring.suffix(32)
    let other = Ed25519PrivateKey().publicKey.rawRepresentation
    for file in [ring, standardForm] {
      let foreign = refusal { _ = try Ed25519PrivateKey(derRepresentation: file.dropLast(32) + other) }
      #expect(foreign?.code == .invalidPrivateKey && foreign?.reason.contains("belongs to another") == true)
      var first = file
      first[4] = 0
      let refused = refusal { _ = try Ed25519PrivateKey(derRepresentation: first) }
      #expect(refused?.code == .malformedDER && refused?.reason.contains("version 2") == true)
    }
    let twice = [0x30, 0x76] + ring.dropFirst(2) + [0x81, 0x21, 0] + ring.suffix(32)
    #expect(refusal { _ = try Ed25519PrivateKey(derRepresentation: twice) }?.code == .malformedDER)
    let withMore = [0x30, 0x55] + ring[2..<48] + [0xA1, 0x25] + ring.suffix(35) + [5, 0]
    #expect(refusal { _ = try Ed25519PrivateKey(derRepresentation: withMore) }?.code == .malformedDER)
    let empty = [0x30, 0x30] + ring[2..<48] + [0xA1, 0]
    #expect(refusal { _ = try Ed25519PrivateKey(derRepresentation: empty) }?.code == .malformedDER)
    // Only Ed25519 keys have ring's form.
    var exchange = ring
    exchange[11] = 0x6E
    #expect(refusal { _ = try X25519PrivateKey(derRepresentation: exchange) }?.code == .malformedDER)
  }

  @Test("what is not supported is named")
  func unsupported() throws {
    // EncryptedPrivateKeyInfo with PBES2, its ciphertext four octets long.
    let encrypted = try hex("3017300f06092a864886f70d01050d30020500" + "040401020304")
    let block = PEMBlock(label: PEMLabel("ENCRYPTED PRIVATE KEY"), contents: SecretBytes(copying: encrypted)).text
    let traditional = PEMTests.ecPrivateKey.replacing(
      "KEY-----\nMH", with: "KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\nMH")
    let texts = [block, traditional]
    for text in texts {
      #expect(refusal { _ = try KeyFile(pemRepresentation: text) }?.reason.contains("encrypted") == true)
      #expect(refusal { _ = try P256PrivateKey(pemRepresentation: text) }?.code == .unsupportedKey)
    }
    #expect(refusal { _ = try AnyRSAPrivateKey(pemRepresentation: block) }?.code == .unsupportedKey)
    #expect(refusal { _ = try P256PublicKey(pemRepresentation: block) }?.code == .malformedPEM)
    #expect(refusal { _ = try read(der: encrypted) }?.reason.contains("encrypted") == true)
    #expect(refusal { _ = try P256PrivateKey(derRepresentation: encrypted) }?.code == .unsupportedKey)
    #expect(refusal { _ = try Ed25519PrivateKey(derRepresentation: encrypted) }?.code == .unsupportedKey)
    // id-RSASSA-PSS, brainpoolP256r1, a point of P-256 on secp256k1, DSA.
    let pss = try hex("3012300b06092a864886f70d01010a0303003000")
    #expect(refusal { _ = try read(der: pss) }?.reason.contains("RSASSA-PSS") == true)
    #expect(refusal { _ = try AnyRSAPublicKey(derRepresentation: pss) }?.code == .unsupportedKey)
    let otherCurve = try hex("305a301406072a8648ce3d020106092b2403030208010107034200" + P256KeyDERTests.point)
    #expect(refusal { _ = try read(der: otherCurve) }?.reason.contains("curve") == true)
    #expect(refusal { _ = try read(der: otherCurve) }?.code == .unsupportedKey)
    let otherPoint = try hex("3056301006072a8648ce3d020106052b8104000a034200" + P256KeyDERTests.point)
    #expect(refusal { _ = try read(der: otherPoint) }?.code == .invalidPublicKey)
    let dsa = try hex("3011300906072a8648ce3804010304000201" + "01")
    #expect(refusal { _ = try read(der: dsa) }?.code == .unsupportedKey)
  }

  @Test("whatever is cut off or changed is refused or the same kind of key")
  func hostileInput() throws {
    let files = try [
      Ed25519PrivateKey().derRepresentation.withUnsafeBytes { Array($0) }, P256PrivateKey().publicKey.derRepresentation,
      hex(P256KeyDERTests.sec1), hex(P256KeyDERTests.pkcs8),
    ]
    for file in files {
      for count in file.indices { #expect(refusal { _ = try read(der: Array(file[..<count])) } != nil) }
      for index in file.indices {
        for bit in 0..<8 {
          var changed = file
          changed[index] ^= 1 << UInt8(bit)
          _ = try? read(der: changed)
        }
      }
    }
  }
}

private struct NotTheKind: Error {}
