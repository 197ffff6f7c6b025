import PureCrypto
import PureJOSETestSupport
import Testing

@Suite("HKDF and PBKDF2")
struct KeyDerivationTests {
  /// Source: RFC 5869 §2.3.
  @Test("HKDF of every length is the start of the chain written out", arguments: [1, 31, 32, 33, 64, 100, 255 * 32])
  func expansion(byteCount: Int) throws {
    let key = testBytes(count: 32)
    var chain: [UInt8] = []
    var previous: [UInt8] = []
    for counter in 1...255 {
      previous = Array(HMACSHA256.authenticate(previous + [7, 8] + [UInt8(counter)], key: key))
      chain += previous
    }
    let expanded = try HKDF<SHA2.SHA256>.expand(
      pseudorandomKey: SecretBytes(copying: key), info: [7, 8], byteCount: byteCount)
    #expect(expanded.withUnsafeBytes { Array($0) } == Array(chain.prefix(byteCount)))
  }

  @Test("HKDF refuses other lengths", arguments: [Int.min, -1, 0, 255 * 32 + 1, .max])
  func refusedExpansion(byteCount: Int) {
    #expect(throws: CryptoError(.invalidKeyLength, "")) {
      try HKDF<SHA2.SHA256>.expand(pseudorandomKey: .random(count: 32), info: [], byteCount: byteCount)
    }
  }

  @Test("PBKDF2 is the sum of repetitions written out, with each hash function")
  func repetitions() throws {
    try judge(SHA2.SHA256.self)
    try judge(SHA2.SHA384.self)
    try judge(SHA2.SHA512.self)
  }

  private func judge<Function: SHA2Function>(_: Function.Type) throws {
    let password = testBytes(count: 11)
    let salt = testBytes(count: 5, seed: 2)
    for iterationCount in 1...4 {
      var expected: [UInt8] = []
      for block in 1...3 {
        var u = Array(HMACSHA2<Function>.authenticate(salt + [0, 0, 0, UInt8(block)], key: password))
        var t = u
        for _ in 1..<iterationCount {
          u = Array(HMACSHA2<Function>.authenticate(u, key: password))
          t = zip(t, u).map { $0 ^ $1 }
        }
        expected += t
      }
      for byteCount in [
        1, 20, Function.digestByteCount, Function.digestByteCount + 1, 2 * Function.digestByteCount + 3,
      ] {
        let key = try PBKDF2<Function>.deriveKey(
          password: SecretBytes(copying: password), salt: salt, iterationCount: iterationCount, byteCount: byteCount)
        #expect(key.withUnsafeBytes { Array($0) } == Array(expected.prefix(byteCount)))
      }
    }
  }

  @Test("PBKDF2 refuses numbers out of range", arguments: [(0, 16), (-1, 16), (1, 0), (1, -1), (1, Int.max)])
  func refusedNumbers(iterationCount: Int, byteCount: Int) {
    #expect(throws: CryptoError(.invalidKeyLength, "")) {
      try PBKDF2<SHA2.SHA256>.deriveKey(
        password: .random(count: 8), salt: [], iterationCount: iterationCount, byteCount: byteCount)
    }
  }
}
