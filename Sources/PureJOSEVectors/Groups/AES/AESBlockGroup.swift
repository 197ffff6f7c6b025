import PureCrypto

/// AES blocks, each encrypted and decrypted on its own.
struct AESBlockGroup: VectorGroup {
  private let keySize: Int

  init(reading group: MemberReader, in file: FileContext) throws(VectorFault) {
    keySize = try group.integer("keySize")
  }

  func run(_ test: MemberReader) throws(VectorFault) -> Verdict {
    let key = try test.octets("key")
    let plaintext = try test.octets("pt")
    let ciphertext = try test.octets("ct")
    guard key.count * 8 == keySize else { throw .malformed("the key is not \(keySize) bits long") }
    do throws(CryptoError) {
      let cipher = try AES(key: key)
      guard try cipher.encryptBlocks(plaintext) == ciphertext else { return .wrong("the ciphertext differs") }
      guard try cipher.decryptBlocks(ciphertext) == plaintext else { return .wrong("the plaintext differs") }
      return .accepted
    } catch {
      return .refused("\(error.code)")
    }
  }
}
