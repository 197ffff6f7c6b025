import JOSE

/// A response that waits for its shared secret, for a key that answers later.
public struct PreparedResponse<Opened: Sendable>: Sendable {
  private let prepared: PreparedDecryption
  private let check: @Sendable (DecryptedJWE) throws(JOSEError) -> Opened

  init(
    _ prepared: PreparedDecryption, check: @escaping @Sendable (DecryptedJWE) throws(JOSEError) -> Opened
  ) {
    self.prepared = prepared
    self.check = check
  }

  /// The sender's ephemeral public key, as 65 octets `04 ‖ X ‖ Y`. It is on the curve.
  public var ephemeralPublicKey: [UInt8] { prepared.ephemeralPublicKey }

  /// Opens and checks the response.
  ///
  /// - Parameter sharedSecret: the x-coordinate of the product of the device's private encryption key and
  ///   ``ephemeralPublicKey``: 32 octets, big-endian.
  /// - Throws: as ``PlatformSSODevice/openLoginResponse(_:to:idTokenKeys:)`` and its like, and
  ///   `ErrorCode.externalKeyFailed` for a secret of another length.
  public func finish(sharedSecret: [UInt8]) throws(JOSEError) -> Opened {
    try check(try prepared.finish(sharedSecret: sharedSecret))
  }
}
