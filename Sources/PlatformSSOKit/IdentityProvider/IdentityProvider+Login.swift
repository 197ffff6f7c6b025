import PureCrypto
import JOSE
import StrictJSON

/// A login request that has been checked, the credential included. Answer it with
/// ``IdentityProvider/loginResponse(to:_:)-(LoginRequest,_)``.
public struct LoginRequest: Sendable {
  /// What all signed requests have in common.
  public let request: VerifiedRequest

  /// `sub`, which `username` repeats: the user, who has proved it.
  public let userName: String

  /// What proved it.
  public let credential: LoginCredential

  /// The scope asked for.
  public let scope: String

  /// What the login is for, if the scope says so (macOS 27).
  public let authorizationScope: AuthorizationScope?

  /// Groups whose membership is asked for.
  public let requestedGroups: [String]

  /// The last refresh token, if the device sent it. Not checked.
  public let previousRefreshToken: String?
}

/// What proved who the user is.
public enum LoginCredential: Sendable {
  /// The password, in the signed request.
  case password
  /// The password, encrypted for the provider.
  case encryptedPassword
  /// The user's key of this device.
  case userKey(RegisteredKey)
  /// A smart card: its certificates in DER as they came.
  case smartCard(certificates: [[UInt8]])
  /// The code that the browser came back with (macOS 27). It has been redeemed.
  case webAuthorization(AuthorizationCallback)
}

extension IdentityProvider {
  /// Checks a login request: everything that is common to signed requests, then the credential.
  ///
  /// Source: Apple, Creating and validating a login request.
  /// - Throws: ``PlatformSSOError``, each fault with a code of its own.
  public func loginRequest(from request: HTTPRequestValue) async throws(PlatformSSOError) -> LoginRequest {
    try await loginRequest(in: PostedForm(request, configuration: configuration))
  }

  func loginRequest(in form: PostedForm) async throws(PlatformSSOError) -> LoginRequest {
    let verified = try await verify(
      form,
      rules: RequestRules(
        type: .loginRequest, versions: PostedForm.tokenVersions, audiences: { _ in configuration.tokenEndpointURLs },
        hasClientID: true))
    let claims = verified.members
    let scope = try claims.string("scope", optional: configuration.optionalRequestClaims) ?? ""
    let authorizationScope = try AuthorizationScope(in: scope)
    try checkProductRules(verified, scope: scope)
    let userName = try checkedUserName(claims)
    let groups = try requestedGroups(claims)
    let previousRefreshToken = try claims.string(ifPresent: configuration.previousRefreshTokenClaimName)
    let credential = try await credential(claims, userName: userName, request: verified)
    try await requireAccount(userName, device: verified.device)
    return LoginRequest(
      request: verified, userName: userName, credential: credential, scope: scope,
      authorizationScope: authorizationScope, requestedGroups: groups,
      previousRefreshToken: previousRefreshToken)
  }

  /// Answers a login request with tokens, encrypted for the device.
  ///
  /// - Throws: `ErrorCode.callerMisuse` if the tokens have no lifetime.
  public func loginResponse(
    to request: LoginRequest, _ response: LoginResponse
  ) throws(PlatformSSOError) -> HTTPResponseValue {
    try loginResponse(to: request.request, response)
  }

  /// An `id_token` for the user of a login request; see ``idToken(for:subject:additional:)-(RefreshRequest,_,_)``.
  ///
  /// - Throws: as that method.
  public func idToken(
    for request: LoginRequest, subject: String, additional: JSONObject = [:]
  ) throws(PlatformSSOError) -> String {
    try idToken(for: request.request, subject: subject, additional: additional)
  }

  private func credential(
    _ claims: MessageMembers, userName: String, request: VerifiedRequest
  ) async throws(PlatformSSOError) -> LoginCredential {
    let grantType = try claims.string("grant_type")
    if grantType.hasSameBytes(as: GrantType.password) {
      try await requirePassword(try claims.string("password"), of: userName, on: request.device)
      return .password
    }
    if grantType.hasSameBytes(as: GrantType.tokenExchange) {
      try claims.require("subject_token_type", GrantType.authorizationCodeResponse)
      let callback = try AuthorizationCallback(received: try claims.nonEmptyString("subject_token"))
      let isRedeemed = try await PlatformSSOError.askingStore {
        try await store.redeemAuthorizationCode(callback, of: userName, on: request.device)
      }
      guard isRedeemed else {
        throw PlatformSSOError(
          .authorizationCodeRejected, "the code was not given to this user and device", name: "subject_token")
      }
      return .webAuthorization(callback)
    }
    guard grantType.hasSameBytes(as: GrantType.jwtBearer) else {
      // SAML assertions of WS-Trust among them, which are XML.
      throw PlatformSSOError(.grantUnsupported, "the grant is not one that is accepted", name: "grant_type")
    }
    let assertion = try claims.string("assertion")
    if assertion.utf8.count(where: { $0 == 0x2E }) == 4 {
      let password = try encryptedPassword(assertion, outer: claims, userName: userName, request: request)
      try await requirePassword(password, of: userName, on: request.device)
      return .encryptedPassword
    }
    return try await signedAssertion(assertion, outer: claims, userName: userName, device: request.device)
  }

  private func requirePassword(
    _ password: String, of userName: String, on device: RegisteredDevice
  ) async throws(PlatformSSOError) {
    let verdict = try await PlatformSSOError.askingStore {
      try await store.passwordVerdict(password, of: userName, on: device)
    }
    if let error = verdict.error("password") { throw error }
  }

  /// Requires that a user's account is in order, whatever proved who the user is.
  func requireAccount(_ userName: String, device: RegisteredDevice) async throws(PlatformSSOError) {
    let verdict = try await PlatformSSOError.askingStore { try await store.accountVerdict(of: userName, on: device) }
    if let error = verdict.error("sub") { throw error }
  }

  /// `claims.id_token.groups.values`, or the configured claim.
  private func requestedGroups(_ claims: MessageMembers) throws(PlatformSSOError) -> [String] {
    let name = configuration.groupRequestClaimName ?? "claims"
    var value = claims.object[name]
    if configuration.groupRequestClaimName == nil {
      for member in ["id_token", "groups", "values"] { value = value?.objectValue?[member] }
    }
    guard let value else { return [] }
    let groups = try MessageMembers([name: value]).strings(ifPresent: name) ?? []
    guard groups.count <= 100 else { throw claims.invalid(name) }
    return groups
  }
}

extension IdentityProvider {
  /// Answers a refresh request with new tokens, encrypted for the device.
  ///
  /// - Throws: `ErrorCode.callerMisuse` if the tokens have no lifetime.
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
  /// - Throws: `ErrorCode.customClaimReserved`, `ErrorCode.externalKeyFailed`, and
  ///   `ErrorCode.keyMismatch` if ``IdentityProvider/idTokenKey`` was replaced by one of another
  ///   algorithm.
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
    return try JWE.encrypt(
      body.serialized(), to: recipient, contentEncryption: .a256gcm, header: HeaderParameters(type: type.name),
      agreementPartyUInfo: .madeFromEphemeralKey { PartyUInfo(ephemeralKeyX963Representation: $0).octets },
      agreementPartyVInfo: configuration.repeatsPartyVInfo ? .octets(partyVInfo) : .agreed(partyVInfo))
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
    return try JWT.sign(payload, with: idTokenKey)
  }
}

extension LoginRequest: Redacted {}
