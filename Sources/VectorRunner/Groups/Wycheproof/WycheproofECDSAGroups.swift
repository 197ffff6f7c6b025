import PureCrypto

/// Wycheproof's signatures in DER.
struct WycheproofECDSADERGroup: VectorGroup {
  private let key: P256PublicKey

  init(reading group: MemberReader, in file: FileContext) throws(VectorFault) {
    key = try WycheproofPublicKey(reading: group).key
    try group.requireSHA256()
  }

  func run(_ test: MemberReader) throws(VectorFault) -> Verdict {
    let message = try test.octets("msg")
    let encoded = try test.octets("sig")
    return verdict { () throws(CryptoError) in try key.judge(derSignature: encoded, of: message) }
  }
}

/// Wycheproof's signatures as r ‖ s.
struct WycheproofECDSARawGroup: VectorGroup {
  private let key: P256PublicKey

  init(reading group: MemberReader, in file: FileContext) throws(VectorFault) {
    key = try WycheproofPublicKey(reading: group).key
    try group.requireSHA256()
  }

  func run(_ test: MemberReader) throws(VectorFault) -> Verdict {
    let message = try test.octets("msg")
    let encoded = try test.octets("sig")
    return verdict { () throws(CryptoError) in key.judge(try P256Signature(rawRepresentation: encoded), of: message) }
  }
}
