import JOSE
import PlatformSSOKit
import PureJOSETestSupport
import StrictJSON

extension SeededGenerator {
  mutating func bool() -> Bool { Bool.random(using: &self) }

  mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[Int.random(in: elements.indices, using: &self)]
  }

  /// Text of 1 to 12 characters that forms, JSON and shells write differently.
  mutating func text() -> String {
    let characters: [Character] = [
      "a", "Z", "0", " ", "+", "&", "=", "%", "\"", "\\", "/", "é", "e\u{301}", "ß", "日", "😀", "\u{0}", "\n", ".", "@",
    ]
    return String((0..<Int.random(in: 1...12, using: &self)).map { _ in pick(characters) })
  }

  /// A member name that no message has, and no other purpose.
  mutating func name(_ purpose: String = "x") -> String { purpose + "-" + text() }

  mutating func claims() -> JSONObject {
    JSONObject((0..<Int.random(in: 0...2, using: &self)).map { index in ("\(index)" + name(), value()) })
  }

  private mutating func value() -> JSONValue {
    switch Int.random(in: 0...4, using: &self) {
    case 0: .string(text())
    case 1: .number(JSONNumber(Int.random(in: -1000...1000, using: &self)))
    case 2: [.null, true, .string(text())]
    case 3: ["a": .string(text())]
    default: .bool(bool())
    }
  }

  mutating func customClaims() -> CustomClaims {
    CustomClaims(header: claims(), body: claims(), type: Int.random(in: 0...5, using: &self) == 0 ? "JWT" : nil)
  }

  mutating func customValues() -> FormFields {
    FormFields((0..<Int.random(in: 0...2, using: &self)).map { _ in (name(), text()) })
  }
}

/// A device and a provider whose settings are drawn at random but agree.
struct RandomConfiguration {
  var fixture: Fixture
  let user: UserLoginConfiguration
  let groups: [String]

  init(using generator: inout SeededGenerator, keys: RandomExchangeKeys) throws {
    fixture = try Fixture()
    var device = LoginConfiguration(
      clientID: generator.text(), issuer: generator.text(), audience: generator.text(),
      tokenEndpointURL: "https://idp.example.com/token?x=" + "\(generator.next())",
      jwksEndpointURL: "https://idp.example.com/jwks")
    var provider = IdentityProviderConfiguration(
      issuer: device.issuer, clientIDs: ["other", device.clientID], audience: device.audience,
      tokenEndpointURL: device.tokenEndpointURL)
    Self.chooseNames(&device, &provider, &generator)
    Self.chooseRules(&device, &provider, &generator)
    Self.chooseCustom(&device, &generator)
    if generator.bool() {
      device.loginRequestEncryptionPublicKey = try VectorKeys.point("idp-login-encryption")
      provider.loginRequestDecryptionKeys = [try VectorKeys.agreement("idp-login-encryption")]
      if generator.bool() {
        device.loginRequestEncryptionAPVPrefix = Array(generator.text().utf8)
        provider.loginRequestEncryptionAPVPrefix = device.loginRequestEncryptionAPVPrefix
      }
      device.omitsUnsetAPVPrefix = generator.bool()
    }
    device.federationUserPreauthenticationURL = generator.pick([nil, "https://idp.example.com/discovery"])
    device.authorizationURL = "https://idp.example.com/authorize?client_id=c"
    device.isFederated = { $0["account_type"] == "Federated" }
    fixture.device.configuration = device
    fixture.device.keys = keys.device(&generator)
    fixture.provider.configuration = provider
    fixture.provider.idTokenKey = Int.random(in: 0..<10, using: &generator) > 0 ? keys.idTokenES256 : keys.idTokenRS256
    var user = UserLoginConfiguration(loginUserName: Fixture.user)
    user.customLoginRequestClaims = CustomClaims(body: generator.claims())
    user.customAssertionRequestClaims = CustomClaims(header: generator.claims())
    self.user = user
    groups = (0..<Int.random(in: 0...3, using: &generator)).map { _ in generator.text() }
  }

  private static func chooseNames(
    _ device: inout LoginConfiguration, _ provider: inout IdentityProviderConfiguration,
    _ generator: inout SeededGenerator
  ) {
    let nonceName = generator.pick(["Nonce", "nonce", "server.nonce", generator.name()])
    (device.nonceResponseKeypath, provider.nonceResponseMember) = (nonceName, nonceName)
    if generator.bool() {
      device.serverNonceClaimName = generator.name("nonce")
      provider.serverNonceClaimName = device.serverNonceClaimName
    }
    if generator.bool() {
      device.customRequestJWTParameterName = generator.pick(["assertion", "request", generator.name("field")])
      provider.requestParameterNames = ["other", device.customRequestJWTParameterName ?? ""]
    }
    if generator.bool() {
      device.groupRequestClaimName = generator.name("groups")
      provider.groupRequestClaimName = device.groupRequestClaimName
    }
    if generator.bool() {
      device.previousRefreshTokenClaimName = generator.name("token")
      provider.previousRefreshTokenClaimName = device.previousRefreshTokenClaimName
    }
    device.uniqueIdentifierClaimName = generator.pick(["sub", "upn"])
    device.groupResponseClaimName = generator.pick(["groups", generator.name("g")])
    device.additionalScopes = generator.pick(["", "urn:apple:platformsso", "a b c"])
  }

  private static func chooseRules(
    _ device: inout LoginConfiguration, _ provider: inout IdentityProviderConfiguration,
    _ generator: inout SeededGenerator
  ) {
    device.isBuiltForMacOS13 = generator.bool()
    device.writesCertificateArray = generator.bool()
    device.includePreviousRefreshTokenInLoginRequest = generator.bool()
    device.includePlatformSSOAuthorizationScopes = generator.bool()
    device.includesAudienceInKeyRequests = generator.bool()
    provider.requiresAudienceInKeyRequests = device.includesAudienceInKeyRequests && generator.bool()
    // Custom claims may override `typ` with JWT, and the first SDK does.
    provider.acceptsJWTType = true
    provider.clientRequestID = generator.pick([.notChecked, .required, .boundToServerNonce])
    provider.repeatsPartyVInfo = generator.bool()
    if generator.bool() {
      device.refreshEndpointURL = "https://idp.example.com/refresh"
      provider.refreshEndpointURL = device.refreshEndpointURL
    } else {
      device.refreshesAtTokenEndpoint = true
    }
    if generator.bool() { device.keyEndpointURL = "https://idp.example.com/keys" }
    device.acceptsShortCoordinates = generator.bool()
  }

  private static func chooseCustom(_ device: inout LoginConfiguration, _ generator: inout SeededGenerator) {
    device.customNonceRequestValues = generator.customValues()
    device.customLoginRequestValues = generator.customValues()
    device.customRefreshRequestValues = generator.customValues()
    device.customKeyRequestValues = generator.customValues()
    device.customKeyExchangeRequestValues = generator.customValues()
    device.customFederationUserPreauthenticationRequestValues = generator.customValues()
    device.customAssertionRequestClaims = CustomClaims(header: generator.claims(), body: generator.claims())
    device.customLoginRequestClaims = generator.customClaims()
    device.customRefreshRequestClaims = generator.customClaims()
    device.customKeyRequestClaims = generator.customClaims()
    device.customKeyExchangeRequestClaims = generator.customClaims()
  }
}

/// Keys that all rounds share: making an RSA key takes longer than a round.
struct RandomExchangeKeys {
  let idTokenES256: SigningKey
  let idTokenRS256: SigningKey
  let idTokenKeys: JWKSet
  /// A smart card's key for each algorithm that one may have.
  let cards: [SigningKey]
  private let plain: DeviceKeys

  init() throws {
    idTokenES256 = try VectorKeys.signing("idp-token-signing", keyID: "es")
    let rsa = JWK.generate(.rs256, keyID: "rs")
    idTokenRS256 = try SigningKey(rsa)
    idTokenKeys = JWKSet([idTokenES256, idTokenRS256].compactMap(\.verificationKey.publicJWK))
    var anyAlgorithm = rsa
    anyAlgorithm.algorithm = nil
    cards =
      [try SigningKey.generate(.es256)]
      + [.rs256, .rs384, .rs512].compactMap { try? SigningKey(anyAlgorithm, algorithm: $0) }
    plain = try DeviceKeys(
      signingKey: VectorKeys.signing("device-signing"), encryptionKey: VectorKeys.agreement("device-encryption"))
  }

  func device(_ generator: inout SeededGenerator) -> DeviceKeys {
    var keys = plain
    keys.signingCertificate = generator.bool() ? [0x30, 0x00] : nil
    return keys
  }
}
