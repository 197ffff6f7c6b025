import JOSE
import StrictJSON

/// What distinguishes one signed request from another when it is checked.
struct RequestRules: Sendable {
  let type: MessageType
  /// What `platform_sso_version` may be.
  let versions: [String]
  /// What `aud` may be.
  let audiences: @Sendable (RegisteredDevice) -> [String]
  /// Whether `aud` may be absent.
  var isAudienceOptional = false
  /// Whether the message has `client_id`.
  let hasClientID: Bool
  /// Whether Macs add the profile's header fields to the message.
  var hasProfileHeaders = true
}

extension IdentityProvider {
  /// Checks what all signed requests have in common, in the order of the protocol's checklist: HTTP form, header,
  /// device, signature, claims, server nonce, client nonce, `jwe_crypto`. Nothing after the signature looks at anything
  /// unsigned.
  ///
  /// The nonces are used up even if something later is wrong.
  func verify(_ signedForm: SignedForm, rules: RequestRules) async throws(JOSEError) -> VerifiedRequest {
    let form = signedForm.form
    let clientRequestID = try PostedForm.clientRequestID(form.request, rule: configuration.clientRequestID)
    if rules.hasProfileHeaders { try configuration.requiredHTTPHeaders.check(form.request) }
    try signedForm.requireParameter(oneOf: configuration.requestParameterNames)
    try form.checkSignedRequest(versions: rules.versions, requiresFields: configuration.requiresFormFields)
    let signed = try await signedByDevice(signedForm.message, type: rules.type)
    let (device, claims) = (signed.device, signed.claims)
    let clientID = try checkedClient(claims, device: device, rules: rules)
    try checkAudience(claims, device: device, rules: rules)
    let (issuedAt, expiration) = try checkedTimes(claims, optional: configuration.optionalRequestClaims)
    let serverNonce = try claims.nonEmptyString(configuration.serverNonceClaimName)
    let serverName = try checkedServerNonce(serverNonce, boundTo: nonceBinding(clientRequestID))
    let clientNonce: String
    do throws(JOSEError) {
      clientNonce = try claims.string("nonce")
      guard (1...128).contains(clientNonce.utf8.count) else { throw claims.invalid("nonce") }
    } catch {
      try await useNonces(server: serverName)
      throw error
    }
    let clientName = clientNonceName(clientNonce, of: signed.key, expiration: expiration)
    try await useNonces(server: serverName, client: configuration.refusesReusedClientNonces ? clientName : nil)
    let (partyVInfo, encryptionKey) = try checkedEncryption(claims, device: device, clientNonce: clientNonce)
    return VerifiedRequest(
      device: device, signingKey: signed.key, encryptionKey: encryptionKey, clientID: clientID,
      clientNonce: clientNonce, serverNonce: serverNonce, agreementPartyVInfo: partyVInfo, issuedAt: issuedAt,
      expiration: expiration, members: claims, header: signed.header, formFields: form.fields,
      clientRequestID: clientRequestID)
  }

  /// The form of a request that is known to be of a signed kind, with what is signed parsed.
  func signedForm(_ request: HTTPRequestValue) throws(JOSEError) -> SignedForm {
    try PostedForm(request, configuration: configuration).signed(
      parameterNames: configuration.requestParameterNames, limits: configuration.limits)
  }

  /// The claims of a token that a registered device signed, with the device and the key. Times and nonces have not been
  /// looked at.
  func signedByDevice(
    _ token: UnverifiedJWS, type: MessageType
  ) async throws(JOSEError) -> (
    device: RegisteredDevice, key: RegisteredKey, claims: MessageMembers, header: ProtectedHeader
  ) {
    try checkHeader(
      token.unverifiedHeader, types: configuration.types(type),
      algorithms: configuration.deviceSignatureAlgorithms.map(\.name))
    let keyID = try requiredKeyID(token.unverifiedHeader)
    guard
      let device = try await JOSEError.askingStore({
        try await devices.device(signingKeyID: keyID, tenant: tenant)
      }),
      let key = device.signingKey(keyID)
    else {
      throw JOSEError(.deviceUnknown, "no device is registered with the signing key", name: "kid")
    }
    guard configuration.deviceSignatureAlgorithms.contains(key.algorithm) else {
      throw JOSEError(.algorithmNotAllowed, "the device's key is of another algorithm", name: "alg")
    }
    let known = preparedKeys.value { $0 == keyID }
    let verificationKey: VerificationKey
    if let known { verificationKey = known } else { verificationKey = try key.verificationKey }
    let claims = try verifiedClaims(of: token, with: verificationKey)
    // A stranger, who can't sign, pushes no device's key out.
    if known == nil { preparedKeys.insert(verificationKey, for: keyID) }
    return (device, key, claims, token.unverifiedHeader)
  }

  /// The claims of a token, once a key has verified its signature.
  func verifiedClaims(of token: UnverifiedJWS, with key: VerificationKey) throws(JOSEError) -> MessageMembers {
    _ = try token.verified(with: key)
    return MessageMembers(try token.claimsObject())
  }

  /// The identifier of the signing key, from a header that keeps the rules. Nothing in it is authentic yet.
  private func requiredKeyID(_ header: ProtectedHeader) throws(JOSEError) -> KeyIdentifier {
    guard let keyID = header.keyID else {
      throw JOSEError(.headerInvalid, "the parameter is absent", name: "kid")
    }
    return try KeyIdentifier(parsing: keyID)
  }

  /// Requires the header of one of some types, with one of some algorithms, without extensions.
  func checkHeader(
    _ header: ProtectedHeader, types: [MessageType], algorithms: [String]?
  ) throws(JOSEError) {
    guard header.critical.isEmpty else {
      throw JOSEError(.criticalHeaderUnsupported, "crit must be absent", name: "crit")
    }
    for name in ["zip", "b64"] where header[name] != nil {
      throw JOSEError(.headerInvalid, "the parameter is not allowed in this message", name: name)
    }
    guard let type = header.type, types.contains(where: { $0.matches(type) }) else {
      throw JOSEError(.typeMismatch, "the message has an unexpected type", name: "typ")
    }
    if let algorithms {
      guard algorithms.contains(header.algorithmName) else {
        throw JOSEError(.algorithmNotAllowed, "requests are not signed with this algorithm", name: "alg")
      }
    }
  }

  private func checkedClient(
    _ claims: MessageMembers, device: RegisteredDevice, rules: RequestRules
  ) throws(JOSEError) -> String {
    let clientIDs = configuration.clientIDs(of: device)
    let optional = configuration.optionalRequestClaims
    let issuer = try claims.string("iss", optional: optional).map { WireName($0) }
    if let issuer, !clientIDs.contains(issuer) { throw claims.mismatch("iss") }
    let clientID = rules.hasClientID ? try claims.string("client_id", optional: optional) : nil
    // Both name the client, so they must name the same one.
    if let clientID {
      let isKnown = issuer.map { $0 == clientID } ?? clientIDs.contains(WireName(clientID))
      guard isKnown else { throw claims.mismatch("client_id") }
    }
    return issuer?.text ?? clientID ?? clientIDs.first ?? ""
  }

  private func checkAudience(
    _ claims: MessageMembers, device: RegisteredDevice, rules: RequestRules
  ) throws(JOSEError) {
    let mayBeAbsent = rules.isAudienceOptional || configuration.optionalRequestClaims.wireNames.contains("aud")
    if mayBeAbsent, claims.object["aud"] == nil { return }
    try claims.requireAudience(oneOf: rules.audiences(device))
  }

  /// Rules that one product's server has for its tokens: the device's keys named in claims, and scopes that must be
  /// asked for.
  func checkProductRules(_ request: VerifiedRequest, scope: String) throws(JOSEError) {
    let claims = request.members
    if configuration.checksKeyIdentifierClaims {
      for (name, key) in [("signKeyId", request.signingKey), ("encKeyId", request.encryptionKey)] {
        let text = try claims.string(name)
        guard let keyID = try? KeyIdentifier(parsing: text), keyID == key.keyID else { throw claims.mismatch(name) }
      }
    }
    let scopes = scope.words.wireNames
    guard configuration.requiredScopes.allSatisfy({ scopes.contains($0) }) else {
      throw claims.mismatch("scope")
    }
  }

  /// `jwe_crypto`: for whom the answer is to be encrypted.
  private func checkedEncryption(
    _ claims: MessageMembers, device: RegisteredDevice, clientNonce: String
  ) throws(JOSEError) -> (PartyVInfo, RegisteredKey) {
    let isOpaque = configuration.acceptsOpaquePartyVInfo
    let partyVInfo = try JWECryptoParameters.partyVInfo(claims, isOpaque: isOpaque)
    let named = device.encryptionKey(x963Representation: partyVInfo.encryptionKeyX963Representation)
    guard let encryptionKey = named ?? (isOpaque ? device.encryptionKey : nil) else {
      throw JOSEError(.partyInfoKeyMismatch, "the key is not the device's registered one", name: "apv")
    }
    guard isOpaque || WireName(partyVInfo.nonce) == clientNonce else {
      throw JOSEError(.partyInfoNonceMismatch, "the nonce is not the request's", name: "apv")
    }
    return (partyVInfo, encryptionKey)
  }

  /// `sub`, which `username` repeats.
  func checkedUserName(_ claims: MessageMembers) throws(JOSEError) -> String {
    let optional = configuration.optionalRequestClaims
    let subject = try claims.string("sub", optional: optional)
    let userName = try claims.string("username", optional: optional)
    if let subject, subject.isEmpty { throw claims.invalid("sub") }
    if let userName, userName.isEmpty { throw claims.invalid("username") }
    if let subject, let userName, WireName(subject) != userName { throw claims.mismatch("username") }
    guard let name = subject ?? userName else { throw claims.missing("sub") }
    return name
  }

  /// `iat` is not in the future and `exp` is, not too far behind it.
  func checkedTimes(
    _ claims: MessageMembers, optional: [String]
  ) throws(JOSEError) -> (NumericDate, NumericDate) {
    guard (.zero ... .seconds(600)).contains(configuration.clockSkew) else {
      throw JOSEError(.callerMisuse, "the clock skew is 0 to 600 seconds", name: "clockSkew")
    }
    let now = clock.now
    let issuedAt = try claims.time("iat")
    guard issuedAt <= now.advanced(by: configuration.clockSkew) else {
      throw JOSEError(.claimNotYetValid, "the request was made in the future", name: "iat")
    }
    // A request that names no end lives as long as a Mac's do.
    let isOptional = optional.wireNames.contains("exp")
    let named = isOptional ? try claims.time(ifPresent: "exp") : try claims.time("exp")
    let expiration = named ?? issuedAt.advanced(by: 300)
    guard expiration > now else { throw JOSEError(.claimExpired, "the request has expired", name: "exp") }
    guard expiration <= issuedAt.advanced(by: configuration.maximumLifetime) else {
      throw JOSEError(.lifetimeTooLong, "the request lives longer than is accepted", name: "exp")
    }
    return (issuedAt, expiration)
  }
}
