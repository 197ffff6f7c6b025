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
      ofJWS: assertion, types: configuration.types(.loginAssertion), algorithms: nil)
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
    try checkAssertion(
      MessageMembers(parsing: verified.payload, limits: configuration.limits), outer: outer, userName: userName,
      device: device)
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
    // A Secure Enclave signs ES256; what devices may sign with besides is no matter of users' keys.
    guard key.isP256 else {
      throw PlatformSSOError(.algorithmNotAllowed, "the user's key is of another algorithm", name: "alg")
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

  /// The assertion is the same user's, for this provider, for this very request, and alive.
  func checkAssertion(
    _ claims: MessageMembers, outer: MessageMembers, userName: String, device: RegisteredDevice
  ) throws(PlatformSSOError) {
    let optional = configuration.optionalAssertionClaims
    func isAbsent(_ name: String) -> Bool { optional.containsBytes(of: name) && claims.object[name] == nil }
    if !isAbsent("iss") { try claims.require("iss", userName) }
    if !isAbsent("aud") { try claims.requireAudience(oneOf: configuration.assertionAudiences(of: device)) }
    if !isAbsent("sub") { try claims.require("sub", userName) }
    for name in ["nonce", configuration.serverNonceClaimName, "scope"] where !isAbsent(name) {
      // What the request around it has not, which is an option too, can't differ.
      guard let expected = try outer.string(ifPresent: name) else { continue }
      try claims.require(name, expected)
    }
    _ = try checkedTimes(claims, optional: optional)
  }
}
