import Foundation
import PureCrypto

/// What Apple attests of a Mac's key, by a root that a test trusts in place of Apple's.
enum TestAttestation {
  private static let key = P384SigningKey()

  /// The root in PEM, for ``MacSettings/attestationRoots``.
  static let roots: String = {
    let root = certificate(
      of: "Root", key.publicKey.derRepresentation,
      [
        ext(basicConstraints, isCritical: true, element(0x30, [0x01, 1, 0xFF])),
        ext(keyUsage, isCritical: true, [0x03, 2, 1, 0x06]),
      ])
    let text = Data(root).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
    return "-----BEGIN CERTIFICATE-----\n\(text)\n-----END CERTIFICATE-----\n"
  }()

  /// The certificate of a Mac's signing key, asked for with a nonce.
  static func certificates(
    of point: [UInt8], nonce: String, serialNumber: String, udid: String
  ) throws -> [[UInt8]] {
    let attested = try P256VerificationKey(x963Representation: point)
    return [
      certificate(
        of: "Key", attested.derRepresentation,
        [
          ext(keyUsage, isCritical: true, [0x03, 2, 7, 0x80]),
          ext(apple + [9, 1], Array(serialNumber.utf8)), ext(apple + [9, 2], Array(udid.utf8)),
          ext(apple + [11, 1], Array(SHA2.SHA256.hash(Array(nonce.utf8)))),
        ])
    ]
  }

  // MARK: DER

  private static let basicConstraints: [UInt8] = [0x55, 0x1D, 0x13]
  private static let keyUsage: [UInt8] = [0x55, 0x1D, 0x0F]
  private static let commonName: [UInt8] = [0x55, 0x04, 0x03]
  /// 1.2.840.113635.100.8
  private static let apple: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x63, 0x64, 8]
  /// 1.2.840.10045.4.3.3
  private static let ecdsaSHA384: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 4, 3, 3]

  private static func certificate(of subject: String, _ publicKey: [UInt8], _ extensions: [[UInt8]]) -> [UInt8] {
    let algorithm = element(0x30, element(0x06, ecdsaSHA384))
    let body = element(
      0x30, element(0xA0, [0x02, 1, 2]), [0x02, 1, 0x17], algorithm, name("Root"),
      element(0x30, time("250101000000Z"), time("270101000000Z")), name(subject), publicKey,
      element(0xA3, element(0x30, extensions.flatMap { $0 })))
    return element(0x30, body, algorithm, element(0x03, [0], key.signature(for: body).derRepresentation))
  }

  private static func element(_ tag: UInt8, _ parts: [UInt8]...) -> [UInt8] {
    let contents = parts.flatMap { $0 }
    let count = contents.count
    let length: [UInt8] =
      switch count {
      case ..<0x80: [UInt8(count)]
      case ..<0x100: [0x81, UInt8(count)]
      default: [0x82, UInt8(count >> 8), UInt8(count & 0xFF)]
      }
    return [tag] + length + contents
  }

  private static func name(_ text: String) -> [UInt8] {
    element(0x30, element(0x31, element(0x30, element(0x06, commonName), element(0x0C, Array(text.utf8)))))
  }

  private static func time(_ text: String) -> [UInt8] { element(0x17, Array(text.utf8)) }

  private static func ext(_ identifier: [UInt8], isCritical: Bool = false, _ value: [UInt8]) -> [UInt8] {
    element(0x30, element(0x06, identifier), isCritical ? [0x01, 1, 0xFF] : [], element(0x04, value))
  }
}
