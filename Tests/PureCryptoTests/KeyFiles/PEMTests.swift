import PureCrypto
import PureJOSETestSupport
import Testing

@Suite("PEM") struct PEMTests {
  static let publicKey = """
    -----BEGIN PUBLIC KEY-----
    MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEYP7UuiVanTHJYet0xjVtaMBJuJI7
    Yfps5mliLmDyn7Z5A/4QCLi8maQa6elWKLxk8vGyDC1+n1F3o8KU1EYimQ==
    -----END PUBLIC KEY-----

    """
  static let privateKey = """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgya+p2EW6dRZrXCFX
    Z7HWk05Qw9s26JsSe4piKxIPZyGhRANCAARg/tS6JVqdMclh63TGNW1owEm4kjth
    +mzmaWIuYPKftnkD/hAIuLyZpBrp6VYovGTy8bIMLX6fUXejwpTURiKZ
    -----END PRIVATE KEY-----

    """
  static let ecPrivateKey = """
    -----BEGIN EC PRIVATE KEY-----
    MHcCAQEEIMmvqdhFunUWa1whV2ex1pNOUMPbNuibEnuKYisSD2choAoGCCqGSM49
    AwEHoUQDQgAEYP7UuiVanTHJYet0xjVtaMBJuJI7Yfps5mliLmDyn7Z5A/4QCLi8
    maQa6elWKLxk8vGyDC1+n1F3o8KU1EYimQ==
    -----END EC PRIVATE KEY-----

    """
  static let body = """
    MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEYP7UuiVanTHJYet0xjVtaMBJuJI7
    Yfps5mliLmDyn7Z5A/4QCLi8maQa6elWKLxk8vGyDC1+n1F3o8KU1EYimQ==
    """

  func code(_ body: () throws -> Void) -> CryptoError.Code? {
    do {
      try body()
      return nil
    } catch {
      return (error as? CryptoError)?.code
    }
  }

  @Test func keysBothWays() throws {
    let key = try P256PrivateKey(pemRepresentation: Self.privateKey)
    #expect(key.pemRepresentation == Self.privateKey)
    #expect(key.publicKey.pemRepresentation == Self.publicKey)
    #expect(try P256PublicKey(pemRepresentation: Self.publicKey) == key.publicKey)
    #expect(try P256PrivateKey(pemRepresentation: Self.ecPrivateKey).publicKey == key.publicKey)
    let expected = try hex(P256KeyDERTests.d)
    #expect(key.rawRepresentation.withUnsafeBytes { Array($0) } == expected)
  }

  /// KEY-10: what is accepted besides the canonical form.
  static let accepted: [String] = [
    publicKey.replacing("\n", with: "\r\n"), publicKey.replacing("\n", with: "\r"), "  \n\t" + publicKey,
    publicKey + "\r\n \n",
    String(publicKey.dropLast()), publicKey.replacing("\n", with: "\n  "), publicKey.replacing("\n", with: " \n"),
    "-----BEGIN PUBLIC KEY-----\n" + body.replacing("\n", with: "") + "\n-----END PUBLIC KEY-----",
    publicKey + "-----", publicKey + "-----BEGIN",
    "A title\n-------\n\n" + publicKey, "-----Original Message-----\n" + publicKey + "--\n-----\n",
    "\u{FEFF}" + publicKey, "\u{FEFF}-----\n" + publicKey,
    "-----BEGIN PGP SIGNED MESSAGE-----\n" + publicKey
      + "-----BEGIN PGP SIGNATURE-----\nx\n-----END PGP SIGNATURE-----",
    "-----BEGIN PUBLIC KEY-----\n" + body.replacing("g", with: "g\n") + "\n-----END PUBLIC KEY-----",
  ]

  @Test(arguments: accepted)
  func whiteSpace(_ text: String) throws {
    #expect(try P256PublicKey(pemRepresentation: text).pemRepresentation == Self.publicKey)
  }

  static let malformed: [String] = [
    "", " ", "-----BEGIN PUBLIC KEY-----", "-----END PUBLIC KEY-----",
    "-----BEGIN PUBLIC KEY----------END PUBLIC KEY-----", body,
    publicKey.replacing("BEGIN PUBLIC", with: "BEGIN PRIVATE"), publicKey.replacing("END PUBLIC", with: "END PRIVATE"),
    publicKey.replacing("BEGIN PUBLIC KEY", with: "BEGIN public key"), publicKey.replacing("BEGIN ", with: "BEGIN"),
    publicKey.replacing("PUBLIC KEY", with: "PRIVATE KEY"), publicKey.replacing("PUBLIC KEY", with: "RSA PUBLIC KEY"),
    publicKey.replacing("PUBLIC KEY", with: "PUBLIC  KEY"), publicKey.replacing("PUBLIC KEY", with: " PUBLIC KEY"),
    publicKey.replacing("-----B", with: "----B"), publicKey.replacing("KEY-----\n", with: "KEY----\n"),
    publicKey + publicKey, "x" + publicKey, "-----", publicKey + "-----BEGIN PUBLIC KEY-----",
    publicKey + " -----END PUBLIC KEY-----\n", "-----BEGIN PUBLIC KEY----\n" + publicKey,
    "-----BEGIN PRIVATE KEY----\nAAAA\n-----END PRIVATE KEY-----\n" + publicKey,
    "-----BEGIN PUBLIC KEY-----\n" + publicKey, publicKey + "x\n" + publicKey,
    publicKey.replacing("KEY-----\n", with: "KEY-----"), publicKey.replacing("\n-----END", with: "-----END"),
    publicKey.replacing("KEY-----\nMF", with: "KEY-----\nProc-Type: 4,ENCRYPTED\n\nMF"),
    publicKey.replacing("==", with: ""), publicKey.replacing("==", with: "="),
    publicKey.replacing("==", with: "==="), publicKey.replacing("==", with: "=A"),
    publicKey.replacing("mQ==", with: "mR=="), publicKey.replacing("mQ==", with: "m==="),
    publicKey.replacing("mQ==", with: "===="), publicKey.replacing("mQ==", with: "mQ==AAAA"),
    publicKey.replacing("/", with: "_"), publicKey.replacing("+", with: "-"), publicKey.replacing("MF", with: "M\u{0}"),
    publicKey.replacing("MF", with: "M\u{00e9}"), publicKey.replacing("A/4", with: "A\u{0b}/4"),
    publicKey.replacing("MFkw", with: "MFk="), publicKey.replacing("mQ==", with: "mQ=\n= ="),
  ]

  @Test(arguments: malformed)
  func malformedPublicKeys(_ text: String) {
    #expect(code { _ = try P256PublicKey(pemRepresentation: text) } == .malformedPEM)
    #expect(code { _ = try P256PrivateKey(pemRepresentation: text) } != nil)
  }

  @Test(
    "where there is no block, what looks most like one is named",
    arguments: [
      ("-----\ntext", "no PEM block"), (publicKey.replacing("BEGIN ", with: "BEGIN"), "no PEM block"),
      (publicKey.replacing("\n", with: "\\n"), "\\n written out"), (publicKey.replacing("\n", with: ""), "one line"),
      ("Title\n-----\n" + publicKey.replacing("\n", with: ""), "one line"), ("Title", "no PEM block"),
    ])
  func faults(_ text: String, _ expected: String) {
    let error = #expect(throws: CryptoError.self) { try P256PublicKey(pemRepresentation: text) }
    #expect(error.map { "\($0.text)".contains(expected) } == true, "\(error.map { "\($0.text)" } ?? "")")
  }

  @Test func labelsDecideTheStructure() {
    // A structure under the label of another is refused by its structure or by its label.
    let sec1AsPKCS8 = Self.ecPrivateKey.replacing("EC PRIVATE", with: "PRIVATE")
    let pkcs8AsSEC1 = Self.privateKey.replacing("PRIVATE", with: "EC PRIVATE")
    #expect(code { _ = try P256PrivateKey(pemRepresentation: sec1AsPKCS8) } == .malformedDER)
    #expect(code { _ = try P256PrivateKey(pemRepresentation: pkcs8AsSEC1) } == .malformedDER)
    #expect(code { _ = try P256PrivateKey(pemRepresentation: Self.publicKey) } == .malformedPEM)
    #expect(code { _ = try P256PublicKey(pemRepresentation: Self.privateKey) } == .malformedPEM)
    let empty = "-----BEGIN PUBLIC KEY-----\n-----END PUBLIC KEY-----\n"
    #expect(code { _ = try P256PublicKey(pemRepresentation: empty) } == .malformedDER)
  }

  /// Every truncation and every replaced character: a typed error, or the same key.
  @Test func hostileInput() throws {
    let bytes = Array(Self.privateKey.utf8)
    let key = try P256PrivateKey(pemRepresentation: Self.privateKey).publicKey
    for count in 0..<(bytes.count - 1) {
      let text = String(decoding: bytes[..<count], as: UTF8.self)
      #expect(code { _ = try P256PrivateKey(pemRepresentation: text) } == .malformedPEM)
    }
    for index in bytes.indices {
      for value: UInt8 in [0, 0x0a, 0x0d, 0x20, 0x2d, 0x3d, 0x41, 0x7f] where bytes[index] != value {
        var changed = bytes
        changed[index] = value
        let text = String(decoding: changed, as: UTF8.self)
        if let read = try? P256PrivateKey(pemRepresentation: text) {
          #expect(read.publicKey == key)
        }
      }
    }
  }

  /// Lengths that end a line, and all remainders modulo 3.
  @Test func blocksOfEveryLength() throws {
    for count in 0...200 {
      let contents = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 73 ^ count) }
      let text = PEMBlock(label: .certificate, contents: SecretBytes(copying: contents)).text
      let lines = text.split(separator: "\n")
      #expect(lines.first == "-----BEGIN CERTIFICATE-----" && lines.last == "-----END CERTIFICATE-----")
      #expect(lines.dropFirst().dropLast(2).allSatisfy { $0.count == 64 })
      let block = try PEMBlock(text, labels: [.publicKey, .certificate])
      #expect(block.label == .certificate)
      #expect(block.contents.withUnsafeBytes { Array($0) } == contents)
    }
  }

  /// RFC 4648 §10.
  @Test(arguments: [("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE=")])
  func base64(_ contents: String, _ encoded: String) throws {
    let text = "-----BEGIN CERTIFICATE-----\n\(encoded)\n-----END CERTIFICATE-----\n"
    #expect(try PEMBlock(text, labels: [.certificate]).contents.withUnsafeBytes { Array($0) } == Array(contents.utf8))
    #expect(PEMBlock(label: .certificate, contents: SecretBytes(copying: contents.utf8)).text == text)
  }

  @Test func wholeAlphabet() throws {
    let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    let text = "-----BEGIN CERTIFICATE-----\n\(alphabet)\n-----END CERTIFICATE-----\n"
    let block = try PEMBlock(text, labels: [.certificate])
    var value = 0
    block.contents.withUnsafeBytes { bytes in
      for index in 0..<64 {
        let bits = (0..<6).map { bit -> UInt8 in
          let position = 6 * index + bit
          return bytes[position / 8] >> UInt8(7 - position % 8) & 1
        }
        if bits.reduce(0, { $0 << 1 | Int($1) }) == index { value += 1 }
      }
    }
    #expect(value == 64)
    #expect(PEMBlock(label: .certificate, contents: block.contents).text == text)
  }
}
