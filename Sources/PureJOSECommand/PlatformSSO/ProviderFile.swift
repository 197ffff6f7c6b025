import JOSE
import PlatformSSOKit
import PureCrypto

/// A provider's configuration file: everything that the provider's side of `jose psso` needs. `jose psso --help`
/// describes it.
struct ProviderFile {
  /// Its records are empty until ``recollect(_:)``.
  let provider: IdentityProvider
  let devices: [RegisteredDevice]
  let users: [ProviderUser]
  let secrets: ProviderSecrets
  /// Where users with codes log in by a browser, if they do.
  let authorizationURL: String?
  /// Seconds for which the refresh tokens are good that `respond` issues.
  let refreshTokenLifetime: Int

  init(_ arguments: Arguments, console: Console) throws(CommandFailure) {
    let file = try ConfigurationFile(arguments, console: console)
    var members = file.members
    let configuration = try file.providerConfiguration(&members)
    let secret = try file.requiredKey("secret", in: &members)
    guard let secrets = ProviderSecrets(secret) else {
      throw .usage("secret in the configuration must be a symmetric JWK of 32 octets or more, such as one for HS256")
    }
    self.secrets = secrets
    let idTokenKey = try file.requiredKey("idTokenKey", in: &members)
    let signatureAlgorithm = idTokenKey.signatureAlgorithmIfUnnamed
    let signingKey = try file.keyError("idTokenKey") { try SigningKey(idTokenKey, orNamed: signatureAlgorithm) }
    devices = try file.devices(&members)
    users = try file.users(&members)
    refreshTokenLifetime = try members.integer(ifPresent: "refreshTokenLifetime") ?? 28_800
    guard (1...31_622_400).contains(refreshTokenLifetime) else {
      throw .usage("refreshTokenLifetime in the configuration must be 1 second to a year")
    }
    authorizationURL = try members.string(ifPresent: "authorizationURL")
    let serverNonceLifetime = try members.number(ifPresent: "serverNonceLifetime") ?? 300
    try members.finish()
    do throws(JOSEError) {
      provider = try IdentityProvider(
        configuration: configuration,
        serverNonces: try ServerNonces(
          secret: secrets.serverNonces, lifetime: Duration(saturating: serverNonceLifetime)),
        users: ProviderFileUsers(users: users), idTokenKey: signingKey, records: MemoryRecordStore())
    } catch {
      let place = error.name == "idTokenKey" ? "idTokenKey" : "serverNonceLifetime"
      throw .usage("\(place) in the configuration: \(error)")
    }
  }
}

extension ProviderFile {
  var configuration: IdentityProviderConfiguration { provider.configuration }
  var directory: ProviderFileUsers { ProviderFileUsers(users: users) }
}

/// A user in the configuration file.
struct ProviderUser: Sendable {
  let name: String
  /// The tenant that knows the user; nil if all do.
  let tenant: String?
  let subject: String
  let password: String?
  /// Further claims of the `id_token`.
  let claims: JSONObject
  /// Keys in Secure Enclaves, each with the device that it is on: one for each device.
  let keys: [(deviceID: String, key: RegisteredKey)]
  /// Codes that web-based logins end with. The file does not forget them when they are used.
  let codes: [String]
  /// Certificates of smart cards, each with the card's key.
  let smartCards: [(certificate: [UInt8], key: VerificationKey)]

  func isCalled(_ name: String) -> Bool { self.name.utf8.elementsEqual(name.utf8) }

  func isKnown(to tenant: String?) -> Bool {
    guard let own = self.tenant else { return true }
    return tenant.map { $0.utf8.elementsEqual(own.utf8) } ?? false
  }
}

extension ConfigurationFile {
  fileprivate func devices(
    _ members: inout ConfigurationMembers
  ) throws(CommandFailure) -> [RegisteredDevice] {
    var devices: [RegisteredDevice] = []
    for element in try members.elements("devices") {
      var element = element
      let id = try element.string("id")
      guard let signingKey = try publicKey("signingKey", in: &element) else { throw element.missing("signingKey") }
      guard let encryptionKey = try publicKey("encryptionKey", in: &element) else {
        throw element.missing("encryptionKey")
      }
      devices.append(
        RegisteredDevice(
          id: id, signingKey: signingKey, encryptionKey: encryptionKey,
          otherSigningKey: try publicKey("otherSigningKey", in: &element),
          otherEncryptionKey: try publicKey("otherEncryptionKey", in: &element),
          serialNumber: try element.string(ifPresent: "serialNumber"), udid: try element.string(ifPresent: "udid"),
          tenant: try element.string(ifPresent: "tenant")))
      try element.finish()
    }
    return devices
  }

  fileprivate func users(_ members: inout ConfigurationMembers) throws(CommandFailure) -> [ProviderUser] {
    var users: [ProviderUser] = []
    for element in try members.elements("users") {
      var element = element
      let name = try element.string("name")
      let subject = try element.string(ifPresent: "subject") ?? name
      guard JWTPolicy.isSubject(subject) else {
        throw .usage(
          "\(element.path)subject in the configuration, the name unless it is there, must be 1 to 255 printable ASCII "
            + "characters, and not only spaces")
      }
      users.append(
        ProviderUser(
          name: name, tenant: try element.string(ifPresent: "tenant"),
          subject: subject,
          password: try element.string(ifPresent: "password"),
          claims: try element.object(ifPresent: "claims") ?? [:], keys: try userKeys(&element),
          codes: try element.strings(ifPresent: "codes") ?? [],
          smartCards: try smartCards(&element)))
      try element.finish()
    }
    return users
  }

  private func userKeys(
    _ members: inout ConfigurationMembers
  ) throws(CommandFailure) -> [(deviceID: String, key: RegisteredKey)] {
    var keys: [(deviceID: String, key: RegisteredKey)] = []
    for element in try members.elements("keys") {
      var element = element
      guard let key = try publicKey("key", in: &element) else { throw element.missing("key") }
      keys.append((try element.string("device"), key))
      try element.finish()
    }
    return keys
  }

  private func smartCards(
    _ members: inout ConfigurationMembers
  ) throws(CommandFailure) -> [(certificate: [UInt8], key: VerificationKey)] {
    var cards: [(certificate: [UInt8], key: VerificationKey)] = []
    for element in try members.elements("smartCards") {
      var element = element
      guard let certificate = try certificate("certificate", in: &element) else {
        throw element.missing("certificate")
      }
      let jwk = try requiredKey("key", in: &element)
      let algorithm = try signatureAlgorithm("algorithm", in: &element) ?? jwk.signatureAlgorithmIfUnnamed
      let key = try keyError(element.path + "key") { try VerificationKey(jwk, orNamed: algorithm) }
      cards.append((certificate, key))
      try element.finish()
    }
    return cards
  }
}
