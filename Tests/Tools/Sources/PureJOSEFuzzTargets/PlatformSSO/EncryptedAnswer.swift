import JOSE
import PlatformSSOKit
import PureCrypto
import StrictJSON

/// Seals any plaintext under any header by a fixed ephemeral key, as the protocol's encrypted messages are sealed.
struct EncryptedAnswer {
  private static let ephemeralKey = Result { try TokenKeys.p256("ephemeral") }

  private let cipher: AESGCM
  private let values: [String: String]

  /// - Parameter partyVInfo: what the receiver agreed to.
  init(recipient: P256PublicKey, partyVInfo: [UInt8]) throws {
    let ephemeralKey = try Self.ephemeralKey.get()
    let partyUInfo = PartyUInfo.octets(ephemeralKeyX963Representation: ephemeralKey.publicKey.x963Representation)
    let info = KeyAgreement.otherInfo(
      algorithmID: "A256GCM", partyUInfo: partyUInfo, partyVInfo: partyVInfo, keyBitCount: 256)
    cipher = try AESGCM(
      key: ephemeralKey.sharedSecret(with: recipient).concatKDFDerivedKey(otherInfo: info, bitCount: 256))
    values = [
      "@X@": Base64URL.encode(ephemeralKey.publicKey.x), "@Y@": Base64URL.encode(ephemeralKey.publicKey.y),
      "@APU@": Base64URL.encode(partyUInfo), "@APV@": Base64URL.encode(partyVInfo),
    ]
  }

  /// The usual header, with placeholders for what is made by the run.
  static func header(type: String) -> [UInt8] {
    Array(
      #"{"alg":"ECDH-ES","enc":"A256GCM","typ":"\#(type)","apu":"@APU@","apv":"@APV@","epk":{"kty":"EC","crv":"P-256","x":"@X@","y":"@Y@"}}"#
        .utf8)
  }

  /// The compact JWE.
  func token(header: [UInt8], plaintext: [UInt8]) throws -> String {
    let head = Base64URL.encode(Placeholders.filled(header, values))
    let sealed = try cipher.seal(plaintext, authenticating: head.utf8)
    return [
      head, "", Base64URL.encode(sealed.initializationVector), Base64URL.encode(sealed.ciphertext),
      Base64URL.encode(sealed.authenticationTag),
    ].joined(separator: ".")
  }
}
