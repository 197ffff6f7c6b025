import PureCrypto

/// Nonces for DPoP proofs that need no database: each says by itself in which span of time it was given.
///
/// A nonce is `base64url` of the first 16 octets of HMAC-SHA-256 over the number of the span. Every machine that has
/// the secret gives the same one, and takes those of this span, of the one before, and of one that begins within a
/// minute, for machines that are ahead. It shows that a proof wasn't made long before; that a proof is used once only,
/// a ``DPoPVerifier`` notes in its records.
///
/// Source: RFC 9449 §8, §9.
public struct DPoPNonces: Sendable {
  private let secrets: NonceSecrets
  private let span: Int

  /// Nonces under a secret.
  ///
  /// - Parameters:
  ///   - secret: 32 random octets or more, the same on all machines that share an address.
  ///   - previousSecrets: secrets whose nonces are still taken while the secret is being replaced.
  ///   - span: how long the same nonce is given, 10 to 3600 seconds; a fraction is cut. It is good for one span more.
  /// - Throws: ``ErrorCode/callerMisuse``.
  public init(secret: SecretBytes, previousSecrets: [SecretBytes] = [], span: Duration = .seconds(300))
    throws(JOSEError)
  {
    guard (.seconds(10) ... .seconds(3600)).contains(span) else {
      throw JOSEError(.callerMisuse, "a nonce is given for 10 to 3600 seconds", name: "span")
    }
    (secrets, self.span) = (try NonceSecrets(secret, previous: previousSecrets), Int(span.inSeconds))
  }

  /// Nonces under a fresh secret, which only this process has.
  public init() { (secrets, span) = (NonceSecrets(), 300) }

  /// The nonce that is given at a time.
  package func nonce(at now: NumericDate) -> String { Base64URL.encode(secrets.tag(Self.input(number(at: now)))) }

  /// Whether a nonce was given lately.
  ///
  /// Timing: does not depend on the nonces expected.
  package func isGood(_ nonce: String, at now: NumericDate) -> Bool {
    guard let tag = try? Base64URL.decode(nonce) else { return false }
    let number = number(at: now)
    var isGood = false
    for candidate in [number &- 1, number, self.number(at: now.advanced(by: 60))]
    where secrets.isTag(tag, of: Self.input(candidate)) {
      isGood = true
    }
    return isGood
  }

  private func number(at now: NumericDate) -> Int { now.wholeSeconds / span }

  private static func input(_ number: Int) -> [UInt8] {
    var input = Array("dpop-nonce".utf8)
    let number = UInt64(bitPattern: Int64(number))
    for shift in stride(from: 56, through: 0, by: -8) { input.append(UInt8(truncatingIfNeeded: number >> shift)) }
    return input
  }
}

/// What is asked of the `nonce` of a DPoP proof.
public enum DPoPNoncePolicy: Sendable {
  /// The claim `nonce` is not looked at.
  case unchecked
  /// A proof may go without, and if it has one, it must be one of these: for servers whose older clients know no
  /// nonces.
  case ifPresent(DPoPNonces)
  /// A proof must have one of these.
  case required(DPoPNonces)

  var nonces: DPoPNonces? {
    switch self {
    case .unchecked: nil
    case .ifPresent(let nonces), .required(let nonces): nonces
    }
  }

  /// Requires of a proof's claim what the policy says.
  func require(_ claim: String?, at now: NumericDate) throws(JOSEError) {
    let isAccepted =
      switch self {
      case .unchecked: true
      case .ifPresent(let nonces): claim.map { nonces.isGood($0, at: now) } ?? true
      case .required(let nonces): claim.map { nonces.isGood($0, at: now) } ?? false
      }
    guard isAccepted else {
      throw JOSEError(.dpopNonceRequired, "the proof has no nonce of this server", name: "nonce")
    }
  }
}
