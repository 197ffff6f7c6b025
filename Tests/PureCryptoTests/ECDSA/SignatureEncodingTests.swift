import PureCrypto
import PureJOSETestSupport
import Testing

@Suite("ECDSA signature encodings") struct SignatureEncodingTests {
  func raw(_ r: String, _ s: String) throws -> [UInt8] {
    try hex(String(repeating: "0", count: 64 - r.count) + r + String(repeating: "0", count: 64 - s.count) + s)
  }

  @Test(arguments: [
    ("01", "02", "3006020101020102"),
    ("00", "00", "3006020100020100"),
    ("7f", "80", "300702017f02020080"),
    ("ff", "0100", "3008020200ff02020100"),
    (
      "80000000000000000000000000000000000000000000000000000000000000ff",
      "7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
      "304502210080000000000000000000000000000000000000000000000000000000000000ff"
        + "02207fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"
    ),
  ])
  func bothWays(_ r: String, _ s: String, _ der: String) throws {
    let signature = try P256Signature(rawRepresentation: raw(r, s))
    #expect(signature.derRepresentation == (try hex(der)))
    #expect(try P256Signature(derRepresentation: hex(der)) == signature)
    #expect(signature.rawRepresentation == (try raw(r, s)))
  }

  /// SIG-2.
  static let malformedEncodings: [String] = [
    "", "30", "3000", "3006", "300602010102", "30060201010201", "3003020101",
    "300602010102010200",  // trailing byte
    "30070201010201020000", "3009020101020102020103",  // a third integer, or something in the sequence
    "3106020101020102", "3006030101020102", "3006020101040102",  // other tags
    "308106020101020102",  // long form where the short one fits
    "30820006020101020102", "3080020101020102" + "0000",  // longer still; indefinite
    "300702020001020102",  // r with a leading zero too many
    "3007020101" + "02020002",  // s likewise
    "3006020181020102", "30060201010201ff",  // negative
    "30050200020102", "3005020101" + "0200",  // empty integers
    "3006028101010201",  // long-form length of an integer
    "30847fffffff020101020102", "3085ffffffffff020101020102", "30ff020101020102",
    "3026022101" + "0000000000000000000000000000000000000000000000000000000000000000" + "020101",  // r = 2²⁵⁶
  ]

  @Test(arguments: malformedEncodings)
  func malformed(_ der: String) throws {
    let bytes = try hex(der)
    #expect(throws: CryptoError(.malformedSignature, "")) { try P256Signature(derRepresentation: bytes) }
  }

  /// Whatever happens to an encoding: it is refused, or it is the one encoding of what was read.
  @Test func truncationsAndFlippedBits() throws {
    let der = P256PrivateKey().signature(for: [1]).derRepresentation
    for count in 0..<der.count {
      #expect(throws: CryptoError.self) { try P256Signature(derRepresentation: der[..<count]) }
      #expect(throws: CryptoError.self) { try P256Signature(derRepresentation: der[(count + 1)...]) }
    }
    for bit in 0..<(8 * der.count) {
      var changed = der
      changed[bit / 8] ^= 1 << UInt8(bit % 8)
      if let signature = try? P256Signature(derRepresentation: changed) {
        #expect(signature.derRepresentation == changed)
      }
    }
  }
}
