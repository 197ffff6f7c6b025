import PureCrypto
import JOSE
import StrictJSON

extension IdentityProvider {
  /// Checks a refresh request: everything that is common to signed requests, then the refresh token.
  ///
  /// Source: Apple, Creating a refresh request.
  package func refreshRequest(from request: HTTPRequestValue) async throws(JOSEError) -> TokenEndpointRequest {
    try await refreshRequest(in: signedForm(request))
  }

  func refreshRequest(in form: SignedForm) async throws(JOSEError) -> TokenEndpointRequest {
    let verified = try await verify(
      form,
      rules: RequestRules(
        type: .refreshRequest, versions: configuration.refreshRequestVersions, audiences: { _ in refreshAudiences },
        hasClientID: true, hasProfileHeaders: false))
    let claims = verified.members
    try claims.require("grant_type", GrantType.refreshToken)
    let scope = try claims.string("scope", optional: configuration.optionalRequestClaims) ?? ""
    let authorizationScope = try AuthorizationScope(in: scope)
    let refreshToken = try claims.nonEmptyString("refresh_token")
    let login = try await requireLogin(refreshToken, device: verified.device)
    // The message has neither; an extension that adds one must mean the same user.
    for name in ["sub", "username"] {
      if let userName = try claims.string(ifPresent: name), WireName(userName) != login.userName {
        throw claims.mismatch(name)
      }
    }
    try checkProductRules(verified, scope: scope)
    try await requireAccount(login.userName, device: verified.device)
    return TokenEndpointRequest(
      request: verified, userName: login.userName,
      credential: .refreshToken(isCurrent: login.isCurrent), scope: scope,
      authorizationScope: authorizationScope, requestedGroups: [], previousRefreshToken: nil)
  }

  /// Apple's pages name the token endpoint, the sample too, and the refresh endpoint.
  private var refreshAudiences: [String] {
    configuration.tokenEndpointURLs + (configuration.refreshEndpointURL.map { [$0] } ?? [])
  }

  /// Requires that a refresh token was given to a device, is current or was replaced a moment ago, and has not expired.
  ///
  /// All faults look the same, so that an answer doesn't say which tokens exist.
  func requireLogin(
    _ refreshToken: String, device: RegisteredDevice
  ) async throws(JOSEError) -> (userName: String, isCurrent: Bool) {
    let known = try await JOSEError.askingStore { try await logins.known(refreshToken) }
    let now = clock.now
    guard let (login, token) = known, let registration = device.registrationID,
      WireName(login.registration) == registration,
      token.isHonoured(at: now, grace: configuration.replacedRefreshTokenGrace)
    else {
      throw JOSEError(
        .refreshTokenRejected, "the refresh token is not a current one of this device", name: "refresh_token")
    }
    return (login.userName, token.replacedAt == nil)
  }
}

extension IdentityProvider {
  /// Checks a request to the key endpoint.
  ///
  /// Source: Apple, Supporting key requests and key exchange requests.
  package func keyEndpointRequest(
    from request: HTTPRequestValue
  ) async throws(JOSEError) -> KeyEndpointRequest {
    try await keyEndpointRequest(in: signedForm(request))
  }

  func keyEndpointRequest(in form: SignedForm) async throws(JOSEError) -> KeyEndpointRequest {
    let verified = try await verify(
      form,
      rules: RequestRules(
        type: .keyRequest, versions: PostedForm.keyVersions,
        audiences: { device in configuration.keyRequestAudiences(of: device) },
        isAudienceOptional: !configuration.requiresAudienceInKeyRequests, hasClientID: false))
    let claims = verified.members
    try claims.require("version", KeyRequestMembers.version)
    try claims.require("request_type", oneOf: [KeyRequestMembers.keyRequest, KeyRequestMembers.keyExchange])
    try claims.require("key_purpose", KeyRequestMembers.userUnlock)
    let userName = try checkedUserName(claims)
    let refreshToken = try claims.nonEmptyString("refresh_token")
    let isExchange = try claims.name("request_type") == KeyRequestMembers.keyExchange
    let otherPublicKey =
      isExchange
      ? try KeyEndpointRequest.otherPublicKey(claims, inAnyBase64: configuration.acceptsAnyBase64InKeyExchange) : nil
    let keyContext = try claims.string(ifPresent: "key_context")
    let login = try await requireLogin(refreshToken, device: verified.device)
    guard WireName(login.userName) == userName else {
      throw JOSEError(.refreshTokenRejected, "the refresh token belongs to another user", name: "refresh_token")
    }
    try await requireAccount(userName, device: verified.device)
    return KeyEndpointRequest(
      request: verified, userName: userName, refreshToken: refreshToken, keyContext: keyContext,
      otherPublicKey: otherPublicKey)
  }
}

extension IdentityProvider {
  /// Verifies the assertion of a user's Secure Enclave key or smart card against the request around it.
  ///
  /// Source: Apple, Creating an embedded assertion.
  func signedAssertion(
    _ assertion: String, outer: MessageMembers, userName: String, device: RegisteredDevice
  ) async throws(JOSEError) -> LoginCredential {
    let token = try UnverifiedJWS(parsing: assertion, limits: configuration.limits)
    let header = token.unverifiedHeader
    try checkHeader(header, types: configuration.types(.loginAssertion), algorithms: nil)
    let certificates = try header.platformSSOCertificates(limits: configuration.limits)
    let credential: LoginCredential
    let key: VerificationKey
    if certificates.isEmpty {
      let userKey = try await userKey(header, userName: userName, device: device)
      key = try userKey.verificationKey
      credential = .userKey(userKey)
    } else {
      key = try await smartCardKey(certificates, userName: userName, device: device)
      credential = .smartCard(certificates: certificates)
    }
    let claims = try verifiedClaims(of: token, with: key)
    // Whatever may be absent: a signature that names no nonce would be good for every request.
    if claims.object["nonce"] == nil { _ = try claims.string(configuration.serverNonceClaimName) }
    try checkAssertion(claims, outer: outer, userName: userName, device: device)
    return credential
  }

  private func userKey(
    _ header: ProtectedHeader, userName: String, device: RegisteredDevice
  ) async throws(JOSEError) -> RegisteredKey {
    guard let text = header.keyID else {
      throw JOSEError(.headerInvalid, "the parameter is absent", name: "kid")
    }
    let keyID = try KeyIdentifier(parsing: text)
    guard
      let key = try await JOSEError.askingStore({ try await logins.userKey(of: userName, on: device) }),
      key.keyID == keyID
    else {
      throw JOSEError(.userKeyUnknown, "the user has no such key on this device", name: "kid")
    }
    // A Secure Enclave signs ES256; what devices may sign with besides is not a matter of users' keys.
    guard key.isP256 else {
      throw JOSEError(.algorithmNotAllowed, "the user's key is of another algorithm", name: "alg")
    }
    return key
  }

  private func smartCardKey(
    _ certificates: [[UInt8]], userName: String, device: RegisteredDevice
  ) async throws(JOSEError) -> VerificationKey {
    let key = try await JOSEError.askingStore {
      try await users.smartCardKey(certificates: certificates, of: userName, on: device)
    }
    guard let key else {
      throw JOSEError(.userKeyUnknown, "the smart card is not one of the user's", name: "x5c")
    }
    guard SigningRules.assertion.contains(key.algorithm) else {
      throw JOSEError(.keyMismatch, "a smart card signs ES256, RS256, RS384 or RS512", name: "x5c")
    }
    return key
  }

  /// The assertion is the same user's, for this provider, for this very request, and alive.
  func checkAssertion(
    _ claims: MessageMembers, outer: MessageMembers, userName: String, device: RegisteredDevice
  ) throws(JOSEError) {
    let optional = configuration.optionalAssertionClaims
    func isAbsent(_ name: String) -> Bool { optional.contains(WireName(name)) && claims.object[name] == nil }
    if !isAbsent("iss") { try claims.require("iss", userName) }
    if !isAbsent("aud") { try claims.requireAudience(oneOf: configuration.assertionAudiences(of: device)) }
    if !isAbsent("sub") { try claims.require("sub", userName) }
    for name in ["nonce", configuration.serverNonceClaimName, "scope"] where !isAbsent(name) {
      // What the request around it has not, which is an option too, can't differ.
      guard let expected = try outer.string(ifPresent: name) else { continue }
      try claims.require(name, expected)
    }
    var timed = claims.object
    // Without a time of its own it is as old as the request around it.
    if isAbsent("iat") { timed["iat"] = outer.object["iat"] }
    _ = try checkedTimes(MessageMembers(timed), optional: optional)
  }
}

extension IdentityProvider {
  /// Opens an encrypted assertion and returns the password. The signature around it has been verified before.
  ///
  /// Source: Apple, Creating an encrypted embedded assertion.
  func encryptedPassword(
    _ assertion: String, outer: MessageMembers, userName: String, request: VerifiedRequest
  ) async throws(JOSEError) -> String {
    let message = try EncryptedMessage(
      parsing: assertion, types: configuration.types(.encryptedLoginAssertion),
      limits: configuration.limits)
    guard message.header.type != nil else {
      throw JOSEError(.typeMismatch, "the assertion has no type", name: "typ")
    }
    guard let partyVInfo = message.agreementPartyVInfo else {
      throw JOSEError(.headerInvalid, "the parameter is absent", name: "apv")
    }
    let keys = try decryptionKeys(partyVInfo, keyID: message.header.keyID, request: request)
    let plaintext = try opened(message.message, with: keys)
    let claims = try assertionClaims(plaintext, request: request)
    try checkAssertion(claims, outer: outer, userName: userName, device: request.device)
    // The device's nonce is whatever the request's maker likes, also either nonce of an assertion that was overheard.
    // So what the assertion names counts as used, whichever nonce of this request it is.
    if configuration.assertionPartyVInfo != .sample, let nonce = EmbeddedAssertionPartyVInfo.nonce(partyVInfo) {
      try await useAssertion(nonce: nonce, sentBy: request.signingKey)
    }
    return try claims.string("password")
  }

  /// The keys that may open an assertion whose party info keeps the rule that is configured.
  private func decryptionKeys(
    _ partyVInfo: [UInt8], keyID: String?, request: VerifiedRequest
  ) throws(JOSEError) -> [DecryptionKey] {
    let keys = configuration.loginRequestDecryptionKeys
    let rule = configuration.assertionPartyVInfo
    let named = EmbeddedAssertionPartyVInfo.recipient(partyVInfo).flatMap { point in
      keys.first { $0.encryptionKey.x963Representation == point }
    }
    // Octets that may be anything are the request's own only if they name its nonce: others may be repeated at will.
    let isTable =
      rule != .sample && partyVInfo == request.agreementPartyVInfo.octets
      && EmbeddedAssertionPartyVInfo.names(request.clientNonce, in: partyVInfo)
    guard isTable else {
      guard let point = EmbeddedAssertionPartyVInfo.recipient(partyVInfo) else {
        throw JOSEError(.partyInfoMalformed, "not two or three length-prefixed fields", name: "apv")
      }
      guard let named else {
        throw JOSEError(.partyInfoKeyMismatch, "the key is not one of the provider's", name: "apv")
      }
      try EmbeddedAssertionPartyVInfo.check(
        partyVInfo, prefix: configuration.loginRequestEncryptionAPVPrefix, acceptsAnyPrefix: rule == .eitherNonce,
        recipientX963Representation: point,
        nonces: [request.serverNonce] + (rule == .eitherNonce ? [request.clientNonce] : []))
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

  private func opened(_ assertion: UnverifiedJWE, with keys: [DecryptionKey]) throws(JOSEError) -> [UInt8] {
    var failure = JOSEError(.keyNotFound, "no key for encrypted passwords is configured", name: "assertion")
    for key in keys {
      do throws(JOSEError) {
        return try assertion.decrypted(with: key, contentEncryption: [.a256gcm]).plaintext
      } catch {
        failure = error
      }
    }
    throw failure
  }

  /// The claims themselves, or by choice a JWT of the device's with the claims in it.
  private func assertionClaims(
    _ plaintext: [UInt8], request: VerifiedRequest
  ) throws(JOSEError) -> MessageMembers {
    guard configuration.acceptsSignedClaimsInAssertions, plaintext.first != 0x7B,
      let token = String(validating: plaintext, as: UTF8.self)
    else {
      return try MessageMembers(parsing: plaintext, limits: configuration.limits)
    }
    return try verifiedClaims(
      of: try UnverifiedJWS(parsing: token, limits: configuration.limits),
      with: try request.signingKey.verificationKey)
  }
}
