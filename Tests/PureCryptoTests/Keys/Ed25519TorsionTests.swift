import PureCryptoIntegers
import PureJOSETestSupport
import Testing

@testable import PureCrypto

/// Keys and signatures with a component of small order: RFC 8032 leaves it open whether they verify, and this package
/// answers by the equation without the cofactor, S · B − k · A = R, compared as octets.
@Suite("Ed25519: points of mixed order")
struct Ed25519TorsionTests {
  /// k · P, bit by bit: neither tables nor signed digits.
  private static func plainMultiple(_ k: UInt256, _ point: EdwardsPoint) -> EdwardsPoint {
    let addend = EdwardsPoint.Addend(point)
    var result = EdwardsPoint.neutral
    for position in (0..<256).reversed() {
      result = result.doubled
      if k.bits(at: position, width: 1) == 1 { result = result + addend }
    }
    return result
  }

  private static func sum(_ p: EdwardsPoint, _ q: EdwardsPoint) -> EdwardsPoint { p + EdwardsPoint.Addend(q) }

  @Test("the verdict is that of the plain equation, with every point of small order added to A and to R")
  func mixedOrders() throws {
    let torsion = try Curve25519Tests.pointsOfSmallOrder.map { encoded in
      try hex(encoded).withUnsafeBytes { bytes in
        try #require(bytes.baseAddress.flatMap { EdwardsPoint.decodeVariableTime($0) })
      }
    }
    let message = Array("of mixed order".utf8)
    let a = UInt256(0x0123_4567_89ab_cdef, 0xfedc_ba98_7654_3210, 0x1111_2222_3333_4444, 0x0555_6666_7777_8888)
    let nonce = UInt256(0x9999_aaaa_bbbb_cccc, 0xdddd_eeee_ffff_0000, 0x1234_1234_1234_1234, 0x0f0f_0e0e_0d0d_0c0c)
    let (aB, rB) = (Self.plainMultiple(a, .base), Self.plainMultiple(nonce, .base))
    #expect(EdwardsPoint.baseMultiple(a).encoded == aB.encoded)
    var accepted = 0
    for ofKey in torsion {
      let keyPoint = Self.sum(aB, ofKey)
      let key = try Ed25519PublicKey(rawRepresentation: keyPoint.encoded.littleEndianBytes)
      for ofR in torsion {
        let r = Self.sum(rB, ofR).encoded
        let k = message.withUnsafeBytes {
          EdwardsScalar.challenge(r: r, publicKey: keyPoint.encoded, message: $0)
        }
        let s = EdwardsScalar.multiplyAdd(a, k, nonce)
        let plain = Self.sum(Self.plainMultiple(s, .base), Self.plainMultiple(k, keyPoint.negated)).encoded
        let verdict = key.isValidSignature(r.littleEndianBytes + s.littleEndianBytes, for: message)
        #expect(verdict == (plain == r))
        if verdict { accepted += 1 }
      }
    }
    // One without any such component, and by the chance of k those whose components cancel: one in eight.
    #expect(accepted > 4 && accepted < 24)
  }

  @Test("an R that is no canonical encoding is refused, whatever point it means")
  func uncanonicalR() throws {
    let key = Ed25519PrivateKey()
    let message = [1, 2, 3] as [UInt8]
    let signature = key.signature(for: message)
    // (0, 1), of which the owner of the key can make a signature; then y = p + 1, which means the same point; (0, 1)
    // with the sign of x set; y = 2, where the curve has no point
    let ones = [UInt8](repeating: 0xff, count: 30)
    let zeros = [UInt8](repeating: 0, count: 30)
    let neutral = [1] + zeros + [0]
    let encodings: [[UInt8]] = [neutral, [0xee] + ones + [0x7f], [1] + zeros + [0x80], [2] + zeros + [0]]
    for r in encodings {
      let words = try r.withUnsafeBytes { UInt256(littleEndian: try #require($0.baseAddress)) }
      let k = message.withUnsafeBytes {
        EdwardsScalar.challenge(r: words, publicKey: key.publicKey.words, message: $0)
      }
      // S B − k A = (0, 1) for S = k a.
      var a = key.rawRepresentation.withUnsafeBytes { SHA2.SHA512.hash($0) }.withUnsafeBytes {
        $0.baseAddress.map { UInt256(littleEndian: $0) } ?? .zero
      }.clamped
      a = EdwardsScalar.reduced(low: a, high: .zero)
      let s = EdwardsScalar.multiplyAdd(a, k, .zero)
      #expect(key.publicKey.isValidSignature(r + s.littleEndianBytes, for: message) == (r == neutral))
      #expect(!key.publicKey.isValidSignature(r + signature.suffix(32), for: message))
    }
  }
}
