import Crypto
import Foundation

/// `ECDH-ES` with `A256GCM` in compact form, put together from swift-crypto and Foundation as somebody would who has to
/// do without a JOSE library: coders are made once, and bytes are copied no more often than the two libraries'
/// interfaces ask for.
///
/// Source: RFC 7516 §5, RFC 7518 §4.6.
struct ComposedJWE {
  struct Failure: Error {}

  struct Header: Codable {
    struct EphemeralKey: Codable {
      var kty = "EC"
      var crv = "P-256"
      let x: String
      let y: String
    }

    var alg = "ECDH-ES"
    var enc = "A256GCM"
    let epk: EphemeralKey
  }

  private let encoder = JSONEncoder()
  private let decoder = JSONDecoder()

  func encrypt(_ plaintext: [UInt8], to recipient: P256.KeyAgreement.PublicKey) throws -> String {
    let ephemeral = P256.KeyAgreement.PrivateKey(compactRepresentable: false)
    let point = ephemeral.publicKey.rawRepresentation
    let header = Header(
      epk: Header.EphemeralKey(x: Self.base64URL(point.prefix(32)), y: Self.base64URL(point.suffix(32))))
    let encodedHeader = Self.base64URL(try encoder.encode(header))
    let key = Self.deriveKey(try ephemeral.sharedSecretFromKeyAgreement(with: recipient))
    let box = try AES.GCM.seal(plaintext, using: key, authenticating: Data(encodedHeader.utf8))
    let segments = [Data(box.nonce), box.ciphertext, box.tag].map(Self.base64URL)
    return "\(encodedHeader)..\(segments[0]).\(segments[1]).\(segments[2])"
  }

  func decrypt(_ token: String, with key: P256.KeyAgreement.PrivateKey) throws -> Data {
    let segments = token.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard segments.count == 5, segments[1].isEmpty else { throw Failure() }
    let header = try decoder.decode(Header.self, from: Self.bytes(segments[0]))
    guard header.alg == "ECDH-ES", header.enc == "A256GCM", header.epk.kty == "EC", header.epk.crv == "P-256" else {
      throw Failure()
    }
    let point = try Self.bytes(header.epk.x.utf8[...]) + Self.bytes(header.epk.y.utf8[...])
    let sender = try P256.KeyAgreement.PublicKey(rawRepresentation: point)
    let box = try AES.GCM.SealedBox(
      nonce: AES.GCM.Nonce(data: Self.bytes(segments[2])), ciphertext: Self.bytes(segments[3]),
      tag: Self.bytes(segments[4]))
    return try AES.GCM.open(
      box, using: Self.deriveKey(key.sharedSecretFromKeyAgreement(with: sender)), authenticating: Data(segments[0]))
  }

  /// The first digest of Concat KDF is the whole key.
  private static func deriveKey(_ secret: SharedSecret) -> SymmetricKey {
    var hash = SHA256()
    hash.update(data: [0, 0, 0, 1] as [UInt8])
    secret.withUnsafeBytes { hash.update(bufferPointer: $0) }
    hash.update(data: otherInfo)
    return SymmetricKey(data: hash.finalize())
  }

  /// AlgorithmID with its length, empty PartyUInfo and PartyVInfo, the key's 256 bits.
  private static let otherInfo: [UInt8] = [0, 0, 0, 7] + Array("A256GCM".utf8) + [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0]

  static func base64URL(_ bytes: Data) -> String {
    var text = bytes.base64EncodedData()
    while text.last == UInt8(ascii: "=") { text.removeLast() }
    text.withUnsafeMutableBytes { characters in
      for index in characters.indices {
        switch characters[index] {
        case UInt8(ascii: "+"): characters[index] = UInt8(ascii: "-")
        case UInt8(ascii: "/"): characters[index] = UInt8(ascii: "_")
        default: break
        }
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  static func bytes(_ text: Substring.UTF8View) throws -> Data {
    var characters = Data(text)
    characters.withUnsafeMutableBytes { characters in
      for index in characters.indices {
        switch characters[index] {
        case UInt8(ascii: "-"): characters[index] = UInt8(ascii: "+")
        case UInt8(ascii: "_"): characters[index] = UInt8(ascii: "/")
        default: break
        }
      }
    }
    while !characters.count.isMultiple(of: 4) { characters.append(UInt8(ascii: "=")) }
    guard let bytes = Data(base64Encoded: characters) else { throw Failure() }
    return bytes
  }
}
