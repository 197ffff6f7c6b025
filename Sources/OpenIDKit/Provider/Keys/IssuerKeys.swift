import JOSE
import StrictJSON

/// The keys of a provider's ID tokens.
public struct IssuerKeys: Sendable {
  /// The key that signs.
  public let signing: SigningKey
  /// The keys that verify: the signing key's public half, and retired ones.
  public let verification: JWKSet

  /// Keys.
  ///
  /// - Parameters:
  ///   - signing: signs from now on. It has a name, which new ID tokens bear as `kid`.
  ///   - retired: public keys that signed before. Keep each for as long as device secrets live: ID tokens are presented
  ///     after they have expired.
  /// - Throws: `ErrorCode.callerMisuse` if the signing key has no name, is an HMAC key, or shares its name
  ///   with a retired one.
  public init(signing: SigningKey, retired: [JWK] = []) throws(JOSEError) {
    guard let keyID = signing.keyID, let publicKey = signing.verificationKey.publicJWK else {
      throw JOSEError(.callerMisuse, "the signing key needs a kid and a public half", name: "kid")
    }
    let names = [WireName(keyID)] + retired.compactMap(\.keyName)
    guard Set(names).count == names.count else {
      throw JOSEError(.callerMisuse, "two keys have one name", name: "kid")
    }
    self.signing = signing
    verification = JWKSet([publicKey] + retired.compactMap(\.publicKey))
  }

  /// The algorithms of the keys, as far as they are implemented.
  package var algorithms: [SignatureAlgorithm] {
    let named = verification.keys.compactMap { $0.algorithm.flatMap(SignatureAlgorithm.init(name:)) }
    return Array(Set(named + [signing.algorithm])).filter { SignatureAlgorithm.asymmetric.contains($0) }
  }
}

extension SignatureAlgorithm {
  /// Every implemented algorithm whose verification key is public. With an HMAC, each verifier could also sign.
  package static var asymmetric: [SignatureAlgorithm] { allCases.filter { $0.row.keyType != .oct } }
}
