import JOSE
import PureCrypto

/// Makes server nonces that need no database, and recognises its own.
///
/// A nonce is `base64url(version ‖ time ‖ random ‖ tag)`: one octet 01, the time of making as 8 octets big-endian
/// in seconds since 1970, 16 random octets, and the first 16 octets of HMAC-SHA-256 over all that and the
/// `client-request-id` it is bound to. Every machine that has the secret recognises it. That a nonce is used once only,
/// the provider notes in its records.
public struct ServerNonces: Sendable {
  /// How long a nonce may be used. The default is 5 minutes.
  package var lifetime: Duration

  private let secrets: NonceSecrets

  /// Nonces under a secret.
  ///
  /// - Parameters:
  ///   - secret: 32 random octets or more, the same on all machines of the provider.
  ///   - previousSecrets: secrets whose nonces are still recognised while the secret is being replaced.
  ///   - lifetime: 1 second to an hour.
  /// - Throws: `ErrorCode.callerMisuse`.
  public init(
    secret: SecretBytes, previousSecrets: [SecretBytes] = [], lifetime: Duration = .seconds(300)
  ) throws(JOSEError) {
    guard (.seconds(1) ... .seconds(3600)).contains(lifetime) else {
      throw JOSEError(.callerMisuse, "a nonce lives 1 to 3600 seconds", name: "lifetime")
    }
    self.lifetime = lifetime
    secrets = try NonceSecrets(secret, previous: previousSecrets)
  }

  /// Nonces under a fresh secret, which only this process has.
  public init() {
    lifetime = .seconds(300)
    secrets = NonceSecrets()
  }

  /// A new nonce.
  package func make(at now: NumericDate, boundTo clientRequestID: String) -> String {
    var octets: [UInt8] = [Self.version]
    let time = UInt64(bitPattern: Int64(now.wholeSeconds))
    for shift: UInt64 in stride(from: 56, through: 0, by: -8) {
      octets.append(UInt8(truncatingIfNeeded: time &>> shift))
    }
    octets += SystemRandom.bytes(count: 16)
    octets += secrets.tag(Self.input(octets, clientRequestID: clientRequestID))
    return Base64URL.encode(octets)
  }

  /// Requires that a nonce was made here, for this request, and not too long ago. Returns when it expires.
  ///
  /// Timing: does not depend on the tag expected.
  package func check(
    _ nonce: String, at now: NumericDate, boundTo clientRequestID: String
  ) throws(JOSEError) -> NumericDate {
    let invalid = JOSEError(.serverNonceInvalid, "the server nonce was not made here", name: "request_nonce")
    guard let octets = try? Base64URL.decode(nonce), octets.count == Self.byteCount, octets[0] == Self.version else {
      throw invalid
    }
    let body = Array(octets[..<(Self.byteCount - NonceSecrets.tagByteCount)])
    let tag = octets[(Self.byteCount - NonceSecrets.tagByteCount)...]
    guard secrets.isTag(tag, of: Self.input(body, clientRequestID: clientRequestID)) else { throw invalid }
    let time = body[1..<9].reduce(UInt64(0)) { $0 &<< 8 | UInt64($1) }
    let made = NumericDate(Int(truncatingIfNeeded: time))
    let expiration = made.advanced(by: lifetime)
    // Another machine of the provider may be a little ahead.
    guard now < expiration, made <= now.advanced(by: 60) else {
      throw JOSEError(.serverNonceExpired, "the server nonce is too old", name: "request_nonce")
    }
    return expiration
  }

  private static func input(_ octets: [UInt8], clientRequestID: String) -> [UInt8] {
    // The octets before have a fixed length, so nothing can move between them and the identifier.
    Array("platformsso-server-nonce".utf8) + octets + Array(clientRequestID.asciiLowercased.utf8)
  }

  private static let version: UInt8 = 1
  private static let byteCount = 1 + 8 + 16 + NonceSecrets.tagByteCount
}
