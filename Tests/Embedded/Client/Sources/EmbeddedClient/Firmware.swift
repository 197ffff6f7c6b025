import PureCrypto

/// What a device does with an update.
public struct Firmware {
  private let publisher: P256VerificationKey

  /// - Parameter publisher: the publisher's key as `04 ‖ X ‖ Y`.
  /// - Throws: `CryptoError` if that is no point of the curve.
  public init(publisher: [UInt8]) throws(CryptoError) {
    self.publisher = try P256VerificationKey(x963Representation: publisher)
  }

  /// Whether the publisher signed the image.
  public func isGenuine(_ image: [UInt8], signature: [UInt8]) -> Bool {
    guard let signature = try? P256Signature(rawRepresentation: signature) else { return false }
    return publisher.isValidSignature(signature, for: image)
  }
}
