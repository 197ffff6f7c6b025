import PureCrypto
import PureJOSETestSupport
import Testing

@Suite("AES-GCM")
struct AESGCMTests {
  @Test("test cases of McGrew and Viega", arguments: GCMTestCase.all)
  func standardExamples(example: GCMTestCase) throws {
    let vector = try hex(example.initializationVector)
    let data = try hex(example.additionalAuthenticatedData)
    for backend in Backend.available {
      let cipher = try AESGCM(key: hex(example.key), backend: backend)
      let box = try cipher.seal(hex(example.plaintext), authenticating: data, anyInitializationVector: vector)
      #expect(Hex.encode(box.ciphertext) == example.ciphertext, "\(backend)")
      #expect(Hex.encode(box.authenticationTag) == example.tag, "\(backend)")
      let plaintext = try cipher.open(
        ciphertext: box.ciphertext, truncatedTag: box.authenticationTag, anyInitializationVector: vector,
        authenticating: data)
      #expect(Hex.encode(plaintext) == example.plaintext, "\(backend)")
    }
  }

  @Test("all 18 test cases are here")
  func exampleCount() {
    #expect(GCMTestCase.all.map(\.number) == Array(1...18))
  }

  @Test("every message length to 300 agrees with the standard written out", arguments: 0...300)
  func messageLengths(count: Int) throws {
    // Key length, additional data and form of the IV vary along, so that all meet.
    let key = testBytes(count: [16, 24, 32][count % 3], seed: UInt64(count))
    let data = testBytes(count: count * 7 % 41, seed: 2)
    let vector = testBytes(count: count % 5 == 0 ? 1 + count % 67 : 12, seed: 3)
    try check(testBytes(count: count, seed: 4), key: key, data: data, vector: vector)
  }

  @Test("every length of additional data to 300 agrees with the standard written out", arguments: 0...300)
  func additionalDataLengths(count: Int) throws {
    try check(
      testBytes(count: 21), key: testBytes(count: 32), data: testBytes(count: count, seed: 9),
      vector: testBytes(count: 12))
  }

  @Test(
    "messages of many eights of blocks, and their neighbours",
    arguments: [
      511, 512, 768, 1023, 1024, 1025, 2047, 2048, 2049, 2303, 2304, 2559, 2560, 2815, 2816, 3072, 4113, 9000,
    ])
  func longMessages(count: Int) throws {
    try check(
      testBytes(count: count), key: testBytes(count: 16), data: testBytes(count: 13), vector: testBytes(count: 12))
    try check(
      testBytes(count: count), key: testBytes(count: 32), data: testBytes(count: 13), vector: testBytes(count: 17))
  }

  @Test("every length of initialization vector to 150 agrees with the standard written out", arguments: 1...150)
  func initializationVectorLengths(count: Int) throws {
    try check(
      testBytes(count: 40), key: testBytes(count: 24), data: testBytes(count: 5), vector: testBytes(count: count))
  }

  private func check(_ plaintext: [UInt8], key: [UInt8], data: [UInt8], vector: [UInt8]) throws {
    let expected = SlowGCM(key: key).seal(plaintext, authenticating: data, initializationVector: vector)
    for backend in Backend.available {
      let cipher = try AESGCM(key: key, backend: backend)
      let box = try cipher.seal(plaintext, authenticating: data, anyInitializationVector: vector)
      #expect(box.ciphertext == expected.ciphertext, "\(backend)")
      #expect(box.authenticationTag == expected.tag, "\(backend)")
      let opened = try cipher.open(
        ciphertext: box.ciphertext, truncatedTag: box.authenticationTag, anyInitializationVector: vector,
        authenticating: data)
      #expect(opened == plaintext, "\(backend)")
      guard vector.count == AESGCM.InitializationVector.byteCount else { continue }
      let vector = try AESGCM.InitializationVector(vector)
      let publicBox = try cipher.seal(plaintext, authenticating: data, uniqueInitializationVector: vector)
      #expect(publicBox.ciphertext == expected.ciphertext && publicBox.authenticationTag == expected.tag, "\(backend)")
      #expect(publicBox.initializationVector == vector)
      #expect(
        try cipher.open(
          ciphertext: publicBox.ciphertext, authenticationTag: publicBox.authenticationTag,
          initializationVector: vector, authenticating: data) == plaintext, "\(backend)")

      // In place, with the neighbour before it watched; behind it there is no memory.
      try withGuardedBytes([0xa5] + plaintext, data) { areas in
        let message = UnsafeMutableRawBufferPointer(rebasing: areas[0][1...])
        let data = UnsafeRawBufferPointer(areas[1])
        let copied = try cipher.seal(
          UnsafeRawBufferPointer(message), authenticating: data, uniqueInitializationVector: vector)
        #expect(copied.ciphertext == expected.ciphertext, "\(backend)")
        let tag = try cipher.sealInPlace(message, authenticating: data, uniqueInitializationVector: vector)
        #expect(Array(message) == expected.ciphertext, "\(backend)")
        #expect(Array(tag) == expected.tag, "\(backend)")
        let opened = try cipher.open(
          ciphertext: UnsafeRawBufferPointer(message), authenticationTag: tag, initializationVector: vector,
          authenticating: data)
        #expect(opened == plaintext, "\(backend)")
        try cipher.openInPlace(message, authenticationTag: tag, initializationVector: vector, authenticating: data)
        #expect(Array(areas[0]) == [0xa5] + plaintext, "\(backend)")
      }
    }
    guard vector.count == AESGCM.InitializationVector.byteCount else { return }
    let cipher = try AESGCM(key: SecretBytes(copying: key))
    var array = plaintext
    let tag = try cipher.sealInPlace(
      &array, authenticating: data, uniqueInitializationVector: AESGCM.InitializationVector(vector))
    #expect(array == expected.ciphertext)
    #expect(Array(tag) == expected.tag)
  }

  @Test("the counter wraps at 32 bits and leaves the rest of the block alone")
  func counterWraps() throws {
    let key = testBytes(count: 16)
    let reference = SlowGCM(key: key)
    let ciphers = try Backend.available.map { try AESGCM(key: key, backend: $0) }
    // Long enough for the counter to wrap in every loop; 0x…1 is where initialization vectors of 96 bits start.
    let starts =
      (UInt8(0xf0)...0xff).map { ($0, 40) } + [0x01, 0x21, 0x22, 0x41, 0x81, 0xc1, 0xe0, 0xe1].map { ($0, 400) }
    for (last, blockCount) in starts {
      let j0 = testBytes(count: 12) + [0xff, 0xff, 0xff, last]
      let vector = reference.initializationVector(forInitialCounterBlock: j0)
      let plaintext = testBytes(count: 16 * blockCount + 3)
      let expected = reference.seal(plaintext, authenticating: [], initializationVector: vector)
      for cipher in ciphers {
        // Sealing nothing leaves the tag E(J₀) ⊕ GHASH(0), and GHASH of a zero block is zero.
        let tag = try cipher.seal([], anyInitializationVector: vector).authenticationTag
        #expect(try AES(key: key).decryptBlocks(tag) == j0)
        let box = try cipher.seal(plaintext, anyInitializationVector: vector)
        #expect(box.ciphertext == expected.ciphertext)
        #expect(box.authenticationTag == expected.tag)
      }
    }
  }

  @Test("every flipped bit of every part is refused", arguments: Backend.available)
  func tampering(backend: Backend) throws {
    let cipher = try AESGCM(key: testBytes(count: 32), backend: backend)
    let bytes = testBytes(count: 12)
    let vector = try AESGCM.InitializationVector(bytes)
    let data = testBytes(count: 20, seed: 5)
    let box = try cipher.seal(testBytes(count: 37), authenticating: data, uniqueInitializationVector: vector)
    let failed = CryptoError(.authenticationFailed, "")
    func flips(_ bytes: [UInt8]) -> [[UInt8]] {
      (0..<(8 * bytes.count)).map { bit in
        var flipped = bytes
        flipped[bit / 8] ^= 1 << (bit % 8)
        return flipped
      }
    }
    for ciphertext in flips(box.ciphertext) + [Array(box.ciphertext.dropLast()), box.ciphertext + [0]] {
      #expect(throws: failed) {
        try cipher.open(
          ciphertext: ciphertext, authenticationTag: box.authenticationTag, initializationVector: vector,
          authenticating: data)
      }
    }
    for tag in flips(box.authenticationTag) {
      #expect(throws: failed) {
        try cipher.open(
          ciphertext: box.ciphertext, authenticationTag: tag, initializationVector: vector, authenticating: data)
      }
    }
    for other in flips(bytes) {
      #expect(throws: failed) {
        try cipher.open(
          ciphertext: box.ciphertext, authenticationTag: box.authenticationTag,
          initializationVector: AESGCM.InitializationVector(other), authenticating: data)
      }
    }
    for other in [Array(bytes.dropLast()), bytes + [0]] {
      #expect(throws: failed) {
        try cipher.open(
          ciphertext: box.ciphertext, truncatedTag: box.authenticationTag, anyInitializationVector: other,
          authenticating: data)
      }
    }
    for other in flips(data) + [Array(data.dropLast()), data + [0], []] {
      #expect(throws: failed) {
        try cipher.open(
          ciphertext: box.ciphertext, authenticationTag: box.authenticationTag, initializationVector: vector,
          authenticating: other)
      }
    }
  }

  @Test("opening in place wipes the buffer when the tag is wrong", arguments: Backend.available)
  func failureWipes(backend: Backend) throws {
    let cipher = try AESGCM(key: testBytes(count: 32), backend: backend)
    var buffer = testBytes(count: 100)
    let vector = AESGCM.InitializationVector.random()
    let tag = Array(try cipher.sealInPlace(&buffer, uniqueInitializationVector: vector))
    let wrong = tag.map { ~$0 }
    #expect(throws: CryptoError(.authenticationFailed, "")) {
      try buffer.withUnsafeMutableBytes {
        try cipher.openInPlace($0, authenticationTag: wrong, initializationVector: vector)
      }
    }
    #expect(buffer == [UInt8](repeating: 0, count: 100))
  }

  @Test("spans are sealed and opened in place, and wiped when the tag is wrong", arguments: Backend.available)
  func spans(backend: Backend) throws {
    let cipher = try AESGCM(key: testBytes(count: 32), backend: backend)
    let plaintext = testBytes(count: 100)
    let data = testBytes(count: 20, seed: 5)
    let vector = try AESGCM.InitializationVector(testBytes(count: 12))
    let box = try cipher.seal(plaintext, authenticating: data, uniqueInitializationVector: vector)
    var buffer = ContiguousArray(plaintext)
    let tag = Array(try sealSpan(of: &buffer, cipher, data, vector))
    #expect(Array(buffer) == box.ciphertext)
    #expect(tag == box.authenticationTag)
    var forged = buffer
    try openSpan(of: &buffer, cipher, tag, data, vector)
    #expect(Array(buffer) == plaintext)
    #expect(throws: CryptoError(.authenticationFailed, "")) {
      try openSpan(of: &forged, cipher, tag.map { ~$0 }, data, vector)
    }
    #expect(Array(forged) == [UInt8](repeating: 0, count: 100))
  }

  private func sealSpan(
    of buffer: inout ContiguousArray<UInt8>, _ cipher: AESGCM, _ data: [UInt8], _ vector: AESGCM.InitializationVector
  ) throws -> AESGCM.AuthenticationTag {
    var elements = buffer.mutableSpan
    var bytes = elements.mutableBytes
    return try cipher.sealInPlace(&bytes, authenticating: data, uniqueInitializationVector: vector)
  }

  private func openSpan(
    of buffer: inout ContiguousArray<UInt8>, _ cipher: AESGCM, _ tag: [UInt8], _ data: [UInt8],
    _ vector: AESGCM.InitializationVector
  ) throws {
    var elements = buffer.mutableSpan
    var bytes = elements.mutableBytes
    try cipher.openInPlace(
      &bytes, authenticationTag: tag, initializationVector: vector, authenticating: data)
  }

  @Test("lengths that the standard does not know are refused")
  func lengths() throws {
    for count in 0...40 where ![16, 24, 32].contains(count) {
      #expect(throws: CryptoError(.invalidKeyLength, "")) { try AESGCM(key: testBytes(count: count)) }
      #expect(throws: CryptoError(.invalidKeyLength, "")) {
        try AESGCM(key: SecretBytes(copying: testBytes(count: count)))
      }
    }
    let cipher = try AESGCM(key: testBytes(count: 16))
    for count in 0...40 where count != 12 {
      #expect(throws: CryptoError(.invalidInitializationVectorLength, "")) {
        try AESGCM.InitializationVector(testBytes(count: count))
      }
    }
    #expect(throws: CryptoError(.invalidInitializationVectorLength, "")) {
      try cipher.seal([1], anyInitializationVector: [])
    }
    #expect(throws: CryptoError(.invalidInitializationVectorLength, "")) {
      try cipher.open(ciphertext: [1], truncatedTag: testBytes(count: 16), anyInitializationVector: [])
    }
    for count in 0...20 where count != 16 {
      #expect(throws: CryptoError(.invalidTagLength, "")) {
        try cipher.open(
          ciphertext: [1], authenticationTag: testBytes(count: count), initializationVector: .random())
      }
    }
  }

  @Test("a truncated tag opens only where the standard knows its length, and must be right")
  func truncatedTags() throws {
    let cipher = try AESGCM(key: testBytes(count: 16))
    let vector = testBytes(count: 12)
    let plaintext = testBytes(count: 33)
    let box = try cipher.seal(plaintext, anyInitializationVector: vector)
    for count in 0...17 {
      let tag = Array((box.authenticationTag + [0]).prefix(count))
      if [4, 8, 12, 13, 14, 15, 16].contains(count) {
        #expect(
          try cipher.open(
            ciphertext: box.ciphertext, truncatedTag: tag, anyInitializationVector: vector)
            == plaintext)
        #expect(throws: CryptoError(.authenticationFailed, "")) {
          try cipher.open(
            ciphertext: box.ciphertext, truncatedTag: tag.dropLast() + [tag[count - 1] ^ 1],
            anyInitializationVector: vector)
        }
      } else {
        #expect(throws: CryptoError(.invalidTagLength, "")) {
          try cipher.open(
            ciphertext: box.ciphertext, truncatedTag: tag, anyInitializationVector: vector)
        }
      }
    }
  }

  @Test("an initialization vector holds 12 bytes, in each way of making one")
  func initializationVectors() throws {
    let bytes = testBytes(count: 12)
    let vector = try AESGCM.InitializationVector(bytes)
    #expect(Array(vector) == bytes && vector.count == 12)
    #expect(vector.withUnsafeBytes { Array($0) } == bytes)
    #expect(vector.withContiguousStorageIfAvailable { Array($0) } == bytes)
    #expect(try AESGCM.InitializationVector(vector) == vector)
    #expect(
      try AESGCM.InitializationVector(fixedField: 0x0102_0304, invocationField: 0x0506_0708_090a_0b0c)
        == AESGCM.InitializationVector([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]))
    #expect(Set((0..<100).map { _ in AESGCM.InitializationVector.random() }).count == 100)
    for index in 0..<12 {
      var other = bytes
      other[index] ^= 1
      #expect(try AESGCM.InitializationVector(other) != vector)
    }
  }

  @Test("random initialization vectors have 96 bits and differ")
  func randomVectors() throws {
    let cipher = try AESGCM(key: testBytes(count: 16))
    let plaintext = testBytes(count: 50)
    let boxes = try (0..<100).map { _ in try cipher.seal(plaintext, authenticating: [1, 2]) }
    #expect(Set(boxes.map(\.initializationVector)).count == 100)
    for box in boxes {
      #expect(box.initializationVector.count == 12)
      #expect(
        try cipher.open(
          ciphertext: box.ciphertext, authenticationTag: box.authenticationTag,
          initializationVector: box.initializationVector, authenticating: [1, 2]) == plaintext)
    }
  }

  @Test("a tag is a collection of 16 bytes")
  func tagIsCollection() throws {
    let cipher = try AESGCM(key: testBytes(count: 16))
    var empty: [UInt8] = []
    let tag = try cipher.sealInPlace(&empty, uniqueInitializationVector: .init(fixedField: 1, invocationField: 1))
    let other = try cipher.sealInPlace(&empty, uniqueInitializationVector: .init(fixedField: 1, invocationField: 2))
    #expect(tag.count == 16)
    #expect(tag.withUnsafeBytes { Array($0) } == Array(tag))
    #expect(tag.withContiguousStorageIfAvailable { Array($0) } == Array(tag))
    #expect(tag == tag && tag != other)
  }

  @Test("a description shows no key")
  func redaction() throws {
    let cipher = try AESGCM(key: testBytes(count: 16))
    var dumped = ""
    dump(cipher, to: &dumped)
    #expect(dumped == "▿ AESGCM(redacted)\n  - description: \"AESGCM(redacted)\"\n")
  }
}
