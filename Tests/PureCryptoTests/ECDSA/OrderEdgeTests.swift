import PureJOSETestSupport
import Testing

@testable import PureCrypto

/// Signatures with numbers at n and p, each of which one rule of FIPS 186-5 §6.4 alone decides about. The key is made
/// for the signature: Q = r⁻¹ (s R − e G).
@Suite("ECDSA at the edges of n and p") struct OrderEdgeTests {
  private let message = Array("message".utf8)

  private func judge(_ body: (any CurveArithmetic.Type) throws -> Void) rethrows {
    try body(P256Curve.self)
    try body(P384Curve.self)
    try body(P521Curve.self)
    try body(Secp256k1Curve.self)
  }

  @Test func `s + n is refused where s is a signature`() throws {
    try judge { try check($0) }
    func check<Curve: CurveArithmetic>(_ curve: Curve.Type) throws {
      let n = bytes(Curve.Scalar.modulus, curve)
      for k: UInt64 in 1...4 {
        let point = Curve.Multiple.baseMultiple(Curve.Integer(word: k)).affine
        let r = Curve.Scalar(point.x.integer)
        for word: UInt64 in [1, 2, .max] {
          let s = Curve.Scalar(Curve.Integer(word: word))
          let key = try key(r, s, point)
          #expect(try verdicts(bytes(r) + bytes(s), key) == [true], "\(curve)")
          #expect(try verdicts(bytes(r) + sum(bytes(s), n), key) == [false], "\(curve)")
        }
      }
    }
  }

  @Test func `r of n or more is refused, the x-coordinate itself and with p added too`() throws {
    try judge { try check($0) }
    func check<Curve: CurveArithmetic>(_ curve: Curve.Type) throws {
      let n = bytes(Curve.Scalar.modulus, curve)
      let p = bytes(Curve.Coordinate.modulus, curve)
      let s = Curve.Scalar(Curve.Integer(word: 5))
      for point in try points(curve, near: n, by: 1) + points(curve, near: p, by: -1) {
        let r = Curve.Scalar(point.x.integer)
        guard !r.isZero.declassified else { continue }
        #expect(try verdicts(bytes(point.x) + bytes(s), key(r, s, point)) == [false], "\(curve)")
      }
      for point in try points(curve, near: [], by: 1) {
        let r = Curve.Scalar(point.x.integer)
        for modulus in [n, p] {
          let number = try sum(bytes(point.x), modulus)
          let congruent = Curve.Scalar(integer(number, curve))
          guard !congruent.isZero.declassified else { continue }
          #expect(try verdicts(number + bytes(s), key(congruent, s, point)) == [false], "\(curve)")
        }
        guard !r.isZero.declassified else { continue }
        #expect(try verdicts(bytes(r) + bytes(s), key(r, s, point)) == [true], "\(curve)")
      }
    }
  }

  @Test func `an x-coordinate from n to p is r + n, the first and the last of them too`() throws {
    try judge { try check($0) }
    func check<Curve: CurveArithmetic>(_ curve: Curve.Type) throws {
      let n = bytes(Curve.Scalar.modulus, curve)
      let p = bytes(Curve.Coordinate.modulus, curve)
      let s = Curve.Scalar(Curve.Integer(word: 5))
      for point in try points(curve, near: n, by: 1) + points(curve, near: p, by: -1) {
        let r = Curve.Scalar(point.x.integer)
        guard !r.isZero.declassified else { continue }
        #expect(r.integer.isLess(than: Curve.excess).declassified)
        #expect(try sum(bytes(r), n) == bytes(point.x))
        #expect(try verdicts(bytes(r) + bytes(s), key(r, s, point)) == [true], "\(curve)")
      }
    }
  }

  @Test func `from p - n on, r is the x-coordinate alone`() throws {
    try judge { try check($0) }
    func check<Curve: CurveArithmetic>(_ curve: Curve.Type) throws {
      let excess = bytes(Curve.excess, curve)
      let s = Curve.Scalar(Curve.Integer(word: 5))
      for point in try points(curve, near: excess, by: 1) {
        let r = Curve.Scalar(point.x.integer)
        #expect(try verdicts(bytes(r) + bytes(s), key(r, s, point)) == [true], "\(curve)")
      }
      // x(R) = r + n − p: as field elements r + n and x(R) are the same.
      let small = try points(curve, near: [], by: 1)
      let others = (1...4).map { Curve.Multiple.baseMultiple(Curve.Integer(word: $0)).affine }
      for point in small + others {
        let number = try sum(bytes(point.x), excess)
        let r = Curve.Scalar(integer(number, curve))
        #expect(bytes(r) == number && !r.integer.isLess(than: Curve.excess).declassified)
        #expect(try verdicts(number + bytes(s), key(r, s, point)) == [false], "\(curve)")
      }
    }
  }

  @Test func `the point at infinity is of no signature`() throws {
    try judge { try check($0) }
    func check<Curve: CurveArithmetic>(_ curve: Curve.Type) throws {
      for (word, other): (UInt64, UInt64) in [(1, 1), (5, 7), (.max, 2)] {
        let (r, s) = (Curve.Scalar(Curve.Integer(word: word)), Curve.Scalar(Curve.Integer(word: other)))
        // e + r d = 0, so that u₁ G + u₂ Q is infinity for each s.
        let key = try privateKey((digest(curve) * r.inverted).negative, curve)
        #expect(try verdicts(bytes(r) + bytes(s), key.publicKey) == [false], "\(curve)")
      }
    }
  }

  @Test func `a signature whose two summands are one point verifies`() throws {
    try judge { try check($0) }
    func check<Curve: CurveArithmetic>(_ curve: Curve.Type) throws {
      for word: UInt64 in [1, 2, 3, 77, .max] {
        let k = Curve.Scalar(Curve.Integer(word: word))
        let r = Curve.Scalar(Curve.Multiple.baseMultiple(k.integer).affineX.integer)
        let e = digest(curve)
        // r d = e, and then u₁ G = u₂ Q.
        let key = try privateKey(e * r.inverted, curve)
        let signature = bytes(r) + bytes((e + e) * k.inverted)
        #expect(try verdicts(signature, key.publicKey) == [true], "\(curve)")
      }
    }
  }

  @Test func `a nonce that gives s = 0 gives no signature`() throws {
    try judge { try check($0) }
    func check<Curve: CurveArithmetic>(_ curve: Curve.Type) throws {
      for word: UInt64 in [1, 7, .max] {
        let k = Curve.Integer(word: word)
        let r = Curve.Scalar(Curve.Multiple.baseMultiple(k).affineX.integer)
        let key = try privateKey((digest(curve) * r.inverted).negative, curve)
        let digest = Curve.HashFunction.hash(message)
        #expect(throws: CryptoError(.invalidPrivateKey, "")) {
          try key.signature(forDigest: digest, givenNonce: bytes(k, curve))
        }
        let next = try key.signature(forDigest: digest, givenNonce: bytes(Curve.Integer(word: 8), curve))
        #expect(try verdicts(next.rawRepresentation, key.publicKey) == [true], "\(curve)")
      }
    }
  }

  @Test func `a given nonce is as long as n, and from 1 to n - 1`() throws {
    try judge { try check($0) }
    func check<Curve: CurveArithmetic>(_ curve: Curve.Type) throws {
      let key = try privateKey(Curve.Scalar(Curve.Integer(word: 7)), curve)
      let digest = Curve.HashFunction.hash(message)
      let n = Curve.Scalar.modulus
      let zero = [UInt8](repeating: 0, count: Curve.byteCount)
      let refused = [
        zero, bytes(n, curve), bytes(n.adding(1), curve), Array(zero.dropFirst(2)) + [1], zero + [1], [],
      ]
      for k in refused {
        #expect(throws: CryptoError(.invalidPrivateKey, ""), "\(curve)") {
          try key.signature(forDigest: digest, givenNonce: k)
        }
      }
      #expect(throws: Never.self) { try key.signature(forDigest: digest, givenNonce: bytes(n.subtracting(1), curve)) }
    }
  }

  // MARK: - Keys and points

  /// e.
  private func digest<Curve: CurveArithmetic>(_: Curve.Type) -> Curve.Scalar {
    Curve.HashFunction.hash(message).withUnsafeBytes { Curve.Scalar(Curve.Scalar.leftmostBits(of: $0)) }
  }

  /// The key for which r ‖ s is a signature of the message with R.
  private func key<Curve: CurveArithmetic>(
    _ r: Curve.Scalar, _ s: Curve.Scalar, _ point: CurvePoint<Curve>
  ) throws -> ECPublicKey<Curve, KeyUse.All> {
    let inverse = r.inverted
    let u1 = (digest(Curve.self) * inverse).negative
    let q = Curve.Multiple.doubleMultipleVariableTime(u1.integer, (s * inverse).integer, point).affine
    return try ECPublicKey(x: bytes(q.x), y: bytes(q.y))
  }

  private func privateKey<Curve: CurveArithmetic>(
    _ d: Curve.Scalar, _: Curve.Type
  ) throws -> ECPrivateKey<Curve, KeyUse.All> {
    try ECPrivateKey(rawRepresentation: bytes(d))
  }

  /// The first three points whose x-coordinate is `start`, or comes after it in steps, and below p.
  private func points<Curve: CurveArithmetic>(
    _ curve: Curve.Type, near start: [UInt8], by step: Int
  ) throws -> [CurvePoint<Curve>] {
    var found: [CurvePoint<Curve>] = []
    var x = start.isEmpty ? [UInt8](repeating: 0, count: Curve.byteCount) : start
    for _ in 0..<60 where found.count < 3 {
      if let point = try? ([2] + x).withUnsafeBytes({ try CurvePoint<Curve>(compressed: $0) }) { found.append(point) }
      var carry = step
      for index in x.indices.reversed() {
        let value = Int(x[index]) + carry
        x[index] = UInt8(truncatingIfNeeded: value)
        carry = value >> 8
      }
    }
    try #require(found.count == 3)
    return found
  }

  // MARK: - Verdicts and numbers

  /// What the roads to a verification say, each answer once.
  private func verdicts<Curve: CurveArithmetic>(
    _ signature: [UInt8], _ key: ECPublicKey<Curve, KeyUse.All>
  ) throws -> Set<Bool> {
    let signature = try ECDSASignature<Curve>(rawRepresentation: signature)
    var verdicts: Set = [key.isValidSignature(signature, for: message)]
    if let key = key as? P256PublicKey, let signature = signature as? P256Signature {
      for backend in Backend.available {
        let prepared = P256VerificationKey.Prepared(P256VerificationKey(key), backend: backend)
        verdicts.insert(prepared.isValidSignature(signature, for: message))
      }
    }
    return verdicts
  }

  private func bytes(_ number: some ModularInteger) -> [UInt8] {
    number.integer.bigEndianBytes(count: type(of: number).byteCount)
  }

  private func bytes<Curve: CurveArithmetic>(_ integer: Curve.Integer, _: Curve.Type) -> [UInt8] {
    integer.bigEndianBytes(count: Curve.byteCount)
  }

  private func integer<Curve: CurveArithmetic>(_ bytes: [UInt8], _: Curve.Type) -> Curve.Integer {
    bytes.withUnsafeBytes { Curve.Integer(bigEndian: $0) }
  }

  /// a + b, which must be as long as they are.
  private func sum(_ a: [UInt8], _ b: [UInt8]) throws -> [UInt8] {
    var sum = a
    var carry = 0
    for index in a.indices.reversed() {
      let value = Int(a[index]) + Int(b[index]) + carry
      sum[index] = UInt8(truncatingIfNeeded: value)
      carry = value >> 8
    }
    try #require(carry == 0)
    return sum
  }
}

extension ModularInteger {
  fileprivate var negative: Self { self - self - self }
}
