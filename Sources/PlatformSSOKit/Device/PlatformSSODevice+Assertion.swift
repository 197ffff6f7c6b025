import PureCrypto
import JOSE
import StrictJSON

/// Where a user logs in by a browser.
public struct WebAuthorizationEndpoint: Sendable, Hashable {
  /// The address, by `https`.
  public let url: String

  /// What the device signs and posts there. If nil, the browser just goes there.
  public let parameters: AuthorizationParameters?

  /// An endpoint that is known otherwise than by a preauthentication response.
  public init(url: String, parameters: AuthorizationParameters?) {
    self.url = url
    self.parameters = parameters
  }
}

extension PlatformSSODevice {
  /// Asks how a user logs in. Needed if ``LoginConfiguration/federationUserPreauthenticationURL`` is set.
  ///
  /// Source: Apple, Performing a preauthentication request.
  /// - Throws: `ErrorCode.callerMisuse` if the configuration asks for none.
  public func preauthenticationRequest(
    of user: UserLoginConfiguration
  ) throws(JOSEError) -> HTTPRequestValue {
    guard let url = configuration.federationUserPreauthenticationURL, let uri = try? URIComponents(parsing: url) else {
      throw JOSEError(
        .callerMisuse, "the configuration has no preauthentication", name: "federationUserPreauthenticationURL")
    }
    var fields: FormFields = ["user": user.loginUserName]
    for value in configuration.customFederationUserPreauthenticationRequestValues.fields {
      fields.append(value.name, value.value)
    }
    return HTTPRequestValue(
      method: "GET", url: uri.appendingQuery(fields),
      headers: HTTPHeaderFields(
        known:
          configuration.additionalHTTPHeaders.added(
            to: [("Accept", MediaType.json), ("client-request-id", UUIDText.random())])))
  }

  /// Where the user logs in by a browser, as the response says (macOS 27); nil for a user who logs in as everybody
  /// does.
  ///
  /// - Throws: `ErrorCode.serverRefused` for an OAuth error; `ErrorCode.serverUnavailable` if the status is not 200 for
  ///   another reason; `ErrorCode.malformed`, `ErrorCode.claimMissing`, `ErrorCode.claimInvalid` and
  ///   `ErrorCode.claimMismatch` for another body; `ErrorCode.callerMisuse` without ``LoginConfiguration/isFederated``.
  public func preauthentication(from response: HTTPResponseValue) throws(JOSEError) -> WebAuthorizationEndpoint? {
    let unexpected = UnexpectedResponse(response: response, withheld: configuration.withheldValues)
    guard response.status == 200 else {
      throw unexpected.notSuccess("the preauthentication endpoint did not answer with status 200")
    }
    guard let isFederated = configuration.isFederated else {
      throw JOSEError(.callerMisuse, "set isFederated, which says whether a user is federated", name: "isFederated")
    }
    let body = try unexpected.members(expected: "a JSON object", limits: limits)
    guard isFederated(body.object) else { return nil }
    guard let value = body.object.value(atKeyPath: configuration.authorizationURLKeypath) else {
      throw body.missing("authorizationURL")
    }
    guard case .string(let url) = value, PlainHTTP.refused.permits(url) else { throw body.invalid("authorizationURL") }
    guard let parameters = body.object["authorizationRequest"] else {
      return WebAuthorizationEndpoint(url: url, parameters: nil)
    }
    guard case .object(let object) = parameters else { throw body.invalid("authorizationRequest") }
    return WebAuthorizationEndpoint(url: url, parameters: try AuthorizationParameters(MessageMembers(object)))
  }
}

/// The user's credential inside a login request: a signed or an encrypted object. It is good for one request.
public struct EmbeddedAssertion: Sendable {
  /// The compact JWS or JWE.
  package let assertion: String

  /// The nonces that the login request must have too.
  package let nonces: RequestNonces

  /// The scope that the login request must have too.
  let scope: String

  /// What no error may repeat, of what is encrypted in it: the password above all.
  let withheld: [String]
}

extension PlatformSSODevice {
  /// Signs an assertion with the user's Secure Enclave key for ES256, or with a smart card's for RS256, RS384 or RS512
  /// too.
  ///
  /// Source: Apple, Creating an embedded assertion.
  /// - Parameters:
  ///   - user: who logs in: `iss` and `sub`, and his own custom claims.
  ///   - key: the user's or the card's.
  ///   - certificate: the smart card's certificate in DER.
  ///   - nonces: those of the login request that will carry the assertion; its scope is the same too.
  ///   - authorizationScope: what the login is for.
  /// - Throws: `ErrorCode.keyMismatch` for a key of another algorithm, `ErrorCode.customClaimReserved`,
  ///   `ErrorCode.externalKeyFailed`.
  public func embeddedAssertion(
    of user: UserLoginConfiguration, signedWith key: SigningKey, certificate: [UInt8]? = nil, nonces: RequestNonces,
    authorizationScope: AuthorizationScope = .login
  ) throws(JOSEError) -> EmbeddedAssertion {
    let scope = configuration.scope(configuration.included(authorizationScope))
    let (claims, header) = try assertionParts(
      user, key: key.verificationKey, certificate: certificate, nonces: nonces, scope: scope)
    let assertion = try JWS.sign(
      MessageText.octets(claims, isIndented: configuration.indentsJSON), with: key, header: header)
    return EmbeddedAssertion(
      assertion: assertion, nonces: nonces, scope: scope, withheld: customClaims(of: user).withheldValues)
  }

  /// As ``embeddedAssertion(of:signedWith:certificate:nonces:authorizationScope:)``, for a key that answers later.
  ///
  /// - Throws: `ErrorCode.keyMismatch` for a key of another algorithm,
  ///   `ErrorCode.customClaimReserved`.
  public func prepareEmbeddedAssertion(
    of user: UserLoginConfiguration, signedWith key: VerificationKey, certificate: [UInt8]? = nil,
    nonces: RequestNonces, authorizationScope: AuthorizationScope = .login
  ) throws(JOSEError) -> PreparedMessage<EmbeddedAssertion> {
    let scope = configuration.scope(configuration.included(authorizationScope))
    let (claims, header) = try assertionParts(
      user, key: key, certificate: certificate, nonces: nonces, scope: scope)
    let jws = try JWS.prepare(
      MessageText.octets(claims, isIndented: configuration.indentsJSON), for: key, header: header)
    let withheld = customClaims(of: user).withheldValues
    return PreparedMessage(jws) {
      EmbeddedAssertion(assertion: $0, nonces: nonces, scope: scope, withheld: withheld)
    }
  }

  /// Encrypts a password for the identity provider's key, ``LoginConfiguration/loginRequestEncryptionPublicKey``.
  ///
  /// The plaintext is the claims themselves; what makes them authentic is the signature of the login request around
  /// them.
  ///
  /// Source: Apple, Creating an encrypted embedded assertion.
  /// - Throws: `ErrorCode.callerMisuse` if no key is configured, `ErrorCode.keyInvalid` if it
  ///   is not a point of P-256, `ErrorCode.customClaimReserved`.
  public func encryptedEmbeddedAssertion(
    of user: UserLoginConfiguration, password: String, nonces: RequestNonces,
    authorizationScope: AuthorizationScope = .login
  ) throws(JOSEError) -> EmbeddedAssertion {
    guard let point = configuration.loginRequestEncryptionPublicKey else {
      throw JOSEError(.callerMisuse, "no encryption key is configured", name: "loginRequestEncryptionPublicKey")
    }
    let keyID = try KeyIdentifier(ofX963Representation: point)
    let scope = configuration.scope(configuration.included(authorizationScope))
    var claims = assertionClaims(user, nonces: nonces, scope: scope)
    claims["password"] = .string(password)
    let custom = customClaims(of: user)
    try custom.append(to: &claims, reserved: [])
    let header = try custom.headerParameters(
      type: .encryptedLoginAssertion, keyID: keyID.text, certificate: nil,
      isArray: configuration.writesCertificateArray,
      isIndented: configuration.indentsJSON)
    let partyVInfo = EmbeddedAssertionPartyVInfo.octets(
      prefix: configuration.loginRequestEncryptionAPVPrefix, omitsUnsetPrefix: configuration.omitsUnsetAPVPrefix,
      recipientX963Representation: point, serverNonce: nonces.serverNonce)
    let plaintext = MessageText.octets(claims, isIndented: configuration.indentsJSON)
    let assertion = try JWE.encrypt(
      plaintext, to: EncryptionKey(ecdhESX963Representation: point), contentEncryption: .a256gcm, header: header,
      agreementPartyUInfo: .madeFromEphemeralKey { PartyUInfo.octets(ephemeralKeyX963Representation: $0) },
      agreementPartyVInfo: .octets(partyVInfo))
    return EmbeddedAssertion(
      assertion: assertion, nonces: nonces, scope: scope, withheld: [password] + custom.withheldValues)
  }

  private func assertionParts(
    _ user: UserLoginConfiguration, key: VerificationKey, certificate: [UInt8]?, nonces: RequestNonces,
    scope: String
  ) throws(JOSEError) -> (JSONObject, HeaderParameters) {
    guard SigningRules.assertion.contains(key.algorithm) else {
      throw JOSEError(
        .keyMismatch, "the key is not for ES256, RS256, RS384 or RS512", name: "key", fault: .callerMisuse)
    }
    var claims = assertionClaims(user, nonces: nonces, scope: scope)
    let custom = customClaims(of: user)
    try custom.append(to: &claims, reserved: ["password"])
    // What names an RSA card is not documented: its certificate does.
    let keyID = key.x963Representation.map { KeyIdentifier(ofCheckedPoint: $0).text }
    let header = try custom.headerParameters(
      type: configuration.type(.loginAssertion), keyID: keyID, certificate: certificate,
      isArray: configuration.writesCertificateArray,
      isIndented: configuration.indentsJSON)
    return (claims, header)
  }

  /// Custom claims of the device and of the user.
  private func customClaims(of user: UserLoginConfiguration) -> CustomClaims {
    configuration.customAssertionRequestClaims.merged(
      with: user.customAssertionRequestClaims, prefersDevice: configuration.prefersDeviceClaims)
  }

  /// `iss` is the user, not the client, and `aud` the provider, not its token endpoint.
  private func assertionClaims(
    _ user: UserLoginConfiguration, nonces: RequestNonces, scope: String
  ) -> JSONObject {
    let (issuedAt, expiration) = lifetime()
    return [
      "iss": .string(user.loginUserName),
      "sub": .string(user.loginUserName),
      "aud": .string(configuration.audience),
      "iat": issuedAt,
      "exp": expiration,
      "nonce": .string(nonces.clientNonce),
      configuration.serverNonceClaimName: .string(nonces.serverNonce),
      "scope": .string(scope),
    ]
  }
}

extension EmbeddedAssertion: Redacted {}
