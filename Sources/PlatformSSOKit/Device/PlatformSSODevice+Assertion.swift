import PureCrypto
import JOSE
import StrictJSON

/// A preauthentication request: how does this user log in?
public struct DevicePreauthenticationRequest: Sendable {
  /// What to send.
  public let httpRequest: HTTPRequestValue

  /// The value of `client-request-id`.
  public let clientRequestID: String
}

/// What a preauthentication response says of the user.
public enum Preauthentication: Sendable {
  /// He logs in as everybody does.
  case notFederated
  /// He logs in by a browser (macOS 27).
  case webAuthorization(WebAuthorizationEndpoint)
}

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
  /// Asks how a user logs in. Needed if ``LoginConfiguration/federationType`` is ``FederationType/dynamicOpenID``.
  ///
  /// Source: Apple, Performing a preauthentication request.
  /// - Throws: `ErrorCode.callerMisuse` if the configuration asks for none.
  public func preauthenticationRequest(
    of user: UserLoginConfiguration
  ) throws(PlatformSSOError) -> DevicePreauthenticationRequest {
    guard configuration.federationType == .dynamicOpenID,
      let url = configuration.federationUserPreauthenticationURL, let uri = try? URIComponents(parsing: url)
    else {
      throw PlatformSSOError(
        .callerMisuse, "the configuration has no preauthentication", name: "federationUserPreauthenticationURL")
    }
    var fields = FormFields()
    fields.append("user", user.loginUserName)
    for value in configuration.customFederationUserPreauthenticationRequestValues {
      fields.append(value.name, value.value)
    }
    let clientRequestID = UUIDText.random()
    return DevicePreauthenticationRequest(
      httpRequest: HTTPRequestValue(
        method: "GET", url: uri.appendingQuery(fields),
        headers: .known(
          configuration.additionalHTTPHeaders.added(
            to: [("Accept", MediaType.json), ("client-request-id", clientRequestID)]))),
      clientRequestID: clientRequestID)
  }

  /// Reads the response: whether the user is federated, and where he logs in then.
  ///
  /// - Throws: `ErrorCode.serverUnavailable` if the status is not 200, `ErrorCode.malformed`
  ///   if the body is no JSON object, `ErrorCode.claimMissing`, `ErrorCode.claimInvalid` and
  ///   `ErrorCode.claimMismatch` if its members are wrong, `ErrorCode.callerMisuse` without
  ///   ``LoginConfiguration/isFederated``.
  public func preauthentication(from response: HTTPResponseValue) throws(PlatformSSOError) -> Preauthentication {
    guard response.status == 200 else {
      throw PlatformSSOError(.serverUnavailable, "the preauthentication endpoint did not answer with status 200")
    }
    guard let isFederated = configuration.isFederated else {
      throw PlatformSSOError(.callerMisuse, "nothing says which users are federated", name: "isFederated")
    }
    let body = try MessageMembers(parsing: response.body, limits: limits)
    guard isFederated(body.object) else { return .notFederated }
    guard let value = body.object.value(atKeyPath: configuration.authorizationURLKeypath) else {
      throw body.missing("authorizationURL")
    }
    guard case .string(let url) = value, PlainHTTP.refused.permits(url) else { throw body.invalid("authorizationURL") }
    guard let parameters = body.object["authorizationRequest"] else {
      return .webAuthorization(WebAuthorizationEndpoint(url: url, parameters: nil))
    }
    guard case .object(let object) = parameters else { throw body.invalid("authorizationRequest") }
    return .webAuthorization(
      WebAuthorizationEndpoint(url: url, parameters: try AuthorizationParameters(MessageMembers(object))))
  }
}

/// The user's credential inside a login request: a signed or an encrypted object. It is good for one request.
public struct EmbeddedAssertion: Sendable {
  /// The compact JWS or JWE.
  public let assertion: String

  /// The nonces that the login request must have too.
  public let nonces: RequestNonces

  /// The scope that the login request must have too.
  let scope: String
}

/// An embedded assertion that lacks its signature, for a key that answers later.
public struct PreparedEmbeddedAssertion: Sendable {
  private let jws: PreparedJWS
  private let nonces: RequestNonces
  private let scope: String

  init(jws: PreparedJWS, nonces: RequestNonces, scope: String) {
    self.jws = jws
    self.nonces = nonces
    self.scope = scope
  }

  /// What the user's key must sign: ASCII octets.
  public var signingInput: [UInt8] { jws.signingInput }

  /// The signed assertion.
  ///
  /// - Parameter signature: in JOSE's form: r ‖ s of 32 octets each for ES256.
  /// - Throws: `ErrorCode.externalKeyFailed` if it does not verify.
  public func finish(signature: [UInt8]) throws(PlatformSSOError) -> EmbeddedAssertion {
    let assertion = try jws.finish(signature: signature)
    return EmbeddedAssertion(assertion: assertion, nonces: nonces, scope: scope)
  }
}

extension PlatformSSODevice {
  /// Signs an assertion with the user's Secure Enclave key, or with a smart card's.
  ///
  /// Source: Apple, Creating an embedded assertion.
  /// - Parameters:
  ///   - user: who logs in: `iss` and `sub`, and his own custom claims.
  ///   - key: for ES256; a smart card's for RS256, RS384 or RS512 too.
  ///   - certificate: the smart card's certificate in DER.
  ///   - nonces: those of the login request that will carry the assertion.
  ///   - authorizationScope: as that of the login request.
  /// - Throws: `ErrorCode.keyMismatch` for a key of another algorithm,
  ///   `ErrorCode.customClaimReserved`, `ErrorCode.externalKeyFailed`.
  public func embeddedAssertion(
    of user: UserLoginConfiguration, signedWith key: SigningKey, certificate: [UInt8]? = nil, nonces: RequestNonces,
    authorizationScope: AuthorizationScope = .login
  ) throws(PlatformSSOError) -> EmbeddedAssertion {
    let scope = configuration.scope(configuration.included(authorizationScope))
    let (claims, header) = try assertionParts(
      user, key: key.verificationKey, certificate: certificate, nonces: nonces, scope: scope)
    let assertion = try JWS.sign(configuration.messageText.octets(claims), with: key, header: header)
    return EmbeddedAssertion(assertion: assertion, nonces: nonces, scope: scope)
  }

  /// As ``embeddedAssertion(of:signedWith:certificate:nonces:authorizationScope:)``, for a key that answers later.
  ///
  /// - Throws: `ErrorCode.keyMismatch` for a key of another algorithm,
  ///   `ErrorCode.customClaimReserved`.
  public func prepareEmbeddedAssertion(
    of user: UserLoginConfiguration, signedWith key: VerificationKey, certificate: [UInt8]? = nil,
    nonces: RequestNonces, authorizationScope: AuthorizationScope = .login
  ) throws(PlatformSSOError) -> PreparedEmbeddedAssertion {
    let scope = configuration.scope(configuration.included(authorizationScope))
    let (claims, header) = try assertionParts(
      user, key: key, certificate: certificate, nonces: nonces, scope: scope)
    let jws = try JWS.prepare(configuration.messageText.octets(claims), for: key, header: header)
    return PreparedEmbeddedAssertion(jws: jws, nonces: nonces, scope: scope)
  }

  /// Encrypts a password for the identity provider's key, ``LoginConfiguration/loginRequestEncryptionPublicKey``.
  ///
  /// The plaintext is the claims themselves; what makes them authentic is the signature of the login request around
  /// them. Source: Apple, Creating an encrypted embedded assertion.
  /// - Throws: `ErrorCode.callerMisuse` if no key is configured, `ErrorCode.keyInvalid` if it
  ///   is not a point of P-256, `ErrorCode.hpkeUnsupported`, `ErrorCode.customClaimReserved`.
  public func encryptedEmbeddedAssertion(
    of user: UserLoginConfiguration, password: String, nonces: RequestNonces,
    authorizationScope: AuthorizationScope = .login
  ) throws(PlatformSSOError) -> EmbeddedAssertion {
    guard configuration.loginRequestEncryptionAlgorithm == .ecdheA256GCM else {
      throw PlatformSSOError(
        .hpkeUnsupported, "the layout of HPKE in Platform SSO is not documented",
        name: "loginRequestEncryptionAlgorithm")
    }
    guard let point = configuration.loginRequestEncryptionPublicKey else {
      throw PlatformSSOError(.callerMisuse, "no encryption key is configured", name: "loginRequestEncryptionPublicKey")
    }
    let keyID = try KeyIdentifier(ofX963Representation: point)
    let scope = configuration.scope(configuration.included(authorizationScope))
    var claims = assertionClaims(user, nonces: nonces, scope: scope)
    claims["password"] = .string(password)
    let custom = customClaims(of: user)
    try custom.append(to: &claims, reserved: [])
    let header = try custom.headerParameters(
      type: .encryptedLoginAssertion, keyID: keyID.text, certificate: nil, form: configuration.certificateForm,
      text: configuration.messageText)
    let partyVInfo = EmbeddedAssertionPartyVInfo(
      prefix: configuration.loginRequestEncryptionAPVPrefix, unsetPrefix: configuration.unsetAPVPrefix,
      recipientX963Representation: point, serverNonce: nonces.serverNonce)
    let plaintext = configuration.messageText.octets(claims)
    let assertion = try JWE.encrypt(
      plaintext, to: EncryptionKey(ecdhESX963Representation: point), contentEncryption: .a256gcm, header: header,
      agreementPartyUInfo: .madeFromEphemeralKey { PartyUInfo(ephemeralKeyX963Representation: $0).octets },
      agreementPartyVInfo: .octets(partyVInfo.octets))
    return EmbeddedAssertion(assertion: assertion, nonces: nonces, scope: scope)
  }

  private func assertionParts(
    _ user: UserLoginConfiguration, key: VerificationKey, certificate: [UInt8]?, nonces: RequestNonces,
    scope: String
  ) throws(PlatformSSOError) -> (JSONObject, HeaderParameters) {
    guard EmbeddedAssertionRules.algorithms.contains(key.algorithm) else {
      throw PlatformSSOError(
        .keyMismatch, "the key is not for ES256, RS256, RS384 or RS512", name: "key", fault: .callerMisuse)
    }
    var claims = assertionClaims(user, nonces: nonces, scope: scope)
    let custom = customClaims(of: user)
    try custom.append(to: &claims, reserved: ["password"])
    // What names an RSA card is not documented: its certificate does.
    let keyID = key.x963Representation.map { KeyIdentifier(ofCheckedPoint: $0).text }
    let header = try custom.headerParameters(
      type: configuration.type(.loginAssertion), keyID: keyID, certificate: certificate,
      form: configuration.certificateForm, text: configuration.messageText)
    return (claims, header)
  }

  /// Custom claims of the device and of the user.
  private func customClaims(of user: UserLoginConfiguration) -> CustomClaims {
    configuration.customAssertionRequestClaims.merged(
      with: user.customAssertionRequestClaims, precedence: configuration.customClaimPrecedence)
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

/// What device and provider both know of embedded assertions.
enum EmbeddedAssertionRules {
  /// A Secure Enclave signs ES256, a smart card one of these.
  static let algorithms: [SignatureAlgorithm] = [.es256, .rs256, .rs384, .rs512]
}

extension EmbeddedAssertion: Redacted {}
