import Testing

@testable import PureCrypto

/// The bounds of SP 800-38D that no test can reach by use: the checks themselves are asked.
@Suite("AES-GCM: limits, at the edge and one past it")
struct GCMLimitTests {
  @Test("a key seals 2³² messages under random initialization vectors", arguments: Backend.available)
  func randomUses(backend: Backend) throws {
    let cipher = try AESGCM(key: [UInt8](0..<16), backend: backend)
    let copy = cipher
    cipher.key.setRandomUses((1 << 32) - 2)
    _ = try cipher.seal([1])
    // The count belongs to the key, not to the copy.
    let last = try copy.seal([2])
    for cipher in [cipher, copy] {
      #expect(throws: CryptoError(.usageLimitReached, "")) { try cipher.seal([3]) }
    }
    // Opening, and sealing under vectors that the caller vouches for, go on.
    #expect(
      try cipher.open(
        ciphertext: last.ciphertext, authenticationTag: last.authenticationTag,
        initializationVector: last.initializationVector) == [2])
    #expect(throws: Never.self) { try cipher.seal([3], uniqueInitializationVector: .random()) }
    #expect(throws: Never.self) { try AESGCM(key: [UInt8](0..<16), backend: backend).seal([3]) }
  }

  #if arch(x86_64) || arch(arm64)
    @Test("a message has at most 2³⁶ − 32 bytes, authenticated data less than 2⁶¹")
    func lengths() {
      let message = (1 << 36) - 32
      func check(_ message: Int, _ data: Int) throws {
        try AESGCM.checkLengths(message: message, additionalAuthenticatedData: data)
      }
      #expect(throws: Never.self) { try check(message, 0) }
      #expect(throws: CryptoError(.lengthLimitExceeded, "")) { try check(message + 1, 0) }
      #expect(throws: CryptoError(.lengthLimitExceeded, "")) { try check(.max, 0) }
      #expect(throws: Never.self) { try check(0, (1 << 61) - 1) }
      #expect(throws: CryptoError(.lengthLimitExceeded, "")) { try check(0, 1 << 61) }
    }
  #endif
}
