import JOSE
import PureCrypto
import StrictJSON

/// An identity provider for Macs in one value: one function from request to response, for everything that Macs, their
/// extension and a browser ask at one address. Passwords and users are its server's.
///
/// ```swift
/// let provider = try PlatformSSOProvider(
///   address: "https://idp.example.com", clientID: "psso", apps: ["ABCDE12345.com.example.mac.ssoe"], users: users,
///   records: records, idTokenKey: key, secret: secret, registration: policy)
///
/// if let response = await provider.respond(to: request) { return response }
/// ```
///
/// | under the address | answers |
/// |---|---|
/// | `/jwks` | the key that ID tokens are verified with |
/// | `/register`, `/register/user` | registrations of Macs and of users' keys, as ``RegistrationFormat`` has them |
/// | `/psso/nonce`, `/psso/token`, `/psso/key` | nonces; logins and refreshes; unlock keys |
/// | `/psso/discovery`, `/psso/authorize`, `/psso/login` | logins by a browser: whether, the page, and its form |
/// | `/.well-known/apple-app-site-association` | the extension and its app; always below the host |
///
/// All state is among the records, so several servers with one store and the same secrets are one provider.
public struct PlatformSSOProvider: Sendable {
  /// Checks requests and makes answers: its configuration, devices and logins.
  public var identityProvider: IdentityProvider
  /// How registrations are written. The default is ``RegistrationFormat/standard``.
  public var registrationFormat = RegistrationFormat.standard
  /// How long a user stays logged in who does nothing. The default is 8 hours.
  public var loginLifetime = Duration.seconds(28_800)
  /// Is told why a request was refused. The error's description repeats nothing that was sent.
  public var onRefusal: @Sendable (_ request: HTTPRequestValue, _ reason: JOSEError) async -> Void = { _, _ in }

  let users: any PlatformSSOUsers
  let keyContexts: KeyContexts
  private let addresses: PlatformSSOAddresses
  private let apps: [String]
  private let registration: RegistrationPolicy

  /// A provider.
  ///
  /// - Parameters:
  ///   - address: what Macs see, without a slash at its end. It is the issuer and the audience too.
  ///   - clientID: names the Macs: the login configuration's client identifier.
  ///   - apps: the extension and the app that holds it, each as `TEAMID.bundle.identifier`.
  ///   - users: whose passwords are right.
  ///   - records: where devices, logins and what was used once are kept: one store for all servers.
  ///   - idTokenKey: signs ID tokens, for ES256 or RS256.
  ///   - secret: 32 random octets or more, the same for as long as Macs keep what an unlock key has wrapped. Keys for
  ///     nonces and key contexts are derived from it.
  ///   - registration: which Macs may register.
  ///   - clock: tells the time.
  /// - Throws: `ErrorCode.callerMisuse` for an address that isn't `https`, has a query, or ends with a slash, and for a
  ///   short secret; `ErrorCode.keyMismatch` for a key of another algorithm.
  public init(
    address: String, clientID: String, apps: [String], users: any PlatformSSOUsers, records: any RecordStore,
    idTokenKey: SigningKey, secret: SecretBytes, registration: RegistrationPolicy, clock: WallClock = .system
  ) throws(JOSEError) {
    let addresses = try PlatformSSOAddresses(address)
    guard secret.count >= 32 else {
      throw JOSEError(.callerMisuse, "the secret has 32 octets or more", name: "secret")
    }
    var configuration = IdentityProviderConfiguration(
      issuer: address, clientIDs: [clientID], audience: address, tokenEndpointURL: addresses.url(.token))
    configuration.refreshEndpointURL = addresses.url(.token)
    configuration.preauthenticationURL = addresses.url(.discovery)
    configuration.bindsServerNonces = true
    identityProvider = try IdentityProvider(
      configuration: configuration, serverNonces: ServerNonces(secret: Self.key("server nonces", from: secret)),
      users: users, idTokenKey: idTokenKey, records: records, clock: clock)
    keyContexts = try KeyContexts(secret: Self.key("key contexts", from: secret))
    (self.users, self.addresses, self.apps, self.registration) = (users, addresses, apps, registration)
  }

  /// What the extension tells macOS of this provider.
  public var loginConfiguration: LoginConfiguration {
    let own = identityProvider.configuration
    var configuration = LoginConfiguration(
      clientID: own.clientIDs.first ?? "", issuer: own.issuer, audience: own.audience,
      tokenEndpointURL: addresses.url(.token), jwksEndpointURL: addresses.url(.keys))
    configuration.nonceEndpointURL = addresses.url(.nonce)
    configuration.refreshEndpointURL = addresses.url(.token)
    configuration.keyEndpointURL = addresses.url(.key)
    return configuration
  }

  /// Answers a request; nil for one that is not for this provider.
  ///
  /// - Parameter request: as it came: its URL is the path with the query, or the whole address.
  public func respond(to request: HTTPRequestValue) async -> HTTPResponseValue? {
    guard let place = addresses.place(of: request.url) else { return nil }
    do throws(JOSEError) {
      return try await answer(request, at: place)
    } catch {
      await onRefusal(request, error)
      return identityProvider.errorResponse(for: error)
    }
  }

  private func answer(
    _ request: HTTPRequestValue, at place: PlatformSSOAddresses.Place
  ) async throws(JOSEError) -> HTTPResponseValue {
    switch place {
    case .keys:
      let keys = JWKSet([identityProvider.idTokenKey.verificationKey.publicJWK].compactMap { $0 })
      return try document(keys.serialized(), request)
    case .association:
      let names: JSONObject = ["authsrv": ["apps": .array(apps.map { .string($0) })]]
      return try document(names.serialized(), request)
    case .registration:
      let device = try await identityProvider.registerDevice(
        from: request, format: registrationFormat, by: registration)
      return .json(201, ["device_id": .string(device.id)])
    case .userRegistration:
      _ = try await identityProvider.registerUser(
        from: request, format: registrationFormat, attestedBy: registration.attestation)
      return .json(201, [:])
    case .login:
      return try await BrowserLogins(self, form: addresses.path(.login)).logIn(request)
    case .nonce, .token, .key, .discovery, .authorization:
      let answers = PlatformSSOAnswers(
        provider: self, authorizationURL: addresses.url(.authorization), form: addresses.path(.login))
      return try await identityProvider.response(to: request, with: answers)
    }
  }

  /// A document that anybody may read.
  private func document(_ body: [UInt8], _ request: HTTPRequestValue) throws(JOSEError) -> HTTPResponseValue {
    guard request.hasMethod("GET") || request.hasMethod("HEAD") else {
      throw JOSEError(.methodNotAllowed, "the request's method is not GET")
    }
    // Short enough for a new key, long enough for a morning on which all Macs come at once.
    let fields = [("Content-Type", MediaType.json), ("Cache-Control", "max-age=300")]
    return HTTPResponseValue(
      status: 200, headers: HTTPHeaderFields(known: fields), body: request.hasMethod("HEAD") ? [] : body)
  }

  private static func key(_ use: String, from secret: SecretBytes) throws(JOSEError) -> SecretBytes {
    let key = try? HKDFSHA2<SHA2.SHA256>.deriveKey(
      inputKeyMaterial: secret, salt: [UInt8](), info: Array("platformsso \(use)".utf8), byteCount: 32)
    guard let key else { throw JOSEError(.callerMisuse, "no key can be derived from the secret", name: "secret") }
    return key
  }
}

extension PlatformSSOProvider: Redacted {}
