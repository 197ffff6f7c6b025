import PureCrypto
import JOSE

/// A client secret: a signed JWT that is good for one client identifier until it expires.
package struct AppleClientSecret: Sendable {
  /// The JWT. Secret: its holder can send requests in the developer's name.
  package let value: String
  /// For which client.
  package let clientID: String
  /// `iat`: when it was made, by this machine's clock.
  package let issuedAt: NumericDate
  /// `exp`: when Apple stops accepting it.
  package let expiration: NumericDate

  /// Whether four fifths of the lifetime are not over yet, so that the secret may be used again. One that was made by a
  /// clock that has been set back since is from the future, which Apple refuses.
  func isReusable(at now: NumericDate) -> Bool {
    let lifetime = expiration.secondsSince1970 - issuedAt.secondsSince1970
    return now >= issuedAt && now.secondsSince1970 < issuedAt.secondsSince1970 + lifetime * 0.8
  }
}

extension AppleClientSecret: Redacted {}

/// Client secrets that are used again until four fifths of their life are over.
package actor AppleClientSecretCache {
  private let signer: AppleClientSecretSigner
  private var secrets: [[UInt8]: AppleClientSecret] = [:]

  /// An empty cache in front of a signer.
  package init(signer: AppleClientSecretSigner) {
    self.signer = signer
  }

  /// A client secret, perhaps one made before.
  ///
  /// - Throws: as ``AppleClientSecretSigner/clientSecret(for:lifetime:)``.
  package func clientSecret(for clientID: String) throws(JOSEError) -> AppleClientSecret {
    let key = Array(clientID.utf8)
    if let secret = secrets[key], secret.isReusable(at: signer.clock.now) { return secret }
    let secret = try signer.clientSecret(for: clientID)
    secrets[key] = secret
    return secret
  }

  /// Forgets the secret of a client, as after `invalid_client`.
  package func forget(_ clientID: String) { secrets[Array(clientID.utf8)] = nil }
}
