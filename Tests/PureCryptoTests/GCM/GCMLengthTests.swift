import Testing

@testable import PureCrypto

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#elseif canImport(Android)
  import Android
#endif

/// Lengths that are 5 where their upper bits are cut off, at whichever bit.
@Suite("AES-GCM: lengths of many bits")
struct GCMLengthTests {
  private let bytes = testBytes(count: 12, seed: 5)
  private let key = testBytes(count: 32, seed: 6)

  @Test(arguments: [((1 << 13) + 5, 21), (21, (1 << 14) + 5)])
  func `data past 2¹⁶ bits and messages past 2¹⁷ agree with the standard written out`(
    dataCount: Int, messageCount: Int
  ) throws {
    let vector = try AESGCM.InitializationVector(bytes)
    let data = testBytes(count: dataCount, seed: 7)
    let message = testBytes(count: messageCount, seed: 8)
    let expected = SlowGCM(key: key).seal(message, authenticating: data, initializationVector: bytes)
    for backend in Backend.available {
      let cipher = try AESGCM(key: key, backend: backend)
      let box = try cipher.seal(message, authenticating: data, uniqueInitializationVector: vector)
      #expect(box.ciphertext == expected.ciphertext && box.authenticationTag == expected.tag, "\(backend)")
      let opened = try cipher.open(
        ciphertext: expected.ciphertext, authenticationTag: expected.tag, initializationVector: vector,
        authenticating: data)
      #expect(opened == message, "\(backend)")
    }
  }

  @Test func `data of more than 2³² bits`() throws {
    let nothing = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    try withZeros((1 << 29) + 5) { zeros in
      for backend in Backend.available {
        // The portable backend takes seconds for as much.
        let count = backend == .portable ? (1 << 25) + 5 : zeros.count
        let tag = try AESGCM(key: key, backend: backend).sealInPlace(
          nothing, authenticating: UnsafeRawBufferPointer(rebasing: zeros[..<count]),
          uniqueInitializationVector: AESGCM.InitializationVector(bytes))
        let expected = SlowGCM(key: key).tagOfZeros(dataCount: count, ciphertextCount: 0, initializationVector: bytes)
        #expect(Array(tag) == expected, "\(backend)")
      }
    }
  }

  @Test(arguments: Backend.available) func `a message of more than 2²⁷ bits`(backend: Backend) throws {
    let count = (1 << 24) + 5
    let expected = SlowGCM(key: key).tagOfZeros(dataCount: 0, ciphertextCount: count, initializationVector: bytes)
    let vector = try AESGCM.InitializationVector(bytes)
    let cipher = try AESGCM(key: key, backend: backend)
    try withZeros(count) { message in
      // What zeros decrypt to is sealed to zeros.
      try cipher.openInPlace(message, authenticationTag: expected, initializationVector: vector)
      let tag = try cipher.sealInPlace(message, uniqueInitializationVector: vector)
      #expect(Array(tag) == expected)
      guard let start = message.baseAddress else { return }
      #expect(message[0] == 0 && memcmp(start, start + 1, count - 1) == 0)
    }
  }

  @Test(arguments: Backend.available) func `an initialization vector of more than 2²³ bits`(backend: Backend) throws {
    let count = (1 << 20) + 5
    let cipher = try AESGCM(key: key, backend: backend)
    withZeros(count) { vector in
      let block = cipher.key.hashedCounterBlock(UnsafeRawBufferPointer(vector))
      let expected = SlowGCM(key: key).initialCounterBlock(hashingZeros: count)
      #expect(withUnsafeBytes(of: block) { Array($0) } == expected)
    }
  }

  @Test func `an initialization vector of every length, before a guard page`() throws {
    let ciphers = try Backend.available.map { try AESGCM(key: key, backend: $0) }
    for count in 1...150 where count != 12 {
      let vector = testBytes(count: count, seed: 9)
      let expected = SlowGCM(key: key).initialCounterBlock(hashing: vector)
      for cipher in ciphers {
        let block = withGuardedBytes(vector) { cipher.key.hashedCounterBlock(UnsafeRawBufferPointer($0[0])) }
        #expect(withUnsafeBytes(of: block) { Array($0) } == expected)
      }
    }
  }

  /// Memory that the system gives out as zeros, most of which need not be there.
  private func withZeros(_ count: Int, _ body: (UnsafeMutableRawBufferPointer) throws -> Void) rethrows {
    guard let start = calloc(count, 1) else { fatalError("no memory") }
    defer { free(start) }
    try body(UnsafeMutableRawBufferPointer(start: start, count: count))
  }
}
