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
      .ed25519(Ed25519PrivateKey()), .x25519(X25519PrivateKey()), .rsa(try AnyRSAPrivateKey(bitCount: 2048)),
    ]
    for key in keys {
      let der = try #require(key.derRepresentation).withUnsafeBytes { Array($0) }
      guard case .privateKey(let copy) = try read(der: der) else { throw NotTheKind() }
      #expect(copy.publicKey == key.publicKey)
      guard case .privateKey(let copy) = try KeyFile(pemRepresentation: #require(key.pemRepresentation)) else {
        throw NotTheKind()
      }
      #expect(copy.publicKey == key.publicKey)
      guard case .publicKey(let copy) = try read(der: key.publicKey.derRepresentation) else { throw NotTheKind() }
      #expect(copy == key.publicKey)
      guard case .publicKey(let copy) = try KeyFile(pemRepresentation: key.publicKey.pemRepresentation) else {
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
    "-----BEGIN PUBLIC KEY-----\n", "text before, in the same line ",
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
    // id-RSASSA-PSS, secp256k1, DSA.
    let pss = try hex("3012300b06092a864886f70d01010a0303003000")
    #expect(refusal { _ = try read(der: pss) }?.reason.contains("RSASSA-PSS") == true)
    #expect(refusal { _ = try AnyRSAPublicKey(derRepresentation: pss) }?.code == .unsupportedKey)
    let otherCurve = try hex("3056301006072a8648ce3d020106052b8104000a034200" + P256KeyDERTests.point)
    #expect(refusal { _ = try read(der: otherCurve) }?.reason.contains("curve") == true)
    #expect(refusal { _ = try read(der: otherCurve) }?.code == .unsupportedKey)
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
