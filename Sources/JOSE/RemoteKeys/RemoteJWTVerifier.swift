import StrictJSON
import Synchronization

/// Verifies JWTs of one kind with the keys that their issuer publishes.
///
/// Make one verifier and keep it: what it has prepared of the keys and met of headers serves the next token, until the
/// issuer's keys change. One verifier serves any number of tasks at once.
public final class RemoteJWTVerifier: Sendable {
  /// What the claims must say.
  public let policy: JWTPolicy

  /// Where the keys come from.
  public let keys: RemoteKeySet

  private let algorithms: [SignatureAlgorithm]

  /// The verifier for the keys as they were last seen.
  private let current: Mutex<(keys: JWKSet, verifier: JWTVerifier)>

  /// Tokens that satisfy a policy, signed with a key that their issuer publishes.
  ///
  /// - Parameters:
  ///   - keys: the keys of the policy's issuer, and of no other issuer.
  ///   - algorithms: the algorithms accepted.
  ///   - policy: what the claims must say. Its limits hold for the tokens, not for the key set.
  public init(keys: RemoteKeySet, algorithms: [SignatureAlgorithm], policy: JWTPolicy) {
    self.keys = keys
    self.algorithms = algorithms
    self.policy = policy
    let none = JWKSet([])
    current = Mutex((none, JWTVerifier(keys: none, algorithms: algorithms, policy: policy)))
  }

  /// Tokens of one issuer for one audience.
  public convenience init(
    keys: RemoteKeySet, algorithms: [SignatureAlgorithm], issuer: String, audience: String
  ) {
    self.init(
      keys: keys, algorithms: algorithms, policy: JWTPolicy(issuer: .anyOf([issuer]), audience: .anyOf([audience])))
  }

  /// Verifies a token and decodes its claims, as a `JSONObject` unless another type is given.
  ///
  /// Asks the issuer only where ``RemoteKeySet`` says. Where the keys can't be had, or a token names a key that is not
  /// among those known and the issuer can't be asked right now, the error's fault is ``ErrorCode/Fault/unavailable``:
  /// nothing is known of the token, and a server answers 503. A stranger's made-up `kid` gets that answer too, as long
  /// as the cooldown after the last request lasts.
  ///
  /// - Throws: as ``RemoteKeySet/keys(for:)`` and ``JWTVerifier/verify(_:as:)``.
  public func verify<Claims: Decodable>(
    _ token: String, as type: Claims.Type = JSONObject.self
  ) async throws(JOSEError) -> VerifiedJWT<Claims> {
    try await verified(token) { verifier, parsed throws(JOSEError) in
      guard let parsed else { return try verifier.verify(token, as: type) }
      return try verifier.verify(parsed: parsed, as: type)
    }
  }

  /// What `body` makes of a token with a verifier for the keys at hand or, if none of them is for it, for those that
  /// its issuer publishes now. The token has been taken apart by then.
  func verified<Value>(
    _ token: String, by body: (JWTVerifier, UnverifiedJWS?) throws(JOSEError) -> Value
  ) async throws(JOSEError) -> Value {
    if let keys = await keys.atHand() {
      do throws(JOSEError) {
        let verifier = verifier(with: keys)
        return try await policy.status.loading { () throws(JOSEError) in try body(verifier, nil) }
      } catch {
        // Only of a token that none of these keys is for does it matter which key it names.
        guard error.code == .keyNotFound else { throw error }
      }
    }
    guard token.utf8.count <= policy.limits.tokenByteCount else { throw CompactSegments.tooLong("tokenByteCount") }
    return try await verified(UnverifiedJWS(parsing: token, limits: policy.limits), by: body)
  }

  /// Verifies a token that has been taken apart and decodes its claims; see ``verify(_:as:)``.
  ///
  /// - Throws: as that method.
  public func verify<Claims: Decodable>(
    parsed token: UnverifiedJWS, as type: Claims.Type = JSONObject.self
  ) async throws(JOSEError) -> VerifiedJWT<Claims> {
    try await verified(token) { verifier, _ throws(JOSEError) in try verifier.verify(parsed: token, as: type) }
  }

  private func verified<Value>(
    _ token: UnverifiedJWS, by body: (JWTVerifier, UnverifiedJWS?) throws(JOSEError) -> Value
  ) async throws(JOSEError) -> Value {
    let keyID = try current.withLock { $0.verifier }.unverifiedKeyID(of: token)
    let verifier = verifier(with: try await keys.keys(for: keyID))
    return try await policy.status.loading { () throws(JOSEError) in try body(verifier, token) }
  }

  /// The verifier for tokens whose binding to a key is checked outside.
  var checkingBinding: RemoteJWTVerifier {
    guard !policy.bindingIsChecked else { return self }
    var policy = policy
    policy.bindingIsChecked = true
    return judging(by: policy)
  }

  /// The verifier with the same keys and another policy.
  func judging(by policy: JWTPolicy) -> RemoteJWTVerifier {
    RemoteJWTVerifier(keys: keys, algorithms: algorithms, policy: policy)
  }

  /// The verifier with these keys.
  private func verifier(with keys: JWKSet) -> JWTVerifier {
    let verifier = current.withLock { current in
      // The same set as last time is the same value, caches included.
      guard current.keys.boundKeys !== keys.boundKeys else { return current.verifier }
      current = (keys, JWTVerifier(keys: keys, algorithms: algorithms, policy: policy))
      return current.verifier
    }
    return verifier.judging(by: keys)
  }
}
