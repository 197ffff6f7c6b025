/// A private key that DHKEM decapsulates with.
package protocol HPKEPrivateKey: Sendable {
  associatedtype PublicKey: HPKEPublicKey

  /// The length of a private key in bytes, Nsk.
  static var hpkeByteCount: Int { get }

  /// Makes a new key.
  init()
  init(rawRepresentation bytes: SecretBytes) throws(CryptoError)

  var publicKey: PublicKey { get }
  var rawRepresentation: SecretBytes { get }

  func sharedSecret(with publicKey: PublicKey) throws(CryptoError) -> SharedSecret
}

extension ECPrivateKey: HPKEPrivateKey where Use: KeyUse.Agrees {
  package static var hpkeByteCount: Int { Curve.namedCurve.coordinateByteCount }
}

extension X25519PrivateKey: HPKEPrivateKey {
  package static var hpkeByteCount: Int { 32 }
}
