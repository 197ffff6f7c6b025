import JOSE
import StrictJSON

extension IdentityProvider {
  /// Opens an encrypted assertion and returns the password. The signature around it has been verified before.
  ///
  /// Source: Apple, Creating an encrypted embedded assertion.
  func encryptedPassword(
    _ assertion: String, outer: MessageMembers, userName: String, request: VerifiedRequest
  ) throws(PlatformSSOError) -> String {
    let message = try EncryptedMessage(
      parsing: assertion, types: configuration.types(.encryptedLoginAssertion), shortCoordinates: .refused,
      limits: configuration.limits)
    guard message.header.type != nil else {
      throw PlatformSSOError(.typeMismatch, "the assertion has no type", name: "typ")
    }
    guard let partyVInfo = message.agreementPartyVInfo else {
      throw PlatformSSOError(.headerInvalid, "the parameter is absent", name: "apv")
    }
    let keys = try decryptionKeys(
      partyVInfo, keyID: message.header.keyID, serverNonce: try outer.string(configuration.serverNonceClaimName),
      request: request)
    let plaintext = try opened(assertion, with: keys)
    let claims = try assertionClaims(plaintext, request: request)
    try checkAssertion(claims, outer: outer, userName: userName, device: request.device)
    return try claims.string("password")
  }

  /// The keys that may open an assertion whose party info keeps the rule that is configured.
  private func decryptionKeys(
    _ partyVInfo: [UInt8], keyID: String?, serverNonce: String, request: VerifiedRequest
  ) throws(PlatformSSOError) -> [DecryptionKey] {
    let keys = configuration.loginRequestDecryptionKeys
    let rule = configuration.assertionPartyVInfo
    let named = EmbeddedAssertionPartyVInfo.recipient(partyVInfo).flatMap { point in
      keys.first { $0.encryptionKey.x963Representation == point }
    }
    let isTable = rule == .sampleOrTable && partyVInfo == request.agreementPartyVInfo.octets
    guard rule == .notChecked || isTable else {
      guard let point = EmbeddedAssertionPartyVInfo.recipient(partyVInfo) else {
        throw PlatformSSOError(.partyInfoMalformed, "not two or three length-prefixed fields", name: "apv")
      }
      guard let named else {
        throw PlatformSSOError(.partyInfoKeyMismatch, "the key is not one of the provider's", name: "apv")
      }
      try EmbeddedAssertionPartyVInfo.check(
        partyVInfo, prefix: configuration.loginRequestEncryptionAPVPrefix, recipientX963Representation: point,
        serverNonce: serverNonce)
      return [named]
    }
    if let named { return [named] }
    // Then `kid` may name the key; if it does not, each is tried.
    let identifier = keyID.flatMap { try? KeyIdentifier(parsing: $0) }
    let identified = keys.filter { key in
      guard let identifier, let point = key.encryptionKey.x963Representation else { return false }
      return KeyIdentifier(ofCheckedPoint: point) == identifier
    }
    return identified.isEmpty ? keys : identified
  }

  private func opened(_ assertion: String, with keys: [DecryptionKey]) throws(PlatformSSOError) -> [UInt8] {
    var failure = PlatformSSOError(.keyNotFound, "no key for encrypted passwords is configured", name: "assertion")
    for key in keys {
      do throws(PlatformSSOError) {
        return try reportingJOSE { () throws(JOSEError) in
          try JWE.decrypt(assertion, with: key, contentEncryption: [.a256gcm], limits: configuration.limits).plaintext
        }
      } catch {
        failure = error
      }
    }
    throw failure
  }

  /// The claims themselves, or by choice a JWT of the device's with the claims in it.
  private func assertionClaims(
    _ plaintext: [UInt8], request: VerifiedRequest
  ) throws(PlatformSSOError) -> MessageMembers {
    guard configuration.acceptsSignedClaimsInAssertions, plaintext.first != 0x7B,
      let token = String(validating: plaintext, as: UTF8.self)
    else {
      return try MessageMembers(parsing: plaintext, limits: configuration.limits)
    }
    let verified = try reportingJOSE { () throws(JOSEError) in
      try JWS.verify(token, with: request.signingKey.verificationKey, limits: configuration.limits)
    }
    return try MessageMembers(parsing: verified.payload, limits: configuration.limits)
  }
}
