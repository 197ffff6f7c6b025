import PureCrypto

/// The secrets under which a server makes nonces that need no database, the current one first.
package struct NonceSecrets: Sendable {
  /// The octets of a tag.
  package static let tagByteCount = 16

  private let secrets: [SecretBytes]

  /// A secret of 32 random octets or more, the same on all machines of a server, and those that it replaces.
  ///
  /// - Throws: ``ErrorCode/callerMisuse``.
  package init(_ secret: SecretBytes, previous: [SecretBytes]) throws(JOSEError) {
    secrets = [secret] + previous
    guard secrets.allSatisfy({ $0.count >= 32 }) else {
      throw JOSEError(.callerMisuse, "a nonce secret has 32 octets or more", name: "secret")
    }
  }

  /// A fresh secret, which only this process has.
  package init() { secrets = [.random(count: 32)] }

  /// The first 16 octets of HMAC-SHA-256 under the current secret.
  package func tag(_ octets: [UInt8]) -> [UInt8] { Self.tag(octets, secrets[0]) }

  /// Whether a tag was made of these octets under one of the secrets.
  ///
  /// Timing: does not depend on the tags expected.
  package func isTag(_ tag: some Collection<UInt8>, of octets: [UInt8]) -> Bool {
    var isAuthentic = false
    for secret in secrets where ConstantTime.equal(tag, Self.tag(octets, secret)) { isAuthentic = true }
    return isAuthentic
  }

  private static func tag(_ octets: [UInt8], _ secret: SecretBytes) -> [UInt8] {
    Array(Array(HMACSHA256.authenticate(octets, anyKey: secret)).prefix(tagByteCount))
  }
}
