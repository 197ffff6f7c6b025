import PureCrypto

/// PBKDF2 with HMAC over a SHA-2 function.
struct PBKDFGroup: VectorGroup {
  private let function: HashFunction

  init(reading group: MemberReader, in file: FileContext) throws(VectorFault) {
    function = try HashFunction(in: group.string(ifPresent: "algorithm") ?? file.algorithm, after: "PBKDF2-HMAC")
  }

  func run(_ test: MemberReader) throws -> Verdict {
    let password = SecretBytes(copying: try test.octets("password"))
    let salt = try test.octets("salt")
    let iterationCount = try test.integer("iterationCount", in: 0...10_000_000)
    let byteCount = try test.integer("dkLen", in: 0...1 << 20)
    let expected = try test.octets("dk")
    let key = try function.type.passwordKey(password, salt, iterationCount, byteCount)
    return .accepted(if: key.octets == expected)
  }
}

extension SHA2Function {
  /// PBKDF2 with HMAC over this function.
  fileprivate static func passwordKey(
    _ password: SecretBytes, _ salt: [UInt8], _ iterationCount: Int, _ byteCount: Int
  ) throws(CryptoError) -> SecretBytes {
    try PBKDF2<Self>.deriveKey(password: password, salt: salt, iterationCount: iterationCount, byteCount: byteCount)
  }
}
