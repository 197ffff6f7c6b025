import PureCrypto
import PureJOSETestSupport
import Testing

/// Keys and signatures of P-384, P-521 and secp256k1 through their public API.
@Suite("Keys on P-384, P-521 and secp256k1") struct PrimeCurveKeyTests {
  private func judge(_ body: (any EllipticCurve.Type, CurveSample) throws -> Void) rethrows {
    try body(P384Curve.self, .p384)
    try body(P521Curve.self, .p521)
    try body(Secp256k1Curve.self, .secp256k1)
  }

  private func code(_ body: () throws -> Void) -> CryptoError.Code? {
    do {
      try body()
      return nil
    } catch {
      return (error as? CryptoError)?.code
    }
  }

  private func bytes(_ secret: SecretBytes) -> [UInt8] { secret.withUnsafeBytes { Array($0) } }
  private func bytes(_ secret: SharedSecret) -> [UInt8] { secret.withUnsafeBytes { Array($0) } }

  /// d − 1, d + 1 and so on, of the same length.
  private func offset(_ number: String, by difference: Int) throws -> [UInt8] {
    var bytes = try hex(number)
    var carry = difference
    for index in bytes.indices.reversed() {
      let sum = Int(bytes[index]) + carry
      bytes[index] = UInt8(truncatingIfNeeded: sum)
      carry = sum >> 8
    }
    return bytes
  }

  @Test func encodings() throws {
    try judge { curve, sample in try check(curve, sample) }
    func check<Curve: EllipticCurve>(_: Curve.Type, _ sample: CurveSample) throws {
      let key = try ECPrivateKey<Curve, KeyUse.All>(rawRepresentation: hex(sample.d))
      let publicKey = key.publicKey
      #expect(publicKey.x == (try hex(sample.x)))
      #expect(publicKey.y == (try hex(sample.y)))
      #expect(publicKey.x963Representation == (try hex(sample.point)))
      let sign: UInt8 = try hex(sample.y).last ?? 0
      #expect(publicKey.compressedRepresentation == (try [2 | sign & 1] + hex(sample.x)))
      #expect(publicKey.derRepresentation == (try hex(sample.spki)))
      #expect(bytes(key.derRepresentation) == (try hex(sample.pkcs8)))
      #expect(bytes(key.rawRepresentation) == (try hex(sample.d)))
      #expect(try ECPublicKey<Curve, KeyUse.All>(x: hex(sample.x), y: hex(sample.y)) == publicKey)
      #expect(try ECPublicKey<Curve, KeyUse.All>(x963Representation: publicKey.x963Representation) == publicKey)
      #expect(
        try ECPublicKey<Curve, KeyUse.All>(compressedRepresentation: publicKey.compressedRepresentation) == publicKey)
      #expect(try ECPublicKey<Curve, KeyUse.All>(derRepresentation: publicKey.derRepresentation) == publicKey)
      #expect(try ECPublicKey<Curve, KeyUse.All>(pemRepresentation: publicKey.pemRepresentation) == publicKey)
      for form in [sample.pkcs8, sample.sec1] {
        #expect(
          try ECPrivateKey<Curve, KeyUse.All>(derRepresentation: SecretBytes(copying: hex(form))).publicKey == publicKey
        )
      }
      #expect(try ECPrivateKey<Curve, KeyUse.All>(pemRepresentation: key.pemRepresentation).publicKey == publicKey)
      #expect(publicKey.pemRepresentation.hasPrefix("-----BEGIN PUBLIC KEY-----\n"))
      #expect(key.pemRepresentation.hasPrefix("-----BEGIN PRIVATE KEY-----\n"))
      // The other root is −Q.
      let opposite = try [2 | ~sign & 1] + hex(sample.x)
      #expect(try ECPublicKey<Curve, KeyUse.All>(compressedRepresentation: opposite).x == publicKey.x)
      #expect(try ECPublicKey<Curve, KeyUse.All>(compressedRepresentation: opposite) != publicKey)
    }
  }

  /// KEY-2, KEY-3: the exact length, below p, on the curve, not infinity.
  @Test func invalidPublicKeys() throws {
    try judge { curve, sample in try check(curve, sample) }
    func check<Curve: EllipticCurve>(_: Curve.Type, _ sample: CurveSample) throws {
      let x = try hex(sample.x)
      let y = try hex(sample.y)
      let zero = [UInt8](repeating: 0, count: sample.byteCount)
      let ones = [UInt8](repeating: 0xff, count: sample.byteCount)
      let p = try hex(sample.p)
      let pairs: [([UInt8], [UInt8])] = [
        ([], []), ([0] + x, y), (x, [0] + y), (Array(x.dropFirst()), y), (x, Array(y.dropLast())), (zero, zero),
        (x, x), (y, x), (p, y), (x, p), (ones, ones), (zero, p), (x, try offset(sample.y, by: 1)),
      ]
      for (x, y) in pairs {
        #expect(code { _ = try ECPublicKey<Curve, KeyUse.All>(x: x, y: y) } == .invalidPublicKey)
        #expect(code { _ = try ECPublicKey<Curve, KeyUse.All>(x963Representation: [4] + x + y) } == .invalidPublicKey)
      }
      for form: UInt8 in [0x00, 0x01, 0x02, 0x03, 0x05, 0x06, 0x07, 0x84, 0xff] {
        #expect(
          code { _ = try ECPublicKey<Curve, KeyUse.All>(x963Representation: [form] + x + y) } == .invalidPublicKey)
        guard form != 2, form != 3 else { continue }
        #expect(
          code { _ = try ECPublicKey<Curve, KeyUse.All>(compressedRepresentation: [form] + x) } == .invalidPublicKey)
      }
      for count in 0...140 {
        let bytes = [UInt8](repeating: 4, count: count)
        #expect(code { _ = try ECPublicKey<Curve, KeyUse.All>(x963Representation: bytes) } == .invalidPublicKey)
        #expect(code { _ = try ECPublicKey<Curve, KeyUse.All>(compressedRepresentation: bytes) } == .invalidPublicKey)
      }
      for x in [p, ones] {
        #expect(code { _ = try ECPublicKey<Curve, KeyUse.All>(compressedRepresentation: [2] + x) } == .invalidPublicKey)
      }
      // Of small x about half are on the curve; x + p is the same residue and never accepted.
      var valid = 0
      for small in 0...20 {
        let even = [2] + zero.dropLast() + [UInt8(small)]
        let notCanonical = try [2] + offset(sample.p, by: small)
        #expect(
          code { _ = try ECPublicKey<Curve, KeyUse.All>(compressedRepresentation: notCanonical) } == .invalidPublicKey)
        guard let key = try? ECPublicKey<Curve, KeyUse.All>(compressedRepresentation: even) else { continue }
        valid += 1
        #expect(key.compressedRepresentation == even)
        #expect(
          code { _ = try ECPublicKey<Curve, KeyUse.All>(x: notCanonical.dropFirst(), y: key.y) } == .invalidPublicKey)
      }
      #expect((3...18).contains(valid))
    }
  }

  /// KEY-4.
  @Test func rangeOfPrivateKeys() throws {
    try judge { curve, sample in try check(curve, sample) }
    func check<Curve: EllipticCurve>(_: Curve.Type, _ sample: CurveSample) throws {
      let zero = [UInt8](repeating: 0, count: sample.byteCount)
      let one = Array(zero.dropLast()) + [1]
      for d in [zero, try hex(sample.n), try offset(sample.n, by: 1), [UInt8](repeating: 0xff, count: zero.count)] {
        #expect(code { _ = try ECPrivateKey<Curve, KeyUse.All>(rawRepresentation: d) } == .invalidPrivateKey)
        #expect(
          code { _ = try ECPrivateKey<Curve, KeyUse.All>(rawRepresentation: SecretBytes(copying: d)) }
            == .invalidPrivateKey)
      }
      for count in 0...100 where count != sample.byteCount {
        #expect(
          code { _ = try ECPrivateKey<Curve, KeyUse.All>(rawRepresentation: [UInt8](repeating: 1, count: count)) }
            == .invalidPrivateKey)
      }
      // 1 · G and (n − 1) · G = −G
      let smallest = try ECPrivateKey<Curve, KeyUse.All>(rawRepresentation: one)
      let largest = try ECPrivateKey<Curve, KeyUse.All>(rawRepresentation: offset(sample.n, by: -1))
      #expect(smallest.publicKey.x == largest.publicKey.x && smallest.publicKey != largest.publicKey)
      let message: [UInt8] = [1, 2, 3]
      for key in [smallest, largest] {
        let signature = key.signature(for: message, nonce: .hedged)
        #expect(key.publicKey.isValidSignature(signature, for: message))
      }
      #expect(
        bytes(try largest.sharedSecret(with: smallest.publicKey)) == smallest.publicKey.x)
      #expect(bytes(try smallest.sharedSecret(with: largest.publicKey)) == smallest.publicKey.x)
    }
  }

  /// A file is cut off, lengthened, or altered in its structure, and never accepted as another key.
  @Test func hostileKeyFiles() throws {
    try judge { curve, sample in try check(curve, sample) }
    func check<Curve: EllipticCurve>(_: Curve.Type, _ sample: CurveSample) throws {
      let spki = try hex(sample.spki)
      for count in spki.indices {
        #expect(code { _ = try ECPublicKey<Curve, KeyUse.All>(derRepresentation: spki[..<count]) } == .malformedDER)
      }
      #expect(code { _ = try ECPublicKey<Curve, KeyUse.All>(derRepresentation: spki + [0]) } == .malformedDER)
      for form in [sample.pkcs8, sample.sec1] {
        let file = try hex(form)
        for count in file.indices {
          let cut = SecretBytes(copying: file[..<count])
          #expect(code { _ = try ECPrivateKey<Curve, KeyUse.All>(derRepresentation: cut) } == .malformedDER)
        }
        #expect(
          code { _ = try ECPrivateKey<Curve, KeyUse.All>(derRepresentation: SecretBytes(copying: file + [0])) }
            == .malformedDER)
      }
      // A public key beside the private one that belongs to another.
      let other = ECPrivateKey<Curve, KeyUse.All>().publicKey.x963Representation
      for form in [sample.pkcs8, sample.sec1] {
        let file = try hex(form).dropLast(other.count) + other
        #expect(
          code { _ = try ECPrivateKey<Curve, KeyUse.All>(derRepresentation: SecretBytes(copying: file)) }
            == .invalidPrivateKey)
      }
      // Every byte changed: refused, or the same key (attributes of the structure that don't matter are few).
      for index in stride(from: 0, to: spki.count, by: 3) {
        var changed = spki
        changed[index] ^= 0x41
        #expect(throws: CryptoError.self) { try ECPublicKey<Curve, KeyUse.All>(derRepresentation: changed) }
      }
    }
  }

  /// KEY-5: a curve by another name is another curve.
  @Test func keysOfOtherCurves() throws {
    let p256 = P256PrivateKey()
    let p384 = P384PrivateKey()
    let p521 = P521PrivateKey()
    for der in [p256.publicKey.derRepresentation, p521.publicKey.derRepresentation] {
      #expect(code { _ = try P384PublicKey(derRepresentation: der) } == .unsupportedKey)
    }
    for der in [p256.publicKey.derRepresentation, p384.publicKey.derRepresentation] {
      #expect(code { _ = try P521PublicKey(derRepresentation: der) } == .unsupportedKey)
    }
    #expect(code { _ = try P256PublicKey(derRepresentation: p384.publicKey.derRepresentation) } == .unsupportedKey)
    #expect(code { _ = try P384PrivateKey(derRepresentation: p521.derRepresentation) } == .unsupportedKey)
    #expect(code { _ = try P521PrivateKey(derRepresentation: p384.derRepresentation) } == .unsupportedKey)
    #expect(code { _ = try P521PrivateKey(pemRepresentation: p256.pemRepresentation) } == .unsupportedKey)
    #expect(code { _ = try P384PrivateKey(pemRepresentation: p384.publicKey.pemRepresentation) } == .malformedPEM)
    #expect(code { _ = try P384PublicKey(pemRepresentation: p384.pemRepresentation) } == .malformedPEM)
    // The same lengths, and so nothing but the name and the equation tells these two apart.
    let secp256k1 = Secp256k1PrivateKey()
    #expect(code { _ = try P256PublicKey(derRepresentation: secp256k1.publicKey.derRepresentation) } == .unsupportedKey)
    #expect(code { _ = try P256PrivateKey(derRepresentation: secp256k1.derRepresentation) } == .unsupportedKey)
    #expect(code { _ = try Secp256k1PublicKey(derRepresentation: p256.publicKey.derRepresentation) } == .unsupportedKey)
    #expect(code { _ = try Secp256k1PrivateKey(derRepresentation: p256.derRepresentation) } == .unsupportedKey)
    #expect(
      code { _ = try Secp256k1PublicKey(x963Representation: p256.publicKey.x963Representation) } == .invalidPublicKey)
    #expect(
      code { _ = try P256PublicKey(x963Representation: secp256k1.publicKey.x963Representation) } == .invalidPublicKey)
    // A point of agreement is one of P-256, whatever else has its length.
    #expect(AnyECPublicKey(agreementX963Representation: p256.publicKey.x963Representation)?.curve == .p256)
    #expect(AnyECPublicKey(agreementX963Representation: secp256k1.publicKey.x963Representation) == nil)
    let (own, other) = (AnyECPrivateKey(.secp256k1), AnyECPrivateKey(.secp256k1))
    #expect(own.sharedSecret(with: other.publicKey) == nil)
  }

  @Test func signatures() throws {
    try judge { curve, sample in try check(curve, sample) }
    func check<Curve: EllipticCurve>(_: Curve.Type, _ sample: CurveSample) throws {
      let key = try ECPrivateKey<Curve, KeyUse.All>(rawRepresentation: hex(sample.d))
      let message: [UInt8] = Array("message".utf8)
      // SIG-4: deterministic signatures repeat, hedged ones don't.
      let deterministic = key.signature(for: message, nonce: .deterministic)
      #expect(key.signature(for: message, nonce: .deterministic) == deterministic)
      let hedged = (0..<6).map { _ in key.signature(for: message, nonce: .hedged).rawRepresentation }
      #expect(Set(hedged).count == 6 && !hedged.contains(deterministic.rawRepresentation))
      for raw in hedged {
        let signature = try ECDSASignature<Curve>(rawRepresentation: raw)
        #expect(key.publicKey.isValidSignature(signature, for: message))
        #expect(!key.publicKey.isValidSignature(signature, for: message + [0]))
        #expect(!ECPrivateKey<Curve, KeyUse.All>().publicKey.isValidSignature(signature, for: message))
        #expect(try ECDSASignature<Curve>(derRepresentation: signature.derRepresentation) == signature)
      }
      let raw = deterministic.rawRepresentation
      #expect(raw.count == 2 * sample.byteCount)
      for bit in stride(from: 0, to: 8 * raw.count, by: 13) {
        var changed = raw
        changed[bit / 8] ^= 1 << UInt8(bit % 8)
        let signature = try ECDSASignature<Curve>(rawRepresentation: changed)
        #expect(!key.publicKey.isValidSignature(signature, for: message))
      }
      // (r, n − s) is the other valid form, (n − r, s) is none.
      let r = Array(raw.prefix(sample.byteCount))
      let s = Array(raw.suffix(sample.byteCount))
      #expect(
        key.publicKey.isValidSignature(
          try ECDSASignature<Curve>(rawRepresentation: r + difference(sample.n, s)), for: message))
      #expect(
        !key.publicKey.isValidSignature(
          try ECDSASignature<Curve>(rawRepresentation: difference(sample.n, r) + s), for: message))
    }
  }

  private func difference(_ number: String, _ subtrahend: [UInt8]) throws -> [UInt8] {
    var result = try hex(number)
    var borrow = 0
    for index in result.indices.reversed() {
      let value = Int(result[index]) - Int(subtrahend[index]) - borrow
      result[index] = UInt8(truncatingIfNeeded: value)
      borrow = value < 0 ? 1 : 0
    }
    return result
  }

  /// SIG-1: r and s out of range, alone and together.
  @Test func rangeOfRAndS() throws {
    try judge { curve, sample in try check(curve, sample) }
    func check<Curve: EllipticCurve>(_: Curve.Type, _ sample: CurveSample) throws {
      let key = try ECPrivateKey<Curve, KeyUse.All>(rawRepresentation: hex(sample.d)).publicKey
      let zero = [UInt8](repeating: 0, count: sample.byteCount)
      let values = [
        zero, Array(zero.dropLast()) + [1], try offset(sample.n, by: -1), try hex(sample.n), try hex(sample.p),
        [UInt8](repeating: 0xff, count: sample.byteCount),
      ]
      for r in values {
        for s in values {
          let signature = try ECDSASignature<Curve>(rawRepresentation: r + s)
          #expect(!key.isValidSignature(signature, for: [1]))
        }
      }
      for count in 0...200 where count != 2 * sample.byteCount {
        let bytes = [UInt8](repeating: 1, count: count)
        #expect(code { _ = try ECDSASignature<Curve>(rawRepresentation: bytes) } == .malformedSignature)
        #expect(code { _ = try ECDSASignature<Curve>(derRepresentation: bytes) } == .malformedSignature)
      }
      // One byte too long for the curve, in an otherwise sound structure.
      let long = [0x02, UInt8(sample.byteCount + 1)] + [UInt8](repeating: 1, count: sample.byteCount + 1)
      let content = long + [0x02, 0x01, 0x01]
      let header: [UInt8] = content.count < 128 ? [0x30, UInt8(content.count)] : [0x30, 0x81, UInt8(content.count)]
      #expect(
        code { _ = try ECDSASignature<Curve>(derRepresentation: header + content) } == .malformedSignature)
    }
  }

  /// KEY-7, and both sides of an agreement.
  @Test func redactionAndAgreement() throws {
    try judge { curve, sample in try check(curve, sample) }
    func check<Curve: EllipticCurve>(_: Curve.Type, _ sample: CurveSample) throws {
      let key = try ECPrivateKey<Curve, KeyUse.All>(rawRepresentation: hex(sample.d))
      var dumped = ""
      dump(key, to: &dumped)
      dump([Optional(key)], to: &dumped)
      let texts = ["\(key)", String(reflecting: key), String(describing: Optional(key)), dumped]
      let decimal = try "\(hex(sample.d))".dropFirst().dropLast()
      for text in texts {
        #expect(!text.lowercased().contains(sample.d.dropFirst(8).prefix(24)) && !text.contains(decimal))
      }
      #expect("\(key)".contains("redacted"))
      let other = ECPrivateKey<Curve, KeyUse.All>()
      let secret = try key.sharedSecret(with: other.publicKey)
      #expect(bytes(secret).count == sample.byteCount)
      #expect(bytes(secret) == bytes(try other.sharedSecret(with: key.publicKey)))
    }
  }
}
