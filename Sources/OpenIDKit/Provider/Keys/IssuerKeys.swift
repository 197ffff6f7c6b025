import JOSE
import StrictJSON

/// The keys of a provider's tokens: one that signs for each algorithm, and all that verify.
public struct IssuerKeys: Sendable {
  /// The key that signs where a client needs no algorithm of its own.
  public let signing: SigningKey
  private let others: [SigningKey]
  /// The keys that verify, which are published: public halves of those that sign, the next ones, and retired ones.
  public let verification: JWKSet

  /// Keys.
  ///
  /// - Parameters:
  ///   - signing: signs from now on. It has a name, which new tokens bear as `kid`.
  ///   - others: sign for clients that need another algorithm, one for each. Access tokens are signed by ES256 if there
  ///     is a key for it.
  ///   - published: public keys that are published beside them: those that will sign next, and those that signed
  ///     before. Keep each for as long as its tokens: an ID token is a hint after it has expired, and where device
  ///     secrets are exchanged, it is presented for as long as these live.
  /// - Throws: `ErrorCode.callerMisuse` if a signing key has no name or is an HMAC key, or two keys share a name.
  public init(
    signing: SigningKey, others: [SigningKey] = [], retired published: [JWK] = []
  ) throws(JOSEError) {
    var publicKeys: [JWK] = []
    for key in [signing] + others {
      guard key.keyID != nil, let publicKey = key.verificationKey.publicJWK else {
        throw JOSEError(.callerMisuse, "the signing key needs a kid and a public half", name: "kid")
      }
      publicKeys.append(publicKey)
    }
    let names = (publicKeys + published).compactMap(\.keyName)
    guard Set(names).count == names.count else {
      throw JOSEError(.callerMisuse, "two keys have one name", name: "kid")
    }
    (self.signing, self.others) = (signing, others)
    verification = JWKSet(publicKeys + published.compactMap(\.publicKey))
  }

  /// The key that signs by an algorithm; nil if there is none.
  package func signing(by algorithm: SignatureAlgorithm?) -> SigningKey? {
    guard let algorithm else { return signing }
    return ([signing] + others).first { $0.algorithm == algorithm }
  }

  /// The algorithms that sign, the preferred one first.
  package var signingAlgorithms: [SignatureAlgorithm] { ([signing] + others).map(\.algorithm) }

  /// The algorithms of the keys, as far as they are implemented.
  package var algorithms: [SignatureAlgorithm] {
    let named = verification.keys.compactMap { $0.algorithm.flatMap(SignatureAlgorithm.init(name:)) }
    return Array(Set(named + signingAlgorithms)).filter { SignatureAlgorithm.asymmetric.contains($0) }
  }
}
