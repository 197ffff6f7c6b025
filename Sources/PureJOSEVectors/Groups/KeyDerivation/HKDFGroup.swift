import PureCrypto

/// HKDF with SHA-256.
struct HKDFGroup: VectorGroup {
  init(reading group: MemberReader, in file: FileContext) throws(VectorFault) {
    _ = try group.integer(ifPresent: "keySize")
  }

  func run(_ test: MemberReader) throws -> Verdict {
    let material = SecretBytes(copying: try test.octets("ikm"))
    let salt = try test.octets("salt")
    let info = try test.octets("info")
    let byteCount = try test.integer("size")
    let expected = try test.octets("okm")
    let pseudorandomKey = HKDFSHA2<SHA2.SHA256>.extract(inputKeyMaterial: material, salt: salt)
    if let expected = try test.octets(ifPresent: "prk") {
      guard pseudorandomKey.octets == expected else {
        return .wrong("the extracted key differs")
      }
    }
    let key = try HKDFSHA2<SHA2.SHA256>.expand(pseudorandomKey: pseudorandomKey, info: info, byteCount: byteCount)
    return .accepted(if: key.octets == expected)
  }
}
