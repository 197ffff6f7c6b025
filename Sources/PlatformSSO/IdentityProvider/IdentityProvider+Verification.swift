import JOSEHTTP
import JOSE
import StrictJSON

/// What distinguishes one signed request from another when it is checked.
struct RequestRules: Sendable {
  let type: MessageType
  /// What `platform_sso_version` may be.
  let versions: [String]
  /// What `aud` may be.
  let audiences: [String]
  /// Whether `aud` may be absent.
  let isAudienceOptional: Bool
  /// Whether the message has `client_id`.
  let hasClientID: Bool
}

extension IdentityProvider {
  /// Checks what all signed requests have in common, in the order of the protocol's checklist: HTTP form, header, device, signature,
  /// claims, server nonce, client nonce, `jwe_crypto`. Nothing after the signature looks at anything unsigned.
  ///
  /// The nonces are used up even if something later is wrong.
  func verify(_ request: HTTPRequestValue, rules: RequestRules) async throws(PlatformSSOError) -> VerifiedRequest {
    let form = try PostedForm(request, configuration: configuration)
    let token = try form.signedRequest(
      versions: rules.versions, parameterNames: configuration.requestParameterNames)
    let signed = try await signedByDevice(token, type: rules.type)
    let device = signed.device
    let claims = MessageMembers(signed.claims)
    let clientID = try checkedClient(claims, rules: rules)
    try checkAudience(claims, rules: rules)
    let (issuedAt, expiration) = try checkedTimes(claims)
    let serverNonce = try claims.nonEmptyString(configuration.serverNonceClaimName)
    try await consumeServerNonce(serverNonce, form: form)
    let clientNonce = try claims.string("nonce")
    guard (1...128).contains(clientNonce.utf8.count) else { throw claims.invalid("nonce") }
    try await consumeClientNonce(clientNonce, of: signed.key, expiration: expiration)
    let partyVInfo = try JWECryptoParameters(claims: claims).agreementPartyVInfo
    guard let encryptionKey = device.encryptionKey(x963Representation: partyVInfo.encryptionKeyX963Representation)
    else {
      throw PlatformSSOError(.partyInfoKeyMismatch, "the key is not the device's registered one", name: "apv")
    }
    guard partyVInfo.nonce.hasSameBytes(as: clientNonce) else {
      throw PlatformSSOError(.partyInfoNonceMismatch, "the nonce is not the request's", name: "apv")
    }
    return VerifiedRequest(
      device: device, signingKey: signed.key, encryptionKey: encryptionKey, clientID: clientID,
      clientNonce: clientNonce, serverNonce: serverNonce, agreementPartyVInfo: partyVInfo, issuedAt: issuedAt,
      expiration: expiration, claims: claims.object, header: signed.header, formFields: form.fields,
      clientRequestID: form.clientRequestID)
  }

  /// The claims of a token that a registered device signed, with the device and the key. Times and nonces have not been looked at.
  func signedByDevice(
    _ token: String, type: MessageType
  ) async throws(PlatformSSOError) -> (
    device: RegisteredDevice, key: RegisteredKey, claims: JSONObject, header: ProtectedHeader
  ) {
    let keyID = try requiredKeyID(token, types: configuration.types(type))
    guard let device = try await askingStore({ try await store.device(signingKeyID: keyID) }),
      let key = device.signingKey(keyID)
    else {
      throw PlatformSSOError(.deviceUnknown, "no device is registered with the signing key", name: "kid")
    }
    let verified = try reportingJOSE { () throws(JOSEError) in
      try JWS.verify(token, with: key.verificationKey, limits: configuration.limits)
    }
    let claims = try MessageMembers(parsing: verified.payload, limits: configuration.limits)
    return (device, key, claims.object, verified.header)
  }

  /// The identifier of the signing key, from a header that keeps the rules. Nothing in it is authentic yet.
  func requiredKeyID(_ token: String, types: [MessageType]) throws(PlatformSSOError) -> KeyIdentifier {
    let header = try unverifiedHeader(ofJWS: token, types: types, algorithm: SignatureAlgorithm.es256.name)
    guard let keyID = header.keyID else {
      throw PlatformSSOError(.headerInvalid, "the parameter is absent", name: "kid")
    }
    return try KeyIdentifier(parsing: keyID)
  }

  /// The header of a compact JWS: of one of some types, with one algorithm, without extensions.
  func unverifiedHeader(
    ofJWS token: String, types: [MessageType], algorithm: String?
  ) throws(PlatformSSOError) -> ProtectedHeader {
    guard token.utf8.count(where: { $0 == 0x2E }) == 2 else {
      throw PlatformSSOError(.malformed, "not a compact JWS")
    }
    let header = try reportingJOSE { () throws(JOSEError) in
      try UnverifiedToken(parsing: token, limits: configuration.limits).unverifiedHeader
    }
    guard header.critical.isEmpty else {
      throw PlatformSSOError(.criticalHeaderUnsupported, "no extension is understood", name: "crit")
    }
    for name in ["zip", "b64"] where header[name] != nil {
      throw PlatformSSOError(.headerInvalid, "the parameter has no place in this message", name: name)
    }
    guard let type = header.type, types.contains(where: { $0.matches(type) }) else {
      throw PlatformSSOError(.typeMismatch, "the message is of another type", name: "typ")
    }
    if let algorithm {
      guard header.algorithm.hasSameBytes(as: algorithm) else {
        throw PlatformSSOError(.algorithmNotAllowed, "requests are signed with ES256", name: "alg")
      }
    }
    return header
  }

  private func checkedClient(_ claims: MessageMembers, rules: RequestRules) throws(PlatformSSOError) -> String {
    try claims.require("iss", oneOf: configuration.clientIDs)
    let issuer = try claims.string("iss")
    // Both name the client, so they must name the same one.
    if rules.hasClientID { try claims.require("client_id", issuer) }
    return issuer
  }

  private func checkAudience(_ claims: MessageMembers, rules: RequestRules) throws(PlatformSSOError) {
    if rules.isAudienceOptional, claims.object["aud"] == nil { return }
    try claims.require("aud", oneOf: rules.audiences)
  }

  /// `iat` is not in the future and `exp` is, not too far behind it.
  func checkedTimes(_ claims: MessageMembers) throws(PlatformSSOError) -> (NumericDate, NumericDate) {
    guard (0...600).contains(configuration.clockSkew) else {
      throw PlatformSSOError(.callerMisuse, "the clock skew is 0 to 600 seconds", name: "clockSkew")
    }
    let now = clock.now
    let issuedAt = try claims.time("iat")
    guard issuedAt <= now.advanced(by: configuration.clockSkew) else {
      throw PlatformSSOError(.claimNotYetValid, "the request was made in the future", name: "iat")
    }
    let expiration = try claims.time("exp")
    guard expiration > now else { throw PlatformSSOError(.claimExpired, "the request has expired", name: "exp") }
    guard expiration <= issuedAt.advanced(by: configuration.maximumLifetime) else {
      throw PlatformSSOError(.lifetimeTooLong, "the request lives longer than is accepted", name: "exp")
    }
    return (issuedAt, expiration)
  }
}
