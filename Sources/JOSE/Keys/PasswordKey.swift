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
    let byteCount = algorithm.row.wrappingKeyByteCount ?? 0
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
    guard let text = try header.string(ifPresent: "p2s", orThrow: .headerInvalid),
      let saltInput = try? Base64URL.decode(text), saltInput.count >= 8
    else {
      throw JOSEError(.headerInvalid, "the salt input is absent, not base64url or below 8 octets", name: "p2s")
    }
    guard case .number(let number)? = header["p2c"], let count = number.int64, count > 0 else {
      throw JOSEError(.headerInvalid, "the iteration count is absent or not a positive integer", name: "p2c")
    }
    guard count >= limits.minimumPasswordIterationCount, count <= limits.maximumPasswordIterationCount,
      let iterationCount = Int(exactly: count)
    else {
      throw JOSEError(
        .limitExceeded, "the iteration count is below or above what Limits accept: see maximumPasswordIterationCount",
        name: "p2c")
    }
    return (saltInput, iterationCount)
  }
}

extension PasswordKey {
  /// `p2c` of what is encrypted here, unless the caller gives another.
  ///
  /// It is what other libraries open as they come: the smallest of their greatest counts is 10 000 (panva/jose, jwx),
  /// others stop at 16 384 (jwcrypto) and 300 000 (joserfc). What OWASP recommends for stored passwords, 600 000, none
  /// of these three opens. A count multiplies the price of each guess, 600 000 by 73 more than this one; two random
  /// words more in the password do as much.
  static let defaultIterationCount = 8192

  /// Whether a message may be locked with this many iterations: what the same limits open.
  static func isWritable(_ iterationCount: Int, _ limits: Limits) -> Bool {
    iterationCount > 0 && iterationCount >= limits.minimumPasswordIterationCount
      && iterationCount <= limits.maximumPasswordIterationCount
  }
}
