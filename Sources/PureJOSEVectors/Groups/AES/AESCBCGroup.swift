import PureCrypto

/// AES-CBC on whole blocks, both directions, on every backend that the machine has.
struct AESCBCGroup: KeySizeGroup {
  let keySize: Int

  func run(_ test: MemberReader) throws -> Verdict {
    let key = try key(of: test)
    let vector = try test.octets("iv")
    let (plaintext, ciphertext) = (try test.octets("pt"), try test.octets("ct"))
    for backend in Backend.available {
      let cipher = try unsafe withContiguousBytes(key) { (key) throws(CryptoError) in
        try unsafe AESCBC(key: key, backend: backend)
      }
      guard try cipher.map(plaintext, initializationVector: vector, isEncrypting: true) == ciphertext else {
        return .wrong("the ciphertext differs on \(backend)")
      }
      guard try cipher.map(ciphertext, initializationVector: vector, isEncrypting: false) == plaintext else {
        return .wrong("the plaintext differs on \(backend)")
      }
    }
    return .accepted
  }
}
