import PureCrypto

/// Wycheproof's signatures in DER.
struct WycheproofECDSADERGroup: VectorGroup {
  private let key: any VerifyingKey
  private let function: HashFunction

  init(reading group: MemberReader, in file: FileContext) throws(VectorFault) {
    key = try WycheproofPublicKey(reading: group).key
    function = try group.hashFunction()
  }

  func run(_ test: MemberReader) throws(VectorFault) -> Verdict {
    let message = try test.octets("msg")
    let encoded = try test.octets("sig")
    return verdict { () throws(CryptoError) in try key.judge(derSignature: encoded, of: message, function) }
  }
}

/// Wycheproof's signatures as r ‖ s.
struct WycheproofECDSARawGroup: VectorGroup {
  private let key: any VerifyingKey
  private let function: HashFunction

  init(reading group: MemberReader, in file: FileContext) throws(VectorFault) {
    key = try WycheproofPublicKey(reading: group).key
    function = try group.hashFunction()
  }

  func run(_ test: MemberReader) throws(VectorFault) -> Verdict {
    let message = try test.octets("msg")
    let encoded = try test.octets("sig")
    return verdict { () throws(CryptoError) in try key.judge(rawSignature: encoded, of: message, function) }
  }
}
