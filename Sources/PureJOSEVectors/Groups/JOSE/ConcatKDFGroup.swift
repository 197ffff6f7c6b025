import JOSE
import PureCrypto

/// The key derivation of SP 800-56A, and OtherInfo as RFC 7518 makes it where its parts are given.
struct ConcatKDFGroup: VectorGroup {
  private let function: HashFunction

  init(reading group: MemberReader, in file: FileContext) throws(VectorFault) { function = try group.hashFunction() }

  func run(_ test: MemberReader) throws -> Verdict {
    let sharedSecret = SharedSecret(SecretBytes(copying: try test.octets("z")))
    let otherInfo = try test.octets("otherInfo")
    let bitCount = try test.integer("keyDataLen", in: 0...1 << 20)
    let derivedKey = try test.octets("derivedKey")
    if let algorithmID = try test.string(ifPresent: "algorithmId") {
      let made = KeyAgreement.otherInfo(
        algorithmID: algorithmID, partyUInfo: try test.base64URL("apu"), partyVInfo: try test.base64URL("apv"),
        keyBitCount: bitCount)
      guard made == otherInfo else { return .wrong("OtherInfo differs") }
    }
    let key = try derive(from: sharedSecret, otherInfo, bitCount)
    return .accepted(if: key.octets == derivedKey)
  }

  private func derive(
    from sharedSecret: SharedSecret, _ otherInfo: [UInt8], _ bitCount: Int
  ) throws(CryptoError) -> SecretBytes {
    // The public way knows one function.
    function == .sha256
      ? try sharedSecret.concatKDFDerivedKey(otherInfo: otherInfo, bitCount: bitCount)
      : try function.type.derivedKey(from: sharedSecret, otherInfo, bitCount)
  }
}

extension SHA2Function {
  fileprivate static func derivedKey(
    from sharedSecret: SharedSecret, _ otherInfo: [UInt8], _ bitCount: Int
  ) throws(CryptoError) -> SecretBytes {
    try unsafe withContiguousBytes(otherInfo) { (otherInfo) throws(CryptoError) in
      try unsafe ConcatKDF.deriveKey(self, sharedSecret: sharedSecret, otherInfo: otherInfo, bitCount: bitCount)
    }
  }
}
