import PureCrypto
import JOSE
import StrictJSON

/// What all signed requests have in common, once signature, claims, nonces and `jwe_crypto` have been checked.
///
/// Only that check makes a value of this type.
public struct VerifiedRequest: Sendable {
  /// The device that signed the request.
  public let device: RegisteredDevice

  /// The key that it signed with: the device's present one, or the other one while keys are being replaced.
  public let signingKey: RegisteredKey

  /// The key that the response is encrypted for.
  package let encryptionKey: RegisteredKey

  /// The client: `iss`, and `client_id` where the message has it.
  public let clientID: String

  /// `nonce`: the request's own, which `id_token` repeats.
  public let clientNonce: String

  /// `request_nonce`. It has been used up.
  package let serverNonce: String

  /// The octets that the response must be encrypted with.
  package let agreementPartyVInfo: PartyVInfo

  /// `iat`: when the device made the request, by its clock.
  package let issuedAt: NumericDate

  /// `exp`: until when the request may be answered.
  package let expiration: NumericDate

  /// All claims, custom ones included.
  public var claims: JSONObject { members.object }
  let members: MessageMembers

  /// The header. Certificates in it prove nothing by themselves.
  public let header: ProtectedHeader

  /// The form that carried the request, custom fields included.
  public let formFields: FormFields

  /// The header field `client-request-id`.
  public let clientRequestID: String
}

extension ProtectedHeader {
  /// `x5c`, the signer's certificate first, which nothing here trusts: one string, which older samples of Apple's show,
  /// or an array. A string may be base64url, as known certificates in other places are.
  package func platformSSOCertificates(limits: Limits) throws(JOSEError) -> [[UInt8]] {
    guard case .string(let text)? = self["x5c"] else {
      return try certificates(limits: limits) ?? []
    }
    guard let certificate = AnyBase64.decode(text), !certificate.isEmpty else {
      throw JOSEError(.headerInvalid, "the parameter is not base64", name: "x5c")
    }
    return [certificate]
  }
}

extension VerifiedRequest: Redacted {}
