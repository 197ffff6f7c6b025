import PureCrypto

/// Wycheproof's signatures, in DER or as r ‖ s.
struct WycheproofECDSAGroup: VectorGroup {
  private let key: any VerifyingKey
  private let function: HashFunction
  private let isDER: Bool

  init(reading group: MemberReader, in file: FileContext) throws(VectorFault) {
    key = try WycheproofPublicKey(reading: group).key
    function = try group.hashFunction()
    isDER = try group.string("type") == "EcdsaVerify"
  }

  func run(_ test: MemberReader) throws -> Verdict {
    let message = try test.octets("msg")
    let encoded = try test.octets("sig")
    return isDER
      ? try key.judge(derSignature: encoded, of: message, function)
      : try key.judge(rawSignature: encoded, of: message, function)
  }
}
