import JOSE
import PureCrypto

/// The key derivation of SP 800-56A, and OtherInfo as RFC 7518 makes it where its parts are given.
struct ConcatKDFGroup: VectorGroup {
  private let function: HashFunction

  init(reading group: MemberReader, in file: FileContext) throws(VectorFault) {
    function = try HashFunction(named: try group.string("sha"))
  }

  func run(_ test: MemberReader) throws(VectorFault) -> Verdict {
    let sharedSecret = SecretBytes(copying: try test.octets("z"))
    let otherInfo = try test.octets("otherInfo")
    let bitCount = try test.integer("keyDataLen")
    let derivedKey = try test.octets("derivedKey")
    guard bitCount <= 1 << 20 else { throw .malformed("member keyDataLen is out of range") }
    if let algorithmID = try test.string(ifPresent: "algorithmId") {
      let made = KeyAgreement.otherInfo(
        algorithmID: algorithmID, partyUInfo: try test.base64URL("apu"), partyVInfo: try test.base64URL("apv"),
        keyBitCount: bitCount)
      guard made == otherInfo else { return .wrong("OtherInfo differs") }
    }
    return verdict { () throws(CryptoError) in
      let key = try derive(from: sharedSecret, otherInfo, bitCount)
      return .accepted(if: key.withUnsafeBytes { Array($0) } == derivedKey)
    }
  }

  private func derive(
    from sharedSecret: SecretBytes, _ otherInfo: [UInt8], _ bitCount: Int
  ) throws(CryptoError) -> SecretBytes {
    switch function {
    case .sha256:
      try ConcatKDF.deriveKey(sharedSecret: sharedSecret, otherInfo: otherInfo, bitCount: bitCount)
    case .sha384:
      try derive(SHA2.SHA384.self, from: sharedSecret, otherInfo, bitCount)
    case .sha512:
      try derive(SHA2.SHA512.self, from: sharedSecret, otherInfo, bitCount)
    }
  }

  private func derive<Function: SHA2Function>(
    _ function: Function.Type, from sharedSecret: SecretBytes, _ otherInfo: [UInt8], _ bitCount: Int
  ) throws(CryptoError) -> SecretBytes {
    try withContiguousBytes(otherInfo) { (otherInfo) throws(CryptoError) in
      try ConcatKDF.deriveKey(function, sharedSecret: sharedSecret, otherInfo: otherInfo, bitCount: bitCount)
    }
  }
}
