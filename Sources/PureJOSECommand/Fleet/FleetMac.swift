import JOSE
import PlatformSSOKit
import PureCrypto

/// What a Mac of a fleet does.
enum FleetAct: String, Sendable, CaseIterable {
  case registration, login, refresh
  case unlockKey = "unlock key"
  case exchange = "key exchange"
}

/// One Mac of a fleet: its keys, and what it keeps between requests.
struct FleetMac: Sendable {
  let device: PlatformSSODevice
  let user: UserLoginConfiguration
  let method: LoginMethod
  private(set) var refreshToken: String?
  private(set) var uniqueIdentifier: WireName?
  private(set) var keyContext: String?
  private(set) var unlockKey: [UInt8]?

  init(device: PlatformSSODevice, user: UserLoginConfiguration, method: LoginMethod) {
    (self.device, self.user, self.method) = (device, user, method)
  }

  /// A signed request, and how its answer is taken.
  struct Asked: Sendable {
    let request: DeviceRequest
    fileprivate let exchangeKey: P256AgreementPrivateKey?
  }

  /// What a Mac does in place of an act that it has nothing for yet.
  func possible(_ act: FleetAct) -> FleetAct {
    switch act {
    case .registration, .login: act
    case .refresh, .unlockKey: refreshToken == nil ? .login : act
    case .exchange: refreshToken == nil ? .login : unlockKey == nil ? .unlockKey : act
    }
  }

  /// The request of an act other than a registration.
  func asked(_ act: FleetAct, nonces: RequestNonces) throws(JOSEError) -> Asked {
    let token = refreshToken ?? ""
    switch act {
    case .registration, .login:
      return Asked(request: try device.loginRequest(of: user, by: method, nonces: nonces), exchangeKey: nil)
    case .refresh:
      return Asked(request: try device.refreshRequest(refreshToken: token, nonces: nonces), exchangeKey: nil)
    case .unlockKey:
      return Asked(
        request: try device.keyRequest(of: user, refreshToken: token, nonces: nonces), exchangeKey: nil)
    case .exchange:
      let key = P256AgreementPrivateKey()
      let request = try device.keyRequest(
        of: user, refreshToken: token, otherPublicKey: key.publicKey.x963Representation, keyContext: keyContext,
        nonces: nonces)
      return Asked(request: request, exchangeKey: key)
    }
  }

  /// Takes an answer.
  ///
  /// - Parameter idTokenKeys: the provider's.
  /// - Returns: what contradicts an answer of before; nil if nothing does.
  /// - Throws: as the device does for an answer that it can't take.
  mutating func take(_ response: HTTPResponseValue, to asked: Asked, _ idTokenKeys: JWKSet) throws(JOSEError)
    -> String?
  {
    switch asked.request.message {
    case .login, .refresh:
      let opened = try device.openLoginResponse(response, to: asked.request, idTokenKeys: idTokenKeys)
      let isSame = uniqueIdentifier.map { $0 == opened.uniqueIdentifier } ?? true
      (refreshToken, uniqueIdentifier) = (opened.response.refreshToken, WireName(opened.uniqueIdentifier))
      return isSame ? nil : "another user"
    case .key:
      let key = try device.openKeyResponse(response, to: asked.request)
      let isSame = unlockKey.map { $0 == key.publicKeyX963Representation } ?? true
      (unlockKey, keyContext) = (key.publicKeyX963Representation, key.keyContext)
      return isSame ? nil : "another unlock key"
    case .keyExchange:
      let exchanged = try device.openKeyExchangeResponse(response, to: asked.request)
      guard let own = asked.exchangeKey, let unlockKey,
        let certified = try? P256AgreementPublicKey(x963Representation: unlockKey),
        let expected = try? own.sharedSecret(with: certified), expected.isSame(as: exchanged.key)
      else { return "another secret" }
      return nil
    }
  }
}
