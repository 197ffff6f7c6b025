import JOSEHTTP
import JOSE
import StrictJSON

extension PlatformSSODevice {
  /// A request that this device has sent, read back from what was sent: for a process that did not make it itself.
  ///
  /// - Throws: ``PlatformSSOError`` if the request is none of this device's, with these keys and this configuration.
  public func sentRequest(_ httpRequest: HTTPRequestValue) throws(PlatformSSOError) -> DeviceRequest {
    guard let form = try? httpRequest.form(duplicates: .kept),
      let assertion = try? form.uniqueValue(configuration.requestParameterName)
    else {
      throw PlatformSSOError(.formInvalid, "the form has no signed request", name: configuration.requestParameterName)
    }
    let verified = try reportingJOSE { () throws(JOSEError) in
      try JWS.verify(assertion, with: keys.signingVerificationKey, limits: limits)
    }
    let claims = try MessageMembers(parsing: verified.payload, limits: limits)
    let clientNonce = try claims.nonEmptyString("nonce")
    let partyVInfo = try JWECryptoParameters(claims: claims).agreementPartyVInfo
    guard partyVInfo.encryptionKeyX963Representation == keys.encryptionKeyX963Representation else {
      throw PlatformSSOError(.partyInfoKeyMismatch, "the key is not this device's", name: "apv")
    }
    guard partyVInfo.nonce.hasSameBytes(as: clientNonce) else {
      throw PlatformSSOError(.partyInfoNonceMismatch, "the nonce is not the request's", name: "apv")
    }
    return DeviceRequest(
      message: try Self.message(claims), httpRequest: httpRequest, assertion: assertion,
      nonces: RequestNonces(
        serverNonce: try claims.nonEmptyString(configuration.serverNonceClaimName), clientNonce: clientNonce,
        clientRequestID: httpRequest.headers.values("client-request-id").first),
      agreementPartyVInfo: partyVInfo)
  }

  /// Key requests have `request_type`; the grant tells the others apart, whatever `typ` has been made.
  private static func message(_ claims: MessageMembers) throws(PlatformSSOError) -> DeviceRequest.Message {
    if let type = try claims.string(ifPresent: "request_type") {
      return type.hasSameBytes(as: KeyRequestMembers.keyExchange) ? .keyExchange : .key
    }
    return try claims.string("grant_type").hasSameBytes(as: GrantType.refreshToken) ? .refresh : .login
  }
}
