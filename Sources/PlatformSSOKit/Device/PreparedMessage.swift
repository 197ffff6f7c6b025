import PureCrypto
import JOSE

/// A message that lacks its signature, for a signer that answers later.
///
/// Sign ``signingInput`` with the key that the message was prepared for, then call ``finish(signature:)``.
public struct PreparedMessage<Signed: Sendable>: Sendable {
  private let jws: PreparedJWS
  private let complete: @Sendable (_ token: String) throws(JOSEError) -> Signed

  init(_ jws: PreparedJWS, complete: @escaping @Sendable (_ token: String) throws(JOSEError) -> Signed) {
    (self.jws, self.complete) = (jws, complete)
  }

  /// What to sign: ASCII octets. For ES256 they are hashed with SHA-256.
  public var signingInput: [UInt8] { jws.signingInput }

  /// The signed message.
  ///
  /// - Parameter signature: in JOSE's form: r ‖ s of 32 octets each, big-endian, for ES256; not DER.
  /// - Throws: `ErrorCode.externalKeyFailed` if the signature does not verify with the public key.
  public func finish(signature: [UInt8]) throws(JOSEError) -> Signed {
    try complete(try jws.finish(signature: signature))
  }
}

extension PreparedMessage: Redacted {}
