import PureCrypto
import PureJOSETestSupport
import Testing

/// Infinity, and points whose coordinates are not reduced, are no public keys in any form.
@Suite("Public keys that are no points, on every curve") struct PointImportTests {
  private struct Point {
    let p: String
    /// Belongs to y = 1.
    let x: String
    /// Before the point in a SubjectPublicKeyInfo: all but the two lengths.
    let algorithm: String
  }

  private func judge(_ body: (any EllipticCurve.Type, Point) throws -> Void) rethrows {
    try body(
      P256Curve.self,
      Point(
        p: P256KeyTests.p, x: "09e78d4ef60d05f750f6636209092bc43cbdd6b47e11a9de20a9feb2a50bb96c",
        algorithm: "301306072a8648ce3d020106082a8648ce3d030107"))
    try body(
      P384Curve.self,
      Point(
        p: CurveSample.p384.p,
        x: "2261b2bf605c22f2f3aef6338719b2c486388ad5240719a5257315969ef01ba27f0a104c89704773a81fdabee6ab5c78",
        algorithm: "301006072a8648ce3d020106052b81040022"))
    try body(
      P521Curve.self,
      Point(
        p: CurveSample.p521.p,
        x: "00d9cb7a32dab342f863edb340f3ea61ddf833e755ce66bb1a918a42714ba05bcd"
          + "f4ff10994f616a9d80cd0b48b326e3a8a2a8f5634d824875b6e71fb7cddd7b5018",
        algorithm: "301006072a8648ce3d020106052b81040023"))
    try body(
      Secp256k1Curve.self,
      Point(
        p: CurveSample.secp256k1.p, x: "cbb0deab125754f1fdb2038b0434ed9cb3fb53ab735391129994a535d925f673",
        algorithm: "301006072a8648ce3d020106052b8104000a"))
  }

  @Test func `y + p is refused where y is of a point`() throws {
    try judge { try check($0, $1) }
    func check<Curve: EllipticCurve>(_ curve: Curve.Type, _ point: Point) throws {
      let x = try hex(point.x)
      let one = [UInt8](repeating: 0, count: x.count - 1) + [1]
      #expect(outcomes(x, one, curve, point) == [true], "\(curve)")
      // 1 + p
      var y = try hex(point.p)
      for index in y.indices.reversed() {
        y[index] &+= 1
        if y[index] != 0 { break }
      }
      #expect(outcomes(x, y, curve, point) == [false], "\(curve)")
    }
  }

  @Test func `x + p is refused where x is of a point`() throws {
    try judge { try check($0, $1) }
    func check<Curve: EllipticCurve>(_ curve: Curve.Type, _ point: Point) throws {
      var count = 0
      for word in UInt8(0)...20 {
        var x = try hex(point.p)
        let small = [UInt8](repeating: 0, count: x.count - 1) + [word]
        guard let key = try? ECPublicKey<Curve, KeyUse.All>(compressedRepresentation: [2] + small) else { continue }
        count += 1
        #expect(outcomes(small, key.y, curve, point) == [true], "\(curve)")
        var carry = Int(word)
        for index in x.indices.reversed() {
          carry += Int(x[index])
          x[index] = UInt8(truncatingIfNeeded: carry)
          carry >>= 8
        }
        #expect(outcomes(x, key.y, curve, point) == [false], "\(curve)")
        for tag: UInt8 in [2, 3] {
          #expect(throws: CryptoError(.invalidPublicKey, "")) {
            try ECPublicKey<Curve, KeyUse.All>(compressedRepresentation: [tag] + x)
          }
        }
      }
      #expect(count > 2)
    }
  }

  @Test func `infinity is refused, however it is written`() throws {
    try judge { try check($0, $1) }
    func check<Curve: EllipticCurve>(_ curve: Curve.Type, _ point: Point) throws {
      let zero = [UInt8](repeating: 0, count: try hex(point.x).count)
      let p = try hex(point.p)
      for (x, y) in [(zero, zero), (zero, p), (p, zero), (p, p)] {
        #expect(outcomes(x, y, curve, point) == [false], "\(curve)")
      }
      for form in [[0], [0] + zero, [0] + zero + zero, [2] + p, [3] + p, []] {
        #expect(throws: CryptoError(.invalidPublicKey, ""), "\(curve)") {
          try ECPublicKey<Curve, KeyUse.All>(x963Representation: form)
        }
        #expect(throws: CryptoError(.invalidPublicKey, ""), "\(curve)") {
          try ECPublicKey<Curve, KeyUse.All>(compressedRepresentation: form)
        }
        let file = try file(form, point)
        #expect(throws: CryptoError.self, "\(curve)") {
          try ECPublicKey<Curve, KeyUse.All>(derRepresentation: file)
        }
      }
    }
  }

  /// Whether the coordinates are taken as two numbers, as an octet string, and in a file; each answer once.
  private func outcomes<Curve: EllipticCurve>(
    _ x: [UInt8], _ y: [UInt8], _: Curve.Type, _ point: Point
  ) -> Set<Bool> {
    typealias Key = ECPublicKey<Curve, KeyUse.All>
    return [
      (try? Key(x: x, y: y)) != nil, (try? Key(x963Representation: [4] + x + y)) != nil,
      (try? Key(derRepresentation: file([4] + x + y, point))) != nil,
    ]
  }

  /// A SubjectPublicKeyInfo.
  private func file(_ octets: [UInt8], _ point: Point) throws -> [UInt8] {
    func framed(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
      [tag] + (content.count < 128 ? [] : [0x81]) + [UInt8(content.count)] + content
    }
    return framed(0x30, try hex(point.algorithm) + framed(0x03, [0] + octets))
  }
}
