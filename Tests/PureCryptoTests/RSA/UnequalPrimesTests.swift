import PureCrypto
import PureJOSETestSupport
import Testing

@Suite("RSA keys with primes of unequal length")
struct UnequalPrimesTests {
  private let message = Array("message".utf8)

  @Test(
    "they import, sign as others do, decrypt what others encrypted, and come out as they went in",
    arguments: UnequalPrimesCase.all)
  func agreement(example: UnequalPrimesCase) throws {
    let key = try AnyRSAPrivateKey(pemRepresentation: example.pem)
    #expect(key.publicKey.bitCount == example.n)
    let signature = try hex(example.signature)
    #expect(try key.signature(for: message, padding: .pkcs1v15, function: SHA2.SHA256.self) == signature)
    #expect(
      key.publicKey.isValidSignature(signature, for: message, padding: .pkcs1v15, function: SHA2.SHA256.self))
    let salted = try key.signature(for: message, padding: .pss, function: SHA2.SHA512.self)
    #expect(key.publicKey.isValidSignature(salted, for: message, padding: .pss, function: SHA2.SHA512.self))
    let opened = try key.decrypt(hex(example.ciphertext), padding: .oaepSHA256)
    #expect(opened.withUnsafeBytes { Array($0) } == message)
    let numbers = key.numbers
    #expect(numbers.factors[0].count == (example.p + 7) / 8 && numbers.factors[1].count == (example.q + 7) / 8)
    let der = try #require(key.derRepresentation)
    let copy = try der.withUnsafeBytes { try AnyRSAPrivateKey(derRepresentation: $0) }
    #expect(try #require(copy.derRepresentation).withUnsafeBytes { Array($0) } == der.withUnsafeBytes { Array($0) })
    // Without its primes the key signs the same.
    let plain = try AnyRSAPrivateKey(publicKey: key.publicKey, d: numbers.d)
    #expect(try plain.signature(for: message, padding: .pkcs1v15, function: SHA2.SHA256.self) == signature)
  }

  @Test("primes that are 8 octets from half of the modulus import, 9 octets are refused")
  func imbalance() throws {
    #expect(throws: CryptoError(.invalidPrivateKey, "")) {
      try AnyRSAPrivateKey(pemRepresentation: UnequalPrimesCase.tooUnequal.pem)
    }
    #expect(UnequalPrimesCase.all.contains { $0.p == 1088 && $0.q == 960 })
  }

  @Test("leading zeros of the integers change nothing", arguments: UnequalPrimesCase.all)
  func leadingZeros(example: UnequalPrimesCase) throws {
    let key = try AnyRSAPrivateKey(pemRepresentation: example.pem)
    let all = ([key.numbers.d] + key.numbers.factors).map { number in
      SecretBytes(copying: [UInt8](repeating: 0, count: 7) + number.withUnsafeBytes { Array($0) })
    }
    let padded = try AnyRSAPrivateKey(
      publicKey: key.publicKey, d: all[0], p: all[1], q: all[2], dp: all[3], dq: all[4], qi: all[5])
    #expect(
      try padded.signature(for: message, padding: .pkcs1v15, function: SHA2.SHA256.self) == hex(example.signature))
  }

  @Test(
    "integers of any lengths in the places of the primes are refused without a trap", arguments: UnequalPrimesCase.all)
  func otherLengths(example: UnequalPrimesCase) throws {
    let key = try AnyRSAPrivateKey(pemRepresentation: example.pem)
    let all = [key.numbers.d] + key.numbers.factors
    let lengths = [0, 1, 2, 8, 64, 119, 120, 121, 127, 128, 129, 130, 136, 137, 256, 257, 1024]
    for p in lengths {
      for q in lengths {
        let primes = [p, q].map { SecretBytes(copying: [UInt8](repeating: 0xff, count: $0)) }
        #expect(throws: CryptoError(.invalidPrivateKey, "")) {
          try AnyRSAPrivateKey(
            publicKey: key.publicKey, d: all[0], p: primes[0], q: primes[1], dp: all[3], dq: all[4], qi: all[5])
        }
      }
    }
    // 1 and the modulus itself are factors, too.
    let (one, modulus) = (SecretBytes(copying: [1]), SecretBytes(copying: key.publicKey.modulus))
    #expect(throws: CryptoError(.invalidPrivateKey, "")) {
      try AnyRSAPrivateKey(
        publicKey: key.publicKey, d: all[0], p: modulus, q: one, dp: all[0], dq: one, qi: one)
    }
  }
}
