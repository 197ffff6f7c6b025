import PureCrypto

/// Verification of RSASSA-PKCS1-v1_5.
struct RSAPKCS1VerifyGroup: VectorGroup {
  private let key: (modulus: [UInt8], exponent: [UInt8])
  private let function: HashFunction

  init(reading group: MemberReader, in file: FileContext) throws(VectorFault) {
    key = try group.rsaNumbers()
    function = try HashFunction(named: try group.string("sha"))
  }

  func run(_ test: MemberReader) throws -> Verdict {
    let message = try test.octets("msg")
    let signature = try test.octets("sig")
    let key = try AnyRSAPublicKey(modulus: key.modulus, exponent: key.exponent)
    return .accepted(if: function.type.isValid(signature, for: message, by: key, padding: .pkcs1v15))
  }
}

/// Verification of RSASSA-PSS.
struct RSAPSSVerifyGroup: VectorGroup {
  private let key: (modulus: [UInt8], exponent: [UInt8])
  private let parameters: PSSParameters

  init(reading group: MemberReader, in file: FileContext) throws(VectorFault) {
    key = try group.rsaNumbers()
    parameters = try PSSParameters(reading: group)
  }

  func run(_ test: MemberReader) throws -> Verdict {
    let message = try test.octets("msg")
    let signature = try test.octets("sig")
    return try parameters.judge(
      signature, of: message, with: AnyRSAPublicKey(modulus: key.modulus, exponent: key.exponent))
  }
}

/// What a group says of its PSS encodings.
struct PSSParameters {
  private let function: HashFunction
  private let saltByteCount: Int

  init(reading group: MemberReader) throws(VectorFault) {
    let name = try group.string("sha")
    function = try HashFunction(named: name)
    guard try group.string("mgf") == "MGF1", try group.string("mgfSha") == name else {
      throw .notImplemented("PSS with another mask function")
    }
    saltByteCount = try group.integer("sLen", in: 0...64)
  }

  /// Verifies with the stated salt length, and on the public path, which knows one salt length only.
  func judge(_ signature: [UInt8], of message: [UInt8], with key: AnyRSAPublicKey) -> Verdict {
    let isValid = function.type.isValidPSS(signature, for: message, by: key, saltByteCount: saltByteCount)
    let isPublicPathValid = function.type.isValid(signature, for: message, by: key, padding: .pss)
    guard isPublicPathValid == (isValid && saltByteCount == function.digestByteCount) else {
      return .wrong("a signature with another salt length verifies, or one with the right length doesn't")
    }
    return .accepted(if: isValid)
  }
}

extension SHA2Function {
  /// Verification with this function.
  static func isValid(
    _ signature: [UInt8], for message: [UInt8], by key: AnyRSAPublicKey, padding: RSASignaturePadding
  ) -> Bool {
    key.isValidSignature(signature, for: message, padding: padding, function: self)
  }

  fileprivate static func isValidPSS(
    _ signature: [UInt8], for message: [UInt8], by key: AnyRSAPublicKey, saltByteCount: Int
  ) -> Bool {
    unsafe signature.withUnsafeBytes { signature in
      unsafe key.isValidPSSSignature(signature, digest: hash(message), saltByteCount: saltByteCount, function: self)
    }
  }
}

extension MemberReader {
  /// Modulus and exponent of the group's `key`, which says its size.
  fileprivate func rsaNumbers() throws(VectorFault) -> (modulus: [UInt8], exponent: [UInt8]) {
    let key = try object("key")
    let modulus = try key.octets("n")
    guard try key.integer("size") == modulus.count * 8 - (modulus.first?.leadingZeroBitCount ?? 0) else {
      throw .malformed("size is not that of the modulus")
    }
    return (modulus, try key.octets("e"))
  }
}
