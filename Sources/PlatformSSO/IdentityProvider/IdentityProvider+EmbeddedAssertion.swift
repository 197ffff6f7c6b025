import JOSE
import StrictJSON

extension IdentityProvider {
  /// Verifies the assertion of a user's Secure Enclave key or smart card against the request around it.
  ///
  /// Source: Apple, Creating an embedded assertion.
  func signedAssertion(
    _ assertion: String, outer: MessageMembers, userName: String, device: RegisteredDevice
  ) async throws(PlatformSSOError) -> LoginCredential {
    let header = try unverifiedHeader(
      ofJWS: assertion, types: configuration.types(.loginAssertion), algorithm: nil)
    let certificates = try header.platformSSOCertificates(limits: configuration.limits)
    let credential: LoginCredential
    let key: VerificationKey
    if certificates.isEmpty {
      let userKey = try await userKey(header, userName: userName, device: device)
      key = userKey.verificationKey
      credential = .userKey(userKey)
    } else {
      key = try await smartCardKey(certificates, userName: userName, device: device)
      credential = .smartCard(certificates: certificates)
    }
    let verified = try reportingJOSE { () throws(JOSEError) in
      try JWS.verify(assertion, with: key, limits: configuration.limits)
    }
    try checkAssertion(MessageMembers(parsing: verified.payload, limits: configuration.limits), outer: outer)
    return credential
  }

  private func userKey(
    _ header: ProtectedHeader, userName: String, device: RegisteredDevice
  ) async throws(PlatformSSOError) -> RegisteredKey {
    guard let text = header.keyID else {
      throw PlatformSSOError(.headerInvalid, "the parameter is absent", name: "kid")
    }
    let keyID = try KeyIdentifier(parsing: text)
    guard let key = try await askingStore({ try await store.userKey(keyID, of: userName, on: device) }),
      key.keyID == keyID
    else {
      throw PlatformSSOError(.userKeyUnknown, "the user has no such key on this device", name: "kid")
    }
    return key
  }

  private func smartCardKey(
    _ certificates: [[UInt8]], userName: String, device: RegisteredDevice
  ) async throws(PlatformSSOError) -> VerificationKey {
    let key = try await askingStore {
      try await store.smartCardKey(certificates: certificates, of: userName, on: device)
    }
    guard let key else {
      throw PlatformSSOError(.userKeyUnknown, "the smart card is not one of the user's", name: "x5c")
    }
    guard EmbeddedAssertionRules.algorithms.contains(key.algorithm) else {
      throw PlatformSSOError(.keyUnsuitable, "a smart card signs ES256, RS256, RS384 or RS512", name: "x5c")
    }
    return key
  }

  /// Opens an encrypted assertion and returns the password. The signature around it has been verified before.
  ///
  /// Source: Apple, Creating an encrypted embedded assertion.
  func encryptedPassword(_ assertion: String, outer: MessageMembers) throws(PlatformSSOError) -> String {
    let message = try EncryptedMessage(
      parsing: assertion, types: [.encryptedLoginAssertion], shortCoordinates: .refused, limits: configuration.limits)
    guard message.header.type != nil else {
      throw PlatformSSOError(.typeMismatch, "the assertion has no type", name: "typ")
    }
    guard let partyVInfo = message.agreementPartyVInfo else {
      throw PlatformSSOError(.headerInvalid, "the parameter is absent", name: "apv")
    }
    guard let point = EmbeddedAssertionPartyVInfo.recipient(partyVInfo) else {
      throw PlatformSSOError(.partyInfoMalformed, "not two or three length-prefixed fields", name: "apv")
    }
    let keys = configuration.loginRequestDecryptionKeys
    guard let key = keys.first(where: { $0.encryptionKey.x963Representation == point }) else {
      throw PlatformSSOError(.partyInfoKeyMismatch, "the key is not one of the provider's", name: "apv")
    }
    try EmbeddedAssertionPartyVInfo.check(
      partyVInfo, prefix: configuration.loginRequestEncryptionAPVPrefix, recipientX963Representation: point,
      serverNonce: try outer.string(configuration.serverNonceClaimName))
    let opened = try reportingJOSE { () throws(JOSEError) in
      try JWE.decrypt(assertion, with: key, contentEncryption: [.a256gcm], limits: configuration.limits)
    }
    let claims = try MessageMembers(parsing: opened.plaintext, limits: configuration.limits)
    try checkAssertion(claims, outer: outer)
    return try claims.string("password")
  }

  /// The assertion is the same user's, for this provider, for this very request, and alive.
  private func checkAssertion(_ claims: MessageMembers, outer: MessageMembers) throws(PlatformSSOError) {
    try claims.require("iss", try outer.string("sub"))
    try claims.require("aud", configuration.audience)
    for name in ["sub", "nonce", configuration.serverNonceClaimName, "scope"] {
      try claims.require(name, try outer.string(name))
    }
    _ = try checkedTimes(claims)
  }
}
