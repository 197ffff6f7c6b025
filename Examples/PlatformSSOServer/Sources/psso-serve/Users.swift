import JOSE
import PlatformSSOKit
import PureCrypto

/// The users of the settings.
struct Users: CredentialDirectory {
  let users: [Settings.User]

  func user(_ name: String) -> Settings.User? { users.first { $0.name.utf8.elementsEqual(name.utf8) } }

  func passwordVerdict(_ password: String, of userName: String, on device: RegisteredDevice) -> CredentialVerdict {
    isPassword(password, of: userName) ? .accepted : .wrong
  }

  func isPassword(_ password: String, of userName: String) -> Bool {
    // The same work for a user who doesn't exist.
    let known = user(userName)
    let isRight = ConstantTime.equal(Array((known?.password ?? "").utf8), Array(password.utf8))
    return known != nil && isRight
  }

  /// The records may still have keys and tokens of a user who was removed from the settings.
  func accountVerdict(of userName: String, on device: RegisteredDevice) -> CredentialVerdict {
    user(userName) == nil ? .locked : .accepted
  }
}
