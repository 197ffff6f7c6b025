import PureCrypto

/// AES Key Wrap: unwrapping, and wrapping when the test is right, on every backend that the machine has.
struct KeyWrapGroup: VectorGroup {
  private let keySize: Int

  init(reading group: MemberReader, in file: FileContext) throws(VectorFault) {
    keySize = try group.integer("keySize")
  }

  func run(_ test: MemberReader) throws(VectorFault) -> Verdict {
    let keyEncryptionKey = try test.octets("key")
    let key = try test.octets("msg")
    let wrapped = try test.octets("ct")
    guard keyEncryptionKey.count * 8 == keySize else { throw .malformed("the key is not \(keySize) bits long") }
    return verdict { () throws(CryptoError) in
      for backend in Backend.available {
        let wrap = try AESKeyWrap(key: SecretBytes(copying: keyEncryptionKey), backend: backend)
        let unwrapped = try wrap.unwrap(wrapped).withUnsafeBytes { Array($0) }
        guard unwrapped == key else { return .wrong("the unwrapped key differs on \(backend)") }
        guard try wrap.wrap(SecretBytes(copying: key)) == wrapped else {
          return .wrong("the wrapped key differs on \(backend)")
        }
        let quiet = wrap.unwrapOrRandom(wrapped, byteCount: key.count).withUnsafeBytes { Array($0) }
        guard quiet == key else { return .wrong("unwrapping without an answer differs on \(backend)") }
      }
      return .accepted
    }
  }
}
