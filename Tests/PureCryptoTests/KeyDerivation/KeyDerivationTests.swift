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
      previous = Array(HMACSHA256.authenticate(previous + [7, 8] + [UInt8(counter)], anyKey: key))
      chain += previous
    }
    let expanded = try HKDFSHA2<SHA2.SHA256>.expand(
      pseudorandomKey: SecretBytes(copying: key), info: [7, 8], byteCount: byteCount)
    #expect(expanded.withUnsafeBytes { Array($0) } == Array(chain.prefix(byteCount)))
  }

  @Test("HKDF refuses other lengths", arguments: [Int.min, -1, 0, 255 * 32 + 1, .max])
  func refusedExpansion(byteCount: Int) {
    #expect(throws: CryptoError(.invalidKeyLength, "")) {
      try HKDFSHA2<SHA2.SHA256>.expand(pseudorandomKey: .random(count: 32), info: [], byteCount: byteCount)
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
        var u = Array(HMACSHA2<Function>.authenticate(salt + [0, 0, 0, UInt8(block)], anyKey: password))
        var t = u
        for _ in 1..<iterationCount {
          u = Array(HMACSHA2<Function>.authenticate(u, anyKey: password))
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

  @Test(
    "PBKDF2 with HMAC-SHA-1: RFC 6070, and passwords of a block and longer",
    arguments: [
      ("password", "salt", 1, "0c60c80f961f0e71f3a9b524af6012062fe037a6"),
      ("password", "salt", 2, "ea6c014dc72d6f8ccd1ed92ace1d41f0d8de8957"),
      ("password", "salt", 4096, "4b007901b765489abead49d926f721d065a429c1"),
      (
        "passwordPASSWORDpassword", "saltSALTsaltSALTsaltSALTsaltSALTsalt", 4096,
        "3d2eec4fe41c849b80c8d83662c0e44a8b291a964cf2f07038"
      ),
      ("pass\0word", "sa\0lt", 4096, "56fa6aa75548099dcc37d7f03425e0c3"),
      (
        String(repeating: "p", count: 64), "salt", 3,
        "e3b09c012d7ef712e6d6fa000b358daea42ea4cc6487a5603760ffc290b0612b"
      ),
      (
        String(repeating: "p", count: 65), "salt", 3,
        "2831545255ebdfddea03e922dfe6b5ad3ce6b3f3194d4427b01cd2c359ce77689fd0190bb85f30fb09223f39a4"
      ),
    ])
  func withSHA1(_ password: String, _ salt: String, _ iterationCount: Int, _ expected: String) throws {
    let key = try PBKDF2SHA1.deriveKey(
      password: SecretBytes(copying: password.utf8), salt: Array(salt.utf8), iterationCount: iterationCount,
      byteCount: expected.utf8.count / 2)
    #expect(key.withUnsafeBytes { Hex.encode(Array($0)) } == expected)
  }

  @Test("PBKDF2 refuses numbers out of range", arguments: [(0, 16), (-1, 16), (1, 0), (1, -1), (1, Int.max)])
  func refusedNumbers(iterationCount: Int, byteCount: Int) {
    #expect(throws: CryptoError(.invalidKeyLength, "")) {
      try PBKDF2<SHA2.SHA256>.deriveKey(
        password: .random(count: 8), salt: [], iterationCount: iterationCount, byteCount: byteCount)
    }
    #expect(throws: CryptoError(.invalidKeyLength, "")) {
      try PBKDF2SHA1.deriveKey(
        password: .random(count: 8), salt: [], iterationCount: iterationCount, byteCount: byteCount)
    }
  }
}
