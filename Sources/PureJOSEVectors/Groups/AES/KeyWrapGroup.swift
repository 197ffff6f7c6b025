import PureCrypto

/// AES Key Wrap: unwrapping, and wrapping when the test is right, on every backend that the machine has.
struct KeyWrapGroup: KeySizeGroup {
  let keySize: Int

  func run(_ test: MemberReader) throws -> Verdict {
    let keyEncryptionKey = try key(of: test)
    let (key, wrapped) = (try test.octets("msg"), try test.octets("ct"))
    for backend in Backend.available {
      let wrap = try AESKeyWrap(key: SecretBytes(copying: keyEncryptionKey), backend: backend)
      let unwrapped = try wrap.unwrap(wrapped).octets
      guard unwrapped == key else { return .wrong("the unwrapped key differs on \(backend)") }
      guard try wrap.wrap(SecretBytes(copying: key)) == wrapped else {
        return .wrong("the wrapped key differs on \(backend)")
      }
      let quiet = wrap.unwrapOrRandom(wrapped, byteCount: key.count).octets
      guard quiet == key else { return .wrong("unwrapping without an answer differs on \(backend)") }
    }
    return .accepted
  }
}
