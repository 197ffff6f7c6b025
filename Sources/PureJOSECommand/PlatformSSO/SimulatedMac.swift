import JOSE
import PlatformSSOKit
import PureCrypto

/// A Mac that is registered, logs its user in, stays logged in, and gets a secret back by the user's unlock key,
/// against a server.
struct SimulatedMac {
  let device: PlatformSSODevice
  let user: UserLoginConfiguration
  let method: LoginMethod
  let transport: any DoctorTransport
  /// What the Mac was given, if it was given one now.
  var profile: ExtensibleSSOProfile?
  /// How registrations are written.
  var format = RegistrationFormat.standard
  /// Told of each step once it is done.
  let tell: @Sendable (String) -> Void

  /// Registers the Mac's keys, with the token of the profile.
  func register(at url: String, token: String?, deviceID: String) async throws(CommandFailure) {
    let (request, sent) = try attempt {
      var registration = try DeviceRegistration(deviceID: deviceID, keys: device.keys, registrationToken: token)
      registration.authenticationMethod = method.ofProfile
      let request = try registration.httpRequest(to: url, format: format)
      return (request, try DeviceRegistration(from: request, format: format))
    }
    if token != nil, sent.registrationToken == nil {
      tell("registrations of \(format.rawValue) have no place for the profile's RegistrationToken: it is not sent")
    }
    let answer = try await transport.send(request)
    guard (200..<300).contains(answer.status) else {
      throw .invalid("the registration was refused with \(answer.status)")
    }
    let name = sent.deviceID.map { " as \(Visible.text($0))" } ?? ""
    tell("registered\(name), signing key \(device.keys.signingKeyID)")
  }

  /// A day of the Mac: login, refresh, with `enrolment` the user's key and a login with it, and where keys are shared
  /// an unlock key, made and used.
  func liveADay(enrolment: String?) async throws(CommandFailure) {
    let response = try await transport.send(HTTPRequestValue(method: "GET", url: device.configuration.jwksEndpointURL))
    let keys = try attempt { try device.configuration.idTokenKeys(parsing: response.body) }
    var login = try await logIn(by: method, keys)
    let (name, identifier) = (Visible.text(user.loginUserName), Visible.text(login.uniqueIdentifier))
    tell("logged in as \(name), whose name for good is \(identifier)")
    try showAccount(of: login)
    if let enrolment {
      let userKey = try attempt { try SigningKey.generate(.es256) }
      let request = try attempt {
        try UserRegistration(
          userKey: RegisteredKey(signingKey: userKey.verificationKey), accessToken: login.response.refreshToken
        ).httpRequest(to: enrolment, format: format)
      }
      let answer = try await transport.send(request)
      guard (200..<300).contains(answer.status) else {
        throw .invalid("the user's key was refused with \(answer.status)")
      }
      login = try await logIn(by: .userSecureEnclaveKey(userKey), keys)
      tell("enrolled a key for the user, and logged in with it")
    }
    if device.hasRefreshes {
      login = try await step("refresh") { nonces in
        let request = try device.refreshRequest(refreshToken: login.response.refreshToken, nonces: nonces)
        return (request.httpRequest, { try device.openLoginResponse($0, to: request, idTokenKeys: keys) })
      }
      tell("refreshed")
    } else {
      tell("not refreshed: the configuration has no address for it")
    }
    try await useUnlockKey(login.response.refreshToken)
  }

  /// Says which account the Mac would make of the user.
  private func showAccount(of login: OpenedLoginResponse) throws(CommandFailure) {
    guard let profile, let account = profile.account(of: login.idToken.claims) else { return }
    for claim in account.missing {
      tell("the ID token has no claim \(Visible.text(claim)), which TokenToUserMapping names")
    }
    guard let shortName = account.shortName else {
      guard profile["EnableCreateUserAtLogin"] != .bool(true) else {
        throw .invalid("no account can be made of the user: its AccountName is missing in the ID token")
      }
      return
    }
    let fullName = account.fullName.map { ", \(Visible.text($0))" } ?? ""
    tell("a new account of the user would be \(Visible.text(shortName))\(fullName)")
  }

  private func logIn(by method: LoginMethod, _ keys: JWKSet) async throws(CommandFailure) -> OpenedLoginResponse {
    try await step("login") { nonces in
      let request = try device.loginRequest(of: user, by: method, nonces: nonces)
      return (request.httpRequest, { try device.openLoginResponse($0, to: request, idTokenKeys: keys) })
    }
  }

  private func useUnlockKey(_ refreshToken: String) async throws(CommandFailure) {
    let unlock: KeyResponse = try await step("key request") { nonces in
      let request = try device.keyRequest(of: user, refreshToken: refreshToken, nonces: nonces)
      return (request.httpRequest, { try device.openKeyResponse($0, to: request) })
    }
    let other = P256AgreementPrivateKey()
    let exchanged: KeyExchangeResponse = try await step("key exchange") { nonces in
      let request = try device.keyRequest(
        of: user, refreshToken: refreshToken, otherPublicKey: other.publicKey.x963Representation,
        keyContext: unlock.keyContext, nonces: nonces)
      return (request.httpRequest, { try device.openKeyExchangeResponse($0, to: request) })
    }
    let expected = try attempt {
      try other.sharedSecret(with: P256AgreementPublicKey(x963Representation: unlock.publicKeyX963Representation))
    }
    guard expected.isSame(as: exchanged.key) else { throw .invalid("the provider's secret is another one") }
    tell("fetched an unlock key, and used it")
  }

  /// Asks for a server nonce, sends a request with it, and opens the answer.
  private func step<Opened>(
    _ name: String,
    _ make: (RequestNonces) throws -> (HTTPRequestValue, (HTTPResponseValue) throws -> Opened)
  ) async throws(CommandFailure) -> Opened {
    let asked = device.serverNonceRequest()
    let given = try await transport.send(asked)
    let nonces = try attempt { try device.requestNonces(from: given, to: asked) }
    let (request, open) = try attempt { try make(nonces) }
    let answer = try await transport.send(request)
    do {
      return try open(answer)
    } catch {
      throw .invalid("the \(name) was answered with \(answer.status): \(error)")
    }
  }
}

extension PlatformSSODevice {
  /// Whether the configuration has refreshes at all: a session that is young is refreshed then.
  var hasRefreshes: Bool {
    let now = WallClock.system.now
    let session = PlatformSSOSession(received: now, expiration: now.advanced(by: 60), lastFullLogin: now)
    return canRefresh(session, method: .password)
  }
}

extension LoginMethod {
  /// The method as a profile names it.
  fileprivate var ofProfile: ExtensibleSSOProfile.AuthenticationMethod {
    switch self {
    case .password: .password
    case .userSecureEnclaveKey, .embeddedAssertion: .userSecureEnclaveKey
    case .smartCard: .smartCard
    case .webAuthorization: .openID
    }
  }
}
