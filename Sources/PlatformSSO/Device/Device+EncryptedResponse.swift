import JOSEHTTP
import JOSE
import StrictJSON

extension PlatformSSODevice {
  /// The JWE of a response, if the provider sent one.
  func encryptedMessage(
    _ response: HTTPResponseValue, types: [MessageType]
  ) throws(PlatformSSOError) -> EncryptedMessage {
    try requireSuccess(response)
    guard response.body.count <= limits.tokenByteCount else {
      throw PlatformSSOError(.limitExceeded, "the response is too long", name: "body")
    }
    guard let token = String(validating: response.body, as: UTF8.self), !token.isEmpty else {
      throw PlatformSSOError(.malformed, "the response is empty or no text")
    }
    // The response's type may be absent; the SDK of macOS 13 wants `JWT`.
    return try EncryptedMessage(
      parsing: token, types: types + [.jwt], shortCoordinates: configuration.shortCoordinates,
      acceptsLongVectors: configuration.acceptsLongInitializationVectors, limits: limits)
  }

  /// Requires status 200.
  ///
  /// A wrong credential is 401, or what ``LoginConfiguration/isInvalidCredential`` says of a 400 or 401 with a JSON body.
  /// Source: Apple, Authentication process; platform SSO's error behaviour has no other codes.
  private func requireSuccess(_ response: HTTPResponseValue) throws(PlatformSSOError) {
    guard response.status != 200 else { return }
    var isInvalidCredential = response.status == 401
    if let predicate = configuration.isInvalidCredential, response.status == 400 || response.status == 401,
      let body = try? JSONObject(parsing: response.body, limits: limits.claimsJSON)
    {
      isInvalidCredential = predicate(body)
    }
    guard !isInvalidCredential else {
      throw PlatformSSOError(.credentialRejected, "the provider refused the credential")
    }
    throw PlatformSSOError(.serverUnavailable, "the provider did not answer with status 200")
  }

  /// The plaintext of a response, opened with the device's key and the PartyVInfo of the request.
  func open(_ message: EncryptedMessage, to request: DeviceRequest) throws(PlatformSSOError) -> [UInt8] {
    guard let key = keys.encryptionKey else {
      throw PlatformSSOError(
        .callerMisuse, "the encryption key answers later: prepare the response and finish it", name: "keys")
    }
    let partyVInfo = request.agreementPartyVInfo.octets
    try message.requirePartyVInfo(partyVInfo)
    if message.hasLongVector { return try openLongVector(message, partyVInfo: partyVInfo, key: key) }
    let opened = try reportingJOSE { () throws(JOSEError) in
      try JWE.decrypt(
        message.token, with: key, contentEncryption: [.a256gcm], agreedParties: AgreedParties(partyVInfo: partyVInfo),
        ephemeralKey: message.ephemeralKey, limits: limits)
    }
    return opened.plaintext
  }

  /// Begins to open a response for a key that answers later.
  func prepareOpening(
    _ message: EncryptedMessage, to request: DeviceRequest
  ) throws(PlatformSSOError) -> PreparedDecryption {
    guard !message.hasLongVector else {
      throw PlatformSSOError(
        .initializationVectorUnsupported, "such a response opens with a key in this process only", name: "iv")
    }
    let partyVInfo = request.agreementPartyVInfo.octets
    try message.requirePartyVInfo(partyVInfo)
    return try reportingJOSE { () throws(JOSEError) in
      try JWE.prepareDecryption(
        message.token, contentEncryption: [.a256gcm], agreedParties: AgreedParties(partyVInfo: partyVInfo),
        limits: limits)
    }
  }
}
