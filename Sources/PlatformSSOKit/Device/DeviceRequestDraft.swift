import JOSE
import StrictJSON

/// What distinguishes one signed request from another before it is signed.
struct DeviceRequestDraft: Sendable {
  let message: DeviceRequest.Message
  let type: MessageType
  let responseType: MessageType
  let url: String
  /// `platform_sso_version` of the form.
  let version: String
  let nonces: RequestNonces
  /// The claims that the message defines, without server nonce and `jwe_crypto`.
  var claims: JSONObject
  /// Names that custom claims must not use, beside those in `claims`.
  let reservedClaims: [WireName]
  let customClaims: CustomClaims
  let customValues: FormFields
  let additionalHTTPHeaders: AdditionalHTTPHeaders
  /// Credentials that the claims don't show.
  var withheld: [String] = []

  /// The request once it is signed.
  func request(
    assertion: String, configuration: LoginConfiguration, agreementPartyVInfo: PartyVInfo
  ) throws(JOSEError) -> DeviceRequest {
    var fields = FormFields()
    fields.append("platform_sso_version", version)
    fields.append("grant_type", GrantType.jwtBearer)
    fields.append(configuration.requestParameterName, assertion)
    for value in customValues.fields { fields.append(value.name, value.value) }
    return DeviceRequest(
      message: message,
      httpRequest: .post(
        fields, to: url,
        headers: try .fields(
          additionalHTTPHeaders.added(to: [
            ("Accept", responseType.mediaType), ("client-request-id", nonces.clientRequestID),
          ]))),
      assertion: assertion, nonces: nonces, agreementPartyVInfo: agreementPartyVInfo,
      asksForKey: claims["other_publickey"] != nil,
      withheld: [assertion] + withheld + configuration.credentials(in: claims) + configuration.withheldValues
        + customClaims.withheldValues)
  }
}

extension PlatformSSODevice {
  /// Signs a draft with the device's key.
  func signed(_ draft: DeviceRequestDraft) throws(JOSEError) -> DeviceRequest {
    guard let signingKey = keys.signingKey else {
      throw JOSEError(
        .callerMisuse, "the signing key answers later: prepare the request and finish it", name: "keys")
    }
    let (claims, header, partyVInfo) = try parts(draft)
    let assertion = try JWS.sign(
      MessageText.octets(claims, isIndented: configuration.indentsJSON), with: signingKey, header: header)
    return try draft.request(
      assertion: assertion, configuration: configuration, agreementPartyVInfo: partyVInfo)
  }

  /// Makes a draft ready for a signer that answers later.
  func prepared(_ draft: DeviceRequestDraft) throws(JOSEError) -> PreparedMessage<DeviceRequest> {
    let (claims, header, partyVInfo) = try parts(draft)
    let jws = try JWS.prepare(
      MessageText.octets(claims, isIndented: configuration.indentsJSON), for: keys.signingVerificationKey,
      header: header)
    return PreparedMessage(jws) { [configuration] token throws(JOSEError) in
      try draft.request(assertion: token, configuration: configuration, agreementPartyVInfo: partyVInfo)
    }
  }

  private func parts(
    _ draft: DeviceRequestDraft
  ) throws(JOSEError) -> (JSONObject, HeaderParameters, PartyVInfo) {
    let partyVInfo = PartyVInfo(
      encryptionKeyX963Representation: keys.encryptionKeyX963Representation, nonce: draft.nonces.clientNonce)
    var claims = draft.claims
    guard claims[configuration.serverNonceClaimName] == nil else {
      throw JOSEError(
        .customClaimReserved, "the server nonce would replace another claim", name: "serverNonceClaimName")
    }
    // A Mac has the one nonce beside the other.
    claims = JSONObject(
      claims.members.flatMap { name, value in
        let isNonce = WireName(name) == "nonce"
        let nonce = JSONValue.string(draft.nonces.serverNonce)
        return isNonce ? [(name, value), (configuration.serverNonceClaimName, nonce)] : [(name, value)]
      })
    claims[JWECryptoParameters.claimName] = JWECryptoParameters.value(partyVInfo)
    try draft.customClaims.append(to: &claims, reserved: draft.reservedClaims)
    if configuration.ordersClaimsAsCaptured {
      claims = CapturedOrder.applied(to: claims, serverNonceName: configuration.serverNonceClaimName)
    }
    let header = try draft.customClaims.headerParameters(
      type: draft.type, keyID: keys.signingKeyID.text, certificate: keys.signingCertificate,
      isArray: configuration.writesCertificateArray,
      isIndented: configuration.indentsJSON)
    return (claims, header, partyVInfo)
  }

  /// `iat` and `exp`: now, and five minutes from now.
  func lifetime() -> (issuedAt: JSONValue, expiration: JSONValue) {
    let now = clock.now.wholeSeconds
    // A date has magnitude 2⁵³ at most.
    return (.number(JSONNumber(now)), .number(JSONNumber(now + 300)))
  }
}
