import JOSE
import PureCrypto
import StrictJSON

/// ECDH-ES from JWKs to the derived key, from the recipient's side and, where its key is given, from the sender's.
struct ECDHESGroup: VectorGroup {
  private let recipient: JSONObject
  private let ephemeral: JSONObject
  private let ephemeralPrivate: JSONObject?

  init(reading group: MemberReader, in file: FileContext) throws(VectorFault) {
    recipient = try group.jsonObject("key")
    ephemeral = try group.jsonObject("epk")
    ephemeralPrivate = try group.jsonObject(ifPresent: "epkPrivate")
  }

  func run(_ test: MemberReader) throws -> Verdict {
    let algorithm = try test.string("alg")
    let contentEncryption = try test.string("enc")
    let algorithmID = try test.string("algorithmId")
    let (partyUInfo, partyVInfo) = (try test.base64URL("apu"), try test.base64URL("apv"))
    let bitCount = try test.integer("keyDataLen")
    let otherInfo = try test.octets("otherInfo")
    let z = try test.octets("z")
    let derivedKey = try test.octets("derivedKey")
    guard let keyManagement = KeyManagementAlgorithm(name: algorithm) else {
      throw VectorFault.notImplemented(algorithm)
    }
    guard let enc = ContentEncryptionAlgorithm(name: contentEncryption) else {
      throw VectorFault.notImplemented(contentEncryption)
    }
    let row = keyManagement.row
    let name = row.wrappingKeyByteCount == nil ? enc.name : keyManagement.name
    let byteCount = row.wrappingKeyByteCount ?? enc.row.keyByteCount
    guard row.isAgreement, algorithmID == name, bitCount == byteCount * 8 else {
      throw VectorFault.malformed("algorithmId or keyDataLen is not that of the key agreement")
    }
    let made = KeyAgreement.otherInfo(
      algorithmID: name, partyUInfo: partyUInfo, partyVInfo: partyVInfo, keyBitCount: bitCount)
    guard made == otherInfo else { return .wrong("OtherInfo differs") }
    guard try sharedSecret(of: recipient, with: ephemeral) == z else { return .wrong("the secret differs") }
    if let ephemeralPrivate, try sharedSecret(of: ephemeralPrivate, with: recipient) != z {
      return .wrong("the secret differs on the sender's side")
    }
    let key = try? SharedSecret(SecretBytes(copying: z)).concatKDFDerivedKey(otherInfo: otherInfo, bitCount: bitCount)
    return .accepted(
      if: key?.octets == derivedKey, otherwise: "the derived key differs")
  }

  private func sharedSecret(of own: JSONObject, with peer: JSONObject) throws(JOSEError) -> [UInt8]? {
    guard case .privateKey(let key) = try JWK(own).material, let peer = try JWK(peer).material.publicKey else {
      return nil
    }
    return key.sharedSecret(with: peer)?.octets
  }
}
