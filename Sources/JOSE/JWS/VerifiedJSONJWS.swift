import StrictJSON

/// A payload with those of its signatures that have been verified. Only verification makes a value of this type.
public struct VerifiedJSONJWS: Sendable {
  /// A signature that has been verified.
  public struct Signature: Sendable {
    /// Its place in the message, from 0.
    public let index: Int
    /// The protected header.
    public let header: ProtectedHeader
    /// Header parameters that nothing authenticates. Decide nothing by them.
    public let unprotectedHeader: JSONObject
    /// The key that verified the signature.
    public let key: VerificationKey
  }

  /// The payload's octets.
  public let payload: [UInt8]

  /// The verified signatures, at least one, in the order of the message. Others may have been there; they count for
  /// nothing.
  public let signatures: [Signature]

  init(payload: [UInt8], signatures: [Signature]) {
    self.payload = payload
    self.signatures = signatures
  }
}
