import PureCrypto
import PureJOSETestSupport
import Testing

/// The key of RFC 6979 A.2.5, as OpenSSL 3.0 and pyca/cryptography 48 encode it, and what attackers make of it.
@Suite("P-256 keys in DER") struct P256KeyDERTests {
  static let d = "c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721"
  static let point =
    "0460fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6"
    + "7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299"
  static let algorithm = "301306072a8648ce3d020106082a8648ce3d030107"
  static let spki = "3059" + algorithm + "034200" + point
  static let pkcs8 = "308187020100" + algorithm + "046d306b0201010420" + d + "a144034200" + point
  static let sec1 = "30770201010420" + d + "a00a06082a8648ce3d030107a144034200" + point
  static let otherPoint =
    "046b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"
    + "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5"

  func publicCode(_ bytes: [UInt8]) -> CryptoError.Code? {
    do {
      _ = try P256PublicKey(derRepresentation: bytes)
      return nil
    } catch {
      return error.code
    }
  }

  func privateCode(_ bytes: [UInt8]) -> CryptoError.Code? {
    do {
      _ = try P256PrivateKey(derRepresentation: bytes)
      return nil
    } catch {
      return error.code
    }
  }

  @Test func publicKeyBothWays() throws {
    let key = try P256PublicKey(derRepresentation: hex(Self.spki))
    #expect(key.x963Representation == (try hex(Self.point)))
    #expect(key.derRepresentation == (try hex(Self.spki)))
  }

  @Test func compressedPointInside() throws {
    let der = "3039" + Self.algorithm + "03220003" + Self.point.dropFirst(2).prefix(64)
    #expect(
      try P256PublicKey(derRepresentation: hex(der)) == P256PublicKey(x963Representation: hex(Self.point)))
  }

  @Test func privateKeyBothWays() throws {
    let key = try P256PrivateKey(derRepresentation: hex(Self.pkcs8))
    #expect(try key.rawRepresentation.withUnsafeBytes { Array($0) } == hex(Self.d))
    #expect(try key.derRepresentation.withUnsafeBytes { Array($0) } == hex(Self.pkcs8))
    #expect(try P256PrivateKey(derRepresentation: key.derRepresentation).publicKey == key.publicKey)
  }

  /// SEC 1 with and without the public key; PKCS #8 without it, with the curve named twice, with attributes, and in
  /// version 1 with a public key outside.
  static let otherForms: [String] = [
    sec1, "30310201010420\(d)a00a06082a8648ce3d030107", "3041020100\(algorithm)042730250201010420\(d)",
    "304d020100\(algorithm)043330310201010420\(d)a00a06082a8648ce3d030107",
    "3045020100\(algorithm)042730250201010420\(d)a0023000",
    "308185020101\(algorithm)042730250201010420\(d)814200\(point)",
  ]

  @Test(arguments: otherForms)
  func otherFormsOfThePrivateKey(_ der: String) throws {
    let key = try P256PrivateKey(derRepresentation: hex(der))
    #expect(key.publicKey.x963Representation == (try hex(Self.point)))
  }

  /// KEY-4: a public key that belongs to another private key.
  static let withAnotherPublicKey: [String] = [
    pkcs8.replacing(point, with: otherPoint), sec1.replacing(point, with: otherPoint),
    "308185020101\(algorithm)042730250201010420\(d)814200\(otherPoint)",
  ]

  @Test(arguments: withAnotherPublicKey)
  func anotherPublicKeyBeside(_ der: String) throws {
    #expect(privateCode(try hex(der)) == .invalidPrivateKey)
  }

  /// KEY-5: only the curve's name.
  @Test func explicitParameters() throws {
    let explicit =
      "3081f7020101302c06072a8648ce3d0101022100ffffffff00000001000000000000000000000000ffffffffffffffffffffffff"
      + "305b0420ffffffff00000001000000000000000000000000fffffffffffffffffffffffc"
      + "04205ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604b"
      + "031500c49d360886e704936a6678e1139d26b7819f7e90" + "0441" + Self.otherPoint
      + "022100ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551020101"
    #expect(
      publicCode(try hex("3082014b3082010306072a8648ce3d0201" + explicit + "034200" + Self.point)) == .unsupportedKey)
    #expect(
      privateCode(
        try hex("308201680201010420" + Self.d + "a081fa" + explicit + "a144034200" + Self.point)) == .unsupportedKey)
  }

  /// Parameters missing, NULL instead, the name of P-384, RSA's algorithm, Ed25519.
  static let otherPublicKeys: [String] = [
    "304f300906072a8648ce3d0201034200\(point)", "3051300b06072a8648ce3d02010500034200\(point)",
    "3056301006072a8648ce3d020106052b81040022034200\(point)",
    "305b301506092a864886f70d01010106082a8648ce3d030107034200\(point)",
    "302a300506032b6570032100\(String(repeating: "11", count: 32))",
  ]

  @Test(arguments: otherPublicKeys)
  func otherAlgorithmsAndCurves(_ der: String) throws {
    #expect(publicCode(try hex(der)) == .unsupportedKey)
  }

  /// No curve at all, Ed25519.
  static let unsupportedPrivateKeys: [String] = [
    sec1.replacing("a00a06082a8648ce3d030107", with: "").replacing("3077", with: "306b"),
    "302e020100300506032b657004220420\(d)",
  ]

  @Test(arguments: unsupportedPrivateKeys)
  func otherPrivateKeys(_ der: String) throws {
    #expect(privateCode(try hex(der)) == .unsupportedKey)
  }

  static let wrongPrivateKeys: [String] = [
    "042100\(d)", "041f\(d.dropFirst(2))", "0400", "0420\(String(repeating: "00", count: 32))",
    "0420ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551",
  ]

  @Test(arguments: wrongPrivateKeys) func privateKeyOfAnotherLengthOrRange(_ octets: String) throws {
    func element(_ tag: String, _ contents: String) -> String {
      let length = String(contents.utf8.count / 2, radix: 16)
      return tag + (length.utf8.count == 1 ? "0" : "") + length + contents
    }
    let der = element("30", "020100" + Self.algorithm + element("04", element("30", "020101" + octets)))
    #expect(privateCode(try hex(der)) == .invalidPrivateKey)
  }

  /// KEY-10: lengths that are longer or shorter than the contents, indefinite, or not minimal; bytes that are left
  /// over.
  static let malformedSPKI: [String] = [
    "\(spki)00", "00\(spki)", "3058\(spkiBody)", "305a\(spkiBody)", "308159\(spkiBody)", "30820059\(spkiBody)",
    "3080\(spkiBody)0000", "3084ffffffff\(spkiBody)", "30ff\(spkiBody)", "3159\(spkiBody)", "", "30", "3000",
    "30820100", "3059\(algorithm)034201\(point)", "3059\(algorithm)044200\(point)",
    "305b\(algorithm)034200\(point)0500", "305b3015\(algorithm.dropFirst(4))0500034200\(point)",
  ]
  static let spkiBody = String(spki.dropFirst(4))

  @Test(arguments: malformedSPKI)
  func malformedPublicKeys(_ der: String) throws {
    let bytes = try hex(der)
    #expect(publicCode(bytes) == .malformedDER)
  }

  @Test func pointsThatAreNotOnTheCurve() throws {
    for point in [
      "\(Self.point.dropLast(2))98", "06\(Self.point.dropFirst(2))", "00\(Self.point.dropFirst(2))",
    ] {
      #expect(publicCode(try hex("3059" + Self.algorithm + "034200" + point)) == .invalidPublicKey)
    }
    #expect(publicCode(try hex("3019" + Self.algorithm + "03020000")) == .invalidPublicKey)
    #expect(publicCode(try hex("3018" + Self.algorithm + "030100")) == .invalidPublicKey)
  }

  static let malformedPrivate: [String] = [
    "\(pkcs8)00", "308187020102\(pkcs8.dropFirst(12))", "308187020101\(pkcs8.dropFirst(12))00",
    pkcs8.replacing("306b020101", with: "306b020100"), pkcs8.replacing("306b020101", with: "306b020102"),
    sec1.replacing("3077020101", with: "3077020103"), "\(sec1)0500",
    // version 0 with a public key that only version 1 has
    "308185020100\(algorithm)042730250201010420\(d)814200\(point)",
    // something after the name of the curve
    "30790201010420\(d)a00c06082a8648ce3d0301070500a144034200\(point)",
  ]

  @Test(arguments: malformedPrivate)
  func malformedPrivateKeys(_ der: String) throws {
    #expect(privateCode(try hex(der)) == .malformedDER)
  }

  /// Every truncation and every flipped bit: an error or a key, never a trap. A public key that still parses is the one
  /// that was asked for or a different valid point; none of the length and tag octets may change unnoticed.
  @Test func hostileInput() throws {
    for original in [try hex(Self.spki), try hex(Self.pkcs8), try hex(Self.sec1)] {
      for count in 0..<original.count {
        #expect(publicCode(Array(original[..<count])) != nil)
        #expect(privateCode(Array(original[..<count])) != nil)
        #expect(privateCode(Array(original[(count + 1)...])) != nil)
      }
      for index in original.indices {
        for value in [0x00, 0x01, 0x7f, 0x80, 0x81, 0x82, 0x83, 0x84, 0xfe, 0xff] as [UInt8] {
          var changed = original
          guard changed[index] != value else { continue }
          changed[index] = value
          if original.count == 91 {
            #expect(publicCode(changed) != nil)
          } else {
            // The public key beside it makes any change of d noticed. The version 00 may become 01.
            #expect(privateCode(changed) != nil || original.count == 138 && index == 5)
          }
        }
        for bit in 0..<8 {
          var changed = original
          changed[index] ^= 1 << UInt8(bit)
          _ = publicCode(changed)
          _ = privateCode(changed)
        }
      }
    }
  }

  @Test func noiseIsRefused() {
    var state: UInt64 = 7
    for _ in 0..<2_000 {
      let bytes = (0..<Int(state >> 57)).map { _ -> UInt8 in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return UInt8(truncatingIfNeeded: state >> 56)
      }
      state = state &* 6_364_136_223_846_793_005 &+ 1
      #expect(publicCode([0x30] + bytes) != nil)
      #expect(privateCode([0x30] + bytes) != nil)
    }
  }
}
