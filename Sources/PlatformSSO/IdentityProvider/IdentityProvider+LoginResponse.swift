import JOSEHTTP
import JOSE
import StrictJSON

extension IdentityProvider {
  /// Answers a refresh request with new tokens, encrypted for the device.
  ///
  /// - Throws: ``PlatformSSOErrorCode/callerMisuse`` if the tokens have no lifetime.
  public func loginResponse(
    to request: RefreshRequest, _ response: LoginResponse
  ) throws(PlatformSSOError) -> HTTPResponseValue {
    try loginResponse(to: request.request, response)
  }

  /// An `id_token` for the user of a refresh request.
  ///
  /// - Parameters:
  ///   - request: gives `aud` and `nonce`.
  ///   - subject: `sub`: the user's name for good.
  ///   - additional: further claims, such as `preferred_username`, `name` and `groups`. They can't replace the others.
  /// - Throws: ``PlatformSSOErrorCode/customClaimReserved``, ``PlatformSSOErrorCode/externalKeyFailed``, and
  ///   ``PlatformSSOErrorCode/keyUnsuitable`` if ``IdentityProvider/idTokenKey`` was replaced by one of another algorithm.
  public func idToken(
    for request: RefreshRequest, subject: String, additional: JSONObject = [:]
  ) throws(PlatformSSOError) -> String {
    try idToken(for: request.request, subject: subject, additional: additional)
  }

  func loginResponse(
    to request: VerifiedRequest, _ response: LoginResponse
  ) throws(PlatformSSOError) -> HTTPResponseValue {
    let token = try encryptedResponse(try response.jsonObject(), to: request, type: .loginResponse)
    return .success(mediaType: MessageType.loginResponse.mediaType, body: Array(token.utf8))
  }

  /// A JWE for the device with Apple's party infos, a fresh ephemeral key and a fresh initialization vector.
  func encryptedResponse(
    _ body: JSONObject, to request: VerifiedRequest, type: MessageType
  ) throws(PlatformSSOError) -> String {
    let recipient = try request.encryptionKey.recipient
    let partyVInfo = request.agreementPartyVInfo.octets
    return try reportingJOSE { () throws(JOSEError) in
      try JWE.encrypt(
        body.serialized(), to: recipient, contentEncryption: .a256gcm, header: HeaderParameters(type: type.name),
        agreementPartyUInfo: .madeFromEphemeralKey { PartyUInfo(ephemeralKeyX963Representation: $0).octets },
        agreementPartyVInfo: configuration.repeatsPartyVInfo ? .octets(partyVInfo) : .agreed(partyVInfo))
    }
  }

  func idToken(
    for request: VerifiedRequest, subject: String, additional: JSONObject
  ) throws(PlatformSSOError) -> String {
    try Self.requireSuitable(idTokenKey)
    let now = clock.now.wholeSeconds
    var claims: JSONObject = [
      "iss": .string(configuration.issuer),
      "aud": .string(request.clientID),
      "sub": .string(subject),
      "nonce": .string(request.clientNonce),
      "iat": .number(JSONNumber(now)),
      "exp": .number(JSONNumber(now + configuration.idTokenLifetime)),
    ]
    try CustomClaims(body: additional).append(to: &claims, reserved: ["nbf", "azp"])
    let payload = claims
    return try reportingJOSE { () throws(JOSEError) in try JWT.sign(payload, with: idTokenKey) }
  }
}
