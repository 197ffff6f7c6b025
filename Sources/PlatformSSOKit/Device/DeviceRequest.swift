import PureCrypto
import JOSE

/// A signed request, ready to be sent, and what the device must remember until the response comes.
public struct DeviceRequest: Sendable {
  /// Which message it is.
  public enum Message: Sendable, Hashable {
    /// A login request.
    case login
    /// A refresh request.
    case refresh
    /// A key request.
    case key
    /// A key exchange request.
    case keyExchange
  }

  /// Which message it is.
  public let message: Message

  /// What to send.
  public let httpRequest: HTTPRequestValue

  /// The signed request alone, a compact JWS.
  public let assertion: String

  /// The request's nonces.
  public let nonces: RequestNonces

  /// For whom the response is to be encrypted. The device opens the response with these octets, not with the
  /// response's.
  public let agreementPartyVInfo: PartyVInfo
}

/// A request that lacks its signature, for a signer that answers later.
///
/// Sign ``signingInput`` with the device's signing key, then call ``finish(signature:)``.
public struct PreparedDeviceRequest: Sendable {
  let jws: PreparedJWS
  let draft: DeviceRequestDraft
  let agreementPartyVInfo: PartyVInfo
  let formParameterName: String

  /// What to sign with ES256: ASCII octets, to be hashed with SHA-256.
  public var signingInput: [UInt8] { jws.signingInput }

  /// The signed request.
  ///
  /// - Parameter signature: r ‖ s, 32 octets each, big-endian; not DER.
  /// - Throws: `ErrorCode.externalKeyFailed` if the signature does not verify with the device's public
  ///   key.
  public func finish(signature: [UInt8]) throws(PlatformSSOError) -> DeviceRequest {
    let assertion = try jws.finish(signature: signature)
    return try draft.request(
      assertion: assertion, formParameterName: formParameterName, agreementPartyVInfo: agreementPartyVInfo)
  }
}

extension DeviceRequest: Redacted {}

extension PreparedDeviceRequest: Redacted {}
