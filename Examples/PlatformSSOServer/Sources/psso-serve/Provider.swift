import GRDBStores
import JOSE
import OpenIDKitFoundation
import PlatformSSOKit
import PureCrypto

/// The users of the settings. A server asks its directory.
struct Users: PlatformSSOUsers {
  let users: [Settings.User]

  func user(_ name: String) -> PlatformSSOUser? {
    guard let user = known(name) else { return nil }
    var claims: JSONObject = ["preferred_username": .string(user.name)]
    if let fullName = user.fullName { claims["name"] = .string(fullName) }
    if let groups = user.groups { claims["groups"] = .array(groups.map { .string($0) }) }
    return PlatformSSOUser(subject: user.subject, claims: claims)
  }

  func passwordVerdict(_ password: String, of userName: String, on device: RegisteredDevice) -> CredentialVerdict {
    // The same work for a user who doesn't exist.
    let user = known(userName)
    let isRight = ConstantTime.equal(Array((user?.password ?? "").utf8), Array(password.utf8))
    return user != nil && isRight ? .accepted : .wrong
  }

  private func known(_ name: String) -> Settings.User? { users.first { $0.name.utf8.elementsEqual(name.utf8) } }
}

extension PlatformSSOProvider {
  /// The provider of some settings. Its folder has two files: what is secret, made at the first start, and a database.
  init(settings: Settings, folder: String) throws {
    let secrets = try FileSecretStore(directory: folder, name: "secrets", key: nil)
    if try secrets.load() == nil {
      let key = JWK.generate(.es256, keyID: "idp-1")
      let fresh: JSONObject = [
        "idTokenKey": .object(try JSONObject(parsing: key.serializedWithPrivateKey())),
        "secret": .string(Base64URL.encode((0..<32).map { _ in UInt8.random(in: .min ... .max) })),
      ]
      // Another process may be first: then its secrets are there.
      _ = try secrets.replace(expecting: nil, with: fresh.serialized())
    }
    guard let known = try secrets.load(), let document = try? JSONObject(parsing: known.document),
      let key = document["idTokenKey"]?.objectValue, let secret = document["secret"]?.stringValue
    else { throw Failure(reason: "the secrets in \(folder) can't be read") }
    try self.init(
      address: settings.baseURL, clientID: settings.clientID, apps: settings.apps,
      users: Users(users: settings.users), records: ProviderDatabase(path: folder + "/state.sqlite").records,
      idTokenKey: SigningKey(JWK(parsing: key.serialized()), algorithm: .es256),
      secret: SecretBytes(copying: Base64URL.decode(secret)), registration: settings.registrationPolicy())
    identityProvider.configuration.audience = settings.audience
    if settings.servesMacOS13 == true { identityProvider.configuration.apply(.macOS13) }
  }

  struct Failure: Error { var reason: String }
}
