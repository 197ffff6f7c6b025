import JOSE
import PlatformSSOKit
import PureCrypto

/// This package's provider in the same process, for the doctor to examine without a network: what a server would do
/// with each request.
struct OwnProvider: DoctorTransport {
  private var platform: PlatformSSOProvider

  /// What checks requests.
  var provider: IdentityProvider {
    get { platform.identityProvider }
    set { platform.identityProvider = newValue }
  }

  private static let issuer = "https://idp.example.com"
  private static let userName = "jane@example.com"

  /// What a profile would have for registrations.
  static let registrationToken = "token of the profile"

  private static var ownPolicy: RegistrationPolicy {
    RegistrationPolicy { ConstantTime.equal(Array(($0.registrationToken ?? "").utf8), Array(registrationToken.utf8)) }
  }

  /// How the Mac's user logs in.
  enum Login: Sendable, CaseIterable {
    case password, encryptedPassword, userKey, smartCard
  }

  /// A provider and a Mac that know each other, and have one clock.
  static func make(
    _ login: Login = .password, clock: WallClock = .system, registration: RegistrationPolicy? = nil
  ) async throws -> (OwnProvider, DoctorSubject) {
    let signingKey = try SigningKey.generate(.es256)
    let keys = try DeviceKeys(signingKey: signingKey, encryptionKey: .generateForKeyAgreement())
    let idTokenKey = try SigningKey.generate(.es256, keyID: "idp-1")
    let cardKey = try SigningKey.generate(.es256)
    let card = Certificate.signed(
      issuer: Certificate.name("Cards"), subject: Certificate.name(userName),
      subjectPublicKeyInfo: cardKey.subjectPublicKeyInfo, validity: clock.now...clock.now.advanced(by: .seconds(86_400))
    ) {
      Certificate.usage(&$0, Certificate.digitalSignature)
    } sign: {
      cardKey.derSignature(for: $0)
    }
    let users = OwnUsers(
      userName: userName, password: "correct horse", card: card, cardKey: cardKey.verificationKey)
    var platform = try PlatformSSOProvider(
      address: issuer, clientID: "psso", apps: ["ABCDE12345.com.example.mac.ssoe"], users: users,
      records: MemoryRecordStore(), idTokenKey: idTokenKey, secret: SecretBytes.random(count: 32),
      registration: registration ?? ownPolicy, clock: clock)
    platform.identityProvider.configuration.bindsServerNonces = false
    platform.identityProvider.configuration.audience = "psso"
    let userKey = try SigningKey.generate(.es256)
    var configuration = platform.loginConfiguration
    configuration.apply(.macOS)
    if login == .encryptedPassword {
      let key = try DecryptionKey.generateForKeyAgreement()
      configuration.loginRequestEncryptionPublicKey = key.encryptionKey.x963Representation
      platform.identityProvider.configuration.loginRequestDecryptionKeys = [key]
    }
    let device = RegisteredDevice(
      id: "mac-1", signingKey: try RegisteredKey(x963Representation: keys.signingKeyX963Representation),
      encryptionKey: try RegisteredKey(x963Representation: keys.encryptionKeyX963Representation))
    let provider = platform.identityProvider
    _ = try await provider.devices.save(device)
    if let registered = try await provider.devices.device(id: device.id, tenant: nil) {
      let key = try RegisteredKey(signingKey: userKey.verificationKey)
      _ = try await provider.logins.enroll(key, of: userName, on: registered)
    }
    let method: LoginMethod =
      switch login {
      case .password, .encryptedPassword: .password("correct horse")
      case .userKey: .userSecureEnclaveKey(userKey)
      case .smartCard: .smartCard(cardKey, certificate: card)
      }
    var subject = DoctorSubject(
      device: PlatformSSODevice(configuration: configuration, keys: keys, clock: clock), signingKey: signingKey,
      user: UserLoginConfiguration(loginUserName: userName),
      method: method, idTokenKeys: nil)
    subject.registration = DoctorRegistration(
      url: issuer + "/register", token: registrationToken, format: .standard)
    return (OwnProvider(platform: platform), subject)
  }

  func send(_ request: HTTPRequestValue) async throws(CommandFailure) -> HTTPResponseValue {
    await platform.respond(to: request) ?? HTTPResponseValue(status: 404)
  }
}

/// One user.
private struct OwnUsers: PlatformSSOUsers {
  let userName: String
  let password: String
  /// The one card that is the user's, and its key.
  let card: [UInt8]
  let cardKey: VerificationKey

  func user(_ name: String) -> PlatformSSOUser? {
    name.utf8.elementsEqual(userName.utf8) ? PlatformSSOUser(subject: userName) : nil
  }

  func passwordVerdict(_ password: String, of userName: String, on device: RegisteredDevice) -> CredentialVerdict {
    let isRight = ConstantTime.equal(Array(self.password.utf8), Array(password.utf8))
    return user(userName) != nil && isRight ? .accepted : .wrong
  }

  func smartCardKey(
    certificates: [[UInt8]], of userName: String, on device: RegisteredDevice
  ) -> VerificationKey? {
    user(userName) != nil && certificates == [card] ? cardKey : nil
  }
}
