import PureCrypto
import JOSE
import StrictJSON

/// How the user proves who he is.
public enum LoginMethod: Sendable {
  /// A password. It travels encrypted if the login configuration has a key for that, else in the signed request.
  case password(String)
  /// The user's key in the Secure Enclave, for ES256.
  case userSecureEnclaveKey(SigningKey)
  /// A smart card: its key, and its certificate in DER.
  case smartCard(SigningKey, certificate: [UInt8])
  /// An assertion made before, by a key that answers later.
  case embeddedAssertion(EmbeddedAssertion)
  /// Web-based authentication (macOS 27): what the browser came back with.
  case webAuthorization(AuthorizationCallback)
}

extension PlatformSSODevice {
  /// Logs a user in.
  ///
  /// Source: Apple, Creating and validating a login request.
  ///
  /// - Parameters:
  ///   - user: who logs in: `sub` and `username`, and his own custom claims.
  ///   - method: what proves it. A password is legible in the signed request unless the configuration has an encryption
  ///     key.
  ///   - nonces: fresh ones, from the answer to a server nonce request; those of an embedded assertion made before.
  ///   - previousRefreshToken: the last refresh token, sent if the configuration wants it.
  ///   - groups: groups whose membership is asked for, at most 100.
  ///   - authorizationScope: what the login is for (macOS 27). Sent after web-based authentication, and else if the
  ///     configuration wants it.
  ///   - otherPublicKey: as 65 octets `04 ‖ X ‖ Y`, to get the shared secret with the user's unlock key in the same
  ///     answer: a login that unlocks (macOS 27).
  ///   - keyContext: the newest that the provider gave, sent beside the other key.
  /// - Throws: `ErrorCode.callerMisuse` if an assertion was made with other nonces or another scope, for more than 100
  ///   groups, and if the signing key answers later; `ErrorCode.keyMismatch` for a user's key of another algorithm,
  ///   `ErrorCode.keyInvalid`, `ErrorCode.customClaimReserved`, `ErrorCode.externalKeyFailed`.
  public func loginRequest(
    of user: UserLoginConfiguration, by method: LoginMethod, nonces: RequestNonces,
    previousRefreshToken: String? = nil, groups: [String] = [], authorizationScope: AuthorizationScope = .login,
    otherPublicKey: [UInt8]? = nil, keyContext: String? = nil
  ) throws(JOSEError) -> DeviceRequest {
    try signed(
      loginDraft(
        user, method, nonces: nonces, previousRefreshToken: previousRefreshToken, groups: groups,
        authorizationScope: authorizationScope, otherPublicKey: otherPublicKey, keyContext: keyContext))
  }

  /// As ``loginRequest(of:by:nonces:previousRefreshToken:groups:authorizationScope:otherPublicKey:keyContext:)``, for a
  /// device key that answers later.
  ///
  /// - Throws: as that method; the device's signing key may answer later.
  public func prepareLoginRequest(
    of user: UserLoginConfiguration, by method: LoginMethod, nonces: RequestNonces,
    previousRefreshToken: String? = nil, groups: [String] = [], authorizationScope: AuthorizationScope = .login,
    otherPublicKey: [UInt8]? = nil, keyContext: String? = nil
  ) throws(JOSEError) -> PreparedMessage<DeviceRequest> {
    try prepared(
      loginDraft(
        user, method, nonces: nonces, previousRefreshToken: previousRefreshToken, groups: groups,
        authorizationScope: authorizationScope, otherPublicKey: otherPublicKey, keyContext: keyContext))
  }

  private func loginDraft(
    _ user: UserLoginConfiguration, _ method: LoginMethod, nonces: RequestNonces, previousRefreshToken: String?,
    groups: [String], authorizationScope: AuthorizationScope, otherPublicKey: [UInt8]?, keyContext: String?
  ) throws(JOSEError) -> DeviceRequestDraft {
    var scope = configuration.scope(configuration.included(authorizationScope))
    if case .webAuthorization = method { scope = configuration.scope(authorizationScope) }
    let (issuedAt, expiration) = lifetime()
    var claims: JSONObject = [
      "client_id": .string(configuration.clientID),
      "iss": .string(configuration.clientID),
      "iat": issuedAt,
      "exp": expiration,
      "scope": .string(scope),
      "nonce": .string(nonces.clientNonce),
      "aud": .string(configuration.tokenEndpointURL),
      "username": .string(user.loginUserName),
      "sub": .string(user.loginUserName),
    ]
    let withheld = try append(
      method, of: user, nonces: nonces, authorizationScope: authorizationScope, to: &claims)
    if configuration.includePreviousRefreshTokenInLoginRequest, let previousRefreshToken {
      claims[configuration.previousRefreshTokenClaimName] = .string(previousRefreshToken)
    }
    try append(groups: groups, to: &claims)
    try append(otherPublicKey: otherPublicKey, keyContext: keyContext, to: &claims)
    let customClaims = configuration.customLoginRequestClaims.merged(
      with: user.customLoginRequestClaims, prefersDevice: configuration.prefersDeviceClaims)
    if configuration.includesAuthenticationMethods, customClaims.body["amr"] == nil, case .password = method {
      claims["amr"] = ["pwd"]
    }
    return DeviceRequestDraft(
      message: .login, type: configuration.type(.loginRequest), responseType: .loginResponse,
      url: configuration.tokenEndpointURL, version: "1.0", nonces: nonces, claims: claims,
      reservedClaims: [
        "password", "assertion", "subject_token", "subject_token_type", "grant_type", "other_publickey", "key_context",
      ],
      customClaims: customClaims,
      customValues: configuration.customLoginRequestValues,
      additionalHTTPHeaders: configuration.additionalHTTPHeaders, withheld: withheld)
  }

  /// The grant that is really asked for, whatever the form around the request says.
  ///
  /// - Returns: the credentials that the claims don't show.
  private func append(
    _ method: LoginMethod, of user: UserLoginConfiguration, nonces: RequestNonces,
    authorizationScope: AuthorizationScope, to claims: inout JSONObject
  ) throws(JOSEError) -> [String] {
    let assertion: EmbeddedAssertion
    switch method {
    case .password(let password) where configuration.loginRequestEncryptionPublicKey == nil:
      claims["grant_type"] = .string(GrantType.password)
      claims["password"] = .string(password)
      return []
    case .webAuthorization(let callback):
      claims["grant_type"] = .string(GrantType.tokenExchange)
      claims["subject_token"] = .string(callback.url)
      claims["subject_token_type"] = .string(GrantType.authorizationCodeResponse)
      // The claims show the URL alone, and a server may know the code by itself.
      return [callback.code]
    case .password(let password):
      assertion = try encryptedEmbeddedAssertion(
        of: user, password: password, nonces: nonces, authorizationScope: authorizationScope)
    case .userSecureEnclaveKey(let key):
      guard key.algorithm == .es256 else {
        throw JOSEError(.keyMismatch, "a Secure Enclave key is for ES256", name: "key", fault: .callerMisuse)
      }
      assertion = try embeddedAssertion(
        of: user, signedWith: key, nonces: nonces, authorizationScope: authorizationScope)
    case .smartCard(let key, let certificate):
      assertion = try embeddedAssertion(
        of: user, signedWith: key, certificate: certificate, nonces: nonces, authorizationScope: authorizationScope)
    case .embeddedAssertion(let made):
      guard made.nonces == nonces else {
        throw JOSEError(.callerMisuse, "the assertion was made with other nonces", name: "nonces")
      }
      guard WireName(made.scope) == configuration.scope(configuration.included(authorizationScope)) else {
        throw JOSEError(.callerMisuse, "the assertion was made with another scope", name: "authorizationScope")
      }
      assertion = made
    }
    claims["grant_type"] = .string(GrantType.jwtBearer)
    claims["assertion"] = .string(assertion.assertion)
    return assertion.withheld
  }

  private func append(groups: [String], to claims: inout JSONObject) throws(JOSEError) {
    guard groups.count <= 100 else {
      throw JOSEError(.callerMisuse, "a request asks for at most 100 groups", name: "groups")
    }
    guard !groups.isEmpty else { return }
    let values = JSONValue.array(groups.map { .string($0) })
    if let name = configuration.groupRequestClaimName {
      guard claims[name] == nil else {
        throw JOSEError(
          .customClaimReserved, "the groups would replace another claim", name: "groupRequestClaimName")
      }
      claims[name] = values
    } else {
      claims["claims"] = ["id_token": ["groups": ["values": values]]]
    }
  }
}

/// A login response that has been opened, and whose `id_token` has been verified.
public struct OpenedLoginResponse: Sendable {
  /// The members of the response: tokens, their lifetimes, and what the provider adds.
  public let response: LoginResponse

  /// The verified `id_token`.
  public let idToken: VerifiedJWT<JSONObject>

  /// The claim of the `id_token` that names the user for good: `sub`, or the one configured.
  public let uniqueIdentifier: String

  /// The user's groups, if the `id_token` has any.
  public let groups: [String]?

  /// The shared secret with the user's unlock key, of a login that asked for it and a provider that gives it so; nil if
  /// there is none, or none of the right form.
  public let unlock: KeyExchangeResponse?

  /// The Kerberos tickets that `kerberosTicketMappings` of the configuration find, as far as they are whole.
  public let kerberosTickets: [KerberosTicket]

  /// The response's header. Its `kid` and `typ` are for information only.
  public let header: ProtectedHeader
}

extension PlatformSSODevice {
  /// Opens the response to a login or refresh request and verifies the `id_token` in it with the provider's key set.
  /// Use each response once.
  ///
  /// The key is derived with the PartyVInfo that the request sent, whether the response repeats it or not.
  /// - Throws: `ErrorCode.credentialRejected` if the provider refused the credential, `ErrorCode.serverRefused` for
  ///   another OAuth error, `ErrorCode.serverUnavailable` for any other status than 200; for a wrong response, an error
  ///   after which tokens are to be discarded.
  public func openLoginResponse(
    _ response: HTTPResponseValue, to request: DeviceRequest, idTokenKeys: JWKSet
  ) throws(JOSEError) -> OpenedLoginResponse {
    let message = try loginMessage(response, to: request)
    let tokens = try LoginResponse(MessageMembers(parsing: open(message, to: request), limits: limits))
    return try checked(tokens, header: message.header, request: request, idTokenKeys: idTokenKeys)
  }

  /// The tokens of a response that has been opened and not been judged: for a tool that says what is wrong with it.
  ///
  /// - Throws: as ``openLoginResponse(_:to:idTokenKeys:)``, but for what is wrong with the `id_token`.
  package func unjudgedTokens(
    _ response: HTTPResponseValue, to request: DeviceRequest
  ) throws(JOSEError) -> (tokens: LoginResponse, header: ProtectedHeader) {
    let message = try loginMessage(response, to: request)
    return (
      try LoginResponse(MessageMembers(parsing: open(message, to: request), limits: limits)), message.header
    )
  }

  /// As ``openLoginResponse(_:to:idTokenKeys:)``, for a key that answers later.
  ///
  /// - Throws: what can be told before opening, as that method; ``PreparedResponse/finish(sharedSecret:)`` throws the
  ///   rest.
  public func prepareLoginResponse(
    _ response: HTTPResponseValue, to request: DeviceRequest, idTokenKeys: JWKSet
  ) throws(JOSEError) -> PreparedResponse<OpenedLoginResponse> {
    let prepared = try prepareOpening(try loginMessage(response, to: request), to: request)
    return PreparedResponse(prepared) { opened throws(JOSEError) in
      let tokens = try LoginResponse(MessageMembers(parsing: opened.plaintext, limits: limits))
      return try checked(tokens, header: opened.header, request: request, idTokenKeys: idTokenKeys)
    }
  }

  private func loginMessage(
    _ response: HTTPResponseValue, to request: DeviceRequest
  ) throws(JOSEError) -> EncryptedMessage {
    guard request.message == .login || request.message == .refresh else {
      throw JOSEError(.callerMisuse, "the request is not a login or refresh request", name: "request")
    }
    return try encryptedMessage(response, to: request, types: [.loginResponse])
  }

  /// Judges the `id_token` among the tokens.
  ///
  /// - Throws: what is wrong with it, or with a Kerberos ticket beside it.
  package func checked(
    _ tokens: LoginResponse, header: ProtectedHeader, request: DeviceRequest, idTokenKeys: JWKSet
  ) throws(JOSEError) -> OpenedLoginResponse {
    let idToken = try verifiedIDToken(tokens.idToken, clientNonce: request.nonces.clientNonce, keys: idTokenKeys)
    let claims = MessageMembers(idToken.claims)
    let uniqueIdentifier = try claims.nonEmptyString(configuration.uniqueIdentifierClaimName)
    let groups = try groups(claims)
    var tickets: [KerberosTicket] = []
    for mapping in configuration.kerberosTicketMappings {
      do throws(JOSEError) {
        if let ticket = try KerberosTicket(mapping, in: tokens.additional) { tickets.append(ticket) }
      } catch {
        guard !configuration.refusesIncompleteKerberosTickets else { throw error }
      }
    }
    // What is wrong with the key spoils no tokens: a key exchange request asks for it by itself.
    let unlock = request.asksForKey ? try? keyExchangeResponse(MessageMembers(tokens.additional)) : nil
    return OpenedLoginResponse(
      response: tokens, idToken: idToken, uniqueIdentifier: uniqueIdentifier, groups: groups, unlock: unlock,
      kerberosTickets: tickets, header: header)
  }
}

extension LoginMethod: Redacted {}
