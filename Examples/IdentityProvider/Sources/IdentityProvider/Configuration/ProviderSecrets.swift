import Foundation
import JOSE
import PureCrypto

/// The secrets that stand beside the database and never in it, in a file that only its owner reads.
package struct ProviderSecrets: Sendable {
  /// The key of refresh tokens.
  package let refreshTokenKey: [UInt8]
  /// The key of nonces for proofs of possession.
  package let nonceKey: [UInt8]
  /// HMAC with the same key, made ready, for what this provider hands out and wants back.
  package let nonceCode: HMACSHA256
  /// The key of what the database keeps under seal: private keys, seeds of second factors.
  package let sealingKey: [UInt8]

  /// Reads the folder's secrets.
  ///
  /// - Parameter makes: whether they may be made: other ones would not open what a database has.
  /// - Throws: ``StartRefusal``, and what Foundation throws.
  package init(folder: String, makes: Bool = true) throws {
    let path = folder + "/secrets.json"
    // A copy may have lost the mode.
    if let mode = ProviderFolder.mode(path), mode & 0o077 != 0, chmod(path, 0o600) != 0 {
      throw StartRefusal("Others may read \(path), and this account can't change that: give it the mode 600.")
    }
    let known = FileManager.default.contents(atPath: path)
    guard known != nil || makes else {
      throw StartRefusal(
        "There is no secrets.json in the folder \(folder): copy the one of the other providers of this database.")
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

  private static let unreadable = StartRefusal("secrets.json can't be read: it must hold the keys it was made with.")

  /// Of two processes that begin at once, one's file counts: `link` refuses to replace it.
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
