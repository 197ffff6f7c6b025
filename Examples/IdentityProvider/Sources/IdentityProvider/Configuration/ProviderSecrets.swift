import Foundation
import JOSE
import PureCrypto

/// The secrets, which are never in the database but in a file that only its owner may read.
package struct ProviderSecrets: Sendable {
  /// The key of refresh tokens.
  package let refreshTokenKey: [UInt8]
  /// The key of nonces for proofs of possession.
  package let nonceKey: [UInt8]
  /// HMAC with the same key, prepared, for values that this provider hands out and gets back.
  package let nonceCode: HMACSHA256
  /// The key that encrypts values in the database: private keys, seeds of second factors.
  package let sealingKey: [UInt8]

  /// Reads the folder's secrets.
  ///
  /// - Parameter makes: whether they may be made: new ones would not open what a database already has.
  /// - Throws: ``StartRefusal``, and what Foundation throws.
  package init(folder: String, makes: Bool = true) throws {
    let path = folder + "/secrets.json"
    // A copied file may have lost its mode.
    if let mode = ProviderFolder.mode(path), mode & 0o077 != 0, chmod(path, 0o600) != 0 {
      throw StartRefusal("Other accounts may read \(path), and this account can't change that: give it the mode 600.")
    }
    let known = FileManager.default.contents(atPath: path)
    guard known != nil || makes else {
      throw StartRefusal(
        "There is no secrets.json in the folder \(folder): copy it from another server of this database.")
    }
    let text = try known ?? Self.make(at: path)
    guard let object = try? JSONObject(parsing: text) else { throw Self.unreadable }
    func key(_ name: String) throws -> [UInt8] {
      guard let octets = try? Base64URL.decode(object.string(name)), octets.count == 32 else { throw Self.unreadable }
      return octets
    }
    refreshTokenKey = try key("refreshTokenKey")
    nonceKey = try key("nonceKey")
    nonceCode = try HMACSHA256(key: nonceKey)
    sealingKey = try key("sealingKey")
  }

  private static let unreadable = StartRefusal(
    "secrets.json can't be read, or a key in it is missing or damaged: restore it from a backup.")

  /// If two processes start at once, one's file stays: `link` refuses to replace it.
  private static func make(at path: String) throws -> Data {
    let object: JSONObject = [
      "refreshTokenKey": .string(RandomText.make()), "nonceKey": .string(RandomText.make()),
      "sealingKey": .string(RandomText.make()),
    ]
    let draft = path + "." + RandomText.make(byteCount: 8)
    let isWritten = FileManager.default.createFile(
      atPath: draft, contents: Data(object.serialized()), attributes: [.posixPermissions: 0o600])
    guard isWritten else { throw unreadable }
    _ = link(draft, path)
    try FileManager.default.removeItem(atPath: draft)
    guard let data = FileManager.default.contents(atPath: path) else { throw unreadable }
    return data
  }
}

extension HMACSHA256 {
  /// The code of a message, in base64url.
  func text(of message: String) -> String {
    var code = self
    code.update(message.utf8)
    return Base64URL.encode(code.finalize())
  }
}
