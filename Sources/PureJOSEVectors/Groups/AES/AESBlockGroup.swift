import PureCrypto

/// AES blocks, each encrypted and decrypted on its own.
struct AESBlockGroup: KeySizeGroup {
  let keySize: Int

  func run(_ test: MemberReader) throws -> Verdict {
    let key = try key(of: test)
    let (plaintext, ciphertext) = (try test.octets("pt"), try test.octets("ct"))
    let cipher = try AES(key: key)
    guard try cipher.encryptBlocks(plaintext) == ciphertext else { return .wrong("the ciphertext differs") }
    guard try cipher.decryptBlocks(ciphertext) == plaintext else { return .wrong("the plaintext differs") }
    return .accepted
  }
}
