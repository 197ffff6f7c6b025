/// A payload and a header whose signature has been verified. Only verification makes a value of this type.
public struct VerifiedJWS: Sendable {
  /// The protected header.
  public let header: ProtectedHeader

  /// The payload's octets.
  public let payload: [UInt8]

  /// The key that verified the signature.
  public let key: VerificationKey

  init(header: ProtectedHeader, payload: [UInt8], key: VerificationKey) {
    self.header = header
    self.payload = payload
    self.key = key
  }
}
