/// The object identifiers of key types, by their encoded contents.
package struct DERObjectIdentifier: Sendable, Hashable {
  /// The contents octets of the element.
  package let contents: [UInt8]

  package init(contents: [UInt8]) {
    self.contents = contents
  }

  /// 1.2.840.10045.2.1, id-ecPublicKey.
  /// Source: RFC 5480 §2.1.1.
  package static let ecPublicKey = DERObjectIdentifier(contents: [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01])
  /// 1.2.840.10045.3.1.7, secp256r1, alias prime256v1: P-256.
  /// Source: RFC 5480 §2.1.1.1.
  package static let p256 = DERObjectIdentifier(contents: [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07])
  /// 1.3.132.0.34, secp384r1: P-384.
  /// Source: RFC 5480 §2.1.1.1.
  package static let p384 = DERObjectIdentifier(contents: [0x2b, 0x81, 0x04, 0x00, 0x22])
  /// 1.3.132.0.35, secp521r1: P-521.
  /// Source: RFC 5480 §2.1.1.1.
  package static let p521 = DERObjectIdentifier(contents: [0x2b, 0x81, 0x04, 0x00, 0x23])
  /// 1.3.132.0.10, secp256k1.
  /// Source: SEC 2 §A.2.1.
  package static let secp256k1 = DERObjectIdentifier(contents: [0x2b, 0x81, 0x04, 0x00, 0x0a])
  /// 1.2.840.113549.1.1.1, rsaEncryption.
  /// Source: RFC 3279 §2.3.1.
  package static let rsaEncryption = DERObjectIdentifier(
    contents: [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01])
  /// 1.2.840.113549.1.1.10, id-RSASSA-PSS: an RSA key that may be used with PSS only.
  /// Source: RFC 4055 §3.
  static let rsassaPSS = DERObjectIdentifier(contents: [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x0a])
  /// 1.3.101.110, id-X25519.
  /// Source: RFC 8410 §3.
  package static let x25519 = DERObjectIdentifier(contents: [0x2b, 0x65, 0x6e])
  /// 1.3.101.112, id-Ed25519.
  /// Source: RFC 8410 §3.
  package static let ed25519 = DERObjectIdentifier(contents: [0x2b, 0x65, 0x70])

  /// 2.16.840.1.101.3.4.3.17 to 19, id-ml-dsa-44, -65 and -87.
  /// Source: RFC 9881 §2.
  static func mlDSA(_ lastOctet: UInt8) -> DERObjectIdentifier {
    DERObjectIdentifier(contents: [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x03, lastOctet])
  }

  /// 2.16.840.1.101.3.4.4.2 and 3, id-alg-ml-kem-768 and -1024.
  /// Source: RFC 9935 §3.
  static func mlKEM(_ lastOctet: UInt8) -> DERObjectIdentifier {
    DERObjectIdentifier(contents: [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x04, lastOctet])
  }

  /// 1.2.840.113549.1.5.13, id-PBES2.
  /// Source: RFC 8018 §A.4.
  static let pbes2 = DERObjectIdentifier(contents: [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x05, 0x0d])
  /// 1.2.840.113549.1.5.12, id-PBKDF2.
  /// Source: RFC 8018 §A.2.
  static let pbkdf2 = DERObjectIdentifier(contents: [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x05, 0x0c])

  /// Reads numbers with dots between them, such as `1.2.840.113635.100.8.11.1`. Nil if they name no object.
  package init?(_ text: String) {
    var numbers: [UInt64] = []
    for part in text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false) {
      // One way to write each number: no sign, no leading zero.
      guard part.allSatisfy({ (0x30...0x39).contains($0) }), part.count == 1 || part.first != 0x30,
        let number = UInt64(Substring(part)), number < 1 << 62
      else { return nil }
      numbers.append(number)
    }
    guard numbers.count >= 2, numbers[0] <= 2, numbers[0] == 2 || numbers[1] < 40 else { return nil }
    var contents: [UInt8] = []
    for number in [numbers[0] &* 40 &+ numbers[1]] + numbers[2...] {
      var octets = [UInt8(truncatingIfNeeded: number & 0x7f)]
      var rest = number &>> 7
      while rest > 0 {
        octets.append(UInt8(truncatingIfNeeded: rest & 0x7f) | 0x80)
        rest &>>= 7
      }
      contents += octets.reversed()
    }
    self.contents = contents
  }

  /// The numbers with dots between them, as ``init(_:)`` reads them. What is beyond 2⁶² is written as hexadecimal
  /// contents after `#`.
  package var text: String {
    var numbers: [UInt64] = []
    var number: UInt64 = 0
    for octet in contents {
      guard number < 1 << 55 else { return "#" + contents.map { Self.hexadecimal($0) }.joined() }
      number = number &<< 7 | UInt64(octet & 0x7f)
      guard octet < 0x80 else { continue }
      if numbers.isEmpty {
        let first = min(number / 40, 2)
        numbers = [first, number &- first &* 40]
      } else {
        numbers.append(number)
      }
      number = 0
    }
    return numbers.map(String.init).joined(separator: ".")
  }

  private static func hexadecimal(_ octet: UInt8) -> String {
    (octet < 16 ? "0" : "") + String(octet, radix: 16)
  }

  func hasContents(_ bytes: UnsafeRawBufferPointer) -> Bool {
    contents.elementsEqual(bytes)
  }
}
