import PureCrypto
import StrictJSON

/// The wrapping key that PBES2 makes from a password.
///
/// Source: RFC 7518 §4.8.
package enum PasswordKey {
  /// Derives the wrapping key. The salt is `UTF8(alg) ‖ 00 ‖ p2s`.
  ///
  /// Timing: depends on lengths and on the number of iterations.
  package static func derive(
    _ algorithm: KeyManagementAlgorithm, password: SecretBytes, saltInput: [UInt8], iterationCount: Int
  ) throws(JOSEError) -> SecretBytes {
    let salt = Array(algorithm.name.utf8) + [0] + saltInput
    let byteCount = algorithm.row.wrappingKeyByteCount
    let key: SecretBytes? =
      switch algorithm.identifier {
      case .pbes2HS384A192KW:
        try? PBKDF2<SHA2.SHA384>.deriveKey(
          password: password, salt: salt, iterationCount: iterationCount, byteCount: byteCount)
      case .pbes2HS512A256KW:
        try? PBKDF2<SHA2.SHA512>.deriveKey(
          password: password, salt: salt, iterationCount: iterationCount, byteCount: byteCount)
      default:
        try? PBKDF2<SHA2.SHA256>.deriveKey(
          password: password, salt: salt, iterationCount: iterationCount, byteCount: byteCount)
      }
    guard let key else { throw JOSEError(.callerMisuse, "the number of iterations is not positive", name: "p2c") }
    return key
  }

  /// `p2s` and `p2c` of a received header, checked before any work is done for them.
  static func parameters(_ header: JSONObject, limits: Limits) throws(JOSEError) -> ([UInt8], Int) {
    guard let text = try header.headerString("p2s"), let saltInput = try? Base64URL.decode(text), saltInput.count >= 8
    else {
      throw JOSEError(.headerInvalid, "the salt input is absent, not base64url or below 8 octets", name: "p2s")
    }
    guard case .number(let number)? = header["p2c"], let count = number.int64, count > 0 else {
      throw JOSEError(.headerInvalid, "the iteration count is absent or no positive integer", name: "p2c")
    }
    guard count >= limits.minimumPasswordIterationCount, count <= limits.maximumPasswordIterationCount,
      let iterationCount = Int(exactly: count)
    else {
      throw JOSEError(.limitExceeded, "the iteration count is below or above what is accepted", name: "p2c")
    }
    return (saltInput, iterationCount)
  }
}

extension KeyManagementAlgorithm {
  /// `p2c` of what is encrypted here, unless the caller gives another: what OWASP recommended in 2023.
  var defaultIterationCount: Int { self == .pbes2HS256A128KW ? 600_000 : 210_000 }
}
