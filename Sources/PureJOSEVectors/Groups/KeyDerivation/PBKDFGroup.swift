import PureCrypto

/// PBKDF2 with HMAC over a SHA-2 function.
struct PBKDFGroup: VectorGroup {
  private let function: HashFunction

  init(reading group: MemberReader, in file: FileContext) throws(VectorFault) {
    let name = try group.string(ifPresent: "algorithm") ?? file.algorithm
    switch name {
    case "PBKDF2-HMACSHA256": function = .sha256
    case "PBKDF2-HMACSHA384": function = .sha384
    case "PBKDF2-HMACSHA512": function = .sha512
    default: throw .notImplemented(name)
    }
  }

  func run(_ test: MemberReader) throws(VectorFault) -> Verdict {
    let password = SecretBytes(copying: try test.octets("password"))
    let salt = try test.octets("salt")
    let iterationCount = try test.integer("iterationCount")
    let byteCount = try test.integer("dkLen")
    let expected = try test.octets("dk")
    return verdict { () throws(CryptoError) in
      let key = try function.passwordKey(password, salt, iterationCount, byteCount)
      return .accepted(if: key.withUnsafeBytes { Array($0) } == expected)
    }
  }
}

extension HashFunction {
  /// PBKDF2 with this function.
  func passwordKey(
    _ password: SecretBytes, _ salt: [UInt8], _ iterationCount: Int, _ byteCount: Int
  ) throws(CryptoError) -> SecretBytes {
    switch self {
    case .sha256:
      try PBKDF2<SHA2.SHA256>.deriveKey(
        password: password, salt: salt, iterationCount: iterationCount, byteCount: byteCount)
    case .sha384:
      try PBKDF2<SHA2.SHA384>.deriveKey(
        password: password, salt: salt, iterationCount: iterationCount, byteCount: byteCount)
    case .sha512:
      try PBKDF2<SHA2.SHA512>.deriveKey(
        password: password, salt: salt, iterationCount: iterationCount, byteCount: byteCount)
    }
  }
}
