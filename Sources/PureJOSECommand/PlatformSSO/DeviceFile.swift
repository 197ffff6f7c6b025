import JOSE
import PlatformSSOKit

/// A device's configuration file: everything that the device side of `jose psso` needs. `jose psso --help` describes
/// it.
struct DeviceFile {
  let device: PlatformSSODevice
  /// The product whose options the configuration has.
  let preset: PlatformSSOPreset?
  let user: UserLoginConfiguration?
  let groups: [String]
  /// Read when it is needed, so that a request without a login needs no credential.
  let login: ConfigurationMembers?
  /// The provider's keys for `id_token`.
  let identityProviderKeys: JWKSet?
  /// The public key of key exchange requests.
  let otherKey: RegisteredKey?
  private let file: ConfigurationFile

  init(_ arguments: Arguments, console: Console) throws(CommandFailure) {
    let file = try ConfigurationFile(arguments, console: console)
    self.file = file
    var members = file.members
    var named = file.members
    var loginMembers = try named.members("loginConfiguration")
    preset = try loginMembers.preset()
    var configuration = try file.loginConfiguration(&members)
    let signing = try file.requiredKey("deviceSigningKey", in: &members)
    let encryption = try file.requiredKey("deviceEncryptionKey", in: &members)
    let certificate = try file.certificate("deviceSigningCertificate", in: &members)
    let signingKey = try file.keyError("deviceSigningKey") { try SigningKey(signing, algorithm: .es256) }
    let decryptionKey = try file.keyError("deviceEncryptionKey") { try DecryptionKey(encryption, algorithm: .ecdhES) }
    do throws(JOSEError) {
      let keys = try DeviceKeys(
        signingKey: signingKey, encryptionKey: decryptionKey, signingCertificate: certificate)
      // Keycloak wants the keys named in claims, which only now are known.
      if preset == .keycloak { configuration.includeKeyIdentifiers(of: keys) }
      device = PlatformSSODevice(configuration: configuration, keys: keys)
    } catch {
      throw .usage("the device keys in the configuration: \(error)")
    }
    user = try file.user(&members)
    groups = try members.strings(ifPresent: "groups") ?? []
    login = try members.members(ifPresent: "login")
    identityProviderKeys = try file.keySet("identityProviderKeys", for: configuration, in: &members)
    otherKey = try file.publicKey("otherKey", in: &members)
    try members.finish()
    // Faults of a part that this request does not need are faults all the same.
    if login != nil { _ = try loginMethod() }
  }

  func requiredUser() throws(CommandFailure) -> UserLoginConfiguration {
    guard let user else { throw .usage("user is missing in the configuration") }
    return user
  }

  /// How the user logs in.
  func loginMethod() throws(CommandFailure) -> LoginMethod {
    guard var login else { throw .usage("login is missing in the configuration") }
    let method = try login.string("method")
    let result: LoginMethod
    switch method {
    case "password":
      result = .password(try login.string("password"))
    case "userSecureEnclaveKey":
      let key = try file.requiredKey("key", in: &login)
      result = .userSecureEnclaveKey(
        try file.keyError("login.key") { try SigningKey(key, algorithm: .es256) })
    case "smartCard":
      let key = try file.requiredKey("key", in: &login)
      guard let certificate = try file.certificate("certificate", in: &login) else {
        throw login.missing("certificate")
      }
      let algorithm = try file.signatureAlgorithm("algorithm", in: &login) ?? key.signatureAlgorithmIfUnnamed
      let signingKey = try file.keyError("login.key") { try SigningKey(key, orNamed: algorithm) }
      result = .smartCard(signingKey, certificate: certificate)
    case "webAuthorization":
      let url = try login.string("callbackURL")
      let state = try login.string(ifPresent: "state")
      // Without it any callback would answer, also one of another login.
      guard state != nil || !device.configuration.addsAuthorizationState else { throw login.missing("state") }
      result = .webAuthorization(
        try attempt { try AuthorizationCallback(url: url, expectedState: state) })
    default:
      throw .usage(
        "login.method in the configuration must be password, userSecureEnclaveKey, smartCard or webAuthorization")
    }
    try login.finish()
    return result
  }
}

extension ConfigurationFile {
  /// The name of a signature algorithm.
  func signatureAlgorithm(
    _ name: String, in members: inout ConfigurationMembers
  ) throws(CommandFailure) -> SignatureAlgorithm? {
    guard let text = try members.string(ifPresent: name) else { return nil }
    guard let algorithm = SignatureAlgorithm(name: text) else {
      throw .usage("\(members.path)\(name) in the configuration is not an algorithm that is implemented")
    }
    return algorithm
  }

  /// `user`: who logs in.
  fileprivate func user(_ members: inout ConfigurationMembers) throws(CommandFailure) -> UserLoginConfiguration? {
    guard var object = try members.members(ifPresent: "user") else { return nil }
    var user = UserLoginConfiguration(loginUserName: try object.string("loginUserName"))
    user.customAssertionRequestClaims = try object.customClaims("customAssertionRequestClaims")
    user.customLoginRequestClaims = try object.customClaims("customLoginRequestClaims")
    try object.finish()
    return user
  }
}
