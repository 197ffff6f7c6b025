import PureCrypto

/// AES-CBC on whole blocks, both directions, on every backend that the machine has.
struct AESCBCGroup: VectorGroup {
  private let keySize: Int

  init(reading group: MemberReader, in file: FileContext) throws(VectorFault) {
    keySize = try group.integer("keySize")
  }

  func run(_ test: MemberReader) throws(VectorFault) -> Verdict {
    let key = try test.octets("key")
    let vector = try test.octets("iv")
    let plaintext = try test.octets("pt")
    let ciphertext = try test.octets("ct")
    guard key.count * 8 == keySize else { throw .malformed("the key is not \(keySize) bits long") }
    return verdict { () throws(CryptoError) in
      for backend in Backend.available {
        let cipher = try withContiguousBytes(key) { (key) throws(CryptoError) in
          try AESCBC(key: key, backend: backend)
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
}
