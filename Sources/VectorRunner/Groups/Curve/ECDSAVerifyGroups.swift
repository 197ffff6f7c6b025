import PureCrypto

/// Verification of r ‖ s, by a key that the group or the test gives by its coordinates.
struct ECDSAVerifyRawGroup: VectorGroup {
  private let key: (x: [UInt8], y: [UInt8])?

  init(reading group: MemberReader, in file: FileContext) throws(VectorFault) {
    try group.requireP256WithSHA256()
    key = try group.object(ifPresent: "key")?.coordinates()
  }

  func run(_ test: MemberReader) throws(VectorFault) -> Verdict {
    let (x, y) = if let key { key } else { try test.object("key").coordinates() }
    let message = try test.octets("msg")
    let signature = try test.octets("sig")
    return verdict { () throws(CryptoError) in
      let key = try P256PublicKey(x: x, y: y)
      return key.judge(try P256Signature(rawRepresentation: signature), of: message)
    }
  }
}

/// Verification of a signature in DER.
struct ECDSAVerifyDERGroup: VectorGroup {
  private let key: (x: [UInt8], y: [UInt8])

  init(reading group: MemberReader, in file: FileContext) throws(VectorFault) {
    try group.requireP256WithSHA256()
    key = try group.object("key").coordinates()
  }

  func run(_ test: MemberReader) throws(VectorFault) -> Verdict {
    let message = try test.octets("msg")
    let encoded = try test.octets("sig")
    return verdict { () throws(CryptoError) in
      let key = try P256PublicKey(x: key.x, y: key.y)
      return try key.judge(derSignature: encoded, of: message)
    }
  }
}

extension P256PublicKey {
  /// Verifies a signature on every path that the package has for it.
  func judge(_ signature: P256Signature, of message: [UInt8]) -> Verdict {
    let isValid = isValidSignature(signature, for: message)
    guard isValidSignature(signature, forDigest: SHA2.SHA256.hash(message)) == isValid else {
      return .wrong("message and digest verify differently")
    }
    guard prepared().isValidSignature(signature, for: message) == isValid else {
      return .wrong("the prepared key verifies differently")
    }
    return .accepted(if: isValid)
  }

  /// Verifies a signature in DER, which must be the only encoding of its value.
  func judge(derSignature encoded: [UInt8], of message: [UInt8]) throws(CryptoError) -> Verdict {
    let signature = try P256Signature(derRepresentation: encoded)
    guard signature.derRepresentation == encoded else { return .wrong("another encoding was accepted") }
    guard try P256Signature(rawRepresentation: signature.rawRepresentation) == signature else {
      return .wrong("the raw form is not the same signature")
    }
    return judge(signature, of: message)
  }
}
