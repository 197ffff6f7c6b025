import PureCrypto
import PureJOSETestSupport
import Testing

@Suite("Concat KDF")
struct ConcatKDFTests {
  static let z = "9e56d91d817135d372834283bf84269cfb316ea3da806a48f6daa7798cfe90c4"
  static let otherInfo = "000000074131323847434d00000005416c69636500000003426f6200000080"

  @Test("RFC 7518 Appendix C")
  func appendixC() throws {
    let key = try SharedSecret(SecretBytes(copying: hex(Self.z)))
      .concatKDFDerivedKey(otherInfo: hex(Self.otherInfo), bitCount: 128)
    #expect(key.withUnsafeBytes { Hex.encode($0) } == "56aa8deaf8236d205c2228cd71a7101a")
  }

  @Test("every length is the start of the repeated hash", arguments: 1...100)
  func lengths(byteCount: Int) throws {
    let z = try hex(Self.z)
    let secret = SharedSecret(SecretBytes(copying: z))
    let info = try hex(Self.otherInfo)
    let stream = (1...4).flatMap { SlowSHA2.sha256([0, 0, 0, UInt8($0)] + z + info) }
    let key = try secret.concatKDFDerivedKey(otherInfo: info, bitCount: 8 * byteCount)
    #expect(key.withUnsafeBytes { Array($0) } == Array(stream.prefix(byteCount)))
    let stream384 = (1...3).flatMap { SlowSHA2.sha384([0, 0, 0, UInt8($0)] + z + info) }
    let key384 = try info.withUnsafeBytes { (info) throws(CryptoError) in
      try ConcatKDF.deriveKey(
        SHA2.SHA384.self, sharedSecret: secret, otherInfo: info, bitCount: 8 * byteCount)
    }
    #expect(key384.withUnsafeBytes { Array($0) } == Array(stream384.prefix(byteCount)))
  }

  @Test("other lengths are refused", arguments: [Int.min, -8, -1, 0, 1, 7, 9, 127, .max, .max - 7])
  func refusedLengths(bitCount: Int) throws {
    #expect(throws: CryptoError(.invalidKeyLength, "")) {
      try SharedSecret(SecretBytes(copying: [1])).concatKDFDerivedKey(otherInfo: [], bitCount: bitCount)
    }
  }
}
