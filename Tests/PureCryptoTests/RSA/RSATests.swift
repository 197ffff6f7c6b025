import PureCrypto
import PureJOSETestSupport
import Testing

@Suite("RSA")
struct RSATests {
  /// One key for all tests, since making one takes a while.
  static let key = Result { try AnyRSAPrivateKey(bitCount: 2048) }
  private let message = Array("message".utf8)

  @Test(
    "what is signed verifies, with its own padding and function only", arguments: [RSASignaturePadding.pkcs1v15, .pss])
  func signAndVerify(_ padding: RSASignaturePadding) throws {
    let key = try Self.key.get()
    let signature = try key.signature(for: message, padding: padding, function: SHA2.SHA256.self)
    #expect(signature.count == 256)
    let isValid = { (padding: RSASignaturePadding, message: [UInt8], signature: [UInt8]) in
      key.publicKey.isValidSignature(signature, for: message, padding: padding, function: SHA2.SHA256.self)
    }
    #expect(isValid(padding, message, signature))
    #expect(!isValid(padding == .pss ? .pkcs1v15 : .pss, message, signature))
    #expect(!isValid(padding, message + [0], signature))
    #expect(
      !key.publicKey.isValidSignature(signature, for: message, padding: padding, function: SHA2.SHA384.self))
    for position in stride(from: 0, to: 256, by: 17) {
      var changed = signature
      changed[position] ^= 0x10
      #expect(!isValid(padding, message, changed))
    }
    #expect(!isValid(padding, message, signature.dropLast()))
    #expect(!isValid(padding, message, [0] + signature))
    #expect(!isValid(padding, message, []))
  }

  @Test("PKCS#1 v1.5 is deterministic, PSS is not")
  func determinism() throws {
    let key = try Self.key.get()
    let sign = { (padding: RSASignaturePadding) in
      try key.signature(for: message, padding: padding, function: SHA2.SHA512.self)
    }
    #expect(try sign(.pkcs1v15) == sign(.pkcs1v15))
    #expect(try sign(.pss) != sign(.pss))
  }

  @Test("a signature plus the modulus is refused")
  func signatureBeyondModulus() throws {
    let key = try Self.key.get()
    // The sum fits into 256 bytes for about every second signature or none, depending on the modulus; try some.
    for counter in UInt8(0)..<40 {
      let signature = try key.signature(for: [counter], padding: .pkcs1v15, function: SHA2.SHA256.self)
      var sum = [UInt8](repeating: 0, count: 256)
      var carry = 0
      for (position, (a, b)) in zip(signature, key.publicKey.modulus).enumerated().reversed() {
        carry += Int(a) + Int(b)
        sum[position] = UInt8(carry & 0xff)
        carry >>= 8
      }
      guard carry == 0 else { continue }
      #expect(
        !key.publicKey.isValidSignature(sum, for: [counter], padding: .pkcs1v15, function: SHA2.SHA256.self))
    }
  }

  @Test("keys keep through DER and PEM")
  func encodings() throws {
    let key = try Self.key.get()
    let publicKey = key.publicKey
    #expect(try AnyRSAPublicKey(derRepresentation: publicKey.derRepresentation) == publicKey)
    #expect(try AnyRSAPublicKey(derRepresentation: publicKey.pkcs1Representation) == publicKey)
    #expect(try AnyRSAPublicKey(pemRepresentation: publicKey.pemRepresentation) == publicKey)
    #expect(try AnyRSAPublicKey(modulus: publicKey.modulus, exponent: publicKey.publicExponent) == publicKey)
    #expect(publicKey.bitCount == 2048)
    let der = try #require(key.derRepresentation)
    let copy = try der.withUnsafeBytes { try AnyRSAPrivateKey(derRepresentation: $0) }
    #expect(copy.publicKey == publicKey)
    let pem = try #require(key.pemRepresentation)
    #expect(try AnyRSAPrivateKey(pemRepresentation: pem).pemRepresentation == pem)
  }

  @Test("a key without its prime factors signs the same, and does not take another key's exponent")
  func withoutFactors() throws {
    let key = try Self.key.get()
    let plain = try AnyRSAPrivateKey(publicKey: key.publicKey, d: key.numbers.d)
    #expect(plain.derRepresentation == nil)
    #expect(
      try plain.signature(for: message, padding: .pkcs1v15, function: SHA2.SHA256.self)
        == key.signature(for: message, padding: .pkcs1v15, function: SHA2.SHA256.self))
    var other = key.numbers.d.withUnsafeBytes { Array($0) }
    other[other.count - 1] ^= 2
    #expect(throws: CryptoError.self) {
      try AnyRSAPrivateKey(publicKey: key.publicKey, d: SecretBytes(copying: other))
    }
  }

  @Test("every private integer is checked against the others")
  func inconsistentNumbers() throws {
    let key = try Self.key.get()
    let numbers = key.numbers
    let all = [numbers.d] + numbers.factors
    func rebuilt(_ all: [SecretBytes]) throws(CryptoError) -> AnyRSAPrivateKey {
      try AnyRSAPrivateKey(
        publicKey: key.publicKey, d: all[0], p: all[1], q: all[2], dp: all[3], dq: all[4], qi: all[5])
    }
    #expect(try rebuilt(all).publicKey == key.publicKey)
    for index in all.indices {
      for change: (position: Int, bit: UInt8) in [(0, 0x40), (50, 1), (all[index].count - 1, 2)] {
        var octets = all[index].withUnsafeBytes { Array($0) }
        octets[change.position] ^= change.bit
        var changed = all
        changed[index] = SecretBytes(copying: octets)
        #expect(throws: CryptoError(.invalidPrivateKey, "")) { try rebuilt(changed) }
      }
    }
    #expect(throws: CryptoError(.invalidPrivateKey, "")) {
      try rebuilt([all[0], all[2], all[1], all[4], all[3], all[5]])
    }
    #expect(throws: CryptoError(.invalidPrivateKey, "")) { try rebuilt(all.map { _ in SecretBytes(copying: []) }) }
  }

  @Test("moduli and exponents out of range are refused with the right reason")
  func badPublicKeys() throws {
    let n = try Self.key.get().publicKey.modulus
    func code(_ n: [UInt8], _ e: [UInt8]) -> CryptoError.Code? {
      do throws(CryptoError) {
        _ = try AnyRSAPublicKey(modulus: n, exponent: e)
        return nil
      } catch {
        return error.code
      }
    }
    #expect(code(n, [1, 0, 1]) == nil)
    #expect(code(n, [3]) == nil)
    #expect(code(n, [0xff, 0xff, 0xff, 0xff]) == nil)
    for exponent: [UInt8] in [[], [0], [1], [2], [4], [1, 0, 0], [0, 1, 0, 1], [1, 0, 0, 0, 1]] {
      #expect(code(n, exponent) == .invalidPublicKey)
    }
    #expect(code([], [3]) == .invalidPublicKey)
    #expect(code([0] + n, [3]) == .invalidPublicKey)
    #expect(code(n.dropLast() + [n[255] & 0xfe], [3]) == .invalidPublicKey)
    #expect(code(Array(n.dropFirst(128).drop { $0 == 0 }), [3]) == .invalidKeyLength)
    #expect(code([0x7f] + n.dropFirst(), [3]) == .invalidKeyLength)
    #expect(code([0xff] + [UInt8](repeating: 0xff, count: 1023), [3]) == nil)
    #expect(code([0x01] + [UInt8](repeating: 0xff, count: 1024), [3]) == .invalidKeyLength)
    #expect(throws: CryptoError(.invalidKeyLength, "")) { try AnyRSAPrivateKey(bitCount: 1024) }
  }

  @Test("no truncated or changed DER traps, and none is taken for the key")
  func damagedDER() throws {
    let key = try Self.key.get()
    let der = try #require(key.derRepresentation).withUnsafeBytes { Array($0) }
    for count in stride(from: 0, to: der.count, by: 7) {
      #expect(throws: CryptoError.self) { try AnyRSAPrivateKey(derRepresentation: der[..<count]) }
      #expect(throws: CryptoError.self) { try AnyRSAPublicKey(derRepresentation: der[..<count]) }
    }
    for position in stride(from: 0, to: der.count, by: 13) {
      var changed = der
      changed[position] ^= 0x01
      #expect(throws: CryptoError.self) { try AnyRSAPrivateKey(derRepresentation: changed) }
    }
  }

  @Test("descriptions show no private integer")
  func redaction() throws {
    let key = try Self.key.get()
    var shown = "\(key) \(String(reflecting: key))"
    dump(key, to: &shown)
    let p = key.numbers.factors[0].withUnsafeBytes { UInt64(bigEndian: $0.loadUnaligned(as: UInt64.self)) }
    #expect(!shown.contains("\(p)"))
    #expect(key.description == "RSAPrivateKey(2048 bits, redacted)")
  }
}
