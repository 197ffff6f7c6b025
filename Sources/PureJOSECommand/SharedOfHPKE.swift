import JOSE
import PureCrypto

/// What `--info` and `--psk` say both sides of HPKE know beside the recipient's key.
struct SharedOfHPKE {
  private let info: [UInt8]
  private let preSharedKey: (key: SecretBytes, identifier: [UInt8])?

  static let options = ["info", "psk"]

  /// Nil if neither option is there.
  init?(_ arguments: Arguments, _ console: Console) throws(CommandFailure) {
    guard arguments["info"] != nil || arguments["psk"] != nil else { return nil }
    info = try arguments.octets("info") ?? []
    guard arguments["psk"] != nil else {
      preSharedKey = nil
      return
    }
    let jwk = try KeyFile.read(arguments, console, option: "psk").singleKey()
    guard case .octets(let key) = jwk.material, let name = jwk.keyID else {
      throw .usage("--psk is a symmetric JWK whose kid names it for both sides")
    }
    preSharedKey = (key, Array(name.utf8))
  }

  func bound(_ key: EncryptionKey) throws(JOSEError) -> EncryptionKey {
    try key.sharing(info: info, preSharedKey: preSharedKey)
  }

  func bound(_ key: DecryptionKey) throws(JOSEError) -> DecryptionKey {
    try key.sharing(info: info, preSharedKey: preSharedKey)
  }
}
