import PureCrypto

/// A certificate before it is signed, every part of which a test may spoil.
package struct CertificateDraft: Sendable {
  package var version: [UInt8]? = [2]
  package var serialNumber: [UInt8] = [0x17]
  package var innerAlgorithm = DER.ecdsaSHA256
  package var outerAlgorithm: [UInt8]?
  package var issuer: [UInt8]
  package var subject: [UInt8]
  package var notBefore = DER.time("260101000000Z")
  package var notAfter = DER.time("270101000000Z")
  package var publicKey: [UInt8]
  package var uniqueIdentifier: [UInt8] = []
  /// Whole extensions.
  package var extensions: [[UInt8]]
  /// The key that signs TBSCertificate.
  package var sign: @Sendable ([UInt8]) -> [UInt8]
  /// Changes what is signed after it has been.
  package var spoilBody: @Sendable (inout [UInt8]) -> Void = { _ in }
  package var spoilSignature: @Sendable (inout [UInt8]) -> Void = { _ in }
  package var spoilWhole: @Sendable (inout [UInt8]) -> Void = { _ in }

  package init(
    innerAlgorithm: [UInt8] = DER.ecdsaSHA256, issuer: [UInt8], subject: [UInt8], publicKey: [UInt8],
    extensions: [[UInt8]], sign: @escaping @Sendable ([UInt8]) -> [UInt8]
  ) {
    self.innerAlgorithm = innerAlgorithm
    self.issuer = issuer
    self.subject = subject
    self.publicKey = publicKey
    self.extensions = extensions
    self.sign = sign
  }

  /// The certificate in DER.
  package var certificate: [UInt8] {
    var parts: [[UInt8]] = []
    if let version { parts.append(DER.element(0xA0, DER.element(0x02, version))) }
    parts += [DER.element(0x02, serialNumber), innerAlgorithm, issuer]
    parts += [DER.element(0x30, notBefore, notAfter), subject, publicKey, uniqueIdentifier]
    if !extensions.isEmpty { parts.append(DER.element(0xA3, DER.element(0x30, extensions.flatMap { $0 }))) }
    var body = DER.element(0x30, parts.flatMap { $0 })
    var signature = sign(body)
    spoilBody(&body)
    spoilSignature(&signature)
    var whole = DER.element(0x30, body, outerAlgorithm ?? innerAlgorithm, DER.element(0x03, [0], signature))
    spoilWhole(&whole)
    return whole
  }

  /// Replaces the extension 2.5.29.n, or takes it away.
  package mutating func setExtension(_ number: UInt8, _ replacement: [UInt8]?) {
    extensions.removeAll { $0.dropFirst(2).starts(with: [0x06, 3, 0x55, 0x1D, number]) }
    if let replacement { extensions.append(replacement) }
  }
}

/// DER by hand, the illegal kinds included.
package enum DER {
  package static func element(_ tag: UInt8, _ parts: [UInt8]...) -> [UInt8] {
    let contents = parts.flatMap { $0 }
    let length: [UInt8] =
      contents.count < 0x80
      ? [UInt8(contents.count)]
      : contents.count < 0x100
        ? [0x81, UInt8(contents.count)] : [0x82, UInt8(contents.count >> 8), UInt8(contents.count & 0xFF)]
    return [tag] + length + contents
  }

  package static func identifier(_ text: String) -> [UInt8] {
    element(0x06, DERObjectIdentifier(text)?.contents ?? [])
  }

  package static func algorithm(_ text: String, _ parameters: [UInt8] = []) -> [UInt8] {
    element(0x30, identifier(text), parameters)
  }

  package static let ecdsaSHA256 = algorithm("1.2.840.10045.4.3.2")
  package static let null: [UInt8] = [0x05, 0]

  package static func time(_ text: String) -> [UInt8] {
    element(text.utf8.count > 13 ? 0x18 : 0x17, Array(text.utf8))
  }

  package static func name(_ text: String, tag: UInt8 = 0x0C) -> [UInt8] {
    element(0x30, relativeName("2.5.4.10", "Example") + relativeName("2.5.4.3", text, tag: tag))
  }

  package static func relativeName(_ type: String, _ text: String, tag: UInt8 = 0x0C) -> [UInt8] {
    element(0x31, element(0x30, identifier(type), element(tag, Array(text.utf8))))
  }

  /// An extension; `critical` as the octets that stand for it.
  package static func ext(_ identifier: String, critical: [UInt8] = [], _ value: [UInt8]) -> [UInt8] {
    element(0x30, self.identifier(identifier), critical, element(0x04, value))
  }

  package static let critical: [UInt8] = [0x01, 1, 0xFF]

  package static func basicConstraints(_ contents: [UInt8]) -> [UInt8] {
    ext("2.5.29.19", critical: critical, element(0x30, contents))
  }

  /// pathLen, if any, of an authority.
  package static func authority(_ pathLength: UInt8? = nil) -> [UInt8] {
    basicConstraints(critical + (pathLength.map { [0x02, 1, $0] } ?? []))
  }

  package static func keyUsage(_ bits: [UInt8]) -> [UInt8] { ext("2.5.29.15", critical: critical, element(0x03, bits)) }
  package static let keyCertSign = keyUsage([1, 0x06])
  package static let digitalSignature = keyUsage([7, 0x80])

  package static func extendedKeyUsage(_ purposes: String...) -> [UInt8] {
    ext("2.5.29.37", element(0x30, purposes.flatMap(identifier)))
  }
}
