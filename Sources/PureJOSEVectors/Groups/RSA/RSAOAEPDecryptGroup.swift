import JOSE
import PureCrypto
import StrictJSON

/// RSAES-OAEP without a label, with a private key as a JWK.
struct RSAOAEPDecryptGroup: VectorGroup {
  private let key: AnyRSAPrivateKey
  private let padding: RSAEncryptionPadding

  init(reading group: MemberReader, in file: FileContext) throws(VectorFault) {
    padding = try group.oaepPadding()
    guard case .privateKey(.rsa(let key))? = try? JWK(group.jsonObject("key")).material else {
      throw .malformed("the key is not a private RSA key")
    }
    self.key = key
  }

  func run(_ test: MemberReader) throws -> Verdict {
    let message = try test.octets("msg")
    let ciphertext = try test.octets("ct")
    // As a key of known length, what does not decrypt is a random one.
    let known = key.decryptKey(ciphertext, padding: padding, byteCount: max(1, min(64, message.count)))
    let decrypted = try key.decrypt(ciphertext, padding: padding)
    let octets = decrypted.octets
    if (1...64).contains(octets.count), known.octets != octets {
      return .wrong("as a key it differs")
    }
    return .accepted(if: octets == message, otherwise: "the message differs")
  }
}

extension MemberReader {
  /// The padding with the hash function that a group names.
  func oaepPadding() throws(VectorFault) -> RSAEncryptionPadding {
    switch try string("sha") {
    case "SHA-1": .oaepSHA1
    case "SHA-256": .oaepSHA256
    case "SHA-384": .oaepSHA384
    case "SHA-512": .oaepSHA512
    case let name: throw .notImplemented("OAEP with \(name)")
    }
  }
}
